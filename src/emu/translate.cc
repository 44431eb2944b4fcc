#include "emu/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "emu/control.h"
#include "emu/ops_param.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

// Directives that tell nothing to who runs the code.
constexpr std::string_view kIgnored[] = {".loc", ".pragma", ".file"};

class FunctionTranslator {
 public:
  FunctionTranslator(const KernelContext& context, const ptx::Function& function, Code& code)
      : function_(function), builder_(context, function, code) {}

  Result<void> run() {
    EGPU_TRY(builder_.declare_parameters());
    find_targets(*function_.body);
    EGPU_TRY(translate(*function_.body));
    builder_.emit_always({.handler = return_from});
    return builder_.finish_code();
  }

 private:
  // A label of a block; several branches may wait for its position.
  struct Target {
    static constexpr std::size_t kUnknown = ~std::size_t{0};
    std::size_t position = kUnknown;
    std::vector<std::size_t> branches;
  };
  using Labels = std::unordered_map<std::string_view, Target>;

  // Only labels that are named need an Op: compilers write many for the debugger.
  void find_targets(const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* nested = std::get_if<ptx::Block>(&statement)) find_targets(*nested);
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement))
        for (const ptx::Operand& operand : instruction->operands)
          if (const auto* label = std::get_if<ptx::LabelName>(&operand))
            targets_.insert(label->name);
    }
  }

  Result<void> translate(const ptx::Block& block) {
    builder_.enter();
    Labels& labels = labels_.emplace_back();
    for (const ptx::Statement& statement : block.statements)
      if (const auto* label = std::get_if<ptx::Label>(&statement)) labels[label->name];
    for (const ptx::Statement& statement : block.statements)
      EGPU_TRY(std::visit([this](const auto& part) { return this->translate(part); },
                          static_cast<const ptx::Statement::variant&>(statement)));
    labels_.pop_back();
    builder_.leave();
    return {};
  }

  Result<void> translate(const ptx::Declaration& declaration) {
    return builder_.declare(declaration);
  }

  Result<void> translate(const ptx::Directive& directive) {
    if (std::ranges::find(kIgnored, directive.name()) != std::end(kIgnored)) return {};
    return input_error(fmt::format("directive {} is not known in a function", directive.name()))
        .at(builder_.context().module.place(directive.text));
  }

  Result<void> translate(const ptx::Label& label) {
    Target& target = labels_.back()[label.name];
    if (target.position != Target::kUnknown)
      return input_error(fmt::format("label {} stands twice", label.name))
          .at(builder_.context().module.place(label.name));
    target.position = builder_.position();
    for (const std::size_t branch : target.branches) aim(branch, target.position);
    target.branches.clear();
    if (targets_.contains(label.name)) builder_.emit_always({.handler = reach_label});
    return {};
  }

  void aim(std::size_t branch, std::size_t position) {
    builder_.code().ops[branch].immediate =
        static_cast<std::int64_t>(position) - static_cast<std::int64_t>(branch);
  }

  Result<void> translate(const ptx::Instruction& instruction) {
    EGPU_TRY(builder_.begin(instruction));
    const std::string_view opcode = instruction.opcode.base();
    if (opcode == "bra") return translate_branch(instruction);
    if (opcode == "ret") return translate_end(instruction, return_from);
    if (opcode == "exit") return translate_end(instruction, exit_thread);
    if (opcode == "trap") return translate_end(instruction, trap);
    if (is_parameter_access(instruction.opcode))
      return translate_parameter_access(builder_, instruction);
    const Translator translator = find_translator(opcode);
    if (translator == nullptr) return builder_.error("the emulator does not know it");
    return translator(builder_, instruction);
  }

  Result<void> translate_end(const ptx::Instruction& instruction, Handler handler) {
    Modifiers modifiers(instruction.opcode);
    if (handler == return_from) modifiers.take("uni");
    EGPU_TRY(builder_.finish(modifiers));
    EGPU_TRY(builder_.operands(instruction, 0, 0));
    builder_.emit({.handler = handler});
    return {};
  }

  Result<void> translate_branch(const ptx::Instruction& instruction) {
    Modifiers modifiers(instruction.opcode);
    modifiers.take("uni");
    EGPU_TRY(builder_.finish(modifiers));
    EGPU_TRY(builder_.operands(instruction, 1, 1));
    const auto* const label = std::get_if<ptx::LabelName>(&instruction.operands[0]);
    if (label == nullptr) return builder_.error("needs a label");
    Op op{.handler = branch};
    if (!instruction.guard.name.empty()) {
      op.handler = instruction.guard.negated ? branch_unless : branch_if;
      EGPU_ASSIGN(op.a,
                  builder_.read(ptx::Register{instruction.guard.name}, {TypeKind::kPredicate, 1}));
    }
    const std::size_t position = builder_.position();
    builder_.emit_always(op);
    return aim(position, label->name);
  }

  Result<void> aim(std::size_t branch, std::string_view label) {
    for (auto scope = labels_.rbegin(); scope != labels_.rend(); ++scope) {
      const auto found = scope->find(label);
      if (found == scope->end()) continue;
      if (found->second.position == Target::kUnknown) {
        found->second.branches.push_back(branch);
      } else {
        aim(branch, found->second.position);
      }
      return {};
    }
    return builder_.error(fmt::format("there is no label {}", label));
  }

  const ptx::Function& function_;
  FunctionBuilder builder_;
  std::vector<Labels> labels_;
  std::unordered_set<std::string_view> targets_;
};

}  // namespace

Result<void> translate(const KernelContext& context, const ptx::Function& function, Code& code) {
  code.name = function.name;
  return FunctionTranslator(context, function, code).run();
}

}  // namespace egpu::emu
