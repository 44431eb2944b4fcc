#include "emu/builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace egpu::emu {

bool Modifiers::take(std::string_view modifier) {
  const auto found = std::ranges::find(rest_, modifier);
  if (found == rest_.end()) return false;
  rest_.erase(found);
  return true;
}

std::string_view Modifiers::take_one_of(std::initializer_list<std::string_view> choices) {
  const auto found = std::ranges::find_if(rest_, [choices](std::string_view modifier) {
    return std::ranges::find(choices, modifier) != choices.end();
  });
  if (found == rest_.end()) return {};
  const std::string_view taken = *found;
  rest_.erase(found);
  return taken;
}

std::optional<ValueType> Modifiers::take_type() {
  for (auto at = rest_.begin(); at != rest_.end(); ++at) {
    const auto type = parse_type(*at);
    if (!type) continue;
    rest_.erase(at);
    return type;
  }
  return std::nullopt;
}

Result<void> Builder::finish(const Modifiers& modifiers) const {
  if (modifiers.left().empty()) return {};
  return error(fmt::format("modifier '.{}' is not known here", modifiers.left()));
}

Result<void> Builder::operands(const ptx::Instruction& instruction, std::size_t least,
                               std::size_t most) const {
  const std::size_t count = instruction.operands.size();
  if (count >= least && count <= most) return {};
  return error(least == most ? fmt::format("takes {} operands, not {}", least, count)
                             : fmt::format("takes {} to {} operands, not {}", least, most, count));
}

}  // namespace egpu::emu
