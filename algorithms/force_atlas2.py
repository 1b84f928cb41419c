"""ForceAtlas2: positions of vertices in a plane, found by simulating forces.

All vertices repel each other, neighbors attract each other, and gravity pulls to the origin. Vertices follow their
forces. A vertex slows down while it swings, that is, while its force turns. All speed up or slow down with the ratio of
total traction, the lasting component of forces, to total swing.

Repulsion in a plane, mass divided by distance, has a complex form. The force on a vertex at z is the conjugate of the
field, the sum of mass / (z - position). Vertices are sorted along a Hilbert curve, so ranges of them are compact. The
leaves of a complete binary tree contain `LEAF` vertices each. A leaf adds up the fields of far nodes as a polynomial
around its center, one term for all of its vertices. It opens near nodes, down to leaves, whose vertices push one by
one. Nodes that are smaller than the leaf push each of its vertices separately.

    position[v]    x and y
    order[i]       the i-th vertex along the curve. bodies[:, i] is its x, y and mass, and
                   the field there
    nodes[i]       the vertices below node i: their mass, center, radius around the center,
                   second moment, which is the sum of mass * (position - center)^2, and
                   lowest and highest x and y. Node 1 is the root. Nodes 2i and 2i + 1 are
                   the children of i
    pulled[v]      the attraction of v by its neighbors
    force[v]       the force on v. before[v] is the force in the last iteration
    speed          the speed of all vertices, and its efficiency, which falls while they
                   swing
    unrest         swing and traction of all vertices

Jacomy, Venturini, Heymann and Bastian, "ForceAtlas2, a Continuous Graph Layout Algorithm for Handy Network
Visualization Designed for the Gephi Software", PLoS ONE 2014; Barnes and Hut, "A Hierarchical O(N log N)
Force-Calculation Algorithm", Nature 1986; Greengard and Rokhlin, "A Fast Algorithm for Particle Simulations", J.
Comput. Phys. 1987.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import frontier as fr

from ._edge_sums import graph_of_sums
from .result import Result

LEAF = 4
"""Vertices of a leaf."""
TINY = 1e-100
"""The largest square of a distance at which vertices do not repel each other: forces stay finite."""
SIDE = 200.0
"""The side of the square around the origin that initial positions are drawn from, as in cuGraph."""
BITS = 31
"""Bits of a coordinate on the Hilbert curve."""
MASS, X, Y, RADIUS, MOMENT_X, MOMENT_Y, LEFT, RIGHT, LOW, HIGH, NODE = range(11)
FIELD_X, FIELD_Y = 3, 4
SPEED, EFFICIENCY = range(2)
SWING, TRACTION = range(2)
MIN_EFFICIENCY, MAX_SPEED, MAX_JITTER, MAX_RISE = 0.05, 1000.0, 10.0, 0.5
"""Constants of Gephi's implementation."""


@dataclass(frozen=True, repr=False)
class ForceAtlas2Result(Result):
    """Result of `force_atlas2`.

    Attributes
    ----------
    x, y : array of float64, shape (num_vertices,)
        On the graph's device. Deleted vertices have NaN.

    See Also
    --------
    force_atlas2 : Computes it.
    """

    x: Any
    y: Any

    @property
    def positions(self) -> Any:
        """Both coordinates: a new array of float64 of shape (num_vertices, 2)."""
        return np.stack((self.x, self.y), axis=1)  # CuPy's for its arrays


@fr.advanced.reads
def force_atlas2(
    graph: fr.Graph, *, max_iter: int = 100, positions: Any = None, outbound_attraction_distribution: bool = False,
    lin_log_mode: bool = False, edge_weight_influence: float = 1.0, jitter_tolerance: float = 1.0,
    barnes_hut_theta: float = 1.8, scaling_ratio: float = 2.0, strong_gravity_mode: bool = False, gravity: float = 1.0,
    seed: int = 0,
) -> ForceAtlas2Result:  # fmt: skip
    """Positions of vertices in a plane, by the layout ForceAtlas2.

    The mass of a vertex is its number of edges plus 1.

    Parameters
    ----------
    graph : Graph
        Edges of a directed graph attract both ends. Weights must not be negative.
    max_iter : int
        Number of iterations.
    positions : array-like of numbers, shape (num_vertices, 2), optional
        Initial positions, by default random ones. Entries of deleted vertices are ignored.
    outbound_attraction_distribution : bool
        Divide the attraction of an edge by the mass of its source, relative to the mean mass. Hubs move to the outside.
        In an undirected graph each end is the source for half the attraction.
    lin_log_mode : bool
        Attraction grows with the logarithm of 1 + distance instead of the distance. Clusters are tighter.
    edge_weight_influence : float
        Exponent of weights. Attraction is in proportion to the power. 0 ignores weights.
    jitter_tolerance : float
        With higher values vertices move faster, and swing more.
    barnes_hut_theta : float
        A group of vertices pushes another group as a whole if the sum of their diameters is below this multiple of
        their distance. Lower values are slower and more precise. With 0 repulsion is exact, in O(V^2) work.
    scaling_ratio : float
        Factor of repulsion. Higher values make layouts larger.
    strong_gravity_mode : bool
        Gravity grows with the distance from the origin.
    gravity : float
        Factor of gravity, which prevents components from drifting apart.
    seed : int
        Initial positions depend only on it.

    Raises
    ------
    TypeError, ValueError
        An argument is invalid, or a weight is negative or infinite.
    NotImplementedError
        The graph is distributed.

    See Also
    --------
    ego_graph : The surroundings of vertices in a large graph, to draw them.

    Notes
    -----
    O(V log V + E) work per iteration, for a sort and a tree, and O(V + E) memory, as edges are copied. By default the
    error of repulsion is about 1 %. Vertices at the same position do not repel each other. Layouts are the same in
    each run on a CPU. On a GPU, attraction may differ in its last digits, and differences grow with each iteration.

    Examples
    --------
    >>> from algorithms import force_atlas2
    >>> from structures import CSR
    >>> path = CSR.from_edges([0, 1, 2], [1, 2, 3], device="cpu")
    >>> force_atlas2(path, positions=[[-3, 0], [-1, 0], [1, 0], [3, 0]]).x.round(2)
    array([-5.52, -1.88,  1.88,  5.52])
    """
    check = fr.advanced.arguments
    check.check_graph(graph)
    check.check_one_device(graph, "force_atlas2")
    max_iter, seed = check.integer(max_iter, "max_iter", 1), check.integer(seed, "seed")
    check.flag(outbound_attraction_distribution, "outbound_attraction_distribution")
    numbers = {
        "edge_weight_influence": edge_weight_influence, "jitter_tolerance": jitter_tolerance,
        "barnes_hut_theta": barnes_hut_theta, "scaling_ratio": scaling_ratio, "gravity": gravity,
    }  # fmt: skip
    for name, value in numbers.items():
        if not 0 <= check.number(value, name) < np.inf:
            raise ValueError(f"{name} must be finite and not negative, got {value}")
    by_logarithm = np.bool_(check.flag(lin_log_mode, "lin_log_mode"))
    strong = np.bool_(check.flag(strong_gravity_mode, "strong_gravity_mode"))
    exists = fr.Frontier.all(graph)
    xp, size, count = graph.xp, graph.num_vertices, len(exists)
    position = _initial(graph, positions, seed)
    if not count:
        return _result(position, exists)
    springs, mass = _springs(graph, exists, float(edge_weight_influence), outbound_attraction_distribution)
    everyone = fr.Frontier.all(springs)  # deleted vertices have no mass
    leaves = -(-size // LEAF)
    first = 1 << (leaves - 1).bit_length()
    tree = fr.advanced.csr_structure()(2 * first, device=graph.device)
    outer = fr.Frontier(tree, range(first, first + leaves))
    levels = [
        fr.Frontier(tree, range(start, 2 * start)) for start in (first >> i + 1 for i in range(first.bit_length() - 1))
    ]
    nodes = xp.zeros((2 * first, NODE))
    nodes[:, LEFT::2], nodes[:, RIGHT::2] = np.inf, -np.inf  # and LOW, and HIGH
    bodies, pulled, force, before = xp.empty((5, size)), *(xp.zeros((size, 2)) for _ in range(3))
    ids, keys, box = everyone.vertices, xp.empty(size, np.int64), xp.empty(4)
    order = xp.empty_like(ids)
    speed, unrest, one = xp.ones(2), xp.empty(2), fr.Frontier(tree, [0])

    def follow_curve() -> None:
        fr.reduce(everyone, _extent, position, reduce="min", columns=4, out=box)
        fr.compute(everyone, _key, position, box, keys)

    def step() -> None:
        fr.compute(outer, _gather, first, size, order, position, mass, bodies, nodes)
        for level in levels:
            fr.compute(level, _join, nodes)
        fr.compute(outer, _repel, first, size, float(barnes_hut_theta) ** 2, bodies, nodes)
        fr.neighbor_reduce(springs, everyone, _pull, by_logarithm, position, columns=2, out=pulled)
        factors = float(scaling_ratio), float(gravity), strong
        fr.compute(everyone, _force, order, bodies, pulled, *factors, force)
        fr.reduce(everyone, _unrest, mass, force, before, columns=2, out=unrest)
        fr.compute(one, _adapt, float(count), float(jitter_tolerance), unrest, speed)
        fr.compute(everyone, _move, mass, speed, force, before, position)

    follow_curve, step = fr.capture(springs, follow_curve), fr.capture(springs, step)
    for _ in range(max_iter):
        follow_curve()
        order[:] = fr.advanced.keys.sort(springs, keys, ids)[1]
        step()
    return _result(position, exists)


def _initial(graph: fr.Graph, positions: Any, seed: int) -> Any:
    """A new array of the given positions, or of random ones, on the graph's device."""
    shape = (graph.num_vertices, 2)
    if positions is None:
        positions = SIDE * (np.random.default_rng(seed & (2**64 - 1)).random(shape) - 0.5)
    found = graph.xp.array(positions, np.float64, order="C")
    if found.shape != shape:
        raise ValueError(f"positions must have shape {shape}, not {found.shape}")
    found[~fr.Frontier.all(graph).mask] = 0
    if not bool(graph.xp.isfinite(found).all()):
        raise ValueError("positions must be finite")
    return found


def _springs(graph: fr.Graph, exists: fr.Frontier, influence: float, distributed: bool) -> tuple[fr.Graph, Any]:
    """An undirected graph of the edges, weighted by their attraction, and the masses of vertices, 0 if deleted."""
    xp = graph.xp
    src, dst, weights = graph.to_coo()
    if weights is not None and weights.size and not 0 <= float(weights.min()) <= float(weights.max()) < np.inf:
        raise ValueError("force_atlas2 needs weights that are finite and not negative")
    degrees = xp.bincount(xp.concatenate((src, dst)), minlength=graph.num_vertices)
    mass = (degrees + 1.0) * exists.mask
    strength = xp.ones(src.size) if weights is None else weights.astype(np.float64) ** influence
    if distributed:
        share = float(mass.sum()) / len(exists) / xp.maximum(mass, 1)
        strength *= share[src] if graph.directed else (share[src] + share[dst]) / 2
    return graph_of_sums(graph, graph.num_vertices, src, dst, strength), mass


def _result(position: Any, exists: fr.Frontier) -> ForceAtlas2Result:
    position[~exists.mask] = np.nan
    return ForceAtlas2Result(position[:, 0].copy(), position[:, 1].copy())


# ---- functors -------------------------------------------------------------------------------------------------------


def _extent(v, column, position):
    """The lowest of x, y, -x and -y bound all positions."""
    return position[v, column] if column < 2 else -position[v, column - 2]


def _key(v, position, box, keys):
    """The position of v along a Hilbert curve through the square around all vertices."""
    side = max(-box[2] - box[0], -box[3] - box[1])
    scale = ((1 << BITS) - 1) / side if side > 0 else 0.0
    x = int((position[v, 0] - box[0]) * scale)
    y = int((position[v, 1] - box[1]) * scale)
    key = 0
    for i in range(BITS):
        right = x >> BITS - 1 - i & 1
        high = y >> BITS - 1 - i & 1
        key = key << 2 | (3 * right ^ high)
        turned = high - 1  # all bits if the curve in this quadrant is turned, else none
        flipped = turned & -right
        x ^= flipped
        y ^= flipped
        swapped = (x ^ y) & turned
        x ^= swapped
        y ^= swapped
    keys[v] = key


def _gather(node, first, size, order, position, mass, bodies, nodes):
    """Copy the vertices of a leaf in order, and sum them up."""
    begin = (node - first) * LEAF
    end = min(begin + LEAF, size)
    total = 0.0
    x = 0.0
    y = 0.0
    left = math.inf
    low = math.inf
    right = -math.inf
    high = -math.inf
    for i in range(begin, end):
        v = order[i]
        bodies[0, i] = position[v, 0]
        bodies[1, i] = position[v, 1]
        bodies[2, i] = mass[v]
        total += mass[v]
        x += mass[v] * position[v, 0]
        y += mass[v] * position[v, 1]
        left = min(left, position[v, 0])
        right = max(right, position[v, 0])
        low = min(low, position[v, 1])
        high = max(high, position[v, 1])
    nodes[node, LEFT] = left
    nodes[node, RIGHT] = right
    nodes[node, LOW] = low
    nodes[node, HIGH] = high
    _enclose(node, total, x, y, nodes)
    a = 0.0
    b = 0.0
    for i in range(begin, end):
        dx = bodies[0, i] - nodes[node, X]
        dy = bodies[1, i] - nodes[node, Y]
        a += bodies[2, i] * (dx * dx - dy * dy)
        b += 2 * bodies[2, i] * dx * dy
    nodes[node, MOMENT_X] = a
    nodes[node, MOMENT_Y] = b


def _join(node, nodes):
    """Sum up the children of a node."""
    a = 2 * node
    b = a + 1
    nodes[node, LEFT] = min(nodes[a, LEFT], nodes[b, LEFT])
    nodes[node, RIGHT] = max(nodes[a, RIGHT], nodes[b, RIGHT])
    nodes[node, LOW] = min(nodes[a, LOW], nodes[b, LOW])
    nodes[node, HIGH] = max(nodes[a, HIGH], nodes[b, HIGH])
    x = nodes[a, MASS] * nodes[a, X] + nodes[b, MASS] * nodes[b, X]
    y = nodes[a, MASS] * nodes[a, Y] + nodes[b, MASS] * nodes[b, Y]
    _enclose(node, nodes[a, MASS] + nodes[b, MASS], x, y, nodes)
    nodes[node, MOMENT_X] = 0.0
    nodes[node, MOMENT_Y] = 0.0
    for child in range(a, b + 1):
        dx = nodes[child, X] - nodes[node, X]
        dy = nodes[child, Y] - nodes[node, Y]
        nodes[node, MOMENT_X] += nodes[child, MOMENT_X] + nodes[child, MASS] * (dx * dx - dy * dy)
        nodes[node, MOMENT_Y] += nodes[child, MOMENT_Y] + 2 * nodes[child, MASS] * dx * dy


def _enclose(node, total, x, y, nodes):
    """Set the mass, center and radius of a node, whose box is known."""
    left, right = nodes[node, LEFT], nodes[node, RIGHT]
    low, high = nodes[node, LOW], nodes[node, HIGH]
    nodes[node, MASS] = total
    nodes[node, X] = min(max(x / total, left), right) if total > 0 else 0.0  # despite rounding
    nodes[node, Y] = min(max(y / total, low), high) if total > 0 else 0.0
    dx = max(right - nodes[node, X], nodes[node, X] - left)
    dy = max(high - nodes[node, Y], nodes[node, Y] - low)
    nodes[node, RADIUS] = math.sqrt(dx * dx + dy * dy) if total > 0 else 0.0


def _repel(leaf, first, size, theta, bodies, nodes):
    """The field at the vertices of a leaf."""
    begin = (leaf - first) * LEAF
    end = min(begin + LEAF, size)
    for i in range(begin, end):
        bodies[FIELD_X, i] = 0.0
        bodies[FIELD_Y, i] = 0.0
    ax = 0.0  # a + b z + c z^2 is the field of far nodes at z from the center
    ay = 0.0
    bx = 0.0
    by = 0.0
    cx = 0.0
    cy = 0.0
    x = nodes[leaf, X]
    y = nodes[leaf, Y]
    radius = nodes[leaf, RADIUS]
    node = 1
    while node:
        dx = x - nodes[node, X]
        dy = y - nodes[node, Y]
        width = 2 * (radius + nodes[node, RADIUS])
        square = dx * dx + dy * dy
        if width * width < theta * square:
            mass = nodes[node, MASS]
            px, py = dx / square, -dy / square
            qx, qy = _times(px, py, px, py)
            rx, ry = _times(px, py, qx, qy)
            mx, my = _times(nodes[node, MOMENT_X], nodes[node, MOMENT_Y], rx, ry)
            nx, ny = _times(mx, my, px, py)
            ax += mass * px + mx
            ay += mass * py + my
            bx -= mass * qx + 3 * nx
            by -= mass * qy + 3 * ny
            cx += mass * rx
            cy += mass * ry
        elif width == 0 and square == 0:
            pass  # all are at the same position
        elif node >= first:
            for j in range((node - first) * LEAF, min((node - first + 1) * LEAF, size)):
                for i in range(begin, end):
                    px, py = _push(bodies[0, i] - bodies[0, j], bodies[1, i] - bodies[1, j], bodies[2, j])
                    bodies[FIELD_X, i] += px
                    bodies[FIELD_Y, i] += py
        elif nodes[node, RADIUS] < radius:
            for i in range(begin, end):
                px, py = _field(bodies[0, i], bodies[1, i], node, first, size, theta, bodies, nodes)
                bodies[FIELD_X, i] += px
                bodies[FIELD_Y, i] += py
        else:
            node = 2 * node
            continue
        node = _after(node, 1)
    for i in range(begin, end):
        dx = bodies[0, i] - x
        dy = bodies[1, i] - y
        px, py = _times(dx, dy, cx, cy)
        px, py = _times(dx, dy, px + bx, py + by)
        bodies[FIELD_X, i] += px + ax
        bodies[FIELD_Y, i] += py + ay


def _field(x, y, root, first, size, theta, bodies, nodes):
    """The field of the vertices below a node at one position."""
    fx = 0.0
    fy = 0.0
    node = root
    while node:
        dx = x - nodes[node, X]
        dy = y - nodes[node, Y]
        square = dx * dx + dy * dy
        if 4 * nodes[node, RADIUS] * nodes[node, RADIUS] < theta * square:
            px, py = dx / square, -dy / square
            qx, qy = _times(px, py, px, py)
            rx, ry = _times(px, py, qx, qy)
            mx, my = _times(nodes[node, MOMENT_X], nodes[node, MOMENT_Y], rx, ry)
            fx += nodes[node, MASS] * px + mx
            fy += nodes[node, MASS] * py + my
        elif nodes[node, RADIUS] == 0 and square == 0:
            pass
        elif node >= first:
            for j in range((node - first) * LEAF, min((node - first + 1) * LEAF, size)):
                px, py = _push(x - bodies[0, j], y - bodies[1, j], bodies[2, j])
                fx += px
                fy += py
        else:
            node = 2 * node
            continue
        node = _after(node, root)
    return fx, fy


def _after(node, root):
    """The node that follows all nodes below this one in the subtree of `root`, 0 at its end."""
    while node != root and node & 1:
        node >>= 1
    return 0 if node == root else node + 1


def _push(dx, dy, mass):
    """The field of a mass at this distance from it."""
    square = dx * dx + dy * dy
    share = mass / square if square > TINY else 0.0
    return dx * share, -dy * share


def _times(a, b, c, d):
    """The product of two complex numbers."""
    return a * c - b * d, a * d + b * c


def _pull(src, dst, edge, weight, column, by_logarithm, position):
    """The attraction of src by dst."""
    if by_logarithm:
        dx = position[dst, 0] - position[src, 0]
        dy = position[dst, 1] - position[src, 1]
        distance = math.sqrt(dx * dx + dy * dy)
        weight *= math.log1p(distance) / distance if distance > 0 else 0.0
    return weight * (position[dst, column] - position[src, column])


def _force(i, order, bodies, pulled, scaling, gravity, strong, force):
    """The force on the i-th vertex: repulsion, which is the conjugate of the field, attraction and gravity."""
    v = order[i]
    x = bodies[0, i]
    y = bodies[1, i]
    mass = bodies[2, i]
    distance = 1.0 if strong else math.sqrt(x * x + y * y)
    down = gravity / distance if distance > 0 else 0.0
    force[v, 0] = mass * (scaling * bodies[FIELD_X, i] - down * x) + pulled[v, 0]
    force[v, 1] = mass * (-scaling * bodies[FIELD_Y, i] - down * y) + pulled[v, 1]


def _unrest(v, column, mass, force, before):
    """The swing of v, or its traction."""
    if column == SWING:
        return mass[v] * _change(v, -1.0, force, before)
    return mass[v] * _change(v, 1.0, force, before) / 2


def _change(v, sign, force, before):
    """The length of the force on v plus or minus the force before."""
    x = force[v, 0] + sign * before[v, 0]
    y = force[v, 1] + sign * before[v, 1]
    return math.sqrt(x * x + y * y)


def _adapt(i, count, tolerance, unrest, speed):
    """Adapt the speed to the swing: Gephi's rules, which differ from the paper's."""
    swing = unrest[SWING]
    traction = unrest[TRACTION]
    jitter = 0.05 * math.sqrt(count)
    jitter = tolerance * max(math.sqrt(jitter), min(MAX_JITTER, jitter * traction / (count * count)))
    efficiency = speed[EFFICIENCY]
    if swing > 2 * traction:
        efficiency *= 0.5 if efficiency > MIN_EFFICIENCY else 1.0
        jitter = max(jitter, tolerance)
    target = jitter * efficiency * traction / swing if swing > 0 else math.inf
    if swing > jitter * traction:
        efficiency *= 0.7 if efficiency > MIN_EFFICIENCY else 1.0
    elif speed[SPEED] < MAX_SPEED:
        efficiency *= 1.3
    speed[EFFICIENCY] = efficiency
    speed[SPEED] += min(target - speed[SPEED], MAX_RISE * speed[SPEED])


def _move(v, mass, speed, force, before, position):
    """Move v along its force, slower if it swings."""
    swing = mass[v] * _change(v, -1.0, force, before)
    share = speed[SPEED] / (1 + math.sqrt(speed[SPEED] * swing))
    for column in range(2):
        before[v, column] = force[v, column]
        position[v, column] += share * force[v, column]
