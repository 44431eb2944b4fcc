#include "maps/field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bpf/btf_builder.h"
#include "maps/fixture.h"
#include "maps/values.h"

namespace egpu::maps {
namespace {

using testing::ElementsAre;

TEST(Field, FlattensEveryShapeInOrder) {
  std::vector<std::string> names;
  for (const Field& leaf : flatten(value_fields(fixture(), map_named("everything"))))
    names.push_back(leaf.name);
  EXPECT_THAT(names, ElementsAre("count", "balance", "seen", "name", "colour", "nested.a",
                                 "nested.b", "pair[0].a", "pair[0].b", "pair[1].a", "pair[1].b",
                                 "inlined", "low", "high", "pointer", "either"));
}

TEST(Field, KnowsKindsAndPlaces) {
  const auto leaves = flatten(value_fields(fixture(), map_named("everything")));
  EXPECT_EQ(leaves[0].kind, FieldKind::kUnsigned);
  EXPECT_EQ(leaves[1].kind, FieldKind::kSigned);
  EXPECT_EQ(leaves[2].kind, FieldKind::kBool);
  EXPECT_EQ(leaves[3].kind, FieldKind::kText);
  EXPECT_EQ(leaves[3].bit_size, 64u);
  EXPECT_EQ(leaves[4].kind, FieldKind::kEnum);
  EXPECT_EQ(leaves[9].bit_offset, 8 * offsetof(Everything, pair[1].a));
  EXPECT_EQ(leaves[12].bit_size, 3u);
  EXPECT_EQ(leaves[13].bit_offset, leaves[12].bit_offset + 3);
  EXPECT_EQ(leaves[14].kind, FieldKind::kPointer);
  EXPECT_EQ(leaves[15].kind, FieldKind::kUnsigned);
}

TEST(Field, AValueThatIsOneLeafIsCalledValue) {
  const auto leaves = flatten(value_fields(fixture(), map_named("numbers")));
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].name, "value");
  EXPECT_EQ(leaves[0].bit_size, 32u);
}

TEST(Field, WithoutATypeNumbersGoBySizeAndTheRestIsBytes) {
  EXPECT_EQ(describe({}, std::nullopt, 8).kind, FieldKind::kUnsigned);
  EXPECT_EQ(describe({}, std::nullopt, 12).kind, FieldKind::kBytes);
  EXPECT_EQ(describe({}, std::nullopt, 12).bit_size, 96u);
}

TEST(Field, ATypeOfAnotherSizeIsNotBelieved) {
  const auto type = map_named("everything").value_type;
  EXPECT_EQ(describe(fixture().btf, type, 5).kind, FieldKind::kBytes);
}

// struct { u32 a; s16 b; } pair; char name[4]; u64 count; in a section of 24 bytes, out of order.
bpf::Btf section_types(std::uint32_t size, std::uint32_t count_offset) {
  using B = bpf::BtfBuilder;
  B builder;
  const auto u32 = builder.integer("unsigned int", 4);
  const auto s16 = builder.integer("short", 2, true);
  const auto u64 = builder.integer("unsigned long", 8);
  const auto pair =
      builder.type(B::kStruct, "pair", 8,
                   {builder.string("a"), u32.value, 0, builder.string("b"), s16.value, 32}, 2);
  const auto name = builder.array(builder.integer("char", 1), 4);
  const auto count_variable = builder.type(B::kVariable, "count", u64.value, {1});
  const auto pair_variable = builder.type(B::kVariable, "pair", pair.value, {1});
  const auto name_variable = builder.type(B::kVariable, "name", name.value, {0});
  builder.type(
      B::kDataSection, ".data", size,
      {count_variable.value, count_offset, 8, pair_variable.value, 0, 8, name_variable.value, 8, 4},
      3);
  const auto btf = bpf::Btf::parse(as_bytes(builder.bytes()));
  if (!btf) throw std::runtime_error(to_string(btf.error()));
  return *btf;
}

TEST(Field, ADataSectionIsItsVariables) {
  const bpf::Btf btf = section_types(24, 16);
  std::vector<std::string> names;
  for (const Field& leaf : flatten(describe(btf, bpf::TypeId{btf.count()}, 24)))
    names.push_back(leaf.name + "@" + std::to_string(leaf.bit_offset / 8));
  EXPECT_THAT(names, ElementsAre("pair.a@0", "pair.b@4", "name@8", "count@16"));
}

TEST(Field, AVariableOutsideOfItsSectionIsLeftOut) {
  for (const std::uint32_t offset : {17U, 24U, 0xfffffff8U}) {
    const bpf::Btf btf = section_types(24, offset);
    EXPECT_EQ(describe(btf, bpf::TypeId{btf.count()}, 24).children.size(), 2U) << offset;
  }
}

}  // namespace
}  // namespace egpu::maps
