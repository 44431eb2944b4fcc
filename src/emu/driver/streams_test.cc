// Order and asynchrony of work in streams.
#include <atomic>

#include "emu/driver/test_driver.h"

namespace egpu::emu::driver {
namespace {

class Streams : public DriverTest {
 protected:
  static cuda::Stream make_stream(unsigned flags) {
    cuda::Stream stream = nullptr;
    EXPECT_OK(cuStreamCreate(&stream, flags));
    return stream;
  }
  static cuda::Event make_event() {
    cuda::Event event = nullptr;
    EXPECT_OK(cuEventCreate(&event, 0));
    return event;
  }

  const cuda::Stream legacy_ = nullptr;
};

void append(std::string& text, char letter, cuda::Stream stream) {
  struct Note {
    std::string& text;
    char letter;
  };
  EXPECT_OK(cuLaunchHostFunc(
      stream,
      [](void* data) {
        const auto* note = static_cast<Note*>(data);
        note->text += note->letter;
        delete note;
      },
      new Note{text, letter}));
}

TEST_F(Streams, WorkInOrderAndBehindTheCaller) {
  const cuda::Stream stream = make_stream(cuda::kStreamNonBlocking);
  std::string text;
  Gate gate(stream);
  for (const char letter : {'a', 'b', 'c', 'd'}) append(text, letter, stream);
  EXPECT_STATUS(cuStreamQuery(stream), cuda::kNotReady);
  gate.open();
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_OK(cuStreamQuery(stream));
  EXPECT_EQ(text, "abcd");
}

TEST_F(Streams, WorkAtTheSameTime) {
  const cuda::Stream first = make_stream(cuda::kStreamNonBlocking);
  const cuda::Stream second = make_stream(cuda::kStreamNonBlocking);
  Gate gate(first);
  std::string text;
  append(text, 'x', second);
  EXPECT_OK(cuStreamSynchronize(second));  // though the first is not done
  EXPECT_EQ(text, "x");
  EXPECT_STATUS(cuStreamQuery(first), cuda::kNotReady);
}

TEST_F(Streams, WaitForTheLegacyStreamAndItForThem) {
  const cuda::Stream first = make_stream(0);
  const cuda::Stream second = make_stream(0);
  std::string text;
  Gate gate(first);
  append(text, '1', first);
  append(text, '2', legacy_);
  append(text, '3', second);
  EXPECT_STATUS(cuStreamQuery(legacy_), cuda::kNotReady);
  EXPECT_STATUS(cuStreamQuery(second), cuda::kNotReady);
  gate.open();
  EXPECT_OK(cuStreamSynchronize(second));
  EXPECT_EQ(text, "123");
}

TEST_F(Streams, OfANonBlockingKindDoNotWaitForTheLegacyStream) {
  const cuda::Stream stream = make_stream(cuda::kStreamNonBlocking);
  std::string text;
  Gate gate(legacy_);
  append(text, 'x', stream);
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(text, "x");
}

TEST_F(Streams, OfThreadsAreTheirOwn) {
  const DevicePointer memory = allocate(4);
  const auto per_thread = reinterpret_cast<cuda::Stream>(2);
  Gate gate(per_thread);
  EXPECT_STATUS(cuStreamQuery_ptsz(nullptr), cuda::kNotReady);
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(context_));
    EXPECT_OK(cuMemsetD32_v2_ptds(memory, 1, 1));
    EXPECT_OK(cuStreamQuery_ptsz(nullptr));
    EXPECT_STATUS(cuStreamQuery(nullptr), cuda::kNotReady);  // the legacy one waits for all
  }).join();
  gate.open();
  EXPECT_OK(cuStreamSynchronize_ptsz(nullptr));
}

TEST_F(Streams, WaitForEvents) {
  const cuda::Stream first = make_stream(cuda::kStreamNonBlocking);
  const cuda::Stream second = make_stream(cuda::kStreamNonBlocking);
  const cuda::Event event = make_event();
  EXPECT_OK(cuEventQuery(event));  // never recorded
  std::string text;
  Gate gate(first);
  append(text, '1', first);
  EXPECT_OK(cuEventRecord(event, first));
  EXPECT_OK(cuStreamWaitEvent(second, event, 0));
  append(text, '2', second);
  EXPECT_STATUS(cuEventQuery(event), cuda::kNotReady);
  EXPECT_STATUS(cuStreamQuery(second), cuda::kNotReady);
  gate.open();
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_OK(cuStreamSynchronize(second));
  EXPECT_EQ(text, "12");
}

TEST_F(Streams, AreTimedByEvents) {
  const cuda::Stream stream = make_stream(0);
  const cuda::Event start = make_event();
  const cuda::Event end = make_event();
  float milliseconds = -1;
  EXPECT_STATUS(cuEventElapsedTime(&milliseconds, start, end), cuda::kInvalidHandle);
  EXPECT_OK(cuEventRecord(start, stream));
  EXPECT_OK(cuLaunchHostFunc(
      stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, nullptr));
  EXPECT_OK(cuEventRecordWithFlags(end, stream, 0));
  EXPECT_STATUS(cuEventRecordWithFlags(end, stream, 2), cuda::kInvalidValue);
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_OK(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 2.0F);
  EXPECT_OK(cuEventElapsedTime_v2(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 2.0F);
  cuda::Event untimed = nullptr;
  ASSERT_OK(cuEventCreate(&untimed, cuda::kEventDisableTiming));
  EXPECT_OK(cuEventRecord(untimed, stream));
  EXPECT_STATUS(cuEventElapsedTime(&milliseconds, start, untimed), cuda::kInvalidHandle);
  EXPECT_OK(cuEventDestroy_v2(untimed));
  EXPECT_STATUS(cuEventDestroy_v2(untimed), cuda::kInvalidHandle);
}

TEST_F(Streams, CallBack) {
  struct Seen {
    std::atomic<cuda::Stream> stream = nullptr;
    std::atomic<Status> status = -1;
    std::atomic<Status> call = -1;
  } seen;
  const cuda::Stream stream = make_stream(0);
  EXPECT_OK(cuStreamAddCallback(
      stream,
      [](cuda::Stream of, Status status, void* data) {
        auto* result = static_cast<Seen*>(data);
        result->stream = of;
        result->status = status;
        result->call = cuCtxSynchronize();
      },
      &seen, 0));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(seen.stream, stream);
  EXPECT_EQ(seen.status, cuda::kSuccess);
  EXPECT_EQ(seen.call, cuda::kNotPermitted);
}

TEST_F(Streams, DoNotSeeWhatIsWrittenToTheSourceLater) {
  const cuda::Stream stream = make_stream(cuda::kStreamNonBlocking);
  const DevicePointer memory = allocate(4);
  int source = 1;
  {
    const Gate gate(stream);
    EXPECT_OK(cuMemcpyHtoDAsync_v2(memory, &source, 4, stream));
    source = 2;
  }
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(download<int>(memory, 1).front(), 1);
}

TEST_F(Streams, CopyFromPinnedMemoryLater) {
  const cuda::Stream stream = make_stream(cuda::kStreamNonBlocking);
  const DevicePointer memory = allocate(4);
  void* pinned = nullptr;
  ASSERT_OK(cuMemAllocHost_v2(&pinned, 4));
  auto* source = static_cast<int*>(pinned);
  *source = 1;
  {
    const Gate gate(stream);
    EXPECT_OK(cuMemcpyHtoDAsync_v2(memory, source, 4, stream));
    *source = 2;
  }
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(download<int>(memory, 1).front(), 2);
  EXPECT_OK(cuMemFreeHost(pinned));
}

TEST_F(Streams, GoOnWhenTheirHandleIsDestroyed) {
  const cuda::Stream stream = make_stream(cuda::kStreamNonBlocking);
  std::string text;
  Gate gate(stream);
  append(text, 'x', stream);
  EXPECT_OK(cuStreamDestroy_v2(stream));
  EXPECT_STATUS(cuStreamQuery(stream), cuda::kInvalidHandle);
  EXPECT_STATUS(cuStreamDestroy_v2(stream), cuda::kInvalidHandle);
  gate.open();
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(text, "x");
}

TEST_F(Streams, CanBeAskedAbout) {
  cuda::Stream stream = nullptr;
  ASSERT_OK(cuStreamCreateWithPriority(&stream, cuda::kStreamNonBlocking, -99));
  int priority = 1;
  EXPECT_OK(cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, -5);
  unsigned flags = 0;
  EXPECT_OK(cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, cuda::kStreamNonBlocking);
  cuda::Context context = nullptr;
  EXPECT_OK(cuStreamGetCtx(stream, &context));
  EXPECT_EQ(context, context_);
  unsigned long long first = 0;
  unsigned long long second = 0;
  EXPECT_OK(cuStreamGetId(stream, &first));
  EXPECT_OK(cuStreamGetId(legacy_, &second));
  EXPECT_NE(first, second);
  cuda::LaunchAttributeValue value{};
  value.number = -1;
  EXPECT_OK(cuStreamSetAttribute(stream, cuda::kLaunchPriority, &value));
  EXPECT_OK(cuStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, -1);
  cuda::Stream copy = nullptr;
  ASSERT_OK(cuStreamCreate(&copy, 0));
  EXPECT_OK(cuStreamCopyAttributes(copy, stream));
  EXPECT_OK(cuStreamGetAttribute(copy, cuda::kLaunchPriority, &value));
  EXPECT_EQ(value.number, -1);
  EXPECT_STATUS(cuStreamGetAttribute(copy, cuda::kLaunchCooperative, &value), cuda::kNotSupported);
  cuda::Device device = -1;
  EXPECT_OK(cuStreamGetDevice(stream, &device));
  EXPECT_EQ(device, 0);
  EXPECT_STATUS(cuStreamCreate(&stream, 8), cuda::kInvalidValue);
}

// More work at a time than there are processors, each waiting for the next.
TEST_F(Streams, NeverWaitForAFreeThread) {
  constexpr int kStreams = 20;
  struct Link {
    std::atomic<bool> done = false;
    Link* next = nullptr;
  };
  std::vector<Link> links(kStreams);
  for (int i = 0; i < kStreams; ++i) {
    links[static_cast<std::size_t>(i)].next =
        i + 1 < kStreams ? &links[static_cast<std::size_t>(i) + 1] : nullptr;
    EXPECT_OK(cuLaunchHostFunc(
        make_stream(cuda::kStreamNonBlocking),
        [](void* data) {
          auto* link = static_cast<Link*>(data);
          while (link->next != nullptr && !link->next->done)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          link->done = true;
        },
        &links[static_cast<std::size_t>(i)]));
  }
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_TRUE(links.front().done);
}

}  // namespace
}  // namespace egpu::emu::driver
