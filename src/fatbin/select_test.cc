// Which member runs on a device, and which PTX may stand in for it.
#include <gtest/gtest.h>

#include "fatbin/fatbin.h"
#include "fatbin/test_images.h"

namespace egpu::fatbin {
namespace {

// An image and the bytes it points into.
class Candidates {
 public:
  explicit Candidates(const std::vector<TestEntry>& entries) : bytes_(region(entries)) {
    auto parsed = parse_image(as_bytes(bytes_));
    EXPECT_TRUE(parsed);
    if (parsed) image_ = *std::move(parsed);
  }
  [[nodiscard]] std::string chosen(unsigned major, unsigned minor) const {
    const Member* member = member_for(image_, {major, minor});
    return member == nullptr ? "none" : architecture_name(*member);
  }
  [[nodiscard]] std::string stand_in(unsigned major, unsigned minor) const {
    const Member* member = member_for(image_, {major, minor});
    const Member* ptx = member == nullptr ? nullptr : ptx_for(image_, *member);
    return ptx == nullptr ? "none" : architecture_name(*ptx);
  }
  [[nodiscard]] std::string emulated(unsigned major, unsigned minor) const {
    const Member* member = ptx_member_for(image_, {major, minor});
    return member == nullptr ? "none" : architecture_name(*member);
  }

 private:
  std::string bytes_;
  Image image_{};
};

constexpr std::uint64_t kA = kFlagArchitectureSpecific;
constexpr std::uint64_t kF = kFlagFamilySpecific;

TestEntry sm(std::uint32_t architecture, std::uint64_t flags = 0, std::uint32_t source = 0) {
  return zstd_entry(
      {.kind = kElfEntry,
       .architecture = architecture,
       .flags = flags,
       .payload = cubin({.architecture = architecture,
                         .source_architecture = source != 0 ? source : architecture})});
}

TestEntry compute(std::uint32_t architecture, std::uint64_t flags = 0, std::string options = "") {
  return lz4_entry({.architecture = architecture,
                    .flags = flags,
                    .payload = ".version 9.0",
                    .options = std::move(options)});
}

TEST(MemberFor, PrefersTheNewestCompatibleCubin) {
  const Candidates image({sm(80), sm(86), sm(90), compute(90)});
  EXPECT_EQ(image.chosen(8, 0), "sm_80");
  EXPECT_EQ(image.chosen(8, 6), "sm_86");
  EXPECT_EQ(image.chosen(8, 9), "sm_86");
  EXPECT_EQ(image.chosen(9, 0), "sm_90");
}

TEST(MemberFor, FallsBackToTheNewestPtx) {
  const Candidates image({sm(86), compute(70), compute(80), compute(120)});
  EXPECT_EQ(image.chosen(9, 0), "compute_80");
  EXPECT_EQ(image.chosen(8, 0), "compute_80") << "a cubin for a newer minor does not run";
  EXPECT_EQ(image.chosen(7, 5), "compute_70");
  EXPECT_EQ(image.chosen(6, 1), "none");
}

TEST(MemberFor, KeepsSpecificCodeWhereItBelongs) {
  const Candidates image({sm(90, kA), compute(90, kA), sm(100, kF), compute(100, kF)});
  EXPECT_EQ(image.chosen(9, 0), "sm_90a");
  EXPECT_EQ(image.chosen(10, 0), "sm_100f");
  EXPECT_EQ(image.chosen(10, 3), "sm_100f");
  EXPECT_EQ(image.chosen(12, 0), "none");
  const Candidates both({sm(90), sm(90, kA)});
  EXPECT_EQ(both.chosen(9, 0), "sm_90a");
  const Candidates ptx({compute(90, kA), compute(80)});
  EXPECT_EQ(ptx.chosen(9, 0), "compute_90a");
  EXPECT_EQ(ptx.chosen(10, 0), "compute_80");
}

TEST(MemberFor, NeverChoosesLtoIr) {
  const Candidates image({{.kind = kLtoIrEntry, .payload = "anything"}});
  EXPECT_EQ(image.chosen(9, 0), "none");
}

TEST(MemberFor, ChoosesWhatTheDriverWouldEvenIfUnsupported) {
  const Candidates image({compute(80), compute(90, 0, "--compile-only")});
  EXPECT_EQ(image.chosen(9, 0), "compute_90");
  EXPECT_EQ(image.stand_in(9, 0), "none");
}

TEST(PtxFor, IsThePtxTheCubinWasMadeFrom) {
  const Candidates usual({sm(90), compute(90), compute(80)});
  EXPECT_EQ(usual.stand_in(9, 0), "compute_90");
  const Candidates lower({sm(90, 0, 80), compute(90), compute(80)});
  EXPECT_EQ(lower.stand_in(9, 0), "compute_80");
  const Candidates other({sm(90), compute(80)});
  EXPECT_EQ(other.stand_in(9, 0), "none");
  EXPECT_EQ(other.stand_in(10, 0), "compute_80") << "there the PTX itself runs";
}

TEST(PtxFor, KeepsSpecificCodeApart) {
  const Candidates specific({sm(90, kA), compute(90)});
  EXPECT_EQ(specific.stand_in(9, 0), "none");
  const Candidates plain({sm(90), compute(90, kA)});
  EXPECT_EQ(plain.stand_in(9, 0), "none");
  const Candidates same({sm(90, kA), compute(90), compute(90, kA)});
  EXPECT_EQ(same.stand_in(9, 0), "compute_90a");
  const Candidates family({sm(100, kF), compute(100), compute(100, kF)});
  EXPECT_EQ(family.stand_in(10, 3), "compute_100f");
}

TEST(PtxFor, IsNothingWhereTheCubinDoesNotSay) {
  const TestEntry silent{.kind = kElfEntry, .payload = cubin({.source_architecture = 0})};
  const Candidates image({silent, compute(90)});
  EXPECT_EQ(image.chosen(9, 0), "sm_90");
  EXPECT_EQ(image.stand_in(9, 0), "none");
}

TEST(PtxMemberFor, IsTheSourceOfWhatTheDriverWouldRun) {
  EXPECT_EQ(Candidates({sm(80), compute(80), sm(90), compute(90)}).emulated(9, 0), "compute_90");
  EXPECT_EQ(Candidates({sm(90, 0, 80), compute(80), compute(90)}).emulated(9, 0), "compute_80");
}

TEST(PtxMemberFor, IsTheNewestWhereThereIsNoSource) {
  EXPECT_EQ(Candidates({sm(90), compute(70), compute(80)}).emulated(9, 0), "compute_80");
  EXPECT_EQ(Candidates({compute(70), compute(80)}).emulated(9, 0), "compute_80");
  EXPECT_EQ(Candidates({sm(90), compute(100)}).emulated(9, 0), "none");
  EXPECT_EQ(Candidates({sm(90)}).emulated(9, 0), "none");
}

}  // namespace
}  // namespace egpu::fatbin
