// mma.sync: products of small matrices spread over the registers of a warp.
//
// D = A * B + C with A of m rows and k columns, B of k rows and 8 columns. One register of A holds,
// lane by lane, 8 rows with 4 lanes each: e elements to a lane, 4e columns (f16: 2 elements, 8
// columns). The registers of A are such tiles: first the rows below, then the columns beside. Those
// of B are the same tiles of B transposed. Each register of C and D has one column of every pair.
//
// What a GPU gives for sums of floats is not documented: it depends on the order of additions and
// on what is dropped in between. Here products are exact, added to C in double precision in the
// order of k, and rounded to the result's type once at the end. In .f64 each addition rounds, as a
// chain of fma does. Sums of integers are exact.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "emu/arithmetic/half.h"
#include "emu/arithmetic/integer.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/matrix_elements.h"
#include "emu/membership.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

constexpr unsigned kColumns = 8;  // of B, C and D
constexpr unsigned kMostRows = 16;
constexpr unsigned kMostDepth = 256;  // k
constexpr unsigned kTileRows = 8;
constexpr unsigned kMostRegisters = 8;

using Registers = std::array<Slot, kMostRegisters>;

// Rows of `depth` elements.
using RowsOfA = std::array<std::array<double, kMostDepth>, kMostRows>;
// Transposed back: element [k][column].
using RowsOfB = std::array<std::array<double, kColumns>, kMostDepth>;
using Sums = std::array<std::array<double, kColumns>, kMostRows>;

// Calls set(row in the tile, column in the tile, element) for all elements of a register.
template <class Element, class F>
void for_tile(Warp& warp, Slot slot, F&& set) {
  constexpr unsigned kEach = sizeof(typename Element::Lane) * 8 / Element::kBits;
  const auto* const lanes = lanes_of<typename Element::Lane>(warp, slot);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < kEach; ++i)
      set(lane / 4, lane % 4 * kEach + i, Element::of(lanes[lane] >> i * Element::kBits));
}
template <class Element>
// NOLINTNEXTLINE(readability-redundant-typename): g++ needs it
constexpr unsigned kTileColumns = 4 * sizeof(typename Element::Lane) * 8 / Element::kBits;

enum class Sum : std::uint8_t { kF32, kF16, kF64, kS32 };

// Op::extra.
struct Product {
  unsigned rows = 0;
  unsigned depth = 0;
  bool saturate = false;
  Registers a{};
  Registers b{};
  Registers c{};
  Registers d{};
  void (*read_a)(Warp& warp, const Product& product, RowsOfA& a) = nullptr;
  void (*read_b)(Warp& warp, const Product& product, RowsOfB& b) = nullptr;
};

template <class Element>
void read_a(Warp& warp, const Product& product, RowsOfA& a) {
  const unsigned tiles_down = product.rows / kTileRows;
  const unsigned tiles = tiles_down * product.depth / kTileColumns<Element>;
  for (unsigned tile = 0; tile < tiles; ++tile)
    for_tile<Element>(warp, product.a[tile], [&](unsigned row, unsigned column, double value) {
      a[tile % tiles_down * kTileRows + row][tile / tiles_down * kTileColumns<Element> + column] =
          value;
    });
}
template <class Element>
void read_b(Warp& warp, const Product& product, RowsOfB& b) {
  for (unsigned tile = 0; tile < product.depth / kTileColumns<Element>; ++tile)
    for_tile<Element>(warp, product.b[tile], [&](unsigned column, unsigned row, double value) {
      b[tile * kTileColumns<Element> + row][column] = value;
    });
}

// Calls f(lane, register, row, column) for all elements of C or D, `each` to a register.
template <class F>
void for_sums(unsigned rows, F&& f) {
  for (unsigned i = 0; i < rows / kTileRows * 2; ++i)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      f(lane, i, i / 2 * kTileRows + lane / 4, lane % 4 * 2 + i % 2);
}

template <class T>
void read_sums(Warp& warp, const Product& product, Sums& sums) {
  for_sums(product.rows, [&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    sums[row][column] = static_cast<double>(lanes_of<T>(warp, product.c[i])[lane]);
  });
}
template <class T, class F>
void write_sums(Warp& warp, const Product& product, const Sums& sums, F&& round) {
  for_sums(product.rows, [&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    lanes_of<T>(warp, product.d[i])[lane] = round(sums[row][column]);
  });
}
// Two columns to a register.
void read_half_sums(Warp& warp, const Product& product, Sums& sums) {
  for_sums(product.rows, [&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    const auto* const halves = lanes_of<std::uint16_t>(warp, product.c[i / 2]);
    sums[row][column] = F16::widen(halves[lane * 2 + i % 2]);
  });
}
void write_half_sums(Warp& warp, const Product& product, const Sums& sums) {
  for_sums(product.rows, [&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    auto* const halves = lanes_of<std::uint16_t>(warp, product.d[i / 2]);
    halves[lane * 2 + i % 2] = F16::narrow(narrow_to_odd(sums[row][column]));
  });
}

void multiply_matrices(const RowsOfA& a, const RowsOfB& b, unsigned rows, unsigned depth,
                       Sums& sums) {
  for (unsigned row = 0; row < rows; ++row) {
    std::array<double, kColumns> sum = sums[row];
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned column = 0; column < kColumns; ++column)
        sum[column] = std::fma(a[row][k], b[k][column], sum[column]);
    sums[row] = sum;
  }
}

template <Sum kSum>
void multiply_for_warp(Warp& warp, const Product& product) {
  RowsOfA a;
  RowsOfB b;
  Sums sums;
  product.read_a(warp, product, a);
  product.read_b(warp, product, b);
  if constexpr (kSum == Sum::kF32) read_sums<float>(warp, product, sums);
  if constexpr (kSum == Sum::kF64) read_sums<double>(warp, product, sums);
  if constexpr (kSum == Sum::kS32) read_sums<std::int32_t>(warp, product, sums);
  if constexpr (kSum == Sum::kF16) read_half_sums(warp, product, sums);
  multiply_matrices(a, b, product.rows, product.depth, sums);
  const auto settled = [](auto value) {
    return is_nan(value) ? canonical_nan<decltype(value)>() : value;
  };
  if constexpr (kSum == Sum::kF32)
    write_sums<float>(warp, product, sums,
                      [&](double sum) { return settled(static_cast<float>(sum)); });
  if constexpr (kSum == Sum::kF64)
    write_sums<double>(warp, product, sums, [&](double sum) { return settled(sum); });
  if constexpr (kSum == Sum::kS32)
    write_sums<std::int32_t>(warp, product, sums, [&](double sum) {
      const auto exact = static_cast<std::int64_t>(sum);
      return product.saturate ? clamp_to<std::int32_t>(exact) : static_cast<std::int32_t>(exact);
    });
  if constexpr (kSum == Sum::kF16) write_half_sums(warp, product, sums);
}

template <Sum kSum>
void run_mma(Warp& warp, const Op& op, Mask lanes) {
  for_whole_warp(warp, op, lanes, [&](Mask together) {
    if (together != kAllLanes)
      return warp.fault(FaultKind::kIllegalInstruction,
                        static_cast<unsigned>(std::countr_zero(together)),
                        "not all 32 lanes of the warp are there");
    multiply_for_warp<kSum>(warp, *static_cast<const Product*>(op.extra));
  });
}

// --- from the instruction -----------------------------------------------------------------------

enum class Family : std::uint8_t { kHalf, kBrain, kTf32, kFloat8, kDouble, kByte, kNibble, kBit };

struct ElementType {
  std::string_view name;
  Family family;
  unsigned bits;
  void (*read_a)(Warp& warp, const Product& product, RowsOfA& a);
  void (*read_b)(Warp& warp, const Product& product, RowsOfB& b);
};
template <class Element>
constexpr ElementType element_type(std::string_view name, Family family) {
  return {name, family, Element::kBits, read_a<Element>, read_b<Element>};
}
constexpr ElementType kElementTypes[] = {
    element_type<ElementF16>("f16", Family::kHalf),
    element_type<ElementBf16>("bf16", Family::kBrain),
    element_type<ElementTf32>("tf32", Family::kTf32),
    element_type<ElementFloat8<kFormatE4m3>>("e4m3", Family::kFloat8),
    element_type<ElementFloat8<kFormatE5m2>>("e5m2", Family::kFloat8),
    element_type<ElementF64>("f64", Family::kDouble),
    element_type<ElementInteger<8, true>>("s8", Family::kByte),
    element_type<ElementInteger<8, false>>("u8", Family::kByte),
    element_type<ElementInteger<4, true>>("s4", Family::kNibble),
    element_type<ElementInteger<4, false>>("u4", Family::kNibble),
    element_type<ElementInteger<1, false>>("b1", Family::kBit),
};

struct Shape {
  std::string_view name;
  unsigned rows;
  unsigned depth;
};
constexpr Shape kShapes[] = {
    {"m8n8k4", 8, 4},     {"m8n8k16", 8, 16},     {"m8n8k32", 8, 32},     {"m8n8k128", 8, 128},
    {"m16n8k4", 16, 4},   {"m16n8k8", 16, 8},     {"m16n8k16", 16, 16},   {"m16n8k32", 16, 32},
    {"m16n8k64", 16, 64}, {"m16n8k128", 16, 128}, {"m16n8k256", 16, 256},
};

// Shapes that exist for each kind of element.
constexpr struct {
  Family family;
  std::string_view shape;
} kCombinations[] = {
    {Family::kHalf, "m16n8k8"},    {Family::kHalf, "m16n8k16"},   {Family::kBrain, "m16n8k8"},
    {Family::kBrain, "m16n8k16"},  {Family::kTf32, "m16n8k4"},    {Family::kTf32, "m16n8k8"},
    {Family::kFloat8, "m16n8k16"}, {Family::kFloat8, "m16n8k32"}, {Family::kDouble, "m8n8k4"},
    {Family::kDouble, "m16n8k4"},  {Family::kDouble, "m16n8k8"},  {Family::kDouble, "m16n8k16"},
    {Family::kByte, "m8n8k16"},    {Family::kByte, "m16n8k16"},   {Family::kByte, "m16n8k32"},
    {Family::kNibble, "m8n8k32"},  {Family::kNibble, "m16n8k32"}, {Family::kNibble, "m16n8k64"},
    {Family::kBit, "m8n8k128"},    {Family::kBit, "m16n8k128"},   {Family::kBit, "m16n8k256"},
};

struct Accumulator {
  std::string_view name;
  Sum sum;
  ValueType type;
  unsigned registers_of_8_rows;
  Handler handler;
};
constexpr Accumulator kAccumulators[] = {
    {"f32", Sum::kF32, kF32, 2, run_mma<Sum::kF32>},
    {"f16", Sum::kF16, kB32, 1, run_mma<Sum::kF16>},
    {"f64", Sum::kF64, kF64, 2, run_mma<Sum::kF64>},
    {"s32", Sum::kS32, kB32, 2, run_mma<Sum::kS32>},
};

bool accumulates(Family family, Sum sum) {
  switch (family) {
    case Family::kHalf:
    case Family::kFloat8:
      return sum == Sum::kF32 || sum == Sum::kF16;
    case Family::kBrain:
    case Family::kTf32:
      return sum == Sum::kF32;
    case Family::kDouble:
      return sum == Sum::kF64;
    case Family::kByte:
    case Family::kNibble:
    case Family::kBit:
      return sum == Sum::kS32;
  }
  return false;
}

template <class Row, std::size_t kCount>
const Row* find_row(const Row (&rows)[kCount], std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

// {%r0, %r1} or, for one, %r0.
std::vector<ptx::Operand> elements_of(const ptx::Operand& operand) {
  if (const auto* vector = std::get_if<ptx::Vector>(&operand)) return vector->elements;
  return {operand};
}

Result<Registers> read_registers(Builder& builder, const ptx::Operand& operand, ValueType type,
                                 unsigned count, bool write) {
  const auto elements = elements_of(operand);
  if (elements.size() != count || count > kMostRegisters)
    return builder.error(fmt::format("takes a vector of {} registers", count));
  Registers result{};
  for (unsigned i = 0; i < count; ++i) {
    EGPU_ASSIGN(result[i],
                write ? builder.write(elements[i], type) : builder.read(elements[i], type));
  }
  return result;
}

struct MmaTypes {
  const Shape* shape = nullptr;
  const ElementType* a = nullptr;
  const ElementType* b = nullptr;
  const Accumulator* sum = nullptr;
};

// mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C{.and.popc}
Result<MmaTypes> take_types(const Builder& builder, Modifiers& modifiers) {
  for (const std::string_view part : {"sync", "aligned", "row", "col"})
    if (!modifiers.take(part))
      return builder.error("is known as .sync.aligned.SHAPE.row.col alone");
  // Counting the ones of A and B is to add the products of their bits; what .xor counts is not.
  const bool counts = modifiers.take("and") && modifiers.take("popc");
  MmaTypes types;
  for (const Shape& shape : kShapes)
    if (modifiers.take(shape.name)) types.shape = &shape;
  constexpr std::size_t kTypes = 4;
  std::array<std::string_view, kTypes> names;
  for (std::string_view& name : names) {
    name = modifiers.left();
    if (name.empty() || !modifiers.take(name)) return builder.error("names four types");
  }
  types.sum = find_row(kAccumulators, names[0]);
  types.a = find_row(kElementTypes, names[1]);
  types.b = find_row(kElementTypes, names[2]);
  const bool known =
      types.shape != nullptr && types.sum != nullptr && types.a != nullptr && types.b != nullptr &&
      names[3] == names[0] && types.a->family == types.b->family &&
      counts == (types.a->family == Family::kBit) && accumulates(types.a->family, types.sum->sum);
  if (!known) return builder.error("is not known for this shape and these types");
  const bool single = types.a->family != Family::kFloat8 && types.a->family != Family::kByte &&
                      types.a->family != Family::kNibble;
  if (single && types.a != types.b) return builder.error("takes matrices of one type");
  for (const auto& row : kCombinations)
    if (row.family == types.a->family && row.shape == types.shape->name) return types;
  return builder.error("is not known for this shape and these types");
}

Result<void> translate_mma(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool saturate = modifiers.take("satfinite");
  EGPU_ASSIGN(const MmaTypes types, take_types(builder, modifiers));
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 4, 4));
  if (saturate && (types.sum->sum != Sum::kS32 || types.a->family == Family::kBit))
    return builder.error("has .satfinite for sums of integers alone");

  const auto [name, rows, depth] = *types.shape;
  Product product{.rows = rows, .depth = depth, .saturate = saturate};
  product.read_a = types.a->read_a;
  product.read_b = types.b->read_b;
  const ValueType element = types.a->family == Family::kDouble ? kF64 : kB32;
  const unsigned in_register = kLanes * element.bits / types.a->bits;
  const unsigned sums = rows / kTileRows * types.sum->registers_of_8_rows;
  const auto& operands = instruction.operands;
  EGPU_ASSIGN(product.d, read_registers(builder, operands[0], types.sum->type, sums, true));
  EGPU_ASSIGN(product.a,
              read_registers(builder, operands[1], element, rows * depth / in_register, false));
  EGPU_ASSIGN(product.b,
              read_registers(builder, operands[2], element, kColumns * depth / in_register, false));
  EGPU_ASSIGN(product.c, read_registers(builder, operands[3], types.sum->type, sums, false));
  builder.emit({.handler = types.sum->handler, .extra = builder.keep(product)});
  return {};
}

constexpr Translation kTable[] = {{"mma", translate_mma}};

}  // namespace

TranslationTable mma_table() { return kTable; }

}  // namespace egpu::emu
