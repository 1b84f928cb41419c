// The members of a frontier, with each of which a kernel calls a functor: vertices, or, with the macro OF_EDGES, arcs
// (then VIEW_HEADER is needed, too). MEMBER: the functor's parameters. MEMBERS_PARAMS: the kernel's. CALL_OP(i): the
// call. MEMBER_VALUES(i): the functor's arguments before the user's. TAKE_MEMBERS() comes first in a kernel.
#pragma once
#include "frontier/cuda/number.cuh"

#ifdef OF_EDGES

#include VIEW_HEADER
#include "frontier/cuda/edge.cuh"
#define MEMBER VID src, VID dst, i64 edge, Weight weight
#define MEMBERS_PARAMS View view, const VID* sources, const i64* slots
#define MEMBER_VALUES(i) sources[i], view.neighbors[slots[i]], edge_of(view, slots[i]), weight_of(view, slots[i])
#define TAKE_MEMBERS() (void)0

#else

#define MEMBER VID v
#define MEMBERS_PARAMS const VID* vertices, const u64* number, i64 room, i64 everyone
#define MEMBER_VALUES(i) (is_everyone ? VID(i) : vertices[i])
#define TAKE_MEMBERS() bool is_everyone = take_number(count, number, room, everyone)

#endif

#define CALL_OP(i) op(MEMBER_VALUES(i) ARG_NAMES)
