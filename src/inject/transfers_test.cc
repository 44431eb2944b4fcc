// What the service must not ask for.
#include "inject/transfers.h"

#include <gtest/gtest.h>

namespace egpu::inject {
namespace {

constexpr std::uint64_t kBytes = 1 << 30;

bool allowed(const abi::Transfer& transfer) {
  Instance instance{};
  instance.bytes = kBytes;
  abi::MapRequest request;
  request.count = 2;
  request.transfers[0] = {.bytes = 8};
  request.transfers[1] = transfer;
  return can_transfer(instance, request);
}

using Kind = abi::Transfer::Kind;

TEST(Transfers, StayInsideOfTheMaps) {
  EXPECT_TRUE(allowed({.bytes = 8}));
  EXPECT_TRUE(allowed({.device_offset = kBytes - 8, .bytes = 8}));
  EXPECT_FALSE(allowed({.device_offset = kBytes - 7, .bytes = 8}));
  EXPECT_FALSE(allowed({.device_offset = ~0ULL, .bytes = 8}));
  EXPECT_TRUE(allowed({.kind = Kind::kZero, .bytes = kBytes}));
  EXPECT_FALSE(allowed({.kind = Kind::kZero, .bytes = kBytes + 1}));
  EXPECT_FALSE(allowed({.bytes = 0}));
  EXPECT_FALSE(allowed({.bytes = ~0ULL}));
}

TEST(Transfers, StayInsideOfTheMapsWithEveryPiece) {
  EXPECT_TRUE(allowed({.count = 4, .device_stride = kBytes / 4, .bytes = 64}));
  EXPECT_FALSE(allowed({.count = 5, .device_stride = kBytes / 4, .bytes = 64}));
  EXPECT_FALSE(allowed({.count = 0, .bytes = 64}));
  EXPECT_FALSE(allowed({.count = ~0U, .device_stride = 8, .bytes = 8}));
  EXPECT_FALSE(allowed({.count = abi::kMaxPieces, .device_stride = 1ULL << 63, .bytes = 8}));
}

TEST(Transfers, StayInsideOfTheLane) {
  EXPECT_TRUE(allowed({.bytes = abi::kLaneBytes}));
  EXPECT_FALSE(allowed({.bytes = abi::kLaneBytes + 1}));
  EXPECT_FALSE(allowed({.kind = Kind::kToDevice, .bytes = abi::kLaneBytes + 1}));
  EXPECT_FALSE(allowed({.bytes = 8, .lane_offset = abi::kLaneBytes - 7}));
  EXPECT_FALSE(allowed({.bytes = 8, .lane_offset = ~0ULL}));
  EXPECT_FALSE(
      allowed({.count = 3, .device_stride = abi::kLaneBytes, .bytes = abi::kLaneBytes / 2}));
}

TEST(Transfers, AreNoMoreThanARequestHolds) {
  abi::MapRequest request;
  request.count = abi::kMaxTransfers + 1;
  EXPECT_FALSE(can_transfer(Instance{}, request));
}

}  // namespace
}  // namespace egpu::inject
