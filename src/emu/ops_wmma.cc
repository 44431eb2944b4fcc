// wmma: matrices as fragments, whose layout in registers PTX leaves open.
//
// A fragment is a matrix in the order of its rows, an equal part of it for each lane, so the layout
// in memory matters to loads and stores alone. Fragments of .f16 have more room than elements: they
// are there twice, as on a GPU. Sums are what emu/ops_mma.cc says.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

#include "emu/access.h"
#include "emu/arithmetic/integer.h"
#include "emu/emit.h"
#include "emu/matrix_elements.h"
#include "emu/membership.h"
#include "emu/memory_modifiers.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

constexpr unsigned kMostRegisters = 8;
constexpr unsigned kMostSide = 32;

// --- elements -----------------------------------------------------------------------------------

struct ElementForm {
  std::string_view name;
  unsigned bits;
  double (*read)(std::uint64_t bits);
  std::uint64_t (*round)(double value) = nullptr;  // of types that sums have
  double (*read_sum)(std::uint64_t bits) = nullptr;
};

template <class Element>
double read_element(std::uint64_t bits) {
  return Element::of(static_cast<Element::Lane>(bits));
}
double read_f32(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
double read_s32(std::uint64_t bits) { return static_cast<std::int32_t>(bits); }
std::uint64_t round_to_f16(double value) { return F16::narrow(narrow_to_odd(value)); }
std::uint64_t round_to_f32(double value) {
  const auto rounded = static_cast<float>(value);
  return bits_of(is_nan(rounded) ? canonical_nan<float>() : rounded);
}
std::uint64_t round_to_f64(double value) {
  return bits_of(is_nan(value) ? canonical_nan<double>() : value);
}
std::uint64_t wrap_to_s32(double value) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}
std::uint64_t saturate_to_s32(double value) {
  return static_cast<std::uint32_t>(clamp_to<std::int32_t>(static_cast<std::int64_t>(value)));
}

constexpr ElementForm kForms[] = {
    {"f16", 16, read_element<ElementF16>, round_to_f16, read_element<ElementF16>},
    {"bf16", 16, read_element<ElementBf16>},
    {"tf32", 32, read_element<ElementTf32>},
    {"f64", 64, read_element<ElementF64>, round_to_f64, read_element<ElementF64>},
    {"s8", 8, read_element<ElementInteger<8, true>>},
    {"u8", 8, read_element<ElementInteger<8, false>>},
    {"f32", 32, nullptr, round_to_f32, read_f32},
    {"s32", 32, nullptr, wrap_to_s32, read_s32},
};

const ElementForm* find_form(std::string_view name) {
  for (const ElementForm& form : kForms)
    if (form.name == name) return &form;
  return nullptr;
}

// --- fragments ----------------------------------------------------------------------------------

struct Fragment {
  const ElementForm* form = nullptr;
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned registers = 0;
  std::array<Slot, kMostRegisters> slots{};

  unsigned elements() const { return rows * columns; }
  unsigned in_lane() const { return elements() / kLanes; }
  unsigned register_bits() const { return form->bits == 64 ? 64 : 32; }
  unsigned in_register() const { return register_bits() / form->bits; }
};

// Where an element lies, for the copy-th time.
std::byte* element_at(Warp& warp, const Fragment& fragment, unsigned element, unsigned copy = 0) {
  const unsigned place = element % fragment.in_lane() + copy * fragment.in_lane();
  const unsigned lane = element / fragment.in_lane();
  return warp.registers + fragment.slots[place / fragment.in_register()] +
         lane * fragment.register_bits() / 8 +
         place % fragment.in_register() * fragment.form->bits / 8;
}
std::uint64_t get_element(Warp& warp, const Fragment& fragment, unsigned element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element_at(warp, fragment, element), fragment.form->bits / 8);
  return bits;
}
void set_element(Warp& warp, const Fragment& fragment, unsigned element, const void* value) {
  const unsigned copies = fragment.registers * fragment.in_register() / fragment.in_lane();
  for (unsigned copy = 0; copy < copies; ++copy)
    std::memcpy(element_at(warp, fragment, element, copy), value, fragment.form->bits / 8);
}

template <class F>
void for_full_warp(Warp& warp, const Op& op, Mask lanes, F&& f) {
  for_whole_warp(warp, op, lanes, [&](Mask together) {
    if (together != kAllLanes)
      return warp.fault(FaultKind::kIllegalInstruction,
                        static_cast<unsigned>(std::countr_zero(together)),
                        "not all 32 lanes of the warp are there");
    f();
  });
}

// --- loads and stores ---------------------------------------------------------------------------

// Op::extra; Op::a and Op::immediate are the address, Op::b the stride.
struct Transfer {
  Fragment fragment{};
  Space space = Space::kGeneric;
  bool wide = true;
  bool by_columns = false;  // how the matrix lies in memory
};

// Calls f(element, its place in memory) for all elements, line by line of the memory's order.
template <class F>
void for_memory(Warp& warp, const Op& op, const Transfer& transfer, F&& f) {
  const Fragment& fragment = transfer.fragment;
  const unsigned lines = transfer.by_columns ? fragment.columns : fragment.rows;
  const unsigned length = transfer.by_columns ? fragment.rows : fragment.columns;
  const unsigned bytes = fragment.form->bits / 8;
  const std::uint64_t base = transfer.wide ? lanes_of<std::uint64_t>(warp, op.a)[0]
                                           : lanes_of<std::uint32_t>(warp, op.a)[0];
  const auto stride = static_cast<std::int32_t>(lanes_of<std::uint32_t>(warp, op.b)[0]);
  for (unsigned line = 0; line < lines; ++line) {
    const std::uint64_t address = base + static_cast<std::uint64_t>(op.immediate) +
                                  static_cast<std::uint64_t>(std::int64_t{stride} * line * bytes);
    std::byte* const first = resolve_lane(warp, op, 0,
                                          {.space = transfer.space,
                                           .address = address,
                                           .bytes = std::uint64_t{length} * bytes,
                                           .alignment = bytes});
    if (first == nullptr) return;
    for (unsigned i = 0; i < length; ++i) {
      const unsigned element =
          transfer.by_columns ? i * fragment.columns + line : line * fragment.columns + i;
      f(element, first + std::size_t{i} * bytes);
    }
  }
}

void run_load(Warp& warp, const Op& op, Mask lanes) {
  for_full_warp(warp, op, lanes, [&] {
    const auto& transfer = *static_cast<const Transfer*>(op.extra);
    for_memory(warp, op, transfer, [&](unsigned element, const std::byte* from) {
      set_element(warp, transfer.fragment, element, from);
    });
  });
}
void run_store(Warp& warp, const Op& op, Mask lanes) {
  for_full_warp(warp, op, lanes, [&] {
    const auto& transfer = *static_cast<const Transfer*>(op.extra);
    for_memory(warp, op, transfer, [&](unsigned element, std::byte* to) {
      std::memcpy(to, element_at(warp, transfer.fragment, element),
                  transfer.fragment.form->bits / 8);
    });
  });
}

// --- products -----------------------------------------------------------------------------------

// Op::extra.
struct FragmentProduct {
  Fragment a{};
  Fragment b{};
  Fragment c{};
  Fragment d{};
  bool saturate = false;
};

using Square = std::array<std::array<double, kMostSide>, kMostSide>;

void read_fragment(Warp& warp, const Fragment& fragment, double (*read)(std::uint64_t bits),
                   Square& to) {
  for (unsigned element = 0; element < fragment.elements(); ++element)
    to[element / fragment.columns][element % fragment.columns] =
        read(get_element(warp, fragment, element));
}

void run_product(Warp& warp, const Op& op, Mask lanes) {
  for_full_warp(warp, op, lanes, [&] {
    const auto& product = *static_cast<const FragmentProduct*>(op.extra);
    Square a;
    Square b;
    Square sums;
    read_fragment(warp, product.a, product.a.form->read, a);
    read_fragment(warp, product.b, product.b.form->read, b);
    read_fragment(warp, product.c, product.c.form->read_sum, sums);
    const auto round = product.saturate ? saturate_to_s32 : product.d.form->round;
    for (unsigned row = 0; row < product.d.rows; ++row)
      for (unsigned k = 0; k < product.a.columns; ++k)
        for (unsigned column = 0; column < product.d.columns; ++column)
          sums[row][column] = std::fma(a[row][k], b[k][column], sums[row][column]);
    for (unsigned element = 0; element < product.d.elements(); ++element) {
      const std::uint64_t bits =
          round(sums[element / product.d.columns][element % product.d.columns]);
      set_element(warp, product.d, element, &bits);
    }
  });
}

// --- from the instruction -----------------------------------------------------------------------

struct Shape {
  std::string_view name;
  unsigned m;
  unsigned n;
  unsigned k;
};
constexpr Shape kShapes[] = {
    {"m16n16k16", 16, 16, 16}, {"m8n32k16", 8, 32, 16}, {"m32n8k16", 32, 8, 16},
    {"m16n16k8", 16, 16, 8},   {"m8n8k4", 8, 8, 4},
};

Result<Shape> take_shape(const Builder& builder, Modifiers& modifiers) {
  for (const Shape& shape : kShapes)
    if (modifiers.take(shape.name)) return shape;
  return builder.error("is not known for this shape");
}

// Whether matrices A and B of the type have the shape; for sums, those that belong to it.
bool fits(const ElementForm& form, const Shape& shape, bool is_sum) {
  if (form.name == "f64") return shape.k == 4;
  if (form.name == "tf32") return shape.k == 8;
  if (is_sum) return form.name == "f32" ? shape.k != 4 : shape.k == 16;
  return shape.k == 16;
}

Result<Fragment> fragment_of(const Builder& builder, char matrix, std::string_view type,
                             const Shape& shape) {
  const bool is_sum = matrix == 'c' || matrix == 'd';
  const ElementForm* const form = find_form(type);
  if (form == nullptr || (is_sum ? form->round == nullptr : form->read == nullptr) ||
      !fits(*form, shape, is_sum))
    return builder.error("is not known for this shape and type");
  Fragment fragment{.form = form,
                    .rows = matrix == 'b' ? shape.k : shape.m,
                    .columns = matrix == 'a' ? shape.k : shape.n};
  const unsigned in_register = kLanes * fragment.in_register();
  const bool twice = !is_sum && form->name == "f16";
  fragment.registers = twice ? kMostRegisters : fragment.elements() / in_register;
  return fragment;
}

Result<void> read_registers(Builder& builder, const ptx::Operand& operand, bool write,
                            Fragment& fragment) {
  const auto* const vector = std::get_if<ptx::Vector>(&operand);
  if (vector == nullptr || vector->elements.size() != fragment.registers)
    return builder.error(fmt::format("takes a vector of {} registers", fragment.registers));
  const ValueType type = fragment.form->bits == 64 ? kB64 : kB32;
  for (unsigned i = 0; i < fragment.registers; ++i) {
    const ptx::Operand& element = vector->elements[i];
    EGPU_ASSIGN(fragment.slots[i],
                write ? builder.write(element, type) : builder.read(element, type));
  }
  return {};
}

Result<void> take_sync(const Builder& builder, Modifiers& modifiers) {
  if (!modifiers.take("sync") || !modifiers.take("aligned"))
    return builder.error("needs .sync.aligned");
  return {};
}

// wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {...}, [p], stride;
Result<void> translate_transfer(Builder& builder, const ptx::Instruction& instruction,
                                Modifiers& modifiers, bool load) {
  const std::string_view matrix =
      load ? modifiers.take_one_of({"a", "b", "c"}) : modifiers.take_one_of({"d"});
  const std::string_view layout = modifiers.take_one_of({"row", "col"});
  EGPU_TRY(take_sync(builder, modifiers));
  EGPU_ASSIGN(const Shape shape, take_shape(builder, modifiers));
  EGPU_ASSIGN(const Space space,
              take_space(builder, modifiers, load ? Spaces::kLoad : Spaces::kStore));
  const std::string_view type = modifiers.left();
  modifiers.take(type);
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 3));
  if (matrix.empty() || layout.empty()) return builder.error("names no matrix or no layout");

  Transfer transfer{.space = space, .by_columns = layout == "col"};
  EGPU_ASSIGN(transfer.fragment, fragment_of(builder, matrix[0], type, shape));
  EGPU_TRY(read_registers(builder, instruction.operands[load ? 0 : 1], load, transfer.fragment));
  EGPU_ASSIGN(const AddressSlot address,
              address_in(builder, instruction.operands[load ? 1 : 0], space));
  transfer.wide = address.wide;
  Slot stride = builder.constant(
      transfer.by_columns ? transfer.fragment.rows : transfer.fragment.columns, 32);
  if (instruction.operands.size() == 3) {
    EGPU_ASSIGN(stride, builder.read(instruction.operands[2], kU32));
  }
  builder.emit({.handler = load ? run_load : run_store,
                .a = address.slot,
                .b = stride,
                .immediate = address.offset,
                .extra = builder.keep(transfer)});
  return {};
}

// The types of D, A, B and C; .f16 matrices are not named: wmma.mma...f32.f32.
Result<std::array<std::string_view, 4>> take_types(const Builder& builder, Modifiers& modifiers) {
  std::array<std::string_view, 4> names;
  std::size_t count = 0;
  for (; count < names.size() && !modifiers.left().empty(); ++count) {
    names[count] = modifiers.left();
    modifiers.take(names[count]);
  }
  if (count == 2)
    return std::array{names[0], std::string_view("f16"), std::string_view("f16"), names[1]};
  if (count != names.size()) return builder.error("names two types or four");
  return names;
}

// Whether sums of such products exist.
bool belong_together(const FragmentProduct& product) {
  const std::string_view a = product.a.form->name;
  const std::string_view sum = product.d.form->name;
  const bool bytes = product.a.form->bits == 8;
  if (a != product.b.form->name || (a != "f16" && product.c.form->name != sum)) return false;
  if (a == "f16") return sum != "s32" && product.c.form->name != "s32";
  if (bytes) return sum == "s32";
  return sum == (a == "f64" ? "f64" : "f32");
}

Result<void> translate_product(Builder& builder, const ptx::Instruction& instruction,
                               Modifiers& modifiers) {
  EGPU_TRY(take_sync(builder, modifiers));
  for (int i = 0; i < 2; ++i)
    if (modifiers.take_one_of({"row", "col"}).empty())
      return builder.error("needs the layouts of A and B");
  EGPU_ASSIGN(const Shape shape, take_shape(builder, modifiers));
  FragmentProduct product{.saturate = modifiers.take("satfinite")};
  const bool to_nearest = modifiers.take("rn");  // as all sums of f64 are rounded here
  EGPU_ASSIGN(const auto types, take_types(builder, modifiers));
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 4, 4));
  Fragment* const fragments[] = {&product.d, &product.a, &product.b, &product.c};
  for (unsigned i = 0; i < 4; ++i) {
    EGPU_ASSIGN(*fragments[i], fragment_of(builder, "dabc"[i], types[i], shape));
  }
  if (!belong_together(product) || (product.saturate && product.d.form->name != "s32") ||
      (to_nearest && product.d.form->name != "f64"))
    return builder.error("is not known for these types");
  for (unsigned i = 0; i < 4; ++i)
    EGPU_TRY(read_registers(builder, instruction.operands[i], i == 0, *fragments[i]));
  builder.emit({.handler = run_product, .extra = builder.keep(product)});
  return {};
}

Result<void> translate_wmma(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (modifiers.take("load")) return translate_transfer(builder, instruction, modifiers, true);
  if (modifiers.take("store")) return translate_transfer(builder, instruction, modifiers, false);
  if (modifiers.take("mma")) return translate_product(builder, instruction, modifiers);
  return builder.error("is known as .load, .store and .mma");
}

constexpr Translation kTable[] = {{"wmma", translate_wmma}};

}  // namespace

TranslationTable wmma_table() { return kTable; }

}  // namespace egpu::emu
