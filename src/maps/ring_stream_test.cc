#include "maps/ring_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "maps/snapshot_area.h"

namespace egpu::maps {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr abi::MapSpec kMaps[] = {
    {.kind = abi::MapKind::kArray, .key_size = 4, .value_size = 8, .max_entries = 4},
    {.kind = abi::MapKind::kRingbuf, .key_size = 0, .value_size = 0, .max_entries = 4096}};
constexpr std::uint32_t kShards = 3;
constexpr std::uint32_t kRing = 1;

// A record as the device lays it out.
std::string record(std::uint32_t sequence, std::string text, std::uint32_t flags = 0) {
  const abi::RingRecord header{static_cast<std::uint32_t>(text.size()) | flags, sequence};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  text.resize((text.size() + 7) / 8 * 8);
  return bytes + text;
}

class RingStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    auto area = SnapshotArea::create(kMaps, kShards);
    ASSERT_TRUE(area);
    area_.emplace(*std::move(area));
    auto stream = RingStream::map(area_->fd(), {std::begin(kMaps), std::end(kMaps)}, kShards);
    ASSERT_TRUE(stream);
    stream_ = *std::move(stream);
    const std::uint64_t offset = abi::ring_stream_offset(kMaps, std::size(kMaps), kShards);
    memory_ = static_cast<char*>(::mmap(nullptr, area_->area_bytes(), PROT_READ | PROT_WRITE,
                                        MAP_SHARED, area_->fd(), 0)) +
              offset;
  }

  abi::RingStreamHeader& header() { return *reinterpret_cast<abi::RingStreamHeader*>(memory_); }

  void put(abi::RingChunk chunk, const std::string& bytes) {
    char* const place =
        memory_ + abi::kRingStreamHeaderBytes + header().written % abi::kRingStreamBytes;
    std::memcpy(place, &chunk, sizeof chunk);
    std::ranges::copy(bytes, place + sizeof chunk);
    header().written += abi::chunk_stride(chunk.bytes);
  }
  void put(std::uint32_t shard, std::uint32_t sequence, const std::string& bytes) {
    put({.map = kRing,
         .shard = shard,
         .bytes = static_cast<std::uint32_t>(bytes.size()),
         .sequence = sequence},
        bytes);
  }

  // "SHARD:TEXT" of what comes.
  Result<std::vector<std::string>> drain() {
    std::vector<std::string> records;
    EGPU_TRY(stream_->drain([&](const RingRecordView& view) {
      EXPECT_EQ(view.map, kRing);
      records.push_back(std::to_string(view.shard) + ":" +
                        std::string(as_text(view.bytes_untrusted)));
    }));
    return records;
  }

  std::optional<SnapshotArea> area_;
  std::unique_ptr<RingStream> stream_;
  char* memory_ = nullptr;
};

TEST_F(RingStreams, GiveRecordsInOrderAndCount) {
  EXPECT_THAT(*drain(), IsEmpty());
  put(2, 40,
      record(40, "one") + record(42, "gone", abi::kRingDiscarded) + record(44, "two is longer") +
          record(47, "", abi::kRingPadding));
  put(0, 0, record(0, ""));
  header().dropped[kRing] = 9;
  EXPECT_THAT(*drain(), ElementsAre("2:one", "2:two is longer", "0:"));
  EXPECT_EQ(header().read.load(), header().written.load());
  const RingTotals totals = stream_->totals()[kRing];
  EXPECT_EQ(totals.records, 3U);
  EXPECT_EQ(totals.discarded, 1U);
  EXPECT_EQ(totals.dropped, 9U);
  put(1, 7, record(7, "later"));
  EXPECT_THAT(*drain(), ElementsAre("1:later"));
}

TEST_F(RingStreams, SkipTheEndOfTheirMemory) {
  const auto skip = [&](std::uint64_t stride) {
    put({.map = abi::RingChunk::kSkip,
         .shard = 0,
         .bytes = static_cast<std::uint32_t>(stride - sizeof(abi::RingChunk)),
         .sequence = 0},
        "");
  };
  skip(abi::kRingStreamBytes - 32);
  EXPECT_THAT(*drain(), IsEmpty());
  skip(32);
  put(1, 5, record(5, "wrapped"));
  EXPECT_THAT(*drain(), ElementsAre("1:wrapped"));
}

// Whatever the process leaves there: an error once, and no record of what follows.
TEST_F(RingStreams, EndWithWhatCannotBeMeant) {
  const std::string good = record(3, "good");
  const auto chunk = [&](std::uint32_t map, std::uint32_t shard, std::uint32_t bytes) {
    return abi::RingChunk{.map = map, .shard = shard, .bytes = bytes, .sequence = 3};
  };
  const std::pair<abi::RingChunk, std::string> wrong[] = {
      {chunk(0, 0, 16), good},                   // no ring
      {chunk(2, 0, 16), good},                   // no map
      {chunk(kRing, kShards, 16), good},         // no shard
      {chunk(kRing, 0, 8192), good},             // more than a ring has
      {chunk(kRing, 0, 0xffff'fff0), good},      // more than there is
      {chunk(kRing, 0, 12), good},               // half a record
      {chunk(kRing, 0, 4), good},                // half a header
      {chunk(kRing, 0, 16), record(4, "good")},  // another sequence number
      {chunk(kRing, 0, 16), record(3, std::string(4000, 'x')).substr(0, 16)},  // too long
  };
  for (const auto& [header_of, bytes] : wrong) {
    SetUp();
    put(header_of, bytes);
    put(0, 3, good);
    EXPECT_FALSE(drain());
    EXPECT_THAT(*drain(), IsEmpty());
  }
  SetUp();
  header().written = std::uint64_t{1} << 60;
  EXPECT_FALSE(drain());
}

}  // namespace
}  // namespace egpu::maps
