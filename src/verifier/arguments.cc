#include "verifier/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/access.h"
#include "verifier/operand.h"

namespace egpu::verifier {
namespace {

// More than any memory that a program can pass.
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 30;

bpf::Reg argument(std::size_t position) { return {static_cast<std::uint8_t>(position + 1)}; }

class Arguments {
 public:
  Arguments(const HelperPrototype& helper, std::size_t index, State& state, Recorder& recorder)
      : helper_(helper), index_(index), state_(state), recorder_(recorder) {}

  Result<void> check() {
    for (std::size_t i = 0; i < helper_.arguments.size(); ++i) {
      const ArgumentKind kind = helper_.arguments[i];
      if (kind == ArgumentKind::kUnused) continue;
      EGPU_TRY(check_kind(kind, argument(i)));
    }
    return {};
  }

 private:
  Result<void> check_kind(ArgumentKind kind, bpf::Reg reg) {
    switch (kind) {
      case ArgumentKind::kUnused:
        return {};
      case ArgumentKind::kNumber:
        return check_number(reg);
      case ArgumentKind::kMap:
        return check_map(reg);
      case ArgumentKind::kMapKey:
        return check_element(reg, "key", recorder_.map(map_).key_size);
      case ArgumentKind::kMapValue:
        return check_element(reg, "value", recorder_.map(map_).value_size);
      case ArgumentKind::kValueToGive:
        return check_value_to_give(reg);
      case ArgumentKind::kReadable:
        return check_memory(reg, false);
      case ArgumentKind::kWritable:
        return check_memory(reg, true);
      case ArgumentKind::kSize:
      case ArgumentKind::kSizeOrZero:
        return {};  // with the memory before it
      case ArgumentKind::kText:
        return check_text(reg);
      case ArgumentKind::kCallback:
        return check_callback(reg);
      case ArgumentKind::kCallbackData:
        return check_callback_data(reg);
      case ArgumentKind::kFlags:
        return check_flags(reg);
      case ArgumentKind::kQueue:
        return check_special_map(reg, bpf::is_queue, "a queue or stack",
                                 "BPF_MAP_TYPE_QUEUE or BPF_MAP_TYPE_STACK");
      case ArgumentKind::kRing:
        return check_special_map(reg, is_ringbuf, "a ring buffer", "BPF_MAP_TYPE_RINGBUF");
      case ArgumentKind::kPerfEvents:
        return check_special_map(reg, is_perf_events, "an array of perf events",
                                 "BPF_MAP_TYPE_PERF_EVENT_ARRAY");
      case ArgumentKind::kContext:
        return check_context(reg);
      case ArgumentKind::kAnyNumber:
        return state_[reg].kind == ValueKind::kUninitialised ? Result<void>() : check_number(reg);
      case ArgumentKind::kRecordSize:
        return check_record_size(reg);
      case ArgumentKind::kRecord:
        return check_record(reg);
    }
    return internal_error("a helper has an argument of an unknown kind");
  }

  // "r2 is a number (3), not a map".
  [[nodiscard]] Error refuse(bpf::Reg reg, std::string_view wanted) const {
    return recorder_.refuse(index_, fmt::format("r{} is {}, not {}", reg.index,
                                                recorder_.describe(state_[reg]), wanted));
  }

  Result<void> check_number(bpf::Reg reg) const {
    if (state_[reg].is_scalar()) return {};
    return refuse(reg, "a number")
        .hint(fmt::format("{} takes a number in r{}", helper_.name, reg.index));
  }

  Result<void> check_flags(bpf::Reg reg) const {
    const Value& value = state_[reg];
    if (value.is_scalar() && value.number.as_constant() == 0) return {};
    return refuse(reg, "0").hint(fmt::format("{} has no flags: pass 0", helper_.name));
  }

  Result<void> check_map(bpf::Reg reg) {
    const Value& value = state_[reg];
    if (value.kind != ValueKind::kMap) {
      return refuse(reg, "a map")
          .hint(fmt::format("pass the address of a map to {}", helper_.name));
    }
    map_ = value.target;
    const bpf::MapType type = recorder_.map(map_).type;
    if (!bpf::is_array(type) && !bpf::is_hash(type)) {
      return refuse(reg, "a map with keys")
          .hint(fmt::format("{} does not work on queues and ring buffers", helper_.name));
    }
    if (helper_.id != HelperId::kMapLookupElem)
      recorder_.record_use(map_,
                           {.changes = true, .deletes = helper_.id == HelperId::kMapDeleteElem});
    return recorder_.record_call_map(index_, map_);
  }

  static bool is_ringbuf(bpf::MapType type) { return type == bpf::MapType::kRingbuf; }
  static bool is_perf_events(bpf::MapType type) { return type == bpf::MapType::kPerfEventArray; }

  Result<void> check_context(bpf::Reg reg) const {
    const Value& value = state_[reg];
    if (value.kind == ValueKind::kContext && value.number.as_constant() == 0) return {};
    return refuse(reg, "the context").hint(fmt::format("pass ctx to {}", helper_.name));
  }

  Result<void> check_special_map(bpf::Reg reg, bool (*is_one)(bpf::MapType), const char* what,
                                 const char* types) {
    const Value& value = state_[reg];
    if (value.kind != ValueKind::kMap || !is_one(recorder_.map(value.target).type)) {
      return refuse(reg, what).hint(fmt::format("pass the address of a map of type {}", types));
    }
    map_ = value.target;
    return recorder_.record_call_map(index_, map_);
  }

  Result<void> check_record_size(bpf::Reg reg) const {
    const Value& value = state_[reg];
    if (value.is_scalar() && value.number.umax <= kMaxSize && value.number.as_constant()) return {};
    return refuse(reg, "a constant size")
        .hint("reserve as many bytes as the largest record has, or use bpf_ringbuf_output");
  }

  Result<void> check_record(bpf::Reg reg) {
    const Value& value = state_[reg];
    if (value.kind == ValueKind::kRecord && value.number.as_constant() == 0)
      return recorder_.record_ending(index_, value.target, value.bytes);
    if (value.kind == ValueKind::kRecordOrNull)
      return refuse(reg, "a record").hint(null_hint(value));
    if (value.kind == ValueKind::kRecord) {
      return refuse(reg, "one to its start").hint("pass the address that bpf_ringbuf_reserve gave");
    }
    return refuse(reg, "a record that bpf_ringbuf_reserve gave");
  }

  // What the helper reads a key or a value of the map from.
  Result<void> check_element(bpf::Reg reg, const char* what, std::uint32_t bytes) {
    const Value& base = state_[reg];
    if (base.kind != ValueKind::kStack && !size_of(base, recorder_)) {
      return refuse(reg, fmt::format("a pointer to a {} of map {}", what, recorder_.map(map_).name))
          .hint("pass the address of a variable on the stack");
    }
    return check_readable({index_, reg, 0, bytes, 1, {.loads = true}}, state_, recorder_);
  }

  // The bounds of the size in the register after `reg`.
  Result<std::pair<unsigned, unsigned>> check_size(bpf::Reg reg, ArgumentKind kind) const {
    const Value& value = state_[reg];
    EGPU_TRY(check_number(reg));
    if (value.number.umax > kMaxSize) {
      return refuse(reg, "a size with a known upper bound")
          .hint("bound the size where the checker can see it: if (size > sizeof(buffer)) return 0");
    }
    if (kind == ArgumentKind::kSize && value.number.umin == 0) {
      return refuse(reg, "a size of 1 or more").hint("test that the size is not 0");
    }
    return std::pair{static_cast<unsigned>(value.number.umin),
                     static_cast<unsigned>(value.number.umax)};
  }

  Result<void> check_memory(bpf::Reg reg, bool writes) {
    const bpf::Reg size_reg = argument(reg.index);
    EGPU_ASSIGN(const auto size, check_size(size_reg, helper_.arguments[reg.index]));
    const MapUse use = writes ? MapUse{.changes = true} : MapUse{.loads = true};
    const Access access{index_, reg, 0, size.second, 1, use};
    return writes ? write(access, size.first) : check_readable(access, state_, recorder_);
  }

  Result<void> check_value_to_give(bpf::Reg reg) {
    const std::uint32_t bytes = recorder_.map(map_).value_size;
    return write({index_, reg, 0, bytes, 1, {.changes = true}}, bytes);
  }

  // At least `least` bytes are written.
  Result<void> write(const Access& access, unsigned least) {
    const Value& base = state_[access.base];
    if (base.kind == ValueKind::kStack) return write_stack(access, least);
    EGPU_TRY(check_plain_store(access, base, recorder_));
    return check_bounds(access, base, recorder_);
  }

  // Of the bytes from the lowest start to the highest end, those that every start and size have in
  // common are certainly written.
  Result<void> write_stack(const Access& access, unsigned least) {
    EGPU_ASSIGN(const Range range, check_stack(access, state_, recorder_));
    Stack& stack = state_.frames[state_[access.base].target].stack;
    const int end = range.high + static_cast<int>(access.bytes);
    const int certain_end = range.low + static_cast<int>(least);
    const bool certain = range.is_constant() && least == access.bytes;
    if (!certain) {
      if (stack.holds_pointer(range.low, end)) {
        return recorder_
            .refuse(index_, fmt::format("r{}: {} may overwrite a pointer on the stack",
                                        access.base.index, helper_.name))
            .hint("pass a constant size");
      }
      stack.blur(range.low, end);
    }
    stack.write_numbers(range.high, certain_end);
    return {};
  }

  // A string that generated code can hold: its bytes are known here.
  Result<void> check_text(bpf::Reg reg) const {
    const Value& base = state_[reg];
    const auto start = base.number.as_constant();
    if (base.kind == ValueKind::kReadOnly && start) {
      const auto& bytes = recorder_.object().read_only[base.target].bytes;
      const bool ends =
          *start < bytes.size() && std::find(bytes.begin() + static_cast<std::ptrdiff_t>(*start),
                                             bytes.end(), std::byte{0}) != bytes.end();
      if (ends) return {};
    }
    return refuse(reg, "a constant string that ends with a NUL")
        .hint(fmt::format("pass a string literal to {}", helper_.name));
  }

  Result<void> check_callback(bpf::Reg reg) {
    const Value& value = state_[reg];
    if (value.kind != ValueKind::kFunction) {
      return refuse(reg, "a function")
          .hint(fmt::format("pass a static function to {}", helper_.name));
    }
    return recorder_.record_callback(index_, value.target);
  }

  Result<void> check_callback_data(bpf::Reg reg) const {
    const Value& value = state_[reg];
    if (value.kind == ValueKind::kStack || value.kind == ValueKind::kMapValue) return {};
    if (value.is_scalar() && value.number.as_constant() == 0) return {};
    return refuse(reg, "a pointer to the stack or to a value of a map, or 0")
        .hint("pass the address of a variable, or NULL");
  }

  const HelperPrototype& helper_;
  std::size_t index_;
  State& state_;
  Recorder& recorder_;
  std::uint32_t map_ = 0;  // of the argument that is one
};

}  // namespace

Result<void> check_arguments(const HelperPrototype& helper, std::size_t index, State& state,
                             Recorder& recorder) {
  return Arguments(helper, index, state, recorder).check();
}

}  // namespace egpu::verifier
