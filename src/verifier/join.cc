#include "verifier/join.h"

#include <algorithm>
#include <map>
#include <utility>

namespace egpu::verifier {
namespace {

class Join {
 public:
  Join(Joining joining, Recorder& recorder) : joining_(joining), recorder_(recorder) {}

  Frame join(const Frame& a, const Frame& b) {
    Frame result;
    result.function = a.function;
    result.call_site = a.call_site;
    for (std::size_t i = 0; i < kRegisters; ++i) {
      result.registers[i] = join(a.registers[i], b.registers[i]);
    }
    const std::size_t slots = std::min(a.stack.slots().size(), b.stack.slots().size());
    for (std::size_t i = 0; i < slots; ++i) {
      result.stack.slots().push_back(join(a.stack.slots()[i], b.stack.slots()[i]));
    }
    return result;
  }

 private:
  Value join(const Value& a, const Value& b) {
    if (a.kind != b.kind || a.target != b.target || a.bytes != b.bytes) return {};
    if (a.is_record() && a.id != b.id) return {};
    const std::uint32_t id = a.is_record() ? a.id : tie(a.id, b.id);
    return {a.kind,
            a.target,
            id,
            tie(a.low_half, b.low_half),
            a.bytes,
            joining_ == Joining::kWiden ? widen(a.number, b.number)
                                        : verifier::join(a.number, b.number)};
  }

  Stack::Slot join(const Stack::Slot& a, const Stack::Slot& b) {
    Stack::Slot result;
    const bool same_place = a.value_start == b.value_start && a.value_bytes == b.value_bytes;
    if (same_place) result.value = join(a.value, b.value);
    const bool lost_pointer =
        (a.value.is_pointer() || b.value.is_pointer()) && !result.value.is_pointer();
    if (lost_pointer) return {};
    if (result.value.kind != ValueKind::kUninitialised) {
      result.value_start = a.value_start;
      result.value_bytes = a.value_bytes;
    }
    result.written = a.written & b.written;
    return result;
  }

  // Values are tied where they are tied on both sides.
  std::uint32_t tie(std::uint32_t a, std::uint32_t b) {
    if (a == 0 || b == 0) return 0;
    std::uint32_t& id = ties_[{a, b}];
    if (id == 0) id = recorder_.next_id();
    return id;
  }

  Joining joining_;
  Recorder& recorder_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ties_;
};

}  // namespace

State join(const State& a, const State& b, Joining joining, Recorder& recorder) {
  Join join(joining, recorder);
  State result;
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    result.frames.push_back(join.join(a.frames[i], b.frames[i]));
  }
  result.reservations = a.reservations;
  return result;
}

}  // namespace egpu::verifier
