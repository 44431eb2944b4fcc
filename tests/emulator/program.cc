// The observed program of the emulator's tests; it knows nothing of egpu.
//   emulated_program vec_add [ELEMENTS [LAUNCHES [FILE]]]   as tests/gpu/vec_add.cu; with FILE it
//                                                           writes its pid to FILE.started and goes
//                                                           on launching until FILE exists
//   emulated_program grid                                   2 blocks of 64 threads
//   emulated_program wild|misaligned|trap                   a launch that faults
// Its kernels are in kernels.ptx beside it, or in the file that EMULATED_MODULE names.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "demo/gpu.h"
#include "gpu/vec_add_data.h"

namespace {

std::string module() {
  if (const char* chosen = std::getenv("EMULATED_MODULE")) return chosen;
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename("kernels.ptx");
}

int vec_add(const demo::Gpu& gpu, std::size_t n, unsigned long launches, const char* end) {
  constexpr unsigned kThreads = 512;
  const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  VecAddData host(n);
  const std::size_t bytes = n * sizeof(float);
  auto a = gpu.allocate(bytes);
  auto b = gpu.allocate(bytes);
  auto c = gpu.allocate(bytes);
  gpu.write(a, host.a.data(), bytes);
  gpu.write(b, host.b.data(), bytes);
  const auto kernel = gpu.kernel("vec_add");
  const auto launch = [&] { gpu.launch(kernel, blocks, kThreads, {&a, &b, &c, &n}); };

  unsigned long done = 0;
  for (; done < launches; ++done) launch();
  gpu.wait();
  ::alarm(end != nullptr ? 300 : 0);  // nobody may be left who would make the file
  if (end != nullptr) std::ofstream(std::string(end) + ".started") << ::getpid() << '\n';
  for (; end != nullptr && !std::filesystem::exists(end); ++done) {
    launch();
    gpu.wait();
  }
  gpu.read(c, host.c.data(), bytes);
  return host.report(done, static_cast<unsigned long long>(done) * blocks * kThreads);
}

int grid(const demo::Gpu& gpu) {
  constexpr std::size_t kBlocks = 2;
  constexpr std::size_t kThreads = 64;
  auto out = gpu.allocate(kBlocks * kThreads * sizeof(unsigned));
  gpu.launch(gpu.kernel("grid"), kBlocks, kThreads, {&out});
  const auto values = gpu.read<unsigned>(out, kBlocks * kThreads);
  for (unsigned i = 0; i < values.size(); ++i)
    if (values[i] != 3 * i + 1) return 1;
  return 0;
}

int fault(const demo::Gpu& gpu, const char* kernel) {
  auto memory = gpu.allocate(64);
  gpu.launch(gpu.kernel(kernel), 2, 32, {&memory});
  gpu.wait();
  return 0;
}

unsigned long number(int argc, char** argv, int at, unsigned long otherwise) {
  return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: emulated_program WHAT [ARGUMENT...]\n");
    return 3;
  }
  const demo::Gpu gpu(module());
  if (std::strcmp(argv[1], "vec_add") == 0)
    return vec_add(gpu, number(argc, argv, 2, 1'000'000), number(argc, argv, 3, 1),
                   argc > 4 ? argv[4] : nullptr);
  if (std::strcmp(argv[1], "grid") == 0) return grid(gpu);
  return fault(gpu, argv[1]);
}
