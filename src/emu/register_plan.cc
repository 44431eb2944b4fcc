#include "emu/register_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "emu/control.h"
#include "emu/layout.h"
#include "emu/liveness.h"
#include "emu/register_names.h"

namespace egpu::emu {
namespace {

// Slots of one size that hold nothing now.
class Pool {
 public:
  Pool(SlotAllocator& slots, unsigned bits) : slots_(slots), bits_(bits) {}

  // For a register that is needed from `interval.first` to `interval.last`.
  Slot take(const Interval& interval) {
    const auto free = busy_.begin();
    Slot slot = kNoSlot;
    if (free != busy_.end() && free->first < interval.first) {
      slot = free->second;
      busy_.erase(free);
    } else {
      slot = slots_.take(bits_);
    }
    busy_.emplace(interval.last, slot);
    return slot;
  }

 private:
  SlotAllocator& slots_;
  unsigned bits_;
  std::multimap<std::uint32_t, Slot> busy_;  // by the last Op that needs it
};

}  // namespace

RegisterPlan plan_registers(const Code& code, const RegisterUses& uses) {
  const std::vector<Interval> intervals = intervals_of(code, uses);
  std::vector<std::uint32_t> order(intervals.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t number) { return intervals[number].first; });

  SlotAllocator slots;
  std::map<unsigned, Pool> pools;
  RegisterPlan plan{.slots = std::vector<Slot>(intervals.size(), kNoSlot)};
  for (const std::uint32_t number : order) {
    const unsigned bits = std::max(uses.bits[number], uses.bits[number] == 1 ? 1U : 16U);
    Pool& pool = pools.try_emplace(bits, slots, bits).first->second;
    plan.slots[number] = pool.take(intervals[number]);
  }
  plan.bytes = slots.size();
  return plan;
}

}  // namespace egpu::emu
