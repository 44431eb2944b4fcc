// c = a + b, through the CUDA runtime. Usage: vec_add [ELEMENTS [LAUNCHES [SECONDS]]] Prints as
// VecAddData::report() says; exit 1 where the result is wrong. With SECONDS it goes on launching
// for that long, so that it, or its observer, can be killed meanwhile.
#include <chrono>

#include "check.h"
#include "vec_add_data.h"

__global__ void vec_add(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const unsigned long launches = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  const double seconds = argc > 3 ? std::strtod(argv[3], nullptr) : 0;
  constexpr unsigned kBlock = 512;
  const auto grid = static_cast<unsigned>((n + kBlock - 1) / kBlock);

  VecAddData host(n);
  const std::size_t bytes = n * sizeof(float);
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMalloc(&c, bytes));
  CHECK(cudaMemcpy(a, host.a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, host.b.data(), bytes, cudaMemcpyHostToDevice));

  const auto start = std::chrono::steady_clock::now();
  const auto running = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
           seconds;
  };
  unsigned long done = 0;
  while (done < launches || running()) {
    vec_add<<<grid, kBlock>>>(a, b, c, n);
    CHECK(cudaGetLastError());
    if (++done % 1000 == 0) CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.c.data(), c, bytes, cudaMemcpyDeviceToHost));
  return host.report(done, static_cast<unsigned long long>(done) * grid * kBlock);
}
