// Templates, device functions that stay calls, indirect calls, recursion, launch bounds, switches.
template <class T, int kUnroll>
__global__ void __launch_bounds__(256, 2) scale(T* data, T factor) {
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) data[threadIdx.x * kUnroll + i] *= factor;
}
template __global__ void scale<float, 4>(float*, float);
template __global__ void scale<double, 1>(double*, double);

struct Triple {
  double x, y;
  int z;
};

__device__ __noinline__ Triple rotate(Triple t, int by) {
  return by % 2 != 0 ? Triple{t.y, t.x, t.z + 1} : Triple{t.x + by, t.y, t.z};
}
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
typedef int (*Operation)(int);
__device__ Operation operations[2] = {twice, thrice};

__global__ void calls(Triple* data, int* out, int which) {
  data[threadIdx.x] = rotate(data[threadIdx.x], which);
  out[threadIdx.x] = operations[which](fibonacci(static_cast<int>(threadIdx.x)));
}

__global__ void many_cases(int* data, int selector) {
  int value = data[threadIdx.x];
  switch (selector) {
    case 0:
      value = __clz(value);
      break;
    case 1:
      value = __popc(value);
      break;
    case 2:
      value = value * value;
      data[1] = 7;
      break;
    case 3:
      value = __brev(value);
      break;
    case 4:
      value ^= 0x55;
      data[2] = 8;
      break;
    case 5:
      value = value / 7;
      break;
    case 6:
      value = min(value, 12);
      data[3] = 9;
      break;
    case 7:
      return;
    default:
      value = -1;
  }
  data[threadIdx.x] = value;
}
