#include "hook/prologue.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

namespace egpu::hook {
namespace {

std::uint8_t byte(Bytes code, std::size_t index) {
  return std::to_integer<std::uint8_t>(code[index]);
}

bool is(Bytes code, std::initializer_list<std::uint8_t> pattern) {
  return code.size() == pattern.size() &&
         std::equal(pattern.begin(), pattern.end(), code.begin(),
                    [](std::uint8_t left, std::byte right) { return std::byte{left} == right; });
}

// The stub: instructions that give registers and stack back the state they had at the call. It
// grows at its front, since what was done last is undone first.
class Undo {
 public:
  // Takes the next instruction of the prologue; false where its effect cannot be taken back.
  //
  // The list is short on purpose. Each entry changes nothing but the stack pointer, memory below
  // the caller's frame, flags (dead at a call) or a register whose value at the call was pushed
  // before.
  bool add(Bytes instruction) {
    if (is(instruction, {0xf3, 0x0f, 0x1e, 0xfa})) return true;  // endbr64
    if (is_nop(instruction)) return true;
    if (const auto number = pushed_register(instruction)) return add_push(*number);
    if (const auto number = moved_register(instruction)) return pushed_[*number];
    return add_stack_allocation(instruction);
  }

  [[nodiscard]] Bytes code() const { return Bytes(code_).subspan(start_); }

 private:
  static constexpr std::uint8_t kStackPointer = 4;

  // nop, nopw, nopl, with operand size and cs prefixes. Not pause, which starts with f3.
  static bool is_nop(Bytes code) {
    while (!code.empty() && (byte(code, 0) == 0x66 || byte(code, 0) == 0x2e))
      code = code.subspan(1);
    if (is(code, {0x90})) return true;
    return code.size() >= 3 && byte(code, 0) == 0x0f && byte(code, 1) == 0x1f &&
           (byte(code, 2) & 0x38) == 0;
  }

  // push %r64
  static std::optional<std::uint8_t> pushed_register(Bytes code) {
    if (code.size() == 1 && (byte(code, 0) & 0xf8) == 0x50) return byte(code, 0) & 7;
    if (code.size() == 2 && byte(code, 0) == 0x41 && (byte(code, 1) & 0xf8) == 0x50)
      return 8 + (byte(code, 1) & 7);
    return std::nullopt;
  }

  // The destination of mov %r64,%r64, in both of its encodings.
  static std::optional<std::uint8_t> moved_register(Bytes code) {
    if (code.size() != 3 || (byte(code, 0) & 0xf8) != 0x48 || byte(code, 2) < 0xc0)
      return std::nullopt;
    const std::uint8_t rex = byte(code, 0);
    const std::uint8_t modrm = byte(code, 2);
    if (byte(code, 1) == 0x89) return (modrm & 7) | ((rex & 1) << 3);
    if (byte(code, 1) == 0x8b) return ((modrm >> 3) & 7) | ((rex & 4) << 1);
    return std::nullopt;
  }

  bool add_push(std::uint8_t number) {
    if (number == kStackPointer) return false;
    pushed_[number] = true;
    const auto pop = static_cast<std::uint8_t>(0x58 | (number & 7));
    return number < 8 ? prepend({pop}) : prepend({0x41, pop});
  }

  // sub $imm,%rsp is undone by lea imm(%rsp),%rsp
  bool add_stack_allocation(Bytes code) {
    if (code.size() == 4 && is(code.first(3), {0x48, 0x83, 0xec}))
      return prepend({0x48, 0x8d, 0x64, 0x24, byte(code, 3)});
    if (code.size() == 7 && is(code.first(3), {0x48, 0x81, 0xec}))
      return prepend(
          {0x48, 0x8d, 0xa4, 0x24, byte(code, 3), byte(code, 4), byte(code, 5), byte(code, 6)});
    return false;
  }

  bool prepend(std::initializer_list<std::uint8_t> bytes) {
    if (bytes.size() > start_) return false;
    start_ -= bytes.size();
    std::transform(bytes.begin(), bytes.end(), code_.begin() + start_,
                   [](std::uint8_t b) { return std::byte{b}; });
    return true;
  }

  std::array<std::byte, sizeof(FunctionPlan::stub)> code_{};
  std::size_t start_ = code_.size();
  std::array<bool, 16> pushed_{};
};

struct Choice {
  Instruction replaced;
  Undo undo;  // of everything before it
};

// Whether the jump's five bytes, placed at `address`, lie in one aligned block of `size` bytes.
bool within_block(std::uint64_t address, std::uint64_t size) {
  return address % size + kJumpSize <= size;
}

// Where the four bytes of the pc-relative field start in the instruction, or nothing where that is
// not certain.
std::optional<std::uint8_t> find_field(std::uint64_t address, Bytes code,
                                       const Instruction& instruction) {
  const Bytes bytes = code.subspan(instruction.offset, instruction.size);
  const auto distance = static_cast<std::int32_t>(
      instruction.target - (address + instruction.offset + instruction.size));
  if (instruction.pc_use == PcUse::kBranch) {
    const bool jmp = bytes.size() == 5 && byte(bytes, 0) == 0xe9;
    const bool jcc = bytes.size() == 6 && byte(bytes, 0) == 0x0f && (byte(bytes, 1) & 0xf0) == 0x80;
    if (jmp || jcc) return static_cast<std::uint8_t>(bytes.size() - 4);
  }
  if (instruction.pc_use != PcUse::kMemory) return std::nullopt;
  // A displacement is followed by an immediate of 0, 1, 2 or 4 bytes and preceded by a ModRM byte
  // that says disp32(%rip). The true place always matches; where another does too, we do not guess.
  std::optional<std::uint8_t> found;
  for (const std::size_t immediate : {0, 1, 2, 4}) {
    if (bytes.size() < 6 + immediate) continue;
    const std::size_t field = bytes.size() - immediate - 4;
    if ((byte(bytes, field - 1) & 0xc7) != 0x05 || read_at<std::int32_t>(bytes, field) != distance)
      continue;
    if (found) return std::nullopt;
    found = static_cast<std::uint8_t>(field);
  }
  return found;
}

// Why the instruction cannot be the replaced one, or success.
Result<void> check_replaceable(std::uint64_t address, Bytes code, const Instruction& instruction) {
  // The copy would push a return address in the copy, which no unwinder knows.
  if (instruction.is_call)
    return input_error("call at " + offset_text(instruction.offset) + " cannot be moved");
  if (instruction.pc_use != PcUse::kNone && !find_field(address, code, instruction))
    return input_error("pc-relative instruction at " + offset_text(instruction.offset) +
                       " cannot be moved");
  if (!within_block(address + instruction.offset, 16))
    return input_error("a jump at " + offset_text(instruction.offset) +
                       " would cross a 16-byte block");
  return {};
}

// The first replaceable instruction in an aligned 8-byte word, else the first in a 16-byte block.
Result<Choice> choose(std::uint64_t address, Bytes code,
                      const std::vector<Instruction>& instructions) {
  if (code.size() < 1 + kJumpSize)
    return input_error("function is " + std::to_string(code.size()) + " bytes long");
  std::optional<Choice> second_best;
  std::optional<Error> obstacle;
  Undo undo;
  const auto give_up = [&](std::string reason) -> Result<Choice> {
    if (second_best) return *second_best;
    if (obstacle) return *obstacle;
    return input_error(std::move(reason));
  };

  for (const auto& instruction : instructions) {
    if (instruction.offset > kMaxPatchOffset)
      return give_up("no instruction of 5 bytes within " + std::to_string(kMaxPatchOffset) +
                     " bytes of the start");
    if (instruction.offset > 0 && instruction.size >= kJumpSize) {
      const auto replaceable = check_replaceable(address, code, instruction);
      if (replaceable && within_block(address + instruction.offset, 8))
        return Choice{instruction, undo};
      if (replaceable && !second_best) second_best = Choice{instruction, undo};
      if (!replaceable && !obstacle) obstacle = replaceable.error();
    }
    if (instruction.is_call || !undo.add(code.subspan(instruction.offset, instruction.size)))
      return give_up("instruction at " + offset_text(instruction.offset) +
                     " cannot be undone, and none of 5 bytes is before it");
  }
  return give_up("function is " + std::to_string(code.size()) + " bytes long");
}

// No branch may go to what is replaced, nor to what the stub undoes: it would come there with
// another state than that of a call. A call to the very start is a call like any other.
//
// Branches computed at run time, and those from a cold part that the compiler placed elsewhere, are
// not seen.
Result<void> check_branches(std::uint64_t address, const Instruction& replaced,
                            const std::vector<Instruction>& instructions) {
  const std::uint64_t end = replaced.offset + replaced.size;
  for (const auto& instruction : instructions) {
    if (instruction.pc_use != PcUse::kBranch) continue;
    const std::uint64_t goes_to = instruction.target - address;
    if (goes_to >= end || (goes_to == 0 && instruction.is_call)) continue;
    return input_error("branch at " + offset_text(instruction.offset) + " goes into the prologue");
  }
  return {};
}

template <std::size_t size>
std::uint8_t copy_into(std::uint8_t (&field)[size], Bytes bytes) {
  std::memcpy(field, bytes.data(), bytes.size());
  return static_cast<std::uint8_t>(bytes.size());
}

}  // namespace

std::string offset_text(std::uint64_t offset) {
  char text[24];
  std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(offset));
  return text;
}

Result<FunctionPlan> plan_function(std::uint64_t address, Bytes code,
                                   const std::vector<Instruction>& instructions) {
  EGPU_ASSIGN(const auto choice, choose(address, code, instructions));
  const Instruction& replaced = choice.replaced;
  EGPU_TRY(check_branches(address, replaced, instructions));

  static_assert(kMaxPatchOffset + kMaxInstructionSize <= sizeof(FunctionPlan::expected));
  static_assert(sizeof(FunctionPlan::expected) <= kMaxCode);
  const Bytes moved = code.first(replaced.offset + replaced.size);
  FunctionPlan plan{};
  plan.address = address;
  plan.expected_size = copy_into(plan.expected, moved);
  plan.patch_offset = static_cast<std::uint8_t>(replaced.offset);
  plan.patch_size = replaced.size;
  plan.stub_size = copy_into(plan.stub, choice.undo.code());
  plan.original_size = copy_into(plan.original, moved);
  // Nothing before the replaced instruction depends on its address: Undo takes no such instruction.
  if (const auto field = find_field(address, code, replaced)) {
    plan.fixups[plan.fixup_count++] = Fixup{
        .field_offset = static_cast<std::uint8_t>(replaced.offset + *field),
        .instruction_end = plan.original_size,
        .reserved = 0,
        .reserved2 = 0,
        .target = static_cast<std::int64_t>(replaced.target),
    };
  }
  return plan;
}

}  // namespace egpu::hook
