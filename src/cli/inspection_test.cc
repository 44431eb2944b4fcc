#include "cli/inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/inspect_command.h"
#include "cli/temporary_tree.h"

namespace egpu::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ptx(const char* target) {
  return std::string(".version 8.0\n.target ") + target +
         "\n.address_size 64\n"
         ".visible .entry _Z3addPf(.param .u64 p) { ret; }\n"
         ".visible .entry plain() { ret; }\n";
}

TEST(Inspection, ListsTheKernelsOfPtx) {
  const std::string text = ptx("sm_80");
  const auto inspection = inspect(as_bytes(text), {9, 0});
  ASSERT_TRUE(inspection) << to_string(inspection.error());
  EXPECT_EQ(inspection->kind, "PTX");
  const InspectedImage& image = inspection->images.at(0);
  EXPECT_THAT(image.kernels, ElementsAre("_Z3addPf", "plain"));
  EXPECT_EQ(image.runs, 0u);
  EXPECT_EQ(image.probed, 0u);
  EXPECT_EQ(image.reason, "");
}

TEST(Inspection, SaysWhyCodeCannotBeProbed) {
  const std::string old = ptx("sm_60");
  EXPECT_THAT(inspect(as_bytes(old), {9, 0})->images.at(0).reason, HasSubstr("older than sm_70"));
  const std::string newer = ptx("sm_100");
  const auto image = inspect(as_bytes(newer), {9, 0})->images.at(0);
  EXPECT_FALSE(image.runs);
  EXPECT_THAT(image.reason, HasSubstr("nothing here to run"));
}

TEST(Inspection, SaysWhereThereIsNothingToProbe) {
  const std::string empty = ".version 8.0\n.target sm_100\n.address_size 64\n";
  const auto image = inspect(as_bytes(empty), {9, 0})->images.at(0);
  EXPECT_FALSE(image.runs);
  EXPECT_EQ(image.reason, "it has no kernels");
}

TEST(Inspection, RefusesWhatIsNeither) { EXPECT_FALSE(inspect(as_bytes("hello"), {9, 0})); }

TEST(Inspection, ReadsComputeCapabilities) {
  for (const char* text : {"90", "sm_90", "9.0"}) {
    EXPECT_EQ(parse_compute_capability(text)->major, 9u) << text;
    EXPECT_EQ(parse_compute_capability(text)->minor, 0u) << text;
  }
  EXPECT_EQ(parse_compute_capability("121")->major, 12u);
  for (const char* text : {"", "9", "sm_", "x", "9.", "9000", "90a"})
    EXPECT_FALSE(parse_compute_capability(text)) << text;
}

TEST(InspectCommand, PrintsKernelsAndVerdict) {
  const TemporaryTree tree;
  const std::string file = tree.add("kernels.ptx", ptx("sm_80"));
  const auto text = inspect_command({}, {.file = file});
  ASSERT_TRUE(text);
  EXPECT_THAT(text->text, HasSubstr("add(float*)\nplain\n"));
  EXPECT_THAT(text->text, HasSubstr("can be probed: yes, through member 1 (PTX compute_80)"));

  const auto json = nlohmann::json::parse(inspect_command({}, {.file = file, .json = true})->text);
  EXPECT_EQ(json["images"][0]["kernels"][0]["demangled"], "add(float*)");
  EXPECT_EQ(json["images"][0]["probed"], 0);
}

TEST(InspectCommand, NamesTheFileItCannotRead) {
  const TemporaryTree tree;
  const std::string file = tree.add("notes.txt", "hello");
  const auto result = inspect_command({}, {.file = file});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().place, HasSubstr("notes.txt"));
  EXPECT_NE(result.error().remedy, "");
}

}  // namespace
}  // namespace egpu::cli
