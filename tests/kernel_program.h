// A program in the running kernel, by bpf(2) itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "bpf/object.h"

namespace egpu {

// Why this process may not load programs; empty where it may.
std::string why_no_kernel_programs();

// The first program of an object, loaded as a traffic classifier, with the object's maps.
class KernelProgram {
 public:
  // Errors hold the verifier's log.
  static Result<KernelProgram> load(const bpf::Object& object);

  // r0's low half.
  [[nodiscard]] Result<std::uint32_t> run() const;

  // The first map's first value.
  [[nodiscard]] Result<std::vector<std::byte>> memory() const;

 private:
  KernelProgram(UniqueFd map, UniqueFd program, std::uint32_t value_size)
      : map_(std::move(map)), program_(std::move(program)), value_size_(value_size) {}

  UniqueFd map_;
  UniqueFd program_;
  std::uint32_t value_size_;
};

}  // namespace egpu
