// What the runtime gives kernels: printf, assert, memory of the device's heap, clocks.
#include <cassert>

#include "support/grid.h"

using std::uint32_t;
using std::uint64_t;

namespace {

constexpr unsigned kThreads = 96;

// Lines like those of other cases.
__global__ void print_numbers() {
  printf("print_integers exact %d|%5d|%-5d|%05d|%+d|%x|%#X|%o|%c|%%\n", -5, 42, 42, 42, 7, 255u,
         255u, 8u, 'c');
  printf("print_wide exact %lld|%llu|%llx|%ld|%hd\n", -1234567890123ll, 18446744073709551615ull,
         0xfedcba9876543210ull, -7l, static_cast<short>(-3));
  printf("print_floats exact %f|%.3f|%e|%10.2e|%g|%g|%a\n", 1.5, 3.14159, 12345.678, 0.00012, 1e20,
         0.1, 0.5);
  printf("print_special exact %f|%f|%g\n", 1.0 / 0.0 * 1, -0.0, sqrt(0.0));
  printf("print_strings exact %s|%10s|%-10s|%.3s\n", "text", "right", "left", "shortened");
  printf("print_star exact %*d\n", 6, 42);
}
__global__ void print_in_order(const uint32_t* values) {
  for (unsigned n = 0; n < 4; ++n) printf("print_row_%u exact %u\n", n, values[n]);
}
__global__ void print_by_one_of_many() {
  if (global_index() == 70) printf("print_by_thread_%u exact\n", threadIdx.x);
}

struct Node {
  uint32_t value;
  Node* next;
};

__global__ void lists_on_the_heap(uint32_t* out) {
  const unsigned i = global_index();
  Node* head = nullptr;
  for (unsigned n = 0; n < i % 13 + 1; ++n) {
    Node* const node = new Node;
    if (node == nullptr) return;
    node->value = mix(i + n);
    node->next = head;
    head = node;
  }
  uint32_t sum = 0;
  while (head != nullptr) {
    sum = sum * 3 + head->value;
    Node* const next = head->next;
    delete head;
    head = next;
  }
  out[i] = sum;
}
__global__ void buffers_on_the_heap(uint32_t* out) {
  __shared__ uint32_t* cells;
  if (threadIdx.x == 0) cells = static_cast<uint32_t*>(malloc(blockDim.x * 4));
  __syncthreads();
  cells[threadIdx.x] = mix(global_index());
  __syncthreads();
  out[global_index()] = cells[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(cells);
}

__global__ void assertions(uint32_t* out) {
  const unsigned i = global_index();
  assert(i < 10000);
  assert(out != nullptr);
  out[i] = i;
}

// Clocks go forward; what they show is not compared.
__global__ void clocks(uint32_t* out) {
  const unsigned i = global_index();
  const long long before = clock64();
  uint64_t first, second;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
  __nanosleep(100);
  uint32_t value = i;
  for (int n = 0; n < 10; ++n) value = mix(value);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(second));
  const long long after = clock64();
  out[i] = (after > before) + (second >= first) * 2 + (value == 0xffffffff) * 4;
}

template <class Kernel>
std::vector<uint32_t> run(Kernel kernel) {
  const Buffer<uint32_t> out(2 * kThreads);
  kernel<<<2, kThreads>>>(out.get());
  return out.host();
}

}  // namespace

CASE(print_numbers) {
  print_numbers<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
}
CASE(print_in_order) {
  const Buffer<uint32_t> values(keys<uint32_t>(4));
  print_in_order<<<1, 1>>>(values.get());
  CHECK(cudaDeviceSynchronize());
}
CASE(print_by_one_of_many) {
  print_by_one_of_many<<<2, kThreads>>>();
  CHECK(cudaDeviceSynchronize());
}
CASE(lists_on_the_heap) { exact(run(lists_on_the_heap)); }
CASE(buffers_on_the_heap) { exact(run(buffers_on_the_heap)); }
CASE(assertions) { exact(run(assertions)); }
CASE(clocks) {
  const auto results = run(clocks);
  expect(results, std::vector<uint32_t>(2 * kThreads, 3));
  exact(results);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
