// Compares our signatures of the exported functions, and the versions they came with, with the
// toolkit's, where it is installed: as many parameters, of the same sizes and kinds. Handles and
// structures have other names there.
#include "emu/driver/functions.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
// All versions of every function.
#define __CUDA_API_VERSION_INTERNAL  // NOLINT(bugprone-reserved-identifier)
#include <cuda.h>
#include <cudaProfiler.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>

#include <array>
#include <type_traits>

namespace egpu::emu::driver {
namespace {

struct Kind {
  std::size_t size;
  bool pointer;
  std::size_t pointee;  // bytes behind a pointer; 0: unknown, or a pointer or handle itself

  bool operator==(const Kind&) const = default;
};

template <class T>
constexpr Kind kind_of() {
  if constexpr (!std::is_pointer_v<T>) {
    return {sizeof(T), false, 0};
  } else {
    using Target = std::remove_pointer_t<T>;
    if constexpr (std::is_arithmetic_v<Target> || std::is_enum_v<Target>)
      return {sizeof(T), true, sizeof(Target)};
    else
      return {sizeof(T), true, 0};
  }
}

template <class Function>
struct Shape;
template <class Result, class... Parameters>
struct Shape<Result(Parameters...)> {
  static constexpr std::array<Kind, sizeof...(Parameters)> kParameters = {kind_of<Parameters>()...};
};

template <class Ours, class Theirs>
constexpr bool same_shape() {
  if constexpr (Shape<Ours>::kParameters.size() != Shape<Theirs>::kParameters.size())
    return false;
  else
    return Shape<Ours>::kParameters == Shape<Theirs>::kParameters;
}

TEST(DriverFunctions, HaveTheSignaturesOfTheToolkitHeader) {
#define EGPU_COMPARE(name, suffix, since, body, parameters)                                     \
  EXPECT_TRUE((same_shape<Status parameters, std::remove_cvref_t<decltype(::name##suffix)>>())) \
      << #name #suffix;                                                                         \
  EXPECT_TRUE((same_shape<Status parameters, std::remove_pointer_t<PFN_##name##_v##since>>()))  \
      << #name " of " #since;
#define EGPU_COMPARE_P(name, suffix, since, body, per_thread, parameters) \
  EGPU_COMPARE(name, suffix, since, body, parameters)
  EGPU_EMULATED_FUNCTIONS(EGPU_COMPARE, EGPU_COMPARE_P)
}

}  // namespace
}  // namespace egpu::emu::driver
#else
TEST(DriverFunctions, HaveTheSignaturesOfTheToolkitHeader) {
  GTEST_SKIP() << "cuda.h is not installed";
}
#endif
