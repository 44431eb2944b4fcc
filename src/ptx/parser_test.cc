#include "ptx/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/lexer.h"

namespace egpu::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kHeader = ".version 9.0\n.target sm_90a\n.address_size 64\n";

Module parsed(const std::string& text) {
  auto module = parse(text, "test.ptx");
  EXPECT_TRUE(module) << to_string(module.error());
  return module ? *std::move(module) : Module{};
}

// The module of one function with this body; `statement(module, i)` reads it.
Module function_with(std::string_view body) {
  return parsed(std::string(kHeader) + ".func f() {\n" + std::string(body) + "\n}\n");
}

Block body_of(const Function& function) { return function.body.value_or(Block{}); }

template <class T>
T statement(const Module& module, std::size_t index) {
  return std::get<T>(body_of(std::get<Function>(module.items.back())).statements.at(index));
}

Instruction instruction(const Module& module, std::size_t index = 0) {
  return statement<Instruction>(module, index);
}

TEST(Parser, ReadsTheHeader) {
  const Module module = parsed(std::string(kHeader));
  EXPECT_EQ(module.version(), (Version{9, 0}));
  EXPECT_EQ(module.target(), (Target{90, "a"}));
  EXPECT_EQ(module.address_size(), 64u);
}

TEST(Parser, ReadsTargetsWithOptionsAndWithout) {
  EXPECT_EQ(parsed(".target sm_100, debug").target(), (Target{100, ""}));
  EXPECT_EQ(parsed(".target sm_120f").target(), (Target{120, "f"}));
  EXPECT_FALSE(parsed(".target texmode_independent").target());
  EXPECT_FALSE(parsed("").target());
  EXPECT_FALSE(parsed(".version 9").version());
}

TEST(Parser, ReadsAnEntry) {
  const Module module = parsed(R"(
    .visible .entry _Z1fPii(
      .param .u64 .ptr .global .align 16 _Z1fPii_param_0,
      .param .align 8 .b8 _Z1fPii_param_1[24]
    )
    .maxntid 256, 1, 1
    .minnctapersm 2
    { ret; })");
  ASSERT_EQ(module.entries().size(), 1u);
  const Function& entry = *module.entries().front();
  EXPECT_EQ(entry.name, "_Z1fPii");
  EXPECT_EQ(entry.specifiers, ".visible .entry");
  EXPECT_FALSE(entry.results);
  EXPECT_THAT(entry.directives, HasSubstr(".minnctapersm 2"));
  const auto parameters = entry.parameters.value_or(std::vector<Declaration>{});
  ASSERT_EQ(parameters.size(), 2u);
  const Declaration& pointer = parameters[0];
  EXPECT_EQ(pointer.type(), ".u64");
  EXPECT_FALSE(pointer.alignment()) << "the alignment written is the pointee's";
  const Declaration& structure = parameters[1];
  EXPECT_EQ(structure.alignment(), 8u);
  EXPECT_EQ(structure.bytes(structure.declarators.front()), 24u);
}

TEST(Parser, ReadsFunctionsWithResultsAttributesAndNoBody) {
  const Module module = parsed(R"(
    .extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);
    .visible .func .attribute(.unified(1, 2)) stop() .noreturn { trap; }
    .weak .func bare { ret; })");
  const auto& vprintf = std::get<Function>(module.items.at(0));
  EXPECT_EQ(vprintf.name, "vprintf");
  EXPECT_EQ(vprintf.results.value_or(std::vector<Declaration>{}).size(), 1u);
  EXPECT_FALSE(vprintf.body);
  const auto& stop = std::get<Function>(module.items.at(1));
  EXPECT_EQ(stop.specifiers, ".visible .func .attribute(.unified(1, 2))");
  EXPECT_EQ(stop.directives, ".noreturn");
  const auto& bare = std::get<Function>(module.items.at(2));
  EXPECT_FALSE(bare.parameters);
  EXPECT_TRUE(bare.body);
  EXPECT_TRUE(module.entries().empty());
}

TEST(Parser, TakesAPragmaBeforeTheBodyForADirectiveOfTheFunction) {
  const Module module = parsed(".entry k() .maxnreg 32 .pragma \"nounroll\"; { ret; }");
  EXPECT_EQ(std::get<Function>(module.items.at(0)).directives, ".maxnreg 32 .pragma \"nounroll\";");
  EXPECT_EQ(module.entries().size(), 1u);
}

TEST(Parser, ReadsVariables) {
  const Module module = parsed(R"(
    .global .attribute(.managed) .align 4 .u32 word = 3;
    .const .align 8 .b8 table[2][3] = {1, {2, 3}, generic(word)};
    .extern .shared .align 16 .b8 cells[];
    .global .v4 .f32 quad, pair[2];
    .global .texref image;)");
  const auto declaration = [&module](std::size_t index) {
    return std::get<Declaration>(module.items.at(index));
  };
  EXPECT_EQ(declaration(0).type(), ".u32");
  EXPECT_EQ(declaration(0).declarators.front().initialiser, "3");
  EXPECT_TRUE(declaration(1).has(".const"));
  EXPECT_EQ(declaration(1).declarators.front().dimensions, "[2][3]");
  EXPECT_EQ(declaration(1).declarators.front().initialiser, "{1, {2, 3}, generic(word)}");
  EXPECT_EQ(declaration(1).bytes(declaration(1).declarators.front()), 6u);
  EXPECT_EQ(declaration(2).bytes(declaration(2).declarators.front()), std::nullopt);
  EXPECT_EQ(declaration(3).declarators.size(), 2u);
  EXPECT_EQ(declaration(3).bytes(declaration(3).declarators.back()), 32u);
  EXPECT_EQ(declaration(4).bytes(declaration(4).declarators.front()), std::nullopt);
}

TEST(Parser, RefusesSizesThatDoNotFit) {
  const Module module = parsed(".global .b64 huge[0xffffffffffffffff];");
  const auto& declaration = std::get<Declaration>(module.items.front());
  EXPECT_EQ(declaration.bytes(declaration.declarators.front()), std::nullopt);
}

TEST(Parser, ReadsGuardsAndOpcodes) {
  const Module module = function_with("@!%p1 ld.global.nc.v4.f32 {%f1, %f2, %f3, _}, [%rd1+-16];");
  const Instruction load = instruction(module);
  EXPECT_EQ(load.guard.name, "%p1");
  EXPECT_TRUE(load.guard.negated);
  EXPECT_EQ(load.opcode.base(), "ld");
  EXPECT_THAT(load.opcode.modifiers(), ElementsAre("global", "nc", "v4", "f32"));
  EXPECT_TRUE(load.opcode.has("nc"));
  EXPECT_FALSE(load.opcode.has("volatile"));
  ASSERT_EQ(load.operands.size(), 2u);
  const auto& destination = std::get<Vector>(load.operands[0]);
  EXPECT_EQ(std::get<Register>(destination.elements.at(3)).name, "_");
  const auto& address = std::get<Address>(load.operands[1]);
  EXPECT_EQ(std::get<Register>(address.parts.front()).name, "%rd1");
  EXPECT_EQ(address.offset, "16");
  EXPECT_TRUE(address.plus && address.minus);
}

TEST(Parser, TellsOperandsApart) {
  const Module module = function_with(R"(
    .reg .pred p;
    .reg .b32 t<3>;
    mov.u32 %r1, %ctaid.x;
    add.s32 t2, t3, -5;
    fma.rn.f32 %f1, %f2, 0fBF800000, 0d3FF0000000000000;
    setp.lt.and.s32 %p1|%p2, counter, 0x10, !p;
    @p bra $L__BB0_1;
    mov.b32 %r2, %envreg3;)");
  EXPECT_EQ(std::get<SpecialRegister>(instruction(module, 2).operands[1]).name, "%ctaid.x");
  EXPECT_EQ(std::get<Register>(instruction(module, 3).operands[0]).name, "t2");
  EXPECT_EQ(std::get<Symbol>(instruction(module, 3).operands[1]).name, "t3") << "t<3> ends at t2";
  const auto minus_five = std::get<Integer>(instruction(module, 3).operands[2]);
  EXPECT_EQ(integer_value(minus_five), ~std::uint64_t{4});
  EXPECT_EQ(std::get<Float>(instruction(module, 4).operands[2]).text, "0fBF800000");
  EXPECT_TRUE(std::holds_alternative<Float>(instruction(module, 4).operands[3]));
  EXPECT_EQ(std::get<Pair>(instruction(module, 5).operands[0]).second.name, "%p2");
  EXPECT_TRUE(std::holds_alternative<Symbol>(instruction(module, 5).operands[1]));
  EXPECT_EQ(integer_value(std::get<Integer>(instruction(module, 5).operands[2])), 16u);
  EXPECT_TRUE(std::get<Register>(instruction(module, 5).operands[3]).negated);
  EXPECT_EQ(std::get<LabelName>(instruction(module, 6).operands[0]).name, "$L__BB0_1");
  EXPECT_TRUE(std::holds_alternative<SpecialRegister>(instruction(module, 7).operands[1]));
}

TEST(Parser, EndsARegistersScopeWithItsBlock) {
  const Module module = function_with("{ .reg .b32 x; mov.u32 x, 1; } mov.u32 %r1, x;");
  const auto inner = statement<Block>(module, 0);
  EXPECT_TRUE(
      std::holds_alternative<Register>(std::get<Instruction>(inner.statements[1]).operands[0]));
  EXPECT_TRUE(std::holds_alternative<Symbol>(instruction(module, 1).operands[1]));
}

TEST(Parser, ReadsCalls) {
  const Module module = function_with(R"(
    prototype_4 : .callprototype (.param .b32 _) _ (.param .b32 _);
    call (retval0), %rd10, (param0, param1), prototype_4;
    call.uni stop, ();)");
  EXPECT_EQ(statement<Label>(module, 0).name, "prototype_4");
  EXPECT_EQ(statement<Directive>(module, 1).name(), ".callprototype");
  const Instruction indirect = instruction(module, 2);
  ASSERT_EQ(indirect.operands.size(), 4u);
  EXPECT_EQ(std::get<ParameterList>(indirect.operands[2]).elements.size(), 2u);
  EXPECT_TRUE(std::get<ParameterList>(instruction(module, 3).operands[1]).elements.empty());
}

TEST(Parser, ReadsTextureAddresses) {
  const Module module =
      function_with("tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, sampler, {%f1, %f2}];");
  const auto address = std::get<Address>(instruction(module).operands[1]);
  ASSERT_EQ(address.parts.size(), 3u);
  EXPECT_EQ(std::get<Symbol>(address.parts[1]).name, "sampler");
  EXPECT_EQ(std::get<Vector>(address.parts[2]).elements.size(), 2u);
}

TEST(Parser, KeepsOperandsOfUnknownShapeAsText) {
  const Module module = function_with("ld.const.u32 %r1, bank[3] [ %r2 ] ; future.op <a, ~b>, 1;");
  EXPECT_EQ(std::get<RawOperand>(instruction(module, 0).operands[1]).text, "bank[3] [ %r2 ]");
  const Instruction future = instruction(module, 1);
  ASSERT_EQ(future.operands.size(), 3u);
  EXPECT_EQ(std::get<RawOperand>(future.operands[0]).text, "<a");
  EXPECT_TRUE(std::holds_alternative<Integer>(future.operands[2]));
}

TEST(Parser, KnowsWhereDirectivesWithoutSemicolonEnd) {
  const Module module = function_with(R"(
    .loc 1 30 5
    $L__tmp1:
    .loc 1 12 3, function_name $L__info_string0+4, inlined_at 1 30 5
    ret;
    .pragma "nounroll";
    table: .branchtargets A, B;)");
  EXPECT_EQ(statement<Directive>(module, 0).text, ".loc 1 30 5");
  EXPECT_THAT(statement<Directive>(module, 2).text, ::testing::EndsWith("inlined_at 1 30 5"));
  EXPECT_EQ(instruction(module, 3).opcode.text, "ret");
  EXPECT_EQ(statement<Directive>(module, 4).text, ".pragma \"nounroll\";");
  EXPECT_EQ(statement<Directive>(module, 6).text, ".branchtargets A, B;");
}

TEST(Parser, KeepsDebugSections) {
  const Module module =
      parsed(".file 1 \"a.cu\"\n.section .debug_info {\n.b32 .debug_abbrev\n.b8 1,2\n}");
  ASSERT_EQ(module.items.size(), 2u);
  EXPECT_EQ(std::get<Directive>(module.items[1]).name(), ".section");
}

TEST(Parser, SaysWhereAPartIs) {
  const Module module = function_with("ret;");
  EXPECT_EQ(module.place(instruction(module).opcode.text), "test.ptx:5:1");
  EXPECT_EQ(module.place("elsewhere"), "test.ptx");
}

TEST(Parser, KeepsTextAliveInCopies) {
  Module copy;
  {
    const Module original = function_with("ret;");
    copy.adopt(original);
    copy.items = original.items;
  }
  EXPECT_EQ(instruction(copy).opcode.text, "ret");
  EXPECT_EQ(copy.intern("short"), "short");
}

TEST(IntegerValue, ReadsEveryBaseAndRefusesTheRest) {
  EXPECT_EQ(integer_value({"0"}), 0u);
  EXPECT_EQ(integer_value({"052"}), 42u);
  EXPECT_EQ(integer_value({"0b101010"}), 42u);
  EXPECT_EQ(integer_value({"0x2AU"}), 42u);
  EXPECT_EQ(integer_value({"18446744073709551615"}), ~std::uint64_t{0});
  EXPECT_EQ(integer_value({"18446744073709551616"}), std::nullopt);
  EXPECT_EQ(integer_value({"12z"}), std::nullopt);
  EXPECT_EQ(integer_value({""}), std::nullopt);
}

struct BadText {
  std::string source;
  std::string_view place;
  std::string_view message;
};

class ParserErrors : public ::testing::TestWithParam<BadText> {};

TEST_P(ParserErrors, NameThePlaceWhatWasFoundAndWhatWasExpected) {
  const auto module = parse(GetParam().source, "app.ptx");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().fault, Fault::kInput);
  EXPECT_EQ(module.error().place, GetParam().place);
  EXPECT_THAT(module.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ParserErrors,
    ::testing::Values(
        BadText{"ret;", "app.ptx:1:1",
                "expected a directive, a variable or a function, found 'ret'"},
        BadText{".func f() {\n  add.s32 %r1, %r2\n}", "app.ptx:3:1",
                "expected ';' after the operands of add.s32, found '}'"},
        BadText{".func f() {\n ret;\n", "app.ptx:3:1", "found the end of the text"},
        BadText{".func f() { @ ; }", "app.ptx:1:15", "expected a predicate after '@', found ';'"},
        BadText{".func f() { @%p {} }", "app.ptx:1:17", "expected an instruction, found '{'"},
        BadText{".func f() { ] }", "app.ptx:1:13", "found ']'"},
        BadText{".func () ;", "app.ptx:1:10", "expected the function's name, found ';'"},
        BadText{".func f(.param .b32 a .param", "app.ptx:1:23", "expected ',' or ')'"},
        BadText{".global .b32 x = ;", "app.ptx:1:18", "expected a value, found ';'"},
        BadText{".global .b32 x = {1, 2);", "app.ptx:1:23", "expected '}', found ')'"},
        BadText{".global .b32 %r<x>;", "app.ptx:1:17", "expected the number of registers"},
        BadText{".visible .pragma", "app.ptx:1:10", "expected a variable or a function"},
        BadText{".version", "app.ptx:1:9", "expected an argument of .version"},
        BadText{".section .debug_info {", "app.ptx:1:23", "expected '}'"},
        BadText{".func f() { # }", "app.ptx:1:13", "the character '#'"}));

TEST(Parser, BoundsNesting) {
  const std::string open(10'000, '{');
  const auto blocks = parse(".func f() " + open, "app.ptx");
  ASSERT_FALSE(blocks);
  EXPECT_THAT(blocks.error().message, HasSubstr("nested more than"));
  // Brackets in operands and values are kept as text and may nest as they like.
  const std::string close(10'000, '}');
  EXPECT_TRUE(parse(".func f() { mov.b64 " + open + close + "; }", "app.ptx"));
  EXPECT_TRUE(parse(".global .b8 x[1] = " + open + close + ";", "app.ptx"));
}

}  // namespace
}  // namespace egpu::ptx
