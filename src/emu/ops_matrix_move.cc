// ldmatrix and stmatrix: 8 by 8 matrices of 16-bit elements, spread over the registers of a warp.
//
// Lane i holds elements 2 * (i % 4) and the next of row i / 4: the rows, one behind the other, are
// what the 32 lanes hold. Lanes 8m to 8m + 7 give the addresses of the rows of matrix m.
#include <fmt/format.h>

#include <array>

#include "emu/membership.h"
#include "emu/memory_modifiers.h"
#include "emu/select.h"
#include "emu/type_dispatch.h"

namespace egpu::emu {
namespace {

constexpr unsigned kRows = 8;
constexpr unsigned kRowBytes = 16;

using Matrix = std::array<std::array<std::uint16_t, kRows>, kRows>;

// Op::extra.
struct MatrixAccess {
  Resolver resolve = nullptr;
  unsigned count = 1;
  bool transposed = false;
  std::array<Slot, 4> registers{};
};

Matrix transposed(const Matrix& matrix) {
  Matrix result;
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < kRows; ++column) result[column][row] = matrix[row][column];
  }
  return result;
}

// f(index of a matrix, addresses) when all lanes are there and all rows can be accessed.
template <class F>
void for_matrices(Warp& warp, const Op& op, Mask lanes, F&& f) {
  const auto& how = *static_cast<const MatrixAccess*>(op.extra);
  for_whole_warp(warp, op, lanes, [&](Mask together) {
    if (together != kAllLanes) {
      return warp.fault(FaultKind::kIllegalInstruction, std::countr_zero(together),
                        "not all 32 lanes of the warp are there");
    }
    const Mask rows = how.count == 4 ? kAllLanes : (Mask{1} << how.count * kRows) - 1;
    Access access;
    if (!how.resolve(warp, op, rows, kRowBytes, access)) return;
    for (unsigned m = 0; m < how.count; ++m) f(how, m, access);
  });
}

void load_matrix(Warp& warp, const Op& op, Mask lanes) {
  for_matrices(warp, op, lanes, [&](const MatrixAccess& how, unsigned m, const Access& access) {
    Matrix matrix;
    for (unsigned row = 0; row < kRows; ++row) {
      std::memcpy(matrix[row].data(), access.lane(m * kRows + row, kRowBytes), kRowBytes);
    }
    if (how.transposed) matrix = transposed(matrix);
    std::memcpy(warp.registers + how.registers[m], matrix.data(), sizeof matrix);
  });
}

void store_matrix(Warp& warp, const Op& op, Mask lanes) {
  for_matrices(warp, op, lanes, [&](const MatrixAccess& how, unsigned m, const Access& access) {
    Matrix matrix;
    std::memcpy(matrix.data(), warp.registers + how.registers[m], sizeof matrix);
    if (how.transposed) matrix = transposed(matrix);
    for (unsigned row = 0; row < kRows; ++row) {
      std::memcpy(access.lane(m * kRows + row, kRowBytes), matrix[row].data(), kRowBytes);
    }
  });
}

Result<void> translate(Builder& builder, const ptx::Instruction& instruction, bool load) {
  Modifiers modifiers(instruction.opcode);
  for (const std::string_view part : {"sync", "aligned", "m8n8", "b16"}) {
    if (!modifiers.take(part)) return builder.error("is not .sync.aligned.m8n8 of .b16");
  }
  const std::string_view number = modifiers.take_one_of({"x1", "x2", "x4"});
  if (number.empty()) return builder.error("has no number of matrices");
  MatrixAccess how{.count = static_cast<unsigned>(number[1] - '0'),
                   .transposed = modifiers.take("trans")};
  const bool shared = !modifiers.take_one_of({"shared", "shared::cta"}).empty();
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  const auto* vector = std::get_if<ptx::Vector>(&instruction.operands[load ? 0 : 1]);
  if (vector == nullptr || vector->elements.size() != how.count) {
    return builder.error(fmt::format("takes a vector of {} registers", how.count));
  }
  const Space space = shared ? Space::kShared : Space::kGenericShareable;
  EGPU_ASSIGN(const AddressSlot address,
              address_in(builder, instruction.operands[load ? 1 : 0], space));
  how.resolve = resolver(space, address.wide);
  for (unsigned m = 0; m < how.count; ++m) {
    const ptx::Operand& element = vector->elements[m];
    EGPU_ASSIGN(how.registers[m],
                load ? builder.write(element, kB32) : builder.read(element, kB32));
  }
  builder.emit({.handler = load ? load_matrix : store_matrix,
                .a = address.slot,
                .immediate = address.offset,
                .extra = builder.keep(how)});
  return {};
}

Result<void> translate_load(Builder& builder, const ptx::Instruction& instruction) {
  return translate(builder, instruction, true);
}
Result<void> translate_store(Builder& builder, const ptx::Instruction& instruction) {
  return translate(builder, instruction, false);
}

constexpr Translation kTable[] = {
    {"ldmatrix", translate_load},
    {"stmatrix", translate_store},
};

}  // namespace

TranslationTable matrix_move_table() { return kTable; }

}  // namespace egpu::emu
