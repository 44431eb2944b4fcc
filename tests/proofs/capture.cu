// Captures graphs for SECONDS in one thread, with cudaStreamCaptureModeGlobal, under which an
// unsafe call of any other thread ends the capture in an error; replays each and checks what it
// computed. Meanwhile another thread launches work_probed, for the first time while a capture is
// open. Usage: capture [SECONDS]. Prints how many captures there were, how many failed and how many
// replays were wrong; exit 1 where any was.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "check.h"

constexpr unsigned kNumbers = 1 << 16;
constexpr unsigned kSteps = 5;  // in a graph

extern "C" __global__ void add_one(unsigned* numbers) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

extern "C" __global__ void work_probed(unsigned* numbers) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

// Launches from another thread until it is stopped.
class Launcher {
 public:
  Launcher() : thread_([this] { run(); }) {}
  ~Launcher() { stop(); }
  // What was launched has ended then.
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  // Waits until the first launch has been made.
  void wait() const {
    while (launches_ == 0) std::this_thread::yield();
  }
  unsigned launches() const { return launches_; }

 private:
  void run() {
    unsigned* numbers;
    cudaStream_t stream;
    CHECK(cudaMalloc(&numbers, kNumbers * sizeof(unsigned)));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ready_ = true;
    while (!start_) std::this_thread::yield();
    while (!stop_) {
      work_probed<<<kNumbers / 256, 256, 0, stream>>>(numbers);
      CHECK(cudaGetLastError());
      ++launches_;
      // cudaStreamSynchronize() is one of the calls that a global capture forbids.
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    CHECK(cudaStreamSynchronize(stream));
  }

 public:
  std::atomic<bool> ready_{false}, start_{false};

 private:
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> launches_{0};
  std::thread thread_;
};

// False where the capture failed.
static bool capture(cudaStream_t stream, unsigned* numbers, Launcher& launcher,
                    cudaGraph_t* graph) {
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) != cudaSuccess) return false;
  launcher.start_ = true;
  launcher.wait();
  for (unsigned step = 0; step < kSteps; ++step) {
    add_one<<<kNumbers / 256, 256, 0, stream>>>(numbers);
    if (cudaGetLastError() != cudaSuccess) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  cudaStreamCaptureStatus status;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) return false;
  return cudaStreamEndCapture(stream, graph) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  unsigned* numbers;
  cudaStream_t stream;
  cudaFuncAttributes attributes;
  CHECK(cudaMalloc(&numbers, kNumbers * sizeof(unsigned)));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  // So that no kernel is loaded in a capture.
  CHECK(cudaFuncGetAttributes(&attributes, add_one));
  CHECK(cudaFuncGetAttributes(&attributes, work_probed));
  Launcher launcher;
  while (!launcher.ready_) std::this_thread::yield();

  unsigned captures = 0, failed = 0, wrong = 0;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds)) {
    cudaGraph_t graph;
    ++captures;
    if (!capture(stream, numbers, launcher, &graph)) {
      ++failed;
      cudaGetLastError();
      continue;
    }
    cudaGraphExec_t replay;
    CHECK(cudaGraphInstantiate(&replay, graph, 0));
    CHECK(cudaMemsetAsync(numbers, 0, kNumbers * sizeof(unsigned), stream));
    CHECK(cudaGraphLaunch(replay, stream));
    unsigned last = 0;
    CHECK(cudaMemcpyAsync(&last, numbers + kNumbers - 1, sizeof(last), cudaMemcpyDeviceToHost,
                          stream));
    CHECK(cudaStreamSynchronize(stream));
    if (last != kSteps) ++wrong;
    CHECK(cudaGraphExecDestroy(replay));
    CHECK(cudaGraphDestroy(graph));
  }
  launcher.stop();
  std::printf("captures=%u failed=%u wrong=%u launches=%u\n", captures, failed, wrong,
              launcher.launches());
  return failed == 0 && wrong == 0 && captures > 0 ? 0 : 1;
}
