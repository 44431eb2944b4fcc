#include "verifier/access.h"

#include <fmt/format.h>

#include <bit>

namespace egpu::verifier {
namespace {

constexpr const char* kIndexHint =
    "bound the index where the checker can see it: if (i < N), or i & (N - 1)";

// "the 16 bytes of a value of map counts".
std::string place_of(const Value& base, std::uint64_t size, const Recorder& recorder) {
  if (base.kind == ValueKind::kReadOnly) {
    return fmt::format("the {} bytes of {}", size, recorder.object().read_only[base.target].name);
  }
  const char* const what = base.kind == ValueKind::kMapKey   ? "key"
                           : base.kind == ValueKind::kRecord ? "record"
                                                             : "value";
  return fmt::format("the {} bytes of a {} of map {}", size, what, recorder.map(base.target).name);
}

Result<void> check_alignment(const Access& access, const Scalar& start, const Recorder& recorder) {
  if (start.bits.is_aligned(access.alignment)) return {};
  return recorder
      .refuse(access.index, fmt::format("r{}: an access of {} bytes at offset {} is not aligned",
                                        access.base.index, access.bytes, to_string(start)))
      .hint("the GPU reads and writes at multiples of the size alone: do not pack the struct");
}

}  // namespace

std::string to_string(const Range& range) {
  if (range.is_constant()) return fmt::format("r10 {:+}", range.low);
  return fmt::format("r10 {:+} to {:+}", range.low, range.high);
}

Scalar start_of(const Access& access, const Value& base) {
  return apply(bpf::AluOp::kAdd, bpf::Width::k64, base.number,
               Scalar::constant(std::bit_cast<std::uint64_t>(std::int64_t{access.offset})));
}

std::optional<std::uint64_t> size_of(const Value& pointer, const Recorder& recorder) {
  switch (pointer.kind) {
    case ValueKind::kMapValue:
      return recorder.map(pointer.target).value_size;
    case ValueKind::kMapKey:
      return recorder.map(pointer.target).key_size;
    case ValueKind::kRecord:
      return pointer.bytes;
    case ValueKind::kReadOnly:
      return recorder.object().read_only[pointer.target].bytes.size();
    default:
      return std::nullopt;
  }
}

Result<Range> check_stack(const Access& access, const State& state, Recorder& recorder) {
  const Value& base = state[access.base];
  const Scalar start = start_of(access, base);
  if (start.smin < -kStackBytes || start.smax > -static_cast<std::int64_t>(access.bytes)) {
    const auto known = start.as_constant();
    return recorder
        .refuse(access.index,
                known ? fmt::format("r{}: {} bytes at r10 {:+} are outside the stack",
                                    access.base.index, access.bytes,
                                    std::bit_cast<std::int64_t>(*known))
                      : fmt::format("r{}: {} bytes at r10 + ({}) may be outside the stack",
                                    access.base.index, access.bytes, to_string(start)))
        .hint(known ? fmt::format("the stack is the {} bytes below r10", kStackBytes) : kIndexHint);
  }
  EGPU_TRY(check_alignment(access, start, recorder));
  const Range range{static_cast<int>(start.smin), static_cast<int>(start.smax)};
  recorder.use_stack(state.frames[base.target].function, range.low);
  return range;
}

Result<void> check_bounds(const Access& access, const Value& base, Recorder& recorder) {
  if (base.kind == ValueKind::kMapValue) recorder.record_use(base.target, access.use);
  const std::uint64_t size = size_of(base, recorder).value_or(0);
  const Scalar start = start_of(access, base);
  const bool inside = access.bytes <= size && start.smin >= 0 && start.umax <= size - access.bytes;
  if (!inside) {
    return recorder
        .refuse(access.index,
                fmt::format("r{}: {} bytes at offset {} may be outside {}", access.base.index,
                            access.bytes, to_string(start), place_of(base, size, recorder)))
        .hint(kIndexHint);
  }
  EGPU_TRY(check_alignment(access, start, recorder));
  if (base.kind != ValueKind::kReadOnly) return {};
  const bpf::ReadOnlySection& section = recorder.object().read_only[base.target];
  if (section.alignment >= access.alignment) return {};
  return recorder
      .refuse(access.index,
              fmt::format("r{}: an access of {} bytes in {}, which is aligned to {}",
                          access.base.index, access.bytes, section.name, section.alignment))
      .hint("read the bytes one by one, or give the variable the type it is read as");
}

Result<void> check_readable(const Access& access, const State& state, Recorder& recorder) {
  const Value& base = state[access.base];
  if (base.kind != ValueKind::kStack) {
    if (!size_of(base, recorder)) return refuse_base(access, base, recorder);
    return check_bounds(access, base, recorder);
  }
  EGPU_ASSIGN(const Range range, check_stack(access, state, recorder));
  const int end = range.high + static_cast<int>(access.bytes);
  if (state.frames[base.target].stack.holds_data(range.low, end)) return {};
  return recorder
      .refuse(access.index,
              fmt::format("r{}: {} bytes of the stack at {} are not initialised, or are part of a "
                          "pointer",
                          access.base.index, access.bytes, to_string(range)))
      .hint("give the variable a value on every path; arrays: = {}");
}

Error refuse_base(const Access& access, const Value& base, const Recorder& recorder) {
  const std::string what = fmt::format("r{} is {}", access.base.index, recorder.describe(base));
  if (base.may_be_null()) return recorder.refuse(access.index, what).hint(null_hint(base));
  return recorder.refuse(access.index, fmt::format("{}: it cannot be used as an address", what));
}

const char* null_hint(const Value& value) {
  return value.is_record() ? "compare the result of bpf_ringbuf_reserve with null before using it"
                           : "compare the result of bpf_map_lookup_elem with null before using it";
}

Result<void> check_plain_store(const Access& access, const Value& base, const Recorder& recorder) {
  if (base.kind == ValueKind::kRecord) return {};
  if (base.kind != ValueKind::kMapValue) {
    const bool read_only = base.kind == ValueKind::kContext || base.kind == ValueKind::kMapKey ||
                           base.kind == ValueKind::kReadOnly;
    if (!read_only) return refuse_base(access, base, recorder);
    return recorder
        .refuse(access.index, fmt::format("r{} is {}, which is read only", access.base.index,
                                          recorder.describe(base)))
        .hint("keep what changes in a variable without const, or in a map");
  }
  if (!bpf::is_percpu(recorder.map(base.target).type)) return {};
  return recorder
      .refuse(access.index,
              fmt::format("r{}: a plain store to a value of map {}, which all warps of an SM share",
                          access.base.index, recorder.map(base.target).name))
      .hint(
          "use __atomic_fetch_add(&field, n, __ATOMIC_RELAXED) or another atomic operation, or "
          "a map of type BPF_MAP_TYPE_ARRAY");
}

}  // namespace egpu::verifier
