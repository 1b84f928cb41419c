"""Entries of a cache that several threads ask for at the same time are made once."""

import time

import pytest
from concurrency import in_threads

from frontier.runtime.compile.caches import once


def test_threads_get_the_same():
    made = []

    @once
    def make(key):
        time.sleep(0.02)  # the other threads call it meanwhile
        made.append(key)
        return object()

    found = in_threads(8, lambda _: make("key"))
    assert made == ["key"] and len(set(map(id, found))) == 1
    assert make("key") is found[0] and make("other") is not found[0]
    make.cache.clear()
    assert make("key") is not found[0] and make.__name__ == "make"


def test_one_entry_may_ask_for_another():
    @once
    def depth(n):
        return 0 if n == 0 else depth(n - 1) + 1

    assert depth(5) == 5


def test_what_failed_is_tried_again():
    failures = iter([OSError("full"), None])

    @once
    def load():
        error = next(failures)
        if error:
            raise error
        return "module"

    with pytest.raises(OSError, match="full"):
        load()
    assert load() == "module"
