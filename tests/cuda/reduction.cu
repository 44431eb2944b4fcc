// Static and extern shared memory, barriers, warp shuffles, atomics.
extern __shared__ float dynamic_cells[];

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float cells[256];
  const int thread = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x) * 256 + thread;
  cells[thread] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int width = 128; width > 0; width /= 2) {
    if (thread < width) cells[thread] += cells[thread + width];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(out, cells[0]);
}

__global__ void warp_sum(const float* in, float* out) {
  float value = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  if (__any_sync(0xffffffffu, value > 1.0f)) dynamic_cells[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = dynamic_cells[threadIdx.x];
}

__global__ void counters(unsigned* words, unsigned long long* wide, double* sum) {
  atomicMax(&words[0], threadIdx.x);
  atomicCAS(&words[1], 0u, threadIdx.x);
  atomicExch(&words[2], threadIdx.x);
  atomicAdd(wide, 1ull);
  atomicAdd(sum, 1.5);
  atomicInc(&words[3], 17u);
  __threadfence_system();
}
