// Memory of all spaces but the shared one, and the forms of its accesses.
#include "support/grid.h"

using std::int16_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

constexpr unsigned kBlocks = 3;
constexpr unsigned kThreads = 128;
constexpr unsigned kAll = kBlocks * kThreads;

template <class Kernel>
std::vector<uint32_t> run(Kernel kernel) {
  const Buffer<uint32_t> out(kAll);
  kernel<<<kBlocks, kThreads>>>(out.get());
  return out.host();
}

__constant__ uint32_t constant_words[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
__constant__ double constant_numbers[5] = {0.5, 1.25, -3, 1e10, 7};
__device__ uint32_t counter = 41;
__device__ uint32_t words[kAll];
__device__ const char* const text = "A string that a kernel reads.";
__device__ struct {
  uint8_t a;
  uint64_t b;
  float c[3];
  const uint32_t* d;
} mixed = {7, 1ull << 40, {1, 2, 3}, &counter};

__global__ void constants(uint32_t* out) {
  const unsigned i = global_index();
  out[i] = constant_words[i % 64] * 3 + constant_words[5] +
           static_cast<uint32_t>(constant_numbers[i % 5] / 2);
}
__global__ void device_variables(uint32_t* out) {
  const unsigned i = global_index();
  words[i] = i * 3;
  out[i] = words[i] + counter + mixed.a + static_cast<uint32_t>(mixed.b >> 38) +
           static_cast<uint32_t>(mixed.c[i % 3]) + *mixed.d;
}
__global__ void change_variable() { counter += 1; }

__global__ void strings(uint32_t* out) {
  const unsigned i = global_index();
  const char* const own = i % 2 == 0 ? "even threads read this" : "odd ones read that";
  uint32_t hash = 5381;
  for (const char* c = own; *c != 0; ++c) hash = hash * 33 + static_cast<uint8_t>(*c);
  unsigned length = 0;
  while (text[length] != 0) ++length;
  out[i] = hash + length * 1000 + static_cast<uint8_t>(text[i % length]);
}

__global__ void local_array(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t cells[50];
  for (unsigned n = 0; n < 50; ++n) cells[n] = mix(n * 3 + i);
  // Sorted, by insertion.
  for (unsigned n = 1; n < 50; ++n) {
    for (unsigned m = n; m > 0 && cells[m - 1] > cells[m]; --m) {
      const uint32_t other = cells[m];
      cells[m] = cells[m - 1];
      cells[m - 1] = other;
    }
  }
  uint32_t hash = 0;
  for (unsigned n = 0; n < 50; ++n) hash = hash * 31 + cells[n];
  out[i] = hash;
}
__global__ void local_bytes(uint32_t* out) {
  const unsigned i = global_index();
  uint8_t bytes[64];
  for (unsigned n = 0; n < 64; ++n) bytes[n] = static_cast<uint8_t>(mix(i) >> (n % 25));
  uint16_t sums[8] = {};
  for (unsigned n = 0; n < 64; ++n) sums[bytes[n] % 8] += bytes[63 - n];
  uint32_t hash = 0;
  for (const uint16_t sum : sums) hash = hash * 37 + sum;
  out[i] = hash;
}

__global__ void vectors(const uint4* in, uint4* out, const double2* numbers, double2* sums,
                        const uchar4* bytes, ushort2* shorts) {
  const unsigned i = global_index();
  const uint4 a = in[i];
  out[i] = make_uint4(a.w, a.x + 1, a.z * 3, a.y);
  const double2 b = numbers[i];
  sums[i] = make_double2(b.x + b.y, b.x * b.y);
  const uchar4 c = bytes[i];
  shorts[i] = make_ushort2(static_cast<uint16_t>(c.x * c.y), static_cast<uint16_t>(c.z + c.w));
}

__global__ void narrow(const int8_t* a, const uint8_t* b, const int16_t* c, const uint16_t* d,
                       int8_t* e, uint16_t* f) {
  const unsigned i = global_index();
  e[i] = static_cast<int8_t>(a[i] + b[i] * 3);
  f[i] = static_cast<uint16_t>(c[i] * 5 - d[i]);
}

__global__ void caches(const uint32_t* in, uint32_t* out) {
  const unsigned i = global_index();
  uint32_t sum = __ldg(in + i) + 3 * __ldcg(in + i) + 5 * __ldca(in + i) + 7 * __ldcs(in + i) +
                 11 * __ldlu(in + i) + 13 * __ldcv(in + i);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
  asm volatile("prefetchu.L1 [%0];" ::"l"(in + i));
  uint32_t a, b, c;
  asm volatile("ld.global.L1::evict_last.b32 %0, [%1];" : "=r"(a) : "l"(in + i));
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.b32 %0, [%1];" : "=r"(b) : "l"(in + i));
  asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(c) : "l"(in + i));
  sum += a * 17 + b * 19 + c * 23;
  if (i % 4 == 0) __stcg(out + i, sum);
  if (i % 4 == 1) __stcs(out + i, sum);
  if (i % 4 == 2) __stwt(out + i, sum);
  if (i % 4 == 3) asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(out + i), "r"(sum));
}

__global__ void volatile_accesses(volatile uint32_t* cells, uint32_t* out) {
  const unsigned i = global_index();
  for (unsigned n = 0; n < 8; ++n) cells[i] = cells[i] * 3 + n;
  out[i] = cells[i];
}

// A structure that has to be read piece by piece.
struct __attribute__((packed)) Packed {
  uint8_t a;
  uint32_t b;
  uint16_t c;
};
__global__ void packed(const Packed* in, uint32_t* out) {
  const unsigned i = global_index();
  out[i] = in[i].a + in[i].b * 3 + in[i].c * 5u;
}

struct Large {
  uint32_t cells[200];
  const uint32_t* factor;
};
__global__ void large_parameter(const __grid_constant__ Large large, uint32_t* out) {
  const unsigned i = global_index();
  const uint32_t* const any = i % 2 == 0 ? large.cells : out;
  out[i] = large.cells[i % 200] * *large.factor + (i % 2 == 0 ? any[(i + 3) % 200] : 0);
}

__global__ void small_parameters(uint8_t a, int16_t b, uint64_t c, bool d, float e, double f,
                                 uint32_t* out) {
  out[global_index()] = a + static_cast<uint32_t>(b) * 3 + static_cast<uint32_t>(c >> 20) + d +
                        static_cast<uint32_t>(e * 8) + static_cast<uint32_t>(f * 4);
}

// Linked lists through memory of the device.
struct Node {
  uint32_t value;
  Node* next;
};
__global__ void link_nodes(Node* nodes, unsigned count) {
  const unsigned i = global_index();
  if (i < count) nodes[i] = {mix(i), &nodes[(i * 7 + 1) % count]};
}
__global__ void follow_nodes(const Node* nodes, unsigned count, uint32_t* out) {
  const unsigned i = global_index();
  const Node* node = &nodes[i % count];
  uint32_t sum = 0;
  for (unsigned n = 0; n < i % 25; ++n) {
    sum = sum * 3 + node->value;
    node = node->next;
  }
  out[i] = sum;
}

__global__ void copy_bytes(const uint8_t* in, uint8_t* out) {
  const unsigned i = global_index();
  memcpy(out + i * 13, in + i * 13, 13);
  memset(out + i * 13 + 4, static_cast<int>(i), 3);
}

// Where a thread is: of the special registers those that are the same everywhere.
__global__ void places(uint32_t* out) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  uint32_t warps, warp_size, shared_bytes;
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
  asm volatile("mov.u32 %0, WARP_SZ;" : "=r"(warp_size));
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared_bytes));
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] =
      threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y +
      100000 * blockIdx.z + warp_size + shared_bytes + (warps >= 6) +
      (gridDim.x + gridDim.y * 3 + gridDim.z * 5) * 7;
}

}  // namespace

CASE(constants) {
  std::vector<uint32_t> tail = numbers<uint32_t>(20, 1 << 30);
  CHECK(cudaMemcpyToSymbol(constant_words, tail.data(), tail.size() * 4, 40 * 4));
  exact(run(constants));
}
CASE(device_variables) {
  change_variable<<<1, 1>>>();
  const auto results = run(device_variables);
  uint32_t last = 0;
  CHECK(cudaMemcpyFromSymbol(&last, words, 4, (kAll - 1) * 4));
  exact(results, std::vector<uint32_t>{last});
}
CASE(strings) { exact(run(strings)); }
CASE(local_array) { exact(run(local_array)); }
CASE(local_bytes) { exact(run(local_bytes)); }
CASE(vectors) {
  const Buffer<uint32_t> in(keys<uint32_t>(kAll * 4)), out(kAll * 4);
  const Buffer<double> factors(numbers<double>(kAll * 2, 1000)), sums(kAll * 2);
  const Buffer<uint8_t> bytes(keys<uint8_t>(kAll * 4));
  const Buffer<uint16_t> shorts(kAll * 2);
  vectors<<<kBlocks, kThreads>>>(
      reinterpret_cast<const uint4*>(in.get()), reinterpret_cast<uint4*>(out.get()),
      reinterpret_cast<const double2*>(factors.get()), reinterpret_cast<double2*>(sums.get()),
      reinterpret_cast<const uchar4*>(bytes.get()), reinterpret_cast<ushort2*>(shorts.get()));
  exact(out, sums, shorts);
}
CASE(narrow) {
  const Buffer<int8_t> a(keys<int8_t>(kAll, 1)), e(kAll);
  const Buffer<uint8_t> b(keys<uint8_t>(kAll, 2));
  const Buffer<int16_t> c(keys<int16_t>(kAll, 3));
  const Buffer<uint16_t> d(keys<uint16_t>(kAll, 4)), f(kAll);
  narrow<<<kBlocks, kThreads>>>(a.get(), b.get(), c.get(), d.get(), e.get(), f.get());
  exact(e, f);
}
CASE(caches) {
  const Buffer<uint32_t> in(keys<uint32_t>(kAll)), out(kAll);
  caches<<<kBlocks, kThreads>>>(in.get(), out.get());
  exact(out);
}
CASE(volatile_accesses) {
  const Buffer<uint32_t> cells(keys<uint32_t>(kAll)), out(kAll);
  volatile_accesses<<<kBlocks, kThreads>>>(cells.get(), out.get());
  exact(cells, out);
}
CASE(packed) {
  const Buffer<uint8_t> bytes(keys<uint8_t>(kAll * sizeof(Packed)));
  const Buffer<uint32_t> out(kAll);
  packed<<<kBlocks, kThreads>>>(reinterpret_cast<const Packed*>(bytes.get()), out.get());
  exact(out);
}
CASE(large_parameter) {
  const Buffer<uint32_t> factor(std::vector<uint32_t>{11}), out(kAll);
  Large large{};
  for (unsigned i = 0; i < 200; ++i) large.cells[i] = mix(i);
  large.factor = factor.get();
  large_parameter<<<kBlocks, kThreads>>>(large, out.get());
  exact(out);
}
CASE(small_parameters) {
  const Buffer<uint32_t> out(kAll);
  small_parameters<<<kBlocks, kThreads>>>(200, -5, 1ull << 33, true, 2.125f, 1e5, out.get());
  exact(out);
}
CASE(linked_list) {
  const Buffer<Node> nodes(101);
  const Buffer<uint32_t> out(kAll);
  link_nodes<<<1, 128>>>(nodes.get(), 101);
  follow_nodes<<<kBlocks, kThreads>>>(nodes.get(), 101, out.get());
  exact(out);
}
CASE(copy_bytes) {
  const Buffer<uint8_t> in(keys<uint8_t>(kAll * 13)), out(kAll * 13);
  copy_bytes<<<kBlocks, kThreads>>>(in.get(), out.get());
  exact(out);
}
CASE(places) {
  const Buffer<uint32_t> out(2 * 3 * 4 * 7 * 5 * 5);
  places<<<dim3(2, 3, 4), dim3(7, 5, 5), 64>>>(out.get());
  exact(out);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
