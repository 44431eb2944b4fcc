// Branches, loops and calls: lanes that part and meet again.
#include "support/grid.h"

using std::int32_t;
using std::uint32_t;
using std::uint64_t;

namespace {

constexpr unsigned kBlocks = 5;
constexpr unsigned kThreads = 96;
constexpr unsigned kAll = kBlocks * kThreads;

// Runs a kernel that fills one word a thread.
template <class Kernel>
std::vector<uint32_t> run(Kernel kernel) {
  const Buffer<uint32_t> out(kAll);
  kernel<<<kBlocks, kThreads>>>(out.get());
  return out.host();
}

// The same with a larger stack: nobody can tell how deep it goes.
template <class Kernel>
std::vector<uint32_t> run_deep(Kernel kernel) {
  std::size_t usual = 0;
  CHECK(cudaDeviceGetLimit(&usual, cudaLimitStackSize));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
  const auto results = run(kernel);
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, usual));
  return results;
}

__global__ void loops(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t sum = i;
  for (unsigned n = 0; n < i % 37; ++n) sum = mix(sum + n);
  unsigned steps = 0;
  while ((sum & 31) != 5) {
    sum = mix(sum + 1);
    ++steps;
  }
  do {
    sum += steps;
  } while (steps-- > 3);
  out[i] = sum;
}

__global__ void nested_loops(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t sum = 1;
  for (unsigned a = 0; a < 9; ++a) {
    if (a == i % 11) continue;
    for (unsigned b = a; b < 12; ++b) {
      if ((a * b + i) % 13 == 6) break;
      for (unsigned c = 0; c < b; c += 2) {
        sum = mix(sum ^ (a << 8 | b << 4 | c));
        if ((sum & 63) == 0) goto next;
      }
    }
  next:
    sum += a;
  }
  out[i] = sum;
}

__global__ void collatz(uint32_t* out) {
  const unsigned i = global_index();
  unsigned steps = 0;
  for (uint64_t n = i + 1; n != 1; ++steps) n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
  out[i] = steps;
}

__global__ void switches(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t value = i;
  for (int round = 0; round < 6; ++round) {
    switch (value % 23) {
      case 0:
        value = value * 3 + 1;
        break;
      case 1:
        value ^= 0x55;
        [[fallthrough]];
      case 2:
        value += 17;
        break;
      case 3:
        value = mix(value);
        break;
      case 4:
        value = ~value;
        break;
      case 5:
        value = value << 3 | value >> 29;
        break;
      case 6:
        value -= 1000;
        break;
      case 7:
        value *= value;
        break;
      case 8:
        value = __brev(value);
        break;
      case 9:
        value = __popc(value) + value * 7;
        break;
      case 11:
        value /= 3;
        break;
      case 13:
        value %= 1009;
        break;
      case 17:
        round = 9;
        break;
      case 19:
        value |= 1;
        [[fallthrough]];
      default:
        value = value * 5 + 11;
        break;
    }
  }
  out[i] = value;
}

// A table of branch targets, as PTX has it.
__global__ void branch_table(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t value = i * 3;
  asm volatile(
      "{\n\t"
      "ts: .branchtargets Lzero, Lone, Ltwo, Lthree;\n\t"
      ".reg .b32 index;\n\t"
      "and.b32 index, %1, 3;\n\t"
      "brx.idx index, ts;\n\t"
      "Lzero: add.u32 %0, %0, 100;\n\t"
      "bra Lend;\n\t"
      "Lone: mul.lo.u32 %0, %0, 7;\n\t"
      "Ltwo: xor.b32 %0, %0, 0xff;\n\t"
      "bra Lend;\n\t"
      "Lthree: not.b32 %0, %0;\n\t"
      "Lend:\n\t"
      "}"
      : "+r"(value)
      : "r"(i));
  out[i] = value;
}

__global__ void early_exit(uint32_t* out) {
  const unsigned i = global_index();
  if (i % 3 == 0) return;
  uint32_t value = mix(i);
  for (unsigned n = 0; n < 20; ++n) {
    value = mix(value);
    if (value % 19 == 0) {
      out[i] = n + 1;
      return;
    }
  }
  out[i] = value;
}

// Every lane takes a way of its own, most of them through both sides of several branches.
__global__ void ways(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t value = mix(i);
  for (unsigned bit = 0; bit < 12; ++bit) {
    if ((i >> (bit % 7) & 1) != 0) {
      value = (value & 2) != 0 ? value * 3 : value + bit;
    } else if ((value & 5) == 4) {
      value ^= value >> 3;
    } else {
      if (value % 3 == 0 || (bit > 4 && value % 5 == 1)) value -= 77;
      value = value << 1 | value >> 31;
    }
  }
  out[i] = value;
}

__device__ __noinline__ uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursion(uint32_t* out) { out[global_index()] = fibonacci(global_index() % 14); }

__device__ __noinline__ uint32_t ackermann(uint32_t m, uint32_t n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__global__ void nested_recursion(uint32_t* out) {
  const unsigned i = global_index();
  out[i] = ackermann(i % 3, i % 5);
}

// Two functions that call each other and keep an array each.
__device__ __noinline__ uint32_t odd(uint32_t n, uint32_t* trail);
__device__ __noinline__ uint32_t even(uint32_t n, uint32_t* trail) {
  uint32_t own[3] = {n, trail[0], 5};
  own[n % 3] += 9;
  return n == 0 ? own[0] + own[1] + own[2] : odd(n - 1, own) + own[2];
}
__device__ __noinline__ uint32_t odd(uint32_t n, uint32_t* trail) {
  uint32_t own[2] = {trail[1] * 3, trail[2]};
  if (n == 0) return own[0] ^ own[1];
  uint32_t next[3] = {own[1], own[0], n};
  return even(n - 1, next) + next[n % 3];
}

__global__ void mutual_recursion(uint32_t* out) {
  uint32_t trail[3] = {global_index(), 1, 2};
  out[global_index()] = even(global_index() % 9, trail);
}

using Function = uint32_t (*)(uint32_t, uint32_t);
__device__ __noinline__ uint32_t add(uint32_t a, uint32_t b) { return a + b; }
__device__ __noinline__ uint32_t subtract(uint32_t a, uint32_t b) { return a - b; }
__device__ __noinline__ uint32_t multiply(uint32_t a, uint32_t b) { return a * b + 1; }
__device__ __noinline__ uint32_t blend(uint32_t a, uint32_t b) { return mix(a) ^ b; }
__device__ Function table[4] = {add, subtract, multiply, blend};

__global__ void function_table(uint32_t* out) {
  const unsigned i = global_index();
  uint32_t value = i;
  for (unsigned n = 0; n < 6; ++n) value = table[(value + n) % 4](value, n + i);
  out[i] = value;
}

__global__ void address_of_function(Function* out) { *out = multiply; }
__global__ void call_address(const Function* function, uint32_t* out) {
  const unsigned i = global_index();
  out[i] = i % 2 == 0 ? (*function)(i, 3) : 0;
}

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual uint32_t area() const = 0;
};
struct Square : Shape {
  __device__ explicit Square(uint32_t side) : side(side) {}
  __device__ uint32_t area() const override { return side * side; }
  uint32_t side;
};
struct Rectangle : Shape {
  __device__ Rectangle(uint32_t width, uint32_t height) : width(width), height(height) {}
  __device__ uint32_t area() const override { return width * height; }
  uint32_t width, height;
};

__global__ void virtual_functions(uint32_t* out) {
  const unsigned i = global_index();
  const Square square(i);
  const Rectangle rectangle(i, 3);
  const Shape* const shapes[2] = {&square, &rectangle};
  out[i] = shapes[mix(i) & 1]->area() + shapes[mix(i) >> 1 & 1]->area();
}

struct Triple {
  uint32_t a;
  unsigned char b;
  double c;
  unsigned short d[5];
};

__device__ __noinline__ Triple turn(Triple in, uint32_t by) {
  Triple result = in;
  result.a = in.a + by;
  result.b = static_cast<unsigned char>(in.b * 3);
  result.c = in.c / 2;
  for (int i = 0; i < 5; ++i) result.d[i] = in.d[(i + by) % 5];
  return result;
}

__global__ void structures_by_value(uint32_t* out, Triple start) {
  const unsigned i = global_index();
  Triple value = start;
  for (unsigned n = 0; n < 4; ++n) value = turn(value, i + n);
  uint32_t sum = value.a + value.b + static_cast<uint32_t>(value.c * 16);
  for (const unsigned short part : value.d) sum = sum * 31 + part;
  out[i] = sum;
}

// Locals whose size the compiler does not know.
__global__ void stack_of_own(uint32_t* out) {
  const unsigned i = global_index();
  const unsigned size = i % 9 + 1;
  auto* const cells = static_cast<uint32_t*>(alloca(size * sizeof(uint32_t)));
  for (unsigned n = 0; n < size; ++n) cells[n] = mix(n + i);
  uint32_t sum = 0;
  for (unsigned n = 0; n < size; ++n) sum = sum * 3 + cells[size - 1 - n];
  out[i] = sum;
}

// Each lane of a warp waits for the lane before it.
__global__ void chain_of_lanes(volatile uint32_t* out) {
  __shared__ volatile uint32_t turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  bool done = false;
  while (!done) {
    if (turn == threadIdx.x) {
      out[global_index()] = turn * 5 + blockIdx.x;
      __threadfence_block();
      turn = turn + 1;
      done = true;
    }
  }
}

}  // namespace

CASE(loops) { exact(run(loops)); }
CASE(nested_loops) { exact(run(nested_loops)); }
CASE(collatz) {
  std::vector<uint32_t> expected(kAll);
  for (unsigned i = 0; i < kAll; ++i) {
    for (uint64_t n = i + 1; n != 1; n = (n & 1) != 0 ? 3 * n + 1 : n / 2) ++expected[i];
  }
  const auto results = run(collatz);
  expect(results, expected);
  exact(results);
}
CASE(switches) { exact(run(switches)); }
CASE(branch_table) { exact(run(branch_table)); }
CASE(early_exit) { exact(run(early_exit)); }
CASE(ways) { exact(run(ways)); }
CASE(recursion) { exact(run_deep(recursion)); }
CASE(nested_recursion) { exact(run_deep(nested_recursion)); }
CASE(mutual_recursion) { exact(run_deep(mutual_recursion)); }
CASE(function_table) { exact(run(function_table)); }
CASE(function_pointer_in_memory) {
  const Buffer<Function> function(1);
  address_of_function<<<1, 1>>>(function.get());
  const Buffer<uint32_t> out(kAll);
  call_address<<<kBlocks, kThreads>>>(function.get(), out.get());
  std::vector<uint32_t> expected(kAll);
  for (unsigned i = 0; i < kAll; i += 2) expected[i] = i * 3 + 1;
  expect(out, expected);
  exact(out);
}
CASE(virtual_functions) { exact(run(virtual_functions)); }
CASE(structures_by_value) {
  const Buffer<uint32_t> out(kAll);
  structures_by_value<<<kBlocks, kThreads>>>(out.get(), {7, 200, 1e6, {1, 2, 3, 4, 65535}});
  exact(out);
}
CASE(stack_of_own) { exact(run(stack_of_own)); }
CASE(chain_of_lanes) {
  const Buffer<uint32_t> out(kAll);
  chain_of_lanes<<<kBlocks, kThreads>>>(out.get());
  std::vector<uint32_t> expected(kAll);
  for (unsigned i = 0; i < kAll; ++i) expected[i] = i % kThreads * 5 + i / kThreads;
  expect(out, expected);
  exact(out);
}

int main(int argc, char** argv) { return kernels::run_cases(argc, argv); }
