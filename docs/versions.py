"""A Sphinx extension: every page names its version, and links to the other versions on the same site.

A site is a folder with a folder for each version. ``versions.json`` lists them. ``versions.js`` has the same for the
pages, which may not read JSON where they are opened as files. The pages of an old version so know of newer ones.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from packaging.version import Version

import dynfrontier

DOCS = Path(__file__).resolve().parent
DEVELOPMENT = "development"
INDEX = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<title>dynfrontier: versions of the documentation</title>
</head>
<body>
<h1>dynfrontier</h1>
<ul>
{links}
</ul>
</body>
</html>
"""
LINK = '<li><a href="{name}/index.html">{text}</a></li>'


class Documented(NamedTuple):
    """The version of the pages: a release, or a state of development."""

    number: str
    """The version of the package."""
    released: bool
    commit: str | None = None
    """The commit's short hash, or none outside a Git repository."""

    @property
    def name(self) -> str:
        """The name of its folder on a site."""
        return self.number if self.released else DEVELOPMENT

    @property
    def text(self) -> str:
        kind = [] if self.released else [DEVELOPMENT]
        return ", ".join([f"Version {self.number}", *kind, *([f"commit {self.commit}"] if self.commit else [])])


def documented() -> Documented:
    """The state of the checkout: a release if its commit has the tag of that version, and nothing was edited."""
    number, commit = dynfrontier.__version__, _git("rev-parse", "--short", "HEAD")
    if commit is None:
        return Documented(number, released=False)
    edited = bool(_git("status", "--porcelain", "--untracked-files=no"))
    tags = (_git("tag", "--points-at", "HEAD") or "").split()
    return Documented(number, f"v{number}" in tags and not edited, f"{commit}, edited" if edited else commit)


def _git(*arguments: str) -> str | None:
    """The output of Git for the repository that contains these pages, or None outside a repository."""
    root = DOCS.parent
    if not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def publish(site: Path, version: Documented) -> None:
    """Enter the version whose pages are in their folder of `site`, and drop versions without a folder."""
    listed = site / "versions.json"
    known = json.loads(listed.read_text(encoding="utf-8"))["versions"] if listed.exists() else []
    folder = site / version.name
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    entries = {entry["name"]: entry for entry in known if (site / entry["name"]).is_dir()}
    entries[version.name] = {"name": version.name, "text": version.text, "pages": pages}
    ordered = sorted(entries.values(), key=lambda entry: _age(entry["name"]), reverse=True)
    text = json.dumps({"newest": ordered[0]["name"], "versions": ordered}, indent=1)
    listed.write_text(text + "\n", encoding="utf-8")
    (site / "versions.js").write_text(f"const documentedVersions = {text};\n", encoding="utf-8")
    links = "\n".join(LINK.format(**entry) for entry in ordered)
    (site / "index.html").write_text(INDEX.format(newest=ordered[0]["name"], links=links), encoding="utf-8")


def _age(name: str) -> tuple[Any, ...]:
    """Sorts the newest release last. Prereleases, and the state of development, come before all releases."""
    if name == DEVELOPMENT:
        return (0,)
    number = Version(name)
    return (1 if number.is_prerelease else 2, number)


def setup(app: Any) -> dict[str, bool]:
    app.add_config_value("documented", None, "html")
    app.config.templates_path.append(str(DOCS / "_templates"))
    app.config.html_static_path.append(str(DOCS / "_static"))
    app.add_css_file("versions.css")
    app.add_js_file("../../versions.js", loading_method="defer")  # from _static to the folder above all versions
    app.add_js_file("versions.js", loading_method="defer")
    app.connect("html-page-context", _name_version)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _name_version(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    context["documented"] = app.config.documented
    context["page_file"] = f"{page}.html"
