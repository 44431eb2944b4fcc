// Uprobes that count their hits, attached through perf_event_open(2): no BPF, no tracefs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace egpu::test {

// One counter. It is detached when the object goes.
class Uprobe {
 public:
  // `pid` and `cpu` as perf_event_open() takes them: 0 and -1 for the calling thread, -1 and N for
  // everything on CPU N.
  static Result<Uprobe> attach(const std::filesystem::path& library, std::string_view symbol,
                               pid_t pid, int cpu);

  [[nodiscard]] Result<std::uint64_t> hits() const;

 private:
  explicit Uprobe(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

// Counts in every process, on every CPU.
class SystemUprobe {
 public:
  static Result<SystemUprobe> attach(const std::filesystem::path& library, std::string_view symbol);

  [[nodiscard]] Result<std::uint64_t> hits() const;

 private:
  std::vector<Uprobe> per_cpu_;
};

}  // namespace egpu::test
