"""ForceAtlas2: one iteration equals a direct model of all forces, and layouts show clusters."""

from __future__ import annotations

import numpy as np
import pytest
from verifiers import host

import algorithms
import frontier as fr
from algorithms.comparators import edges_of, nearness

N = 300
SLAB = fr.structures()["slab"]


@pytest.fixture
def drawn():
    """Edges, weights and positions: clusters far apart, and one vertex farther away than all of them."""
    rng = np.random.default_rng(5)
    keys = np.unique(rng.integers(0, N * N, 900))
    src, dst = keys // N, keys % N
    positions = rng.normal(size=(N, 2)) + 50 * rng.integers(0, 4, (N, 2))
    positions[7] = 1e5, -1e5
    return src[src < dst], dst[src < dst], rng.random((src < dst).sum()).astype(np.float32), positions


def model(graph, positions, *, outbound_attraction_distribution=False, lin_log_mode=False, edge_weight_influence=1.0,
          jitter_tolerance=1.0, scaling_ratio=2.0, strong_gravity_mode=False, gravity=1.0):  # fmt: skip
    """The positions after an iteration from rest, by sums over all pairs."""
    src, dst, weights = (None if part is None else host(part) for part in graph.to_coo())
    alive = np.isfinite(positions[:, 0])
    mass = np.where(alive, 1.0 + np.bincount(np.append(src, dst), minlength=len(positions)), 0)
    positions = np.nan_to_num(positions)
    apart = positions[:, None] - positions[None]
    squares = (apart**2).sum(axis=2)
    squares[squares == 0] = np.inf
    force = scaling_ratio * (apart * (mass[:, None] * mass / squares)[..., None]).sum(axis=1)
    pull = np.ones(src.size) if weights is None else weights.astype(np.float64) ** edge_weight_influence
    if outbound_attraction_distribution:
        share = mass.sum() / alive.sum() / np.maximum(mass, 1)
        pull = pull * (share[src] if graph.directed else (share[src] + share[dst]) / 2)
    along = positions[dst] - positions[src]
    if lin_log_mode:
        lengths = np.linalg.norm(along, axis=1)
        pull = pull * np.log1p(lengths) / lengths
    np.add.at(force, src, pull[:, None] * along)
    np.add.at(force, dst, -pull[:, None] * along)
    radius = 1 if strong_gravity_mode else np.maximum(np.linalg.norm(positions, axis=1, keepdims=True), 1e-300)
    force -= gravity * mass[:, None] * positions / radius
    swing = mass * np.linalg.norm(force, axis=1)
    traction = swing.sum() / 2
    jitter = 0.05 * alive.sum() ** 0.5
    jitter = jitter_tolerance * max(jitter**0.5, min(10, jitter * traction / alive.sum() ** 2))
    speed = 1 + min(jitter * traction / swing.sum() - 1, 0.5)
    return np.where(alive[:, None], positions + force * (speed / (1 + np.sqrt(speed * swing)))[:, None], np.nan)


def moved(graph, positions, **options):
    found = algorithms.force_atlas2(graph, max_iter=1, positions=positions, **options)
    return host(found.positions)


OPTIONS = (
    {}, {"outbound_attraction_distribution": True, "scaling_ratio": 5}, {"edge_weight_influence": 0.5, "gravity": 0},
    {"lin_log_mode": True, "strong_gravity_mode": True, "jitter_tolerance": 0.1},
)  # fmt: skip


def test_an_iteration_follows_the_model(drawn, device):
    """Exactly where nothing is approximated, and else within 2 %. Directed graphs have some edges both ways."""
    src, dst, weights, positions = drawn
    back = np.append(src, dst[:9]), np.append(dst, src[:9]), np.append(weights, weights[:9] + 1)
    for directed, edges in ((False, (src, dst, weights)), (True, back)):
        graph = SLAB.from_edges(*edges, num_vertices=N, directed=directed, device=device)
        graph.delete_vertices([0, 9, N - 1])
        positions[[0, 9, N - 1]] = np.nan  # ignored
        for options in OPTIONS:
            expected = model(graph, positions, **options)
            steps = np.nan_to_num(expected - positions)
            for theta, bound in ((0, 1e-9), (1.8, 0.02)):
                found = moved(graph, positions, barnes_hut_theta=theta, **options)
                assert np.linalg.norm(np.nan_to_num(found - expected)) <= bound * np.linalg.norm(steps)
        assert (np.isnan(found) == np.isnan(positions)).all()


def test_forces_add_up_to_gravity(drawn, device):
    """Without gravity the center stays where it is: forces between pairs cancel out. Slow vertices follow them."""
    src, dst, weights, positions = drawn
    graph = SLAB.from_edges(src, dst, weights, num_vertices=N, device=device)
    positions = positions % 7
    for distributed in (False, True):
        options = {"outbound_attraction_distribution": distributed, "jitter_tolerance": 1e-12, "barnes_hut_theta": 0}
        step = moved(graph, positions, gravity=0, **options) - positions
        assert 0 < np.abs(step.sum(axis=0)).max() < 1e-3 * np.abs(step).sum()


def test_repulsion_is_near_the_exact_one(device):
    """The bound that the documentation states, where vertices are spread evenly, crowded, or on a line."""
    rng = np.random.default_rng(2)
    n = 3000
    even = rng.random((n, 2))
    graph = SLAB.from_edges(np.zeros(n // 2, int), np.arange(1, n // 2 + 1), num_vertices=n, device=device)  # a hub
    crowded, line, heavy_tailed = even**8 * 1e4, even * [1, 0], rng.standard_cauchy((n, 2))
    for positions, bound in ((even - 0.5, 0.01), (crowded, 0.01), (heavy_tailed, 0.01), (line, 0.05)):
        exact, near = (
            moved(graph, positions, barnes_hut_theta=theta, gravity=0, edge_weight_influence=0) - positions
            for theta in (0, 1.8)
        )
        assert np.linalg.norm(exact - near) <= bound * np.linalg.norm(exact)


def test_layouts(device):
    """Cliques joined by an edge are apart. On a CPU, layouts depend on the seed alone, and not on the structure."""
    src, dst = np.triu_indices(12, 1)
    src, dst = np.append(src, [*(src + 12), 0]), np.append(dst, [*(dst + 12), 12])
    graph = SLAB.from_edges(src, dst, num_vertices=26, device=device)  # two are isolated
    found = algorithms.force_atlas2(graph, max_iter=200, seed=3)
    left, right = host(found.positions)[:24].reshape(2, 12, 2)
    apart = np.linalg.norm(left.mean(0) - right.mean(0))
    assert max(np.linalg.norm(side - side.mean(0), axis=1).max() for side in (left, right)) < apart / 2
    assert np.isfinite(host(found.positions)).all()
    first = algorithms.force_atlas2(graph, seed=3)
    again, other = (host(algorithms.force_atlas2(graph, seed=seed).x) for seed in (3, 4))
    assert (host(first.x) != other).all()
    if device == "cpu":
        assert (first.x == again).all() and (first.x == algorithms.force_atlas2(graph.to_csr(), seed=3).x).all()
    assert list(found.to_dataframe().columns) == ["vertex", "x", "y"]
    assert np.allclose(host(first.positions)[:, 1], host(first.y))


def test_adversarial_graphs(device):
    """No vertices, one, none left, equal positions, and stars. Isolated vertices, and self-loops that are dropped."""
    empty = SLAB.from_edges([], [], num_vertices=0, device=device)
    assert algorithms.force_atlas2(empty).positions.shape == (0, 2)
    for n, edges in ((1, ([0], [0])), (2, ([0], [1])), (5, ([], [])), (300, (np.zeros(299, int), np.arange(1, 300)))):
        graph = SLAB.from_edges(*edges, num_vertices=n, device=device)
        for positions in (None, np.ones((n, 2)), np.zeros((n, 2)), np.eye(n, 2) * 1e-60):
            found = host(algorithms.force_atlas2(graph, max_iter=20, positions=positions).positions)
            assert np.isfinite(found).all()
        graph.delete_vertices(range(n))
        assert np.isnan(host(algorithms.force_atlas2(graph).positions)).all()
    graph = SLAB.from_edges([0, 1], [1, 0], np.ones(2, np.float32), num_vertices=2, multi_edges="all", device=device)
    assert np.isfinite(host(algorithms.force_atlas2(graph).positions)).all()


def test_wrong_arguments_are_named():
    graph = SLAB.from_edges([0, 1], [1, 2], np.ones(2, np.float32), device="cpu")
    with pytest.raises(TypeError, match="graph must be a Graph"):
        algorithms.force_atlas2([])
    for name, values in {
        "max_iter": (0, 0.5), "seed": (0.5,), "gravity": (-1, np.inf, "a"), "scaling_ratio": (np.nan,),
        "barnes_hut_theta": (-1,), "jitter_tolerance": (None,), "edge_weight_influence": (-1,), "lin_log_mode": (1,),
        "strong_gravity_mode": (0,), "outbound_attraction_distribution": ("no",),
        "positions": (np.zeros((2, 2)), np.full((3, 2), np.nan)),
    }.items():  # fmt: skip
        for value in values:
            with pytest.raises((TypeError, ValueError), match=name):
                algorithms.force_atlas2(graph, **{name: value})
    for weight in (-1, np.inf):
        graph.insert_edges([0], [2], [weight])
        with pytest.raises(ValueError, match="weights that are finite and not negative"):
            algorithms.force_atlas2(graph)


@pytest.mark.slow
def test_layouts_are_as_good_as_networkxs():
    """Neighbors are nearer than other pairs, compared with NetworkX's layouts of the same graphs."""
    networkx = pytest.importorskip("networkx")
    for theirs in (networkx.karate_club_graph(), networkx.grid_2d_graph(12, 12), networkx.caveman_graph(9, 8)):
        theirs = networkx.convert_node_labels_to_integers(theirs)
        graph, _ = fr.interchange.from_networkx(theirs, structure="slab", device="cpu")
        edges = edges_of(graph)
        ours = nearness(edges, *(host(axis) for axis in algorithms.force_atlas2(graph).positions.T))
        positions = networkx.forceatlas2_layout(theirs, seed=0)
        assert ours > nearness(edges, *np.array([positions[v] for v in range(len(theirs))]).T) - 0.02
