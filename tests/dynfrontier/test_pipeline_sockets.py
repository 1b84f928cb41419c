"""`SocketSource`: whole lines, errors as soon as they come, and bounded memory."""

from __future__ import annotations

import contextlib
import socket
import threading

import pytest
from model import edge_set
from pipeline_cases import *  # noqa: F403
from pipeline_cases import N

import frontier as fr
from dynfrontier import Pipeline, PipelineError, SocketSource
from structures import CSR, SlabGraph


def test_lines_from_a_socket(rng):
    here, there = socket.socketpair()
    graph = CSR(N, device="cpu")
    pairs = rng.integers(0, N, (300, 2))

    def send():
        text = "".join(f"{u} {v}\n" for u, v in pairs).encode()
        for begin in range(0, len(text), 97):
            there.send(text[begin : begin + 97])
        there.close()

    sender = threading.Thread(target=send)
    sender.start()
    assert Pipeline(SocketSource(here), graph).run().records == 300
    sender.join()
    assert edge_set(graph) == edge_set(CSR.from_edges(*pairs.T, num_vertices=N, device="cpu"))


@pytest.mark.parametrize(
    "line", [b'3,"4\n', b'"3,4\n', b'3,4,"note\n', b'3,4,"note" x\n', b"3,4," + b"x" * 300], ids=lambda line: line[:12]
)
def test_a_fault_in_a_line_of_a_socket_is_an_error_at_once(line):
    """The connection stays open: no more has to come for it."""
    here, there = socket.socketpair()
    there.send(b'1,2,5" disc\n# it is 5"\n' + line)
    source = SocketSource(here, ("src", "dst", None), ",", max_record_bytes=200)
    with pytest.raises(PipelineError, match="socket, line 3: "):
        Pipeline(source, CSR(N, device="cpu")).run()
    there.close()
    here.close()


@pytest.mark.parametrize("text", [b"0 1 1000\n3 4 2000\n", b"0 1 1000\r\n3 4 2000\r\n#\n"])
def test_a_line_that_the_end_of_a_connection_cuts_is_an_error(text):
    for size in range(len(text) + 1):
        here, there = socket.socketpair()
        there.send(text[:size])
        there.close()
        graph = CSR(N, weight_dtype="int64", directed=True, device="cpu")
        pipeline = Pipeline(SocketSource(here, ("src", "dst", "weight")), graph)
        cut = text[:size].split(b"\n")[-1].decode().strip()
        if cut:
            line = text[:size].count(b"\n") + 1
            reason = f"socket, line {line}: the connection ended within a line.*{cut}"
            with pytest.raises(PipelineError, match=reason):
                pipeline.run()
        else:
            pipeline.run()
        src, dst, weights = graph.to_coo()
        found = set(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))
        assert found <= {(0, 1, 1000), (3, 4, 2000)} and (cut or len(found) == min(2, text[:size].count(b"\n")))
        here.close()


@pytest.mark.parametrize("sent", [b"x" * 4096, b"# " + b"x" * 4094])
def test_a_line_of_a_socket_takes_bounded_memory(sent):
    here, there = socket.socketpair()
    there.send(b"0 1\n")
    taken = []

    def send():
        with contextlib.suppress(OSError):
            for _ in range(4096):
                there.sendall(sent)
                taken.append(len(sent))

    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(PipelineError, match="socket, line 2: "):
        Pipeline(SocketSource(here, max_record_bytes=1 << 16), CSR(N, device="cpu")).run()
    here.close()
    sender.join()
    assert sum(taken) < 1 << 23  # buffers of sockets and of one call of `recv`, in addition
    there.close()


def test_a_socket_may_begin_with_comments():
    """Comments arrive as a separate part, and reveal nothing about columns."""
    here, there = socket.socketpair()
    source = iter(SocketSource(here, ("src", "dst", "time")))
    there.send(b"# a feed\n\n")
    sender = threading.Timer(0.2, lambda: there.sendall(b"0 1 2020-01-01\n"))
    sender.start()
    assert next(source).times.tolist() == [1577836800 * 10**9]
    there.send(b"0 1 x\n")
    with pytest.raises(fr.io.ParseError, match="socket, line 4: 'x' is no date"):
        next(source)
    here.close()
    there.close()


def test_a_socket_on_which_nothing_comes_is_left():
    here, there = socket.socketpair()
    there.send(b"0 1\n2")
    pipeline = Pipeline(SocketSource(here), CSR(N, device="cpu"))
    assert next(pipeline).records == 1
    pipeline.close()
    there.close()
    here.close()


def test_a_socket_cannot_begin_again(tmp_path):
    here, there = socket.socketpair()
    there.send(b"0 1\n2 3\n")
    there.close()
    Pipeline(SocketSource(here), SlabGraph(N, device="cpu"), checkpoint=tmp_path).run()
    with pytest.raises(TypeError, match="a SocketSource cannot; pass a function"):
        Pipeline.resume(tmp_path, SocketSource(here), device="cpu")
    here.close()
