#include "random_kernel.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "random_body.h"
#include "random_instruction.h"

namespace egpu {
namespace {

constexpr std::uint32_t kMostThreads = 192;  // of a block

std::vector<std::byte> random_bytes(RandomText& text, std::uint32_t size) {
  std::vector<std::byte> bytes;
  while (bytes.size() < size) {
    const auto number = std::bit_cast<std::array<std::byte, 8>>(text.number());
    bytes.insert(bytes.end(), number.begin(), number.end());
  }
  return bytes;
}

std::string constants(RandomText& text) {
  std::string list;
  for (std::uint32_t i = 0; i < kConstantBytes / 8; ++i)
    list += fmt::format("{}{:#x}", i == 0 ? "" : ", ", text.number());
  return fmt::format(".const .align 16 .b64 constants[{}] = {{{}}};\n", kConstantBytes / 8, list);
}

std::string function_head(unsigned number) {
  return fmt::format(".func {} f{}{}", kFunctionResult, number, kFunctionParameters);
}

std::string module_text(std::mt19937_64& random, const KernelBody& body) {
  RandomText text(random, 1);
  std::string module = ".version 8.0\n.target sm_90\n.address_size 64\n" + constants(text);
  for (unsigned i = 0; i < kFunctions; ++i) module += function_head(i) + ";\n";
  module += fmt::format(
      ".visible .entry k(.param .u64 input, .param .u64 output, .param .u64 totals)\n{{\n"
      "\t.shared .align 16 .b8 slots[{}];{}}}\n",
      kMostThreads * kSlotBytes, body.text);
  for (unsigned i = 0; i < kFunctions; ++i)
    module += fmt::format("{}\n{{{}}}\n", function_head(i), make_function_body(random));
  return module;
}

// Whole warps as often as not.
Extent any_block(RandomText& text) {
  constexpr Extent kWhole[] = {{32, 1, 1}, {64, 1, 1}, {16, 4, 1}, {96, 1, 1}, {8, 4, 6}};
  if (text.one_in(2)) return kWhole[text.below(std::size(kWhole))];
  return {1 + text.below(12), 1 + text.below(8), 1 + text.below(2)};
}

}  // namespace

RandomKernel make_random_kernel(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RandomText text(random, 1);
  RandomKernel kernel;
  kernel.independent = text.one_in(4);
  const KernelBody body = make_kernel_body(random, kernel.independent);
  kernel.ptx = module_text(random, body);
  kernel.output_bytes = body.output_bytes;
  kernel.block = any_block(text);
  kernel.grid = {1 + text.below(3), 1 + text.below(2), 1};
  kernel.input = random_bytes(text, kInputBytes);
  kernel.totals = random_bytes(text, kTotalsBytes);
  return kernel;
}

}  // namespace egpu
