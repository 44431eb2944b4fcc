#include "random_program.h"

#include <array>
#include <bit>
#include <random>
#include <utility>

namespace egpu {
namespace {

using namespace bpf;

constexpr std::int16_t kStackBytes = 64;
constexpr std::uint8_t kNumbers = 10;  // r0 to r9
constexpr Reg kLoopCounter{9};

// The map's bytes: a number for each register, then those that programs change.
constexpr std::uint64_t kChangedFrom = std::uint64_t{8} * kNumbers;
constexpr std::uint64_t kChangedBytes = kMemoryBytes - kChangedFrom;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Object run() {
    Object object;
    object.maps.push_back({.name = ".data",
                           .type = MapType::kArray,
                           .key_size = 4,
                           .value_size = kMemoryBytes,
                           .max_entries = 1,
                           .key_type = {},
                           .value_type = {},
                           .initial = make_memory()});
    object.programs.push_back(make_program());
    return object;
  }

 private:
  Program make_program() {
    Program program;
    program.name = "random";
    load_numbers();
    const unsigned subprograms = below(3);
    fill_stack();
    for (unsigned i = 0, count = 8 + below(25); i < count; ++i) any_step(subprograms);
    fold();
    store_result();
    emit(Exit{});
    add_function(program, "random", 0);
    for (unsigned i = 0; i < subprograms; ++i) {
      const std::uint32_t first = here();
      subprogram(i);
      if (here() != first) add_function(program, "subprogram", first);
    }
    program.instructions = std::move(code_);
    for (std::uint32_t i = 0; i < program.instructions.size(); ++i) program.slots.push_back(i);
    program.source.resize(program.instructions.size());
    return program;
  }

  void add_function(Program& program, std::string name, std::uint32_t first) {
    program.functions.push_back(
        {.name = std::move(name), .range = {.first = first, .end = here()}});
  }

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool one_in(unsigned count) { return below(count) == 0; }
  template <class T, std::size_t count>
  T one_of(const T (&values)[count]) {
    return values[below(count)];
  }

  // Edge values are as frequent as others.
  std::uint64_t number() {
    constexpr std::uint64_t kEdges[] = {0,           1,           2,          ~0ULL,
                                        ~0ULL << 1,  1ULL << 63,  ~0ULL >> 1, 1ULL << 31,
                                        0x7fff'ffff, 0xffff'ffff, 1ULL << 32, ~0ULL << 31};
    return one_in(2) ? one_of(kEdges) : random_() >> below(64);
  }
  Imm immediate() { return Imm{static_cast<std::int32_t>(number())}; }
  Width width() { return one_in(2) ? Width::k32 : Width::k64; }
  Reg source() { return Reg{static_cast<std::uint8_t>(below(kNumbers))}; }
  Reg destination() {
    return Reg{static_cast<std::uint8_t>(below(in_loop_ ? kLoopCounter.index : kNumbers))};
  }
  Operand operand() { return one_in(2) ? Operand(source()) : Operand(immediate()); }
  MemSize size() { return one_of({MemSize::k8, MemSize::k16, MemSize::k32, MemSize::k64}); }
  std::int16_t stack_offset(MemSize size) {
    const auto bytes = static_cast<unsigned>(size);
    return static_cast<std::int16_t>(static_cast<int>(below(kStackBytes / bytes) * bytes) -
                                     kStackBytes);
  }

  std::vector<std::byte> make_memory() {
    std::vector<std::byte> memory;
    while (memory.size() < kMemoryBytes) {
      const auto bytes = std::bit_cast<std::array<std::byte, 8>>(number());
      memory.insert(memory.end(), bytes.begin(), bytes.end());
    }
    return memory;
  }

  // r2, which holds the memory's address, comes last.
  void load_numbers() {
    emit(LoadImm64{Imm64Kind::kMapData, kR2, 0});
    for (const std::uint8_t reg : {0, 1, 3, 4, 5, 6, 7, 8, 9, 2})
      emit(Load{MemSize::k64, false, Reg{reg}, kR2, static_cast<std::int16_t>(8 * reg)});
  }

  void fill_stack() {
    for (std::uint8_t i = 0; i < kStackBytes / 8; ++i)
      emit(Store{MemSize::k64, kR10, static_cast<std::int16_t>(8 * i - kStackBytes), Reg{i}});
  }

  void any_step(unsigned subprograms) {
    switch (below(12)) {
      case 0:
        return branch();
      case 1:
        return diamond();
      case 2:
        return one_in(3) ? loop() : simple_step();
      case 3:
        return subprograms > 0 ? call(below(subprograms)) : simple_step();
      default:
        return simple_step();
    }
  }

  void simple_steps() {
    for (unsigned i = 0, count = 1 + below(4); i < count; ++i) simple_step();
  }

  void simple_step() {
    switch (below(14)) {
      case 0:
        return emit(move());
      case 1:
        return emit(Neg{width(), destination()});
      case 2:
        return emit(ByteSwap{one_of({ByteOrder::kToLittle, ByteOrder::kToBig, ByteOrder::kSwap}),
                             one_of<std::uint8_t>({16, 32, 64}), destination()});
      case 3:
        return emit(LoadImm64{Imm64Kind::kConstant, destination(), number()});
      case 4:
        return emit(load());
      case 5:
        return emit(store());
      case 6:
      case 7:
        return in_map([this](Reg base, std::int16_t offset) { atomic(base, offset); });
      case 8:
        return in_map([this](Reg base, std::int16_t offset) { load_or_store(base, offset); });
      default:
        return emit(arithmetic());
    }
  }

  // Constant divisors of zero and shifts by constants beyond the width are what the kernel refuses.
  Instruction arithmetic() {
    const auto op = static_cast<AluOp>(below(static_cast<unsigned>(AluOp::kSmod) + 1));
    Alu alu{op, width(), destination(), operand()};
    auto* const imm = std::get_if<Imm>(&alu.src);
    if (imm == nullptr) return alu;
    const bool shifts = op == AluOp::kLsh || op == AluOp::kRsh || op == AluOp::kArsh;
    if (shifts) imm->value &= alu.width == Width::k64 ? 63 : 31;
    if (!shifts && imm->value == 0) imm->value = 3;
    return alu;
  }

  Instruction move() {
    if (one_in(2)) return Mov{width(), destination(), operand()};
    const Width to = width();
    const std::uint8_t bits =
        to == Width::k64 ? one_of<std::uint8_t>({8, 16, 32}) : one_of<std::uint8_t>({8, 16});
    return Mov{to, destination(), source(), bits};
  }

  Instruction load() {
    const MemSize bytes = size();
    return Load{bytes, bytes != MemSize::k64 && one_in(2), destination(), kR10,
                stack_offset(bytes)};
  }

  Instruction store() {
    const MemSize bytes = size();
    return Store{bytes, kR10, stack_offset(bytes), operand()};
  }

  // Lets `access` work on 8 bytes of the map, at a multiple of 8, through a register that gets a
  // number again afterwards. The place is a constant, or depends on a register.
  template <class AccessBytes>
  void in_map(AccessBytes access) {
    const Reg base = destination();
    const auto places = static_cast<unsigned>(kChangedBytes / 8);
    if (one_in(2)) {
      emit(LoadImm64{Imm64Kind::kMapData, base, kChangedFrom + std::uint64_t{8} * below(places)});
      access(base, 0);
    } else {
      const Reg index = other_than(base);
      emit(Alu{AluOp::kAnd, width(), index, Imm{0x18}});
      emit(LoadImm64{Imm64Kind::kMapData, base,
                     kChangedFrom + std::uint64_t{8} * below(places - 3)});
      emit(Alu{AluOp::kAdd, Width::k64, base, index});
      const std::int16_t offset = one_in(2) ? 0 : -8;
      access(base, offset);
    }
    emit(LoadImm64{Imm64Kind::kConstant, base, number()});
  }

  // A register to change that is not `reg`, which holds an address.
  Reg other_than(Reg reg) {
    const Reg other = destination();
    return other != reg ? other : Reg{static_cast<std::uint8_t>((reg.index + 1) % 9)};
  }

  void load_or_store(Reg base, std::int16_t offset) {
    const MemSize bytes = size();
    const auto place = static_cast<std::int16_t>(offset + 8 - static_cast<std::int16_t>(bytes));
    if (one_in(2)) {
      emit(Load{bytes, bytes != MemSize::k64 && one_in(2), other_than(base), base, place});
    } else {
      emit(Store{bytes, base, place, one_in(2) ? Operand(other_than(base)) : Operand(immediate())});
    }
  }

  // What Linux 6.18 leaves in r0's upper half after a 32-bit compare-exchange that succeeds is not
  // what the RFC says (docs/instruction-set.md): cleared. The address is never r0 there.
  void atomic(Reg base, std::int16_t offset) {
    auto op = static_cast<AtomicOp>(below(6));
    if (op == AtomicOp::kCompareExchange && base == kR0) op = AtomicOp::kExchange;
    const MemSize bytes = one_of({MemSize::k32, MemSize::k64});
    const bool exchanges = op == AtomicOp::kExchange || op == AtomicOp::kCompareExchange;
    const bool fetch = exchanges || one_in(2);
    emit(Atomic{op, fetch, bytes, base, offset, other_than(base)});
    if (op == AtomicOp::kCompareExchange && bytes == MemSize::k32) emit(Mov{Width::k32, kR0, kR0});
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.size()); }

  // A condition whose target is given later. Returns its index.
  std::uint32_t condition() {
    const auto kind = static_cast<Condition>(below(static_cast<unsigned>(Condition::kSle) + 1));
    emit(JumpIf{kind, width(), source(), operand(), 0});
    return here() - 1;
  }
  void land(std::uint32_t jump) { std::get<JumpIf>(code_[jump]).target = here(); }

  void branch() {
    const std::uint32_t skip = condition();
    simple_steps();
    land(skip);
  }

  void diamond() {
    const std::uint32_t other = condition();
    simple_steps();
    emit(Jump{0, one_in(2)});
    const std::uint32_t out = here() - 1;
    land(other);
    simple_steps();
    std::get<Jump>(code_[out]).target = here();
  }

  void loop() {
    emit(Mov{Width::k64, kLoopCounter, Imm{static_cast<std::int32_t>(1 + below(4))}});
    in_loop_ = true;
    const std::uint32_t start = here();
    simple_steps();
    in_loop_ = false;
    emit(Alu{AluOp::kSub, Width::k64, kLoopCounter, Imm{1}});
    emit(JumpIf{Condition::kNe, Width::k64, kLoopCounter, Imm{0}, start});
  }

  // A call leaves r1 to r5 without a value.
  void call(unsigned subprogram) {
    calls_[subprogram].push_back(here());
    emit(CallSubprogram{0});
    for (const std::uint8_t reg : {1, 2, 3})
      emit(Mov{Width::k64, Reg{reg}, Reg{static_cast<std::uint8_t>(reg + 5)}});
    emit(Load{MemSize::k64, false, kR4, kR10, -8});
    emit(Load{MemSize::k64, false, kR5, kR10, -16});
  }

  // One that nobody calls would be unreachable code, which the kernel refuses.
  void subprogram(unsigned index) {
    if (calls_[index].empty()) return;
    for (const std::uint32_t call : calls_[index])
      std::get<CallSubprogram>(code_[call]).target = here();
    emit(Mov{Width::k64, kR0, kR1});
    for (const std::uint8_t reg : {6, 7, 8, 9})
      emit(Mov{Width::k64, Reg{reg}, Reg{static_cast<std::uint8_t>(reg - 4)}});
    fill_stack();
    for (unsigned i = 0, count = 2 + below(8); i < count; ++i) any_step(/*subprograms=*/0);
    fold();
    emit(Exit{});
  }

  // r0 = a number that depends on all registers and the whole stack.
  void fold() {
    const auto mix = [this](Reg reg) {
      emit(Alu{AluOp::kMul, Width::k64, kR0, Imm{0x2545'f491}});
      emit(Alu{AluOp::kXor, Width::k64, kR0, reg});
    };
    for (std::uint8_t reg = 1; reg < kNumbers; ++reg) mix(Reg{reg});
    for (std::int16_t offset = -kStackBytes; offset < 0; offset += 8) {
      emit(Load{MemSize::k64, false, kR1, kR10, offset});
      mix(kR1);
    }
  }

  // Its low half is what a run by the kernel gives.
  void store_result() {
    emit(Mov{Width::k64, kR1, kR0});
    emit(Alu{AluOp::kRsh, Width::k64, kR1, Imm{32}});
    emit(Alu{AluOp::kXor, Width::k64, kR0, kR1});
    emit(LoadImm64{Imm64Kind::kMapData, kR1, 0});
    emit(Store{MemSize::k64, kR1, 0, kR0});
  }

  void emit(const Instruction& instruction) { code_.push_back(instruction); }

  std::mt19937_64 random_;
  std::vector<Instruction> code_;
  bool in_loop_ = false;
  std::array<std::vector<std::uint32_t>, 2> calls_;  // of each subprogram
};

}  // namespace

Object make_random_program(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace egpu
