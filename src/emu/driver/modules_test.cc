// Modules, libraries and what can be asked of their kernels.
#include <filesystem>
#include <fstream>

#include "emu/driver/test_driver.h"
#include "emu/driver/test_ptx.h"
#include "fatbin/test_images.h"

namespace egpu::emu::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr char kVariables[] = R"(
.visible .global .align 4 .u32 counters[4] = {5, 6, 7, 8};
.visible .const .align 4 .u32 factor = 3;
.visible .global .attribute(.managed) .align 4 .u32 shown = 11;
)";

class DriverModules : public DriverTest {
 protected:
  static cuda::Module load(const std::string& text) {
    cuda::Module module = nullptr;
    EXPECT_OK(cuModuleLoadData(&module, text.c_str()));
    return module;
  }
  static cuda::Library load_library(const std::string& text) {
    cuda::Library library = nullptr;
    EXPECT_OK(cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    return library;
  }
};

int attribute(cuda::Function function, cuda::FunctionAttribute which) {
  int value = -1;
  EXPECT_OK(cuFuncGetAttribute(&value, which, function));
  return value;
}

TEST_F(DriverModules, HaveKernelsAndVariables) {
  const cuda::Module module = load(with_header(std::string(kVariables) + kAdd + kDouble));
  unsigned count = 0;
  EXPECT_OK(cuModuleGetFunctionCount(&count, module));
  ASSERT_EQ(count, 2U);
  cuda::Function functions[2] = {};
  EXPECT_OK(cuModuleEnumerateFunctions(functions, 2, module));
  std::vector<std::string> names;
  for (const cuda::Function function : functions) {
    const char* name = nullptr;
    EXPECT_OK(cuFuncGetName(&name, function));
    names.emplace_back(name);
    cuda::Module of = nullptr;
    EXPECT_OK(cuFuncGetModule(&of, function));
    EXPECT_EQ(of, module);
  }
  EXPECT_THAT(names, UnorderedElementsAre("add", "twice"));

  DevicePointer address = 0;
  std::size_t bytes = 0;
  EXPECT_OK(cuModuleGetGlobal_v2(&address, &bytes, module, "counters"));
  EXPECT_EQ(bytes, 16U);
  EXPECT_THAT(download<unsigned>(address, 4), ElementsAre(5, 6, 7, 8));
  EXPECT_OK(cuMemsetD32_v2(address + 4, 60, 1));
  EXPECT_THAT(download<unsigned>(address, 2), ElementsAre(5, 60));
  EXPECT_OK(cuModuleGetGlobal_v2(&address, nullptr, module, "factor"));
  EXPECT_THAT(download<unsigned>(address, 1), ElementsAre(3));

  cuda::Function function = nullptr;
  EXPECT_STATUS(cuModuleGetFunction(&function, module, "none"), cuda::kNotFound);
  EXPECT_STATUS(cuModuleGetGlobal_v2(&address, &bytes, module, "none"), cuda::kNotFound);
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_STATUS(cuModuleUnload(module), cuda::kInvalidHandle);
  EXPECT_STATUS(cuMemsetD32_v2(address, 0, 1), cuda::kInvalidValue);
  const char* name = nullptr;
  EXPECT_STATUS(cuFuncGetName(&name, functions[0]), cuda::kInvalidHandle);
}

TEST_F(DriverModules, AreLoadedFromFiles) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("egpu-modules-test-" + std::to_string(::getpid()) + ".ptx");
  std::ofstream(path) << with_header(kDouble);
  cuda::Module module = nullptr;
  EXPECT_OK(cuModuleLoad(&module, path.c_str()));
  cuda::Library library = nullptr;
  EXPECT_OK(
      cuLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  cuda::Kernel kernel = nullptr;
  EXPECT_OK(cuLibraryGetKernel(&kernel, library, "twice"));
  cuda::LinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  EXPECT_OK(cuLinkAddFile_v2(link, cuda::kJitInputPtx, path.c_str(), 0, nullptr, nullptr));
  void* image = nullptr;
  std::size_t size = 0;
  EXPECT_OK(cuLinkComplete(link, &image, &size));
  EXPECT_OK(cuLinkDestroy(link));
  std::filesystem::remove(path);
  EXPECT_STATUS(cuModuleLoad(&module, path.c_str()), cuda::kFileNotFound);
  EXPECT_STATUS(
      cuLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      cuda::kFileNotFound);
}

// The code of a fatbin member tells its architecture in its kernels' attribute.
TEST_F(DriverModules, RunThePtxOfTheMemberThatTheDriverWouldRun) {
  const auto ptx_for = [](int architecture) {
    return ".version 8.0\n.target sm_" + std::to_string(architecture) + "\n.address_size 64\n" +
           kDouble;
  };
  const auto entry = [&](std::uint32_t architecture) {
    return fatbin::lz4_entry(
        {.architecture = architecture, .payload = ptx_for(static_cast<int>(architecture))});
  };
  const auto version_of = [&](const std::vector<fatbin::TestEntry>& entries) {
    const std::string image = fatbin::region(entries);
    cuda::Module module = nullptr;
    EXPECT_OK(cuModuleLoadFatBinary(&module, image.data()));
    cuda::Function function = nullptr;
    EXPECT_OK(cuModuleGetFunction(&function, module, "twice"));
    EXPECT_EQ(attribute(function, cuda::kFunctionBinaryVersion), 90);
    return attribute(function, cuda::kFunctionPtxVersion);
  };
  EXPECT_EQ(version_of({entry(70), entry(80), entry(100)}), 80);
  const fatbin::TestEntry cubin{
      .kind = fatbin::kElfEntry,
      .architecture = 90,
      .payload = fatbin::cubin({.source_architecture = 75, .kernels = {"twice"}})};
  EXPECT_EQ(version_of({entry(75), entry(80), cubin}), 75);
  EXPECT_EQ(version_of({entry(70), entry(80), cubin}), 80);  // its source is not there
}

TEST_F(DriverModules, WithoutCodeForTheDeviceAreRefusedWithTheReason) {
  cuda::Module module = nullptr;
  const std::string too_new = fatbin::region(
      {{.architecture = 100, .payload = ".version 8.6\n.target sm_100\n.address_size 64\n"}});
  testing::internal::CaptureStderr();
  EXPECT_STATUS(cuModuleLoadFatBinary(&module, too_new.data()), cuda::kNoBinaryForGpu);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("compute_100"));

  const std::string cubin = fatbin::cubin({});
  testing::internal::CaptureStderr();
  EXPECT_STATUS(cuModuleLoadData(&module, cubin.data()), cuda::kNoBinaryForGpu);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("no PTX"));

  EXPECT_STATUS(cuModuleLoadData(&module, "nonsense"), cuda::kInvalidImage);
  EXPECT_STATUS(cuModuleLoadData(&module, ".version 99.0\n.target sm_90\n.address_size 64\n"),
                cuda::kUnsupportedPtxVersion);
}

TEST_F(DriverModules, ThatDoNotParseAreExplainedInTheLog) {
  char log[200] = {};
  cuda::JitOption options[] = {cuda::kJitErrorLog, cuda::kJitErrorLogBytes, cuda::kJitMaxRegisters};
  void* values[] = {log, as_pointer(sizeof log), nullptr};
  cuda::Module module = nullptr;
  EXPECT_STATUS(
      cuModuleLoadDataEx(&module, with_header(".visible .entry k( {").c_str(), 3, options, values),
      cuda::kInvalidPtx);
  EXPECT_THAT(log, HasSubstr("module.ptx:4"));
  EXPECT_EQ(reinterpret_cast<std::size_t>(values[1]), std::strlen(log));
  EXPECT_OK(cuModuleLoadDataEx(&module, with_header(kDouble).c_str(), 3, options, values));
  EXPECT_STREQ(log, "");
}

TEST_F(DriverModules, SayWhichInstructionTheExecutorDoesNotKnow) {
  const cuda::Module module = load(with_header(
      ".visible .entry odd() {\n  .reg .b32 %r1;\n  frobnicate.u32 %r1, 1;\n  ret;\n}\n"));
  cuda::Function function = nullptr;
  ASSERT_OK(cuModuleGetFunction(&function, module, "odd"));
  testing::internal::CaptureStderr();
  EXPECT_STATUS(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                cuda::kNotSupported);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("odd"));
  EXPECT_THAT(said, HasSubstr("frobnicate"));
  EXPECT_THAT(said, HasSubstr("module.ptx:6"));
  EXPECT_OK(cuCtxSynchronize());  // nothing was launched
}

TEST_F(DriverModules, TellAttributesOfKernels) {
  const cuda::Module module = load(with_header(R"(
.visible .const .align 4 .b8 table[100];
.visible .entry k(.param .u32 first, .param .u64 second) .maxntid 128, 1, 1 {
  .shared .align 4 .b8 buffer[256];
  .local .align 4 .b8 stack[64];
  ret;
})"));
  cuda::Function function = nullptr;
  ASSERT_OK(cuModuleGetFunction(&function, module, "k"));
  EXPECT_EQ(attribute(function, cuda::kFunctionMaxThreadsPerBlock), 128);
  EXPECT_EQ(attribute(function, cuda::kFunctionSharedSizeBytes), 256);
  EXPECT_EQ(attribute(function, cuda::kFunctionLocalSizeBytes), 64);
  EXPECT_EQ(attribute(function, cuda::kFunctionConstSizeBytes), 100);
  EXPECT_EQ(attribute(function, cuda::kFunctionMaxDynamicSharedSizeBytes), 49152 - 256);
  EXPECT_OK(cuFuncSetAttribute(function, cuda::kFunctionMaxDynamicSharedSizeBytes, 100000));
  EXPECT_EQ(attribute(function, cuda::kFunctionMaxDynamicSharedSizeBytes), 100000);
  EXPECT_STATUS(cuFuncSetAttribute(function, cuda::kFunctionMaxDynamicSharedSizeBytes, 232448),
                cuda::kInvalidValue);
  EXPECT_STATUS(cuFuncSetAttribute(function, cuda::kFunctionNumRegs, 3), cuda::kInvalidValue);
  std::size_t offset = 0;
  std::size_t size = 0;
  EXPECT_OK(cuFuncGetParamInfo(function, 1, &offset, &size));
  EXPECT_EQ(offset, 8U);
  EXPECT_EQ(size, 8U);
  EXPECT_STATUS(cuFuncGetParamInfo(function, 2, &offset, &size), cuda::kInvalidValue);
  EXPECT_OK(cuFuncSetCacheConfig(function, 1));
  EXPECT_OK(cuFuncSetSharedMemConfig(function, 1));
  int loaded = -1;
  EXPECT_OK(cuFuncIsLoaded(&loaded, function));
  EXPECT_EQ(loaded, 0);
  EXPECT_OK(cuFuncLoad(function));
  EXPECT_OK(cuFuncIsLoaded(&loaded, function));
  EXPECT_EQ(loaded, 1);
}

TEST_F(DriverModules, OfLibrariesComeWhenTheyAreUsed) {
  const cuda::Library library = load_library(with_header(std::string(kVariables) + kDouble));
  unsigned count = 0;
  EXPECT_OK(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 1U);
  cuda::Kernel kernel = nullptr;
  EXPECT_OK(cuLibraryGetKernel(&kernel, library, "twice"));
  cuda::Kernel enumerated = nullptr;
  EXPECT_OK(cuLibraryEnumerateKernels(&enumerated, 1, library));
  EXPECT_EQ(enumerated, kernel);
  const char* name = nullptr;
  EXPECT_OK(cuKernelGetName(&name, kernel));
  EXPECT_STREQ(name, "twice");
  cuda::Library of = nullptr;
  EXPECT_OK(cuKernelGetLibrary(&of, kernel));
  EXPECT_EQ(of, library);
  std::size_t offset = 1;
  EXPECT_OK(cuKernelGetParamInfo(kernel, 0, &offset, nullptr));
  EXPECT_EQ(offset, 0U);
  EXPECT_STATUS(cuKernelGetParamInfo(kernel, 1, &offset, nullptr), cuda::kInvalidValue);
  EXPECT_OK(cuKernelSetCacheConfig(kernel, 1, 0));
  int mode = 0;
  EXPECT_OK(cuModuleGetLoadingMode(&mode));
  EXPECT_EQ(mode, 2);  // lazy
  EXPECT_STATUS(cuLibraryGetKernel(&kernel, library, "none"), cuda::kNotFound);

  cuda::Module module = nullptr;
  EXPECT_OK(cuLibraryGetModule(&module, library));
  EXPECT_STATUS(cuModuleUnload(module), cuda::kNotPermitted);
  DevicePointer here = 0;
  std::size_t bytes = 0;
  EXPECT_OK(cuLibraryGetGlobal(&here, &bytes, library, "counters"));
  EXPECT_OK(cuMemsetD32_v2(here, 50, 1));
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 0));
  DevicePointer there = 0;
  EXPECT_OK(cuLibraryGetGlobal(&there, &bytes, library, "counters"));
  EXPECT_NE(there, here);  // a context has its own
  EXPECT_EQ(download<unsigned>(there, 1).front(), 5U);
  EXPECT_OK(cuCtxDestroy_v2(other));
  EXPECT_OK(cuLibraryGetManaged(&here, &bytes, library, "shown"));
  EXPECT_EQ(*static_cast<unsigned*>(as_pointer(here)), 11U);
  EXPECT_STATUS(cuLibraryGetManaged(&here, &bytes, library, "counters"), cuda::kNotFound);
  EXPECT_OK(cuLibraryUnload(library));
  EXPECT_STATUS(cuLibraryUnload(library), cuda::kInvalidHandle);
  EXPECT_STATUS(cuKernelGetName(&name, enumerated), cuda::kInvalidHandle);
}

TEST_F(DriverModules, KernelsOfLibrariesKeepAttributesForEachDevice) {
  const cuda::Library library = load_library(with_header(kDouble));
  cuda::Kernel kernel = nullptr;
  ASSERT_OK(cuLibraryGetKernel(&kernel, library, "twice"));
  EXPECT_OK(cuKernelSetAttribute(cuda::kFunctionMaxDynamicSharedSizeBytes, 60000, kernel, 0));
  cuda::Function function = nullptr;
  ASSERT_OK(cuKernelGetFunction(&function, kernel));
  EXPECT_EQ(attribute(function, cuda::kFunctionMaxDynamicSharedSizeBytes), 60000);
  EXPECT_EQ(
      attribute(reinterpret_cast<cuda::Function>(kernel), cuda::kFunctionMaxDynamicSharedSizeBytes),
      60000);
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 1));
  int value = 0;
  EXPECT_OK(cuKernelGetAttribute(&value, cuda::kFunctionMaxDynamicSharedSizeBytes, kernel, 1));
  EXPECT_EQ(value, 49152);
  EXPECT_OK(cuCtxDestroy_v2(other));
  EXPECT_STATUS(cuKernelSetAttribute(cuda::kFunctionMaxDynamicSharedSizeBytes, 1, kernel, 5),
                cuda::kInvalidDevice);
  EXPECT_OK(cuLibraryUnload(library));
}

TEST_F(DriverModules, ComeFromTheLinkerToo) {
  cuda::LinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  std::string text = with_header(kDouble);
  EXPECT_OK(cuLinkAddData_v2(link, cuda::kJitInputPtx, text.data(), text.size() + 1, "a.ptx", 0,
                             nullptr, nullptr));
  EXPECT_STATUS(cuLinkAddData_v2(link, cuda::kJitInputPtx, text.data(), text.size(), "b.ptx", 0,
                                 nullptr, nullptr),
                cuda::kNotSupported);
  void* image = nullptr;
  std::size_t size = 0;
  ASSERT_OK(cuLinkComplete(link, &image, &size));
  EXPECT_GT(size, 0U);
  cuda::Module module = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, image));
  EXPECT_OK(cuLinkDestroy(link));
  EXPECT_STATUS(cuLinkDestroy(link), cuda::kInvalidHandle);
  cuda::Function function = nullptr;
  EXPECT_OK(cuModuleGetFunction(&function, module, "twice"));
}

}  // namespace
}  // namespace egpu::emu::driver
