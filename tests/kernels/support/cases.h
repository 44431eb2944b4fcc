// What the programs of this folder share. A program is a list of cases. A case runs kernels on
// inputs that are the same everywhere and prints one line with what they computed:
//   NAME exact HASH              FNV-1a of all bytes of the results
//   NAME within BOUND VALUE...   results that may differ by BOUND between devices; bounds:
//                                tests/support/kernel_results.h
// Usage: PROGRAM [NAME...]   all cases or those named. Exit status 1: a case failed its own checks.
// EGPU_KERNEL_BYTES=FOLDER   also writes those bytes there, as NAME.bin, to find what differs
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

#include "../../gpu/check.h"

namespace kernels {

struct Case {
  const char* name;
  void (*run)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> list;
  return list;
}

struct Registration {
  Registration(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

inline const char* current = "";
inline bool failed = false;

#define CASE(name)                                                            \
  void case_##name();                                                         \
  static const kernels::Registration registration_##name(#name, case_##name); \
  void case_##name()

// Memory of the device. What a kernel did wrong shows when results are fetched, at the latest.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) {
    CHECK(cudaMalloc(&data_, bytes() + 1));  // an empty one has an address too
    CHECK(cudaMemset(data_, 0, bytes()));
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  ~Buffer() { CHECK(cudaFree(data_)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* get() const { return data_; }
  std::size_t size() const { return size_; }

  std::vector<T> host() const {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<T> values(size_);
    CHECK(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }

  T* data_ = nullptr;
  std::size_t size_;
};

class Hash {
 public:
  void add(const void* bytes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      value_ = (value_ ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001b3;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

template <class T>
const std::vector<T>& host_of(const std::vector<T>& values) {
  return values;
}
template <class T>
std::vector<T> host_of(const Buffer<T>& buffer) {
  return buffer.host();
}

// Ends a case whose results are the same on every device: vectors or Buffers.
template <class... Results>
void exact(const Results&... results) {
  Hash hash;
  std::ofstream bytes;
  if (const char* folder = std::getenv("EGPU_KERNEL_BYTES"))
    bytes.open(std::string(folder) + "/" + current + ".bin");
  const auto add = [&](const auto& values) {
    const std::size_t size = values.size() * sizeof(values[0]);
    hash.add(values.data(), size);
    bytes.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(size));
  };
  (add(host_of(results)), ...);
  std::printf("%s exact %016llx\n", current, static_cast<unsigned long long>(hash.value()));
}

// Ends a case with approximate results.
template <class Results>
void within(const char* bound, const Results& results) {
  std::printf("%s within %s", current, bound);
  for (const auto value : host_of(results)) std::printf(" %a", static_cast<double>(value));
  std::printf("\n");
}

// A case's own check, where the host can tell what is right.
template <class Results, class T>
void expect(const Results& results, const std::vector<T>& expected) {
  const auto& actual = host_of(results);
  if (actual.size() != expected.size()) {
    std::fprintf(stderr, "%s: %zu results, not %zu\n", current, actual.size(), expected.size());
    failed = true;
    return;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) == 0) continue;
    std::fprintf(stderr, "%s: result %zu of %zu is wrong\n", current, i, expected.size());
    failed = true;
    return;
  }
}

inline int run_cases(int argc, char** argv) {
  for (const Case& one : cases()) {
    bool chosen = argc < 2;
    for (int i = 1; i < argc; ++i) chosen = chosen || std::strcmp(argv[i], one.name) == 0;
    if (!chosen) continue;
    current = one.name;
    one.run();
    std::fflush(stdout);
  }
  return failed ? 1 : 0;
}

}  // namespace kernels

using kernels::Buffer;
using kernels::exact;
using kernels::expect;
using kernels::within;
