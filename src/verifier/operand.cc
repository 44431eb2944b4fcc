#include "verifier/operand.h"

#include <fmt/format.h>

#include <bit>

namespace egpu::verifier {

Result<Value> read(const bpf::Operand& operand, std::size_t index, const State& state,
                   const Recorder& recorder) {
  if (const auto* const imm = std::get_if<bpf::Imm>(&operand)) {
    return Value::scalar(Scalar::constant(std::bit_cast<std::uint64_t>(std::int64_t{imm->value})));
  }
  const bpf::Reg reg = std::get<bpf::Reg>(operand);
  const Value& value = state[reg];
  if (value.kind == ValueKind::kEndedRecord) {
    return recorder.refuse(index, fmt::format("r{} is {}", reg.index, recorder.describe(value)))
        .hint("use a record before it is submitted or discarded, and end it once");
  }
  if (value.kind != ValueKind::kUninitialised) return value;
  return recorder.refuse(index, fmt::format("r{} is not initialised", reg.index))
      .hint("give the variable a value on every path; calls leave r1 to r5 without one");
}

Result<Value> read_public(const bpf::Operand& operand, std::size_t index, const State& state,
                          const Recorder& recorder) {
  EGPU_ASSIGN(Value value, read(operand, index, state, recorder));
  if (value.is_scalar()) return value;
  return recorder
      .refuse(index, fmt::format("{} is {}: it must not leave the program", subject(operand),
                                 recorder.describe(value)))
      .hint("store numbers in maps, not addresses");
}

std::string subject(const bpf::Operand& operand) {
  const auto* const reg = std::get_if<bpf::Reg>(&operand);
  return reg == nullptr ? "the constant" : fmt::format("r{}", reg->index);
}

}  // namespace egpu::verifier
