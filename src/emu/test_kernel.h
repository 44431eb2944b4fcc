// For tests: a kernel written as PTX text, buffers, a launch, results.
//
//   TestKernel kernel(R"(
//     .visible .entry k(.param .u64 out) { .reg .b32 %r<2>; ... ret; })");
//   const auto out = kernel.buffer<std::uint32_t>(32);
//   EXPECT_EQ(kernel.run({.block = {32, 1, 1}}, out), std::nullopt);
//   EXPECT_THAT(kernel.read(out), Each(7U));
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emu/launch.h"
#include "emu/memory.h"
#include "emu/module.h"
#include "ptx/parser.h"

namespace egpu::emu {

inline constexpr std::string_view kTestHeader = ".version 8.7\n.target sm_90a\n.address_size 64\n";

// Device memory with values of T.
template <class T>
struct Buffer {
  std::uint64_t address = 0;
  std::size_t count = 0;
};

// Loads the module `text`, without its header: line 1 of the text is line 4 of "test.ptx".
inline Result<std::unique_ptr<Module>> load_text(std::string_view text, Memory& memory) {
  EGPU_ASSIGN(const ptx::Module parsed,
              ptx::parse(std::string(kTestHeader).append(text), "test.ptx"));
  return Module::load(parsed, memory);
}

// The first error of loading the module and translating its kernels; fails the test where there is
// none.
inline Error error_of(std::string_view text) {
  Memory memory(std::uint64_t{1} << 30);
  auto module = load_text(text, memory);
  if (!module) return module.error();
  for (const std::string& name : (*module)->kernel_names())
    if (auto kernel = (*module)->kernel(name); !kernel) return kernel.error();
  ADD_FAILURE() << "accepted:\n" << text;
  return {};
}

class TestKernel {
 public:
  // The kernel is the only one of the module, or the one called `k`.
  explicit TestKernel(std::string_view text) {
    auto module = load_text(text, memory_);
    if (!module) {
      ADD_FAILURE() << to_string(module.error());
      return;
    }
    module_ = *std::move(module);
    const auto names = module_->kernel_names();
    auto kernel = module_->kernel(names.size() == 1 ? names.front() : "k");
    if (kernel) {
      kernel_ = *kernel;
    } else {
      ADD_FAILURE() << to_string(kernel.error());
    }
  }

  template <class T>
  Buffer<T> buffer(std::size_t count) {
    return {memory_.allocate(count * sizeof(T)), count};
  }
  template <class T>
  Buffer<T> buffer(const std::vector<T>& values) {
    const auto result = buffer<T>(values.size());
    std::memcpy(pointer(result), values.data(), values.size() * sizeof(T));
    return result;
  }
  template <class T>
  std::vector<T> read(Buffer<T> buffer) const {
    const T* const first = pointer(buffer);
    return {first, first + buffer.count};
  }

  // Arguments: buffers and numbers, each of its parameter's size.
  template <class... A>
  std::optional<Fault> run(const LaunchConfig& config, const A&... arguments) {
    return run_until({}, config, arguments...);
  }
  // The same; the launch ends when `stop` says so.
  template <class... A>
  std::optional<Fault> run_until(std::stop_token stop, LaunchConfig config, const A&... arguments) {
    if (kernel_ == nullptr) return Fault{.detail = "the kernel could not be loaded"};
    std::vector<std::byte> parameters;
    (append(parameters, arguments), ...);
    config.parameters = parameters;
    if (config.budget == 0) config.budget = 10'000'000;
    return launch(*kernel_, memory_, device_, config, std::move(stop));
  }

  Memory& memory() { return memory_; }
  Module& module() { return *module_; }
  DeviceShape& device() { return device_; }

 private:
  template <class T>
  static T* pointer(Buffer<T> buffer) {
    return reinterpret_cast<T*>(buffer.address);  // NOLINT(performance-no-int-to-ptr)
  }
  template <class T>
  static void append(std::vector<std::byte>& bytes, Buffer<T> buffer) {
    append(bytes, buffer.address);
  }
  template <class T>
  static void append(std::vector<std::byte>& bytes, const T& value) {
    bytes.resize((bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const auto* const first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof(T));
  }

  Memory memory_{std::uint64_t{1} << 30};
  DeviceShape device_;
  std::unique_ptr<Module> module_;
  const Kernel* kernel_ = nullptr;
};

// So that EXPECT_EQ(kernel.run(...), std::nullopt) says what went wrong.
// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
inline void PrintTo(const Fault& fault, std::ostream* out) { *out << to_string(fault); }

}  // namespace egpu::emu
