// One operation on many operands, an element a thread.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "cases.h"
#include "inputs.h"

namespace kernels {

template <class Operation, class Result, class... Inputs>
__global__ void apply(Operation operation, unsigned size, Result* out, const Inputs*... in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = operation(in[i]...);
}

template <class Signature>
struct Map;

template <class Result, class... Inputs>
struct Map<Result(Inputs...)> {
  template <class Operation>
  static std::vector<Result> run(Operation operation, const std::vector<Inputs>&... inputs) {
    const std::size_t size = std::get<0>(std::tie(inputs...)).size();
    const std::tuple<Buffer<Inputs>...> in(inputs...);
    const Buffer<Result> out(size);
    const unsigned blocks = (static_cast<unsigned>(size) + 127) / 128;
    std::apply(
        [&](const auto&... buffers) {
          apply<<<blocks, 128>>>(operation, static_cast<unsigned>(size), out.get(),
                                 static_cast<const Inputs*>(buffers.get())...);
        },
        in);
    return out.host();
  }

  template <class Operation>
  static std::vector<Result> run_on_operands(Operation operation) {
    return run_on(operation, std::index_sequence_for<Inputs...>());
  }

 private:
  template <class Operation, std::size_t... Positions>
  static std::vector<Result> run_on(Operation operation, std::index_sequence<Positions...>) {
    return run(operation, operands<Inputs>(Positions)...);
  }
};

// map<int(int, float)>(operation): results for operands<int>(0) and operands<float>(1).
template <class Signature, class Operation>
auto map(Operation operation) {
  return Map<Signature>::run_on_operands(operation);
}

// The same for inputs of one's own.
template <class Signature, class Operation, class... Inputs>
auto map(Operation operation, const std::vector<Inputs>&... inputs) {
  return Map<Signature>::run(operation, inputs...);
}

}  // namespace kernels

using kernels::map;
