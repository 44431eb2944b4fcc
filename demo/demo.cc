// The program that `egpu demo` looks into: draws the Mandelbrot set with a few kernels, through the
// CUDA driver API, and checks their results on the host. It knows nothing of egpu.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "demo/gpu.h"
#include "demo/picture.h"

namespace demo {
namespace {

constexpr unsigned kThreads = 256;  // of a block
constexpr unsigned kBlocks = (kPixels + kThreads - 1) / kThreads;
constexpr unsigned kPasses = 8;  // of smoothing; even, so that the result lies where it began

using Pixels = std::vector<unsigned>;

struct Results {
  Pixels picture;
  Pixels shades;  // how many pixels have each
  unsigned long long total = 0;

  bool operator==(const Results&) const = default;
};

// A thread for each pixel.
void launch(const Gpu& gpu, const char* kernel, cuda::DevicePointer from, cuda::DevicePointer to) {
  gpu.launch(gpu.kernel(kernel), kBlocks, kThreads, {&from, &to});
}

Results on_gpu(const Gpu& gpu) {
  const std::size_t bytes = kPixels * sizeof(unsigned);
  const cuda::DevicePointer picture = gpu.allocate(bytes);
  const cuda::DevicePointer smoother = gpu.allocate(bytes);
  const cuda::DevicePointer shades = gpu.allocate(kShades * sizeof(unsigned));
  const cuda::DevicePointer total = gpu.allocate(sizeof(unsigned long long));
  launch(gpu, "_Z10mandelbrotPj", picture, 0);
  for (unsigned pass = 0; pass < kPasses; pass += 2) {
    launch(gpu, "_Z6smoothPKjPj", picture, smoother);
    launch(gpu, "_Z6smoothPKjPj", smoother, picture);
  }
  launch(gpu, "_Z9histogramPKjPj", picture, shades);
  launch(gpu, "_Z3sumPKjPy", picture, total);
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
