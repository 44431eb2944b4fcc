#include "ptx/registers.h"

#include <gtest/gtest.h>

namespace egpu::ptx {
namespace {

TEST(SpecialRegisters, AreKnownByName) {
  for (const char* name : {"%tid", "%tid.x", "%laneid", "%clock64", "%envreg31", "%pm7_64",
                           "%reserved_smem_offset_1", "%cluster_ctaid.z"})
    EXPECT_TRUE(is_special_register(name)) << name;
  for (const char* name : {"%r1", "%rd12", "%p1", "%pmx", "%envreg", "%t", "%SP", "tid"})
    EXPECT_FALSE(is_special_register(name)) << name;
}

TEST(RegisterScopes, FollowBlocks) {
  RegisterScopes scopes;
  scopes.enter();
  scopes.declare("p", 0);
  scopes.declare("t", 3);
  scopes.enter();
  scopes.declare("p1", 2);  // p10 and p11
  EXPECT_TRUE(scopes.contains("p"));
  EXPECT_TRUE(scopes.contains("p.x"));
  EXPECT_TRUE(scopes.contains("t2"));
  EXPECT_TRUE(scopes.contains("p11"));
  EXPECT_FALSE(scopes.contains("t3"));
  EXPECT_FALSE(scopes.contains("t02"));
  EXPECT_FALSE(scopes.contains("t"));
  EXPECT_FALSE(scopes.contains("p1"));
  scopes.leave();
  EXPECT_FALSE(scopes.contains("p11"));
  EXPECT_TRUE(scopes.contains("p"));
  scopes.leave();
  EXPECT_FALSE(scopes.contains("p"));
}

}  // namespace
}  // namespace egpu::ptx
