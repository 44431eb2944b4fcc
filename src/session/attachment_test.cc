#include "session/attachment.h"

#include <gtest/gtest.h>

#include "base/demangle.h"

namespace egpu::session {
namespace {

TEST(Glob, StarsAndQuestionMarks) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("vec_*", "vec_add"));
  EXPECT_TRUE(glob_matches("*add*", "vec_add_f32"));
  EXPECT_TRUE(glob_matches("a*b*c", "a__b__b_c"));
  EXPECT_TRUE(glob_matches("vec_?dd", "vec_add"));
  EXPECT_FALSE(glob_matches("vec", "vec_add"));
  EXPECT_FALSE(glob_matches("a*b*c", "a__c__b"));
  EXPECT_FALSE(glob_matches("", "x"));
}

bool attaches(const char* pattern, const char* kernel) {
  return attaches_to({.kernels = {pattern}}, kernel, demangle(kernel));
}

TEST(Attachment, MangledDemangledAndPlainNames) {
  const char* kernel = "_Z7vec_addIfEvPKT_S2_PS0_m";
  EXPECT_EQ(demangle(kernel),
            "void vec_add<float>(float const*, float const*, float*, unsigned long)");
  EXPECT_TRUE(attaches("vec_add", kernel));
  EXPECT_TRUE(attaches("_Z7vec_add*", kernel));
  EXPECT_TRUE(attaches("void vec_add<float>*", kernel));
  EXPECT_FALSE(attaches("vec", kernel));
  EXPECT_FALSE(attaches("float", kernel));
}

TEST(Attachment, NamespacesAndPlainC) {
  EXPECT_TRUE(attaches("ns::add", "_ZN2ns3addEPf"));
  EXPECT_TRUE(attaches("(anonymous namespace)::add", "_ZN12_GLOBAL__N_13addEPf"));
  EXPECT_TRUE(attaches("saxpy", "saxpy"));
}

}  // namespace
}  // namespace egpu::session
