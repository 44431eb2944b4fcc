// Addresses of all kinds against a slow, plain rule: whatever way through access.h they take, they
// mean the same bytes or the same fault.
#include "emu/access.h"

#include <gtest/gtest.h>

#include <random>

#include "emu/kernel.h"

namespace egpu::emu {
namespace {

constexpr Space kSpaces[] = {Space::kGlobal,  Space::kShared,          Space::kLocal,
                             Space::kGeneric, Space::kGenericWritable, Space::kGenericShareable};

// One warp of the second block of a cluster, and memory of odd sizes.
class World {
 public:
  World() {
    code_.ops.resize(1);
    frame_.code = &code_;
    first_ = memory_.allocate(1000);
    second_ = memory_.allocate(4096 + 20);
    other_.shared = other_shared_.data();
    other_.shared_bytes = static_cast<std::uint32_t>(other_shared_.size());
    block_.launch = &launch_;
    block_.ranges = &ranges_;
    block_.shared = shared_.data();
    block_.shared_bytes = static_cast<std::uint32_t>(shared_.size());
    block_.local = local_.data();
    block_.local_bytes = kLocalBytes;
    block_.cluster_rank = 1;
    block_.cluster = {&other_, &block_};
    warp_.block = &block_;
    warp_.index = 2;
    warp_.frame = &frame_;
    warp_.registers = registers_.data();
  }

  struct Meaning {
    std::optional<FaultKind> fault;
    std::byte* at = nullptr;
  };
  Meaning meaning_of(Space space, std::uint64_t address, unsigned bytes, unsigned lane) {
    if (address % bytes != 0) return {FaultKind::kMisalignedAddress};
    const bool generic = is_generic(space);
    const auto in = [&](std::uint64_t window) { return generic && address >> 32 == window >> 32; };
    if (space == Space::kShared || in(kSharedWindow)) {
      const std::uint64_t inside = space == Space::kShared ? address : address - kSharedWindow;
      if (inside < shared_.size()) return checked(shared_, inside, bytes);
      if (inside >> 24 == 1) return checked(other_shared_, inside - (1 << 24), bytes);
      if (inside >> 24 == 2) return checked(shared_, inside - (2 << 24), bytes);
      return {FaultKind::kIllegalAddress};
    }
    if (space == Space::kLocal || in(kLocalWindow)) {
      if (space == Space::kGenericShareable) return {FaultKind::kInvalidAddressSpace};
      const std::uint64_t inside = space == Space::kLocal ? address : address - kLocalWindow;
      const std::span<std::byte> own(local_.data() + (2 * kLanes + lane) * kLocalBytes,
                                     kLocalBytes);
      return checked(own, inside, bytes);
    }
    if (in(kParameterWindow)) {
      if (space != Space::kGeneric) return {FaultKind::kInvalidAddressSpace};
      return checked(launch_.parameters, address - kParameterWindow, bytes);
    }
    for (const auto& [start, size] : {std::pair{first_, 1000U}, std::pair{second_, 4116U}}) {
      if (address >= start && address + bytes <= start + size) {
        return {{}, reinterpret_cast<std::byte*>(address)};  // NOLINT(performance-no-int-to-ptr)
      }
    }
    return {FaultKind::kIllegalAddress};
  }

  // Something near the beginning or the end of one of the windows that `space` may name.
  std::uint64_t random_address(Space space, std::mt19937& random) {
    const std::uint64_t starts[] = {0,       600,     1 << 24,    (1 << 24) + 304,
                                    2 << 24, 3 << 24, kLocalBytes};
    const std::uint64_t globals[] = {first_, first_ + 1000, second_, second_ + 4116};
    const std::uint64_t windows[] = {kSharedWindow, kLocalWindow, kParameterWindow};
    const std::uint64_t near = random() % 600 / 4 * 4 - 64;
    const bool local_only = space == Space::kShared || space == Space::kLocal;
    if (local_only) return starts[random() % std::size(starts)] + near;
    if (space == Space::kGlobal || random() % 3 == 0) {
      return globals[random() % std::size(globals)] + near;
    }
    return windows[random() % 3] + starts[random() % std::size(starts)] + near;
  }

  template <class T>
  void check(Space space, Mask lanes, unsigned bytes, std::int64_t offset,
             const std::vector<std::uint64_t>& addresses) {
    Op& op = code_.ops.front();
    op.a = 0;
    op.immediate = offset;
    warp_.next = &op + 1;
    launch_.fault.reset();
    T* const registers = lanes_of<T>(warp_, 0);
    for (unsigned i = 0; i < kLanes; ++i) registers[i] = static_cast<T>(addresses[i]);
    std::optional<std::pair<unsigned, FaultKind>> expected_fault;
    std::vector<std::byte*> expected(kLanes);
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((lanes >> i & 1) == 0 || expected_fault) continue;
      const auto meaning =
          meaning_of(space, static_cast<T>(registers[i] + static_cast<T>(offset)), bytes, i);
      expected[i] = meaning.at;
      if (meaning.fault) expected_fault = {i, *meaning.fault};
    }
    Access access;
    const bool valid = resolver(space, sizeof(T) == 8)(warp_, op, lanes, bytes, access);
    ASSERT_EQ(valid, !expected_fault.has_value());
    if (expected_fault) {
      ASSERT_TRUE(launch_.fault);
      EXPECT_EQ(launch_.fault->kind, expected_fault->second);
      EXPECT_EQ(launch_.fault->thread[0], expected_fault->first + 2 * kLanes);
      return;
    }
    EXPECT_FALSE(launch_.fault);
    ++valid_;
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((lanes >> i & 1) == 0) continue;
      ASSERT_EQ(access.lane(i, bytes), expected[i]) << "lane " << i;
    }
  }

  unsigned valid() const { return valid_; }

 private:
  static constexpr std::uint64_t kLocalBytes = 208;

  static Meaning checked(std::span<std::byte> memory, std::uint64_t offset, unsigned bytes) {
    if (offset > memory.size() || bytes > memory.size() - offset) {
      return {FaultKind::kIllegalAddress};
    }
    return {{}, memory.data() + offset};
  }

  Memory memory_{1 << 20};
  Kernel kernel_{
      .info = {}, .functions = {}, .by_index = {}, .source = std::make_shared<ptx::Module>()};
  DeviceShape device_;
  LaunchConfig config_{.block = {128, 1, 1}};
  Launch launch_{.kernel = kernel_,
                 .memory = memory_,
                 .device = device_,
                 .config = config_,
                 .parameters = std::vector<std::byte>(40)};
  RangeCache ranges_{memory_};
  std::uint64_t first_ = 0;
  std::uint64_t second_ = 0;
  std::vector<std::byte> shared_ = std::vector<std::byte>(600);
  std::vector<std::byte> other_shared_ = std::vector<std::byte>(304);
  std::vector<std::byte> local_ = std::vector<std::byte>(kLocalBytes * 128);
  Block other_;
  Block block_;
  Code code_;
  Frame frame_;
  Warp warp_;
  std::vector<std::byte> registers_ = std::vector<std::byte>(1024);
  unsigned valid_ = 0;
};

Mask random_lanes(std::mt19937& random) {
  switch (random() % 5) {
    case 0:
      return kAllLanes >> random() % kLanes;
    case 1:
      return kAllLanes << random() % kLanes;
    case 2:
      return Mask{1} << random() % kLanes;
    case 3:
      return static_cast<Mask>(random()) | 1;
    default:
      return kAllLanes;
  }
}

TEST(Access, MeansTheSameWhateverWayItTakes) {
  World world;
  std::mt19937 random(7);
  constexpr unsigned kRounds = 200'000;
  for (unsigned round = 0; round < kRounds && !::testing::Test::HasFailure(); ++round) {
    const Space space = kSpaces[random() % std::size(kSpaces)];
    const unsigned bytes = 1U << random() % 6;
    const Mask lanes = random_lanes(random);
    const auto offset = static_cast<std::int64_t>(random() % 3) * 16 - 16;
    const std::uint64_t start =
        world.random_address(space, random) / bytes * bytes - static_cast<std::uint64_t>(offset);
    // All the same, side by side, further apart, anywhere; now and then one of them astray.
    const std::uint64_t step =
        std::array<std::uint64_t, 4>{0, bytes, std::uint64_t{2} * bytes, 0}[random() % 4];
    const bool anywhere = random() % 8 == 0;
    std::vector<std::uint64_t> addresses(kLanes);
    for (unsigned i = 0; i < kLanes; ++i) addresses[i] = start + i * step;
    if (anywhere) {
      for (auto& address : addresses) address = world.random_address(space, random) / bytes * bytes;
    }
    if (random() % 4 == 0) addresses[random() % kLanes] = world.random_address(space, random);
    // Lanes that are off may hold anything.
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((lanes >> i & 1) == 0) addresses[i] = random();
    }
    const bool narrow = (space == Space::kShared || space == Space::kLocal) && random() % 2 == 0;
    SCOPED_TRACE(round);
    if (narrow) {
      world.check<std::uint32_t>(space, lanes, bytes, offset, addresses);
    } else {
      world.check<std::uint64_t>(space, lanes, bytes, offset, addresses);
    }
  }
  EXPECT_GT(world.valid(), kRounds / 10);
  EXPECT_LT(world.valid(), kRounds - kRounds / 10);
}

}  // namespace
}  // namespace egpu::emu
