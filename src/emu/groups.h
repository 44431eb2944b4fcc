// Groups of lanes of a warp: how they part, meet and take turns.
//
// Of the groups that can run, the one in the innermost call runs, and there the one that is
// furthest behind: code order is close to topological order, so lanes that took different ways meet
// where the ways join. Lanes may wait for each other (a lock that one lane holds and the others
// spin for), so a group that keeps jumping back gives others a turn: its lanes rest until all
// others had theirs.
#pragma once

#include "emu/warp.h"

namespace egpu::emu {

// Ops that a group may execute in loops while others wait for their turn.
inline constexpr std::int64_t kGroupTurn = 1 << 12;

// Lets lanes, which are active no more, wait until their turn comes at `next`.
void add_group(Warp& warp, Frame* frame, const Op* next, Mask lanes);

// Takes the group's lanes from the active ones, until what it waits for has come. The caller runs
// another group where nobody is left.
void park(Warp& warp, const Group& group);

// The active group is at warp.next: takes in lanes that are there already, and lets another group
// run where one is to come first. Only needed where warp.group_count is not 0.
void regroup(Warp& warp);

// Nobody is active: lets the next group run. Warp::running is false where none can.
void run_next_group(Warp& warp);

// Lets a group run next that `random` chooses, whoever is active. Warp::running is false where none
// can.
void choose_group(Warp& warp, std::uint64_t random);

// The active group gives up its turn, if another group can run.
void rest(Warp& warp);

// bar.warp.sync: `lanes` go on behind the Op when all of `members` that have not exited wait so.
void meet(Warp& warp, Mask lanes, Mask members);

// Groups that wait for lanes look again whether all are there: lanes have exited.
void release_waiting(Warp& warp);

}  // namespace egpu::emu
