"""The displays of `dynfrontier stream`: the live view and the page, made of invented batches."""

from __future__ import annotations

import io
import shutil
import subprocess
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from dynfrontier.job import Applied
from dynfrontier.live import REFRESHES, LiveView, can_show_live, live_view
from dynfrontier.report import checked, make_report
from dynfrontier.text import sparkline

PLACE = {
    "date": "2026-01-02T03:04:05+00:00",
    "machine": {"cpu": "A <fast> CPU", "cores": 2},
    "versions": {"python": "3.11.0", "numpy": "2.0.0"},
}
HOSTILE = "<script>alert(1)</script><img src=x onerror='alert(2)'>&amp;\"$stream${totals}\udc80.txt"
VOID = {"meta", "link", "img", "br", "input"}
PLOTS = 6


def made_up_steps(batches, slow=()):
    """Batches whose count rises and then stays. The batches named in `slow` are slow."""
    rng = np.random.default_rng(1)
    edges = np.minimum(np.arange(1, batches + 1) * 90, 5000)
    return [
        Applied(100, 1, 90, 90 if edges[k] == 5000 else 0, 0, int(edges[k]), int(edges[k]) ** 2 // 1000,
                (0.5 if k in slow else 0.002) * rng.uniform(0.8, 1.2), 0.004 * rng.uniform(0.8, 1.2))
        for k in range(batches)
    ]  # fmt: skip


def made_up_report(steps, name="stream.txt", window=0, verified=True, interrupted=False):
    setting = {"structure": "slab", "device": "cpu", "stream": name, "batch_size": 100, "window": window,
               "analytic": "triangle_count", "counted": "triangle"}  # fmt: skip
    graph = SimpleNamespace(
        memory_usage=lambda: SimpleNamespace(used=1000, csr=800), num_edges=steps[-1].edges if steps else 0,
        num_vertices=3, degrees=lambda: np.array([1, 1, 0]),
    )  # fmt: skip
    return checked(make_report(setting, steps, graph, 0.5, interrupted), verified, None if interrupted else 0.1)


# ---- sparklines -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "floor", "line"),
    [
        ([], None, ""),
        ([3], None, "▄"),
        ([3], 0, "█"),
        ([0, 0, 0], 0, "▁▁▁"),
        ([7, 7, 7], None, "▄▄▄"),
        (range(8), None, "▁▂▃▄▅▆▇█"),
        ([4, 8], 0, "▅█"),
        ([4, 8], None, "▁█"),
        ([np.nan, 0, np.nan, 1], None, " ▁ █"),
        ([np.nan, np.nan], None, "  "),
        ([1, np.inf, 2, -np.inf], None, "▁ █ "),
        ([-5, 5], 0, "▁█"),
    ],
)
def test_sparkline(values, floor, line):
    assert sparkline(values, floor) == line


# ---- the live view --------------------------------------------------------------------------------------------------


def terminal(width=120):
    return Console(file=io.StringIO(), force_terminal=True, width=width, record=True, legacy_windows=False)


def shown(view, width=120):
    console = terminal(width)
    console.print(view)
    return console.export_text()


def test_live_view():
    steps = made_up_steps(60)
    view = LiveView(100, "triangle", window=20, memory=lambda: 3 << 20)
    for step in steps:
        view.step(step)
    text = shown(view)
    names = ("triangles", "edges ", "update time", "count time", "edges/s", "memory", "batches in")
    lines = {name: next(line for line in text.splitlines() if name in line) for name in names}
    assert f"{steps[-1].count:,}" in lines["triangles"] and "▁" in lines["triangles"] and "█" in lines["triangles"]
    assert "window 20/20 batches" in lines["edges "] and "+90 -90" in lines["edges "] and "5,000" in lines["edges "]
    assert "P50" in lines["update time"] and "P99" in lines["count time"]
    assert "3.0 MiB" in lines["memory"] and "60/100 batches in" in lines["batches in"]
    # 48 columns stand for 100 batches.
    assert sum(mark in "▁▂▃▄▅▆▇█" for mark in lines["update time"]) == 59 * 48 // 100 + 1


@pytest.mark.parametrize("batches", [0, 1])
def test_live_view_before_and_after_the_only_batch(batches):
    view = LiveView(batches, "component")
    assert "components" in shown(view) and "0/" in shown(view)
    for step in made_up_steps(batches):
        view.step(step)
    assert f"{batches}/{batches} batch" in shown(view)


def test_live_view_of_edges_alone():
    view = LiveView(5, None)
    view.step(made_up_steps(1)[0])
    assert "update time" in shown(view) and "count" not in shown(view)


def test_live_view_fits_the_terminal():
    console = terminal(width=70)
    with live_view(500, "triangle", 0, lambda: 10**9, console) as view:
        for step in made_up_steps(500):
            view.step(step)
    text = console.export_text().replace("╭", "\n╭")  # frames are drawn over each other
    assert "edges/s" in text and max(map(len, text.splitlines())) <= 70


def test_live_view_shows_what_it_waits_for():
    view = LiveView(5, "triangle")
    view.message("compiling [red]x[/red]")
    assert "compiling [red]x[/red]" in shown(view)
    view.step(made_up_steps(1)[0])
    assert "compiling" not in shown(view)


def test_live_view_stays_and_gives_the_cursor_back():
    console = terminal()
    with pytest.raises(KeyboardInterrupt), live_view(3, "triangle", 0, lambda: 1, console) as view:
        for step in made_up_steps(2):
            view.step(step)
        raise KeyboardInterrupt
    written = console.file.getvalue()
    assert written.rindex("\x1b[?25h") > written.rindex("\x1b[?25l")
    assert "2/3 batches" in written[written.rindex("╭") :]


@pytest.mark.parametrize(("cost", "most"), [(0.0, 10 * REFRESHES + 1), (0.01, 10)])
def test_refreshes_are_few(monkeypatch, cost, most):
    """Ten seconds of batches of a millisecond each, with refreshes of the given cost."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr("dynfrontier.live.time.perf_counter", lambda: now.seconds)
    drawn = []

    def refresh():
        drawn.append(now.seconds)
        now.seconds += cost

    view = LiveView(10_000, "triangle")
    view.live = SimpleNamespace(refresh=refresh)
    step = made_up_steps(1)[0]
    for _ in range(10_000):
        now.seconds += 0.001
        view.step(step)
    assert 5 <= len(drawn) <= most
    assert sum(cost for _ in drawn) < 0.01 * now.seconds


def test_where_there_is_no_live_view(monkeypatch):
    assert can_show_live(Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "xterm"}))
    assert not can_show_live(Console(file=io.StringIO(), _environ={"TERM": "xterm"}))
    assert not can_show_live(Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "dumb"}))
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert not can_show_live(Console(file=ascii_only, force_terminal=True, _environ={"TERM": "xterm"}))


# ---- the page -------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The text and the elements of a page, with matching end tags."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def text_of(self, tag):
        return " ".join(" ".join(self.texts.get(tag, ())).split())


def render(*args, outcome="1 triangle, verified: SciPy counts the same", **options):
    pytest.importorskip("matplotlib")
    from dynfrontier.page.write import render_page

    return render_page(made_up_report(*args, **options), PLACE, outcome)


def check_self_contained(text):
    """Nothing is loaded, nothing is run, and every reference within the page resolves exactly once."""
    page = Page(text)
    assert not page.all("script") and not page.all("img") and "://" not in text and "@import" not in text
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") for name in attributes), tag
        for name in ("href", "src", "xlink:href"):
            target = attributes.get(name, "data:,")
            assert target == "data:," or (target.startswith("#") and target[1:] in ids), (tag, target)
        for value in attributes.values():
            if "url(" in (value or ""):
                assert value.removeprefix("url(#").removesuffix(")") in ids, (tag, value)
    return page


@pytest.fixture(scope="module")
def text():
    """A page as it usually is."""
    return render(made_up_steps(40), window=7)


def test_page(text):
    page = check_self_contained(text)
    assert len(page.all("svg")) == len(page.all("figure")) == PLOTS
    for figure in page.all("svg"):
        assert set(figure) == {"viewbox", "aria-hidden"}
    rows = page.text_of("th") + page.text_of("td")
    for said in ("records", "4,000", "Slow", "slab", "CPU", "7 batches", "A <fast> CPU, 2 cores", "P99", "2026-01-02"):
        assert said in rows + page.text_of("h2"), said
    assert "last 7 batches" in page.text_of("b")
    assert "window is full" in page.text_of("text") and "P50" in page.text_of("text")
    assert "verified: SciPy" in page.text_of("p") and "triangles of stream.txt" in page.text_of("title")
    assert "prefers-color-scheme: dark" in text and "#f1d20" not in text


def test_page_escapes_names():
    page = check_self_contained(render(made_up_steps(2), HOSTILE, outcome=f"not verified: {HOSTILE}", verified=False))
    shown = HOSTILE.replace("\udc80", "\\udc80")
    assert page.text_of("bdi") == shown and shown in page.text_of("title") and shown in page.text_of("p")
    assert page.text_of("td").count(shown) == 1


@pytest.mark.parametrize("batches", [0, 1])
def test_page_of_few_batches(batches):
    page = check_self_contained(render(made_up_steps(batches), verified=None, interrupted=True))
    assert len(page.all("svg")) == (PLOTS if batches else 0)
    assert ("No batch was done" in page.text_of("p")) == (not batches)


def test_page_of_zeros():
    steps = [Applied(0, 0, 0, 0, 0, 0, 0, 0.0, 0.0)] * 3
    assert len(check_self_contained(render(steps)).all("svg")) == PLOTS


def test_page_of_many_batches_is_small():
    text = render(made_up_steps(20_000, slow=[15_000]), window=100)
    assert len(text) < 400_000
    assert "15,001" in check_self_contained(text).text_of("th")  # the slowest batch


def test_page_is_the_same_whatever_the_style_of_the_user(text):
    matplotlib = pytest.importorskip("matplotlib")
    with matplotlib.rc_context({"text.usetex": True, "axes.facecolor": "red", "font.size": 30, "svg.fonttype": "path"}):
        assert render(made_up_steps(40), window=7) == text
        assert matplotlib.rcParams["font.size"] == 30


def test_page_in_a_browser(text, tmp_path):
    """Chromium draws all of it, in both color schemes, and has nothing to complain about."""
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("there is no chromium")
    path = tmp_path / "report.html"
    path.write_text(text)
    image = pytest.importorskip("matplotlib.image")
    backgrounds = []
    for scheme in ("light", "dark"):
        picture = tmp_path / f"{scheme}.png"
        options = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=3000",
            f"--user-data-dir={tmp_path / scheme}", "--enable-logging=stderr", "--window-size=1300,1600",
            f"--blink-settings=preferredColorScheme={int(scheme == 'light')}", "--dump-dom", f"--screenshot={picture}",
        ]  # fmt: skip
        done = subprocess.run([browser, *options, path.as_uri()], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "CONSOLE" not in done.stderr, done.stderr
        assert len(Page(done.stdout).all("svg")) == PLOTS
        pixels = image.imread(picture)
        backgrounds.append(float(pixels[0, 0, :3].mean()))
        assert len(np.unique(pixels[::2, ::2, 2])) > 100  # plots, and text with smooth edges
    assert backgrounds[0] > 0.9 and backgrounds[1] < 0.2
