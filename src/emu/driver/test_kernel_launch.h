// For tests: kernels from text, and launches of them.
#pragma once

#include "emu/driver/test_driver.h"
#include "emu/driver/test_ptx.h"

namespace egpu::emu::driver {

class KernelTest : public DriverTest {
 protected:
  static cuda::Function load(const std::string& text, const char* name) {
    cuda::Module module = nullptr;
    EXPECT_OK(cuModuleLoadData(&module, with_header(text).c_str()));
    cuda::Function function = nullptr;
    EXPECT_OK(cuModuleGetFunction(&function, module, name));
    return function;
  }

  // One block of one thread with a pointer for its parameter.
  static Status launch_with(cuda::Function function, DevicePointer pointer,
                            cuda::Stream stream = nullptr) {
    void* parameters[] = {&pointer};
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
  }
};

}  // namespace egpu::emu::driver
