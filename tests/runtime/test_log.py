"""Log entries, all under one name, which are shown only if the program configures logging."""

from __future__ import annotations

import logging
import tempfile

import pytest

from frontier.runtime.compile import disk_cache, progress


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.DEBUG, logger="dynfrontier")
    return caplog


def test_compilation(logged):
    progress.compiling("advance of lower()")
    assert logged.record_tuples == [("dynfrontier", logging.DEBUG, "compiling advance of lower()")]


def test_a_folder_for_compiled_code_that_cannot_be_used(logged, monkeypatch, tmp_path):
    """It is logged once, and no other folder replaces it."""
    file, elsewhere = tmp_path / "file", tmp_path / "temporary"
    file.touch()
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    monkeypatch.setenv("DYNFRONTIER_CACHE_DIR", str(file / "folder"))
    used = disk_cache.cache_directory.__wrapped__()
    monkeypatch.setattr(disk_cache, "cache_directory", lambda: used)
    for part in ("one", "other"):
        assert disk_cache.cached("folder", "o", (part,), lambda: b"code") == b"code"
    [(name, level, text)] = logged.record_tuples
    assert (name, level) == ("dynfrontier", logging.WARNING)
    assert str(file / "folder") in text and "Not a directory" in text
    assert not list(elsewhere.iterdir())


def test_nothing_is_shown_by_default():
    assert any(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("dynfrontier").handlers)
