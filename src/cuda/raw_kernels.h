// Kernels of raw programs (abi/raw_kernel.h) on this machine's first GPU.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace egpu::cuda {

struct RawRun {
  std::string entry;              // of the module
  std::vector<std::byte> memory;  // what r1 points to
};

enum class RawEnding : std::uint8_t {
  kReturned,
  kWildAccess,  // memory that no context has
  kMisaligned,  // an atomic operation that is not aligned
  kTooLong      // still running when its time was over
};

struct RawOutcome {
  RawEnding ending = RawEnding::kReturned;
  std::uint64_t r0 = 0;           // where it returned
  std::vector<std::byte> memory;  // afterwards, where it returned
};

struct RawLimits {
  std::chrono::milliseconds run;  // for each program
  bool optimize = true;           // the driver's assembler
};

// What it takes of the GPU is given back when the process ends and not before: the driver would
// wait for programs, which may run forever. Meant for processes that end soon.
class RawKernels {
 public:
  // Loads the driver and takes the device's primary context. Fails, with a remedy, where there is
  // no driver, no GPU, or one older than the code is made for. Forking afterwards is not possible.
  static Result<RawKernels> open(const char* driver = "libcuda.so.1");

  RawKernels(RawKernels&&) noexcept;
  RawKernels& operator=(RawKernels&&) noexcept;
  ~RawKernels();

  // Loads the module and runs its entries, one after the other. Where one does not return, its
  // outcome is the last: the GPU then takes no more work of this process. Thread-safe, but an
  // access that one thread's program was not to make also ends those of the other threads.
  Result<std::vector<RawOutcome>> run(const std::string& ptx, std::span<const RawRun> runs,
                                      const RawLimits& limits) const;

 private:
  class Driver;
  explicit RawKernels(std::unique_ptr<Driver> driver);

  std::unique_ptr<Driver> driver_;
};

}  // namespace egpu::cuda
