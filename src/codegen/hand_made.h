// Programs built by hand for the tests and benchmarks of this folder: each instruction with the
// facts that the checker would have found.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "bpf/object.h"
#include "codegen/generate.h"
#include "verifier/check.h"

namespace egpu::codegen::testing {

using bpf::Imm;
using bpf::MemSize;
using bpf::Reg;
using bpf::Width;
using verifier::Region;

struct Step {
  template <class What>
    requires std::constructible_from<bpf::Instruction, What>
  Step(What what, Region region = Region::kNone, std::int32_t offset = 0, std::uint32_t map = 0)
      : instruction(what),
        facts{.reachable = true, .region = region, .offset = offset, .map = map} {}

  bpf::Instruction instruction;
  verifier::InstructionFacts facts;
};
using Steps = std::vector<Step>;

inline Steps operator+(Steps left, const Steps& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline Steps leave() { return {bpf::Mov{Width::k64, Reg{0}, Imm{0}}, bpf::Exit{}}; }

// r0 = bpf_map_lookup_elem(map, &key), the key at r10 - 8; exits where it finds nothing. The start
// of a program: what follows is instruction 7.
inline Steps lookup(std::uint32_t map, std::int32_t key) {
  return {{bpf::Store{MemSize::k32, Reg{10}, -8, Imm{key}}, Region::kStack, -8},
          bpf::Mov{Width::k64, Reg{2}, Reg{10}},
          bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{2}, Imm{-8}},
          bpf::LoadImm64{bpf::Imm64Kind::kMap, Reg{1}, map},
          {bpf::CallHelper{1}, Region::kNone, 0, map},
          bpf::JumpIf{bpf::Condition::kNe, Width::k64, Reg{0}, Imm{0}, 7},
          bpf::Exit{}};
}

struct Input {
  std::vector<bpf::MapDefinition> maps;
  std::vector<Steps> programs;
  GenerateOptions options;
};

inline Result<GeneratedModule> try_generate(const Input& input) {
  bpf::Object object;
  object.maps = input.maps;
  object.programs.reserve(input.programs.size());
  std::vector<verifier::CheckedProgram> checked;
  for (const Steps& steps : input.programs) {
    bpf::Program& program = object.programs.emplace_back();
    program.name = "program";
    verifier::CheckedProgram& result = checked.emplace_back();
    result.program = &program;
    result.frame_bytes = {16};
    for (const Step& step : steps) {
      program.slots.push_back(static_cast<std::uint32_t>(program.instructions.size()));
      program.source.emplace_back();
      program.instructions.push_back(step.instruction);
      result.facts.push_back(step.facts);
    }
  }
  return generate(object, checked, input.options);
}

inline bpf::MapDefinition array_map(std::uint32_t value_size, std::uint32_t max_entries,
                                    bpf::MapType type = bpf::MapType::kArray) {
  return {.name = "map",
          .type = type,
          .key_size = 4,
          .value_size = value_size,
          .max_entries = max_entries,
          .key_type = {},
          .value_type = {}};
}

}  // namespace egpu::codegen::testing
