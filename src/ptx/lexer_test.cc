#include "ptx/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace egpu::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> result;
  const auto all = tokens(source, "test.ptx");
  EXPECT_TRUE(all) << to_string(all.error());
  if (!all) return result;
  for (const Token& token : *all) result.emplace_back(token.text);
  return result;
}

TokenKind kind_of_first(std::string_view source) { return Lexer(source).next().kind; }

TEST(Lexer, KeepsAnOpcodeWithItsModifiersWhole) {
  EXPECT_THAT(
      texts("cp.async.cg.shared::cta.global.L2::128B [%r1], 16;"),
      ElementsAre("cp.async.cg.shared::cta.global.L2::128B", "[", "%r1", "]", ",", "16", ";"));
  EXPECT_THAT(texts("mov.u32 %r1, %tid.x;"), ElementsAre("mov.u32", "%r1", ",", "%tid.x", ";"));
}

TEST(Lexer, SplitsDirectivesEvenWithoutSpaces) {
  EXPECT_THAT(texts(".reg.b32 %r<2>;"), ElementsAre(".reg", ".b32", "%r", "<", "2", ">", ";"));
  EXPECT_THAT(texts(".shared::cluster.b8 x"), ElementsAre(".shared::cluster", ".b8", "x"));
}

TEST(Lexer, TellsLabelsFromQualifiers) {
  EXPECT_THAT(texts("$L__BB0_1: ret;"), ElementsAre("$L__BB0_1", ":", "ret", ";"));
  EXPECT_THAT(texts("again:ld.global.u32"), ElementsAre("again", ":", "ld.global.u32"));
}

TEST(Lexer, ReadsNumbersOfEveryForm) {
  for (const std::string_view number : {"0", "42", "0x1fU", "052", "0b101", "42U", "1.5", "1.5e-3",
                                        "2E+10", "0f3F800000", "0d3FF00000000000E0", "9.0"}) {
    EXPECT_THAT(texts(number), ElementsAre(number));
    EXPECT_EQ(kind_of_first(number), TokenKind::kNumber) << number;
  }
  EXPECT_THAT(texts("0xe+4"), ElementsAre("0xe", "+", "4"));
  EXPECT_THAT(texts("-1"), ElementsAre("-", "1"));
}

TEST(Lexer, DropsCommentsButNotThoseInStrings) {
  EXPECT_THAT(texts("a // ; \"\n/* b\n */ c/**/d"), ElementsAre("a", "c", "d"));
  EXPECT_THAT(texts(R"(.file 1 "a//b \" /* c")"), ElementsAre(".file", "1", R"("a//b \" /* c")"));
}

TEST(Lexer, TreatsALonePercentOrDotAsPunctuation) {
  EXPECT_THAT(texts("7 % 3"), ElementsAre("7", "%", "3"));
  EXPECT_THAT(texts(". x"), ElementsAre(".", "x"));
}

TEST(Lexer, EndsAtTheEndForEver) {
  Lexer lexer("");
  EXPECT_EQ(lexer.next().kind, TokenKind::kEnd);
  EXPECT_EQ(lexer.next().kind, TokenKind::kEnd);
  EXPECT_EQ(Lexer(std::string_view()).next().kind, TokenKind::kEnd);
}

struct BadText {
  std::string_view source;
  std::string_view place;
  std::string_view message;
};

class LexerErrors : public ::testing::TestWithParam<BadText> {};

TEST_P(LexerErrors, NameThePlaceAndTheReason) {
  const auto result = tokens(GetParam().source, "app.ptx");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::kInput);
  EXPECT_EQ(result.error().place, GetParam().place);
  EXPECT_THAT(result.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, LexerErrors,
    ::testing::Values(BadText{"a\n  \"open\n", "app.ptx:2:3", "string without an end"},
                      BadText{"a /* open", "app.ptx:1:3", "comment without an end"},
                      BadText{"ret;\n#line 5", "app.ptx:2:1", "the character '#'"},
                      BadText{std::string_view("ret;\0", 5), "app.ptx:1:5", "the byte 0x00"},
                      BadText{"\"ends in a backslash\\", "app.ptx:1:1", "string without an end"}));

TEST(PlaceOf, CountsFromOne) {
  const std::string_view text = "ab\ncd\n";
  EXPECT_EQ(place_of(text, text).line, 1u);
  EXPECT_EQ(place_of(text, text.substr(4)).line, 2u);
  EXPECT_EQ(place_of(text, text.substr(4)).column, 2u);
  EXPECT_EQ(place_of(text, text.substr(text.size())).line, 3u);
}

}  // namespace
}  // namespace egpu::ptx
