"""CPU kernel that answers the operations on pairs of vertices."""

from frontier.runtime import cpu_kernel

from .operations import DELETE, DELETED, DELETING, HAS_EDGE, INSERT, INSERTED, INSERTING, REPLACED, WEIGHT


@cpu_kernel
def resolve_pairs(count, keys, none, records, ops, slots, timed, earliest, plain, times, edges, held, answers,
                  changes, origins, net, tally):  # fmt: skip
    """Go through the operations on each pair of vertices in their order.

    ``keys`` are the keys of pairs, ascending, or ``none``. ``records`` are the operations, ascending for each pair. At
    the first key of a pair, ``slots`` and ``edges`` have the position of the edge before the batch, and ``held`` its
    time. All other arrays are by operation. ``answers`` become the results, ``changes`` 1 and -1 for edges that appear
    and disappear, ``origins`` the source of a requested weight, if the edge exists (an insertion, or the graph, as -2
    less the position of the pair's first key). The net effect on a pair is at one of its operations: 1 in ``net`` for
    an insertion, -1 for a deletion. ``tally`` counts edges inserted, replaced and deleted, and edges of net insertions
    and deletions. In a ``plain`` graph, without weights and data, nothing is replaced.
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
