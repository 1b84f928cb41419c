"""Plans are found while their guards are the same, and forgotten otherwise."""

from types import SimpleNamespace

import numpy as np
import pytest

from frontier.runtime import gpu_available
from frontier.runtime.launch.plan import Plans

on_gpu = pytest.mark.skipif(not gpu_available(), reason="there is no GPU")


def test_a_plan_is_found_while_its_guards_are_the_same_objects():
    plans, one = Plans(), np.zeros(3)
    assert plans.find("key") is None
    assert plans.add("key", "plan", 1000, (one, int)) == "plan"
    assert plans.find("key", 10**3, (one, int)) == "plan"
    assert plans.find("another", 1000, (one, int)) is None
    assert plans.values() == ["plan"]


@pytest.mark.parametrize("state, guards", [(2, ("one",)), (1, ("other",)), (1, ()), (1, ("one", "one"))])
def test_a_plan_that_is_outdated_is_forgotten(state, guards):
    """Equal guards are not enough, nor are some of them."""
    arrays = {"one": np.zeros(3), "other": np.zeros(3)}
    plans = Plans()
    plans.add("key", "plan", 1, (arrays["one"],))
    assert plans.find("key", state, tuple(arrays[name] for name in guards)) is None
    assert plans.values() == []
    assert plans.find("key", 1, (arrays["one"],)) is None


@pytest.mark.gpu
@on_gpu
def test_scratch_memory_is_exchanged_while_launches_are_captured():
    """Also if that fails."""
    from frontier.runtime.launch.plan import Plan

    work = SimpleNamespace(scratch="theirs")
    with Plan(work=work, scratch="mine"):
        assert work.scratch == "mine"
    assert work.scratch == "theirs"
    with pytest.raises(KeyError), Plan(work=work, scratch="mine") as plan:
        raise KeyError
    assert work.scratch == "theirs" and len(plan) == 0
    with Plan(), pytest.raises(RuntimeError, match="already"), Plan(work=work, scratch="mine"):
        pass
    assert work.scratch == "theirs"
