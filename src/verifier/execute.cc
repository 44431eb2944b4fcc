#include "verifier/execute.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "verifier/access.h"
#include "verifier/memory.h"
#include "verifier/operand.h"
#include "verifier/refine.h"

namespace egpu::verifier {
namespace {

Result<void> check_writable(bpf::Reg reg, std::size_t index, const Recorder& recorder) {
  if (reg != bpf::kR10) return {};
  return recorder.refuse(index, "r10 is the frame pointer, which is read only");
}

// Pointer +- number. Pointers to the context move by constants alone.
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
  if (pointer.may_be_null()) return recorder.refuse(index, what).hint(null_hint(pointer));
  if (pointer.kind == ValueKind::kMap) {
    return recorder.refuse(index, fmt::format("{}: a map has no address", what))
        .hint("look values up with bpf_map_lookup_elem");
  }
  if (pointer.kind == ValueKind::kFunction) {
    return recorder.refuse(index, fmt::format("{}: a function has no address", what))
        .hint("pass it to a helper that calls back");
  }
  if (pointer.kind == ValueKind::kContext && !number.number.as_constant()) {
    return recorder
        .refuse(index, fmt::format("{}: it can only move by a constant, not by {}", what,
                                   to_string(number.number)))
        .hint("read each field of the context by its name");
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

Value immediate(const bpf::LoadImm64& load) {
  const auto address = [&load](ValueKind kind) {
    Value value = Value::pointer(kind, load.index);
    value.number = Scalar::constant(load.value);
    return value;
  };
  switch (load.kind) {
    case bpf::Imm64Kind::kConstant:
      break;
    case bpf::Imm64Kind::kMap:
      return Value::pointer(ValueKind::kMap, static_cast<std::uint32_t>(load.value));
    case bpf::Imm64Kind::kMapData:
      return address(ValueKind::kMapValue);
    case bpf::Imm64Kind::kReadOnly:
      return address(ValueKind::kReadOnly);
    case bpf::Imm64Kind::kFunction:
      return Value::pointer(ValueKind::kFunction, static_cast<std::uint32_t>(load.value));
  }
  return Value::scalar(Scalar::constant(load.value));
}

// Code without 32-bit instructions extends a number by shifting it left and right again by 32. A
// number that already fits comes back as the same number: both are tied together. Where only the
// shifted number was kept, each way back gives what the one before it gave, as long as that fits.
Value shifted(const bpf::Alu& alu, const Value& number, const Value& result, State& state,
              Recorder& recorder) {
  const bool by_half = alu.width == bpf::Width::k64 && alu.src == bpf::Operand{bpf::Imm{32}};
  if (!by_half) return result;
  Value tied = result;
  if (alu.op == bpf::AluOp::kLsh) {
    const bool fits = number.number.fits_unsigned(32) || number.number.fits_signed(32);
    tied.low_half = fits ? number.id : 0;
    return tied;
  }
  const bool zeros = alu.op == bpf::AluOp::kRsh;
  if (!zeros && alu.op != bpf::AluOp::kArsh) return result;
  if (number.low_half != 0) {
    state.change_all(number.low_half, [&](const Value& original) {
      const Scalar& whole = original.number;
      if (zeros ? whole.fits_unsigned(32) : whole.fits_signed(32)) tied = original;
    });
  } else if (number.id != 0 && number.number.bits.is_aligned(std::uint64_t{1} << 32)) {
    tied.id = recorder.next_id();
    state.change_all(number.id, [&](Value& copy) { copy.low_half = tied.id; });
  }
  return tied;
}

// Applies instructions that stay in their function; one overload for each.
struct Executor {
  std::size_t index;
  State& state;
  Recorder& recorder;

  Result<void> operator()(const bpf::Alu& alu) const {
    EGPU_TRY(check_writable(alu.dst, index, recorder));
    EGPU_TRY(check_constant_operand(alu, index, recorder));
    EGPU_ASSIGN(const Value dst, read(alu.dst, index, state, recorder));
    EGPU_ASSIGN(const Value src, read(alu.src, index, state, recorder));
    if (dst.is_scalar() && src.is_scalar()) {
      const Value result = Value::scalar(apply(alu.op, alu.width, dst.number, src.number));
      state[alu.dst] = shifted(alu, dst, result, state, recorder);
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
    state[load.dst] = immediate(load);
    return {};
  }

  Result<void> operator()(const bpf::Load& load) const {
    EGPU_TRY(check_writable(load.dst, index, recorder));
    EGPU_TRY(read(load.base, index, state, recorder));
    return check_load(load, index, state, recorder);
  }

  Result<void> operator()(const bpf::Store& store) const {
    EGPU_TRY(read(store.base, index, state, recorder));
    return check_store(store, index, state, recorder);
  }

  Result<void> operator()(const bpf::Atomic& atomic) const {
    EGPU_TRY(read(atomic.base, index, state, recorder));
    if (atomic.fetch) EGPU_TRY(check_writable(atomic.src, index, recorder));
    return check_atomic(atomic, index, state, recorder);
  }

  // What leads elsewhere is not for this place.
  template <class Leaving>
  Result<void> operator()(const Leaving&) const {
    return internal_error("a jump or a call was executed as a plain instruction");
  }

 private:
  Result<Value> number_to_change(bpf::Reg reg) const {
    EGPU_TRY(check_writable(reg, index, recorder));
    EGPU_ASSIGN(const Value value, read(reg, index, state, recorder));
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

// What the look-up or reservation behind `reg` gave: null, or a value or record.
void learn_null(State& state, bpf::Reg reg, bool is_null) {
  const bool is_record = state[reg].is_record();
  const auto settle = [is_null, is_record](Value& value) {
    if (is_null) {
      value = Value::scalar(Scalar::constant(0));
    } else if (is_record) {
      value.kind = ValueKind::kRecord;
    } else {
      value = Value::pointer(ValueKind::kMapValue, value.target);
    }
  };
  const std::uint32_t id = state[reg].id;
  if (is_record && is_null) state.end_reservation(id);
  if (id == 0) return settle(state[reg]);
  state.change_all(id, settle);
}

// A pointer into something is not null as long as it has not left that.
bool is_inside(const Value& value, const Recorder& recorder) {
  if (value.kind == ValueKind::kStack) {
    return value.number.smin >= -kStackBytes && value.number.smax <= 0;
  }
  const auto size = size_of(value, recorder);
  return size && value.number.smin >= 0 && value.number.umax <= *size;
}

Result<Branch> compare_pointer(const bpf::JumpIf& jump, std::uint32_t index, State& state,
                               const Value& dst, const Value& src, const Recorder& recorder) {
  const bool is_equality =
      jump.condition == bpf::Condition::kEq || jump.condition == bpf::Condition::kNe;
  const bool with_null = src.is_scalar() && src.number.as_constant() == 0;
  const bool may_be_null = dst.may_be_null();
  if (!is_equality || !with_null || jump.width != bpf::Width::k64 ||
      !(may_be_null || is_inside(dst, recorder))) {
    const std::string name =
        dst.is_pointer() ? fmt::format("r{}", jump.dst.index) : subject(jump.src);
    return recorder
        .refuse(index, fmt::format("{} is {}: this comparison is not supported", name,
                                   recorder.describe(dst.is_pointer() ? dst : src)))
        .hint("compare pointers only with null, and only those that a helper gave");
  }
  const bool jumps_if_null = jump.condition == bpf::Condition::kEq;
  if (!may_be_null) return Branch{.next = jumps_if_null ? index + 1 : jump.target};
  Branch branch{.next = index + 1, .other = Successor{state, jump.target}};
  learn_null(state, jump.dst, !jumps_if_null);
  learn_null(branch.other->state, jump.dst, jumps_if_null);
  return branch;
}

using Operands = std::pair<Scalar, Scalar>;

void learn(State& state, const bpf::JumpIf& jump, const Operands& numbers) {
  learn(state, jump.dst, numbers.first);
  if (const auto* const reg = std::get_if<bpf::Reg>(&jump.src)) learn(state, *reg, numbers.second);
}

}  // namespace

Result<void> execute(const bpf::Instruction& instruction, std::size_t index, State& state,
                     Recorder& recorder) {
  return std::visit(Executor{index, state, recorder}, instruction);
}

Result<Branch> execute_branch(const bpf::JumpIf& jump, std::uint32_t index, State& state,
                              const Recorder& recorder) {
  EGPU_ASSIGN(const Value dst, read(jump.dst, index, state, recorder));
  EGPU_ASSIGN(const Value src, read(jump.src, index, state, recorder));
  if (!dst.is_scalar() || !src.is_scalar()) {
    return compare_pointer(jump, index, state, dst, src, recorder);
  }
  const auto stays = refine(jump.condition, jump.width, false, dst.number, src.number);
  const auto jumps = refine(jump.condition, jump.width, true, dst.number, src.number);
  Branch branch;
  if (stays && jumps) {
    branch.other = Successor{state, jump.target};
    learn(branch.other->state, jump, *jumps);
  }
  // Neither can be taken where the operands' bounds contradict each other unnoticed: no run comes
  // here. The path goes on all the same, because generated code goes on as well.
  branch.next = stays || !jumps ? index + 1 : jump.target;
  if (stays || jumps) learn(state, jump, stays ? *stays : *jumps);
  return branch;
}

}  // namespace egpu::verifier
