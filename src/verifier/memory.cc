#include "verifier/memory.h"

#include <fmt/format.h>

#include <bit>

#include "abi/context.h"
#include "verifier/access.h"
#include "verifier/operand.h"

namespace egpu::verifier {
namespace {

template <class MemoryInstruction>
Access access_of(const MemoryInstruction& instruction, std::size_t index, const MapUse& use) {
  const auto bytes = static_cast<unsigned>(instruction.size);
  return {index, instruction.base, instruction.offset, bytes, bytes, use};
}

MapUse use_of(const bpf::Atomic& atomic) {
  const bool adds = atomic.op == bpf::AtomicOp::kAdd && !atomic.fetch;
  if (!adds) return {.changes = true};
  return {.added_bytes = static_cast<std::uint32_t>(atomic.size)};
}

Value unknown_bytes(unsigned bytes) {
  return Value::scalar(Scalar::unknown().zero_extended(8 * bytes));
}

Result<Value> load_context(const Access& access, const Value& base, Recorder& recorder) {
  const auto known = start_of(access, base).as_constant();
  const std::int64_t offset = known ? std::bit_cast<std::int64_t>(*known) : -1;
  if (access.bytes != abi::kContextFieldBytes || !abi::context_field_at(offset)) {
    return recorder
        .refuse(access.index, fmt::format("r{}: {} bytes at offset {} are no field of the context",
                                          access.base.index, access.bytes, offset))
        .hint("read whole fields of struct egpu_ctx, 4 bytes each");
  }
  EGPU_TRY(
      recorder.record_access(access.index, Region::kContext, static_cast<std::int32_t>(offset)));
  return unknown_bytes(access.bytes);
}

// Code names one place of its own frame; all others it reaches by address.
Result<void> record_stack(const Access& access, const Value& base, const Range& range,
                          const State& state, Recorder& recorder) {
  const bool own = base.target + 1 == state.frames.size();
  if (!own || !range.is_constant()) {
    return recorder.record_access(access.index, Region::kGeneric, 0);
  }
  return recorder.record_access(access.index, Region::kStack, range.low);
}

Result<Value> load_stack(const Access& access, const Value& base, const State& state,
                         Recorder& recorder) {
  EGPU_ASSIGN(const Range range, check_stack(access, state, recorder));
  EGPU_TRY(record_stack(access, base, range, state, recorder));
  if (range.is_constant()) {
    if (auto value = state.frames[base.target].stack.load(range.low, access.bytes)) return *value;
  }
  EGPU_TRY(check_readable(access, state, recorder));
  return unknown_bytes(access.bytes);
}

// Read-only data does not change: at a known place it is a constant.
Result<Value> load_read_only(const Access& access, const Value& base, Recorder& recorder) {
  EGPU_TRY(check_bounds(access, base, recorder));
  EGPU_TRY(recorder.record_access(access.index, Region::kReadOnly, 0));
  const auto start = start_of(access, base).as_constant();
  if (!start) return unknown_bytes(access.bytes);
  const auto& bytes = recorder.object().read_only[base.target].bytes;
  std::uint64_t number = 0;
  for (unsigned i = access.bytes; i-- > 0;) {
    number = number << 8 | std::to_integer<std::uint64_t>(bytes[*start + i]);
  }
  return Value::scalar(Scalar::constant(number));
}

Result<Value> load_value(const Access& access, const Value& base, const State& state,
                         Recorder& recorder) {
  switch (base.kind) {
    case ValueKind::kContext:
      return load_context(access, base, recorder);
    case ValueKind::kStack:
      return load_stack(access, base, state, recorder);
    case ValueKind::kReadOnly:
      return load_read_only(access, base, recorder);
    case ValueKind::kMapValue:
    case ValueKind::kMapKey:
    case ValueKind::kRecord: {
      EGPU_TRY(check_bounds(access, base, recorder));
      const bool is_key = base.kind == ValueKind::kMapKey;
      EGPU_TRY(
          recorder.record_access(access.index, is_key ? Region::kGeneric : Region::kMapValue, 0));
      return unknown_bytes(access.bytes);
    }
    default:
      return refuse_base(access, base, recorder);
  }
}

Result<void> store_stack(const bpf::Store& store, const Access& access, State& state,
                         Recorder& recorder) {
  const bool whole = store.size == bpf::MemSize::k64;
  EGPU_ASSIGN(const Value value, whole ? read(store.src, access.index, state, recorder)
                                       : read_public(store.src, access.index, state, recorder));
  const Value base = state[store.base];
  // The key lives as long as the frame of whoever called the callback, which an older one outlives.
  if (value.kind == ValueKind::kMapKey && base.target + 1 != state.frames.size()) {
    return recorder
        .refuse(access.index,
                fmt::format("{} is {}: it may be gone before the frame that it is stored in",
                            subject(store.src), recorder.describe(value)))
        .hint("store the key itself");
  }
  EGPU_ASSIGN(const Range range, check_stack(access, state, recorder));
  EGPU_TRY(record_stack(access, base, range, state, recorder));
  Stack& stack = state.frames[base.target].stack;
  if (range.is_constant()) {
    stack.store(range.low, access.bytes, value);
    return {};
  }
  const int end = range.high + static_cast<int>(access.bytes);
  if (value.is_pointer()) {
    return recorder
        .refuse(access.index,
                fmt::format("{} is {}: it is stored somewhere at {}", subject(store.src),
                            recorder.describe(value), to_string(range)))
        .hint("pointers are kept in variables of their own, not in arrays with a computed index");
  }
  if (stack.holds_pointer(range.low, end)) {
    return recorder
        .refuse(access.index, fmt::format("r{}: the store at {} may overwrite a pointer",
                                          store.base.index, to_string(range)))
        .hint("bound the index to the array");
  }
  stack.blur(range.low, end);
  return {};
}

}  // namespace

Result<void> check_load(const bpf::Load& load, std::size_t index, State& state,
                        Recorder& recorder) {
  EGPU_ASSIGN(Value value, load_value(access_of(load, index, {.loads = true}), state[load.base],
                                      state, recorder));
  if (load.sign_extend && value.is_scalar()) {
    value = Value::scalar(value.number.sign_extended(8 * static_cast<unsigned>(load.size)));
  }
  state[load.dst] = value;
  return {};
}

Result<void> check_store(const bpf::Store& store, std::size_t index, State& state,
                         Recorder& recorder) {
  const Access access = access_of(store, index, {.changes = true});
  const Value& base = state[store.base];
  if (base.kind == ValueKind::kStack) return store_stack(store, access, state, recorder);
  EGPU_TRY(read_public(store.src, index, state, recorder));
  EGPU_TRY(check_plain_store(access, base, recorder));
  EGPU_TRY(check_bounds(access, base, recorder));
  return recorder.record_access(index, Region::kMapValue, 0);
}

Result<void> check_atomic(const bpf::Atomic& atomic, std::size_t index, State& state,
                          Recorder& recorder) {
  const Access access = access_of(atomic, index, use_of(atomic));
  const Value base = state[atomic.base];
  EGPU_TRY(read_public(atomic.src, index, state, recorder));
  const bool compares = atomic.op == bpf::AtomicOp::kCompareExchange;
  if (compares) EGPU_TRY(read_public(bpf::kR0, index, state, recorder));
  if (base.may_be_null()) return refuse_base(access, base, recorder);
  if (base.kind != ValueKind::kMapValue) {
    return recorder
        .refuse(index, fmt::format("r{} is {}: atomic operations work on values of maps alone",
                                   atomic.base.index, recorder.describe(base)))
        .hint("no other thread sees this memory: use plain loads and stores");
  }
  EGPU_TRY(check_bounds(access, base, recorder));
  EGPU_TRY(recorder.record_access(index, Region::kMapValue, 0));
  if (atomic.fetch) state[compares ? bpf::kR0 : atomic.src] = unknown_bytes(access.bytes);
  return {};
}

}  // namespace egpu::verifier
