#include "verifier/execute.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "verifier/memory.h"
#include "verifier/refine.h"

namespace egpu::verifier {
namespace {

constexpr const char* kUninitialisedHint =
    "give the variable a value on every path; calls leave r1 to r5 without one";

Value constant(bpf::Imm imm) {
  return Value::scalar(Scalar::constant(std::bit_cast<std::uint64_t>(std::int64_t{imm.value})));
}

Error refuse_uninitialised(bpf::Reg reg, std::size_t index, const Recorder& recorder) {
  return recorder.refuse(index, fmt::format("r{} is not initialised", reg.index))
      .hint(kUninitialisedHint);
}

Result<void> check_writable(bpf::Reg reg, std::size_t index, const Recorder& recorder) {
  if (reg != bpf::kR10) return {};
  return recorder.refuse(index, "r10 is the frame pointer, which is read only");
}

Result<Value> read_register(bpf::Reg reg, std::size_t index, const State& state,
                            const Recorder& recorder) {
  const Value& value = state[reg];
  if (value.kind == ValueKind::kUninitialised) return refuse_uninitialised(reg, index, recorder);
  return value;
}

Result<Value> read(const bpf::Operand& operand, std::size_t index, const State& state,
                   const Recorder& recorder) {
  if (const auto* const imm = std::get_if<bpf::Imm>(&operand)) return constant(*imm);
  return read_register(std::get<bpf::Reg>(operand), index, state, recorder);
}

// "r2", or "the constant": the subject of a message about an operand.
std::string subject(const bpf::Operand& operand) {
  const auto* const reg = std::get_if<bpf::Reg>(&operand);
  return reg == nullptr ? "the constant" : fmt::format("r{}", reg->index);
}

// Pointer +- number. Pointers to context and stack move by constants alone.
Result<Value> move_pointer(const bpf::Alu& alu, const Value& dst, const Value& src,
                           std::size_t index, const Recorder& recorder) {
  const bool dst_points = dst.is_pointer();
  const Value& pointer = dst_points ? dst : src;
  const Value& number = dst_points ? src : dst;
  const std::string name = dst_points ? fmt::format("r{}", alu.dst.index) : subject(alu.src);
  const std::string what = fmt::format("{} is {}", name, recorder.describe(pointer));
  if (number.is_pointer()) {
    return recorder.refuse(index,
                           fmt::format("{}: arithmetic on two pointers is not supported", what));
  }
  const bool supported = alu.width == bpf::Width::k64 &&
                         (alu.op == bpf::AluOp::kAdd || (alu.op == bpf::AluOp::kSub && dst_points));
  if (!supported) {
    return recorder.refuse(index,
                           fmt::format("{}: only 64-bit addition and subtraction of a number "
                                       "work on a pointer",
                                       what));
  }
  if (pointer.kind == ValueKind::kMapValueOrNull) {
    return recorder.refuse(index, what)
        .hint("compare the result of bpf_map_lookup_elem with null before using it");
  }
  if (pointer.kind == ValueKind::kMap) {
    return recorder.refuse(index, fmt::format("{}: a map has no address", what))
        .hint("look values up with bpf_map_lookup_elem");
  }
  if (pointer.kind != ValueKind::kMapValue && !number.number.as_constant()) {
    return recorder
        .refuse(index, fmt::format("{}: it can only move by a constant, not by {}", what,
                                   to_string(number.number)))
        .hint("keep arrays with a computed index in a map");
  }
  Value result = pointer;
  result.number = apply(alu.op, bpf::Width::k64, pointer.number, number.number);
  return result;
}

// What the kernel's verifier refuses too: it is always a mistake.
Result<void> check_constant_operand(const bpf::Alu& alu, std::size_t index,
                                    const Recorder& recorder) {
  const auto* const imm = std::get_if<bpf::Imm>(&alu.src);
  if (imm == nullptr) return {};
  using bpf::AluOp;
  const bool divides = alu.op == AluOp::kDiv || alu.op == AluOp::kMod || alu.op == AluOp::kSdiv ||
                       alu.op == AluOp::kSmod;
  if (divides && imm->value == 0) return recorder.refuse(index, "division by the constant zero");
  const bool shifts = alu.op == AluOp::kLsh || alu.op == AluOp::kRsh || alu.op == AluOp::kArsh;
  const int bits = alu.width == bpf::Width::k64 ? 64 : 32;
  if (shifts && (imm->value < 0 || imm->value >= bits)) {
    return recorder.refuse(index, fmt::format("shift of a {}-bit number by {}", bits, imm->value));
  }
  return {};
}

// Applies instructions other than jumps; one overload for each.
struct Executor {
  std::size_t index;
  State& state;
  Recorder& recorder;

  Result<void> operator()(const bpf::Alu& alu) const {
    EGPU_TRY(check_writable(alu.dst, index, recorder));
    EGPU_TRY(check_constant_operand(alu, index, recorder));
    EGPU_ASSIGN(const Value dst, read_register(alu.dst, index, state, recorder));
    EGPU_ASSIGN(const Value src, read(alu.src, index, state, recorder));
    if (dst.is_scalar() && src.is_scalar()) {
      state[alu.dst] = Value::scalar(apply(alu.op, alu.width, dst.number, src.number));
      return {};
    }
    EGPU_ASSIGN(state[alu.dst], move_pointer(alu, dst, src, index, recorder));
    return {};
  }

  Result<void> operator()(const bpf::Mov& mov) const {
    EGPU_TRY(check_writable(mov.dst, index, recorder));
    EGPU_ASSIGN(Value value, read(mov.src, index, state, recorder));
    const bool whole = mov.width == bpf::Width::k64 && mov.sign_bits == 0;
    if (value.is_pointer() && !whole) {
      return recorder.refuse(index, fmt::format("{} is {}: it can only be copied whole",
                                                subject(mov.src), recorder.describe(value)));
    }
    if (value.is_scalar()) value = copied(mov, value);
    state[mov.dst] = value;
    return {};
  }

  Result<void> operator()(const bpf::Neg& neg) const {
    EGPU_ASSIGN(const Value value, number_to_change(neg.dst));
    state[neg.dst] =
        Value::scalar(apply(bpf::AluOp::kSub, neg.width, Scalar::constant(0), value.number));
    return {};
  }

  Result<void> operator()(const bpf::ByteSwap& swap) const {
    EGPU_ASSIGN(const Value value, number_to_change(swap.dst));
    const Scalar low = value.number.zero_extended(swap.bits);
    const bool keeps_order = swap.order == bpf::ByteOrder::kToLittle;
    state[swap.dst] = Value::scalar(keeps_order ? low : Scalar::unknown().zero_extended(swap.bits));
    return {};
  }

  Result<void> operator()(const bpf::LoadImm64& load) const {
    EGPU_TRY(check_writable(load.dst, index, recorder));
    if (load.kind != bpf::Imm64Kind::kMap && load.kind != bpf::Imm64Kind::kConstant) {
      return recorder.refuse(index, "this address is not supported");
    }
    state[load.dst] = load.kind == bpf::Imm64Kind::kMap
                          ? Value::pointer(ValueKind::kMap, static_cast<std::uint32_t>(load.value))
                          : Value::scalar(Scalar::constant(load.value));
    return {};
  }

  Result<void> operator()(const bpf::Load& load) const {
    EGPU_TRY(check_writable(load.dst, index, recorder));
    EGPU_TRY(read_register(load.base, index, state, recorder));
    return check_load(load, index, state, recorder);
  }

  Result<void> operator()(const bpf::Store& store) const {
    EGPU_TRY(read_register(store.base, index, state, recorder));
    return check_store(store, index, state, recorder);
  }

  Result<void> operator()(const bpf::Atomic& atomic) const {
    EGPU_TRY(read_register(atomic.base, index, state, recorder));
    if (atomic.fetch) EGPU_TRY(check_writable(atomic.src, index, recorder));
    return check_atomic(atomic, index, state, recorder);
  }

  Result<void> operator()(const bpf::CallHelper& call) const {
    return check_call(call, index, state, recorder);
  }

  Result<void> operator()(const bpf::CallSubprogram&) const {
    return recorder.refuse(index, "calls of subprograms are not supported")
        .hint("mark the function __always_inline");
  }

  Result<void> operator()(const bpf::CallExtern&) const {
    return recorder.refuse(index, "this function is not supported");
  }

  Result<void> operator()(const bpf::Exit&) const {
    EGPU_ASSIGN(const Value result, read_register(bpf::kR0, index, state, recorder));
    if (result.is_scalar()) return {};
    return recorder
        .refuse(index,
                fmt::format("r0 is {}: a program returns a number", recorder.describe(result)))
        .hint("end the program with: return 0");
  }

  Result<void> operator()(const bpf::Jump&) const { return jump_is_bug(); }
  Result<void> operator()(const bpf::JumpIf&) const { return jump_is_bug(); }

 private:
  static Error jump_is_bug() {
    return internal_error("a jump was executed as a plain instruction");
  }

  Result<Value> number_to_change(bpf::Reg reg) const {
    EGPU_TRY(check_writable(reg, index, recorder));
    EGPU_ASSIGN(const Value value, read_register(reg, index, state, recorder));
    if (value.is_scalar()) return value;
    return recorder.refuse(
        index, fmt::format("r{} is {}, not a number", reg.index, recorder.describe(value)));
  }

  // The number that a move gives. Where it is the same number, both are tied together by an id.
  [[nodiscard]] Value copied(const bpf::Mov& mov, const Value& source) const {
    const unsigned bits = mov.width == bpf::Width::k64 ? 64 : 32;
    Scalar number = source.number;
    if (mov.sign_bits != 0) number = number.sign_extended(mov.sign_bits);
    number = number.zero_extended(bits);
    const auto* const reg = std::get_if<bpf::Reg>(&mov.src);
    const bool same = number == source.number &&
                      (mov.sign_bits == 0 || source.number.fits_signed(mov.sign_bits)) &&
                      source.number.fits_unsigned(bits);
    if (reg == nullptr || !same || number.as_constant()) return Value::scalar(number);
    Value& original = state[*reg];
    if (original.id == 0) original.id = recorder.next_id();
    return original;
  }
};

// Gives `value`, and every value tied to it, what a branch told about it.
void learn(State& state, bpf::Reg reg, const Scalar& number) {
  const std::uint32_t id = state[reg].id;
  state[reg].number = number;
  if (id == 0) return;
  state.change_all(id, [&](Value& value) { value.number = number; });
}

// The state where the outcome of `jump` is `holds`, if it can be.
std::optional<State> learned(const bpf::JumpIf& jump, bool holds, const State& state,
                             const Value& dst, const Value& src) {
  const auto numbers = refine(jump.condition, jump.width, holds, dst.number, src.number);
  if (!numbers) return std::nullopt;
  State result = state;
  learn(result, jump.dst, numbers->first);
  if (const auto* const reg = std::get_if<bpf::Reg>(&jump.src)) {
    learn(result, *reg, numbers->second);
  }
  return result;
}

// The state where the look-up behind `reg` found a value, or did not.
State with_null_known(const State& state, bpf::Reg reg, bool is_null) {
  State result = state;
  const auto settle = [is_null](Value& value) {
    value = is_null ? Value::scalar(Scalar::constant(0))
                    : Value::pointer(ValueKind::kMapValue, value.map);
  };
  const std::uint32_t id = state[reg].id;
  if (id != 0) {
    result.change_all(id, settle);
  } else {
    settle(result[reg]);
  }
  return result;
}

// A pointer into a value is not null as long as it has not left the value.
bool is_inside_value(const Value& value, const Recorder& recorder) {
  return value.kind == ValueKind::kMapValue && value.number.smin >= 0 &&
         value.number.umax <= recorder.map(value.map).value_size;
}

Result<std::vector<Successor>> compare_pointer(const bpf::JumpIf& jump, std::uint32_t index,
                                               const State& state, const Value& dst,
                                               const Value& src, const Recorder& recorder) {
  const bool is_equality =
      jump.condition == bpf::Condition::kEq || jump.condition == bpf::Condition::kNe;
  const bool with_null = src.is_scalar() && src.number.as_constant() == 0;
  const bool may_be_null = dst.kind == ValueKind::kMapValueOrNull;
  if (!is_equality || !with_null || jump.width != bpf::Width::k64 ||
      !(may_be_null || is_inside_value(dst, recorder))) {
    const std::string name =
        dst.is_pointer() ? fmt::format("r{}", jump.dst.index) : subject(jump.src);
    return recorder
        .refuse(index, fmt::format("{} is {}: this comparison is not supported", name,
                                   recorder.describe(dst.is_pointer() ? dst : src)))
        .hint("compare pointers only with null, and only those that bpf_map_lookup_elem gave");
  }
  const bool jumps_if_null = jump.condition == bpf::Condition::kEq;
  const std::uint32_t if_null = jumps_if_null ? jump.target : index + 1;
  const std::uint32_t if_found = jumps_if_null ? index + 1 : jump.target;
  if (!may_be_null) return std::vector<Successor>{{state, if_found}};
  std::vector<Successor> successors = {{with_null_known(state, jump.dst, false), if_found},
                                       {with_null_known(state, jump.dst, true), if_null}};
  if (!jumps_if_null) std::swap(successors[0], successors[1]);
  return successors;
}

}  // namespace

Result<void> execute(const bpf::Instruction& instruction, std::size_t index, State& state,
                     Recorder& recorder) {
  return std::visit(Executor{index, state, recorder}, instruction);
}

Result<std::vector<Successor>> execute_branch(const bpf::JumpIf& jump, std::uint32_t index,
                                              const State& state, const Recorder& recorder) {
  EGPU_ASSIGN(const Value dst, read_register(jump.dst, index, state, recorder));
  EGPU_ASSIGN(const Value src, read(jump.src, index, state, recorder));
  if (!dst.is_scalar() || !src.is_scalar()) {
    return compare_pointer(jump, index, state, dst, src, recorder);
  }
  std::vector<Successor> successors;
  for (const bool holds : {false, true}) {
    if (auto next = learned(jump, holds, state, dst, src)) {
      successors.push_back({std::move(*next), holds ? jump.target : index + 1});
    }
  }
  return successors;
}

}  // namespace egpu::verifier
