"""CPU kernels of bitmaps."""

import numpy as np

from frontier.functor.intrinsics.atomics import atomic_add
from frontier.runtime import cpu_kernel, parallel_kernel


@cpu_kernel
def from_list(count, vertices, bits):
    """Set the bits of a list's vertices."""
    for i in range(count):
        v = vertices[i]
        bits[v >> 5] |= np.uint32(1) << np.uint32(v & 31)


@cpu_kernel
def to_list(count, bits, out, counter):
    """The vertices whose bits are set, in ascending order. `count` is the number of words."""
    held = 0
    for word in range(count):
        if bits[word] != 0:
            for b in range(32):
                if (bits[word] >> np.uint32(b)) & np.uint32(1):
                    out[held] = word * 32 + b
                    held += 1
    counter[0] = held


@parallel_kernel(few=4096)
def combine(begin, end, operation, left, right, out, counter):
    """A set operation (OR, AND, MINUS, XOR in `frontier.core.bitmap`) on two bitmaps, whose members are counted."""
    members = 0
    for i in range(begin, end):
        a = left[i]
        b = right[i]
        if operation == 0:
            word = a | b
        elif operation == 1:
            word = a & b
        elif operation == 2:
            word = a & ~b
        else:
            word = a ^ b
        out[i] = word
        # Bits set: in pairs, in fours, in bytes, and these added up by a product.
        word -= (word >> np.uint32(1)) & np.uint32(0x55555555)
        word = (word & np.uint32(0x33333333)) + ((word >> np.uint32(2)) & np.uint32(0x33333333))
        word = (word + (word >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
        members += np.int64(((word * np.uint32(0x01010101)) & np.uint32(0xFFFFFFFF)) >> np.uint32(24))
    atomic_add(counter, 0, members)
