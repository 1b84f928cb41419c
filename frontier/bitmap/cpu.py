"""CPU kernels of bitmaps."""

import numpy as np

from ..runtime import cpu_kernel


@cpu_kernel
def from_list(count, vertices, bits):
    """Set the bits of a list's vertices."""
    for i in range(count):
        v = vertices[i]
        bits[v >> 5] |= np.uint32(1) << np.uint32(v & 31)


@cpu_kernel
def to_list(count, bits, out, counter):
    """The vertices whose bits are set, in ascending order; `count` is the number of words."""
    held = 0
    for word in range(count):
        if bits[word] != 0:
            for b in range(32):
                if (bits[word] >> np.uint32(b)) & np.uint32(1):
                    out[held] = word * 32 + b
                    held += 1
    counter[0] = held
