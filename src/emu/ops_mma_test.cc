// mma.sync against a matrix product whose elements lie where the PTX manual puts them.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "emu/arithmetic/float_format.h"
#include "emu/op.h"
#include "emu/test_instruction.h"

namespace egpu::emu {
namespace {

struct At {
  unsigned row;
  unsigned column;
};

// Registers of a warp: words[register][lane], 32 or 64 bits each.
using Words = std::vector<std::array<std::uint64_t, kLanes>>;

struct Case {
  std::string name;  // behind "mma.sync.aligned."
  unsigned rows = 16;
  unsigned depth = 8;
  unsigned bits = 16;                   // of an element of A and B
  double (*value)(std::uint64_t bits);  // of A
  double (*value_of_b)(std::uint64_t bits) = value;
  std::uint64_t (*make)(std::mt19937& random);  // an element with a small value
  char sum = 'f';                               // f: f32, h: f16, d: f64, s: s32
};

// The manual's formulas, with groupID = lane / 4 and threadID = lane % 4: element i of a lane.
At place_of_a(const Case& c, unsigned lane, unsigned i) {
  const unsigned group = lane / 4;
  const unsigned thread = lane % 4;
  const unsigned each = c.bits == 64 ? 1 : 32 / c.bits;  // elements in a register
  const unsigned word = i / each;
  if (c.rows == 8) return {group, thread * each + i % each + word * 4 * each};
  const unsigned row = word % 2 == 0 ? group : group + 8;
  const unsigned column = thread * each + i % each + (word >= 2 ? 4 * each * (word / 2) : 0);
  return {row, column};
}
At place_of_b(const Case& c, unsigned lane, unsigned i) {
  const unsigned each = c.bits == 64 ? 1 : 32 / c.bits;
  return {lane % 4 * each + i % each + i / each * 4 * each, lane / 4};
}
At place_of_c(unsigned lane, unsigned i) {
  return {i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + i % 2};
}

std::string vector_of(const std::string& prefix, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + prefix + std::to_string(i);
  return text + "}";
}

// Runs the instruction on registers that lie in memory, and gives those of D.
Words run(const std::string& instruction, const Words& a, const Words& b, const Words& c,
          bool wide) {
  const std::string type = wide ? "b64" : "b32";
  const std::size_t bytes = wide ? 8 : 4;
  std::string text = ".visible .entry k(.param .u64 in, .param .u64 out) {\n";
  text += ".reg .b32 %t; .reg .b64 %p, %q;\n.reg ." + type + " %a<9>, %b<9>, %c<9>, %d<9>;\n";
  text += "mov.u32 %t, %tid.x; ld.param.u64 %p, [in]; ld.param.u64 %q, [out];\n";
  text += "mad.wide.u32 %p, %t, " + std::to_string(bytes) + ", %p;\n";
  text += "mad.wide.u32 %q, %t, " + std::to_string(bytes) + ", %q;\n";
  std::vector<std::byte> memory;
  std::size_t offset = 0;
  const auto load = [&](const std::string& name, const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      text += fmt::format("ld.global.{} %{}{}, [%p+{}];\n", type, name, i, offset);
      for (const std::uint64_t word : words[i]) {
        memory.resize(memory.size() + bytes);
        std::memcpy(memory.data() + memory.size() - bytes, &word, bytes);
      }
      offset += kLanes * bytes;
    }
  };
  load("a", a);
  load("b", b);
  load("c", c);
  const auto count = static_cast<unsigned>(c.size());
  text += instruction + " " + vector_of("d", count) + ", " +
          vector_of("a", static_cast<unsigned>(a.size())) + ", " +
          vector_of("b", static_cast<unsigned>(b.size())) + ", " + vector_of("c", count) + ";\n";
  for (unsigned i = 0; i < count; ++i)
    text += fmt::format("st.global.{} [%q+{}], %d{};\n", type, bytes * kLanes * i, i);
  TestKernel kernel(text + "ret;\n}\n");
  const auto in = kernel.buffer(memory);
  const auto out = kernel.buffer<std::byte>(bytes * kLanes * count);
  EXPECT_EQ(kernel.run({.block = {kLanes, 1, 1}}, in, out), std::nullopt);
  const auto results = kernel.read(out);
  Words d(count);
  for (std::size_t i = 0; i < results.size() / bytes; ++i)
    std::memcpy(&d[i / kLanes][i % kLanes], results.data() + i * bytes, bytes);
  return d;
}

double value_of_sum(const Case& c, const Words& words, unsigned lane, unsigned i) {
  if (c.sum == 'd') return std::bit_cast<double>(words[i][lane]);
  if (c.sum == 'h') return decode(kFormatF16, words[i / 2][lane] >> i % 2 * 16 & 0xffff);
  const auto bits = static_cast<std::uint32_t>(words[i][lane]);
  return c.sum == 's' ? static_cast<std::int32_t>(bits) : double{std::bit_cast<float>(bits)};
}

void expect_product(const Case& c) {
  SCOPED_TRACE(c.name);
  std::mt19937 random(5);
  const unsigned word_bits = c.bits == 64 ? 64 : 32;
  const unsigned each = word_bits / c.bits;
  const auto fill = [&](unsigned elements) {
    Words words(elements / kLanes / each);
    for (auto& word : words)
      for (auto& lane : word)
        for (unsigned i = 0; i < each; ++i) lane |= c.make(random) << i * c.bits;
    return words;
  };
  const Words a = fill(c.rows * c.depth);
  const Words b = fill(8 * c.depth);
  Words sums(c.rows * 8 / kLanes / (c.sum == 'h' ? 2 : 1));
  for (auto& word : sums)
    for (auto& lane : word) {
      const int number = static_cast<int>(random() % 19) - 9;
      const auto half = round_to(kFormatF16, exact(number), Rounding::kNearestEven);
      lane = c.sum == 'd'   ? std::bit_cast<std::uint64_t>(double{number + 0.0})
             : c.sum == 'h' ? half << 16 | half
             : c.sum == 's' ? static_cast<std::uint32_t>(number)
                            : std::bit_cast<std::uint32_t>(static_cast<float>(number));
    }
  double left[16][256] = {};
  double right[256][8] = {};
  const std::uint64_t ones = c.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << c.bits) - 1;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < a.size() * each; ++i) {
      const At at = place_of_a(c, lane, i);
      left[at.row][at.column] = c.value(a[i / each][lane] >> i % each * c.bits & ones);
    }
    for (unsigned i = 0; i < b.size() * each; ++i) {
      const At at = place_of_b(c, lane, i);
      right[at.row][at.column] = c.value_of_b(b[i / each][lane] >> i % each * c.bits & ones);
    }
  }
  const Words d = run("mma.sync.aligned." + c.name, a, b, sums, c.bits == 64);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < c.rows / 4; ++i) {
      const At at = place_of_c(lane, i);
      double expected = value_of_sum(c, sums, lane, i);
      for (unsigned k = 0; k < c.depth; ++k) expected += left[at.row][k] * right[k][at.column];
      ASSERT_EQ(value_of_sum(c, d, lane, i), expected) << "lane " << lane << ", element " << i;
    }
  }
}

// Small integers, so that every sum is exact.
template <FloatFormat kFormat, unsigned kShift = 0>
std::uint64_t small(std::mt19937& random) {
  const double number = static_cast<int>(random() % 9) - 4;
  return round_to(kFormat, exact(number), Rounding::kNearestEven) << kShift;
}
template <FloatFormat kFormat, unsigned kShift = 0>
double value(std::uint64_t bits) {
  return decode(kFormat, bits >> kShift);
}
// 0, 1/2 or 1, 2, -2 in the two formats of 8 bits.
std::uint64_t few_codes(std::mt19937& random) {
  constexpr std::uint8_t kCodes[] = {0, 0x38, 0x40, 0xc0};
  return kCodes[random() % 4];
}
std::uint64_t any(std::mt19937& random) { return random() & 0xff; }
std::uint64_t any_bit(std::mt19937& random) { return random() & 1; }
std::uint64_t any_nibble(std::mt19937& random) { return random() & 0xf; }
double signed_byte(std::uint64_t bits) { return static_cast<std::int8_t>(bits); }
double unsigned_byte(std::uint64_t bits) { return static_cast<double>(bits); }
double signed_nibble(std::uint64_t bits) {
  return static_cast<double>(bits) - ((bits & 8) != 0 ? 16 : 0);
}

TEST(Mma, MultipliesHalves) {
  constexpr auto kHalf = value<kFormatF16>;
  constexpr auto kMake = small<kFormatF16>;
  expect_product({.name = "m16n8k16.row.col.f32.f16.f16.f32",
                  .depth = 16,
                  .value = kHalf,
                  .value_of_b = kHalf,
                  .make = kMake});
  expect_product({.name = "m16n8k8.row.col.f32.f16.f16.f32",
                  .value = kHalf,
                  .value_of_b = kHalf,
                  .make = kMake});
  expect_product({.name = "m16n8k16.row.col.f16.f16.f16.f16",
                  .depth = 16,
                  .value = kHalf,
                  .value_of_b = kHalf,
                  .make = kMake,
                  .sum = 'h'});
  expect_product({.name = "m16n8k16.row.col.f32.bf16.bf16.f32",
                  .depth = 16,
                  .value = value<kFormatBf16>,
                  .value_of_b = value<kFormatBf16>,
                  .make = small<kFormatBf16>});
  expect_product({.name = "m16n8k8.row.col.f32.bf16.bf16.f32",
                  .value = value<kFormatBf16>,
                  .value_of_b = value<kFormatBf16>,
                  .make = small<kFormatBf16>});
}

TEST(Mma, MultipliesWiderAndNarrowerFloats) {
  constexpr auto kTf32 = value<kFormatTf32, 13>;
  expect_product({.name = "m16n8k8.row.col.f32.tf32.tf32.f32",
                  .bits = 32,
                  .value = kTf32,
                  .value_of_b = kTf32,
                  .make = small<kFormatTf32, 13>});
  expect_product({.name = "m16n8k4.row.col.f32.tf32.tf32.f32",
                  .depth = 4,
                  .bits = 32,
                  .value = kTf32,
                  .value_of_b = kTf32,
                  .make = small<kFormatTf32, 13>});
  expect_product({.name = "m16n8k32.row.col.f32.e4m3.e4m3.f32",
                  .depth = 32,
                  .bits = 8,
                  .value = value<kFormatE4m3>,
                  .value_of_b = value<kFormatE4m3>,
                  .make = small<kFormatE4m3>});
  expect_product({.name = "m16n8k32.row.col.f16.e5m2.e4m3.f16",
                  .depth = 32,
                  .bits = 8,
                  .value = value<kFormatE5m2>,
                  .value_of_b = value<kFormatE4m3>,
                  .make = [](std::mt19937& random) { return few_codes(random); },
                  .sum = 'h'});
  const auto exact_double = value<kFormatF64>;
  for (const auto& [name, rows, depth] :
       {std::tuple{"m8n8k4", 8U, 4U}, std::tuple{"m16n8k4", 16U, 4U},
        std::tuple{"m16n8k8", 16U, 8U}, std::tuple{"m16n8k16", 16U, 16U}})
    expect_product({.name = std::string(name) + ".row.col.f64.f64.f64.f64",
                    .rows = rows,
                    .depth = depth,
                    .bits = 64,
                    .value = exact_double,
                    .value_of_b = exact_double,
                    .make = small<kFormatF64>,
                    .sum = 'd'});
}

TEST(Mma, CountsOnesOfBoth) {
  const auto bit = [](std::uint64_t bits) { return static_cast<double>(bits); };
  for (const auto& [name, rows, depth] :
       {std::tuple{"m8n8k128", 8U, 128U}, std::tuple{"m16n8k128", 16U, 128U},
        std::tuple{"m16n8k256", 16U, 256U}})
    expect_product({.name = std::string(name) + ".row.col.s32.b1.b1.s32.and.popc",
                    .rows = rows,
                    .depth = depth,
                    .bits = 1,
                    .value = bit,
                    .value_of_b = bit,
                    .make = any_bit,
                    .sum = 's'});
}

TEST(Mma, MultipliesIntegers) {
  expect_product({.name = "m16n8k32.row.col.s32.s8.s8.s32",
                  .depth = 32,
                  .bits = 8,
                  .value = signed_byte,
                  .value_of_b = signed_byte,
                  .make = any,
                  .sum = 's'});
  expect_product({.name = "m16n8k16.row.col.satfinite.s32.u8.s8.s32",
                  .depth = 16,
                  .bits = 8,
                  .value = unsigned_byte,
                  .value_of_b = signed_byte,
                  .make = any,
                  .sum = 's'});
  expect_product({.name = "m8n8k16.row.col.s32.s8.u8.s32",
                  .rows = 8,
                  .depth = 16,
                  .bits = 8,
                  .value = signed_byte,
                  .value_of_b = unsigned_byte,
                  .make = any,
                  .sum = 's'});
  expect_product({.name = "m16n8k64.row.col.s32.s4.u4.s32",
                  .depth = 64,
                  .bits = 4,
                  .value = signed_nibble,
                  .value_of_b = unsigned_byte,
                  .make = any_nibble,
                  .sum = 's'});
  expect_product({.name = "m8n8k32.row.col.s32.u4.s4.s32",
                  .rows = 8,
                  .depth = 32,
                  .bits = 4,
                  .value = unsigned_byte,
                  .value_of_b = signed_nibble,
                  .make = any_nibble,
                  .sum = 's'});
}

Words all(std::size_t registers, std::uint64_t word) {
  Words result(registers);
  for (auto& lanes : result) lanes.fill(word);
  return result;
}

TEST(Mma, WrapsAroundOrSaturatesSumsOfIntegers) {
  const Words ones = all(1, 0x01010101);
  const Words most = all(2, 0x7fffffff);
  EXPECT_EQ(run("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", ones, ones, most, false)[0][0],
            0x8000000fU);
  EXPECT_EQ(run("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", ones, ones, most,
                false)[0][0],
            0x7fffffffU);
}

TEST(Mma, RoundsSumsOnceAndSettlesNan) {
  // 16 products of 2^-12 * 2^-12 add up to 2^-20, on top of 1; each alone would be lost in f32.
  const Words tiny = all(4, 0x0c000c00);
  const Words tiny_b = all(2, 0x0c000c00);
  const Words one = all(4, 0x3f800000);
  EXPECT_EQ(
      run("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", tiny, tiny_b, one, false)[3][7],
      0x3f800008U);
  const Words nan = all(4, 0x7e007e00);
  EXPECT_EQ(run("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", nan, tiny_b, one, false)[3][7],
            0x7fffffffU);
}

TEST(Mma, NeedsTheWholeWarp) {
  TestKernel kernel(R"(.visible .entry k() {
    .reg .b32 %r<9>; .reg .pred %p;
    mov.u32 %r0, %tid.x;
    setp.lt.u32 %p, %r0, 16;
    @%p ret;
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1,%r2}, {%r3}, {%r4}, {%r5,%r6};
    ret;
})");
  const auto fault = kernel.run({.block = {kLanes, 1, 1}});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kIllegalInstruction);
}

TEST(Mma, RefusesWhatIsNotKnown) {
  const auto refusal = [](const std::string& code) {
    return error_of(".entry k() { .reg .b32 %r<16>;\n" + code + ";\n}").message;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r0}, {%r1}, {%r2}, {%r3}"),
              HasSubstr("not known for this shape"));
  EXPECT_THAT(
      refusal("mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 {%r0}, {%r1}, {%r2}, {%r3}"),
      HasSubstr("row.col"));
  EXPECT_THAT(
      refusal("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r0}, {%r1}, {%r2}, {%r3}"),
      HasSubstr("4 registers"));
  EXPECT_THAT(
      refusal("mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32 {%r0}, {%r1}, {%r2}, {%r3}"),
      HasSubstr("not known"));
  EXPECT_THAT(
      refusal("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0}, {%r1}, {%r2}, {%r3}"),
      HasSubstr("not known"));
  EXPECT_THAT(refusal("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc "
                      "{%r0}, {%r1}, {%r2}, {%r3}"),
              HasSubstr("not known"));
}

}  // namespace
}  // namespace egpu::emu
