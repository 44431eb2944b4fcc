// half, bf16, wmma, cp.async, vector accesses, textures.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

__global__ void halves(__half2* a, __nv_bfloat162* b) {
  a[threadIdx.x] = __hfma2(a[threadIdx.x], a[threadIdx.x], __float2half2_rn(0.5f));
  b[threadIdx.x] = __hmul2(b[threadIdx.x], b[threadIdx.x]);
}

__global__ void multiply(const __half* a, const __half* b, float* c) {
  namespace wmma = nvcuda::wmma;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

__global__ void staged(const float4* in, float4* out) {
  __shared__ float4 cells[128];
  __pipeline_memcpy_async(&cells[threadIdx.x], &in[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = cells[127 - threadIdx.x];
}

__global__ void sampled(cudaTextureObject_t image, cudaSurfaceObject_t surface, float* out) {
  const float4 texel = tex2D<float4>(image, static_cast<float>(threadIdx.x), 0.5f);
  out[threadIdx.x] = texel.x + texel.w;
  surf2Dwrite(texel.y, surface, static_cast<int>(threadIdx.x * sizeof(float)), 0);
}
