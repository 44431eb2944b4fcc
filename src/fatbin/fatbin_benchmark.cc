// Throughput of reading a large fatbin: 64 members of 1 MiB each, which compress about as real code
// does.
#include <benchmark/benchmark.h>

#include <random>

#include "fatbin/fatbin.h"
#include "fatbin/test_images.h"

namespace egpu::fatbin {
namespace {

constexpr int kMembers = 64;
constexpr std::size_t kMemberBytes = 1 << 20;

// Half of it repeats itself in 64-byte pieces.
std::string content(unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes;
  while (bytes.size() < kMemberBytes) {
    if (bytes.size() >= 4096 && random() % 2 == 0) {
      bytes += bytes.substr(random() % (bytes.size() - 64), 64);
    } else {
      for (int i = 0; i < 16; ++i) append(bytes, static_cast<std::uint32_t>(random() & 0x00ff00ff));
    }
  }
  return bytes;
}

void read_image(benchmark::State& state, TestEntry (*pack)(TestEntry)) {
  std::vector<TestEntry> entries;
  entries.reserve(kMembers);
  for (unsigned i = 0; i < kMembers; ++i)
    entries.push_back(pack({.kind = kPtxEntry, .payload = content(i)}));
  const std::string bytes = region(entries);
  std::uint64_t unpacked = 0;
  while (state.KeepRunning()) {
    const auto image = parse_image(as_bytes(bytes));
    if (!image) return state.SkipWithError("the image does not parse");
    for (const Member& member : image->members) {
      const auto text = decompress(member);
      if (!text) return state.SkipWithError("a member does not decompress");
      unpacked += text->size();
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(unpacked));
}

TestEntry stored(TestEntry entry) { return entry; }

BENCHMARK_CAPTURE(read_image, stored, &stored);
BENCHMARK_CAPTURE(read_image, lz4, &lz4_entry);
BENCHMARK_CAPTURE(read_image, zstd, &zstd_entry);

// Headers alone, as when an application loads a library whose kernels nobody probes.
void parse_only(benchmark::State& state) {
  const std::string bytes =
      region(std::vector(512, zstd_entry({.kind = kElfEntry, .payload = cubin({})})));
  while (state.KeepRunning()) {
    auto image = parse_image(as_bytes(bytes));
    if (!image) return state.SkipWithError("the image does not parse");
    benchmark::DoNotOptimize(image->members.data());
  }
  state.SetItemsProcessed(state.iterations() * 512);
}
BENCHMARK(parse_only);

}  // namespace
}  // namespace egpu::fatbin
