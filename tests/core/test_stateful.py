"""Any sequence of operations, on a graph and its model (Hypothesis looks for the sequences)."""

from __future__ import annotations

from hypothesis.stateful import run_state_machine_as_test
from state_machine import GraphMachine


def test_any_sequence_of_operations(structure, device):
    machine = type("Machine", (GraphMachine,), {"structure": structure, "device": device})
    run_state_machine_as_test(machine)
