// Nodes of graphs that copy.
#include "emu/runtime/call.h"
#include "emu/runtime/copy_parameters.h"
#include "emu/runtime/registry.h"

namespace egpu::emu::runtime {
namespace {

// Where a node is added: behind these.
struct Place {
  cuda::GraphNode* node;
  cuda::Graph graph;
  const cuda::GraphNode* dependencies;
  std::size_t count;
};

Error add_copy(const Place& place, const Copy3d* copy) {
  if (copy == nullptr) return kInvalidValue;
  cuda::Copy3d converted{};
  cuda::Context context = nullptr;
  EGPU_CHECK(driver_copy(*copy, converted));
  EGPU_CHECK(cuCtxGetCurrent(&context));
  return cuGraphAddMemcpyNode(place.node, place.graph, place.dependencies, place.count, &converted,
                              context);
}

Error set_copy(cuda::GraphNode node, const Copy3d* copy) {
  if (copy == nullptr) return kInvalidValue;
  cuda::Copy3d converted{};
  EGPU_CHECK(driver_copy(*copy, converted));
  return cuGraphMemcpyNodeSetParams(node, &converted);
}

Error set_copy(cuda::GraphExec executable, cuda::GraphNode node, const Copy3d* copy) {
  if (copy == nullptr) return kInvalidValue;
  cuda::Copy3d converted{};
  cuda::Context context = nullptr;
  EGPU_CHECK(driver_copy(*copy, converted));
  EGPU_CHECK(cuCtxGetCurrent(&context));
  return cuGraphExecMemcpyNodeSetParams(executable, node, &converted, context);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaGraphAddMemcpyNode(cuda::GraphNode* node, cuda::Graph graph,
                                const cuda::GraphNode* dependencies, std::size_t count,
                                const Copy3d* copy) {
  return in_context([&]() -> Error { return add_copy({node, graph, dependencies, count}, copy); });
}

EGPU_API cudaGraphAddMemcpyNode1D(cuda::GraphNode* node, cuda::Graph graph,
                                  const cuda::GraphNode* dependencies, std::size_t count,
                                  void* destination, const void* source, std::size_t bytes,
                                  CopyKind kind) {
  return in_context([&]() -> Error {
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return add_copy({node, graph, dependencies, count}, &copy);
  });
}

EGPU_API cudaGraphMemcpyNodeGetParams(cuda::GraphNode node, Copy3d* copy) {
  return in_context([&]() -> Error {
    if (copy == nullptr) return kInvalidValue;
    cuda::Copy3d found{};
    EGPU_CHECK(cuGraphMemcpyNodeGetParams(node, &found));
    *copy = runtime_copy(found);
    return kSuccess;
  });
}

EGPU_API cudaGraphMemcpyNodeSetParams(cuda::GraphNode node, const Copy3d* copy) {
  return in_context([&]() -> Error { return set_copy(node, copy); });
}

EGPU_API cudaGraphMemcpyNodeSetParams1D(cuda::GraphNode node, void* destination, const void* source,
                                        std::size_t bytes, CopyKind kind) {
  return in_context([&]() -> Error {
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return set_copy(node, &copy);
  });
}

EGPU_API cudaGraphExecMemcpyNodeSetParams(cuda::GraphExec executable, cuda::GraphNode node,
                                          const Copy3d* copy) {
  return in_context([&]() -> Error { return set_copy(executable, node, copy); });
}

EGPU_API cudaGraphExecMemcpyNodeSetParams1D(cuda::GraphExec executable, cuda::GraphNode node,
                                            void* destination, const void* source,
                                            std::size_t bytes, CopyKind kind) {
  return in_context([&]() -> Error {
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return set_copy(executable, node, &copy);
  });
}

EGPU_API cudaGraphAddMemcpyNodeToSymbol(cuda::GraphNode* node, cuda::Graph graph,
                                        const cuda::GraphNode* dependencies, std::size_t count,
                                        const void* symbol, const void* source, std::size_t bytes,
                                        std::size_t offset, CopyKind kind) {
  return in_context([&]() -> Error {
    void* destination = nullptr;
    EGPU_CHECK(find_part(symbol, bytes, offset, destination));
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return add_copy({node, graph, dependencies, count}, &copy);
  });
}

EGPU_API cudaGraphAddMemcpyNodeFromSymbol(cuda::GraphNode* node, cuda::Graph graph,
                                          const cuda::GraphNode* dependencies, std::size_t count,
                                          void* destination, const void* symbol, std::size_t bytes,
                                          std::size_t offset, CopyKind kind) {
  return in_context([&]() -> Error {
    void* source = nullptr;
    EGPU_CHECK(find_part(symbol, bytes, offset, source));
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return add_copy({node, graph, dependencies, count}, &copy);
  });
}

EGPU_API cudaGraphMemcpyNodeSetParamsToSymbol(cuda::GraphNode node, const void* symbol,
                                              const void* source, std::size_t bytes,
                                              std::size_t offset, CopyKind kind) {
  return in_context([&]() -> Error {
    void* destination = nullptr;
    EGPU_CHECK(find_part(symbol, bytes, offset, destination));
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return set_copy(node, &copy);
  });
}

EGPU_API cudaGraphMemcpyNodeSetParamsFromSymbol(cuda::GraphNode node, void* destination,
                                                const void* symbol, std::size_t bytes,
                                                std::size_t offset, CopyKind kind) {
  return in_context([&]() -> Error {
    void* source = nullptr;
    EGPU_CHECK(find_part(symbol, bytes, offset, source));
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return set_copy(node, &copy);
  });
}

EGPU_API cudaGraphExecMemcpyNodeSetParamsToSymbol(cuda::GraphExec executable, cuda::GraphNode node,
                                                  const void* symbol, const void* source,
                                                  std::size_t bytes, std::size_t offset,
                                                  CopyKind kind) {
  return in_context([&]() -> Error {
    void* destination = nullptr;
    EGPU_CHECK(find_part(symbol, bytes, offset, destination));
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return set_copy(executable, node, &copy);
  });
}

EGPU_API cudaGraphExecMemcpyNodeSetParamsFromSymbol(cuda::GraphExec executable,
                                                    cuda::GraphNode node, void* destination,
                                                    const void* symbol, std::size_t bytes,
                                                    std::size_t offset, CopyKind kind) {
  return in_context([&]() -> Error {
    void* source = nullptr;
    EGPU_CHECK(find_part(symbol, bytes, offset, source));
    const Copy3d copy = linear_copy(destination, source, bytes, kind);
    return set_copy(executable, node, &copy);
  });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
