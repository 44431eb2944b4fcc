#include "verifier/memory.h"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "abi/context.h"
#include "verifier/helpers.h"

namespace egpu::verifier {
namespace {

constexpr const char* kIndexHint =
    "bound the index where the checker can see it: if (i < N), or i & (N - 1)";
constexpr const char* kNullHint =
    "compare the result of bpf_map_lookup_elem with null before using it";

// One access of memory, of an instruction or a helper.
struct Access {
  std::size_t index = 0;  // of the instruction
  bpf::Reg base;
  std::int32_t offset = 0;
  unsigned bytes = 0;
  unsigned alignment = 1;  // divides the address
};

// Where the access starts, counted from what `base` points into.
Scalar start_of(const Access& access, const Value& base) {
  return apply(bpf::AluOp::kAdd, bpf::Width::k64, base.number,
               Scalar::constant(std::bit_cast<std::uint64_t>(std::int64_t{access.offset})));
}

Result<void> check_alignment(const Access& access, const Scalar& start, const Recorder& recorder) {
  if (start.bits.is_aligned(access.alignment)) return {};
  return recorder
      .refuse(access.index, fmt::format("r{}: an access of {} bytes at offset {} is not aligned",
                                        access.base.index, access.bytes, to_string(start)))
      .hint("the GPU reads and writes at multiples of the size alone: do not pack the struct");
}

// The offset of a stack access, from r10.
Result<int> stack_offset(const Access& access, const Value& base, Recorder& recorder) {
  const Scalar start = start_of(access, base);
  const auto known = start.as_constant();
  const std::int64_t offset = known ? std::bit_cast<std::int64_t>(*known) : 0;
  if (offset < -kStackBytes || offset > -static_cast<std::int64_t>(access.bytes)) {
    return recorder
        .refuse(access.index, fmt::format("r{}: {} bytes at r10 {:+} are outside the stack",
                                          access.base.index, access.bytes, offset))
        .hint(fmt::format("the stack is the {} bytes below r10", kStackBytes));
  }
  EGPU_TRY(check_alignment(access, start, recorder));
  recorder.use_stack(static_cast<int>(offset));
  return static_cast<int>(offset);
}

Result<void> check_map_value(const Access& access, const Value& base, const Recorder& recorder) {
  const bpf::MapDefinition& map = recorder.map(base.map);
  const Scalar start = start_of(access, base);
  const bool inside = access.bytes <= map.value_size && start.smin >= 0 &&
                      start.umax <= map.value_size - access.bytes;
  if (!inside) {
    return recorder
        .refuse(access.index,
                fmt::format(
                    "r{}: {} bytes at offset {} may be outside the {} bytes of a value of map {}",
                    access.base.index, access.bytes, to_string(start), map.value_size, map.name))
        .hint(kIndexHint);
  }
  return check_alignment(access, start, recorder);
}

Error refuse_base(const Access& access, const Value& base, const Recorder& recorder) {
  const std::string what = fmt::format("r{} is {}", access.base.index, recorder.describe(base));
  if (base.kind == ValueKind::kMapValueOrNull) {
    return recorder.refuse(access.index, what).hint(kNullHint);
  }
  return recorder.refuse(access.index, fmt::format("{}: it cannot be used as an address", what));
}

Result<Scalar> load_context(const Access& access, const Value& base, Recorder& recorder) {
  const auto known = start_of(access, base).as_constant();
  const std::int64_t offset = known ? std::bit_cast<std::int64_t>(*known) : -1;
  if (access.bytes != abi::kContextFieldBytes || !abi::context_field_at(offset)) {
    return recorder
        .refuse(access.index, fmt::format("r{}: {} bytes at offset {} are no field of the context",
                                          access.base.index, access.bytes, offset))
        .hint("read whole fields of struct egpu_ctx, 4 bytes each");
  }
  EGPU_TRY(
      recorder.record_access(access.index, Region::kContext, static_cast<std::int32_t>(offset), 0));
  return Scalar::unknown().zero_extended(8 * access.bytes);
}

Result<Value> load_stack(const Access& access, const Value& base, const State& state,
                         Recorder& recorder) {
  EGPU_ASSIGN(const int offset, stack_offset(access, base, recorder));
  const auto value = state.stack.load(offset, access.bytes);
  if (!value) {
    return recorder
        .refuse(access.index, fmt::format("{} bytes of the stack at r10 {:+} are not initialised",
                                          access.bytes, offset))
        .hint("give the variable a value on every path");
  }
  EGPU_TRY(recorder.record_access(access.index, Region::kStack, offset, 0));
  return *value;
}

Access access_of(const bpf::Load& load, std::size_t index) {
  const auto bytes = static_cast<unsigned>(load.size);
  return {index, load.base, load.offset, bytes, bytes};
}
Access access_of(const bpf::Store& store, std::size_t index) {
  const auto bytes = static_cast<unsigned>(store.size);
  return {index, store.base, store.offset, bytes, bytes};
}
Access access_of(const bpf::Atomic& atomic, std::size_t index) {
  const auto bytes = static_cast<unsigned>(atomic.size);
  return {index, atomic.base, atomic.offset, bytes, bytes};
}

// A register that an instruction reads as a number or, where `pointers`, as any value.
Result<Value> operand_value(const bpf::Operand& operand, bool pointers, std::size_t index,
                            const State& state, const Recorder& recorder) {
  if (const auto* const imm = std::get_if<bpf::Imm>(&operand)) {
    return Value::scalar(Scalar::constant(std::bit_cast<std::uint64_t>(std::int64_t{imm->value})));
  }
  const bpf::Reg reg = std::get<bpf::Reg>(operand);
  const Value& value = state[reg];
  if (value.kind == ValueKind::kUninitialised) {
    return recorder.refuse(index, fmt::format("r{} is not initialised", reg.index));
  }
  if (!pointers && !value.is_scalar()) {
    return recorder
        .refuse(index, fmt::format("r{} is {}: it must not leave the program", reg.index,
                                   recorder.describe(value)))
        .hint("store numbers in maps, not addresses");
  }
  return value;
}

Result<void> check_key(bpf::Reg reg, std::uint32_t map_index, std::size_t index, const State& state,
                       Recorder& recorder) {
  const bpf::MapDefinition& map = recorder.map(map_index);
  const Access access{index, reg, 0, map.key_size, map.key_size};
  const Value& base = state[reg];
  if (base.kind == ValueKind::kMapValue) return check_map_value(access, base, recorder);
  if (base.kind != ValueKind::kStack) {
    return recorder
        .refuse(index, fmt::format("r{} is {}, not a pointer to a key of map {}", reg.index,
                                   recorder.describe(base), map.name))
        .hint("pass the address of a variable on the stack");
  }
  EGPU_ASSIGN(const int offset, stack_offset(access, base, recorder));
  if (state.stack.holds_data(offset, map.key_size)) return {};
  return recorder
      .refuse(index,
              fmt::format("r{}: the {} bytes of the key of map {} at r10 {:+} are not initialised",
                          reg.index, map.key_size, map.name, offset))
      .hint("give the key a value on every path");
}

}  // namespace

Result<void> check_load(const bpf::Load& load, std::size_t index, State& state,
                        Recorder& recorder) {
  const Access access = access_of(load, index);
  const Value base = state[load.base];
  Value result;
  if (base.kind == ValueKind::kContext) {
    EGPU_ASSIGN(const Scalar field, load_context(access, base, recorder));
    result = Value::scalar(field);
  } else if (base.kind == ValueKind::kStack) {
    EGPU_ASSIGN(result, load_stack(access, base, state, recorder));
  } else if (base.kind == ValueKind::kMapValue) {
    EGPU_TRY(check_map_value(access, base, recorder));
    EGPU_TRY(recorder.record_access(index, Region::kMapValue, 0, base.map));
    result = Value::scalar(Scalar::unknown().zero_extended(8 * access.bytes));
  } else {
    return refuse_base(access, base, recorder);
  }
  if (load.sign_extend && result.is_scalar())
    result = Value::scalar(result.number.sign_extended(8 * access.bytes));
  state[load.dst] = result;
  return {};
}

Result<void> check_store(const bpf::Store& store, std::size_t index, State& state,
                         Recorder& recorder) {
  const Access access = access_of(store, index);
  const Value base = state[store.base];
  const bool spill = base.kind == ValueKind::kStack && store.size == bpf::MemSize::k64;
  EGPU_ASSIGN(const Value value, operand_value(store.src, spill, index, state, recorder));
  if (base.kind == ValueKind::kStack) {
    EGPU_ASSIGN(const int offset, stack_offset(access, base, recorder));
    EGPU_TRY(recorder.record_access(index, Region::kStack, offset, 0));
    state.stack.store(offset, access.bytes, value);
    return {};
  }
  if (base.kind == ValueKind::kContext) {
    return recorder.refuse(index, fmt::format("r{} is a pointer to the context, which is read only",
                                              store.base.index));
  }
  if (base.kind != ValueKind::kMapValue) return refuse_base(access, base, recorder);
  if (recorder.map(base.map).type == bpf::MapType::kPercpuArray) {
    return recorder
        .refuse(
            index,
            fmt::format("r{}: a plain store to a value of map {}, which all warps of an SM share",
                        store.base.index, recorder.map(base.map).name))
        .hint(
            "use __atomic_fetch_add(&field, n, __ATOMIC_RELAXED) or another atomic operation, or "
            "a map of type BPF_MAP_TYPE_ARRAY");
  }
  EGPU_TRY(check_map_value(access, base, recorder));
  return recorder.record_access(index, Region::kMapValue, 0, base.map);
}

Result<void> check_atomic(const bpf::Atomic& atomic, std::size_t index, State& state,
                          Recorder& recorder) {
  const Access access = access_of(atomic, index);
  const Value base = state[atomic.base];
  EGPU_TRY(operand_value(atomic.src, false, index, state, recorder));
  const bool compares = atomic.op == bpf::AtomicOp::kCompareExchange;
  if (compares) EGPU_TRY(operand_value(bpf::kR0, false, index, state, recorder));
  if (base.kind == ValueKind::kMapValueOrNull) return refuse_base(access, base, recorder);
  if (base.kind != ValueKind::kMapValue) {
    return recorder
        .refuse(index, fmt::format("r{} is {}: atomic operations work on values of maps alone",
                                   atomic.base.index, recorder.describe(base)))
        .hint("no other thread sees this memory: use plain loads and stores");
  }
  EGPU_TRY(check_map_value(access, base, recorder));
  EGPU_TRY(recorder.record_access(index, Region::kMapValue, 0, base.map));
  if (atomic.fetch) {
    state[compares ? bpf::kR0 : atomic.src] =
        Value::scalar(Scalar::unknown().zero_extended(8 * access.bytes));
  }
  return {};
}

Result<void> check_call(const bpf::CallHelper& call, std::size_t index, State& state,
                        Recorder& recorder) {
  const HelperPrototype* const helper = find_helper(call.helper);
  if (helper == nullptr) {
    return recorder
        .refuse(index, fmt::format("{} is not supported on the GPU yet", helper_name(call.helper)))
        .hint("supported: bpf_map_lookup_elem");
  }
  std::optional<std::uint32_t> map;
  for (std::size_t i = 0; i < helper->arguments.size(); ++i) {
    const bpf::Reg reg{static_cast<std::uint8_t>(i + 1)};
    const Value& value = state[reg];
    if (helper->arguments[i] == ArgumentKind::kMap) {
      if (value.kind != ValueKind::kMap) {
        return recorder
            .refuse(index, fmt::format("r{} is {}, not a map", reg.index, recorder.describe(value)))
            .hint(fmt::format("pass the address of a map to {}", helper->name));
      }
      EGPU_TRY(recorder.record_call_map(index, value.map));
      map = value.map;
    } else if (helper->arguments[i] == ArgumentKind::kMapKey) {
      EGPU_TRY(check_key(reg, map.value_or(0), index, state, recorder));
    } else if (helper->arguments[i] != ArgumentKind::kUnused) {
      return recorder.refuse(index, fmt::format("{} is not supported yet", helper->name));
    }
  }
  for (std::uint8_t i = 1; i <= 5; ++i) state[bpf::Reg{i}] = {};
  state[bpf::kR0] = Value::scalar(Scalar::unknown());
  if (helper->result == ReturnKind::kMapValueOrNull) {
    state[bpf::kR0] = Value::pointer(ValueKind::kMapValueOrNull, map.value_or(0));
    state[bpf::kR0].id = recorder.next_id();
  }
  return {};
}

}  // namespace egpu::verifier
