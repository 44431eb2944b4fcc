// Compares what a program of tests/kernels printed on two devices; carried to the GPU machine by
// scripts/gpu/emulator.
//   compare_kernels EXPECTED ACTUAL
// Prints "CASES DIFFERING", then what differs. Exit status 1: something does; 2: no results.
#include <fmt/format.h>

#include <cstdio>

#include "base/file.h"
#include "support/kernel_results.h"

namespace egpu {
namespace {

Result<std::vector<KernelResult>> load(const char* path) {
  EGPU_ASSIGN(const auto bytes, read_file(path));
  return parse_kernel_results(
      std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Result<KernelComparison> compare(const char* expected_path, const char* actual_path) {
  EGPU_ASSIGN(const auto expected, load(expected_path));
  EGPU_ASSIGN(const auto actual, load(actual_path));
  return compare_kernel_results(expected, actual);
}

int run(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: compare_kernels EXPECTED ACTUAL\n");
    return 2;
  }
  const auto comparison = compare(argv[1], argv[2]);
  if (!comparison) {
    fmt::print(stderr, "{}\n", to_string(comparison.error()));
    return 2;
  }
  fmt::print("{} {}\n", comparison->cases, comparison->differences.size());
  for (const std::string& text : comparison->differences) fmt::print("{}\n", text);
  return comparison->differences.empty() ? 0 : 1;
}

}  // namespace
}  // namespace egpu

int main(int argc, char** argv) { return egpu::run(argc, argv); }
