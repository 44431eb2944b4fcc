// Module-scope variables with every kind of initialiser, printf, assertions, long strings.
#include <cassert>
#include <cstdio>

__device__ int counter = 42;
__device__ double table[4] = {1.0, -0.5, 3.25e300, 0.0};
__constant__ float weights[16] = {0.25f, -1.0f};
__constant__ unsigned char bytes[5] = {1, 2, 3, 4, 255};
static __device__ unsigned long long hidden[3] = {~0ull, 1, 2};
__managed__ int managed_word = 3;
struct Node {
  const Node* next;
  const int* value;
  char tag;
};
__device__ Node first{nullptr, &counter, 'a'};
__device__ Node second{&first, &counter, 'b'};
__device__ float grid[2][3][4];

__global__ void use(int* out) {
  assert(out != nullptr);
  hidden[threadIdx.x % 3] += bytes[threadIdx.x % 5];
  out[threadIdx.x] = *second.next->value + counter + static_cast<int>(table[threadIdx.x % 4]) +
                     static_cast<int>(weights[threadIdx.x % 16]) + managed_word;
  grid[1][threadIdx.x % 3][0] = 1.0f;
  printf("%d of a rather long line; with { braces }, \"quotes\", // slashes and %s\n", out[0],
         "another string that goes on for quite a while so that its initialiser is long");
}
