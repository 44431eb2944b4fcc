// The demo's kernels, compiled to PTX by the clang that builds egpu's own GPU code: no CUDA toolkit
// is needed.
#include "picture.h"

#define KERNEL [[clang::nvptx_kernel]]
#define SHARED [[clang::loader_uninitialized]] static __attribute__((address_space(3)))

namespace {

unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
unsigned threads() { return __nvvm_read_ptx_sreg_ntid_x(); }
unsigned index() { return __nvvm_read_ptx_sreg_ctaid_x() * threads() + thread(); }

template <class Pointer, class Value>
void add(Pointer to, Value value) {
  __scoped_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

}  // namespace

// One thread a pixel: neighbours take different numbers of steps.
KERNEL void mandelbrot(unsigned* steps) {
  const unsigned i = index();
  if (i < demo::kPixels) steps[i] = demo::steps_at(i % demo::kWidth, i / demo::kWidth);
}

// One thread a pixel; launched once for each pass.
KERNEL void smooth(const unsigned* from, unsigned* to) {
  const unsigned i = index();
  if (i >= demo::kPixels) return;
  const unsigned x = i % demo::kWidth;
  to[i] = demo::smoothed(from + (i - x), x);
}

// Counts in shared memory first, so that threads of a block seldom wait for each other.
KERNEL void histogram(const unsigned* steps, unsigned* shades) {
  SHARED unsigned counts[demo::kShades];
  for (unsigned i = thread(); i < demo::kShades; i += threads()) counts[i] = 0;
  __syncthreads();
  const unsigned i = index();
  if (i < demo::kPixels) add(&counts[steps[i]], 1U);
  __syncthreads();
  for (unsigned j = thread(); j < demo::kShades; j += threads()) add(&shades[j], counts[j]);
}

// Adds up all pixels: halves of a block's values are added to each other until one is left. Blocks
// have 256 threads.
KERNEL void sum(const unsigned* steps, unsigned long long* total) {
  SHARED unsigned values[256];
  const unsigned i = index();
  values[thread()] = i < demo::kPixels ? steps[i] : 0;
  for (unsigned half = threads() / 2; half != 0; half /= 2) {
    __syncthreads();
    if (thread() < half) values[thread()] += values[thread() + half];
  }
  if (thread() == 0) add(total, static_cast<unsigned long long>(values[0]));
}
