// The program that `egpu demo` looks into: draws the Mandelbrot set with a few kernels, through the
// CUDA driver API, and checks their results on the host. It knows nothing of egpu.
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "driver.h"
#include "picture.h"

namespace demo {
namespace {

constexpr unsigned kThreads = 256;  // of a block
constexpr unsigned kBlocks = (kPixels + kThreads - 1) / kThreads;
constexpr unsigned kPasses = 8;  // of smoothing; even, so that the result lies where it began

using Pixels = std::vector<unsigned>;

Driver load_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "no CUDA driver: %s\n", ::dlerror());
    std::exit(1);
  }
  Driver driver;
#define DEMO_FIND(name, ...) \
  driver.name = reinterpret_cast<cuda::Pointer<__VA_ARGS__>>(::dlsym(library, #name));
  DEMO_FUNCTIONS(DEMO_FIND)
#undef DEMO_FIND
  return driver;
}

// The device's side: its memory and its kernels.
class Gpu {
 public:
  explicit Gpu(const std::filesystem::path& kernels) : driver_(load_driver()) {
    cuda::Device device = 0;
    cuda::Context context = nullptr;
    check(driver_.cuInit(0), "cuInit");
    check(driver_.cuDeviceGet(&device, 0), "cuDeviceGet");
    check(driver_.cuDeviceGetName(name_.data(), static_cast<int>(name_.size()), device),
          "cuDeviceGetName");
    check(driver_.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(driver_.cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(driver_.cuModuleLoad(&module_, kernels.c_str()), "cuModuleLoad");
  }

  [[nodiscard]] const char* name() const { return name_.data(); }

  // Zeros.
  [[nodiscard]] cuda::DevicePointer allocate(std::size_t bytes) const {
    cuda::DevicePointer memory = 0;
    check(driver_.cuMemAlloc_v2(&memory, bytes), "cuMemAlloc");
    check(driver_.cuMemsetD8_v2(memory, 0, bytes), "cuMemsetD8");
    return memory;
  }

  // A thread for each pixel.
  void launch(const char* kernel, std::vector<cuda::DevicePointer> arguments) const {
    cuda::Function function = nullptr;
    check(driver_.cuModuleGetFunction(&function, module_, kernel), kernel);
    std::vector<void*> parameters;
    for (cuda::DevicePointer& argument : arguments) parameters.push_back(&argument);
    check(driver_.cuLaunchKernel(function, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr,
                                 parameters.data(), nullptr),
          kernel);
  }

  template <class T>
  [[nodiscard]] std::vector<T> read(cuda::DevicePointer memory, std::size_t count) const {
    std::vector<T> values(count);
    check(driver_.cuCtxSynchronize(), "cuCtxSynchronize");
    check(driver_.cuMemcpyDtoH_v2(values.data(), memory, count * sizeof(T)), "cuMemcpyDtoH");
    return values;
  }

 private:
  void check(cuda::Status status, const char* what) const {
    if (status == cuda::kSuccess) return;
    const char* name = nullptr;
    driver_.cuGetErrorName(status, &name);
    std::fprintf(stderr, "%s: %s\n", what, name != nullptr ? name : "unknown error");
    std::exit(1);
  }

  Driver driver_;
  std::array<char, 128> name_{};
  cuda::Module module_ = nullptr;
};

struct Results {
  Pixels picture;
  Pixels shades;  // how many pixels have each
  unsigned long long total = 0;

  bool operator==(const Results&) const = default;
};

Results on_gpu(const Gpu& gpu) {
  const std::size_t bytes = kPixels * sizeof(unsigned);
  const cuda::DevicePointer picture = gpu.allocate(bytes);
  const cuda::DevicePointer smoother = gpu.allocate(bytes);
  const cuda::DevicePointer shades = gpu.allocate(kShades * sizeof(unsigned));
  const cuda::DevicePointer total = gpu.allocate(sizeof(unsigned long long));
  gpu.launch("_Z10mandelbrotPj", {picture});
  for (unsigned pass = 0; pass < kPasses; ++pass)
    gpu.launch("_Z6smoothPKjPj",
               pass % 2 == 0 ? std::vector{picture, smoother} : std::vector{smoother, picture});
  gpu.launch("_Z9histogramPKjPj", {picture, shades});
  gpu.launch("_Z3sumPKjPy", {picture, total});
  return {.picture = gpu.read<unsigned>(picture, kPixels),
          .shades = gpu.read<unsigned>(shades, kShades),
          .total = gpu.read<unsigned long long>(total, 1)[0]};
}

Results on_host() {
  Results results{.picture = Pixels(kPixels), .shades = Pixels(kShades)};
  for (unsigned i = 0; i < kPixels; ++i) results.picture[i] = steps_at(i % kWidth, i / kWidth);
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    const Pixels before = results.picture;
    for (unsigned i = 0; i < kPixels; ++i)
      results.picture[i] = smoothed(&before[i - i % kWidth], i % kWidth);
  }
  for (const unsigned steps : results.picture) {
    ++results.shades[steps];
    results.total += steps;
  }
  return results;
}

// A character stands for this many pixels.
constexpr unsigned kColumnPixels = 8;
constexpr unsigned kRowPixels = 18;

void draw(const Pixels& picture) {
  constexpr const char* kInk = " .,:;=+*#%@";
  constexpr unsigned kInks = 11;
  for (unsigned y = kRowPixels / 2; y < kHeight; y += kRowPixels) {
    std::string line;
    for (unsigned x = kColumnPixels / 2; x < kWidth; x += kColumnPixels)
      line += kInk[picture[y * kWidth + x] * (kInks - 1) / kMostSteps];
    std::printf("%s\n", line.c_str());
  }
}

int run() {
  const Gpu gpu(std::filesystem::read_symlink("/proc/self/exe").replace_filename("kernels.ptx"));
  const Results results = on_gpu(gpu);
  draw(results.picture);
  const bool right = results == on_host();
  std::printf("%u pixels in %zu shades, drawn by %s: %s\n", kPixels, results.shades.size(),
              gpu.name(), right ? "equal to what the host computes" : "WRONG");
  return right ? 0 : 1;
}

}  // namespace
}  // namespace demo

int main() { return demo::run(); }
