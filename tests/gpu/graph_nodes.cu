// Graphs built node by node. Usage: graph_nodes [REPLAYS]. Each replay runs two chained nodes: one
// whose parameters, and in every other replay whose kernel, are changed in the executable graph,
// and one added by cudaGraphAddNode; and a graph whose only node a capture made. Prints threads=,
// launches=, wrong= and checksum= as the other programs here do; exit 1 where a result is wrong.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

constexpr int kCount = 4096;
constexpr unsigned kBlock = 128;

__global__ void add(std::uint32_t* numbers, std::uint32_t addend) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] += addend;
}

__global__ void multiply(std::uint32_t* numbers, std::uint32_t factor) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

// What a node runs; lives as long as its arguments are read.
struct Node {
  Node(void* function, std::uint32_t* numbers, std::uint32_t number)
      : numbers(numbers), number(number) {
    parameters.func = function;
    parameters.gridDim = dim3(kCount / kBlock);
    parameters.blockDim = dim3(kBlock);
    parameters.kernelParams = arguments;
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  std::uint32_t* numbers;
  std::uint32_t number;
  void* arguments[2] = {&numbers, &number};
  cudaKernelNodeParams parameters = {};
};

static void* function_of(void (*kernel)(std::uint32_t*, std::uint32_t)) {
  return reinterpret_cast<void*>(kernel);
}

// The kernel that a node says it runs.
static void* kernel_of(cudaGraphNode_t node) {
  cudaKernelNodeParams read = {};
  CHECK(cudaGraphKernelNodeGetParams(node, &read));
  return read.func;
}

// Adds 1 to every number; `wrong` counts a node that does not say so.
static cudaGraphExec_t capture(cudaStream_t stream, std::uint32_t* numbers, unsigned& wrong) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t node;
  std::size_t count = 1;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<kCount / kBlock, kBlock, 0, stream>>>(numbers, 1);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphGetNodes(graph, &node, &count));
  wrong += count != 1 || kernel_of(node) != function_of(add);
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return executable;
}

int main(int argc, char** argv) {
  const unsigned replays = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 4;
  std::uint32_t* numbers;
  CHECK(cudaMalloc(&numbers, kCount * sizeof *numbers));
  CHECK(cudaMemset(numbers, 0, kCount * sizeof *numbers));

  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  CHECK(cudaGraphCreate(&graph, 0));
  const Node placeholder(function_of(multiply), numbers, 1);
  CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &placeholder.parameters));
  const Node adds(function_of(add), numbers, 1);
  CHECK(cudaGraphKernelNodeSetParams(first, &adds.parameters));
  unsigned wrong = kernel_of(first) != function_of(add);

  Node triples(function_of(multiply), numbers, 3);
  cudaGraphNodeParams any = {};
  any.type = cudaGraphNodeTypeKernel;
  any.kernel.func = triples.parameters.func;
  any.kernel.gridDim = triples.parameters.gridDim;
  any.kernel.blockDim = triples.parameters.blockDim;
  any.kernel.kernelParams = triples.arguments;
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddNode(&second, graph, &first, nullptr, 1, &any));
#else
  CHECK(cudaGraphAddNode(&second, graph, &first, 1, &any));
#endif

  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const cudaGraphExec_t captured = capture(stream, numbers, wrong);
  std::vector<std::uint32_t> expected(kCount, 0);
  for (unsigned i = 0; i < replays; ++i) {
    const bool changes_kernel = i % 2 == 1;
    const Node changed(function_of(changes_kernel ? multiply : add), numbers, i + 1);
    CHECK(cudaGraphExecKernelNodeSetParams(executable, first, &changed.parameters));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaGraphLaunch(captured, stream));
    for (std::uint32_t& number : expected)
      number = 3 * (changes_kernel ? number * (i + 1) : number + i + 1) + 1;
  }
  CHECK(cudaStreamSynchronize(stream));
  std::vector<std::uint32_t> result(kCount);
  CHECK(cudaMemcpy(result.data(), numbers, kCount * sizeof *numbers, cudaMemcpyDeviceToHost));
  std::uint64_t checksum = 0;
  for (int i = 0; i < kCount; ++i) {
    wrong += result[i] != expected[i];
    checksum = checksum * 31 + result[i];
  }
  CHECK(cudaGraphExecDestroy(captured));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  std::printf("threads=%llu launches=%u wrong=%u checksum=%llu\n", 3ull * replays * kCount,
              3 * replays, wrong, static_cast<unsigned long long>(checksum));
  return wrong == 0 ? 0 : 1;
}
