// Walks every path of a program, or of one callback. See walk.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "verifier/exploration.h"
#include "verifier/helpers.h"
#include "verifier/state.h"

namespace egpu::verifier {

class Walk {
 public:
  struct Outcome {
    std::uint64_t longest = 0;  // instructions executed on the longest path
    // Covers the caller of the callback at each of its exits; nothing where there is no exit, and
    // for the program itself.
    std::optional<State> exit;
  };

  // From instruction `first` in `start`, until the function that runs there exits.
  Walk(Exploration& exploration, State start, std::uint32_t first);

  Result<Outcome> run() &&;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Path {
    State state;
    std::uint32_t index = 0;       // of the next instruction
    std::uint64_t executed = 0;    // instructions before it
    std::uint32_t checkpoint = 0;  // the last one on the way here
  };

  // A state the walk came through. Open: some path from it still runs or waits.
  struct Checkpoint {
    std::unique_ptr<State> state;  // dropped when there are too many
    std::uint32_t parent = kNone;
    std::uint32_t open_paths = 1;  // from here, or from checkpoints whose parent this is
    std::uint64_t executed = 0;    // before it
    std::uint64_t longest = 0;     // instructions from here to the walk's end, when not open
  };

  Result<void> follow(Path path);
  // Moves `path` past one instruction, or tells that it ends there.
  Result<bool> step(const bpf::Instruction& instruction, Path& path);
  Result<void> branch(const bpf::JumpIf& jump, Path& path);
  Result<void> call(const HelperPrototype& helper, std::uint32_t index, Path& path);
  Result<bool> leave(Path& path);
  // Whether `path` may stop because a state that covers it was walked through.
  Result<bool> is_known(Path& path);
  void add_checkpoint(Path& path);
  Result<void> finish(const Path& path, std::uint64_t remaining);

  Exploration& exploration_;
  std::size_t depth_;                                                    // frames at the start
  std::vector<Reservation> reservations_;                                // the same
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> known_;  // checkpoints with a state
  std::vector<Checkpoint> checkpoints_;
  std::vector<Path> waiting_;  // last in, first out
  Outcome outcome_;
};

}  // namespace egpu::verifier
