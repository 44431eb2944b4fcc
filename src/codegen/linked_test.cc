// Programs of several functions, callbacks, data sections and helpers, as PTX.
#include <string>

#include "abi/context.h"
#include "codegen/long_calls.h"
#include "codegen/test_support.h"
#include "verifier/helpers.h"

namespace egpu::codegen {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;
using verifier::HelperId;

bpf::CallHelper helper(HelperId id) { return {static_cast<std::int32_t>(id)}; }

Step move(std::uint8_t dst, bpf::Operand src) { return bpf::Mov{Width::k64, Reg{dst}, src}; }

// Address 4096 stands for a map value.
Steps store_r0() {
  return {move(6, Imm{4096}), {bpf::Store{MemSize::k64, Reg{6}, 0, Reg{0}}, Region::kMapValue}};
}

Input program(const ProgramCode& code) {
  return {.maps = {array_map(8, 4)}, .programs = {code}, .options = {}};
}

std::string ptx_of_steps(const Steps& steps) { return ptx_of(program(steps + leave())); }

// r0 = r1 * 3 + what is at r2, by way of its own stack.
Steps callee() {
  return {bpf::Alu{bpf::AluOp::kMul, Width::k64, Reg{1}, Imm{3}},
          {bpf::Store{MemSize::k64, Reg{10}, -8, Reg{1}}, Region::kStack, -8},
          {bpf::Load{MemSize::k64, false, Reg{0}, Reg{10}, -8}, Region::kStack, -8},
          {bpf::Load{MemSize::k64, false, Reg{2}, Reg{2}, 0}, Region::kGeneric},
          bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{0}, Reg{2}},
          bpf::Exit{}};
}

TEST(Subprograms, ShortOnesBecomePartOfTheirCaller) {
  // callee(5, &(u64){7}) = 22
  const Steps caller = Steps{{bpf::Store{MemSize::k64, Reg{10}, -16, Imm{7}}, Region::kStack, -16},
                             move(1, Imm{5}),
                             move(2, Reg{10}),
                             bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{2}, Imm{-16}},
                             bpf::CallSubprogram{9}} +
                       store_r0() + leave();
  ASSERT_EQ(caller.size(), 9U);
  const std::string ptx = ptx_of(program({caller + callee(), {9, 15}}));
  EXPECT_THAT(ptx, HasSubstr(", 22;"));
  EXPECT_THAT(ptx, Not(HasSubstr("call")));
  EXPECT_THAT(ptx, Not(HasSubstr(".local"))) << "both frames are registers";
}

TEST(Subprograms, LongOnesStayFunctionsThatGetWhatTheyRead) {
  const std::string ptx = ptx_of(long_calls());
  EXPECT_THAT(ptx, HasSubstr(".func egpu_function_0_1("));
  EXPECT_THAT(ptx, contains_in_order({".func egpu_probe_0(", "activemask.b32", "call.uni",
                                      "egpu_function_0_1,"}));
  // Neither the kernel's id nor the site's is read: not handed down either.
  EXPECT_THAT(ptx, Not(HasSubstr("egpu_function_0_1_param_2")));
}

TEST(Subprograms, UnreachableOnesLeaveNoCode) {
  Steps all = leave() + Steps{helper(HelperId::kTracePrintk)} + leave();
  for (std::size_t i = 2; i < all.size(); ++i) all[i].facts.reachable = false;
  EXPECT_THAT(ptx_of(program({all, {2, 5}})), Not(HasSubstr("egpu_function")));
}

// r3 = &stack[-8], which holds r1 of the callback's sum.
Steps call_back(Step call) {
  return Steps{{bpf::Store{MemSize::k64, Reg{10}, -8, Imm{0}}, Region::kStack, -8},
               {bpf::LoadImm64{bpf::Imm64Kind::kFunction, Reg{2}, 11}},
               move(3, Reg{10}),
               bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{3}, Imm{-8}},
               move(4, Imm{0}),
               call} +
         store_r0() + leave();
}

TEST(Callbacks, LoopCallsTheFunctionForEachNumber) {
  // sum += index; return 0
  const Steps add{{bpf::Load{MemSize::k64, false, Reg{3}, Reg{2}, 0}, Region::kGeneric},
                  bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{3}, Reg{1}},
                  {bpf::Store{MemSize::k64, Reg{2}, 0, Reg{3}}, Region::kGeneric}};
  const Steps caller =
      Steps{move(1, Imm{1000})} + call_back({helper(HelperId::kLoop), Callback{11}});
  ASSERT_EQ(caller.size(), 11U);
  const std::string ptx = ptx_of(program({caller + add + leave(), {11, 16}}));
  EXPECT_THAT(ptx, HasSubstr("st.global.b64 \t[%rd1], 1000;")) << "the loop folds: r0 is its count";
  EXPECT_THAT(ptx, Not(HasSubstr("call")));
}

TEST(Callbacks, LoopStopsAtAResultThatIsNotZero) {
  // return index == 41
  const Steps stop{move(0, Imm{0}),
                   bpf::JumpIf{bpf::Condition::kNe, Width::k64, Reg{1}, Imm{41}, 14},
                   move(0, Imm{1}), bpf::Exit{}};
  const Steps caller =
      Steps{move(1, Imm{1000})} + call_back({helper(HelperId::kLoop), Callback{11}});
  EXPECT_THAT(ptx_of(program({caller + stop, {11, 15}})), HasSubstr("[%rd1], 42;"));
}

TEST(Callbacks, LoopRefusesTooMany) {
  const Steps caller =
      Steps{move(1, Imm{(8 << 20) + 1})} + call_back({helper(HelperId::kLoop), Callback{11}});
  EXPECT_THAT(ptx_of(program({caller + leave(), {11, 13}})), HasSubstr("[%rd1], -7;"));
}

TEST(Callbacks, LoopTakesTheLowHalfOfTheNumber) {
  Steps caller = Steps{bpf::LoadImm64{bpf::Imm64Kind::kConstant, Reg{1}, 0x7'0000'0003}} +
                 call_back({helper(HelperId::kLoop), Callback{11}});
  EXPECT_THAT(ptx_of(program({caller + leave(), {11, 13}})), HasSubstr("[%rd1], 3;"));
}

TEST(Callbacks, LoopRefusesFlags) {
  Steps caller = Steps{move(1, Imm{3})} + call_back({helper(HelperId::kLoop), Callback{11}});
  caller[5] = move(4, Imm{1});
  EXPECT_THAT(ptx_of(program({caller + leave(), {11, 13}})), HasSubstr("[%rd1], -22;"));
}

Input for_each(bpf::MapType type) {
  // Value += key.
  const Steps add{{bpf::Load{MemSize::k32, false, Reg{2}, Reg{2}, 0}, Region::kGeneric},
                  {bpf::Atomic{bpf::AtomicOp::kAdd, false, MemSize::k64, Reg{3}, 0, Reg{2}},
                   Region::kMapValue}};
  const Steps caller = Steps{bpf::LoadImm64{bpf::Imm64Kind::kMap, Reg{1}, 0}} +
                       call_back({helper(HelperId::kForEachMapElem), Callback{11}, 0});
  return {.maps = {array_map(8, 1000, type)},
          .programs = {{caller + add + leave(), {11, 15}}},
          .options = {}};
}

TEST(Callbacks, ForEachVisitsEveryElement) {
  EXPECT_THAT(ptx_of(for_each(bpf::MapType::kArray)),
              contains_in_order({"[egpu_probe_table+24];", "$L__BB0_", "red.relaxed.gpu.global.add",
                                 ", 1000;", "bra"}));
}

TEST(Callbacks, ForEachVisitsTheShardOfTheSm) {
  EXPECT_THAT(ptx_of(for_each(bpf::MapType::kPercpuArray)),
              contains_in_order({"%smid", "min.u32", "8064;", "red.relaxed.gpu.global.add"}));
}

TEST(Data, VariablesLieInTheirMap) {
  EXPECT_THAT(ptx_of_steps({bpf::LoadImm64{bpf::Imm64Kind::kMapData, Reg{1}, 4, 0},
                            {bpf::Store{MemSize::k32, Reg{1}, 0, Imm{7}}, Region::kMapValue}}),
              contains_in_order({"[egpu_probe_table+24];", "st.global.b32", "+4], 7;"}));
}

Input reads_setting(const Steps& steps) {
  Input input = program(Steps{bpf::LoadImm64{bpf::Imm64Kind::kReadOnly, Reg{1}, 4, 0}} + steps +
                        store_r0() + leave());
  input.read_only = {{.name = ".rodata",
                      .bytes = {std::byte{9}, {}, {}, {}, std::byte{1}, std::byte{2}, {}, {}},
                      .alignment = 16}};
  return input;
}

TEST(Data, ReadOnlyVariablesAreConstants) {
  const std::string ptx =
      ptx_of(reads_setting({{bpf::Load{MemSize::k32, false, Reg{0}, Reg{1}, 0}, Region::kReadOnly},
                            bpf::JumpIf{bpf::Condition::kEq, Width::k64, Reg{0}, Imm{513}, 4},
                            helper(HelperId::kKtimeGetNs)}));
  EXPECT_THAT(ptx, HasSubstr(", 513;"));
  EXPECT_THAT(ptx, Not(HasSubstr("egpu_read_only"))) << "nothing reads it from memory";
  EXPECT_THAT(ptx, Not(HasSubstr("globaltimer"))) << "the branch that is never taken vanishes";
}

// for (p = table; p != table + n; p++): the end is compared with, never read.
TEST(Data, TheEndOfAReadOnlySectionHasAnAddress) {
  Input input =
      program(Steps{bpf::LoadImm64{bpf::Imm64Kind::kReadOnly, Reg{1}, 8, 0},
                    {bpf::Load{MemSize::k32, false, Reg{0}, Reg{1}, -4}, Region::kReadOnly}} +
              store_r0() + leave());
  input.read_only = {{.name = ".rodata",
                      .bytes = {std::byte{1}, {}, {}, {}, std::byte{42}, {}, {}, {}},
                      .alignment = 4}};
  EXPECT_THAT(ptx_of(input), HasSubstr("42;"));
}

TEST(Data, ReadOnlyArraysLieInGlobalMemory) {
  EXPECT_THAT(ptx_of(reads_setting(
                  {helper(HelperId::kGetSmpProcessorId),
                   bpf::Alu{bpf::AluOp::kAnd, Width::k64, Reg{0}, Imm{3}},
                   bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{1}, Reg{0}},
                   {bpf::Load{MemSize::k8, false, Reg{0}, Reg{1}, 0}, Region::kReadOnly}})),
              contains_in_order({".global .align 16 .b8 egpu_read_only_0[8] = {9, 0, 0, 0, 1, 2",
                                 "ld.global.nc.b8"}));
}

TEST(Data, AddressBehindTheEndOfASectionIsOurBug) {
  Input input = reads_setting({});
  input.read_only[0].bytes.resize(3);
  const auto module = try_generate(input);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().fault, Fault::kBug);
}

struct Reading {
  HelperId id;
  std::initializer_list<std::string_view> ptx;
};

TEST(Helpers, ReadTheMachine) {
  const Reading readings[] = {
      {HelperId::kKtimeGetNs, {"%globaltimer;", "st.global.b64"}},
      {HelperId::kGetSmpProcessorId, {"%smid;", "cvt.u64.u32", "st.global.b64"}},
      {HelperId::kGetPrandomU32, {"%clock64;", "st.global.b64"}},
      {HelperId::kGetCurrentPidTgid, {"ld.const.b32", "[egpu_probe_table+4];", "st.global.b64"}},
  };
  for (const Reading& reading : readings)
    EXPECT_THAT(ptx_of_steps(Steps{helper(reading.id)} + store_r0()),
                contains_in_order(reading.ptx));
}

TEST(Helpers, ExternsReadTheMachine) {
  const std::pair<const char*, const char*> externs[] = {{"egpu_clock", "%clock64;"},
                                                         {"egpu_globaltimer", "%globaltimer;"},
                                                         {"egpu_grid_id", "%gridid;"}};
  for (const auto& [name, text] : externs) {
    Input input = program(Steps{bpf::CallExtern{0}} + store_r0() + leave());
    input.externs = {name};
    EXPECT_THAT(ptx_of(input), contains_in_order({text, "st.global.b64"}));
  }
}

TEST(Helpers, LogarithmsAreAnInstruction) {
  Input input = program(Steps{bpf::CallExtern{0}, move(1, Reg{0}), bpf::CallExtern{1}} +
                        store_r0() + leave());
  input.externs = {"egpu_clock", "egpu_log2"};
  EXPECT_THAT(ptx_of(input), contains_in_order({"clz.b64", "st.global.b64"}));
}

TEST(Helpers, TimeIsReadAtEachCall) {
  const std::string ptx = ptx_of_steps(Steps{helper(HelperId::kKtimeGetNs)} + store_r0() +
                                       Steps{helper(HelperId::kKtimeGetNs)} + store_r0());
  EXPECT_THAT(ptx, contains_in_order({"%globaltimer;", "%globaltimer;"}));
}

TEST(Helpers, CommandIsCutToTheBuffer) {
  const std::string ptx =
      ptx_of_steps({move(1, Reg{10}),
                    bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{1}, Imm{-8}},
                    move(2, Imm{8}),
                    helper(HelperId::kGetCurrentComm),
                    {bpf::Load{MemSize::k64, false, Reg{0}, Reg{10}, -8}, Region::kStack, -8},
                    move(6, Imm{4096}),
                    {bpf::Store{MemSize::k64, Reg{6}, 0, Reg{0}}, Region::kMapValue}});
  EXPECT_THAT(ptx, contains_in_order({"[egpu_probe_table+8];", "st.global.b64"}));
  EXPECT_THAT(ptx, Not(HasSubstr("egpu_probe_table+16]"))) << "the second half is not needed";
  EXPECT_THAT(ptx, Not(HasSubstr(".local"))) << ptx;
}

TEST(Helpers, TracingWithoutItsRingIsOurBug) {
  const auto module = try_generate(program(Steps{helper(HelperId::kTracePrintk)} + leave()));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message, "an object that traces has no ring buffer for it");
}

TEST(Linked, IsDeterministic) {
  const GeneratedModule first = generated(long_calls());
  const GeneratedModule again = generated(long_calls());
  EXPECT_EQ(first.ptx, again.ptx);
  EXPECT_EQ(first.llvm_ir, again.llvm_ir);
}

}  // namespace
}  // namespace egpu::codegen
