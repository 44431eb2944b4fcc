#include "emu/kernel_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "emu/layout.h"
#include "emu/value_type.h"
#include "ptx/lexer.h"

namespace egpu::emu {
namespace {

constexpr std::uint64_t kMostParameterBytes = 32764;  // CUDA 12.1 and later, sm_70 and later
constexpr std::uint32_t kMostRegisters = 255;
constexpr std::uint32_t kMultiprocessorRegisters = 65536;
constexpr std::uint32_t kMostThreads = 1024;  // of a block

Result<void> lay_out_parameters(const ptx::Function& kernel, const ptx::Module& module,
                                KernelInfo& info) {
  std::uint64_t end = 0;
  if (!kernel.parameters) return {};
  for (const ptx::Declaration& declaration : *kernel.parameters) {
    const ptx::Declarator& declarator = declaration.declarators.front();
    const auto extent = extent_of(declaration, declarator);
    if (!extent || !declaration.has(".param") ||
        round_up(end, extent->alignment) + extent->bytes > kMostParameterBytes)
      return input_error(fmt::format("parameter {} is too large, or its type is not known",
                                     declarator.name))
          .at(module.place(declarator.name));
    const std::uint64_t offset = round_up(end, extent->alignment);
    info.parameters.push_back({static_cast<std::uint32_t>(offset),
                               static_cast<std::uint32_t>(extent->bytes),
                               static_cast<std::uint32_t>(extent->alignment)});
    end = offset + extent->bytes;
  }
  info.parameter_bytes = static_cast<std::uint32_t>(end);
  return {};
}

// Up to three numbers behind a directive: .maxntid 16, 16
void read_numbers(ptx::Lexer& lexer, std::span<std::uint32_t, 3> numbers) {
  std::ranges::fill(numbers, 1);
  for (std::uint32_t& number : numbers) {
    const auto value = ptx::integer_value({lexer.next().text});
    number = static_cast<std::uint32_t>(std::min<std::uint64_t>(value.value_or(1), ~0U));
    ptx::Lexer ahead = lexer;
    if (!ahead.next().is(',')) return;
    lexer.next();
  }
}

// What directives say about registers.
struct RegisterLimits {
  std::uint32_t registers[3] = {kMostRegisters};  // .maxnreg
  std::uint32_t blocks[3] = {1};                  // .minnctapersm
};

void read_directives(std::string_view directives, KernelInfo& info, RegisterLimits& limits) {
  ptx::Lexer lexer(directives);
  for (ptx::Token token = lexer.next(); token.kind != ptx::TokenKind::kEnd; token = lexer.next()) {
    if (token.is_directive(".reqntid")) {
      read_numbers(lexer, info.required_threads);
    } else if (token.is_directive(".reqnctapercluster")) {
      read_numbers(lexer, info.cluster);
    } else if (token.is_directive(".maxnreg")) {
      read_numbers(lexer, limits.registers);
    } else if (token.is_directive(".minnctapersm")) {
      read_numbers(lexer, limits.blocks);
    } else if (token.is_directive(".maxntid")) {
      std::uint32_t extents[3];
      read_numbers(lexer, extents);
      const auto threads = std::uint64_t{extents[0]} * extents[1] * extents[2];
      info.max_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, ~0U));
    }
  }
}

// Registers as declared, which are more than the assembler would need.
void count_registers(const ptx::Block& block, std::uint64_t& registers, std::uint64_t& local) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* nested = std::get_if<ptx::Block>(&statement))
      count_registers(*nested, registers, local);
    const auto* const declaration = std::get_if<ptx::Declaration>(&statement);
    if (declaration == nullptr) continue;
    for (const ptx::Declarator& declarator : declaration->declarators) {
      if (declaration->has(".local")) {
        if (const auto extent = extent_of(*declaration, declarator))
          local = round_up(local, extent->alignment) + extent->bytes;
      } else if (const auto type = parse_type(declaration->type());
                 type && declaration->has(".reg") && type->bits > 1) {
        const auto count = ptx::integer_value({declarator.count});
        registers += std::min<std::uint64_t>(count.value_or(1), kMostRegisters) *
                     ((type->total_bits() + 31) / 32);
      }
    }
  }
}

// The assembler gives a kernel no more registers than let its largest block run, or as many of them
// at a time as .minnctapersm asks for. Where PTX does not say how large blocks are, none is to be
// refused for an estimate.
std::uint32_t most_registers(const KernelInfo& info, const RegisterLimits& limits) {
  const std::uint32_t required =
      info.required_threads[0] * info.required_threads[1] * info.required_threads[2];
  const std::uint32_t threads = std::min(
      kMostThreads, required != 0 ? required : (info.max_threads != 0 ? info.max_threads : ~0U));
  // Warps are spread over the four parts of a multiprocessor, each with its own registers.
  const std::uint64_t warps =
      round_up(round_up(threads, 32) / 32 * std::max<std::uint64_t>(1, limits.blocks[0]), 4);
  const std::uint64_t fitting = kMultiprocessorRegisters / (warps * 32) / 8 * 8;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      {kMostRegisters, limits.registers[0], std::max<std::uint64_t>(fitting, 16)}));
}

}  // namespace

Result<KernelInfo> kernel_info(const ptx::Function& kernel, const Reach& reach,
                               const ptx::Module& module) {
  KernelInfo info;
  info.name = kernel.name;
  info.static_shared_bytes = reach.static_shared_bytes;
  EGPU_TRY(lay_out_parameters(kernel, module, info));
  RegisterLimits limits;
  read_directives(kernel.directives, info, limits);
  std::uint64_t registers = 0;
  std::uint64_t local = 0;
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): declarations are no kernels of a module
  count_registers(*kernel.body, registers, local);
  info.registers =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(registers, most_registers(info, limits)));
  info.local_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(local, ~0U));
  return info;
}

}  // namespace egpu::emu
