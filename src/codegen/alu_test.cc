// Arithmetic against RFC 9669 without a GPU: a program of constants stores its result, LLVM folds
// it, and the stored constant is compared. A lowering that leaves a case undefined loses the store.

#include <limits>

#include "codegen/test_support.h"

namespace egpu::codegen {
namespace {

using namespace testing;
using bpf::AluOp;
using bpf::Condition;

constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();

bpf::LoadImm64 constant(Reg reg, std::int64_t value) {
  return {bpf::Imm64Kind::kConstant, reg, static_cast<std::uint64_t>(value)};
}

// Runs `steps`, then stores r1: the stored constant, as LLVM prints it, is a signed number.
std::string stored(const Steps& steps) {
  const Steps store{constant(Reg{6}, 4096),
                    {bpf::Store{MemSize::k64, Reg{6}, 0, Reg{1}}, Region::kMapValue}};
  const std::string ir =
      generated({.maps = {}, .programs = {steps + store + leave()}, .options = {}}).llvm_ir;
  const std::string_view marker = "store i64 ";
  const std::size_t begin = ir.find(marker);
  if (begin == std::string::npos) return "no store in:\n" + ir;
  const std::size_t number = begin + marker.size();
  return ir.substr(number, ir.find(',', number) - number);
}

std::string alu(AluOp op, Width width, std::int64_t dst, std::int64_t src) {
  return stored(
      {constant(Reg{1}, dst), constant(Reg{2}, src), bpf::Alu{op, width, Reg{1}, Reg{2}}});
}

std::string alu_immediate(AluOp op, Width width, std::int64_t dst, std::int32_t src) {
  return stored({constant(Reg{1}, dst), bpf::Alu{op, width, Reg{1}, Imm{src}}});
}

TEST(Alu, WrapsAndZeroesTheUpperHalf) {
  EXPECT_EQ(alu(AluOp::kAdd, Width::k64, -1, 2), "1");
  EXPECT_EQ(alu(AluOp::kAdd, Width::k32, 0x1ffffffff, 2), "1");
  EXPECT_EQ(alu(AluOp::kSub, Width::k32, 0, 1), "4294967295");
  EXPECT_EQ(alu(AluOp::kMul, Width::k64, std::int64_t{1} << 62, 6), std::to_string(kMin64));
  EXPECT_EQ(alu(AluOp::kMul, Width::k32, 0x80000001, 2), "2");
  EXPECT_EQ(alu(AluOp::kOr, Width::k32, -1, 0), "4294967295");
  EXPECT_EQ(alu(AluOp::kXor, Width::k64, -1, 0xff), "-256");
}

TEST(Alu, SignExtendsImmediatesFor64Bit) {
  EXPECT_EQ(alu_immediate(AluOp::kAdd, Width::k64, 5, -1), "4");
  EXPECT_EQ(alu_immediate(AluOp::kAnd, Width::k64, -1, -16), "-16");
  EXPECT_EQ(alu_immediate(AluOp::kAnd, Width::k32, -1, -16), "4294967280");
  EXPECT_EQ(alu_immediate(AluOp::kDiv, Width::k64, -1, -1), "1");
  EXPECT_EQ(stored({bpf::Mov{Width::k64, Reg{1}, Imm{-2}}}), "-2");
  EXPECT_EQ(stored({bpf::Mov{Width::k32, Reg{1}, Imm{-2}}}), "4294967294");
}

TEST(Alu, DividesByZeroToZero) {
  EXPECT_EQ(alu(AluOp::kDiv, Width::k64, 7, 0), "0");
  EXPECT_EQ(alu(AluOp::kDiv, Width::k32, 7, 0), "0");
  EXPECT_EQ(alu(AluOp::kSdiv, Width::k64, -7, 0), "0");
  EXPECT_EQ(alu(AluOp::kSdiv, Width::k32, -7, 0), "0");
  EXPECT_EQ(alu(AluOp::kDiv, Width::k32, 7, std::int64_t{1} << 32), "0");  // the low half counts
  EXPECT_EQ(alu_immediate(AluOp::kDiv, Width::k64, 7, 0), "0");
}

TEST(Alu, KeepsTheDividendModuloZero) {
  EXPECT_EQ(alu(AluOp::kMod, Width::k64, -7, 0), "-7");
  EXPECT_EQ(alu(AluOp::kMod, Width::k32, -7, 0), "4294967289");
  EXPECT_EQ(alu(AluOp::kSmod, Width::k64, -7, 0), "-7");
  EXPECT_EQ(alu(AluOp::kSmod, Width::k32, -7, 0), "4294967289");
}

TEST(Alu, DividesTheSmallestNumberByMinusOne) {
  EXPECT_EQ(alu(AluOp::kSdiv, Width::k64, kMin64, -1), std::to_string(kMin64));
  EXPECT_EQ(alu(AluOp::kSdiv, Width::k32, kMin32, -1), "2147483648");
  EXPECT_EQ(alu(AluOp::kSmod, Width::k64, kMin64, -1), "0");
  EXPECT_EQ(alu(AluOp::kSmod, Width::k32, kMin32, -1), "0");
}

TEST(Alu, DividesTowardsZero) {
  EXPECT_EQ(alu(AluOp::kSdiv, Width::k64, -13, 3), "-4");
  EXPECT_EQ(alu(AluOp::kSdiv, Width::k64, 13, -1), "-13");
  EXPECT_EQ(alu(AluOp::kSmod, Width::k64, -13, 3), "-1");
  EXPECT_EQ(alu(AluOp::kSmod, Width::k64, 13, -3), "1");
  EXPECT_EQ(alu(AluOp::kSdiv, Width::k32, -13, 3), "4294967292");
  EXPECT_EQ(alu(AluOp::kDiv, Width::k64, -13, 3), "6148914691236517201");
  EXPECT_EQ(alu(AluOp::kMod, Width::k32, -13, 10), "3");
}

TEST(Alu, MasksShiftCounts) {
  EXPECT_EQ(alu(AluOp::kLsh, Width::k64, 1, 65), "2");
  EXPECT_EQ(alu(AluOp::kLsh, Width::k32, 1, 33), "2");
  EXPECT_EQ(alu(AluOp::kLsh, Width::k32, 1, 31), "2147483648");
  EXPECT_EQ(alu(AluOp::kRsh, Width::k64, -1, 127), "1");
  EXPECT_EQ(alu(AluOp::kRsh, Width::k32, -1, 32), "4294967295");
  EXPECT_EQ(alu(AluOp::kArsh, Width::k64, -8, 66), "-2");
  EXPECT_EQ(alu(AluOp::kArsh, Width::k32, 0x80000000, 31), "4294967295");
  EXPECT_EQ(alu_immediate(AluOp::kLsh, Width::k64, 3, 62), "-4611686018427387904");
}

TEST(Alu, Negates) {
  EXPECT_EQ(stored({constant(Reg{1}, 5), bpf::Neg{Width::k64, Reg{1}}}), "-5");
  EXPECT_EQ(stored({constant(Reg{1}, 5), bpf::Neg{Width::k32, Reg{1}}}), "4294967291");
  EXPECT_EQ(stored({constant(Reg{1}, kMin64), bpf::Neg{Width::k64, Reg{1}}}),
            std::to_string(kMin64));
}

TEST(Alu, MovesWithSignExtension) {
  const auto moved = [](Width width, std::uint8_t bits) {
    return stored({constant(Reg{2}, 0x80858687f8f9fafb), bpf::Mov{width, Reg{1}, Reg{2}, bits}});
  };
  EXPECT_EQ(moved(Width::k64, 0), std::to_string(static_cast<std::int64_t>(0x80858687f8f9fafb)));
  EXPECT_EQ(moved(Width::k64, 8), "-5");
  EXPECT_EQ(moved(Width::k64, 16), "-1285");
  EXPECT_EQ(moved(Width::k64, 32), std::to_string(static_cast<std::int32_t>(0xf8f9fafb)));
  EXPECT_EQ(moved(Width::k32, 0), std::to_string(0xf8f9fafbU));
  EXPECT_EQ(moved(Width::k32, 8), std::to_string(0xfffffffbU));
  EXPECT_EQ(moved(Width::k32, 16), std::to_string(0xfffffafbU));
}

TEST(Alu, SwapsBytes) {
  const auto swapped = [](bpf::ByteOrder order, std::uint8_t bits) {
    return stored({constant(Reg{1}, 0x0102030405060708), bpf::ByteSwap{order, bits, Reg{1}}});
  };
  for (const auto order : {bpf::ByteOrder::kToBig, bpf::ByteOrder::kSwap}) {
    EXPECT_EQ(swapped(order, 16), std::to_string(0x0807));
    EXPECT_EQ(swapped(order, 32), std::to_string(0x08070605));
    EXPECT_EQ(swapped(order, 64), std::to_string(0x0807060504030201));
  }
  EXPECT_EQ(swapped(bpf::ByteOrder::kToLittle, 16), std::to_string(0x0708));
  EXPECT_EQ(swapped(bpf::ByteOrder::kToLittle, 32), std::to_string(0x05060708));
  EXPECT_EQ(swapped(bpf::ByteOrder::kToLittle, 64), std::to_string(0x0102030405060708));
}

// r1 = whether the branch was taken.
std::string taken(Condition condition, Width width, std::int64_t dst, bpf::Operand src_operand,
                  std::int64_t src = 0) {
  return stored({constant(Reg{1}, 1), constant(Reg{3}, dst), constant(Reg{2}, src),
                 bpf::JumpIf{condition, width, Reg{3}, src_operand, 5},
                 bpf::Mov{Width::k64, Reg{1}, Imm{0}}});
}

TEST(Condition, ComparesUnsignedAndSigned) {
  struct Row {
    Condition condition;
    const char* less;   // 1 and 2
    const char* equal;  // 2 and 2
    const char* minus;  // -1 and 2
  };
  const Row rows[] = {
      {Condition::kEq, "0", "1", "0"},  {Condition::kNe, "1", "0", "1"},
      {Condition::kSet, "0", "1", "1"}, {Condition::kGt, "0", "0", "1"},
      {Condition::kGe, "0", "1", "1"},  {Condition::kLt, "1", "0", "0"},
      {Condition::kLe, "1", "1", "0"},  {Condition::kSgt, "0", "0", "0"},
      {Condition::kSge, "0", "1", "0"}, {Condition::kSlt, "1", "0", "1"},
      {Condition::kSle, "1", "1", "1"},
  };
  for (const Row& row : rows) {
    for (const Width width : {Width::k32, Width::k64}) {
      SCOPED_TRACE(static_cast<int>(row.condition));
      EXPECT_EQ(taken(row.condition, width, 1, Reg{2}, 2), row.less);
      EXPECT_EQ(taken(row.condition, width, 2, Imm{2}), row.equal);
      EXPECT_EQ(taken(row.condition, width, -1, Reg{2}, 2), row.minus);
    }
  }
}

TEST(Condition, LooksAtTheLowHalfAlone) {
  EXPECT_EQ(taken(Condition::kEq, Width::k32, 0x500000001, Imm{1}), "1");
  EXPECT_EQ(taken(Condition::kEq, Width::k64, 0x500000001, Imm{1}), "0");
  EXPECT_EQ(taken(Condition::kSlt, Width::k32, 0x80000000, Imm{0}), "1");
  EXPECT_EQ(taken(Condition::kSlt, Width::k64, 0x80000000, Imm{0}), "0");
  EXPECT_EQ(taken(Condition::kEq, Width::k64, -1, Imm{-1}), "1");  // immediates are sign-extended
}

TEST(Stack, KeepsBytesInLittleEndianOrder) {
  const auto load = [](MemSize size, bool sign_extend, std::int16_t offset) {
    return stored(
        {constant(Reg{2}, 0x0102030405060788),
         {bpf::Store{MemSize::k64, Reg{10}, -16, Reg{2}}, Region::kStack, -16},
         {bpf::Load{size, sign_extend, Reg{1}, Reg{10}, offset}, Region::kStack, offset}});
  };
  EXPECT_EQ(load(MemSize::k64, false, -16), std::to_string(0x0102030405060788));
  EXPECT_EQ(load(MemSize::k8, false, -16), std::to_string(0x88));
  EXPECT_EQ(load(MemSize::k8, true, -16), std::to_string(static_cast<std::int8_t>(0x88)));
  EXPECT_EQ(load(MemSize::k16, false, -14), std::to_string(0x0506));
  EXPECT_EQ(load(MemSize::k32, false, -12), std::to_string(0x01020304));
}

}  // namespace
}  // namespace egpu::codegen
