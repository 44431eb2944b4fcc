// Bodies of random functions in PTX, for random_kernel.h.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace egpu {

// What bodies refer to by name: variables `constants` (kConstantBytes, .const) and, in kernels,
// `slots` (kSlotBytes of .shared memory for each thread), functions f0, f1, ...
inline constexpr std::uint32_t kConstantBytes = 128;
inline constexpr std::uint32_t kSlotBytes = 16;
inline constexpr unsigned kFunctions = 3;
inline constexpr std::uint32_t kInputBytes = 4096;
inline constexpr std::uint32_t kTotalsBytes = 256;

// Parameters of f0, f1, ..., and of the prototype by which they are called through a pointer.
inline constexpr char kFunctionParameters[] =
    "(.param .b32 depth, .param .b64 number, .param .align 16 .b8 pair[16])";
inline constexpr char kFunctionResult[] = "(.param .align 16 .b8 result[16])";

std::string make_function_body(std::mt19937_64& random);

struct KernelBody {
  std::string text;
  std::uint32_t output_bytes = 0;  // of each thread
};
// Of a kernel with the parameters input, output and totals. `independent`: threads use nothing but
// their number in the grid.
KernelBody make_kernel_body(std::mt19937_64& random, bool independent);

}  // namespace egpu
