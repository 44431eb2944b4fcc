#include "hook/planner.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "hook/exports.h"
#include "hook/prologue.h"
#include "llvm-c/Target.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace egpu::hook {
namespace {

// Larger functions are declined: a damaged symbol size must not cost seconds.
constexpr std::size_t kMaxFunctionSize = 1 << 20;

class Disassembler {
 public:
  static Result<std::unique_ptr<Disassembler>> create();

  // The whole function; an error where a byte sequence is no instruction or an instruction ends
  // outside.
  Result<std::vector<Instruction>> decode(std::uint64_t address, Bytes code) const;

 private:
  Disassembler() = default;
  [[nodiscard]] Instruction classify(const llvm::MCInst& decoded, std::uint64_t end) const;
  void find_pc_registers();

  llvm::Triple triple_{"x86_64-unknown-linux-gnu"};
  llvm::MCTargetOptions options_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembler_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  llvm::MCRegister rip_;
  llvm::MCRegister eip_;
};

Result<std::unique_ptr<Disassembler>> Disassembler::create() {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
  });
  std::unique_ptr<Disassembler> self(new Disassembler);
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(self->triple_, problem);
  if (target == nullptr) return internal_error("LLVM has no x86-64 disassembler: " + problem);
  self->registers_.reset(target->createMCRegInfo(self->triple_));
  self->assembler_.reset(target->createMCAsmInfo(*self->registers_, self->triple_, self->options_));
  self->subtarget_.reset(target->createMCSubtargetInfo(self->triple_, "", ""));
  self->instructions_.reset(target->createMCInstrInfo());
  self->context_ = std::make_unique<llvm::MCContext>(
      self->triple_, self->assembler_.get(), self->registers_.get(), self->subtarget_.get());
  self->disassembler_.reset(target->createMCDisassembler(*self->subtarget_, *self->context_));
  if (!self->disassembler_) return internal_error("LLVM has no x86-64 disassembler");
  self->find_pc_registers();
  return self;
}

// Register numbers are private to LLVM's back end; names are not.
void Disassembler::find_pc_registers() {
  for (unsigned number = 1; number < registers_->getNumRegs(); ++number) {
    const llvm::StringRef name = registers_->getName(number);
    if (name == "RIP") rip_ = number;
    if (name == "EIP") eip_ = number;
  }
}

Instruction Disassembler::classify(const llvm::MCInst& decoded, std::uint64_t end) const {
  const llvm::MCInstrDesc& description = instructions_->get(decoded.getOpcode());
  Instruction instruction;
  instruction.is_call = description.isCall();
  if (decoded.getNumOperands() > 0 &&
      description.operands()[0].OperandType == llvm::MCOI::OPERAND_PCREL) {
    instruction.pc_use = PcUse::kBranch;
    instruction.target = end + static_cast<std::uint64_t>(decoded.getOperand(0).getImm());
    return instruction;
  }
  // A memory operand is base, scale, index, displacement, segment.
  for (unsigned base = 0; base < decoded.getNumOperands(); ++base) {
    const auto& operand = decoded.getOperand(base);
    if (!operand.isReg() || (operand.getReg() != rip_ && operand.getReg() != eip_)) continue;
    const bool plain = operand.getReg() == rip_ && base + 3 < decoded.getNumOperands() &&
                       decoded.getOperand(base + 3).isImm() && instruction.pc_use == PcUse::kNone;
    instruction.pc_use = plain ? PcUse::kMemory : PcUse::kOther;
    if (plain)
      instruction.target = end + static_cast<std::uint64_t>(decoded.getOperand(base + 3).getImm());
  }
  return instruction;
}

Result<std::vector<Instruction>> Disassembler::decode(std::uint64_t address, Bytes code) const {
  const llvm::ArrayRef<std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(code.data()),
                                           code.size());
  std::vector<Instruction> instructions;
  for (std::uint64_t offset = 0; offset < code.size();) {
    llvm::MCInst decoded;
    std::uint64_t size = 0;
    const auto status = disassembler_->getInstruction(decoded, size, bytes.slice(offset),
                                                      address + offset, llvm::nulls());
    // LLVM decodes more prefixes than the processor does.
    if (status != llvm::MCDisassembler::Success || size == 0 || size > kMaxInstructionSize)
      return input_error("undecodable instruction at " + offset_text(offset));
    auto instruction = classify(decoded, address + offset + size);
    instruction.offset = offset;
    instruction.size = static_cast<std::uint8_t>(size);
    instructions.push_back(instruction);
    offset += size;
  }
  return instructions;
}

Result<FunctionPlan> plan_export(const Disassembler& disassembler, std::string_view name,
                                 const Result<ExportedFunction>& function) {
  FunctionPlan plan{};
  if (!function) return function.error();
  if (name.size() >= sizeof plan.symbol) return input_error("symbol is longer than 63 characters");
  if (function->code.size() > kMaxFunctionSize) return input_error("function is larger than 1 MiB");
  EGPU_ASSIGN(const auto instructions, disassembler.decode(function->address, function->code));
  EGPU_ASSIGN(plan, plan_function(function->address, function->code, instructions));
  std::memcpy(plan.symbol, name.data(), name.size());
  return plan;
}

FunctionPlan declined(const std::string& reason) {
  FunctionPlan plan{};
  std::memcpy(plan.reason, reason.data(), std::min(reason.size(), sizeof plan.reason - 1));
  return plan;
}

}  // namespace

Result<std::vector<FunctionPlan>> plan_hooks(Bytes library_file_untrusted,
                                             const std::vector<std::string_view>& functions) {
  EGPU_ASSIGN(const auto exports, find_exports(library_file_untrusted, functions));
  EGPU_ASSIGN(const auto disassembler, Disassembler::create());
  std::vector<FunctionPlan> plans;
  plans.reserve(functions.size());
  for (const auto name : functions) {
    auto plan = plan_export(*disassembler, name, exports.at(name));
    // Two names of one function: it can be redirected once.
    if (plan && std::ranges::any_of(plans, [&](const FunctionPlan& earlier) {
          return earlier.symbol[0] != '\0' && earlier.address == plan->address;
        }))
      plan = input_error("another name of a function that is hooked already");
    plans.push_back(plan ? *plan : declined(plan.error().message));
  }
  return plans;
}

}  // namespace egpu::hook
