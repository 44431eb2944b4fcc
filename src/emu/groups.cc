#include "emu/groups.h"

#include <array>
#include <functional>

namespace egpu::emu {
namespace {

bool before(const Group& a, const Group& b) {
  if (a.frame->depth != b.frame->depth) return a.frame->depth > b.frame->depth;
  if (a.next != b.next) return std::less<>()(a.next, b.next);
  return std::less<>()(a.frame, b.frame);
}

void remove_group(Warp& warp, unsigned index) {
  warp.groups[index] = warp.groups[--warp.group_count];
}

// The group to run next among those that wait for nothing; null: there is none.
Group* first_of(Warp& warp, Mask but_not) {
  Group* first = nullptr;
  for (unsigned i = 0; i < warp.group_count; ++i) {
    Group& group = warp.groups[i];
    if (group.wait != Group::Wait::kNothing || (group.lanes & but_not) != 0) continue;
    if (first == nullptr || before(group, *first)) first = &group;
  }
  return first;
}

void activate(Warp& warp, Group& group) {
  warp.active = group.lanes;
  warp.next = group.next;
  warp.frame = group.frame;
  warp.registers = group.frame->registers;
  remove_group(warp, static_cast<unsigned>(&group - warp.groups.data()));
}

void absorb(Warp& warp) {
  for (unsigned i = 0; i < warp.group_count;) {
    const Group& group = warp.groups[i];
    const bool here =
        group.wait == Group::Wait::kNothing && group.next == warp.next && group.frame == warp.frame;
    if (here) {
      warp.active |= group.lanes;
      remove_group(warp, i);
    } else {
      ++i;
    }
  }
}

}  // namespace

void add_group(Warp& warp, Frame* frame, const Op* next, Mask lanes) {
  for (unsigned i = 0; i < warp.group_count; ++i) {
    Group& group = warp.groups[i];
    if (group.wait == Group::Wait::kNothing && group.next == next && group.frame == frame) {
      group.lanes |= lanes;
      return;
    }
  }
  warp.groups[warp.group_count++] = {.frame = frame, .next = next, .lanes = lanes};
}

void park(Warp& warp, const Group& group) {
  warp.groups[warp.group_count++] = group;
  warp.active &= ~group.lanes;
}

void regroup(Warp& warp) {
  absorb(warp);
  Group* const other = first_of(warp, warp.rested);
  if (other == nullptr) return;
  const Group own{.frame = warp.frame, .next = warp.next, .lanes = warp.active};
  if ((warp.active & warp.rested) == 0 && before(own, *other)) return;
  activate(warp, *other);
  add_group(warp, own.frame, own.next, own.lanes);
}

void run_next_group(Warp& warp) {
  Group* next = first_of(warp, warp.rested);
  if (next == nullptr) {
    warp.rested = 0;
    next = first_of(warp, 0);
  }
  if (next == nullptr) {
    warp.running = false;
    return;
  }
  activate(warp, *next);
  absorb(warp);
}

void choose_group(Warp& warp, std::uint64_t random) {
  if (warp.active != 0) add_group(warp, warp.frame, warp.next, warp.active);
  warp.active = 0;
  warp.rested = 0;
  std::array<Group*, kLanes> ready{};
  unsigned count = 0;
  for (unsigned i = 0; i < warp.group_count; ++i)
    if (warp.groups[i].wait == Group::Wait::kNothing) ready[count++] = &warp.groups[i];
  if (count == 0) {
    warp.running = false;
    return;
  }
  activate(warp, *ready[random % count]);
}

void rest(Warp& warp) {
  warp.turn = kGroupTurn;
  warp.rested |= warp.active;
  if (first_of(warp, warp.rested) == nullptr) warp.rested = 0;
}

void meet(Warp& warp, Mask lanes, Mask members) {
  if ((members & warp.live() & ~lanes) == 0) return;
  park(warp, {.frame = warp.frame,
              .next = warp.next,
              .lanes = lanes,
              .wait = Group::Wait::kForMeeting,
              .members = members});
  release_waiting(warp);
  if (warp.active == 0) run_next_group(warp);
}

void release_waiting(Warp& warp) {
  for (unsigned i = 0; i < warp.group_count; ++i) {
    Group& group = warp.groups[i];
    const bool at_meeting = group.wait == Group::Wait::kForMeeting;
    if (!at_meeting && group.wait != Group::Wait::kForLanes) continue;
    Mask there = group.lanes;
    for (unsigned other = 0; at_meeting && other < warp.group_count; ++other)
      if (warp.groups[other].wait == group.wait && warp.groups[other].members == group.members)
        there |= warp.groups[other].lanes;
    if ((group.members & warp.live() & ~there) != 0) continue;
    const Mask members = group.members;
    for (unsigned other = 0; at_meeting && other < warp.group_count; ++other)
      if (warp.groups[other].wait == Group::Wait::kForMeeting &&
          warp.groups[other].members == members)
        warp.groups[other].wait = Group::Wait::kNothing;
    group.wait = Group::Wait::kNothing;
  }
}

Mask Warp::converge(const Op& op, Mask lanes, Mask members) {
  Group all{.frame = frame, .next = &op, .lanes = lanes, .wait = Group::Wait::kForLanes};
  all.members = members;
  for (unsigned i = 0; i < group_count;) {
    const Group& group = groups[i];
    const bool here = group.wait == Group::Wait::kForLanes && group.next == &op &&
                      group.frame == frame && group.members == members;
    if (here) {
      all.lanes |= group.lanes;
      remove_group(*this, i);
    } else {
      ++i;
    }
  }
  if ((members & live() & ~all.lanes) == 0) {
    active |= all.lanes;
    return all.lanes;
  }
  park(*this, all);
  if (active == 0) run_next_group(*this);
  return 0;
}

}  // namespace egpu::emu
