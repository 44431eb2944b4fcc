// What goes wrong on the device: the driver's code, what is left of the context, and what is said.
#include <algorithm>
#include <functional>

#include "emu/driver/test_kernel_launch.h"

namespace egpu::emu::driver {
namespace {

using testing::HasSubstr;

using Faults = KernelTest;

// Thread 37 of block 1 runs `body`, in which %rd1 is the parameter.
std::string faulty(const std::string& body) {
  return R"(
.visible .entry faulty(.param .u64 memory) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .reg .pred %other;
  ld.param.u64 %rd1, [memory];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 64, %r2;
  setp.ne.u32 %other, %r3, 101;
  @%other bra done;
)" + body +
         "\ndone:\n  ret;\n}\n";
}

// Of the comment "// here" in a module's text.
std::string place_of_here(const std::string& text) {
  const auto here = with_header(text).find("// here");
  const std::string before = with_header(text).substr(0, here);
  return "module.ptx:" + std::to_string(1 + std::ranges::count(before, '\n'));
}

// Two blocks of the kernel with that body; the first error that the application sees.
Status run(const std::string& body, unsigned threads = 64) {
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  DevicePointer memory = 0;
  EXPECT_OK(cuModuleLoadData(&module, with_header(faulty(body)).c_str()));
  EXPECT_OK(cuModuleGetFunction(&function, module, "faulty"));
  EXPECT_OK(cuMemAlloc_v2(&memory, 64));
  void* parameters[] = {&memory};
  const Status launched =
      cuLaunchKernel(function, 2, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr);
  return launched == cuda::kSuccess ? cuCtxSynchronize() : launched;
}

Status exhaust_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  DevicePointer memory = 0;
  EXPECT_OK(cuMemGetInfo_v2(&free, &total));
  return cuMemAlloc_v2(&memory, free + 1);
}

struct Injected {
  std::string name;
  std::function<Status()> inject;
  Status status;
  bool sticky;  // the context is of no use any more
  std::vector<std::string> said;
};

// A fault of the kernel with that body: what is said names kernel, thread and line.
Injected in_kernel(const std::string& name, const std::string& body, Status status,
                   const std::string& reason) {
  return {.name = name,
          .inject = [body] { return run(body); },
          .status = status,
          .sticky = true,
          .said = {"faulty, block (1,0,0), thread (37,0,0), " + place_of_here(faulty(body)) + ":",
                   reason}};
}

std::vector<Injected> injected_faults() {
  return {
      in_kernel("BadAddress", "  mov.u64 %rd1, 4096;\n  st.global.u32 [%rd1], 1;  // here",
                cuda::kIllegalAddress, "illegal address: address 0x1000, 4 bytes"),
      in_kernel("MisalignedAccess", "  st.global.u32 [%rd1+2], 1;  // here",
                cuda::kMisalignedAddress, "misaligned address"),
      in_kernel("EndlessLoop", "again:\n  bra again;  // here", cuda::kLaunchTimeout,
                "out of time: the budget is spent"),
      in_kernel("BarrierDeadlock", "  bar.sync 1, 96;  // here", cuda::kLaunchTimeout, "deadlock"),
      in_kernel("Trap", "  trap;  // here", cuda::kLaunchFailed, "trap"),
      {.name = "OutOfMemory",
       .inject = exhaust_memory,
       .status = cuda::kOutOfMemory,
       .sticky = false,
       .said = {"out of memory", "are left on device 0"}},
      {.name = "TooManyThreads",
       .inject = [] { return run("", 1025); },
       .status = cuda::kInvalidValue,
       .sticky = false,
       .said = {"faulty is not launched", "(1025,1,1) threads", "1024 in all"}},
  };
}

class InjectedFaults : public Faults, public testing::WithParamInterface<Injected> {};

TEST_P(InjectedFaults, EndInTheDriversErrorAndSayWhere) {
  const Injected& injected = GetParam();
  testing::internal::CaptureStderr();
  EXPECT_STATUS(injected.inject(), injected.status);
  const std::string said = testing::internal::GetCapturedStderr();
  for (const std::string& part : injected.said) EXPECT_THAT(said, HasSubstr(part));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1);

  const Status after = injected.sticky ? injected.status : cuda::kSuccess;
  DevicePointer memory = 0;
  EXPECT_STATUS(cuCtxSynchronize(), after);
  EXPECT_STATUS(cuStreamQuery(nullptr), after);
  EXPECT_STATUS(cuMemAlloc_v2(&memory, 16), after);
}

INSTANTIATE_TEST_SUITE_P(All, InjectedFaults, testing::ValuesIn(injected_faults()),
                         [](const auto& test) { return test.param.name; });

TEST_F(Faults, RuinTheContextButNoOther) {
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 0));
  EXPECT_STATUS(run("trap;"), cuda::kLaunchFailed);
  EXPECT_OK(cuCtxDestroy_v2(other));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_OK(cuMemFree_v2(allocate(16)));
}

TEST_F(Faults, StopWhatIsBehind) {
  const cuda::Function trap = load(".visible .entry k(.param .u64 p) { trap; }", "k");
  const cuda::Function twice = load(kDouble, "twice");
  void* pinned = nullptr;
  ASSERT_OK(cuMemAllocHost_v2(&pinned, 4));
  auto* word = static_cast<unsigned*>(pinned);
  *word = 3;
  testing::internal::CaptureStderr();
  {
    const Gate gate(nullptr);
    ASSERT_OK(launch_with(trap, 0));
    ASSERT_OK(launch_with(twice, reinterpret_cast<DevicePointer>(pinned)));
  }
  EXPECT_STATUS(cuCtxSynchronize(), cuda::kLaunchFailed);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("k, block"));
  EXPECT_EQ(*word, 3U);
}

TEST_F(Faults, OfFreedMemory) {
  const cuda::Function twice = load(kDouble, "twice");
  const DevicePointer memory = allocate(64);
  EXPECT_OK(launch_with(twice, memory));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_OK(cuMemFree_v2(memory));
  EXPECT_OK(launch_with(twice, memory));
  EXPECT_STATUS(cuCtxSynchronize(), cuda::kIllegalAddress);
}

TEST_F(Faults, OfAnotherDevicesMemoryWithoutPeerAccess) {
  const cuda::Function twice = load(kDouble, "twice");
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 1));
  const DevicePointer there = upload(std::vector<unsigned>{7});
  EXPECT_OK(cuCtxPopCurrent_v2(nullptr));
  EXPECT_OK(cuCtxEnablePeerAccess(other, 0));
  EXPECT_OK(launch_with(twice, there));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_OK(cuCtxDisablePeerAccess(other));
  EXPECT_OK(launch_with(twice, there));
  EXPECT_STATUS(cuCtxSynchronize(), cuda::kIllegalAddress);
  EXPECT_OK(cuCtxPushCurrent_v2(other));
  EXPECT_EQ(download<unsigned>(there, 1).front(), 14U);
  EXPECT_OK(cuCtxDestroy_v2(other));
}

}  // namespace
}  // namespace egpu::emu::driver
