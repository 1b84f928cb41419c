"""Functors drawn at random, which compute the same in Python and compiled: of floats, of integers that stay small, and
of arrays of both."""

from __future__ import annotations

import math

import frontier as fr


def helper(x, y=2):
    if x > y:
        return x - y
    return x + 1.5


def total(n):
    found = 0
    for k in range(n):
        if k == 4:
            break
        found += k
    return found


NAMES = {"math": math, "fr": fr, "helper": helper, "total": total}
BINARY = ["({} + {})", "({} - {})", "({} * {})", "min({}, {})", "max({}, {})", "helper({}, {})"]
UNARY = [
    "(-{})", "abs({})", "helper({})", "total(int({}) % 7)", "(int({}) & 21)", "(int({}) // 3)", "({} / -8)", "({} % 5)",
    "math.floor({})", "math.sqrt(abs({}))", "float({})", "int({})", "int(round({}))",
]  # fmt: skip
CONDITIONS = ["({} < {})", "({} >= {})", "({} != {})", "(0 < {} and {} < 5)", "not ({} == {})", "({} <= 1 or {} > 3)"]


def random_functor(random):
    """A functor ``op(v, f, i)`` that a `random.Random` draws."""
    text = "def op(v, f, i):\n    a = 0.0\n    b = -2.5\n" + "\n".join(_block(random, ["a", "b", "v"], 1, 2))
    names = dict(NAMES)
    exec(f"{text}\n    f[0] += a + b\n", names)
    return names["op"]


def _value(random, names, depth):
    kind = random.random()
    if depth == 0 or kind < 0.25:
        place = random.randrange(10)
        return random.choice([*names, f"f[{place}]", f"i[{place}]", f"{random.randint(-5, 9)}", "0.5", "-1.25"])
    values = [_value(random, names, depth - 1) for _ in range(2)]
    if kind < 0.35:
        return f"({values[0]} if {_condition(random, names, depth - 1)} else {values[1]})"
    return random.choice(BINARY if kind < 0.7 else UNARY).format(*values)


def _condition(random, names, depth):
    return random.choice(CONDITIONS).format(*(_value(random, names, depth) for _ in range(2)))


def _block(random, names, indent, depth):
    lines = []
    for _ in range(random.randint(1, 3)):
        place, value, kind = random.randrange(10), _value(random, names, 2), random.random()
        change = random.choice(["add", "min", "max"])
        if depth and kind < 0.2:
            branches = [[f"    {line}" for line in _block(random, names, 0, depth - 1)] for _ in range(2)]
            lines += [f"if {_condition(random, names, 1)}:", *branches[0], "else:", *branches[1]]
        elif depth and kind < 0.35:
            inner = _block(random, [*names, f"j{depth}"], 0, depth - 1)
            lines += [f"for j{depth} in range({random.randint(1, 4)}):", *(f"    {line}" for line in inner)]
        else:
            lines.append(random.choice([
                f"{random.choice('ab')} = float({value})", f"a += {value}", f"f[{place}] = {value}",
                f"i[{place}] = int({value}) % 1000", f"fr.atomic_{change}(f, {place}, {value})",
                f"fr.atomic_{change}(i, {place}, int({value}) % 1000)",
            ]))  # fmt: skip
    return ["    " * indent + line for line in lines]
