#include "session/request_lane.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

namespace egpu::session {
namespace {

constexpr std::chrono::milliseconds kShort{20};
constexpr std::chrono::milliseconds kLong{20'000};

// The library's end.
class Peer {
 public:
  explicit Peer(RequestLane& lane) {
    auto socket = lane.open();
    EXPECT_TRUE(socket);
    socket_ = *std::move(socket);
  }
  abi::MapRequest receive() {
    abi::MapRequest request;
    EXPECT_EQ(::recv(socket_.get(), &request, sizeof request, 0),
              static_cast<ssize_t>(sizeof request));
    return request;
  }
  void answer(std::uint64_t sequence, abi::RequestResult result = abi::RequestResult::kDone) {
    const abi::MapReply reply{.sequence = sequence, .result = result, .driver_status = 0};
    send(&reply, sizeof reply);
  }
  void send(const void* bytes, std::size_t size) {
    EXPECT_EQ(::send(socket_.get(), bytes, size, 0), static_cast<ssize_t>(size));
  }
  void hang_up() { socket_.reset(); }

 private:
  UniqueFd socket_;
};

RequestEnd ask(RequestLane& lane, std::chrono::milliseconds wait = kLong) {
  auto turn = lane.take(kShort);
  return turn ? turn->ask(abi::MapRequest(), wait) : RequestEnd::kLate;
}

TEST(RequestLane, GivesTheAnswerToItsRequest) {
  RequestLane lane;
  Peer peer(lane);
  for (const auto& [result, end] :
       {std::pair{abi::RequestResult::kDone, RequestEnd::kDone},
        std::pair{abi::RequestResult::kGone, RequestEnd::kGone},
        std::pair{abi::RequestResult::kRefused, RequestEnd::kRefused},
        std::pair{abi::RequestResult::kFailed, RequestEnd::kFailed},
        std::pair{static_cast<abi::RequestResult>(77), RequestEnd::kFailed}}) {
    std::jthread library([&] { peer.answer(peer.receive().sequence, result); });
    EXPECT_EQ(ask(lane), end);
  }
}

TEST(RequestLane, NobodyHasATurnUntilALateAnswerCame) {
  RequestLane lane;
  Peer peer(lane);
  EXPECT_EQ(ask(lane, kShort), RequestEnd::kLate);
  EXPECT_FALSE(lane.take(kShort));
  const std::uint64_t late = peer.receive().sequence;
  peer.answer(late);
  std::jthread library([&] {
    const abi::MapRequest request = peer.receive();
    EXPECT_EQ(request.sequence, late + 1);
    peer.answer(late);  // not the one that is waited for
    peer.answer(request.sequence, abi::RequestResult::kRefused);
  });
  EXPECT_EQ(ask(lane), RequestEnd::kRefused);
}

TEST(RequestLane, EndsWithTheProcess) {
  RequestLane lane;
  Peer peer(lane);
  std::jthread library([&] {
    peer.receive();
    peer.hang_up();
  });
  EXPECT_EQ(ask(lane), RequestEnd::kGone);
  EXPECT_EQ(ask(lane), RequestEnd::kGone);
}

TEST(RequestLane, EndsWhereTheAnswerIsNone) {
  RequestLane lane;
  Peer peer(lane);
  peer.send("four", 4);
  EXPECT_EQ(ask(lane), RequestEnd::kGone);
}

TEST(RequestLane, ClosingWakesWhoWaits) {
  RequestLane lane;
  Peer peer(lane);
  std::jthread service([&] {
    peer.receive();
    lane.close();
  });
  EXPECT_EQ(ask(lane), RequestEnd::kGone);
  EXPECT_FALSE(lane.is_open());
}

TEST(RequestLane, OpensOnce) {
  RequestLane lane;
  EXPECT_EQ(ask(lane), RequestEnd::kGone);
  Peer peer(lane);
  EXPECT_TRUE(lane.is_open());
  EXPECT_FALSE(lane.open());
}

}  // namespace
}  // namespace egpu::session
