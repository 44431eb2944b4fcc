#include "session/packet_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>

#include "base/file.h"

namespace egpu::session {
namespace {

struct Pair {
  UniqueFd ours;
  UniqueFd theirs;
  Pair() {
    int fds[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
    ours.reset(fds[0]);
    theirs.reset(fds[1]);
  }
};

TEST(PacketSocket, CarriesBytesAndADescriptor) {
  const Pair pair;
  const auto file = make_memfd("test", as_bytes("payload"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(send_packet(pair.theirs.get(), as_bytes("hello"), file->get()));
  std::array<std::byte, 16> buffer;
  auto packet = receive_packet(pair.ours.get(), buffer);
  ASSERT_TRUE(packet && *packet);
  EXPECT_EQ(as_text(Bytes(buffer).first((*packet)->size)), "hello");
  EXPECT_EQ(as_text(*read_fd((*packet)->fd.get(), 7)), "payload");
}

TEST(PacketSocket, EndAndOversizeAreToldApart) {
  Pair pair;
  std::array<std::byte, 4> buffer;
  ASSERT_TRUE(send_packet(pair.theirs.get(), as_bytes("too long")));
  EXPECT_FALSE(receive_packet(pair.ours.get(), buffer));
  pair.theirs.reset();
  const auto packet = receive_packet(pair.ours.get(), buffer);
  ASSERT_TRUE(packet);
  EXPECT_FALSE(*packet);
}

TEST(PacketSocket, SendingToNobodyIsAnErrorAndNoSignal) {
  Pair pair;
  pair.theirs.reset();
  EXPECT_FALSE(send_packet(pair.ours.get(), as_bytes("x")));
}

TEST(PacketSocket, SocketIsPrivateAndNamesItsPeer) {
  std::string directory = (std::filesystem::temp_directory_path() / "egpu-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  const auto path = std::filesystem::path(directory) / "socket";
  auto listener = listen_on(path);
  ASSERT_TRUE(listener);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_FALSE(listen_on(path));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace egpu::session
