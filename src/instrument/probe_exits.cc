#include "instrument/probe_exits.h"

#include <string>
#include <unordered_map>

#include "instrument/call_graph.h"
#include "instrument/inline_probe.h"

namespace egpu::instrument {
namespace {

constexpr std::string_view kStayLabel = "$egpu_stay";

// Where a thread may come to while nothing but its end lies ahead.
struct Place {
  const ptx::Block* block;
  std::size_t statement;
  const Place* outer;  // of the block around; null in the outermost one
};

class ExitWriter {
 public:
  ExitWriter(ptx::Module& module, const ptx::Function& function, const ExitProbes& probes,
             std::uint32_t& site)
      : module_(module), entry_(function.entry), probes_(probes), next_site_(site) {}

  Result<ptx::Block> body(const ptx::Block& original) {
    number(original);
    EGPU_ASSIGN(ptx::Block copy, block(original, nullptr));
    if (entry_ && falls_through(copy)) EGPU_TRY(append_end(copy, {}, text_end()));
    return copy;
  }

 private:
  [[nodiscard]] bool is_end(const ptx::Instruction& instruction) const {
    return ends_thread(instruction) || (entry_ && instruction.opcode.base() == "ret");
  }

  void number(const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* nested = std::get_if<ptx::Block>(&statement)) number(*nested);
      const auto* instruction = std::get_if<ptx::Instruction>(&statement);
      if (instruction != nullptr && is_end(*instruction)) sites_[instruction] = next_site_++;
    }
  }

  // The `ret` that the text's end stands for.
  const ptx::Instruction* text_end() {
    if (sites_.try_emplace(&text_end_, next_site_).second) ++next_site_;
    return &text_end_;
  }

  Result<ptx::Block> block(const ptx::Block& original, const Place* outer) {
    ptx::Block copy;
    copy.statements.reserve(original.statements.size());
    Place place{.block = &original, .statement = 0, .outer = outer};
    for (; place.statement < original.statements.size(); ++place.statement)
      EGPU_TRY(append(copy, original.statements[place.statement], place));
    return copy;
  }

  Result<void> append(ptx::Block& copy, const ptx::Statement& statement, const Place& place) {
    if (const auto* nested = std::get_if<ptx::Block>(&statement)) {
      EGPU_ASSIGN(copy.statements.emplace_back(), block(*nested, &place));
      return {};
    }
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      const ptx::Instruction* const end =
          is_end(*instruction) ? instruction : end_of_branch(*instruction, place);
      if (end != nullptr) return append_end(copy, instruction->guard, end);
    } else if (std::holds_alternative<ptx::Label>(statement)) {
      // Who comes from above ends here, apart from those who jump to the label.
      const ptx::Instruction* const end = end_at(place, kLongestChain);
      if (end != nullptr && falls_through(copy)) EGPU_TRY(append_end(copy, {}, end));
    }
    copy.statements.push_back(statement);
    return {};
  }

  // Whether control may run from the statements so far into the next one.
  static bool falls_through(const ptx::Block& block) {
    for (auto statement = block.statements.rbegin(); statement != block.statements.rend();
         ++statement) {
      if (std::holds_alternative<ptx::Directive>(*statement)) continue;
      if (const auto* nested = std::get_if<ptx::Block>(&*statement)) return falls_through(*nested);
      const auto* instruction = std::get_if<ptx::Instruction>(&*statement);
      if (instruction == nullptr || !instruction->guard.name.empty()) return true;
      const std::string_view base = instruction->opcode.base();
      return base != "ret" && base != "exit" && base != "bra" && base != "brx";
    }
    return true;
  }

  // The instruction at which a thread that comes to `place` ends, where nothing else is executed
  // on the way.
  const ptx::Instruction* end_at(const Place& place, int chain) {
    const auto& statements = place.block->statements;
    for (std::size_t i = place.statement; i < statements.size(); ++i) {
      if (std::holds_alternative<ptx::Block>(statements[i])) return nullptr;
      const auto* instruction = std::get_if<ptx::Instruction>(&statements[i]);
      if (instruction == nullptr) continue;
      if (!instruction->guard.name.empty()) return nullptr;
      if (is_end(*instruction)) return instruction;
      return end_of_branch(*instruction, place, chain);
    }
    if (place.outer == nullptr) return entry_ ? text_end() : nullptr;
    return end_at({place.outer->block, place.outer->statement + 1, place.outer->outer}, chain);
  }

  const ptx::Instruction* end_of_branch(const ptx::Instruction& branch, const Place& place,
                                        int chain = kLongestChain) {
    if (branch.opcode.base() != "bra" || branch.operands.size() != 1 || chain == 0) return nullptr;
    const auto* const target = std::get_if<ptx::LabelName>(branch.operands.data());
    if (target == nullptr) return nullptr;
    for (const Place* scope = &place; scope != nullptr; scope = scope->outer) {
      const auto label = labels_of(*scope->block).find(target->name);
      if (label != labels_of(*scope->block).end())
        return end_at({scope->block, label->second, scope->outer}, chain - 1);
    }
    return nullptr;
  }

  using Labels = std::unordered_map<std::string_view, std::size_t>;
  const Labels& labels_of(const ptx::Block& block) {
    const auto [known, added] = labels_.try_emplace(&block);
    if (added)
      for (std::size_t i = 0; i < block.statements.size(); ++i)
        if (const auto* label = std::get_if<ptx::Label>(&block.statements[i]))
          known->second.try_emplace(label->name, i);
    return known->second;
  }

  // { @!p bra stay; probes; ret; stay: }; without a guard: { probes; ret; }
  Result<void> append_end(ptx::Block& copy, const ptx::Register& guard,
                          const ptx::Instruction* end) {
    ptx::Block ending;
    if (!guard.name.empty())
      ending.statements.emplace_back(
          ptx::Instruction{.guard = {.name = guard.name, .negated = !guard.negated},
                           .opcode = {"bra"},
                           .operands = {ptx::LabelName{kStayLabel}}});
    const ProbeArguments arguments{module_.intern(std::to_string(probes_.kernel_id)),
                                   module_.intern(std::to_string(sites_.at(end)))};
    for (const ptx::Function* probe : probes_.functions) {
      EGPU_ASSIGN(ending.statements.emplace_back(), inline_probe(*probe, arguments));
    }
    ending.statements.emplace_back(ptx::Instruction{.opcode = end->opcode});
    if (!guard.name.empty()) ending.statements.emplace_back(ptx::Label{kStayLabel});
    copy.statements.emplace_back(std::move(ending));
    return {};
  }

  static constexpr int kLongestChain = 8;  // of branches to branches

  ptx::Module& module_;
  bool entry_;
  const ExitProbes& probes_;
  std::uint32_t& next_site_;
  ptx::Instruction text_end_{.opcode = {"ret"}};
  std::unordered_map<const ptx::Instruction*, std::uint32_t> sites_;
  std::unordered_map<const ptx::Block*, Labels> labels_;
};

}  // namespace

Result<ptx::Block> probe_exits(ptx::Module& module, const ptx::Function& function,
                               const ExitProbes& probes, std::uint32_t& site) {
  if (!function.body) return internal_error("a function without a body has no exits");
  return ExitWriter(module, function, probes, site).body(*function.body);
}

}  // namespace egpu::instrument
