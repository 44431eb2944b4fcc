// The kernel of vec_add_driver.cc, compiled on its own to a fatbin, a cubin or PTX.
extern "C" __global__ void vec_add(const float* a, const float* b, float* c, unsigned long n) {
  const unsigned long i = blockIdx.x * static_cast<unsigned long>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i] + b[i];
}
