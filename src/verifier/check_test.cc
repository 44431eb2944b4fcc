// The checker on programs written as instructions: what no compiler would write, and the facts it
// reports.
#include "verifier/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/context.h"

namespace egpu::verifier {
namespace {

using bpf::Alu;
using bpf::AluOp;
using bpf::Atomic;
using bpf::AtomicOp;
using bpf::CallHelper;
using bpf::Condition;
using bpf::Exit;
using bpf::Imm;
using bpf::Imm64Kind;
using bpf::Instruction;
using bpf::Jump;
using bpf::JumpIf;
using bpf::kR0;
using bpf::kR1;
using bpf::kR10;
using bpf::kR2;
using bpf::kR3;
using bpf::Load;
using bpf::LoadImm64;
using bpf::MemSize;
using bpf::Mov;
using bpf::Neg;
using bpf::Reg;
using bpf::Store;
using bpf::Width;
using ::testing::HasSubstr;

constexpr Reg kR6{6};
constexpr Reg kR7{7};
constexpr std::uint64_t kArray = 0;  // maps of the object below
constexpr std::uint64_t kPercpu = 1;
constexpr std::int32_t kLookup = 1;

bpf::Object object() {
  bpf::Object object;
  object.maps.push_back({"counts", bpf::MapType::kArray, 4, 16, 8, {}, {}});
  object.maps.push_back({"shards", bpf::MapType::kPercpuArray, 4, 8, 8, {}, {}});
  return object;
}

using Code = std::vector<Instruction>;

// `parts` one after the other.
template <class... Parts>
Code join(const Parts&... parts) {
  Code code;
  (code.insert(code.end(), parts.begin(), parts.end()), ...);
  return code;
}

bpf::Program program(Code code) {
  bpf::Program program;
  program.name = "test";
  program.instructions = std::move(code);
  for (std::uint32_t i = 0; i < program.instructions.size(); ++i) program.slots.push_back(i);
  program.source.resize(program.instructions.size());
  return program;
}

struct Outcome {
  std::vector<InstructionFacts> facts;
  std::uint32_t stack_bytes = 0;
  std::uint64_t max_instructions = 0;
};

Outcome accepted(Code code, const CheckLimits& limits = {}) {
  const bpf::Object maps = object();
  const bpf::Program checked_program = program(std::move(code));
  const auto checked = check(maps, checked_program, limits);
  EXPECT_TRUE(checked) << to_string(checked.error());
  if (!checked) return {};
  EXPECT_EQ(checked->program, &checked_program);
  return {checked->facts, checked->stack_bytes, checked->max_instructions};
}

Error refused(Code code, const CheckLimits& limits = {}) {
  const bpf::Object maps = object();
  const auto checked = check(maps, program(std::move(code)), limits);
  EXPECT_FALSE(checked) << "was accepted";
  return checked ? Error{} : checked.error();
}

std::string message(Code code) { return refused(std::move(code)).message; }

Code return_0() { return {Mov{Width::k32, kR0, Imm{0}}, Exit{}}; }

// r0 = lookup(map, key 0 at r10 - 4); 5 instructions.
Code look_up(std::uint64_t map) {
  return {Store{MemSize::k32, kR10, -4, Imm{0}}, Mov{Width::k64, kR2, kR10},
          Alu{AluOp::kAdd, Width::k64, kR2, Imm{-4}}, LoadImm64{Imm64Kind::kMap, kR1, map},
          CallHelper{kLookup}};
}

// The same, and the program ends where r0 is null; 8 instructions.
Code found(std::uint64_t map) {
  return join(look_up(map), Code{JumpIf{Condition::kNe, Width::k64, kR0, Imm{0}, 8}}, return_0());
}

TEST(Check, AcceptsTheEmptyProgram) {
  const Outcome outcome = accepted(return_0());
  EXPECT_EQ(outcome.max_instructions, 2U);
  EXPECT_EQ(outcome.stack_bytes, 0U);
}

TEST(Check, ReportsFacts) {
  const Outcome outcome = accepted(join(
      Code{Load{MemSize::k32, false, kR6, kR1, 4}}, Code{Store{MemSize::k64, kR10, -24, kR6}},
      Code{Store{MemSize::k32, kR10, -4, Imm{0}}, Mov{Width::k64, kR2, kR10},
           Alu{AluOp::kAdd, Width::k64, kR2, Imm{-4}}, LoadImm64{Imm64Kind::kMap, kR1, kPercpu},
           CallHelper{kLookup}, JumpIf{Condition::kEq, Width::k64, kR0, Imm{0}, 9},
           Atomic{AtomicOp::kAdd, false, MemSize::k64, kR0, 0, kR6}},
      return_0()));
  EXPECT_EQ(outcome.facts[0].region, Region::kContext);
  EXPECT_EQ(outcome.facts[0].offset, 4);
  EXPECT_EQ(outcome.facts[1].region, Region::kStack);
  EXPECT_EQ(outcome.facts[1].offset, -24);
  EXPECT_EQ(outcome.facts[6].map, kPercpu);
  EXPECT_EQ(outcome.facts[8].region, Region::kMapValue);
  EXPECT_EQ(outcome.stack_bytes, 24U);
  EXPECT_EQ(outcome.max_instructions, 11U);
  for (const InstructionFacts& facts : outcome.facts) EXPECT_TRUE(facts.reachable);
}

// What a program does with the value that r0 points to, and with its map.
MapUse use_by(const Code& steps, std::uint64_t map = kArray) {
  const bpf::Object maps = object();
  const bpf::Program checked_program = program(join(found(map), steps, return_0()));
  const auto checked = check(maps, checked_program);
  EXPECT_TRUE(checked) << to_string(checked.error());
  if (!checked) return {};
  EXPECT_FALSE(checked->map_uses.at(1 - map).loads || checked->map_uses.at(1 - map).changes);
  return checked->map_uses.at(map);
}

Instruction add(MemSize size, std::int16_t offset) {
  return Atomic{AtomicOp::kAdd, false, size, kR0, offset, kR1};
}

TEST(Check, TellsAdditionsFromOtherUsesOfAMap) {
  const Code one{Mov{Width::k64, kR1, Imm{1}}};
  const MapUse unused = use_by({});
  EXPECT_FALSE(unused.loads || unused.changes);
  EXPECT_EQ(unused.added_bytes, 0U);
  const MapUse added = use_by(join(one, Code{add(MemSize::k64, 0), add(MemSize::k64, 8)}));
  EXPECT_FALSE(added.loads || added.changes);
  EXPECT_EQ(added.added_bytes, 8U);
  EXPECT_EQ(use_by(join(one, Code{add(MemSize::k32, 4)}), kPercpu).added_bytes, 4U);

  EXPECT_TRUE(use_by(join(one, Code{add(MemSize::k64, 0), add(MemSize::k32, 8)})).changes);
  EXPECT_TRUE(
      use_by(join(one, Code{Atomic{AtomicOp::kAdd, true, MemSize::k64, kR0, 0, kR1}})).changes);
  EXPECT_TRUE(
      use_by(join(one, Code{Atomic{AtomicOp::kOr, false, MemSize::k64, kR0, 0, kR1}})).changes);
  EXPECT_TRUE(use_by({Store{MemSize::k64, kR0, 0, Imm{1}}}).changes);
  const MapUse loaded = use_by({Load{MemSize::k32, false, kR1, kR0, 0}});
  EXPECT_TRUE(loaded.loads);
  EXPECT_FALSE(loaded.changes);
}

TEST(Check, HelpersUseMapsToo) {
  constexpr std::int32_t kUpdate = 2;
  constexpr std::int32_t kDelete = 3;
  // The value that was found is the value to store.
  const Code update{Mov{Width::k64, kR3, kR0},
                    Mov{Width::k64, kR2, kR10},
                    Alu{AluOp::kAdd, Width::k64, kR2, Imm{-4}},
                    LoadImm64{Imm64Kind::kMap, kR1, kArray},
                    Mov{Width::k64, Reg{4}, Imm{0}},
                    CallHelper{kUpdate}};
  const MapUse updated = use_by(update);
  EXPECT_TRUE(updated.loads && updated.changes);
  EXPECT_FALSE(updated.deletes);
  const MapUse deleted =
      use_by({Mov{Width::k64, kR2, kR10}, Alu{AluOp::kAdd, Width::k64, kR2, Imm{-4}},
              LoadImm64{Imm64Kind::kMap, kR1, kArray}, CallHelper{kDelete}});
  EXPECT_TRUE(deleted.changes && deleted.deletes);
}

TEST(Check, UsesOfSeveralProgramsAddUp) {
  const auto uses = [](std::vector<MapUse> of_programs) {
    std::vector<CheckedProgram> programs(of_programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i) programs[i].map_uses = {of_programs[i]};
    return uses_of(programs).at(0);
  };
  const MapUse adds_8{.added_bytes = 8};
  EXPECT_FALSE(uses({adds_8, {}, adds_8}).changes);
  EXPECT_EQ(uses({{}, adds_8}).added_bytes, 8U);
  EXPECT_TRUE(uses({adds_8, {.added_bytes = 4}}).changes);
  EXPECT_TRUE(uses({adds_8, {.loads = true}}).loads);
  EXPECT_TRUE(uses({{.deletes = true}, adds_8}).deletes);
}

TEST(Check, KnowsDeadCode) {
  const Outcome outcome =
      accepted({Mov{Width::k64, kR0, Imm{1}}, JumpIf{Condition::kEq, Width::k64, kR0, Imm{1}, 3},
                Load{MemSize::k64, false, kR3, kR7, 0}, Exit{}});
  EXPECT_FALSE(outcome.facts[2].reachable);
  EXPECT_EQ(outcome.max_instructions, 3U);
}

TEST(Check, RefusesUninitialisedRegisters) {
  EXPECT_THAT(message({Exit{}}), HasSubstr("r0 is not initialised"));
  EXPECT_THAT(message({Mov{Width::k64, kR0, kR3}, Exit{}}), HasSubstr("r3 is not initialised"));
  EXPECT_THAT(message(join(look_up(kArray), Code{Mov{Width::k64, kR0, kR1}, Exit{}})),
              HasSubstr("r1 is not initialised"));
  // On one path only.
  EXPECT_THAT(message({Load{MemSize::k32, false, kR2, kR1, 0},
                       JumpIf{Condition::kEq, Width::k64, kR2, Imm{0}, 3},
                       Mov{Width::k64, kR0, Imm{0}}, Exit{}}),
              HasSubstr("r0 is not initialised"));
}

TEST(Check, ProtectsTheFramePointer) {
  EXPECT_THAT(message(join(Code{Mov{Width::k64, kR10, Imm{0}}}, return_0())),
              HasSubstr("read only"));
  EXPECT_THAT(message(join(Code{Alu{AluOp::kAdd, Width::k64, kR10, Imm{8}}}, return_0())),
              HasSubstr("read only"));
}

TEST(Check, BoundsTheStack) {
  accepted(join(Code{Store{MemSize::k64, kR10, -512, Imm{0}}}, return_0()));
  EXPECT_THAT(message(join(Code{Store{MemSize::k64, kR10, -520, Imm{0}}}, return_0())),
              HasSubstr("outside the stack"));
  EXPECT_THAT(message(join(Code{Store{MemSize::k64, kR10, 0, Imm{0}}}, return_0())),
              HasSubstr("outside the stack"));
  EXPECT_THAT(message(join(Code{Store{MemSize::k64, kR10, -4, Imm{0}}}, return_0())),
              HasSubstr("outside the stack"));
  EXPECT_THAT(message(join(Code{LoadImm64{Imm64Kind::kConstant, kR2, ~std::uint64_t{7} >> 1},
                                Alu{AluOp::kAdd, Width::k64, kR2, kR10},
                                Store{MemSize::k64, kR2, 0, Imm{0}}},
                           return_0())),
              HasSubstr("outside the stack"));
  EXPECT_THAT(message(join(Code{Store{MemSize::k64, kR10, -12, Imm{0}}}, return_0())),
              HasSubstr("not aligned"));
  EXPECT_THAT(message({Load{MemSize::k64, false, kR0, kR10, -8}, Exit{}}),
              HasSubstr("not initialised"));
  EXPECT_THAT(message({Store{MemSize::k32, kR10, -8, Imm{0}},
                       Load{MemSize::k64, false, kR0, kR10, -8}, Exit{}}),
              HasSubstr("not initialised"));
  accepted({Store{MemSize::k32, kR10, -8, Imm{0}}, Store{MemSize::k32, kR10, -4, Imm{0}},
            Load{MemSize::k64, false, kR0, kR10, -8}, Exit{}});
}

TEST(Check, SpilledPointersComeBack) {
  accepted({Store{MemSize::k64, kR10, -8, kR1}, Load{MemSize::k64, false, kR2, kR10, -8},
            Load{MemSize::k32, false, kR0, kR2, 48}, Exit{}});
  EXPECT_THAT(message({Store{MemSize::k64, kR10, -8, kR1}, Load{MemSize::k32, false, kR0, kR10, -8},
                       Exit{}}),
              HasSubstr("not initialised"));
  // What is left of a pointer after a smaller store is no number.
  EXPECT_THAT(message({Store{MemSize::k64, kR10, -8, kR1}, Store{MemSize::k8, kR10, -8, Imm{0}},
                       Load{MemSize::k64, false, kR0, kR10, -8}, Exit{}}),
              HasSubstr("not initialised"));
  EXPECT_THAT(message(join(Code{Store{MemSize::k32, kR10, -4, kR1}}, return_0())),
              HasSubstr("must not leave the program"));
}

TEST(Check, SpilledBoundsComeBack) {
  accepted(
      join(Code{Load{MemSize::k32, false, kR6, kR1, 48}, Alu{AluOp::kAnd, Width::k64, kR6, Imm{1}},
                Alu{AluOp::kLsh, Width::k64, kR6, Imm{3}}, Store{MemSize::k32, kR10, -16, kR6}},
           Code{Store{MemSize::k32, kR10, -4, Imm{0}}, Mov{Width::k64, kR2, kR10},
                Alu{AluOp::kAdd, Width::k64, kR2, Imm{-4}}, LoadImm64{Imm64Kind::kMap, kR1, kArray},
                CallHelper{kLookup}, JumpIf{Condition::kEq, Width::k64, kR0, Imm{0}, 13},
                Load{MemSize::k32, false, kR3, kR10, -16}, Alu{AluOp::kAdd, Width::k64, kR0, kR3},
                Store{MemSize::k64, kR0, 0, kR3}},
           return_0()));
}

TEST(Check, MapValuesNeedANullCheck) {
  EXPECT_THAT(
      message(join(look_up(kArray), Code{Load{MemSize::k64, false, kR3, kR0, 0}}, return_0())),
      HasSubstr("r0 is a pointer to a value of map counts or null"));
  EXPECT_THAT(
      message(join(look_up(kArray), Code{Alu{AluOp::kAdd, Width::k64, kR0, Imm{8}}}, return_0())),
      HasSubstr("or null"));
  // A copy is checked with the original, in registers and on the stack.
  accepted(join(look_up(kArray),
                Code{Mov{Width::k64, kR6, kR0}, Store{MemSize::k64, kR10, -16, kR0},
                     JumpIf{Condition::kEq, Width::k64, kR6, Imm{0}, 11},
                     Load{MemSize::k64, false, kR7, kR10, -16}, Store{MemSize::k64, kR7, 0, Imm{1}},
                     Store{MemSize::k64, kR0, 8, Imm{1}}},
                return_0()));
  // Another look-up is not.
  EXPECT_THAT(message(join(look_up(kArray), Code{Mov{Width::k64, kR6, kR0}}, look_up(kArray),
                           Code{JumpIf{Condition::kEq, Width::k64, kR6, Imm{0}, 13},
                                Store{MemSize::k64, kR0, 0, Imm{1}}},
                           return_0())),
              HasSubstr("or null"));
}

TEST(Check, BoundsMapValues) {
  accepted(join(found(kArray), Code{Store{MemSize::k64, kR0, 8, Imm{1}}}, return_0()));
  for (const std::int16_t offset : {std::int16_t{16}, std::int16_t{-8}}) {
    EXPECT_THAT(
        message(join(found(kArray), Code{Store{MemSize::k64, kR0, offset, Imm{1}}}, return_0())),
        HasSubstr("may be outside the 16 bytes of a value of map counts"));
  }
  EXPECT_THAT(message(join(found(kArray), Code{Store{MemSize::k64, kR0, 4, Imm{1}}}, return_0())),
              HasSubstr("not aligned"));
  // Around the end of the address space and back is no way in.
  EXPECT_THAT(
      message(join(found(kArray),
                   Code{LoadImm64{Imm64Kind::kConstant, kR3, 0x7fffffffffffffff},
                        Alu{AluOp::kAdd, Width::k64, kR0, kR3}, Store{MemSize::k8, kR0, 0, Imm{1}}},
                   return_0())),
      HasSubstr("may be outside"));
}

TEST(Check, PercpuValuesTakeAtomicsAlone) {
  const Error error =
      refused(join(found(kPercpu), Code{Store{MemSize::k64, kR0, 0, Imm{1}}}, return_0()));
  EXPECT_THAT(error.message, HasSubstr("all warps of an SM share"));
  EXPECT_THAT(error.remedy, HasSubstr("__atomic_fetch_add"));
  EXPECT_EQ(error.place, "program test, instruction 8");
  accepted(join(found(kPercpu),
                Code{Load{MemSize::k64, false, kR3, kR0, 0},
                     Atomic{AtomicOp::kAdd, true, MemSize::k64, kR0, 0, kR3}},
                return_0()));
}

TEST(Check, AtomicsNeedNumbers) {
  EXPECT_THAT(
      message(join(found(kArray), Code{Atomic{AtomicOp::kAdd, false, MemSize::k64, kR0, 0, kR10}},
                   return_0())),
      HasSubstr("must not leave the program"));
  EXPECT_THAT(
      message(join(found(kArray),
                   Code{Mov{Width::k64, kR6, kR0}, Mov{Width::k64, kR3, Imm{1}},
                        Atomic{AtomicOp::kCompareExchange, true, MemSize::k64, kR6, 0, kR3}},
                   return_0())),
      HasSubstr("r0 is a pointer"));
  EXPECT_THAT(message(join(Code{Mov{Width::k64, kR3, Imm{1}},
                                Atomic{AtomicOp::kAdd, false, MemSize::k32, kR1, 0, kR3}},
                           return_0())),
              HasSubstr("values of maps alone"));
}

TEST(Check, PointersAreNoNumbers) {
  EXPECT_THAT(message({Mov{Width::k64, kR0, kR10}, Exit{}}),
              HasSubstr("a program returns a number"));
  EXPECT_THAT(message({Mov{Width::k32, kR0, kR1}, Exit{}}), HasSubstr("only be copied whole"));
  EXPECT_THAT(message(join(Code{Alu{AluOp::kMul, Width::k64, kR1, Imm{2}}}, return_0())),
              HasSubstr("addition and subtraction"));
  EXPECT_THAT(message(join(Code{Alu{AluOp::kAdd, Width::k32, kR1, Imm{4}}}, return_0())),
              HasSubstr("addition and subtraction"));
  EXPECT_THAT(message(join(Code{Alu{AluOp::kSub, Width::k64, kR1, kR10}}, return_0())),
              HasSubstr("two pointers"));
  EXPECT_THAT(message(join(Code{Neg{Width::k64, kR1}}, return_0())), HasSubstr("not a number"));
  EXPECT_THAT(message(join(Code{JumpIf{Condition::kGt, Width::k64, kR1, Imm{0}, 1}}, return_0())),
              HasSubstr("comparison"));
  EXPECT_THAT(message(join(Code{JumpIf{Condition::kEq, Width::k64, kR1, kR10, 1}}, return_0())),
              HasSubstr("comparison"));
  EXPECT_THAT(message(join(Code{LoadImm64{Imm64Kind::kMap, kR3, kArray},
                                Load{MemSize::k64, false, kR3, kR3, 0}},
                           return_0())),
              HasSubstr("map counts: it cannot be used as an address"));
  // Far outside its value a pointer might as well be null.
  EXPECT_THAT(message(join(found(kArray),
                           Code{Load{MemSize::k64, false, kR3, kR0, 0},
                                Alu{AluOp::kAdd, Width::k64, kR0, kR3},
                                JumpIf{Condition::kEq, Width::k64, kR0, Imm{0}, 11}},
                           return_0())),
              HasSubstr("comparison"));
}

TEST(Check, ContextFieldsAreReadWhole) {
  for (std::uint32_t offset = 0; offset < abi::kContextBytes; offset += 4) {
    accepted({Load{MemSize::k32, false, kR0, kR1, static_cast<std::int16_t>(offset)}, Exit{}});
  }
  EXPECT_THAT(message({Load{MemSize::k32, false, kR0, kR1, abi::kContextBytes}, Exit{}}),
              HasSubstr("no field"));
  EXPECT_THAT(message({Load{MemSize::k32, false, kR0, kR1, -4}, Exit{}}), HasSubstr("no field"));
  EXPECT_THAT(message({Load{MemSize::k32, false, kR0, kR1, 2}, Exit{}}), HasSubstr("no field"));
  EXPECT_THAT(message({Load{MemSize::k64, false, kR0, kR1, 0}, Exit{}}), HasSubstr("no field"));
  accepted(
      {Alu{AluOp::kAdd, Width::k64, kR1, Imm{8}}, Load{MemSize::k32, false, kR0, kR1, 4}, Exit{}});
}

// Fields of the context are no memory: code names them.
TEST(Check, ReadsOneFieldOfTheContextAtATime) {
  const Code choose = {Load{MemSize::k32, false, kR6, kR1, 0},
                       Store{MemSize::k64, kR10, -8, Imm{0}}, Mov{Width::k64, kR2, kR1},
                       JumpIf{Condition::kEq, Width::k64, kR6, Imm{0}, 5},
                       Mov{Width::k64, kR2, kR10}};
  EXPECT_THAT(message(join(choose, Code{Alu{AluOp::kSub, Width::k64, kR2, Imm{0}},
                                        Load{MemSize::k32, false, kR0, kR2, -8}, Exit{}})),
              ::testing::AnyOf(HasSubstr("no field"), HasSubstr("other memory on another")));
  EXPECT_THAT(message({Load{MemSize::k32, false, kR6, kR1, 0},
                       JumpIf{Condition::kEq, Width::k64, kR6, Imm{0}, 3},
                       Alu{AluOp::kAdd, Width::k64, kR1, Imm{4}},
                       Load{MemSize::k32, false, kR0, kR1, 0}, Exit{}}),
              HasSubstr("at offset 4 on one path and 0 on another"));
}

TEST(Check, HelpersCheckTheirArguments) {
  EXPECT_THAT(message(join(Code{CallHelper{27}}, return_0())),
              HasSubstr("helper bpf_get_stackid (27) is not supported on the GPU yet"));
  EXPECT_THAT(message(join(Code{CallHelper{9999}}, return_0())),
              HasSubstr("helper 9999 is not supported"));
  EXPECT_THAT(message(join(Code{CallHelper{kLookup}}, return_0())),
              HasSubstr("r1 is a pointer to the context, not a map"));
  EXPECT_THAT(
      message(join(Code{LoadImm64{Imm64Kind::kMap, kR1, kArray}, CallHelper{kLookup}}, return_0())),
      HasSubstr("r2 is not initialised, not a pointer to a key"));
  EXPECT_THAT(message(join(Code{LoadImm64{Imm64Kind::kMap, kR1, kArray}, Mov{Width::k64, kR2, kR10},
                                Alu{AluOp::kAdd, Width::k64, kR2, Imm{-4}}, CallHelper{kLookup}},
                           return_0())),
              HasSubstr("are not initialised"));
  EXPECT_THAT(message(join(Code{Store{MemSize::k64, kR10, -8, kR1},
                                LoadImm64{Imm64Kind::kMap, kR1, kArray}, Mov{Width::k64, kR2, kR10},
                                Alu{AluOp::kAdd, Width::k64, kR2, Imm{-4}}, CallHelper{kLookup}},
                           return_0())),
              HasSubstr("are not initialised"));
}

TEST(Check, RefusesConstantMistakes) {
  EXPECT_THAT(
      message(join(Code{Mov{Width::k64, kR0, Imm{1}}, Alu{AluOp::kDiv, Width::k64, kR0, Imm{0}}},
                   return_0())),
      HasSubstr("division by the constant zero"));
  EXPECT_THAT(
      message(join(Code{Mov{Width::k64, kR0, Imm{1}}, Alu{AluOp::kLsh, Width::k32, kR0, Imm{32}}},
                   return_0())),
      HasSubstr("shift of a 32-bit number by 32"));
}

// for (r0 = 0; r0 != n; r0 += step) ;
Code loop(std::int32_t n, std::int32_t step) {
  return {Mov{Width::k64, kR0, Imm{0}}, Alu{AluOp::kAdd, Width::k64, kR0, Imm{step}},
          JumpIf{Condition::kNe, Width::k64, kR0, Imm{n}, 1}, Exit{}};
}

TEST(Check, UnrollsLoops) {
  EXPECT_EQ(accepted(loop(1000, 1)).max_instructions, 2002U);
  EXPECT_EQ(accepted(loop(4999, 1)).max_instructions, 10'000U);
  const Error error = refused(loop(5000, 1));
  EXPECT_THAT(error.message, HasSubstr("more than 10000 instructions"));
  EXPECT_NE(error.remedy, "");
}

TEST(Check, FindsInfiniteLoops) {
  EXPECT_THAT(message({Jump{0}}), HasSubstr("infinite loop"));
  EXPECT_THAT(message(loop(5, 0)), HasSubstr("infinite loop"));
  EXPECT_THAT(message({Load{MemSize::k32, false, kR0, kR1, 0},
                       JumpIf{Condition::kNe, Width::k64, kR0, Imm{0}, 0}, Exit{}}),
              HasSubstr("infinite loop"));
}

// 60 branches in a row: 2^60 paths, unless paths that meet are merged.
TEST(Check, MergesPathsThatMeet) {
  Code code = {Load{MemSize::k32, false, kR6, kR1, 0}, Mov{Width::k64, kR0, Imm{0}}};
  for (std::uint32_t i = 0; i < 60; ++i) {
    const auto next = static_cast<std::uint32_t>(code.size()) + 4;
    code.push_back(Mov{Width::k64, kR3, kR6});
    code.push_back(Alu{AluOp::kAnd, Width::k64, kR3, Imm{1 << (i % 30)}});
    code.push_back(JumpIf{Condition::kEq, Width::k64, kR3, Imm{0}, next});
    code.push_back(Mov{Width::k64, kR3, Imm{2}});
  }
  code.push_back(Exit{});
  EXPECT_EQ(accepted(code).max_instructions, 243U);
}

TEST(Check, BoundsItsOwnTime) {
  CheckLimits limits;
  limits.visited_instructions = 100;
  EXPECT_THAT(refused(loop(1000, 1), limits).message,
              HasSubstr("too many paths: 100 instructions"));
}

// A merged path is as long as the rest of the one that was walked.
TEST(Check, MeasuresTheLongestPathThroughMerges) {
  Code code = {Load{MemSize::k32, false, kR6, kR1, 0},
               JumpIf{Condition::kEq, Width::k64, kR6, Imm{0}, 3}, Jump{23}};
  for (int i = 0; i < 20; ++i) code.push_back(Mov{Width::k64, kR3, Imm{i}});
  code.insert(code.end(), {Mov{Width::k64, kR3, Imm{0}}, Mov{Width::k64, kR0, Imm{0}}, Exit{}});
  EXPECT_EQ(accepted(code).max_instructions, 25U);
}

}  // namespace
}  // namespace egpu::verifier
