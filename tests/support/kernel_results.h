// What the programs of tests/kernels print (tests/kernels/support/cases.h), on two devices.
//
// Bounds of results that are approximate:
//   abs:2^-20.5   differ by 2^-20.5 at most; abs:0.25 likewise
//   rel:2^-22     by that part of the expected value
//   ulp32:2       by 2 units in the last place of the expected value as an f32; ulp64 likewise
// Infinities and NaNs are the same in both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace egpu {

struct KernelResult {
  std::string name;
  std::string line;            // all of it
  std::string bound;           // empty: the line has to be the same
  std::vector<double> values;  // where there is a bound
};

// Lines in order; refuses text that is no list of results, and a name that comes twice.
Result<std::vector<KernelResult>> parse_kernel_results(std::string_view text_untrusted);

struct KernelComparison {
  std::size_t cases = 0;  // of both, each name once
  std::vector<std::string> differences;
};

// Fails where a bound is none.
Result<KernelComparison> compare_kernel_results(const std::vector<KernelResult>& expected,
                                                const std::vector<KernelResult>& actual);

}  // namespace egpu
