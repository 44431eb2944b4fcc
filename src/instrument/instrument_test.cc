#include "instrument/instrument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parser.h"
#include "ptx/printer.h"

namespace egpu::instrument {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kApplication = R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 1;
.func helper();
.visible .entry kernel(.param .u64 kernel_param_0)
.maxntid 128, 1, 1
{
  .reg .b32 %r<2>;
  mov.u32 %r1, 1;
$L__BB0_1:
  bra $L__BB0_1;
}
.visible .entry other() { ret; }
.func helper() { ret; }
)";

constexpr std::string_view kProbes = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .const .align 8 .b8 egpu_probe_table[16];
.func first_probe(.param .b32 kernel_id, .param .b32 site_id) { ret; }
.func second_probe(.param .b32 kernel_id, .param .b32 site_id)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [kernel_id];
  ld.param.b32 %r2, [site_id];
  setp.eq.b32 %p1, %r1, %r2;
  @%p1 ret;
$L__BB0_1:
  @!%p1 bra $L__BB0_1;
  ret;
}
.global .align 8 .b8 egpu_read_only_0[8] = {1, 2, 3};
.func (.param .b64 r0) callee(.param .b64 r1);
.func unused() { ret; }
.func inner() { ret; }
.func calls(.param .b32 kernel_id, .param .b32 site_id)
{
  {
    .param .b64 param0;
    .param .b64 retval0;
    st.param.b64 [param0], 1;
    call.uni (retval0), callee, (param0);
    ld.param.b64 %rd1, [retval0];
  }
  ret;
}
.func (.param .b64 r0) callee(.param .b64 r1) { call.uni inner; ret; }
.func passes(.param .b32 kernel_id, .param .b32 site_id) { call.uni inner, (kernel_id); ret; }
.func calls_nothing(.param .b32 kernel_id, .param .b32 site_id) { call.uni nothing; ret; }
.func calls_register(.param .b32 kernel_id, .param .b32 site_id)
{
  .reg .b64 %rd<2>;
  call.uni %rd1, (), prototype;
  ret;
}
.func stores(.param .b32 kernel_id, .param .b32 site_id) { st.param.b32 [kernel_id], 1; ret; }
.func not_a_probe(.param .b64 wide) { ret; }
)";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return result.replace(at, from.size(), to);
}

ptx::Module parsed(std::string_view text, const char* name = "app.ptx") {
  auto module = ptx::parse(text, name);
  EXPECT_TRUE(module) << to_string(module.error());
  return module ? *std::move(module) : ptx::Module{};
}

Result<ptx::Module> instrumented(std::string_view application, std::string_view probes,
                                 const std::vector<KernelProbes>& sites) {
  return instrument(parsed(application), parsed(probes, "probes.ptx"), sites);
}

const ptx::Function* function(const ptx::Module& module, std::string_view name) {
  for (const ptx::Item& item : module.items)
    if (const auto* found = std::get_if<ptx::Function>(&item);
        found != nullptr && found->name == name && found->body)
      return found;
  return nullptr;
}

// Names of functions and variables in order, a declaration without body in brackets.
std::string order(const ptx::Module& module) {
  std::string names;
  for (const ptx::Item& item : module.items) {
    if (const auto* found = std::get_if<ptx::Function>(&item))
      names += (found->body ? " " : " [") + std::string(found->name) + (found->body ? "" : "]");
    if (const auto* found = std::get_if<ptx::Declaration>(&item))
      names += " " + std::string(found->declarators.front().name);
  }
  return names;
}

std::vector<KernelProbes> one_site() { return {{"kernel", 7, {"first_probe"}}}; }

TEST(Instrument, PutsProbesBeforeTheFirstFunctionAndTwinsBehindTheirOriginal) {
  const auto result = instrumented(kApplication, kProbes, one_site());
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(
      order(*result),
      " counter egpu_probe_table egpu_read_only_0 [helper] kernel __egpu_kernel other helper");
}

TEST(Instrument, KeepsTheHeaderAndTheOriginalsTokenForToken) {
  const ptx::Module application = parsed(kApplication);
  const auto result = instrumented(kApplication, kProbes, one_site());
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result->version(), application.version());
  EXPECT_EQ(result->target(), application.target());
  for (const ptx::Function* entry : application.entries())
    EXPECT_EQ(ptx::print(*function(*result, entry->name)), ptx::print(*entry));
}

TEST(Instrument, InlinesEachProbeWithItsIdsBeforeTheFirstInstruction) {
  const auto result =
      instrumented(kApplication, kProbes,
                   {{"other", 3, {}}, {"kernel", 4'000'000'000u, {"second_probe", "first_probe"}}});
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(ptx::print(*function(*result, "__egpu_kernel")), R"(
.visible .entry __egpu_kernel(
	.param .u64 kernel_param_0
)
.maxntid 128, 1, 1
{
	{
		.reg .pred %p<2>;
		.reg .b32 %r<3>;
		mov.b32 %r1, 4000000000;
		mov.b32 %r2, 0;
		setp.eq.b32 %p1, %r1, %r2;
		@%p1 bra $egpu_probe_end;
$L__BB0_1:
		@!%p1 bra $L__BB0_1;
		bra $egpu_probe_end;
$egpu_probe_end:
	}
	{
		bra $egpu_probe_end;
$egpu_probe_end:
	}
	.reg .b32 %r<2>;
	mov.u32 %r1, 1;
$L__BB0_1:
	bra $L__BB0_1;
}
)");
  EXPECT_EQ(ptx::print(*function(*result, "__egpu_other")),
            replaced(ptx::print(*function(*result, "other")), "other", "__egpu_other"))
      << "a twin without probes is the original by another name";
}

TEST(Instrument, KeepsWhatProbesCallAsFunctions) {
  const auto result = instrumented(kApplication, kProbes, {{"kernel", 7, {"calls"}}});
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(order(*result),
            " counter egpu_probe_table egpu_read_only_0 [callee] inner callee [helper] kernel "
            "__egpu_kernel other helper");
  const std::string text = ptx::print(*result);
  EXPECT_THAT(text, HasSubstr("egpu_read_only_0[8] = {1, 2, 3};"));
  EXPECT_THAT(text, HasSubstr("\t\t\tst.param.b64 [param0], 1;\n"
                              "\t\t\tcall.uni (retval0), callee, (param0);\n"
                              "\t\t\tld.param.b64 %rd1, [retval0];\n"));
}

TEST(Instrument, OutlivesItsInputs) {
  std::string printed;
  {
    const auto result = [] { return instrumented(kApplication, kProbes, one_site()); }();
    ASSERT_TRUE(result);
    printed = ptx::print(*result);
  }
  EXPECT_THAT(printed, HasSubstr("__egpu_kernel("));
  EXPECT_TRUE(ptx::parse(printed, "printed.ptx"));
}

struct Refusal {
  const char* name;
  std::string application;
  std::string probes;
  std::vector<KernelProbes> sites;
  Fault fault;
  std::string_view message;
};

class Refusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameTheReasonAndTheRemedy) {
  const Refusal& refusal = GetParam();
  const auto result = instrumented(refusal.application, refusal.probes, refusal.sites);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, refusal.fault);
  EXPECT_THAT(result.error().message, HasSubstr(refusal.message));
  if (refusal.fault == Fault::kInput) {
    EXPECT_EQ(result.error().place, "app.ptx");
    EXPECT_FALSE(result.error().remedy.empty());
  }
}

std::vector<Refusal> refusals() {
  const std::string application(kApplication);
  const std::string probes(kProbes);
  return {
      {"OldTarget", replaced(kApplication, "sm_80", "sm_61"), probes, one_site(), Fault::kInput,
       "the module is for sm_61, probes need sm_70 or later"},
      {"NoTarget", replaced(kApplication, ".target sm_80", ""), probes, one_site(), Fault::kInput,
       ".target"},
      {"NoAddressSize", replaced(kApplication, ".address_size 64", ""), probes, one_site(),
       Fault::kInput, "64-bit addresses"},
      {"OldVersion", application, replaced(kProbes, "6.0", "8.1"), one_site(), Fault::kInput,
       "the module is PTX 8.0, the probes need PTX 8.1"},
      {"UnknownKernel",
       application,
       probes,
       {{"helper", 1, {}}},
       Fault::kInput,
       "the module has no kernel helper"},
      {"KernelWithAPercentSign",
       application + ".entry %k() { ret; }",
       probes,
       {{"%k", 1, {}}},
       Fault::kInput,
       "cannot have a twin"},
      {"VariableTaken", replaced(kApplication, "counter", "egpu_probe_table"), probes, one_site(),
       Fault::kInput, "already defines egpu_probe_table"},
      {"TwinTaken", replaced(kApplication, "other", "__egpu_kernel"), probes, one_site(),
       Fault::kInput, "already defines __egpu_kernel"},
      {"ListedTwice",
       application,
       probes,
       {{"kernel", 1, {}}, {"kernel", 2, {}}},
       Fault::kBug,
       "listed twice"},
      {"ProbeNewerThanTarget", application, replaced(kProbes, "sm_70", "sm_90"), one_site(),
       Fault::kBug, "probes for sm_90 cannot go into a module for sm_80"},
      {"ProbeForOneArchitecture", application, replaced(kProbes, "sm_70", "sm_80a"), one_site(),
       Fault::kBug, "sm_80a"},
      {"ProbeWithoutVersion", application, replaced(kProbes, ".version 6.0", ""), one_site(),
       Fault::kBug, ".version"},
      {"ProbeWithEntry", application, probes + ".entry e() { ret; }", one_site(), Fault::kBug,
       "has an entry, e"},
      {"ProbeWithDebugInformation", application, probes + ".file 1 \"p.c\"", one_site(),
       Fault::kBug, "has a .file"},
      {"ProbeMissing",
       application,
       probes,
       {{"kernel", 1, {"no_probe"}}},
       Fault::kBug,
       "no function no_probe"},
      {"ProbeOfAnotherSignature",
       application,
       probes,
       {{"kernel", 1, {"not_a_probe"}}},
       Fault::kBug,
       "no function not_a_probe"},
      {"CalleeTaken",
       replaced(kApplication, "counter", "inner"),
       probes,
       {{"kernel", 1, {"calls"}}},
       Fault::kInput,
       "already defines inner"},
      {"ConstantTaken", replaced(kApplication, "counter", "egpu_read_only_0"), probes, one_site(),
       Fault::kInput, "already defines egpu_read_only_0"},
      {"ProbeThatPassesAParameter",
       application,
       probes,
       {{"kernel", 1, {"passes"}}},
       Fault::kBug,
       "passes passes its parameters on"},
      {"ProbeThatCallsNothing",
       application,
       probes,
       {{"kernel", 1, {"calls_nothing"}}},
       Fault::kBug,
       "calls_nothing calls nothing, which the probe module does not define"},
      {"ProbeThatCallsThroughARegister",
       application,
       probes,
       {{"kernel", 1, {"calls_register"}}},
       Fault::kBug,
       "calls_register calls "},
      {"ProbeThatWritesAParameter",
       application,
       probes,
       {{"kernel", 1, {"stores"}}},
       Fault::kBug,
       "stores uses its parameters by st.param.b32"},
  };
}

INSTANTIATE_TEST_SUITE_P(All, Refusals, ::testing::ValuesIn(refusals()),
                         [](const auto& test) { return test.param.name; });

TEST(ConstantBytes, AddsSizesAndAlignment) {
  EXPECT_EQ(constant_bytes(parsed(".global .b8 x[100];")), 0u);
  EXPECT_EQ(constant_bytes(parsed(".const .align 1 .b8 a[5]; .visible .const .align 8 .u64 b, c;")),
            24u);
  EXPECT_EQ(constant_bytes(parsed(".const .f32 a; .const .f32 b;")), 20u);
  EXPECT_EQ(constant_bytes(parsed(".const .align 16 .b8 a[0x10000];")), 65536u);
}

TEST(ConstantBytes, CannotTellOpenSizes) {
  EXPECT_EQ(constant_bytes(parsed(".extern .const .b8 a[];")), std::nullopt);
  EXPECT_EQ(constant_bytes(parsed(".const .align 0 .b8 a[4];")), std::nullopt);
  EXPECT_EQ(constant_bytes(parsed(".const .b8 a[0xffffffffffffffff]; .const .b8 b[2];")),
            std::nullopt);
}

}  // namespace
}  // namespace egpu::instrument
