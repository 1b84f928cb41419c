"""What is logged, all under one name, and nothing of it shown unless the program configures logging."""

from __future__ import annotations

import logging

import pytest

from frontier.runtime import cache, progress


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.DEBUG, logger="dynfrontier")
    return caplog


def test_compilation(logged):
    progress.compiling("advance of lower()")
    assert logged.record_tuples == [("dynfrontier", logging.DEBUG, "compiling advance of lower()")]


def test_a_folder_for_compiled_code_that_cannot_be_used(logged, monkeypatch, tmp_path):
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("DYNFRONTIER_CACHE_DIR", str(file / "folder"))
    used = cache.cache_directory.__wrapped__()
    assert used.is_dir() and file not in used.parents
    [(name, level, text)] = logged.record_tuples
    assert (name, level) == ("dynfrontier", logging.WARNING)
    assert str(file / "folder") in text and str(used) in text
    used.rmdir()


def test_compiled_code_that_cannot_be_kept(logged, monkeypatch, tmp_path):
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(cache, "cache_directory", lambda: file)
    assert cache.cached("folder", "o", ("parts",), lambda: b"code") == b"code"
    assert [record.levelname for record in logged.records] == ["WARNING"]


def test_nothing_is_shown_by_default():
    assert any(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("dynfrontier").handlers)
