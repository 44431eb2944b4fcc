// mbarrier.*: barriers in shared memory that threads and asynchronous copies arrive at.
#include "emu/mbarrier.h"
#include "emu/memory_modifiers.h"
#include "emu/select.h"
#include "emu/type_dispatch.h"

namespace egpu::emu {
namespace {

constexpr unsigned kBytes = 8;

// Op::extra.
struct MbarrierAccess {
  Resolver resolve = nullptr;
  bool drops = false;        // arrive_drop
  bool announces = false;    // arrive.expect_tx: op.b is a number of bytes
  bool by_parity = false;    // test_wait.parity: op.b is 32 bits, else the state of an arrival
  bool no_complete = false;  // must not end the phase
};

const MbarrierAccess& form_of(const Op& op) {
  return *static_cast<const MbarrierAccess*>(op.extra);
}

// f(lane, address), until it is false: the barrier was misused.
template <class F>
void for_barriers(Warp& warp, const Op& op, Mask lanes, F&& f) {
  Access access;
  if (!form_of(op).resolve(warp, op, lanes, kBytes, access)) return;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    if (f(lane, access.lane(lane, kBytes))) continue;
    return warp.fault(FaultKind::kIllegalInstruction, lane,
                      "a count of the mbarrier leaves its range");
  }
}

void initialise(Warp& warp, const Op& op, Mask lanes) {
  const auto* count = lanes_of<std::uint32_t>(warp, op.b);
  for_barriers(warp, op, lanes, [&](unsigned lane, std::byte* at) {
    if (count[lane] == 0 || count[lane] > kMostArrivals) return false;
    const Mbarrier fresh{.pending = count[lane], .expected = count[lane]};
    atomic_store<std::uint64_t>(at, fresh.pack());
    return true;
  });
}

void invalidate(Warp& warp, const Op& op, Mask lanes) {
  for_barriers(warp, op, lanes, [](unsigned, std::byte* at) {
    atomic_store<std::uint64_t>(at, 0);
    return true;
  });
}

bool change(const MbarrierAccess& how, Mbarrier& barrier, std::uint32_t count) {
  if (how.no_complete && count == barrier.pending && barrier.transactions == 0) return false;
  const std::uint32_t arrivals = how.announces ? 1 : count;
  if (how.announces && !barrier.expect(count)) return false;
  return how.drops ? barrier.drop(arrivals) : barrier.arrive(arrivals);
}

// op.dst, unless it is kNoSlot: what the object was before.
void arrive(Warp& warp, const Op& op, Mask lanes) {
  const MbarrierAccess& how = form_of(op);
  const auto* count = lanes_of<std::uint32_t>(warp, op.b);
  std::uint64_t before[kLanes];
  bool valid = true;
  for_barriers(warp, op, lanes, [&](unsigned lane, std::byte* at) {
    before[lane] = change_mbarrier(
        at, valid, [&](Mbarrier& barrier) { return change(how, barrier, count[lane]); });
    return valid;
  });
  if (!valid || op.dst == kNoSlot) return;
  auto* out = lanes_of<std::uint64_t>(warp, op.dst);
  for_each_lane(lanes, [&](unsigned i) { out[i] = before[i]; });
}

template <bool (Mbarrier::*change_transactions)(std::uint32_t)>
void count_bytes(Warp& warp, const Op& op, Mask lanes) {
  const auto* bytes = lanes_of<std::uint32_t>(warp, op.b);
  for_barriers(warp, op, lanes, [&](unsigned lane, std::byte* at) {
    bool valid = true;
    change_mbarrier(at, valid,
                    [&](Mbarrier& barrier) { return (barrier.*change_transactions)(bytes[lane]); });
    return valid;
  });
}

template <bool waits>
void test(Warp& warp, const Op& op, Mask lanes) {
  const bool by_parity = form_of(op).by_parity;
  const auto* parity = lanes_of<std::uint32_t>(warp, op.b);
  const auto* state = lanes_of<std::uint64_t>(warp, op.b);
  Mask ended = 0;
  for_barriers(warp, op, lanes, [&](unsigned lane, std::byte* at) {
    const bool odd = Mbarrier::unpack(atomic_load<std::uint64_t>(at)).odd;
    const bool waited_for = by_parity ? (parity[lane] & 1) != 0 : state[lane] >> 63 != 0;
    ended |= Mask{odd != waited_for} << lane;
    return true;
  });
  Mask& out = predicate_of(warp, op.dst);
  out = (out & ~lanes) | ended;
  if (waits && ended != lanes) warp.yield();
}

void count_pending(Warp& warp, const Op& op, Mask lanes) {
  const auto* state = lanes_of<std::uint64_t>(warp, op.a);
  set_lanes<std::uint32_t>(warp, op.dst, lanes,
                           [&](unsigned i) { return Mbarrier::unpack(state[i]).pending; });
}

Space take_shared(Modifiers& modifiers) {
  const std::string_view space =
      modifiers.take_one_of({"shared", "shared::cta", "shared::cluster"});
  return space.empty() ? Space::kGenericShareable : Space::kShared;
}

// What all forms have; `op` has its handler.
Result<void> emit(Builder& builder, const ptx::Operand& barrier, Space space, MbarrierAccess how,
                  Op op) {
  EGPU_ASSIGN(const AddressSlot address, address_in(builder, barrier, space));
  op.a = address.slot;
  op.immediate = address.offset;
  how.resolve = resolver(space, address.wide);
  op.extra = builder.keep(how);
  builder.emit(op);
  return {};
}

Result<void> translate_arrive(Builder& builder, const ptx::Instruction& instruction,
                              Modifiers& modifiers, bool drops) {
  MbarrierAccess how{.drops = drops,
                     .announces = modifiers.take("expect_tx"),
                     .no_complete = modifiers.take("noComplete")};
  const Space space = take_shared(modifiers);
  EGPU_TRY(builder.finish(modifiers));
  const bool counts = how.announces || how.no_complete;
  EGPU_TRY(builder.operands(instruction, counts ? 3 : 2, 3));
  const auto& operands = instruction.operands;
  Op op{.handler = arrive};
  if (operands.size() == 3) {
    EGPU_ASSIGN(op.b, builder.read(operands[2], kB32));
  } else {
    op.b = builder.constant(1, 32);
  }
  if (!is_sink(operands[0])) {
    EGPU_ASSIGN(op.dst, builder.write(operands[0], kB64));
  }
  return emit(builder, operands[1], space, how, op);
}

Result<void> translate_wait(Builder& builder, const ptx::Instruction& instruction,
                            Modifiers& modifiers, bool waits) {
  const MbarrierAccess how{.by_parity = modifiers.take("parity")};
  const Space space = take_shared(modifiers);
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 3, waits ? 4 : 3));
  const auto& operands = instruction.operands;
  Op op{.handler = waits ? test<true> : test<false>};
  EGPU_ASSIGN(op.b, builder.read(operands[2], how.by_parity ? kB32 : kB64));
  EGPU_ASSIGN(op.dst, builder.write(operands[0], kPred));
  // How long to wait at most: here other threads have their turn, once.
  if (operands.size() == 4) EGPU_TRY(builder.read(operands[3], kB32));
  return emit(builder, operands[1], space, how, op);
}

// init, expect_tx, complete_tx: an address and a count.
Result<void> translate_count(Builder& builder, const ptx::Instruction& instruction,
                             const Modifiers& modifiers, Space space, Handler handler) {
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  Op op{.handler = handler};
  EGPU_ASSIGN(op.b, builder.read(instruction.operands[1], kB32));
  return emit(builder, instruction.operands[0], space, {}, op);
}

Result<void> translate_pending_count(Builder& builder, const ptx::Instruction& instruction,
                                     const Modifiers& modifiers) {
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  Op op{.handler = count_pending};
  EGPU_ASSIGN(op.a, builder.read(instruction.operands[1], kB64));
  EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], kB32));
  builder.emit(op);
  return {};
}

Result<void> translate(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view action =
      modifiers.take_one_of({"init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait",
                             "pending_count", "complete_tx"});
  if (!modifiers.take("b64")) return builder.error("has no type .b64");
  modifiers.take_one_of({"relaxed", "acquire", "release"});
  take_scope(modifiers);
  if (action == "arrive" || action == "arrive_drop") {
    return translate_arrive(builder, instruction, modifiers, action == "arrive_drop");
  }
  if (action == "test_wait" || action == "try_wait") {
    return translate_wait(builder, instruction, modifiers, action == "try_wait");
  }
  if (action == "pending_count") return translate_pending_count(builder, instruction, modifiers);
  const Space space = take_shared(modifiers);
  if (action == "inval") {
    EGPU_TRY(builder.finish(modifiers));
    EGPU_TRY(builder.operands(instruction, 1, 1));
    return emit(builder, instruction.operands[0], space, {}, {.handler = invalidate});
  }
  Handler handler = nullptr;
  if (action == "init") handler = initialise;
  if (action == "complete_tx") handler = count_bytes<&Mbarrier::complete>;
  if (action.empty() && modifiers.take("expect_tx")) handler = count_bytes<&Mbarrier::expect>;
  if (handler == nullptr) return builder.error("no such operation exists");
  return translate_count(builder, instruction, modifiers, space, handler);
}

constexpr Translation kTable[] = {{"mbarrier", translate}};

}  // namespace

TranslationTable mbarrier_table() { return kTable; }

}  // namespace egpu::emu
