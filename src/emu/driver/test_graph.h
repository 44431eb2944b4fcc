// For tests: two kernels that change one word, and streams and events to put them in order.
#pragma once

#include "emu/driver/test_driver.h"
#include "emu/driver/test_ptx.h"

namespace egpu::emu::driver {

class GraphTest : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    cuda::Module module = nullptr;
    ASSERT_OK(cuModuleLoadData(&module, (with_header(kAdd) + kDouble).c_str()));
    ASSERT_OK(cuModuleGetFunction(&add_, module, "add"));
    ASSERT_OK(cuModuleGetFunction(&twice_, module, "twice"));
    ASSERT_OK(cuStreamCreate(&stream_, cuda::kStreamNonBlocking));
    ASSERT_OK(cuStreamCreate(&other_, cuda::kStreamNonBlocking));
    ASSERT_OK(cuEventCreate(&event_, 0));
    ASSERT_OK(cuEventCreate(&joined_, 0));
    word_ = upload(std::vector<unsigned>{1});
  }

  Status launch_twice(cuda::Stream stream) {
    void* parameters[] = {&word_};
    return cuLaunchKernel(twice_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
  }
  Status launch_add(cuda::Stream stream, unsigned value) {
    unsigned count = 1;
    void* parameters[] = {&word_, &value, &count};
    return cuLaunchKernel(add_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
  }
  cuda::KernelNodeParameters twice_node() {
    cuda::KernelNodeParameters parameters{};
    parameters.launch = {.function = twice_,
                         .grid_x = 1,
                         .grid_y = 1,
                         .grid_z = 1,
                         .block_x = 1,
                         .block_y = 1,
                         .block_z = 1,
                         .shared_bytes = 0,
                         .parameters = twice_parameters_,
                         .extra = nullptr};
    return parameters;
  }
  void launch(cuda::Graph graph, int times = 1) const {
    cuda::GraphExec exec = nullptr;
    ASSERT_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < times; ++i) ASSERT_OK(cuGraphLaunch(exec, stream_));
    EXPECT_OK(cuStreamSynchronize(stream_));
    EXPECT_OK(cuGraphExecDestroy(exec));
  }
  unsigned word() const { return download<unsigned>(word_, 1).front(); }
  static std::size_t node_count(cuda::Graph graph) {
    std::size_t count = 0;
    EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
    return count;
  }
  static cuda::CaptureStatus capture_status(cuda::Stream stream) {
    cuda::CaptureStatus status = -1;
    EXPECT_OK(cuStreamIsCapturing(stream, &status));
    return status;
  }

  cuda::Function add_ = nullptr;
  cuda::Function twice_ = nullptr;
  cuda::Stream stream_ = nullptr;
  cuda::Stream other_ = nullptr;
  cuda::Event event_ = nullptr;
  cuda::Event joined_ = nullptr;
  DevicePointer word_ = 0;
  void* twice_parameters_[1] = {&word_};
};

}  // namespace egpu::emu::driver
