#include "session/assembler_log.h"

#include <gtest/gtest.h>

#include <string>

namespace egpu::session {
namespace {

constexpr char kPtx[] = ".version 9.0\n.target sm_90\n  foo.bar %r1;\n";

TEST(AssemblerError, NamesTheFirstComplaintAndItsLine) {
  const Error error =
      assembler_error("ptxas 13.0.88",
                      "ptxas warning : something\n"
                      "ptxas module.ptx, line 3; error   : Unknown modifier '.bar'\n"
                      "ptxas module.ptx, line 3; error   : Not a name\n"
                      "ptxas fatal   : Ptx assembly aborted due to errors\n",
                      kPtx);
  EXPECT_EQ(error.fault, Fault::kInput);
  EXPECT_EQ(error.message, "ptxas 13.0.88 refuses the PTX: Unknown modifier '.bar'");
  EXPECT_EQ(error.place, "PTX line 3 `foo.bar %r1;`");
  EXPECT_EQ(error.remedy, "");
}

TEST(AssemblerError, SaysThatThePtxIsNewer) {
  const Error error = assembler_error(
      "ptxas 13.0.88",
      "ptxas m.ptx, line 1; fatal   : Unsupported .version 9.9; current version is '9.0'\n", kPtx);
  EXPECT_EQ(error.message,
            "ptxas 13.0.88 refuses the PTX: Unsupported .version 9.9; current version is '9.0'");
  EXPECT_NE(error.remedy.find("newer than the assembler"), std::string::npos);
}

TEST(AssemblerError, ComplaintsWithoutLine) {
  const Error error =
      assembler_error("ptxas 1", "ptxas fatal   : Value 'sm_999' is not defined\n", kPtx);
  EXPECT_EQ(error.message, "ptxas 1 refuses the PTX: Value 'sm_999' is not defined");
  EXPECT_EQ(error.place, "");
}

TEST(AssemblerError, OtherOutputIsShownAsItIs) {
  EXPECT_EQ(assembler_error("ptxas 1", "", kPtx).message, "ptxas 1 failed");
  EXPECT_EQ(assembler_error("ptxas 1", "  Killed\n", kPtx).message, "ptxas 1 failed: Killed");
  EXPECT_EQ(assembler_error("ptxas 1", "an error of mine: x", kPtx).message,
            "ptxas 1 failed: an error of mine: x");
  EXPECT_LT(assembler_error("ptxas 1", std::string(10000, 'x'), kPtx).message.size(), 1000u);
}

TEST(AssemblerError, LineNumbersBeyondThePtx) {
  EXPECT_EQ(assembler_error("p", "x, line 77; error : e", kPtx).place, "PTX line 77");
  EXPECT_EQ(assembler_error("p", "x, line 0; error : e", kPtx).place, "PTX line 0");
  EXPECT_EQ(assembler_error("p", "x, line 99999999999999; error : e", kPtx).place, "");
  EXPECT_EQ(assembler_error("p", "x, line 1; error : e", "").place, "PTX line 1");
}

}  // namespace
}  // namespace egpu::session
