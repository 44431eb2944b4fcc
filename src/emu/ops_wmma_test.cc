// wmma on matrices in memory: whatever fragments look like, the product has to be right.
#include <random>

#include "emu/arithmetic/float_format.h"
#include "emu/op.h"
#include "emu/test_instruction.h"

namespace egpu::emu {
namespace {

struct Matrix {
  std::string type;
  FloatFormat format;  // of floats
  unsigned bytes;
  bool integer = false;
  unsigned registers;
  std::string layout = "row";
};

std::string fragment(const char* prefix, unsigned registers) {
  std::string text = "{";
  for (unsigned i = 0; i < registers; ++i)
    text += (i == 0 ? "%" : ", %") + std::string(prefix) + std::to_string(i);
  return text + "}";
}

std::uint64_t encode(const Matrix& matrix, int value) {
  if (matrix.integer) return static_cast<std::uint32_t>(value);
  const std::uint64_t bits = round_to(matrix.format, exact(value), Rounding::kNearestEven);
  return matrix.type == "tf32" ? bits << 13 : bits;
}
int decode_value(const Matrix& matrix, std::uint64_t bits) {
  if (matrix.integer) return static_cast<std::int32_t>(bits);
  return static_cast<int>(decode(matrix.format, bits));
}

struct Product {
  std::string shape;
  unsigned m;
  unsigned n;
  unsigned k;
  Matrix a;
  Matrix b;
  Matrix c;
  std::string types;
};

constexpr unsigned kPadding = 8;  // elements between lines

// The matrix in memory, lines further apart than they are long.
std::vector<std::byte> lay_out(const Matrix& matrix, const std::vector<std::vector<int>>& values) {
  const bool rows = matrix.layout == "row";
  const std::size_t lines = rows ? values.size() : values[0].size();
  const std::size_t length = rows ? values[0].size() : values.size();
  std::vector<std::byte> memory(lines * (length + kPadding) * matrix.bytes);
  for (std::size_t line = 0; line < lines; ++line)
    for (std::size_t i = 0; i < length; ++i) {
      const std::uint64_t bits = encode(matrix, rows ? values[line][i] : values[i][line]);
      std::memcpy(&memory[(line * (length + kPadding) + i) * matrix.bytes], &bits, matrix.bytes);
    }
  return memory;
}

std::string load(const char* name, const Matrix& matrix, const Product& product, std::size_t rows,
                 std::size_t columns) {
  const std::size_t stride = (matrix.layout == "row" ? columns : rows) + kPadding;
  return std::string("ld.param.u64 %p, [") + name + "];\nwmma.load." + name + ".sync.aligned." +
         matrix.layout + "." + product.shape + ".global." + matrix.type + " " +
         fragment(name, matrix.registers) + ", [%p], " + std::to_string(stride) + ";\n";
}

void expect_product(const Product& product) {
  SCOPED_TRACE(product.shape + " " + product.types);
  std::mt19937 random(9);
  const auto matrix_of = [&](unsigned rows, unsigned columns, bool is_signed) {
    std::vector<std::vector<int>> values(rows, std::vector<int>(columns));
    for (auto& row : values)
      for (int& value : row) value = static_cast<int>(random() % 8) - (is_signed ? 4 : 0);
    return values;
  };
  const auto a = matrix_of(product.m, product.k, product.a.type != "u8");
  const auto b = matrix_of(product.k, product.n, product.b.type != "u8");
  const auto c = matrix_of(product.m, product.n, true);

  const std::string bits = product.c.bytes == 8 ? "b64" : "b32";
  std::string text =
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)";
  text += " {\n.reg .b64 %p; .reg ." + bits + " %a<8>, %b<8>, %c<8>, %d<8>;\n";
  text += load("a", product.a, product, product.m, product.k);
  text += load("b", product.b, product, product.k, product.n);
  text += load("c", product.c, product, product.m, product.n);
  text += "wmma.mma.sync.aligned." + product.a.layout + "." + product.b.layout + "." +
          product.shape + "." + product.types + " " + fragment("d", product.c.registers) + ", " +
          fragment("a", product.a.registers) + ", " + fragment("b", product.b.registers) + ", " +
          fragment("c", product.c.registers) + ";\n";
  text += "ld.param.u64 %p, [d];\nwmma.store.d.sync.aligned.row." + product.shape + ".global." +
          product.c.type + " [%p], " + fragment("d", product.c.registers) + ";\nret;\n}\n";

  TestKernel kernel(text);
  const auto out = kernel.buffer<std::byte>(std::size_t{product.m} * product.n * product.c.bytes);
  ASSERT_EQ(
      kernel.run({.block = {kLanes, 1, 1}}, kernel.buffer(lay_out(product.a, a)),
                 kernel.buffer(lay_out(product.b, b)), kernel.buffer(lay_out(product.c, c)), out),
      std::nullopt);
  const auto results = kernel.read(out);
  for (unsigned row = 0; row < product.m; ++row) {
    for (unsigned column = 0; column < product.n; ++column) {
      int expected = c[row][column];
      for (unsigned k = 0; k < product.k; ++k) expected += a[row][k] * b[k][column];
      std::uint64_t found = 0;
      std::memcpy(&found, &results[std::size_t{row * product.n + column} * product.c.bytes],
                  product.c.bytes);
      ASSERT_EQ(decode_value(product.c, found), expected) << row << ", " << column;
    }
  }
}

TEST(Wmma, MultipliesHalvesOfEveryShape) {
  const Matrix half{.type = "f16", .format = kFormatF16, .bytes = 2, .registers = 8};
  Matrix columns = half;
  columns.layout = "col";
  const Matrix f32{.type = "f32", .format = kFormatF32, .bytes = 4, .registers = 8};
  const Matrix f16{.type = "f16", .format = kFormatF16, .bytes = 2, .registers = 4};
  expect_product({"m16n16k16", 16, 16, 16, half, columns, f32, "f32.f32"});
  expect_product({"m8n32k16", 8, 32, 16, columns, half, f16, "f16.f16"});
  expect_product({"m32n8k16", 32, 8, 16, half, half, f32, "f32.f32"});
}

TEST(Wmma, MultipliesOtherTypes) {
  const Matrix f32{.type = "f32", .format = kFormatF32, .bytes = 4, .registers = 8};
  const Matrix bf16_a{.type = "bf16", .format = kFormatBf16, .bytes = 2, .registers = 2};
  const Matrix bf16_b{
      .type = "bf16", .format = kFormatBf16, .bytes = 2, .registers = 8, .layout = "col"};
  expect_product({"m8n32k16", 8, 32, 16, bf16_a, bf16_b, f32, "f32.bf16.bf16.f32"});
  const Matrix tf32{.type = "tf32", .format = kFormatTf32, .bytes = 4, .registers = 4};
  expect_product({"m16n16k8", 16, 16, 8, tf32, tf32, f32, "f32.tf32.tf32.f32"});
  const Matrix f64{.type = "f64", .format = kFormatF64, .bytes = 8, .registers = 1};
  const Matrix f64_sum{.type = "f64", .format = kFormatF64, .bytes = 8, .registers = 2};
  expect_product({"m8n8k4", 8, 8, 4, f64, f64, f64_sum, "f64.f64.f64.f64"});
  expect_product({"m8n8k4", 8, 8, 4, f64, f64, f64_sum, "f64.f64.f64.f64.rn"});
  const Matrix s8{
      .type = "s8", .format = {}, .bytes = 1, .integer = true, .registers = 2, .layout = "col"};
  const Matrix u8{.type = "u8", .format = {}, .bytes = 1, .integer = true, .registers = 2};
  const Matrix s32{.type = "s32", .format = {}, .bytes = 4, .integer = true, .registers = 8};
  expect_product({"m16n16k16", 16, 16, 16, s8, s8, s32, "s32.s8.s8.s32"});
  expect_product({"m16n16k16", 16, 16, 16, u8, u8, s32, "s32.u8.u8.s32.satfinite"});
}

TEST(Wmma, FaultsOutsideMemory) {
  TestKernel kernel(R"(.visible .entry k(.param .u64 a) {
    .reg .b64 %p; .reg .b32 %r<8>;
    ld.param.u64 %p, [a];
    wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%p], 16;
    ret;
})");
  const auto fault = kernel.run({.block = {kLanes, 1, 1}}, std::uint64_t{64});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kIllegalAddress);
}

TEST(Wmma, RefusesWhatIsNotKnown) {
  const auto refusal = [](const std::string& code) {
    return error_of(".entry k() { .reg .b32 %r<16>; .reg .b64 %q;\n" + code + ";\n}").message;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.row.m8n8k32.s4 {%r0}, [%q]"), HasSubstr("shape"));
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r0}, [%q]"), HasSubstr("type"));
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0}, [%q]"),
              HasSubstr("8 registers"));
}

}  // namespace
}  // namespace egpu::emu
