#include "bpf/btf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bpf/btf_builder.h"

namespace egpu::bpf {
namespace {

using ::testing::HasSubstr;
using B = BtfBuilder;

Btf parsed(const BtfBuilder& builder) {
  auto btf = Btf::parse(as_bytes(builder.bytes()));
  EXPECT_TRUE(btf) << to_string(btf.error());
  return btf ? *btf : Btf();
}

std::string refusal(const BtfBuilder& builder) {
  const auto btf = Btf::parse(as_bytes(builder.bytes()));
  EXPECT_FALSE(btf) << "was accepted";
  return btf ? "" : to_string(btf.error());
}

TEST(Btf, KnowsEveryKind) {
  BtfBuilder builder;
  const TypeId u32 = builder.integer("unsigned int", 4);
  const TypeId pointer = builder.type(B::kPointer, "", u32.value);
  const TypeId array = builder.array(u32, 5);
  const TypeId record =
      builder.type(B::kStruct, "pair", 24,
                   {builder.string("a"), u32.value, 0, builder.string("b"), array.value, 32}, 2);
  const TypeId either =
      builder.type(B::kUnion, "either", 8, {builder.string("p"), pointer.value, 0}, 1);
  const TypeId color =
      builder.type(B::kEnum, "color", 4, {builder.string("RED"), 0xffffffff}, 1, true);
  const TypeId forward = builder.type(B::kForward, "later", 0);
  const TypeId name = builder.type(B::kTypedef, "id", u32.value);
  const TypeId fixed = builder.type(B::kConst, "", name.value);
  const TypeId moving = builder.type(B::kVolatile, "", fixed.value);
  const TypeId alone = builder.type(B::kRestrict, "", pointer.value);
  const TypeId prototype =
      builder.type(B::kFunctionPrototype, "", u32.value, {builder.string("x"), u32.value}, 1);
  const TypeId function = builder.type(B::kFunction, "run", prototype.value);
  const TypeId variable = builder.type(B::kVariable, "counts", record.value, {1});
  builder.type(B::kDataSection, ".maps", 0, {variable.value, 0, 24}, 1);
  const TypeId real = builder.type(B::kFloat, "float", 4);
  builder.type(B::kDeclarationTag, "tag", record.value, {0xffffffff});
  const TypeId tagged = builder.type(B::kTypeTag, "user", u32.value);
  const TypeId wide = builder.type(B::kEnum64, "wide", 8, {builder.string("BIG"), 1, 2}, 1);
  const Btf btf = parsed(builder);

  EXPECT_EQ(btf.count(), 19U);
  EXPECT_EQ(btf.type(u32).name, "unsigned int");
  EXPECT_EQ(btf.size_of(pointer), 8U);
  EXPECT_EQ(btf.size_of(array), 20U);
  EXPECT_EQ(btf.size_of(record), 24U);
  EXPECT_EQ(btf.resolve_as<Composite>(record)->members[1].bit_offset, 32U);
  EXPECT_EQ(btf.resolve_as<Composite>(record)->members[1].name, "b");
  EXPECT_TRUE(btf.resolve_as<Composite>(either)->is_union);
  EXPECT_EQ(btf.resolve_as<Enum>(color)->enumerators[0].value, -1);
  EXPECT_EQ(btf.size_of(forward), std::nullopt);
  EXPECT_EQ(btf.resolve(moving), u32);
  EXPECT_EQ(btf.size_of(moving), 4U);
  EXPECT_EQ(btf.resolve(alone), pointer);
  EXPECT_EQ(btf.size_of(function), std::nullopt);
  EXPECT_EQ(btf.resolve_as<FunctionPrototype>(prototype)->parameters[0].name, "x");
  ASSERT_NE(btf.find_section(".maps"), nullptr);
  EXPECT_EQ(btf.find_section(".maps")->variables[0].variable, variable);
  EXPECT_EQ(btf.find_section(".data"), nullptr);
  EXPECT_EQ(btf.size_of(real), 4U);
  EXPECT_EQ(btf.resolve(tagged), u32);
  EXPECT_EQ(btf.resolve_as<Enum>(wide)->enumerators[0].value, 0x2'0000'0001);
}

TEST(Btf, RemembersTypedefNames) {
  BtfBuilder builder;
  const TypeId u32 = builder.integer("unsigned int", 4);
  const TypeId inner = builder.type(B::kTypedef, "egpu_kernel_id", u32.value);
  const TypeId outer = builder.type(B::kTypedef, "my_key", inner.value);
  const TypeId key = builder.type(B::kConst, "", outer.value);
  const Btf btf = parsed(builder);
  EXPECT_TRUE(btf.has_typedef(key, "egpu_kernel_id"));
  EXPECT_TRUE(btf.has_typedef(key, "my_key"));
  EXPECT_FALSE(btf.has_typedef(u32, "egpu_kernel_id"));
  EXPECT_FALSE(btf.has_typedef(key, "unsigned int"));
}

TEST(Btf, IdsThatDoNotExistAreVoid) {
  const Btf btf;
  EXPECT_TRUE(std::holds_alternative<Void>(btf.type({0}).shape));
  EXPECT_TRUE(std::holds_alternative<Void>(btf.type({99}).shape));
  EXPECT_EQ(btf.size_of({99}), std::nullopt);
}

TEST(Btf, BitFieldsKeepTheirSize) {
  BtfBuilder builder;
  const TypeId u32 = builder.integer("unsigned int", 4);
  const TypeId flags = builder.type(B::kStruct, "flags", 4,
                                    {builder.string("low"), u32.value, 3U << 24 | 5}, 1, true);
  const Btf btf = parsed(builder);
  const Member& member = btf.resolve_as<Composite>(flags)->members[0];
  EXPECT_EQ(member.bit_offset, 5U);
  EXPECT_EQ(member.bit_size, 3U);
}

TEST(Btf, RefusesCycles) {
  BtfBuilder typedefs;
  typedefs.type(B::kTypedef, "a", 2);
  typedefs.type(B::kTypedef, "b", 1);
  EXPECT_THAT(refusal(typedefs), HasSubstr("contains itself"));

  BtfBuilder structs;
  structs.type(B::kStruct, "node", 8, {0, 2, 0}, 1);
  structs.array({1}, 1);
  EXPECT_THAT(refusal(structs), HasSubstr("contains itself"));

  BtfBuilder list;  // through a pointer it is fine
  list.type(B::kStruct, "node", 8, {0, 2, 0}, 1);
  list.type(B::kPointer, "", 1);
  parsed(list);
}

TEST(Btf, RefusesDeepNesting) {
  BtfBuilder forwards;
  BtfBuilder backwards;
  forwards.integer("int", 4);
  for (std::uint32_t i = 1; i <= 70; ++i) {
    forwards.type(B::kTypedef, "t", i);
    backwards.type(B::kTypedef, "t", i + 1);
  }
  backwards.integer("int", 4);
  EXPECT_THAT(refusal(forwards), HasSubstr("nest deeper than 64"));
  EXPECT_THAT(refusal(backwards), HasSubstr("nest deeper than 64"));
}

TEST(Btf, RefusesWhatHasNoPlaceOrSize) {
  BtfBuilder outside;
  outside.integer("int", 4);
  outside.type(B::kStruct, "s", 4, {0, 1, 8}, 1);
  EXPECT_THAT(refusal(outside), HasSubstr("outside its struct"));

  BtfBuilder incomplete;
  incomplete.type(B::kForward, "f", 0);
  incomplete.array({1}, 3);
  EXPECT_THAT(refusal(incomplete), HasSubstr("without a size"));

  BtfBuilder huge;
  huge.integer("long", 8);
  huge.array({1}, 0x7fffffff);
  EXPECT_THAT(refusal(huge), HasSubstr("larger than 4 GiB"));

  BtfBuilder dangling;
  dangling.type(B::kPointer, "", 9);
  EXPECT_THAT(refusal(dangling), HasSubstr("there is no type 9"));

  BtfBuilder odd;
  odd.type(B::kInt, "odd", 3, {24});
  EXPECT_THAT(refusal(odd), HasSubstr("integer of 3 bytes"));

  BtfBuilder unknown;
  unknown.type(static_cast<B::Kind>(25), "", 0);
  EXPECT_THAT(refusal(unknown), HasSubstr("kind 25"));
}

// What clang writes: offsets and the size of the section are left open, and a constant is among the
// variables that lies elsewhere.
TEST(Btf, PlacesTheVariablesOfASection) {
  BtfBuilder builder;
  builder.integer("int", 4);
  builder.type(B::kVariable, "global", 1, {1});
  builder.type(B::kVariable, "local", 1, {0});
  builder.type(B::kVariable, "elsewhere", 1, {0});
  builder.type(B::kDataSection, ".data", 0, {2, 0, 4, 3, 4, 4, 4, 99, 4}, 3);
  Btf btf = *Btf::parse(as_bytes(builder.bytes()));
  EXPECT_EQ(btf.size_of({5}), std::nullopt);
  const auto at = [](std::uint64_t global) {
    return [global](std::string_view name) -> std::optional<std::uint64_t> {
      if (name == "elsewhere") return std::nullopt;
      return name == "global" ? global : 4;
    };
  };
  const auto placed = btf.place_section(".data", 12, at(8));
  ASSERT_TRUE(placed) << to_string(placed.error());
  EXPECT_EQ(*placed, TypeId{5});
  EXPECT_EQ(btf.size_of({5}), 12U);
  const DataSection& section = *btf.find_section(".data");
  EXPECT_EQ(section.size, 12U);
  ASSERT_EQ(section.variables.size(), 2U);
  EXPECT_EQ(section.variables[0].variable, TypeId{3});
  EXPECT_EQ(section.variables[0].offset, 4U);
  EXPECT_EQ(section.variables[1].variable, TypeId{2});
  EXPECT_EQ(section.variables[1].offset, 8U);

  EXPECT_FALSE(btf.place_section(".data", 12, at(9)));
  EXPECT_FALSE(btf.place_section(".data", 12, at(~std::uint64_t{0})));
  EXPECT_FALSE(btf.place_section(".data", 7, at(0)));  // too small for `local`
  EXPECT_EQ(*btf.place_section(".bss", 12, at(0)), std::nullopt);
}

TEST(Btf, RefusesEveryTruncation) {
  BtfBuilder builder;
  builder.integer("int", 4);
  builder.type(B::kStruct, "s", 4, {builder.string("m"), 1, 0}, 1);
  const std::string whole = builder.bytes();
  ASSERT_TRUE(Btf::parse(as_bytes(whole)));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Btf::parse(as_bytes(whole).first(size))) << size;
  }
}

}  // namespace
}  // namespace egpu::bpf
