"""CPU kernel that answers the operations on pairs of vertices."""

from ..runtime import cpu_kernel
from .operations import DELETE, HAS_EDGE, INSERT, WEIGHT


@cpu_kernel
def resolve_pairs(count, keys, none, records, ops, slots, timed, earliest, plain, times, held, answers, changes,
                  origins, to_insert, to_delete, tally):  # fmt: skip
    """Go through the operations on each pair of vertices in their order.

    ``keys`` are those of pairs, ascending, or ``none``; ``records`` the operations, ascending for each pair; ``slots``
    and ``held`` where the edge is and its time before the batch. All other arrays are by operation. ``answers`` become
    what each has found or done, ``changes`` 1 and -1 for edges that come and go, ``origins`` where a weight is from (an
    insertion; the graph, as -2 less the place of the pair's first key; or -1). What is to be done in the end for a pair
    is at one of its operations: 0 in ``to_insert`` or in ``to_delete``, in place of -1. ``tally`` counts edges
    inserted, replaced and deleted. In a ``plain`` graph, without weights and data, nothing is replaced.
    """
    for i in range(count):
        if keys[i] == none or (i > 0 and keys[i] == keys[i - 1]):
            continue
        present = slots[i] >= 0
        before = present
        time = held[i] if timed and present else 0
        winner = -1
        j = i
        while j < count and keys[j] == keys[i]:
            record = records[j]
            op = ops[record]
            if op == INSERT:
                if not present:
                    counts = True
                    present = True
                    answers[record] = changes[record] = 1
                    tally[0] += 1
                else:
                    counts = True
                    if timed:
                        counts = times[record] < time if earliest else times[record] >= time
                    tally[1] += 1
                if counts:
                    winner = record
                    if timed:
                        time = times[record]
            elif op == DELETE:
                if present:
                    answers[record] = 1
                    changes[record] = -1
                    tally[2] += 1
                present = False
                winner = -1
            elif op == HAS_EDGE:
                answers[record] = present
            elif op == WEIGHT:
                answers[record] = present
                if present:
                    origins[record] = winner if winner >= 0 else -2 - i
            j += 1
        if present and winner >= 0 and not (plain and before):
            to_insert[winner] = 0
        elif before and not present:
            to_delete[records[i]] = 0
