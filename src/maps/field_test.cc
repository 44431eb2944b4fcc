#include "maps/field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace egpu::maps
