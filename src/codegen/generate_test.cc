#include "codegen/generate.h"

#include <string>
#include <thread>
#include <vector>

#include "abi/context.h"
#include "codegen/map_calls.h"
#include "codegen/test_support.h"

namespace egpu::codegen {
namespace {

using namespace testing;
using abi::ContextField;
using bpf::AtomicOp;

// A program that does `steps` on the value of map 0 that r0 points to.
Input on_value(const Steps& steps, const GenerateOptions& options = {}) {
  return {
      .maps = {array_map(8, 4)}, .programs = {lookup(0, 3) + steps + leave()}, .options = options};
}

Step atomic(AtomicOp op, bool fetch, MemSize size) {
  return {bpf::Atomic{op, fetch, size, Reg{0}, 0, Reg{3}}, Region::kMapValue};
}

Steps store_field(ContextField field) {
  const auto offset = static_cast<std::int16_t>(abi::context_offset(field));
  return {{bpf::Load{MemSize::k32, false, Reg{1}, Reg{1}, offset}, Region::kContext, offset},
          bpf::Mov{Width::k64, Reg{6}, Imm{4096}},
          {bpf::Store{MemSize::k32, Reg{6}, 0, Reg{1}}, Region::kMapValue}};
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Generate, EmptyProgramIsAnEmptyFunction) {
  EXPECT_THAT(ptx_of({.maps = {}, .programs = {leave()}, .options = {}}),
              contains_in_order({".version 6.3\n", ".target sm_70\n", ".address_size 64\n",
                                 "\n.func egpu_probe_0(\n", ".param .b32 egpu_probe_0_param_0,\n",
                                 ".param .b32 egpu_probe_0_param_1\n)\n{\n", "\tret;\n", "}\n"}));
}

TEST(Generate, OneFunctionForEachProgramInOrder) {
  const std::string ptx =
      ptx_of({.maps = {array_map(8, 1)}, .programs = {leave(), leave(), leave()}, .options = {}});
  EXPECT_THAT(ptx, contains_in_order(
                       {".func egpu_probe_0(", ".func egpu_probe_1(", ".func egpu_probe_2("}));
  EXPECT_EQ(count(ptx, ".func"), 3U);
}

TEST(Generate, ModuleHoldsNothingThatCannotBeMerged) {
  const std::string ptx = ptx_of(on_value({atomic(AtomicOp::kAdd, true, MemSize::k64)}));
  for (const char* part :
       {".extern", ".weak", ".section", ".file", ".loc ", "brx", ".entry", "call"})
    EXPECT_EQ(ptx.find(part), std::string::npos) << part;
  EXPECT_EQ(count(ptx, ".visible"), 1U);  // the table
}

TEST(ProbeTable, LivesInConstantOrGlobalMemory) {
  const Steps store{{bpf::Store{MemSize::k64, Reg{0}, 0, Imm{1}}, Region::kMapValue}};
  EXPECT_THAT(ptx_of(on_value(store)),
              contains_in_order({".visible .const .align 8 .b8 egpu_probe_table[32];",
                                 "ld.const.b64", "[egpu_probe_table+24];"}));
  EXPECT_THAT(ptx_of(on_value(store, {.table_space = TableSpace::kGlobal})),
              contains_in_order({".visible .global .align 8 .b8 egpu_probe_table[32];",
                                 "ld.global.nc.b64", "[egpu_probe_table+24];"}));
}

TEST(ProbeTable, HasARowForEveryMap) {
  const Steps store{{bpf::Store{MemSize::k64, Reg{0}, 0, Imm{1}}, Region::kMapValue}};
  const Input input{.maps = {array_map(8, 4), array_map(8, 4), array_map(8, 4)},
                    .programs = {lookup(2, 0) + store + leave()},
                    .options = {}};
  EXPECT_THAT(ptx_of(input),
              contains_in_order({"egpu_probe_table[48];", "[egpu_probe_table+40];"}));
}

TEST(Lookup, NullWhereTheMapWasNeverFilled) {
  EXPECT_THAT(ptx_of(on_value({{bpf::Store{MemSize::k64, Reg{0}, 0, Imm{7}}, Region::kMapValue}})),
              contains_in_order({"ld.const.b64 \t%rd1, [egpu_probe_table+24];",
                                 "setp.ne.b64 \t%p1, %rd1, 0;", "@%p1 bra",
                                 "st.global.b64 \t[%rd1+24], 7;", "ret;"}));
}

TEST(Lookup, NullBeyondTheEnd) {
  const Input input{
      .maps = {array_map(8, 4)},
      .programs = {lookup(0, 4) +
                   Steps{{bpf::Store{MemSize::k64, Reg{0}, 0, Imm{7}}, Region::kMapValue}} +
                   leave()},
      .options = {}};
  EXPECT_EQ(ptx_of(input).find("st.global"), std::string::npos);
}

// An addition of 8 bytes to the value of a map, by a program that does nothing else to it but what
// `use` says.
struct Counter {
  explicit Counter(bpf::MapDefinition map, const verifier::MapUse& use = {.added_bytes = 8})
      : made({.maps = {std::move(map)},
              .programs = {lookup(0, 2) + Steps{atomic(AtomicOp::kAdd, false, MemSize::k64)} +
                           leave()},
              .options = {}}) {
    made.checked[0].map_uses = {use};
    choose_sums(made.object, made.checked);
  }
  [[nodiscard]] std::uint32_t sum_bytes() const { return made.object.maps[0].sum_bytes; }
  [[nodiscard]] std::string ptx() const {
    const auto generated = generate(made.object, made.checked);
    EXPECT_TRUE(generated) << to_string(generated.error());
    return generated ? generated->ptx : std::string();
  }

  HandMade made;
};

TEST(Sums, AreArraysThatProgramsOnlyAddTo) {
  EXPECT_EQ(Counter(array_map(8, 20)).sum_bytes(), 8U);
  EXPECT_EQ(Counter(array_map(8, 2048)).sum_bytes(), 8U);
  EXPECT_EQ(Counter(array_map(8, 2049)).sum_bytes(), 0U);
  EXPECT_EQ(Counter(array_map(8, 20, bpf::MapType::kPercpuArray)).sum_bytes(), 0U);
  EXPECT_EQ(Counter(array_map(8, 20, bpf::MapType::kHash)).sum_bytes(), 0U);
  EXPECT_EQ(Counter(array_map(8, 20), {}).sum_bytes(), 0U);
  EXPECT_EQ(Counter(array_map(8, 20), {.loads = true, .added_bytes = 8}).sum_bytes(), 0U);
  EXPECT_EQ(Counter(array_map(8, 20), {.changes = true, .added_bytes = 8}).sum_bytes(), 0U);
}

TEST(Sums, LieInShardsOfEachSm) {
  EXPECT_THAT(Counter(array_map(8, 20)).ptx(),
              contains_in_order({"%smid;", "min.u32", "%warpid;", "256;", "red.relaxed.gpu"}));
}

TEST(Hash, LookUpsAreCachedWhereKeysStayAndNobodyLoads) {
  const auto is_cached = [](const verifier::MapUse& use, bpf::MapType type = bpf::MapType::kHash) {
    return Counter(array_map(8, 20, type), use).ptx().find("ld.weak.global") != std::string::npos;
  };
  EXPECT_TRUE(is_cached({.added_bytes = 8}));
  EXPECT_TRUE(is_cached({.changes = true, .added_bytes = 8}));
  EXPECT_TRUE(is_cached({.added_bytes = 8}, bpf::MapType::kPercpuHash));
  EXPECT_FALSE(is_cached({.loads = true, .added_bytes = 8}));
  EXPECT_FALSE(is_cached({.deletes = true, .added_bytes = 8}));
  EXPECT_FALSE(is_cached({.added_bytes = 8}, bpf::MapType::kLruHash));
}

TEST(Lookup, PercpuUsesTheShardOfTheSm) {
  const Input input{
      .maps = {array_map(12, 20, bpf::MapType::kPercpuArray)},  // stride 16, shard 384
      .programs = {lookup(0, 2) +
                   Steps{{bpf::Store{MemSize::k32, Reg{0}, 4, Imm{7}}, Region::kMapValue}} +
                   leave()},
      .options = {}};
  EXPECT_THAT(ptx_of(input),
              contains_in_order({"[egpu_probe_table+24];", "[egpu_probe_table];", "%smid;",
                                 "min.u32", "384;", "st.global.b32", "+36], 7;"}));
}

TEST(Lookup, KeyOnTheStackNeedsNoMemory) {
  const std::string ptx = ptx_of(on_value({atomic(AtomicOp::kAdd, false, MemSize::k64)}));
  EXPECT_EQ(ptx.find(".local"), std::string::npos) << ptx;
}

TEST(Atomics, WithoutFetchAreRelaxedReductions) {
  const std::pair<AtomicOp, const char*> operations[] = {{AtomicOp::kAdd, "add.u"},
                                                         {AtomicOp::kOr, "or.b"},
                                                         {AtomicOp::kAnd, "and.b"},
                                                         {AtomicOp::kXor, "xor.b"}};
  for (const auto& [op, name] : operations) {
    const std::string prefix = std::string("red.relaxed.gpu.global.") + name;
    EXPECT_THAT(
        ptx_of(on_value({bpf::Mov{Width::k64, Reg{3}, Imm{1}}, atomic(op, false, MemSize::k64),
                         atomic(op, false, MemSize::k32)})),
        contains_in_order({prefix + "64 [", prefix + "32 ["}));
  }
}

TEST(Atomics, WithFetchAreAcquireRelease) {
  const std::pair<AtomicOp, const char*> operations[] = {
      {AtomicOp::kAdd, "add.u"},       {AtomicOp::kOr, "or.b"},
      {AtomicOp::kAnd, "and.b"},       {AtomicOp::kXor, "xor.b"},
      {AtomicOp::kExchange, "exch.b"}, {AtomicOp::kCompareExchange, "cas.b"}};
  for (const auto& [op, name] : operations) {
    const std::string prefix = std::string("atom.acq_rel.gpu.global.") + name;
    EXPECT_THAT(ptx_of(on_value(
                    {bpf::Mov{Width::k64, Reg{3}, Imm{1}},
                     bpf::Mov{Width::k64, Reg{4}, Reg{0}},
                     {bpf::Atomic{op, true, MemSize::k64, Reg{4}, 0, Reg{3}}, Region::kMapValue},
                     {bpf::Atomic{op, true, MemSize::k32, Reg{4}, 0, Reg{3}}, Region::kMapValue}})),
                contains_in_order({prefix + "64 %", prefix + "32 %"}));
  }
}

TEST(Atomics, Fetch32IsZeroExtended) {
  EXPECT_THAT(
      ptx_of(on_value({bpf::Mov{Width::k64, Reg{3}, Imm{1}},
                       atomic(AtomicOp::kAdd, true, MemSize::k32),
                       {bpf::Store{MemSize::k64, Reg{0}, 0, Reg{3}}, Region::kMapValue}})),
      contains_in_order({"atom.acq_rel.gpu.global.add.u32 %r", "cvt.u64.u32", "st.global.b64"}));
}

TEST(Memory, LoadsAndStoresNameTheGlobalSpace) {
  for (const auto& [size, bits] : {std::pair{MemSize::k8, "8"},
                                   {MemSize::k16, "16"},
                                   {MemSize::k32, "32"},
                                   {MemSize::k64, "64"}}) {
    const Steps copy{{bpf::Load{size, false, Reg{3}, Reg{0}, 0}, Region::kMapValue},
                     {bpf::Store{size, Reg{0}, 8, Reg{3}}, Region::kMapValue}};
    EXPECT_THAT(ptx_of(on_value(copy)), contains_in_order({std::string("ld.global.b") + bits,
                                                           std::string("st.global.b") + bits}));
  }
}

TEST(Memory, SignExtendingLoad) {
  EXPECT_THAT(
      ptx_of(on_value({{bpf::Load{MemSize::k16, true, Reg{3}, Reg{0}, 0}, Region::kMapValue},
                       {bpf::Store{MemSize::k64, Reg{0}, 8, Reg{3}}, Region::kMapValue}})),
      contains_in_order({"ld.global.s16", "st.global.b64"}));
}

TEST(Shifts, MaskVariableCounts) {
  EXPECT_THAT(
      ptx_of(on_value({{bpf::Load{MemSize::k64, false, Reg{3}, Reg{0}, 0}, Region::kMapValue},
                       bpf::Alu{bpf::AluOp::kLsh, Width::k64, Reg{3}, Reg{3}},
                       {bpf::Store{MemSize::k64, Reg{0}, 8, Reg{3}}, Region::kMapValue}})),
      contains_in_order({"and.b32", ", 63;", "shl.b64"}));
}

TEST(Division, GuardsAVariableDivisor) {
  EXPECT_THAT(
      ptx_of(on_value({{bpf::Load{MemSize::k64, false, Reg{3}, Reg{0}, 0}, Region::kMapValue},
                       {bpf::Load{MemSize::k64, false, Reg{4}, Reg{0}, 8}, Region::kMapValue},
                       bpf::Alu{bpf::AluOp::kDiv, Width::k64, Reg{3}, Reg{4}},
                       {bpf::Store{MemSize::k64, Reg{0}, 16, Reg{3}}, Region::kMapValue}})),
      contains_in_order({"max.u64", ", 1;", "div.u64", "setp.eq.b64", "selp.b64", ", 0, "}));
}

TEST(Context, FieldsAreSpecialRegisters) {
  const std::pair<ContextField, const char*> registers[] = {
      {ContextField::kThreadIdxX, "%tid.x;"},
      {ContextField::kThreadIdxY, "%tid.y;"},
      {ContextField::kThreadIdxZ, "%tid.z;"},
      {ContextField::kBlockIdxX, "%ctaid.x;"},
      {ContextField::kBlockIdxY, "%ctaid.y;"},
      {ContextField::kBlockIdxZ, "%ctaid.z;"},
      {ContextField::kBlockDimX, "%ntid.x;"},
      {ContextField::kBlockDimY, "%ntid.y;"},
      {ContextField::kBlockDimZ, "%ntid.z;"},
      {ContextField::kGridDimX, "%nctaid.x;"},
      {ContextField::kGridDimY, "%nctaid.y;"},
      {ContextField::kGridDimZ, "%nctaid.z;"},
      {ContextField::kLaneId, "%laneid;"},
      {ContextField::kWarpId, "%warpid;"},
      {ContextField::kSmId, "%smid;"},
      {ContextField::kKernelId, "[egpu_probe_0_param_0];"},
      {ContextField::kSiteId, "[egpu_probe_0_param_1];"},
      {ContextField::kActiveMask, "activemask.b32"},
  };
  static_assert(std::size(registers) + 1 == abi::kContextFieldCount);  // and the weight
  for (const auto& [field, text] : registers) {
    const Input input{.maps = {}, .programs = {store_field(field) + leave()}, .options = {}};
    EXPECT_THAT(ptx_of(input), contains_in_order({text, "st.global.b32"}))
        << abi::context_field_name(field);
  }
}

// With the program's attach point.
std::string ptx_at(const bpf::AttachPoint& attach, const Steps& steps) {
  HandMade made({.maps = {}, .programs = {steps}, .options = {}});
  made.object.programs[0].attach = attach;
  const auto module = generate(made.object, made.checked);
  EXPECT_TRUE(module) << to_string(module.error());
  return module ? module->ptx : std::string();
}

TEST(Firing, OneThreadOfAWarpOrGroup) {
  const Steps steps = store_field(ContextField::kActiveMask) + leave();
  EXPECT_THAT(ptx_at({.granularity = bpf::Granularity::kWarp}, steps),
              contains_in_order({"activemask.b32", "%laneid", "@%p1 bra", "st.global.b32"}));
  EXPECT_THAT(
      ptx_at({.event = bpf::AttachEvent::kExit, .granularity = bpf::Granularity::kWarp}, steps),
      contains_in_order({"activemask.b32", "%lanemask_lt", "@%p1 bra", "st.global.b32"}));
}

TEST(Firing, BlocksMeetInATableThatOthersDoNotHave) {
  const Steps steps = store_field(ContextField::kLaneId) + leave();
  const std::string table = ".global .align 8 .b8 egpu_block_cells[524288];";
  EXPECT_THAT(ptx_at({.granularity = bpf::Granularity::kBlock}, steps),
              contains_in_order(
                  {table, "activemask.b32", "atom.acq_rel.gpu.global.cas.b64", "st.global.b32"}));
  EXPECT_EQ(ptx_at({.granularity = bpf::Granularity::kWarp}, steps).find("egpu_block_cells"),
            std::string::npos);
}

TEST(Firing, SamplesHaveAWeight) {
  const Steps steps = store_field(ContextField::kWeight) + leave();
  EXPECT_THAT(ptx_at({.sample = 64}, steps),
              contains_in_order({"%gridid", "bra", "st.global.b32 \t[%rd", ", 64;"}));
  const std::string all = ptx_at({}, steps);
  EXPECT_THAT(all, contains_in_order({"st.global.b32", ", 1;"}));
  EXPECT_EQ(all.find("%gridid"), std::string::npos);
}

TEST(Context, ActiveMaskIsReadBeforeAnyBranch) {
  const auto lane = static_cast<std::int16_t>(abi::context_offset(ContextField::kLaneId));
  const Steps branch{{bpf::Load{MemSize::k32, false, Reg{2}, Reg{1}, lane}, Region::kContext, lane},
                     bpf::JumpIf{bpf::Condition::kEq, Width::k64, Reg{2}, Imm{0}, 3},
                     bpf::Exit{}};
  const Input input{.maps = {},
                    .programs = {branch + store_field(ContextField::kActiveMask) + leave()},
                    .options = {}};
  EXPECT_THAT(ptx_of(input),
              contains_in_order({"activemask.b32", "%laneid", "bra", "st.global.b32"}));
}

TEST(Context, UnusedFieldsCostNothing) {
  const std::string ptx = ptx_of(on_value({atomic(AtomicOp::kAdd, false, MemSize::k64)}));
  for (const char* part : {"%tid", "%ctaid", "activemask", "ld.param"})
    EXPECT_EQ(ptx.find(part), std::string::npos) << part;
}

TEST(ControlFlow, LoopsAndBackwardJumps) {
  // do { r0[8] = r3; r3 -= 1 } while (r3 > r0[0]); the bound is not known to the compiler.
  const Steps loop{
      {bpf::Load{MemSize::k64, false, Reg{3}, Reg{0}, 0}, Region::kMapValue},
      {bpf::Atomic{AtomicOp::kAdd, false, MemSize::k64, Reg{0}, 8, Reg{3}}, Region::kMapValue},
      bpf::Alu{bpf::AluOp::kSub, Width::k64, Reg{3}, Imm{1}},
      bpf::JumpIf{bpf::Condition::kSgt, Width::k64, Reg{3}, Imm{0}, 8}};
  EXPECT_THAT(ptx_of(on_value(loop)),
              contains_in_order({"$L__BB0_3:", "red.relaxed.gpu.global.add.u64", "setp.gt.s64",
                                 "bra \t$L__BB0_3;"}));
}

TEST(ControlFlow, UnreachableCodeIsNotEmitted) {
  Steps steps{bpf::Mov{Width::k64, Reg{3}, Imm{1}},
              bpf::JumpIf{bpf::Condition::kEq, Width::k64, Reg{3}, Imm{1}, 3},
              bpf::CallHelper{9999}};  // would be an error if it were lowered
  steps[2].facts.reachable = false;
  EXPECT_THAT(ptx_of({.maps = {}, .programs = {steps + leave()}, .options = {}}),
              contains_in_order({"ret;"}));
}

TEST(Errors, NameTheInstruction) {
  const Input input{
      .maps = {}, .programs = {Steps{bpf::CallHelper{9999}} + leave()}, .options = {}};
  const auto module = try_generate(input);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().fault, Fault::kBug);
  EXPECT_EQ(module.error().message, "helper 9999 passed the checker but has no code");
  EXPECT_THAT(module.error().place, ::testing::HasSubstr("instruction 0"));
}

TEST(Errors, ProgramThatRunsOffItsEnd) {
  const auto module = try_generate(
      {.maps = {}, .programs = {Steps{bpf::Mov{Width::k64, Reg{0}, Imm{0}}}}, .options = {}});
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().fault, Fault::kBug);
}

TEST(Generate, IsDeterministic) {
  const Input input =
      on_value({bpf::Mov{Width::k64, Reg{3}, Imm{1}}, atomic(AtomicOp::kAdd, true, MemSize::k32),
                atomic(AtomicOp::kXor, false, MemSize::k64)});
  const GeneratedModule first = generated(input);
  for (int i = 0; i < 3; ++i) {
    const GeneratedModule again = generated(input);
    EXPECT_EQ(first.ptx, again.ptx);
    EXPECT_EQ(first.llvm_ir, again.llvm_ir);
  }
}

TEST(Generate, WorksOnSeveralThreadsAtOnce) {
  const Input input =
      on_value({bpf::Mov{Width::k64, Reg{3}, Imm{1}}, atomic(AtomicOp::kAdd, true, MemSize::k32)});
  const std::string expected = ptx_of(input);
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (std::string& result : results) threads.emplace_back([&] { result = ptx_of(input); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, ::testing::Each(expected));
}

}  // namespace
}  // namespace egpu::codegen
