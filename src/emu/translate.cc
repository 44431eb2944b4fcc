#include "emu/translate.h"

#include <fmt/format.h>

#include <algorithm>

#include "emu/control.h"
#include "emu/labels.h"
#include "emu/ops_param.h"
#include "emu/select.h"
#include "emu/translate_call.h"

namespace egpu::emu {
namespace {

// Directives that tell nothing to who runs the code; prototypes are checked when a call is made.
constexpr std::string_view kIgnored[] = {".loc",           ".pragma",      ".file",
                                         ".branchtargets", ".calltargets", ".callprototype"};

class FunctionTranslator {
 public:
  FunctionTranslator(const KernelContext& context, const ptx::Function& function, Code& code,
                     const RegisterPlan* plan)
      : function_(function), builder_(context, function, code, plan), labels_(builder_, function) {
    code.name = function.name;
  }

  Result<void> run() {
    EGPU_TRY(builder_.declare_parameters());
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): reach_of() gives none without a body
    EGPU_TRY(translate(*function_.body));
    builder_.emit_always({.handler = return_from});
    return builder_.finish_code();
  }

  const RegisterUses& uses() const { return builder_.uses(); }

 private:
  Result<void> translate(const ptx::Block& block) {
    builder_.enter();
    labels_.enter(block);
    for (const ptx::Statement& statement : block.statements)
      EGPU_TRY(std::visit([this](const auto& part) { return this->translate(part); },
                          static_cast<const ptx::Statement::variant&>(statement)));
    labels_.leave();
    builder_.leave();
    return {};
  }

  Result<void> translate(const ptx::Declaration& declaration) {
    return builder_.declare(declaration);
  }

  Result<void> translate(const ptx::Label& label) { return labels_.place(label.name); }

  Result<void> translate(const ptx::Directive& directive) {
    if (std::ranges::find(kIgnored, directive.name()) != std::end(kIgnored)) return {};
    return input_error(fmt::format("directive {} is not known in a function", directive.name()))
        .at(builder_.context().module.place(directive.text));
  }

  Result<void> translate(const ptx::Instruction& instruction) {
    EGPU_TRY(builder_.begin(instruction));
    EGPU_TRY(translate_one(instruction));
    builder_.end();
    return {};
  }

  Result<void> translate_one(const ptx::Instruction& instruction) {
    const std::string_view opcode = instruction.opcode.base();
    if (opcode == "bra") return translate_branch(instruction);
    if (opcode == "brx") return translate_indexed_branch(instruction);
    if (opcode == "ret") return translate_end(instruction, return_from);
    if (opcode == "exit") return translate_end(instruction, exit_thread);
    if (opcode == "trap") return translate_end(instruction, trap);
    if (opcode == "call") return translate_call(builder_, instruction);
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
    return labels_.aim(label->name, position);
  }

  // brx.idx %r1, targets;
  Result<void> translate_indexed_branch(const ptx::Instruction& instruction) {
    Modifiers modifiers(instruction.opcode);
    if (!modifiers.take("idx")) return builder_.error("needs .idx");
    modifiers.take("uni");
    EGPU_TRY(builder_.finish(modifiers));
    EGPU_TRY(builder_.operands(instruction, 2, 2));
    const auto* const name = std::get_if<ptx::LabelName>(&instruction.operands[1]);
    const Labels::List* const list = name != nullptr ? labels_.list(name->name) : nullptr;
    if (list == nullptr || list->empty()) return builder_.error("needs a list of .branchtargets");
    auto* const distances = builder_.keep_open(std::vector<std::int64_t>(list->size()));
    EGPU_ASSIGN(const Slot index,
                builder_.read(instruction.operands[0], {TypeKind::kUnsigned, 32}));
    const std::size_t position = builder_.position();
    builder_.emit({.handler = branch_to_indexed, .a = index, .extra = distances});
    for (std::size_t i = 0; i < list->size(); ++i)
      EGPU_TRY(labels_.aim((*list)[i], position, &(*distances)[i]));
    return {};
  }

  const ptx::Function& function_;
  FunctionBuilder builder_;
  Labels labels_;
};

// A frame of no more bytes fits into the first cache anyway.
constexpr std::uint32_t kSmallFrame = 8 << 10;
constexpr std::uint32_t kLargestFrame = 16 << 20;

}  // namespace

Result<void> translate(const KernelContext& context, const ptx::Function& function, Code& code) {
  Code draft;
  FunctionTranslator first(context, function, draft, nullptr);
  EGPU_TRY(first.run());
  if (draft.register_bytes <= kSmallFrame) {
    code = std::move(draft);
    return {};
  }
  const RegisterPlan plan = plan_registers(draft, first.uses());
  EGPU_TRY(FunctionTranslator(context, function, code, &plan).run());
  if (code.register_bytes > kLargestFrame)
    return input_error(fmt::format("function {} needs too many registers", function.name))
        .at(context.module.place(function.name));
  return {};
}

}  // namespace egpu::emu
