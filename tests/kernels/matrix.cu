// Products of matrices by a warp: wmma, mma.sync and the instructions that bring tiles into place.
// Sums of floats come in an order that is not documented: where values are small whole numbers they
// are exact in any, elsewhere they are compared within a bound.
#include <cuda_fp8.h>
#include <mma.h>

#include "support/grid.h"

namespace wmma = nvcuda::wmma;
using std::int32_t;
using std::int8_t;
using std::uint32_t;
using std::uint8_t;

namespace {

// ---- wmma: fragments are loaded from memory

template <class In, class Out, unsigned M, unsigned N, unsigned K, class Layout>
__global__ void multiply_tiles(const In* a, const In* b, Out* c) {
  wmma::fragment<wmma::matrix_a, M, N, K, In, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, In, Layout> right;
  wmma::fragment<wmma::accumulator, M, N, K, Out> sum;
  wmma::fill_fragment(sum, static_cast<Out>(3));
  for (unsigned n = 0; n < 2; ++n) {
    wmma::load_matrix_sync(left, a + n * M * K, K);
    wmma::load_matrix_sync(right, b + n * K * N, std::is_same_v<Layout, wmma::row_major> ? N : K);
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i];
  wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

template <class T>
std::vector<T> whole(std::size_t size, unsigned limit, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(size);
  for (T& value : values) {
    const auto number = static_cast<int>(random.below(limit));
    if constexpr (kernels::Format<T>::is_float) {
      value = T(static_cast<float>(number - static_cast<int>(limit / 2)));
    } else {
      value = static_cast<T>(number - (std::is_signed_v<T> ? static_cast<int>(limit / 2) : 0));
    }
  }
  return values;
}

template <class In, class Out, unsigned M, unsigned N, unsigned K, class Layout = wmma::row_major>
std::vector<Out> tiles(unsigned limit) {
  const Buffer<In> a(whole<In>(2 * M * K, limit, 1)), b(whole<In>(2 * K * N, limit, 2));
  const Buffer<Out> c(M * N);
  multiply_tiles<In, Out, M, N, K, Layout><<<1, 32>>>(a.get(), b.get(), c.get());
  return c.host();
}

// ---- mma.sync: each lane fills its registers

// Registers of lane i hold element (i, n) of what the case makes of it; the layout of the results
// is part of what is compared.
template <class Operation>
__global__ void with_registers(const uint32_t* a, const uint32_t* b, uint32_t* out,
                               Operation operation) {
  uint32_t left[4], right[2], sum[4];
  for (unsigned n = 0; n < 4; ++n) left[n] = a[threadIdx.x * 4 + n];
  for (unsigned n = 0; n < 2; ++n) right[n] = b[threadIdx.x * 2 + n];
  operation(left, right, sum);
  for (unsigned n = 0; n < 4; ++n) out[threadIdx.x * 4 + n] = sum[n];
}

// Words made of small whole numbers of a type.
template <class T>
std::vector<uint32_t> words_of(std::size_t words, unsigned limit, std::uint64_t seed) {
  const auto values = whole<T>(words * 4 / sizeof(T), limit, seed);
  std::vector<uint32_t> result(words);
  std::memcpy(result.data(), values.data(), words * 4);
  return result;
}

// Four numbers a word: sums of f8 products keep few bits.
std::vector<uint32_t> small_e4m3(std::size_t words, std::uint64_t seed) {
  constexpr uint8_t kNumbers[] = {0x00, 0x38, 0x40, 0x44, 0x48, 0xb8, 0xc0, 0xc4};
  std::vector<uint32_t> result(words);
  Random random(seed);
  for (uint32_t& word : result) {
    for (int i = 0; i < 4; ++i) word = word << 8 | kNumbers[random.below(8)];
  }
  return result;
}

template <class Operation>
std::vector<uint32_t> multiply(Operation operation, const std::vector<uint32_t>& a,
                               const std::vector<uint32_t>& b) {
  const Buffer<uint32_t> left(a), right(b), out(32 * 4);
  with_registers<<<1, 32>>>(left.get(), right.get(), out.get(), operation);
  return out.host();
}

template <class T>
std::vector<uint32_t> left_of(unsigned limit) {
  return words_of<T>(32 * 4, limit, 5);
}
template <class T>
std::vector<uint32_t> right_of(unsigned limit) {
  return words_of<T>(32 * 2, limit, 6);
}

#define FLOAT_SUM(shape, type)                                                        \
  [] __device__(const uint32_t* a, const uint32_t* b, uint32_t* sum) {                \
    float d[4] = {1, 2, 3, 4};                                                        \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type              \
                 ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"         \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                     \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
    for (int n = 0; n < 4; ++n) sum[n] = __float_as_uint(d[n]);                       \
  }
#define SHORT_FLOAT_SUM(shape, type)                                     \
  [] __device__(const uint32_t* a, const uint32_t* b, uint32_t* sum) {   \
    float d[4] = {1, 2, 3, 4};                                           \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type \
                 ".f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"     \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])        \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));                     \
    for (int n = 0; n < 4; ++n) sum[n] = __float_as_uint(d[n]);          \
  }
#define INTEGER_SUM(shape, left, right, options)                                      \
  [] __device__(const uint32_t* a, const uint32_t* b, uint32_t* sum) {                \
    uint32_t d[4] = {1, 2, 3, 4};                                                     \
    asm volatile("mma.sync.aligned." shape ".row.col" options ".s32." left "." right  \
                 ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"         \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                     \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
    for (int n = 0; n < 4; ++n) sum[n] = d[n];                                        \
  }

__global__ void multiply_f64(const double* a, const double* b, double* out) {
  double d[2] = {1, 2};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a[threadIdx.x]), "d"(b[threadIdx.x]));
  out[threadIdx.x * 2] = d[0];
  out[threadIdx.x * 2 + 1] = d[1];
}

__global__ void half_sums(const uint32_t* a, const uint32_t* b, uint32_t* out) {
  uint32_t d[2] = {0x3c004000, 0x42004400};
  const uint32_t* const left = a + threadIdx.x * 4;
  const uint32_t* const right = b + threadIdx.x * 2;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  out[threadIdx.x * 2] = d[0];
  out[threadIdx.x * 2 + 1] = d[1];
}

// ---- tiles between memory and registers

__global__ void load_tiles(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(16) uint32_t cells[32 * 4];
  for (unsigned n = 0; n < 4; ++n) cells[threadIdx.x * 4 + n] = in[threadIdx.x * 4 + n];
  __syncwarp();
  const auto row = static_cast<uint32_t>(__cvta_generic_to_shared(&cells[threadIdx.x * 4]));
  uint32_t a[4], b[2], c;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(row)
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0]), "=r"(b[1])
               : "r"(row)
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(c)
               : "r"(row)
               : "memory");
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(c));
  for (unsigned n = 0; n < 4; ++n) out[threadIdx.x * 4 + n] = a[n] * 3 + b[n % 2] + c * 5;
}
__global__ void store_tiles(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(16) uint32_t cells[32 * 4];
  const auto row = static_cast<uint32_t>(__cvta_generic_to_shared(&cells[threadIdx.x * 4]));
  const uint32_t* const a = in + threadIdx.x * 4;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(row),
               "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
               : "memory");
  __syncwarp();
  for (unsigned n = 0; n < 4; ++n) out[threadIdx.x * 4 + n] = cells[threadIdx.x * 4 + n];
  __syncwarp();
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(row),
               "r"(a[0]), "r"(a[1])
               : "memory");
  __syncwarp();
  for (unsigned n = 0; n < 4; ++n) out[threadIdx.x * 4 + n] += cells[threadIdx.x * 4 + n] * 3;
}

}  // namespace

CASE(wmma_f16_f32) { exact(tiles<__half, float, 16, 16, 16>(32)); }
CASE(wmma_f16_f32_columns) { exact(tiles<__half, float, 16, 16, 16, wmma::col_major>(32)); }
CASE(wmma_f16_f16) { exact(tiles<__half, __half, 16, 16, 16>(8)); }
CASE(wmma_f16_wide) { exact(tiles<__half, float, 8, 32, 16>(32)); }
CASE(wmma_f16_tall) { exact(tiles<__half, float, 32, 8, 16, wmma::col_major>(32)); }
CASE(wmma_bf16) { exact(tiles<__nv_bfloat16, float, 16, 16, 16>(32)); }
CASE(wmma_s8) { exact(tiles<signed char, int, 16, 16, 16>(256)); }
CASE(wmma_u8) { exact(tiles<unsigned char, int, 16, 16, 16, wmma::col_major>(256)); }
CASE(wmma_f64) { exact(tiles<double, double, 8, 8, 4>(1000)); }

CASE(mma_f16) {
  exact(multiply(FLOAT_SUM("m16n8k16", "f16"), left_of<__half>(64), right_of<__half>(64)));
}
CASE(mma_f16_short) {
  exact(multiply(SHORT_FLOAT_SUM("m16n8k8", "f16"), left_of<__half>(64), right_of<__half>(64)));
}
CASE(mma_bf16) {
  exact(multiply(FLOAT_SUM("m16n8k16", "bf16"), left_of<__nv_bfloat16>(64),
                 right_of<__nv_bfloat16>(64)));
}
CASE(mma_tf32) {
  exact(multiply(FLOAT_SUM("m16n8k8", "tf32"), left_of<float>(500), right_of<float>(500)));
}
CASE(mma_e4m3) {
  exact(multiply(FLOAT_SUM("m16n8k32", "e4m3"), small_e4m3(32 * 4, 5), small_e4m3(32 * 2, 6)));
}
CASE(mma_s8) {
  exact(multiply(INTEGER_SUM("m16n8k32", "s8", "s8", ""), keys<uint32_t>(128, 5),
                 keys<uint32_t>(64, 6)));
}
CASE(mma_u8_s8) {
  exact(multiply(INTEGER_SUM("m16n8k32", "u8", "s8", ".satfinite"), keys<uint32_t>(128, 5),
                 keys<uint32_t>(64, 6)));
}
CASE(mma_s4) {
  exact(multiply(INTEGER_SUM("m16n8k64", "s4", "s4", ""), keys<uint32_t>(128, 5),
                 keys<uint32_t>(64, 6)));
}
CASE(mma_bits) {
  exact(multiply(
      [] __device__(const uint32_t* a, const uint32_t* b, uint32_t* sum) {
        uint32_t d[4] = {1, 2, 3, 4};
        asm volatile(
            "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, "
            "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        for (int n = 0; n < 4; ++n) sum[n] = d[n];
      },
      keys<uint32_t>(128, 5), keys<uint32_t>(64, 6)));
}
CASE(mma_f16_sums) {
  const Buffer<uint32_t> a(left_of<__half>(8)), b(right_of<__half>(8)), out(64);
  half_sums<<<1, 32>>>(a.get(), b.get(), out.get());
  exact(out);
}
CASE(mma_f64) {
  const Buffer<double> a(whole<double>(32, 1000, 1)), b(whole<double>(32, 1000, 2)), out(64);
  multiply_f64<<<1, 32>>>(a.get(), b.get(), out.get());
  exact(out);
}

// Products of numbers with all their bits. How sums are rounded is not documented: each of the 16
// products, below 1, may lose what lies below the 24 bits of a sum that is below 8.
CASE(mma_f16_rounded) {
  std::vector<__half> a(256), b(128);
  Random random(9);
  for (__half& value : a) value = __half(static_cast<float>(random.below(4000)) / 2000 - 1);
  for (__half& value : b) value = __half(static_cast<float>(random.below(4000)) / 2000 - 1);
  std::vector<uint32_t> left(128), right(64);
  std::memcpy(left.data(), a.data(), 512);
  std::memcpy(right.data(), b.data(), 256);
  const auto words = multiply(FLOAT_SUM("m16n8k16", "f16"), left, right);
  std::vector<float> sums(words.size());
  std::memcpy(sums.data(), words.data(), words.size() * 4);
  within("abs:2^-17", sums);
}

CASE(load_tiles) {
  const Buffer<uint32_t> in(keys<uint32_t>(128)), out(128);
  load_tiles<<<1, 32>>>(in.get(), out.get());
  exact(out);
}
CASE(store_tiles) {
  const Buffer<uint32_t> in(keys<uint32_t>(128)), out(128);
  store_tiles<<<1, 32>>>(in.get(), out.get());
  exact(out);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
