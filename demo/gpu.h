// The first device, used as CUDA programs do that call the driver API themselves. What the driver
// refuses ends the program, with the call and the error's name on standard error.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "demo/driver.h"

namespace demo {

class Gpu {
 public:
  // `module`: the path of a file with kernels.
  explicit Gpu(const std::string& module);

  [[nodiscard]] const char* name() const { return name_.data(); }

  // Zeros.
  [[nodiscard]] cuda::DevicePointer allocate(std::size_t bytes) const;
  void write(cuda::DevicePointer memory, const void* from, std::size_t bytes) const;
  // When all that was launched has ended.
  void read(cuda::DevicePointer memory, void* to, std::size_t bytes) const;
  template <class T>
  [[nodiscard]] std::vector<T> read(cuda::DevicePointer memory, std::size_t count) const {
    std::vector<T> values(count);
    read(memory, values.data(), count * sizeof(T));
    return values;
  }

  [[nodiscard]] cuda::Function kernel(const char* name) const;
  // `parameters`: where each of them lies.
  void launch(cuda::Function kernel, unsigned blocks, unsigned threads,
              std::vector<void*> parameters) const;
  void wait() const;

 private:
  void check(cuda::Status status, const char* what) const;

  Driver driver_;
  std::array<char, 128> name_{};
  cuda::Module module_ = nullptr;
};

}  // namespace demo
