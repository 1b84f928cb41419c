"""CPU kernel that answers the operations on pairs of vertices."""

from frontier.runtime import cpu_kernel

from .operations import DELETE, DELETED, DELETING, HAS_EDGE, INSERT, INSERTED, INSERTING, REPLACED, WEIGHT


@cpu_kernel
def resolve_pairs(count, keys, none, records, ops, slots, timed, earliest, plain, times, edges, held, answers,
                  changes, origins, net, tally):  # fmt: skip
    """Go through the operations on each pair of vertices in their order.

    ``keys`` are those of pairs, ascending, or ``none``; ``records`` the operations, ascending for each pair; ``slots``
    and ``edges``, at the first key of a pair, where the edge is before the batch, and in ``held`` its time. All other
    arrays are by operation. ``answers`` become what each has found or done, ``changes`` 1 and -1 for edges that come
    and go, ``origins`` where a weight that is asked for is from, if the edge is there (an insertion; or the graph, as
    -2 less the place of the pair's first key). What is to be done in the end for a pair is at one of its operations: 1
    in ``net`` if it is to be inserted, -1 if it is to be deleted. ``tally`` counts edges inserted, replaced and
    deleted, and to be inserted and deleted. In a ``plain`` graph, without weights and data, nothing is replaced.
    """
    for i in range(count):
        if keys[i] == none or (i > 0 and keys[i] == keys[i - 1]):
            continue
        present = slots[i] >= 0
        before = present
        time = held[edges[i]] if timed and present else 0
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
                    tally[INSERTED] += 1
                else:
                    counts = True
                    if timed:
                        counts = times[record] < time if earliest else times[record] >= time
                    tally[REPLACED] += 1
                if counts:
                    winner = record
                    if timed:
                        time = times[record]
            elif op == DELETE:
                if present:
                    answers[record] = 1
                    changes[record] = -1
                    tally[DELETED] += 1
                present = False
                winner = -1
            elif op == HAS_EDGE:
                answers[record] = present
            elif op == WEIGHT:
                answers[record] = present
                origins[record] = winner if winner >= 0 else -2 - i
            j += 1
        if present and winner >= 0 and not (plain and before):
            net[winner] = 1
            tally[INSERTING] += 1
        elif before and not present:
            net[records[i]] = -1
            tally[DELETING] += 1
