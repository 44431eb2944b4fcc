// Programs written as assembly, for the tests of this folder.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bpf/assemble.h"
#include "bpf/object.h"
#include "bpf/subprograms.h"

namespace egpu::verifier::testing {

// The functions are called f0, f1, ... in the order of their code.
inline bpf::Program assembled(const std::string& text) {
  bpf::Program program;
  program.name = "test";
  auto instructions = bpf::assemble(text);
  EXPECT_TRUE(instructions) << to_string(instructions.error());
  if (instructions) program.instructions = *std::move(instructions);
  const auto functions =
      bpf::find_subprograms(program.instructions, [](std::size_t) { return std::string(); });
  EXPECT_TRUE(functions) << to_string(functions.error());
  for (const bpf::Subprogram& range : functions.value_or(std::vector<bpf::Subprogram>())) {
    program.functions.push_back({fmt::format("f{}", program.functions.size()), range});
  }
  for (std::uint32_t i = 0; i < program.instructions.size(); ++i) program.slots.push_back(i);
  program.source.resize(program.instructions.size());
  return program;
}

}  // namespace egpu::verifier::testing
