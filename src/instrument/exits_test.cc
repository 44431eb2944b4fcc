// Probes where threads end: which ends get them, and how the twin looks there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "instrument/call_graph.h"
#include "instrument/instrument.h"
#include "ptx/parser.h"
#include "ptx/printer.h"

namespace egpu::instrument {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";
constexpr std::string_view kProbes = R"(.version 6.0
.target sm_70
.address_size 64
.func probe(.param .b32 kernel, .param .b32 site)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [kernel];
  ld.param.b32 %r2, [site];
  ret;
})";

ptx::Module parsed(const std::string& text) {
  auto module = ptx::parse(text, "app.ptx");
  EXPECT_TRUE(module) << to_string(module.error());
  return module ? *std::move(module) : ptx::Module{};
}

// The module with the probe where threads of `kernel` end.
std::string instrumented(const std::string& functions, const char* kernel = "kernel") {
  const auto result = instrument(parsed(std::string(kHeader) + functions),
                                 parsed(std::string(kProbes)), {{kernel, 5, {}, {"probe"}}});
  EXPECT_TRUE(result) << to_string(result.error());
  return result ? ptx::print(*result) : std::string();
}

// The twin's body, with the probe's as "probe SITE;".
std::string body_of_twin(const std::string& statements) {
  std::string text = instrumented(".entry kernel() {" + statements + "}");
  text = text.substr(text.find(".entry __egpu_kernel()"));
  text = text.substr(text.find('{') + 2);
  text.resize(text.rfind('}'));
  const std::string site_line = "mov.b32 %r2, ";
  for (std::size_t at; (at = text.find(site_line)) != std::string::npos;) {
    const std::size_t begin = text.rfind('{', at);
    const std::size_t number = at + site_line.size();
    const std::string site = text.substr(number, text.find(';', number) - number);
    text.replace(begin, text.find('}', at) + 1 - begin, "probe " + site + ";");
  }
  return text;
}

TEST(Exits, RunTheProbeBeforeEachEnd) {
  EXPECT_EQ(body_of_twin("exit;"), "\t{\n\t\tprobe 1;\n\t\texit;\n\t}\n");
  EXPECT_EQ(body_of_twin("trap;"),
            "\t{\n\t\tprobe 1;\n\t\ttrap;\n\t}\n\t{\n\t\tprobe 2;\n\t\tret;\n\t}\n");
  EXPECT_EQ(body_of_twin(""), "\t{\n\t\tprobe 1;\n\t\tret;\n\t}\n") << "the end of the text";
}

TEST(Exits, LeaveThoseWhoStayAlone) {
  EXPECT_EQ(body_of_twin("@%p1 exit; @!%p2 ret.uni; bar.sync 0; ret;"), R"(	{
		@!%p1 bra $egpu_stay;
		probe 1;
		exit;
$egpu_stay:
	}
	{
		@%p2 bra $egpu_stay;
		probe 2;
		ret.uni;
$egpu_stay:
	}
	bar.sync 0;
	{
		probe 3;
		ret;
	}
)");
}

// Lanes that return early would otherwise wait for those who go on.
TEST(Exits, GiveEachBranchToAnEndACopyOfItsOwn) {
  EXPECT_EQ(body_of_twin("@%p1 bra L; bar.sync 0; bra.uni M; add.u32 %r1, %r1, 1;"
                         "L: .loc 1 2 3 M: ret;"),
            R"(	{
		@!%p1 bra $egpu_stay;
		probe 1;
		ret;
$egpu_stay:
	}
	bar.sync 0;
	{
		probe 1;
		ret;
	}
	add.u32 %r1, %r1, 1;
	{
		probe 1;
		ret;
	}
L:
	.loc 1 2 3
	{
		probe 1;
		ret;
	}
M:
	{
		probe 1;
		ret;
	}
)");
}

TEST(Exits, FollowBranchesThroughBlocksAndOtherBranches) {
  const std::string text = body_of_twin(
      "{ @%p1 bra L; @%p2 bra N; { bra M; } N: } L: { add.u32 %r1, %r1, 1; } bra M; M: ");
  EXPECT_THAT(text, HasSubstr("@%p1 bra L;")) << "something is still to be done there";
  EXPECT_THAT(text, HasSubstr("@%p2 bra N;"));
  EXPECT_THAT(text, HasSubstr("\t\t{\n\t\t\t{\n\t\t\t\tprobe 1;\n\t\t\t\tret;\n\t\t\t}\n")) << text;
  EXPECT_THAT(text, Not(HasSubstr("bra M")));
}

TEST(Exits, AreNoLoops) {
  EXPECT_EQ(body_of_twin("L: @%p1 bra L; M: bra M;"), "L:\n\t@%p1 bra L;\nM:\n\tbra M;\n");
}

constexpr std::string_view kFunctions = R"(
.func plain() { ret; }
.visible .func (.param .b32 r) stops(.param .b32 a) .noreturn
{
  .reg .pred %p<2>;
  @%p1 exit;
  call.uni caller;
  ret;
}
.func caller();
.alias other_name, stops;
.entry kernel()
{
  .reg .b64 %rd<2>;
  call.uni plain;
  call.uni (retval0), other_name, (param0);
  call.uni caller;
  ret;
}
.entry unprobed() { call.uni caller; ret; }
.func caller() { call.uni (retval0), stops, (param0); ret; }
.section .debug { .b8 1 }
)";

TEST(Exits, InsideFunctionsBelongToTheKernelThatCalls) {
  const std::string text = instrumented(std::string(kFunctions));
  const std::size_t twin = text.find(".entry __egpu_kernel()");
  ASSERT_NE(twin, std::string::npos);
  const std::string before = text.substr(0, twin);
  EXPECT_THAT(before, HasSubstr("\n.func (\n\t.param .b32 r\n) __egpu_5_stops(\n\t.param .b32 a\n)"
                                "\n.noreturn;\n\n.func __egpu_5_caller();\n"))
      << "declared before their first call";
  const std::string body = text.substr(twin, text.find("\n}", twin) - twin);
  EXPECT_THAT(body, HasSubstr("call.uni plain;"));
  EXPECT_THAT(body, HasSubstr("call.uni (retval0), __egpu_5_stops, (param0);"));
  EXPECT_THAT(body, HasSubstr("call.uni __egpu_5_caller;"));

  const std::string behind = text.substr(text.rfind(".func caller()"));
  EXPECT_THAT(behind, HasSubstr("mov.b32 %r2, 2;")) << "the kernel's own site is 1";
  EXPECT_THAT(behind, HasSubstr("\t\texit;\n$egpu_stay:\n\t}\n\tcall.uni __egpu_5_caller;\n"));
  EXPECT_THAT(behind, HasSubstr("call.uni (retval0), __egpu_5_stops, (param0);\n\tret;\n}\n"));
  EXPECT_TRUE(text.ends_with(".section .debug { .b8 1 }\n")) << behind;
}

TEST(Exits, StayWithTheOriginalWithoutExitProbes) {
  const auto result = instrument(parsed(std::string(kHeader) + std::string(kFunctions)),
                                 parsed(std::string(kProbes)), {{"kernel", 5, {"probe"}}});
  ASSERT_TRUE(result);
  EXPECT_THAT(ptx::print(*result), Not(HasSubstr("__egpu_5_")));
}

std::optional<Error> obstacle(const std::string& functions) {
  const ptx::Module module = parsed(std::string(kHeader) + functions);
  return exit_obstacle(module, *module.entries().front());
}

TEST(Exits, AreRefusedWhereACallMayLeadToAnyFunction) {
  const std::string stops = ".func stops() { exit; } .func plain() { ret; } ";
  const std::string calls = ".entry kernel() { .reg .b64 %rd<2>; mov.u64 %rd1, plain; call %rd1; }";
  EXPECT_FALSE(obstacle(stops + calls)) << "nobody has the address of the one that stops";
  for (const char* taken : {".global .u64 table[2] = {0, stops}; ",
                            ".func takes() { .reg .b64 %rd<2>; mov.u64 %rd1, stops; }"}) {
    std::string module = stops;
    const auto error = obstacle(module.append(taken).append(calls));
    ASSERT_TRUE(error) << taken;
    EXPECT_THAT(error->message, HasSubstr("stops"));
    EXPECT_FALSE(error->remedy.empty());
    EXPECT_FALSE(obstacle(stops + taken + ".entry kernel() { call plain; }"))
        << "this kernel calls by name alone";
  }
}

TEST(Exits, RefuseNamesThatTheirFunctionsWouldHave) {
  const auto result =
      instrument(parsed(std::string(kHeader) + ".func __egpu_5_f() { ret; } .entry kernel() { }"),
                 parsed(std::string(kProbes)), {{"kernel", 5, {}, {"probe"}}});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("__egpu_5_f"));
}

}  // namespace
}  // namespace egpu::instrument
