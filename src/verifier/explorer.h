// Walks every path of a program. See explorer.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "verifier/check.h"
#include "verifier/recorder.h"
#include "verifier/state.h"

namespace egpu::verifier {

class Explorer {
 public:
  Explorer(const bpf::Object& object, const bpf::Program& program, const CheckLimits& limits);

  Result<CheckedProgram> run() &&;

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
    std::uint64_t longest = 0;     // instructions from here to the program's end, when not open
  };

  Result<void> follow(Path path);
  Result<bool> branch(const bpf::JumpIf& jump, Path& path);
  // Whether `path` may stop because a state that covers it was walked through.
  Result<bool> is_known(Path& path);
  void add_checkpoint(Path& path);
  Result<void> count(const Path& path);
  Result<void> finish(const Path& path, std::uint64_t remaining);
  [[nodiscard]] Error too_long(std::size_t index) const;

  const bpf::Program& program_;
  CheckLimits limits_;
  Recorder recorder_;
  std::vector<std::uint16_t> live_;
  std::vector<bool> is_join_;
  std::vector<std::deque<std::uint32_t>> known_;  // per instruction: checkpoints with a state
  std::vector<Checkpoint> checkpoints_;
  std::vector<Path> waiting_;  // last in, first out
  std::uint64_t visited_ = 0;
  std::uint64_t longest_ = 0;
};

}  // namespace egpu::verifier
