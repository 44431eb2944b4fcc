#include "emu/liveness.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "emu/control.h"

namespace egpu::emu {
namespace {

// Of all blocks' sets together.
constexpr std::size_t kMostWords = std::size_t{1} << 24;

using Words = std::vector<std::uint64_t>;

// Where control may go from an Op, but for the next one.
std::vector<std::uint32_t> targets_of(const Code& code, std::uint32_t index) {
  const Op& op = code.ops[index];
  const auto target = [index](std::int64_t distance) {
    return static_cast<std::uint32_t>(index + distance);
  };
  if (op.handler == branch || op.handler == branch_if || op.handler == branch_unless)
    return {target(op.immediate)};
  std::vector<std::uint32_t> targets;
  if (op.handler == branch_to_indexed)
    for (const std::int64_t distance : *static_cast<const std::vector<std::int64_t>*>(op.extra))
      targets.push_back(target(distance));
  return targets;
}

// Control never goes from this Op to the next one.
bool ends(const Op& op) {
  if (op.handler == branch) return true;
  const bool leaves = op.handler == branch_to_indexed || op.handler == return_from ||
                      op.handler == exit_thread || op.handler == trap;
  return leaves && op.guard == kNoSlot;
}

// Ops that run one after the other.
struct Block {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<std::size_t> next;  // blocks
};

std::vector<Block> blocks_of(const Code& code) {
  const auto count = static_cast<std::uint32_t>(code.ops.size());
  std::set<std::uint32_t> leaders{0};
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto targets = targets_of(code, i);
    leaders.insert(targets.begin(), targets.end());
    if ((!targets.empty() || ends(code.ops[i])) && i + 1 < count) leaders.insert(i + 1);
  }
  std::vector<Block> blocks;
  for (auto leader = leaders.begin(); leader != leaders.end(); ++leader) {
    const auto following = std::next(leader);
    blocks.push_back({*leader, (following == leaders.end() ? count : *following) - 1, {}});
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (const std::uint32_t target : targets_of(code, blocks[i].last)) {
      const auto found = std::ranges::lower_bound(blocks, target, {}, &Block::first);
      blocks[i].next.push_back(static_cast<std::size_t>(found - blocks.begin()));
    }
    if (!ends(code.ops[blocks[i].last]) && i + 1 < blocks.size()) blocks[i].next.push_back(i + 1);
  }
  return blocks;
}

class Liveness {
 public:
  Liveness(const Code& code, const RegisterUses& uses)
      : uses_(uses),
        blocks_(blocks_of(code)),
        words_((uses.bits.size() + 63) / 64),
        last_op_(static_cast<std::uint32_t>(code.ops.size() - 1)) {}

  std::vector<Interval> run() {
    const Interval nowhere{std::numeric_limits<std::uint32_t>::max(), 0};
    intervals_.assign(uses_.bits.size(), nowhere);
    for (const std::uint32_t number : uses_.kept) intervals_[number] = {0, last_op_};
    if (blocks_.size() * words_ * 3 > kMostWords) {
      std::ranges::fill(intervals_, Interval{0, last_op_});
      return std::move(intervals_);
    }
    read_instructions();
    flow_backwards();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      extend_all(live_in_[i], blocks_[i].first);
      extend_all(live_out_[i], blocks_[i].last);
    }
    return std::move(intervals_);
  }

 private:
  static bool test(const Words& set, std::uint32_t number) {
    return (set[number / 64] >> (number % 64) & 1) != 0;
  }
  static void insert(Words& set, std::uint32_t number) {
    set[number / 64] |= std::uint64_t{1} << (number % 64);
  }

  void extend(std::uint32_t number, std::uint32_t first, std::uint32_t last) {
    Interval& interval = intervals_[number];
    interval.first = std::min(interval.first, first);
    interval.last = std::max(interval.last, last);
  }
  void extend_all(const Words& set, std::uint32_t op) {
    for (std::size_t word = 0; word < set.size(); ++word)
      for (std::uint64_t rest = set[word]; rest != 0; rest &= rest - 1)
        extend(static_cast<std::uint32_t>(word * 64) +
                   static_cast<std::uint32_t>(std::countr_zero(rest)),
               op, op);
  }

  // What each block needs from before it, and what it replaces.
  void read_instructions() {
    live_in_.assign(blocks_.size(), Words(words_));
    live_out_ = written_ = live_in_;
    std::size_t block = 0;
    for (const InstructionTouches& instruction : uses_.instructions) {
      if (instruction.first_op == instruction.end_op) continue;
      while (instruction.first_op > blocks_[block].last) ++block;
      // Reads first: an instruction may write what it reads.
      for (const bool writes : {false, true})
        for (const RegisterTouch& touch : instruction.registers) {
          extend(touch.number, instruction.first_op, instruction.end_op - 1);
          if (touch.write != writes || test(written_[block], touch.number)) continue;
          if (touch.write && !instruction.guarded) {
            insert(written_[block], touch.number);
          } else {
            insert(live_in_[block], touch.number);
          }
        }
    }
  }

  void flow_backwards() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = blocks_.size(); i-- > 0;) {
        for (const std::size_t next : blocks_[i].next)
          for (std::size_t word = 0; word < words_; ++word)
            live_out_[i][word] |= live_in_[next][word];
        for (std::size_t word = 0; word < words_; ++word) {
          const std::uint64_t through = live_out_[i][word] & ~written_[i][word];
          changed = changed || (through & ~live_in_[i][word]) != 0;
          live_in_[i][word] |= through;
        }
      }
    }
  }

  const RegisterUses& uses_;
  const std::vector<Block> blocks_;
  const std::size_t words_;
  const std::uint32_t last_op_;
  std::vector<Interval> intervals_;
  std::vector<Words> live_in_;
  std::vector<Words> live_out_;
  std::vector<Words> written_;
};

}  // namespace

std::vector<Interval> intervals_of(const Code& code, const RegisterUses& uses) {
  return Liveness(code, uses).run();
}

}  // namespace egpu::emu
