"""A site contains several versions of the documentation, and every page links to the other ones."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from frontier.runtime.compile.disk_cache import PROJECT_ROOT

CONF = """
import sys
sys.path.insert(0, {docs!r})
import versions
project, extensions, html_theme = "dynfrontier", ["versions"], "furo"
documented = versions.Documented(*{version!r})
"""
SWITCH = """
const listeners = {{}}, options = [], label = {{hidden: true}};
const select = {{add: (option) => options.push(option), addEventListener: (name, call) => (listeners[name] = call)}};
const dataset = {{name: {name!r}, page: {page!r}, site: "../../"}};
const place = {{dataset, querySelector: (name) => (name === "select" ? select : label)}};
const document = {{querySelector: () => place}}, window = {{location: {{}}}};
function Option(text, value, initial, selected) {{ return {{text, value, selected}}; }}
{listed}
{script}
select.value = {choice!r};
listeners.change();
console.log(JSON.stringify({{options, hidden: label.hidden, href: window.location.href}}));
"""
"""The properties of a browser that the script uses."""


@pytest.fixture
def versions(monkeypatch):
    """The module that puts several versions on a site."""
    monkeypatch.syspath_prepend(str(PROJECT_ROOT / "docs"))
    import versions

    return versions


def add(versions, site, number, released=True, pages=("index.html",)):
    version = versions.Documented(number, released, "abc1234")
    for page in pages:
        (site / version.name / page).parent.mkdir(parents=True, exist_ok=True)
        (site / version.name / page).write_text(f"{number} {page}")
    versions.publish(site, version)


def listed(site):
    found = json.loads((site / "versions.json").read_text())
    script = (site / "versions.js").read_text()
    assert json.loads(re.fullmatch(r"const documentedVersions = (.*);\n", script, re.DOTALL)[1]) == found
    return found["newest"], [entry["name"] for entry in found["versions"]]


def test_the_newest_release_is_first(versions, tmp_path):
    add(versions, tmp_path, "0.10.0", released=False)
    assert listed(tmp_path) == ("development", ["development"])
    add(versions, tmp_path, "0.10.0")
    add(versions, tmp_path, "0.9.0")
    add(versions, tmp_path, "0.11.0rc1")
    assert listed(tmp_path) == ("0.10.0", ["0.10.0", "0.9.0", "0.11.0rc1", "development"])
    assert "url=0.10.0/index.html" in (tmp_path / "index.html").read_text()
    assert (tmp_path / "0.9.0" / "index.html").read_text() == "0.9.0 index.html"


def test_a_version_that_was_removed_is_no_longer_listed(versions, tmp_path):
    add(versions, tmp_path, "0.1.0")
    add(versions, tmp_path, "0.2.0")
    shutil.rmtree(tmp_path / "0.2.0")
    add(versions, tmp_path, "0.1.1")
    assert listed(tmp_path) == ("0.1.1", ["0.1.1", "0.1.0"])
    index = (tmp_path / "index.html").read_text()
    assert re.findall(r'href="([^"]+)"', index) == ["0.1.1/index.html", "0.1.0/index.html"]
    assert "Version 0.1.1, commit abc1234" in index and "http:" not in index and "https:" not in index


def test_a_release_is_a_commit_with_its_tag(versions, tmp_path, monkeypatch):
    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path, check=True)

    monkeypatch.setattr(versions, "DOCS", tmp_path / "docs")
    number = versions.dynfrontier.__version__
    assert versions.documented().text == f"Version {number}, development"
    git("init", "--quiet")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "--quiet", "-m", "one")
    assert re.fullmatch(rf"Version {re.escape(number)}, development, commit \w+", versions.documented().text)
    git("tag", f"v{number}")
    assert versions.documented().name == number
    (tmp_path / "file").write_text("two")
    assert re.fullmatch(rf"Version {re.escape(number)}, development, commit \w+, edited", versions.documented().text)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no interpreter of JavaScript")
@pytest.mark.parametrize("page, expected", [("api/io.html", "api/io.html"), ("removed.html", "index.html")])
def test_the_list_leads_to_the_same_page_if_there_is_one(versions, tmp_path, page, expected):
    add(versions, tmp_path, "0.1.0", pages=["index.html", page])
    add(versions, tmp_path, "0.2.0", pages=["index.html", "api/io.html"])
    script = (PROJECT_ROOT / "docs" / "_static" / "versions.js").read_text()
    values = {"name": "0.1.0", "page": page, "choice": "0.2.0", "script": script}
    program = SWITCH.format(listed=(tmp_path / "versions.js").read_text(), **values)
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    shown = json.loads(done.stdout)
    assert not shown["hidden"] and shown["href"] == f"../../0.2.0/{expected}"
    texts = [(option["text"], option["selected"]) for option in shown["options"]]
    assert texts == [("0.2.0 (newest)", False), ("0.1.0", True)]


@pytest.mark.skipif(not all(map(find_spec, ("sphinx", "furo"))), reason="Sphinx is not installed")
def test_pages_name_their_version_and_find_the_list(versions, tmp_path):
    source, site = tmp_path / "source", tmp_path / "site"
    (source / "api").mkdir(parents=True)
    (source / "index.rst").write_text("Start\n=====\n\n.. toctree::\n\n   api/io\n")
    (source / "api" / "io.rst").write_text("Files\n=====\n")
    for version in (versions.Documented("0.1.0", True, "abc1234"), versions.Documented("0.2.0", False)):
        (source / "conf.py").write_text(CONF.format(docs=str(PROJECT_ROOT / "docs"), version=tuple(version)))
        command = [sys.executable, "-m", "sphinx", "-q", "-W", source, site / version.name]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        versions.publish(site, version)
    for name, text in (("0.1.0", "Version 0.1.0, commit abc1234"), ("development", "Version 0.2.0, development")):
        for page in ("index.html", "api/io.html"):
            path = site / name / page
            html = path.read_text()
            assert f"<p>{text}</p>" in html
            assert (path.parent / re.search(r'data-site="([^"]+)"', html)[1]).resolve() == site
            scripts = re.findall(r'<script[^>]* src="([^"?]+)', html)
            assert site / "versions.js" in [(path.parent / script).resolve() for script in scripts]
            assert all((path.parent / script).exists() for script in scripts)
