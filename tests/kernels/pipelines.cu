// Copies into shared memory that go on while threads do: cp.async, pipelines, barriers that count
// bytes.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "support/grid.h"

// Barriers and states of pipelines in shared memory are not constructed but initialised by hand.
#pragma nv_diag_suppress 20054

namespace cg = cooperative_groups;
using std::uint32_t;

namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kBatches = 6;

__global__ void copy_4(const uint32_t* in, uint32_t* out) {
  __shared__ uint32_t cells[kThreads];
  __pipeline_memcpy_async(&cells[threadIdx.x], &in[global_index()], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[global_index()] = cells[kThreads - 1 - threadIdx.x];
}
__global__ void copy_16(const uint4* in, uint4* out) {
  __shared__ uint4 cells[kThreads];
  // The last bytes are zeros: they are not copied.
  __pipeline_memcpy_async(&cells[threadIdx.x], &in[global_index()], 16,
                          threadIdx.x % 3 == 0 ? 4 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[global_index()] = cells[kThreads - 1 - threadIdx.x];
}

// Two batches under way at a time.
__global__ void stages(const uint2* in, uint32_t* out) {
  __shared__ uint2 cells[2][kThreads];
  uint32_t sum = 0;
  __pipeline_memcpy_async(&cells[0][threadIdx.x], &in[threadIdx.x], 8);
  __pipeline_commit();
  for (unsigned n = 0; n < kBatches; ++n) {
    if (n + 1 < kBatches) {
      __pipeline_memcpy_async(&cells[(n + 1) % 2][threadIdx.x],
                              &in[(n + 1) * kThreads + threadIdx.x], 8);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const uint2 cell = cells[n % 2][(threadIdx.x + 13) % kThreads];
    sum = sum * 3 + cell.x + cell.y;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void group_copy(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(16) uint32_t cells[kThreads * 3];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, cells, in, sizeof cells);
  cg::wait(block);
  uint32_t sum = 0;
  for (unsigned n = 0; n < 3; ++n)
    sum = sum * 3 + cells[(threadIdx.x * 5 + n * 77) % (kThreads * 3)];
  out[threadIdx.x] = sum;
}

__global__ void block_pipeline(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(16) uint32_t cells[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  uint32_t sum = 0;
  unsigned fetched = 0;
  for (unsigned n = 0; n < kBatches; ++n) {
    for (; fetched < kBatches && fetched < n + 2; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, cells[fetched % 2], in + fetched * kThreads,
                         cuda::aligned_size_t<16>(kThreads * 4), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum = sum * 3 + cells[n % 2][(threadIdx.x * 3) % kThreads];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void barrier_copy(const uint32_t* in, uint32_t* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ alignas(16) uint32_t cells[kThreads];
  if (threadIdx.x == 0) init(&barrier, kThreads);
  __syncthreads();
  cuda::memcpy_async(&cells[threadIdx.x], &in[threadIdx.x], 4, barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = cells[kThreads - 1 - threadIdx.x];
}

// One thread copies for all; the barrier opens when all bytes are there.
__global__ void bulk_copy(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(16) uint32_t cells[kThreads * 4];
  __shared__ alignas(8) std::uint64_t barrier;
  const auto bar = static_cast<uint32_t>(__cvta_generic_to_shared(&barrier));
  const auto target = static_cast<uint32_t>(__cvta_generic_to_shared(cells));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                 "r"(static_cast<uint32_t>(sizeof cells))
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(target),
        "l"(in + blockIdx.x * kThreads * 4), "r"(static_cast<uint32_t>(sizeof cells)), "r"(bar)
        : "memory");
  }
  uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(bar)
        : "memory");
  }
  for (unsigned n = 0; n < 4; ++n) {
    cells[threadIdx.x * 4 + n] = cells[threadIdx.x * 4 + n] * 3 + threadIdx.x;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     out + blockIdx.x * kThreads * 4),
                 "r"(target), "r"(static_cast<uint32_t>(sizeof cells))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

}  // namespace

CASE(copy_4) {
  const Buffer<uint32_t> in(keys<uint32_t>(3 * kThreads)), out(3 * kThreads);
  copy_4<<<3, kThreads>>>(in.get(), out.get());
  exact(out);
}
CASE(copy_16) {
  const Buffer<uint32_t> in(keys<uint32_t>(3 * kThreads * 4)), out(3 * kThreads * 4);
  copy_16<<<3, kThreads>>>(reinterpret_cast<const uint4*>(in.get()),
                           reinterpret_cast<uint4*>(out.get()));
  exact(out);
}
CASE(stages) {
  const Buffer<uint32_t> in(keys<uint32_t>(kBatches * kThreads * 2)), out(kThreads);
  stages<<<1, kThreads>>>(reinterpret_cast<const uint2*>(in.get()), out.get());
  exact(out);
}
CASE(group_copy) {
  const Buffer<uint32_t> in(keys<uint32_t>(3 * kThreads)), out(kThreads);
  group_copy<<<1, kThreads>>>(in.get(), out.get());
  exact(out);
}
CASE(block_pipeline) {
  const Buffer<uint32_t> in(keys<uint32_t>(kBatches * kThreads)), out(kThreads);
  block_pipeline<<<1, kThreads>>>(in.get(), out.get());
  exact(out);
}
CASE(barrier_copy) {
  const Buffer<uint32_t> in(keys<uint32_t>(kThreads)), out(kThreads);
  barrier_copy<<<1, kThreads>>>(in.get(), out.get());
  exact(out);
}
CASE(bulk_copy) {
  const Buffer<uint32_t> in(keys<uint32_t>(2 * kThreads * 4)), out(2 * kThreads * 4);
  bulk_copy<<<2, kThreads>>>(in.get(), out.get());
  exact(out);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
