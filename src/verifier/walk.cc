// Depth-first walk over the paths of a program. Calls of its functions lie on the path; a callback
// is a walk of its own (callbacks.cc).
//
// At a conditional jump the path forks: one side waits, the other goes on. So loops are unrolled,
// and without more, n branches in a row would make 2^n paths. Therefore places where paths meet
// (jump targets) get checkpoints: copies of the state with what no longer matters forgotten. A
// later path that arrives with a state which a closed checkpoint covers can stop: whatever it could
// do was found safe. An open checkpoint proves nothing yet, as paths from it still run; being
// depth-first, all open checkpoints lie on the way of the current path. So meeting one with an
// equal state means that the program went round a loop and nothing changed: it may never end.
//
// Numbers that no check depends on tell paths apart too: check() remembers fewer of them where that
// makes too many paths (precision.h).
//
// The length of the longest path adds up over checkpoints: a path that stops early takes the rest
// from the checkpoint that covers it.
#include "verifier/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "verifier/callbacks.h"
#include "verifier/calls.h"
#include "verifier/execute.h"
#include "verifier/join.h"

namespace egpu::verifier {
namespace {

// Bounds on memory and on comparisons at one instruction: states kept, and how far checkpoints lie
// apart.
constexpr std::size_t kStatesPerInstruction = 32;
constexpr std::uint64_t kCheckpointDistance = 8;

}  // namespace

Walk::Walk(Exploration& exploration, State start, std::uint32_t first)
    : exploration_(exploration), depth_(start.frames.size()), reservations_(start.reservations) {
  Path path{.state = std::move(start), .index = first};
  add_checkpoint(path);
  waiting_.push_back(std::move(path));
}

Result<Walk::Outcome> Walk::run() && {
  while (!waiting_.empty()) {
    Path path = std::move(waiting_.back());
    waiting_.pop_back();
    EGPU_TRY(follow(std::move(path)));
  }
  return std::move(outcome_);
}

// Walks one path to its end; forks wait.
Result<void> Walk::follow(Path path) {
  while (true) {
    if (exploration_.joins[path.index]) {
      EGPU_ASSIGN(const bool known, is_known(path));
      if (known) return {};
    }
    EGPU_TRY(exploration_.visit(path.index, path.executed));
    ++path.executed;
    EGPU_ASSIGN(const bool goes_on, step(exploration_.program.instructions[path.index], path));
    if (!goes_on) return finish(path, 0);
  }
}

Result<bool> Walk::step(const bpf::Instruction& instruction, Path& path) {
  Recorder& recorder = exploration_.recorder;
  const std::uint32_t index = path.index;
  if (const auto* const jump_if = std::get_if<bpf::JumpIf>(&instruction)) {
    EGPU_TRY(branch(*jump_if, path));
    return true;
  }
  if (std::holds_alternative<bpf::Exit>(instruction)) return leave(path);
  path.index = index + 1;
  if (const auto* const jump = std::get_if<bpf::Jump>(&instruction)) {
    path.index = jump->target;
  } else if (const auto* const by_number = std::get_if<bpf::CallHelper>(&instruction)) {
    EGPU_ASSIGN(const HelperPrototype* helper, called_helper(*by_number, index, recorder));
    EGPU_TRY(call(*helper, index, path));
  } else if (const auto* const by_name = std::get_if<bpf::CallExtern>(&instruction)) {
    EGPU_ASSIGN(const HelperPrototype* helper, called_helper(*by_name, index, recorder));
    EGPU_TRY(call(*helper, index, path));
  } else if (const auto* const function = std::get_if<bpf::CallSubprogram>(&instruction)) {
    path.index = function->target;
    path.state.keep_numbers(exploration_.needed[index]);
    EGPU_TRY(
        call_function(function->target, index, exploration_.live[index + 1], path.state, recorder));
  } else {
    EGPU_TRY(execute(instruction, index, path.state, recorder));
  }
  return true;
}

// Moves `path` past a conditional jump. Where there are two ways, the second waits.
Result<void> Walk::branch(const bpf::JumpIf& jump, Path& path) {
  EGPU_ASSIGN(Branch branch, execute_branch(jump, path.index, path.state, exploration_.recorder));
  if (branch.other) {
    ++checkpoints_[path.checkpoint].open_paths;
    waiting_.push_back(
        {std::move(branch.other->state), branch.other->index, path.executed, path.checkpoint});
  }
  path.index = branch.next;
  return {};
}

Result<void> Walk::call(const HelperPrototype& helper, std::uint32_t index, Path& path) {
  Recorder& recorder = exploration_.recorder;
  if (helper.callback == CallbackKind::kNone) {
    return call_helper(helper, index, path.state, recorder);
  }
  EGPU_ASSIGN(const std::uint64_t executed,
              call_with_callback(helper, index, path.state, exploration_));
  const std::uint64_t limit = exploration_.limits.executed_instructions;
  if (executed > limit) {
    return recorder
        .refuse(index, fmt::format("{} executes up to {} instructions of its callback, and a path "
                                   "at most {}",
                                   helper.name, executed, limit))
        .hint("every thread of the kernel runs this program: use fewer or shorter rounds");
  }
  path.executed += executed;
  return {};
}

// The function that runs exits: to its caller, or out of the walk.
Result<bool> Walk::leave(Path& path) {
  Recorder& recorder = exploration_.recorder;
  if (path.state.frames.size() > depth_) {
    EGPU_ASSIGN(path.index, return_to_caller(path.index, path.state, recorder));
    return true;
  }
  EGPU_TRY(check_reservations(path.index, path.state, reservations_, recorder));
  if (depth_ == 1) {
    EGPU_TRY(check_program_exit(path.index, path.state, recorder));
    return false;
  }
  EGPU_TRY(check_callback_exit(path.index, path.state, recorder));
  path.state.leave();
  outcome_.exit = outcome_.exit ? join(*outcome_.exit, path.state, Joining::kExact, recorder)
                                : std::move(path.state);
  return false;
}

Result<bool> Walk::is_known(Path& path) {
  path.state.forget(exploration_.live[path.index], exploration_.needed[path.index]);
  const auto& known = known_[path.index];
  for (const std::uint32_t id : known) {
    const Checkpoint& checkpoint = checkpoints_[id];
    if (!covers(*checkpoint.state, path.state)) continue;
    if (checkpoint.open_paths == 0) {
      EGPU_TRY(finish(path, checkpoint.longest));
      return true;
    }
    if (covers(path.state, *checkpoint.state)) {
      return exploration_.recorder
          .refuse(path.index, "infinite loop: the program comes here again and nothing changed")
          .hint("loops need a bound that the checker can see: for (i = 0; i < N; i++)");
    }
  }
  const std::uint64_t distance = path.executed - checkpoints_[path.checkpoint].executed;
  if (known.empty() || distance >= kCheckpointDistance) add_checkpoint(path);
  return false;
}

void Walk::add_checkpoint(Path& path) {
  const auto id = static_cast<std::uint32_t>(checkpoints_.size());
  checkpoints_.push_back({.state = std::make_unique<State>(path.state),
                          .parent = id == 0 ? kNone : path.checkpoint,
                          .executed = path.executed});
  path.checkpoint = id;
  auto& known = known_[path.index];
  known.insert(known.begin(), id);
  if (known.size() <= kStatesPerInstruction) return;
  checkpoints_[known.back()].state.reset();
  known.pop_back();
}

// The path ends here, `remaining` instructions before the program does. Closes the checkpoints that
// no other path is open from.
Result<void> Walk::finish(const Path& path, std::uint64_t remaining) {
  std::uint64_t length = path.executed + remaining;
  if (length > exploration_.limits.executed_instructions) return exploration_.too_long(path.index);
  outcome_.longest = std::max(outcome_.longest, length);
  for (std::uint32_t id = path.checkpoint; id != kNone; id = checkpoints_[id].parent) {
    Checkpoint& checkpoint = checkpoints_[id];
    checkpoint.longest = std::max(checkpoint.longest, length - checkpoint.executed);
    if (--checkpoint.open_paths != 0) break;
    length = checkpoint.executed + checkpoint.longest;
  }
  return {};
}

}  // namespace egpu::verifier
