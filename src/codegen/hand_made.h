// Programs built by hand for the tests and benchmarks of this folder: each instruction with the
// facts that the checker would have found.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
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

struct Callback {
  std::uint32_t first;
};

struct Step {
  template <class What>
    requires std::constructible_from<bpf::Instruction, What>
  Step(What what, Region region = Region::kNone, std::int32_t offset = 0, std::uint32_t map = 0)
      : instruction(what),
        facts{.reachable = true, .region = region, .offset = offset, .map = map} {}
  // A call of a helper that calls the function at instruction `callback` back.
  Step(bpf::CallHelper call, Callback callback, std::uint32_t map = 0)
      : instruction(call), facts{.reachable = true, .map = map, .callback = callback.first} {}

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

// A program and the functions that it calls: where each ends, the program itself first. None: all
// steps are the program's.
struct ProgramCode {
  ProgramCode(Steps all, std::vector<std::uint32_t> function_ends = {})
      : steps(std::move(all)), ends(std::move(function_ends)) {
    if (ends.empty()) ends.push_back(static_cast<std::uint32_t>(steps.size()));
  }

  Steps steps;
  std::vector<std::uint32_t> ends;
};

struct Input {
  std::vector<bpf::MapDefinition> maps;
  std::vector<ProgramCode> programs;
  GenerateOptions options;
  std::vector<bpf::ReadOnlySection> read_only = {};
  std::vector<std::string> externs = {};
};

// What loader and checker would make of an Input.
struct HandMade {
  explicit HandMade(const Input& input) {
    object.maps = input.maps;
    object.read_only = input.read_only;
    object.externs = input.externs;
    object.programs.reserve(input.programs.size());
    for (const ProgramCode& code : input.programs) add(code);
  }
  HandMade(const HandMade&) = delete;
  HandMade& operator=(const HandMade&) = delete;

  bpf::Object object;
  std::vector<verifier::CheckedProgram> checked;

 private:
  void add(const ProgramCode& code) {
    bpf::Program& program = object.programs.emplace_back();
    program.name = "program";
    verifier::CheckedProgram& result = checked.emplace_back();
    result.program = &program;
    const verifier::MapUse any{.loads = true, .changes = true, .deletes = true};
    result.map_uses.assign(object.maps.size(), any);
    std::uint32_t first = 0;
    for (const std::uint32_t end : code.ends) {
      program.functions.push_back({.name = "program", .range = {.first = first, .end = end}});
      result.frame_bytes.push_back(16);
      first = end;
    }
    for (const Step& step : code.steps) {
      program.slots.push_back(static_cast<std::uint32_t>(program.instructions.size()));
      program.source.emplace_back();
      program.instructions.push_back(step.instruction);
      result.facts.push_back(step.facts);
    }
  }
};

inline Result<GeneratedModule> try_generate(const Input& input) {
  const HandMade made(input);
  return generate(made.object, made.checked, input.options);
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
