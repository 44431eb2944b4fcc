// Depth-first walk over the paths of a program.
//
// At a conditional jump the path forks: one side waits, the other goes on. So loops are unrolled,
// and without more, n branches in a row would make 2^n paths. Therefore places where paths meet
// (jump targets) get checkpoints: copies of the state with what no longer matters forgotten. A
// later path that arrives with a state which a closed checkpoint covers can stop: whatever it could
// do was found safe. An open checkpoint proves nothing yet, as paths from it still run; being
// depth-first, all open checkpoints lie on the way of the current path. So meeting one with an
// equal state means that the program went round a loop and nothing changed: it may never end.
//
// The length of the longest path adds up over checkpoints: a path that stops early takes the rest
// from the checkpoint that covers it.
#include "verifier/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "verifier/execute.h"
#include "verifier/liveness.h"

namespace egpu::verifier {
namespace {

// Bounds on memory and on comparisons at one instruction: states kept, and how far checkpoints lie
// apart.
constexpr std::size_t kStatesPerInstruction = 32;
constexpr std::uint64_t kCheckpointDistance = 8;

std::vector<bool> find_joins(const bpf::Program& program) {
  std::vector<bool> joins(program.instructions.size());
  for (const bpf::Instruction& instruction : program.instructions) {
    if (const auto* const jump = std::get_if<bpf::Jump>(&instruction)) joins[jump->target] = true;
    if (const auto* const jump = std::get_if<bpf::JumpIf>(&instruction)) joins[jump->target] = true;
  }
  return joins;
}

}  // namespace

Explorer::Explorer(const bpf::Object& object, const bpf::Program& program,
                   const CheckLimits& limits)
    : program_(program),
      limits_(limits),
      recorder_(object, program),
      live_(live_registers(program.instructions)),
      is_join_(find_joins(program)),
      known_(program.instructions.size()) {}

Result<CheckedProgram> Explorer::run() && {
  Path first{.state = State::initial()};
  add_checkpoint(first);
  waiting_.push_back(std::move(first));
  while (!waiting_.empty()) {
    Path path = std::move(waiting_.back());
    waiting_.pop_back();
    EGPU_TRY(follow(std::move(path)));
  }
  return std::move(recorder_).take(longest_);
}

// Walks one path to its end; forks wait.
Result<void> Explorer::follow(Path path) {
  while (true) {
    if (is_join_[path.index]) {
      EGPU_ASSIGN(const bool known, is_known(path));
      if (known) return {};
    }
    EGPU_TRY(count(path));
    const std::uint32_t index = path.index;
    const bpf::Instruction& instruction = program_.instructions[index];
    recorder_.reach(index);
    ++path.executed;
    if (const auto* const jump = std::get_if<bpf::Jump>(&instruction)) {
      path.index = jump->target;
    } else if (const auto* const jump_if = std::get_if<bpf::JumpIf>(&instruction)) {
      EGPU_ASSIGN(const bool goes_on, branch(*jump_if, path));
      if (!goes_on) return finish(path, 0);
    } else {
      EGPU_TRY(execute(instruction, index, path.state, recorder_));
      if (std::holds_alternative<bpf::Exit>(instruction)) return finish(path, 0);
      path.index = index + 1;
    }
  }
}

// Moves `path` past a conditional jump, or tells that no way can be taken. Where there are two, the
// second waits.
Result<bool> Explorer::branch(const bpf::JumpIf& jump, Path& path) {
  EGPU_ASSIGN(auto successors, execute_branch(jump, path.index, path.state, recorder_));
  if (successors.empty()) return false;
  if (successors.size() > 1) {
    ++checkpoints_[path.checkpoint].open_paths;
    Successor& second = successors.back();
    waiting_.push_back({std::move(second.state), second.index, path.executed, path.checkpoint});
  }
  path.state = std::move(successors.front().state);
  path.index = successors.front().index;
  return true;
}

Result<bool> Explorer::is_known(Path& path) {
  path.state.forget(live_[path.index]);
  for (const std::uint32_t id : known_[path.index]) {
    const Checkpoint& checkpoint = checkpoints_[id];
    if (!covers(*checkpoint.state, path.state)) continue;
    if (checkpoint.open_paths == 0) {
      EGPU_TRY(finish(path, checkpoint.longest));
      return true;
    }
    if (covers(path.state, *checkpoint.state)) {
      return recorder_
          .refuse(path.index, "infinite loop: the program comes here again and nothing changed")
          .hint("loops need a bound that the checker can see: for (i = 0; i < N; i++)");
    }
  }
  const std::uint64_t distance = path.executed - checkpoints_[path.checkpoint].executed;
  if (known_[path.index].empty() || distance >= kCheckpointDistance) add_checkpoint(path);
  return false;
}

void Explorer::add_checkpoint(Path& path) {
  const auto id = static_cast<std::uint32_t>(checkpoints_.size());
  checkpoints_.push_back({.state = std::make_unique<State>(path.state),
                          .parent = id == 0 ? kNone : path.checkpoint,
                          .executed = path.executed});
  path.checkpoint = id;
  auto& known = known_[path.index];
  known.push_front(id);
  if (known.size() <= kStatesPerInstruction) return;
  checkpoints_[known.back()].state.reset();
  known.pop_back();
}

Result<void> Explorer::count(const Path& path) {
  if (path.executed >= limits_.executed_instructions) return too_long(path.index);
  if (++visited_ <= limits_.visited_instructions) return {};
  return recorder_
      .refuse(path.index,
              fmt::format("the program has too many paths: {} instructions were visited",
                          limits_.visited_instructions))
      .hint("use fewer branches, above all inside loops");
}

Error Explorer::too_long(std::size_t index) const {
  return recorder_
      .refuse(index, fmt::format("a path executes more than {} instructions",
                                 limits_.executed_instructions))
      .hint("every thread of the kernel runs this program: give loops a smaller constant bound");
}

// The path ends here, `remaining` instructions before the program does. Closes the checkpoints that
// no other path is open from.
Result<void> Explorer::finish(const Path& path, std::uint64_t remaining) {
  std::uint64_t length = path.executed + remaining;
  if (length > limits_.executed_instructions) return too_long(path.index);
  longest_ = std::max(longest_, length);
  for (std::uint32_t id = path.checkpoint; id != kNone; id = checkpoints_[id].parent) {
    Checkpoint& checkpoint = checkpoints_[id];
    checkpoint.longest = std::max(checkpoint.longest, length - checkpoint.executed);
    if (--checkpoint.open_paths != 0) break;
    length = checkpoint.executed + checkpoint.longest;
  }
  return {};
}

}  // namespace egpu::verifier
