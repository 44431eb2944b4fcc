#include "bpf/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace egpu::bpf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Object loaded(const std::string& name) {
  const auto bytes = read_file(std::filesystem::path(EGPU_BINARY_DIR) / "tests/programs/linking" /
                               (name + ".bpf.o"));
  EXPECT_TRUE(bytes) << to_string(bytes.error());
  auto object = load_object(bytes.value_or(std::vector<std::byte>()), name + ".bpf.o");
  EXPECT_TRUE(object) << to_string(object.error());
  return object ? *std::move(object) : Object();
}

std::string value_of(const Object& object, std::string_view name) {
  for (const SettableVariable& variable : settable_variables(object)) {
    if (variable.name == name) return variable.value;
  }
  return "no such variable";
}

TEST(Variables, AreListedWithTypesAndValues) {
  EXPECT_THAT(settable_variables(loaded("data")),
              ::testing::UnorderedElementsAre(
                  SettableVariable{"limit", "unsigned integer of 32 bits", "5"},
                  SettableVariable{"shift", "signed integer of 16 bits", "-2"},
                  SettableVariable{"label", "text of at most 7 bytes", "abc"},
                  SettableVariable{"verbose", "true or false", "true"},
                  SettableVariable{"mode", "one of MODE_OFF, MODE_ON, MODE_BELOW", "MODE_ON"},
                  SettableVariable{"wide", "one of WIDE_NONE, WIDE_TOP", "WIDE_TOP"},
                  SettableVariable{"local_limit", "unsigned integer of 64 bits", "1099511627776"}));
  EXPECT_THAT(settable_variables(loaded("functions")), ElementsAre());
}

TEST(Variables, TakeWhatTheirTypesHold) {
  struct Case {
    const char* name;
    const char* value;
    const char* expected;
  };
  const Case cases[] = {
      {"limit", "0", "0"},
      {"limit", "4294967295", "4294967295"},
      {"limit", "0xFfff", "65535"},
      {"shift", "-32768", "-32768"},
      {"shift", "-0x1", "-1"},
      {"shift", "32767", "32767"},
      {"local_limit", "18446744073709551615", "18446744073709551615"},
      {"verbose", "false", "false"},
      {"verbose", "1", "true"},
      {"mode", "MODE_BELOW", "MODE_BELOW"},
      {"mode", "7", "MODE_ON"},
      {"mode", "-4", "-4"},
      {"wide", "0", "WIDE_NONE"},
      {"wide", "0x8000000000000000", "WIDE_TOP"},
      {"label", "", ""},
      {"label", "seven77", "seven77"},
  };
  for (const Case& test : cases) {
    Object object = loaded("data");
    const auto set = set_variable(object, test.name, test.value);
    EXPECT_TRUE(set) << to_string(set.error());
    EXPECT_EQ(value_of(object, test.name), test.expected) << test.name << "=" << test.value;
  }
}

TEST(Variables, ChangeNothingElse) {
  Object object = loaded("data");
  const auto before = settable_variables(object);
  ASSERT_TRUE(set_variable(object, "label", "longer"));
  ASSERT_TRUE(set_variable(object, "label", "x"));
  ASSERT_TRUE(set_variable(object, "label", "abc"));
  ASSERT_TRUE(set_variable(object, "limit", "4294967295"));
  ASSERT_TRUE(set_variable(object, "limit", "5"));
  EXPECT_EQ(settable_variables(object), before);
  EXPECT_EQ(object.read_only[0].bytes, loaded("data").read_only[0].bytes);
}

TEST(Variables, RefuseOtherValuesAndSayWhatIsExpected) {
  struct Case {
    const char* name;
    const char* value;
    const char* remedy;
  };
  const Case cases[] = {
      {"limit", "4294967296", "expected: unsigned integer of 32 bits"},
      {"limit", "-1", "unsigned"},
      {"limit", "", "unsigned"},
      {"limit", "0x", "unsigned"},
      {"limit", "5x", "unsigned"},
      {"limit", " 5", "unsigned"},
      {"limit", "99999999999999999999", "unsigned"},
      {"shift", "32768", "signed integer of 16 bits"},
      {"shift", "-32769", "signed"},
      {"verbose", "yes", "true or false"},
      {"verbose", "2", "true or false"},
      {"mode", "MODE", "one of MODE_OFF, MODE_ON"},
      {"mode", "0x80000000", "one of MODE_OFF"},
      {"wide", "-1", "one of WIDE_NONE"},
      {"label", "eight888", "text of at most 7 bytes"},
  };
  Object object = loaded("data");
  const auto before = settable_variables(object);
  for (const Case& test : cases) {
    const auto set = set_variable(object, test.name, test.value);
    ASSERT_FALSE(set) << test.name << "=" << test.value;
    EXPECT_EQ(set.error().fault, Fault::kInput);
    EXPECT_THAT(set.error().message, HasSubstr(test.name));
    EXPECT_THAT(set.error().remedy, HasSubstr(test.remedy)) << test.name << "=" << test.value;
  }
  EXPECT_EQ(settable_variables(object), before);
}

TEST(Variables, RefuseNamesThatCannotBeSet) {
  Object object = loaded("data");
  const auto unknown = set_variable(object, "limits", "1");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("no constant called limits"));
  EXPECT_THAT(unknown.error().remedy, HasSubstr("limit"));
  EXPECT_THAT(unknown.error().remedy, HasSubstr("verbose"));

  const auto array = set_variable(object, "sizes", "1");
  ASSERT_FALSE(array);
  EXPECT_THAT(array.error().message, HasSubstr("neither a number"));

  const auto folded = set_variable(object, "fixed", "1");
  ASSERT_FALSE(folded);
  EXPECT_THAT(folded.error().message, HasSubstr("not volatile"));

  const auto writable = set_variable(object, "counter", "1");
  ASSERT_FALSE(writable);
  EXPECT_THAT(writable.error().message, HasSubstr("no constant called counter"));

  Object functions = loaded("functions");
  const auto none = set_variable(functions, "limit", "1");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().remedy, HasSubstr("declare it const volatile"));
}

}  // namespace
}  // namespace egpu::bpf
