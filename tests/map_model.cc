// The search of Wing and Gong ("Testing and verifying concurrent objects", 1993), which remembers
// where it was.
#include "map_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>

namespace egpu {
namespace {

constexpr std::size_t kKeys = 8;

struct State {
  std::array<std::optional<std::uint64_t>, kKeys> values = {};
  auto operator<=>(const State&) const = default;

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(values, [](const auto& value) { return value.has_value(); }));
  }
};

class Search {
 public:
  Search(const ModelOptions& options, const std::vector<DoneOperation>& operations,
         const State& final)
      : options_(options), operations_(operations), final_(final) {}

  bool run() { return search(0, {}); }

 private:
  // `done`: a bit for each operation.
  bool search(std::uint32_t done, const State& state) {
    if (done == (std::uint64_t{1} << operations_.size()) - 1) return state == final_;
    if (!seen_.emplace(done, state).second) return false;
    std::uint64_t first_end = ~std::uint64_t{0};
    for (std::size_t i = 0; i < operations_.size(); ++i)
      if ((done >> i & 1) == 0) first_end = std::min(first_end, operations_[i].outcome.end);
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if ((done >> i & 1) != 0 || operations_[i].outcome.begin > first_end) continue;
      const auto next = apply(i, state);
      if (next && search(done | std::uint32_t{1} << i, *next)) return true;
    }
    return false;
  }

  // The state after the operation; nothing where it could not give what it gave.
  [[nodiscard]] std::optional<State> apply(std::size_t index, const State& state) const {
    const auto& [operation, outcome] = operations_[index];
    const bool present = state.values[operation.key].has_value();
    State next = state;
    if (outcome.result == -EBUSY) return next;
    using enum OperationKind;
    switch (operation.kind) {
      case kLookUp:
        return present == (outcome.result == 0) ? std::optional(next) : std::nullopt;
      case kDelete:
        next.values[operation.key].reset();
        return present == (outcome.result == 0) ? std::optional(next) : std::nullopt;
      case kUpdate:
      case kUpdateNew:
      case kUpdateOld:
        break;
      default:
        return next;
    }
    if (operation.kind == kUpdateNew && present) return refused(outcome, -EEXIST, next);
    if (operation.kind == kUpdateOld && !present) return refused(outcome, -ENOENT, next);
    if (!present && outcome.result == -E2BIG && may_be_full(index, state)) return next;
    if (outcome.result != 0 || (!present && state.size() >= options_.max_entries)) return {};
    next.values[operation.key] = operation.value;
    return next;
  }

  static std::optional<State> refused(const OperationOutcome& outcome, int error,
                                      const State& state) {
    return outcome.result == error ? std::optional(state) : std::nullopt;
  }

  [[nodiscard]] bool may_be_full(std::size_t index, const State& state) const {
    const OperationOutcome& own = operations_[index].outcome;
    const auto under_way = std::ranges::count_if(operations_, [&](const DoneOperation& other) {
      return other.operation.kind != OperationKind::kLookUp && other.outcome.begin < own.end &&
             other.outcome.end > own.begin;
    });
    return state.size() + static_cast<std::size_t>(under_way) - 1 >= options_.max_entries;
  }

  const ModelOptions& options_;
  const std::vector<DoneOperation>& operations_;
  const State& final_;
  std::set<std::pair<std::uint32_t, State>> seen_;
};

std::string describe(const std::vector<DoneOperation>& operations,
                     const std::vector<std::pair<std::uint32_t, std::uint64_t>>& entries) {
  static constexpr const char* kNames[] = {"nothing",    "look-up", "update", "update new",
                                           "update old", "delete",  "add",    "visit"};
  std::string text;
  for (const auto& [operation, outcome] : operations)
    text += fmt::format("{:3} to {:3}: {} {} = {:#x} gave {}\n", outcome.begin, outcome.end,
                        kNames[static_cast<std::size_t>(operation.kind)], operation.key,
                        operation.value, outcome.result);
  for (const auto& [key, value] : entries) text += fmt::format("left {} = {:#x}\n", key, value);
  return text;
}

}  // namespace

std::string find_contradiction(
    const ModelOptions& options, const std::vector<DoneOperation>& operations,
    const std::vector<std::pair<std::uint32_t, std::uint64_t>>& entries) {
  State final;
  bool twice = false;
  for (const auto& [key, value] : entries) {
    if (key >= kKeys) return fmt::format("there is a key {}", key);
    twice = twice || final.values[key].has_value();
    final.values[key] = value;
  }
  if (!twice && Search(options, operations, final).run()) return "";
  return describe(operations, entries);
}

}  // namespace egpu
