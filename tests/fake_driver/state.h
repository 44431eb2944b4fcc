// The double's objects. Handles of the driver API are pointers to these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/driver_types.h"

namespace fake_cuda {

namespace cuda = egpu::cuda;

struct FakeContext;
struct FakeModule;
struct FakeLibrary;

// An image is PTX text, scanned for what a driver would define.
struct Image {
  std::vector<std::string> kernels;
  std::size_t table_bytes = 0;  // of egpu_probe_table; 0: none
};

// Launches take both handles; the tag tells which it is.
enum class Tag { kFunction, kKernel };
struct FakeFunction {
  Tag tag = Tag::kFunction;
  std::string name;
  FakeModule* module = nullptr;
};
struct FakeKernel {
  Tag tag = Tag::kKernel;
  std::string name;
  FakeLibrary* library = nullptr;
};

struct FakeModule {
  Image image;
  FakeContext* context = nullptr;
  std::vector<std::uint64_t> table;
  std::map<std::string, std::unique_ptr<FakeFunction>> functions;
};

struct FakeLibrary {
  Image image;
  std::map<std::string, std::unique_ptr<FakeKernel>> kernels;
  std::map<FakeContext*, std::unique_ptr<FakeModule>> modules;
};

struct FakeStream {
  FakeContext* context = nullptr;
  bool capturing = false;
  bool invalidated = false;
  bool busy = false;  // for ever
};

struct FakeContext {
  int launches = 0;
  cuda::Status sticky = cuda::kSuccess;
  std::list<std::vector<std::uint64_t>> memory;
  std::map<FakeModule*, std::unique_ptr<FakeModule>> modules;
};

struct Record {
  std::uint64_t launches = 0;
  std::uint64_t threads = 0;
  std::map<int, int> attributes;
};

struct State {
  std::mutex mutex;
  bool initialized = false;
  bool deinitialized = false;
  std::map<FakeContext*, std::unique_ptr<FakeContext>> contexts;
  FakeContext* primary = nullptr;
  int primary_count = 0;
  std::map<FakeLibrary*, std::unique_ptr<FakeLibrary>> libraries;
  std::map<FakeStream*, std::unique_ptr<FakeStream>> streams;
  std::map<std::string, Record> records;
};

// Never destroyed: exit handlers of other libraries may still call the driver.
State& state();

// Trivially destructible: exit handlers use it after the destruction of thread-local objects.
struct ContextStack {
  std::array<FakeContext*, 64> contexts;
  std::size_t depth;
  void push(FakeContext* context) { contexts.at(depth++) = context; }
  void pop() { --depth; }
};
inline thread_local ContextStack context_stack{};
inline thread_local cuda::CaptureMode capture_mode = cuda::kCaptureGlobal;

inline FakeContext* current() {
  return context_stack.depth == 0 ? nullptr : context_stack.contexts.at(context_stack.depth - 1);
}

// What every call starts with: the driver's state, then the current context's.
cuda::Status check_driver();
cuda::Status check_context();
// A call that is unsafe during a capture: invalidates it unless this thread relaxed its mode.
cuda::Status check_capture();

int setting(const char* variable);  // 0 where unset
bool is_twin(const std::string& name);
Image scan_image(const std::string& text);

}  // namespace fake_cuda
