#include "instrument/inline_probe.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace egpu::instrument {
namespace {

constexpr std::string_view kEndLabel = "$egpu_probe_end";

class Inliner {
 public:
  Inliner(std::string_view name, const std::vector<ptx::Declaration>& parameters,
          const ProbeArguments& arguments)
      : name_(name), parameters_(parameters), arguments_(arguments) {}

  Result<ptx::Block> block(const ptx::Block& original) {
    ptx::Block copy;
    copy.statements.reserve(original.statements.size() + 1);
    for (const ptx::Statement& statement : original.statements) {
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
        EGPU_ASSIGN(copy.statements.emplace_back(), rewritten(*instruction));
      } else if (const auto* nested = std::get_if<ptx::Block>(&statement)) {
        EGPU_ASSIGN(copy.statements.emplace_back(), block(*nested));
      } else {
        copy.statements.push_back(statement);
      }
    }
    return copy;
  }

 private:
  // The argument that stands for the parameter `name`, if it is one.
  [[nodiscard]] std::optional<std::string_view> argument(std::string_view name) const {
    if (name == parameters_[0].declarators[0].name) return arguments_.kernel_id;
    if (name == parameters_[1].declarators[0].name) return arguments_.site_id;
    return std::nullopt;
  }

  // Whether an address of the instruction names a parameter. Others are those of the calls in the
  // body, which move with it.
  [[nodiscard]] bool names_parameter(const ptx::Instruction& instruction) const {
    for (const ptx::Operand& operand : instruction.operands) {
      const auto* address = std::get_if<ptx::Address>(&operand);
      const auto* symbol =
          address != nullptr ? std::get_if<ptx::Symbol>(&address->parts[0]) : nullptr;
      if (symbol != nullptr && argument(symbol->name)) return true;
    }
    return false;
  }

  [[nodiscard]] bool passes_parameter(const ptx::Instruction& call) const {
    for (const ptx::Operand& operand : call.operands)
      if (const auto* list = std::get_if<ptx::ParameterList>(&operand))
        for (const ptx::Operand& element : list->elements)
          if (const auto* symbol = std::get_if<ptx::Symbol>(&element);
              symbol != nullptr && argument(symbol->name))
            return true;
    return false;
  }

  [[nodiscard]] Result<ptx::Instruction> rewritten(const ptx::Instruction& instruction) const {
    const std::string_view base = instruction.opcode.base();
    if (base == "ret")
      return ptx::Instruction{
          .guard = instruction.guard, .opcode = {"bra"}, .operands = {ptx::LabelName{kEndLabel}}};
    if (base == "call") {
      if (passes_parameter(instruction))
        return internal_error(fmt::format("{} passes its parameters on", name_));
      return instruction;
    }
    if (!instruction.opcode.has("param") || !names_parameter(instruction)) return instruction;

    // ld.param.b32 %r1, [kernel_id];
    const auto* address = instruction.operands.size() == 2
                              ? std::get_if<ptx::Address>(&instruction.operands[1])
                              : nullptr;
    const auto* symbol =
        address != nullptr ? std::get_if<ptx::Symbol>(&address->parts[0]) : nullptr;
    const auto value = symbol != nullptr ? argument(symbol->name) : std::nullopt;
    if (instruction.opcode.text != "ld.param.b32" || !value || !address->offset.empty())
      return internal_error(
          fmt::format("{} uses its parameters by {}", name_, instruction.opcode.text));
    return ptx::Instruction{.guard = instruction.guard,
                            .opcode = {"mov.b32"},
                            .operands = {instruction.operands[0], ptx::Integer{*value}}};
  }

  std::string_view name_;
  const std::vector<ptx::Declaration>& parameters_;
  const ProbeArguments& arguments_;
};

}  // namespace

Result<ptx::Block> inline_probe(const ptx::Function& probe, const ProbeArguments& arguments) {
  if (!probe.body || !probe.parameters || probe.parameters->size() != 2)
    return internal_error(fmt::format("{} is no probe function", probe.name));
  EGPU_ASSIGN(ptx::Block block,
              Inliner(probe.name, *probe.parameters, arguments).block(*probe.body));
  block.statements.emplace_back(ptx::Label{kEndLabel});
  return block;
}

}  // namespace egpu::instrument
