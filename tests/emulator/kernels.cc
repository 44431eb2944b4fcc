// Kernels of the tests' program, compiled to PTX without a CUDA toolkit.
#define KERNEL extern "C" [[clang::nvptx_kernel]]

static unsigned long index() {
  return static_cast<unsigned long>(__nvvm_read_ptx_sreg_ctaid_x()) *
             __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

KERNEL void vec_add(const float* a, const float* b, float* c, unsigned long n) {
  const unsigned long i = index();
  if (i < n) c[i] = a[i] + b[i];
}

// What the programs of tests/examples expect: nothing but threads.
KERNEL void grid(unsigned* out) { out[index()] = 3 * static_cast<unsigned>(index()) + 1; }

// Faults.
KERNEL void wild(float* a) {
  if (index() == 37) a[1UL << 40] = 1;
}
KERNEL void misaligned(char* a) {
  if (index() == 37) *reinterpret_cast<float*>(a + 1) = 1;
}
KERNEL void trap(float*) {
  if (index() == 37) __builtin_trap();
}
