// Nodes of graphs: the runtime's parameters become the driver's, and back.
#include "emu/runtime/call.h"
#include "emu/runtime/copy_parameters.h"
#include "emu/runtime/registry.h"

namespace egpu::emu::runtime {
namespace {

Error current_context(cuda::Context& context) { return cuCtxGetCurrent(&context); }

Error driver_kernel(const KernelNodeParameters* node, cuda::KernelNodeParameters& result) {
  if (node == nullptr) return kInvalidValue;
  result = {};
  EGPU_CHECK(find_kernel(node->function, result.kernel));
  result.launch = {.function = nullptr,
                   .grid_x = node->grid.x,
                   .grid_y = node->grid.y,
                   .grid_z = node->grid.z,
                   .block_x = node->block.x,
                   .block_y = node->block.y,
                   .block_z = node->block.z,
                   .shared_bytes = node->shared_bytes,
                   .parameters = node->parameters,
                   .extra = node->extra};
  return kSuccess;
}

KernelNodeParameters runtime_kernel(const cuda::KernelNodeParameters& node) {
  const auto& launch = node.launch;
  return {.function = host_function(launch.function),
          .grid = {launch.grid_x, launch.grid_y, launch.grid_z},
          .block = {launch.block_x, launch.block_y, launch.block_z},
          .shared_bytes = launch.shared_bytes,
          .parameters = launch.parameters,
          .extra = launch.extra};
}

Error driver_memset(const MemsetParameters* node, cuda::MemsetNodeParameters& result) {
  if (node == nullptr) return kInvalidValue;
  result = {.destination = address(node->destination),
            .pitch = node->pitch,
            .value = node->value,
            .element_size = node->element_size,
            .width = node->width,
            .height = node->height};
  return kSuccess;
}

MemsetParameters runtime_memset(const cuda::MemsetNodeParameters& node) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver keeps addresses as numbers
  return {.destination = reinterpret_cast<void*>(node.destination),
          .pitch = node.pitch,
          .value = node.value,
          .element_size = node.element_size,
          .width = node.width,
          .height = node.height};
}

Error driver_node(const GraphNodeParameters* node, cuda::GraphNodeParameters& result) {
  if (node == nullptr) return kInvalidValue;
  result = {};
  result.type = node->type;
  switch (node->type) {
    case cuda::kNodeKernel:
      return driver_kernel(&node->kernel, result.kernel);
    case cuda::kNodeMemcpy:
      EGPU_CHECK(current_context(result.memcpy.context));
      return driver_copy(node->memcpy.copy, result.memcpy.copy);
    case cuda::kNodeMemset:
      EGPU_CHECK(current_context(result.memset.context));
      return driver_memset(&node->memset, result.memset.parameters);
    case cuda::kNodeHost:
      result.host = node->host;
      return kSuccess;
    case cuda::kNodeGraph:
      result.child.graph = node->child.graph;
      result.child.ownership = node->child.ownership;
      return kSuccess;
    case cuda::kNodeWaitEvent:
    case cuda::kNodeEventRecord:
      result.event = node->event;
      return kSuccess;
    case cuda::kNodeEmpty:
      return kSuccess;
    default:
      say("a graph node of this kind is not supported");
      return kNotSupported;
  }
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaGraphAddNode(cuda::GraphNode* node, cuda::Graph graph,
                          const cuda::GraphNode* dependencies, const cuda::GraphEdge* edges,
                          std::size_t count, GraphNodeParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::GraphNodeParameters converted{};
    EGPU_CHECK(driver_node(parameters, converted));
    return cuGraphAddNode_v2(node, graph, dependencies, edges, count, &converted);
  });
}

EGPU_API cudaGraphNodeSetParams(cuda::GraphNode node, GraphNodeParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::GraphNodeParameters converted{};
    EGPU_CHECK(driver_node(parameters, converted));
    return cuGraphNodeSetParams(node, &converted);
  });
}

EGPU_API cudaGraphExecNodeSetParams(cuda::GraphExec executable, cuda::GraphNode node,
                                    GraphNodeParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::GraphNodeParameters converted{};
    EGPU_CHECK(driver_node(parameters, converted));
    return cuGraphExecNodeSetParams(executable, node, &converted);
  });
}

EGPU_API cudaGraphAddEmptyNode(cuda::GraphNode* node, cuda::Graph graph,
                               const cuda::GraphNode* dependencies, std::size_t count) {
  return in_context(
      [&]() -> Error { return cuGraphAddEmptyNode(node, graph, dependencies, count); });
}

EGPU_API cudaGraphAddKernelNode(cuda::GraphNode* node, cuda::Graph graph,
                                const cuda::GraphNode* dependencies, std::size_t count,
                                const KernelNodeParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::KernelNodeParameters converted{};
    EGPU_CHECK(driver_kernel(parameters, converted));
    return cuGraphAddKernelNode_v2(node, graph, dependencies, count, &converted);
  });
}

EGPU_API cudaGraphKernelNodeGetParams(cuda::GraphNode node, KernelNodeParameters* parameters) {
  return in_context([&]() -> Error {
    if (parameters == nullptr) return kInvalidValue;
    cuda::KernelNodeParameters found{};
    EGPU_CHECK(cuGraphKernelNodeGetParams_v2(node, &found));
    *parameters = runtime_kernel(found);
    return kSuccess;
  });
}

EGPU_API cudaGraphKernelNodeSetParams(cuda::GraphNode node,
                                      const KernelNodeParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::KernelNodeParameters converted{};
    EGPU_CHECK(driver_kernel(parameters, converted));
    return cuGraphKernelNodeSetParams_v2(node, &converted);
  });
}

EGPU_API cudaGraphExecKernelNodeSetParams(cuda::GraphExec executable, cuda::GraphNode node,
                                          const KernelNodeParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::KernelNodeParameters converted{};
    EGPU_CHECK(driver_kernel(parameters, converted));
    return cuGraphExecKernelNodeSetParams_v2(executable, node, &converted);
  });
}

EGPU_API cudaGraphKernelNodeGetAttribute(cuda::GraphNode node, cuda::LaunchAttributeId attribute,
                                         cuda::LaunchAttributeValue* value) {
  return in_context(
      [&]() -> Error { return cuGraphKernelNodeGetAttribute(node, attribute, value); });
}

EGPU_API cudaGraphKernelNodeSetAttribute(cuda::GraphNode node, cuda::LaunchAttributeId attribute,
                                         const cuda::LaunchAttributeValue* value) {
  return in_context(
      [&]() -> Error { return cuGraphKernelNodeSetAttribute(node, attribute, value); });
}

EGPU_API cudaGraphKernelNodeCopyAttributes(cuda::GraphNode to, cuda::GraphNode from) {
  return in_context([&]() -> Error { return cuGraphKernelNodeCopyAttributes(to, from); });
}

EGPU_API cudaGraphAddMemsetNode(cuda::GraphNode* node, cuda::Graph graph,
                                const cuda::GraphNode* dependencies, std::size_t count,
                                const MemsetParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::MemsetNodeParameters converted{};
    cuda::Context context = nullptr;
    EGPU_CHECK(driver_memset(parameters, converted));
    EGPU_CHECK(current_context(context));
    return cuGraphAddMemsetNode(node, graph, dependencies, count, &converted, context);
  });
}

EGPU_API cudaGraphMemsetNodeGetParams(cuda::GraphNode node, MemsetParameters* parameters) {
  return in_context([&]() -> Error {
    if (parameters == nullptr) return kInvalidValue;
    cuda::MemsetNodeParameters found{};
    EGPU_CHECK(cuGraphMemsetNodeGetParams(node, &found));
    *parameters = runtime_memset(found);
    return kSuccess;
  });
}

EGPU_API cudaGraphMemsetNodeSetParams(cuda::GraphNode node, const MemsetParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::MemsetNodeParameters converted{};
    EGPU_CHECK(driver_memset(parameters, converted));
    return cuGraphMemsetNodeSetParams(node, &converted);
  });
}

EGPU_API cudaGraphExecMemsetNodeSetParams(cuda::GraphExec executable, cuda::GraphNode node,
                                          const MemsetParameters* parameters) {
  return in_context([&]() -> Error {
    cuda::MemsetNodeParameters converted{};
    cuda::Context context = nullptr;
    EGPU_CHECK(driver_memset(parameters, converted));
    EGPU_CHECK(current_context(context));
    return cuGraphExecMemsetNodeSetParams(executable, node, &converted, context);
  });
}

EGPU_API cudaGraphAddHostNode(cuda::GraphNode* node, cuda::Graph graph,
                              const cuda::GraphNode* dependencies, std::size_t count,
                              const cuda::HostNodeParameters* parameters) {
  return in_context(
      [&]() -> Error { return cuGraphAddHostNode(node, graph, dependencies, count, parameters); });
}

EGPU_API cudaGraphHostNodeGetParams(cuda::GraphNode node, cuda::HostNodeParameters* parameters) {
  return in_context([&]() -> Error { return cuGraphHostNodeGetParams(node, parameters); });
}

EGPU_API cudaGraphHostNodeSetParams(cuda::GraphNode node,
                                    const cuda::HostNodeParameters* parameters) {
  return in_context([&]() -> Error { return cuGraphHostNodeSetParams(node, parameters); });
}

EGPU_API cudaGraphExecHostNodeSetParams(cuda::GraphExec executable, cuda::GraphNode node,
                                        const cuda::HostNodeParameters* parameters) {
  return in_context(
      [&]() -> Error { return cuGraphExecHostNodeSetParams(executable, node, parameters); });
}

EGPU_API cudaGraphAddChildGraphNode(cuda::GraphNode* node, cuda::Graph graph,
                                    const cuda::GraphNode* dependencies, std::size_t count,
                                    cuda::Graph child) {
  return in_context(
      [&]() -> Error { return cuGraphAddChildGraphNode(node, graph, dependencies, count, child); });
}

EGPU_API cudaGraphChildGraphNodeGetGraph(cuda::GraphNode node, cuda::Graph* graph) {
  return in_context([&]() -> Error { return cuGraphChildGraphNodeGetGraph(node, graph); });
}

EGPU_API cudaGraphExecChildGraphNodeSetParams(cuda::GraphExec executable, cuda::GraphNode node,
                                              cuda::Graph child) {
  return in_context(
      [&]() -> Error { return cuGraphExecChildGraphNodeSetParams(executable, node, child); });
}

EGPU_API cudaGraphAddEventRecordNode(cuda::GraphNode* node, cuda::Graph graph,
                                     const cuda::GraphNode* dependencies, std::size_t count,
                                     cuda::Event event) {
  return in_context([&]() -> Error {
    return cuGraphAddEventRecordNode(node, graph, dependencies, count, event);
  });
}

EGPU_API cudaGraphEventRecordNodeGetEvent(cuda::GraphNode node, cuda::Event* event) {
  return in_context([&]() -> Error { return cuGraphEventRecordNodeGetEvent(node, event); });
}

EGPU_API cudaGraphEventRecordNodeSetEvent(cuda::GraphNode node, cuda::Event event) {
  return in_context([&]() -> Error { return cuGraphEventRecordNodeSetEvent(node, event); });
}

EGPU_API cudaGraphExecEventRecordNodeSetEvent(cuda::GraphExec executable, cuda::GraphNode node,
                                              cuda::Event event) {
  return in_context(
      [&]() -> Error { return cuGraphExecEventRecordNodeSetEvent(executable, node, event); });
}

EGPU_API cudaGraphAddEventWaitNode(cuda::GraphNode* node, cuda::Graph graph,
                                   const cuda::GraphNode* dependencies, std::size_t count,
                                   cuda::Event event) {
  return in_context(
      [&]() -> Error { return cuGraphAddEventWaitNode(node, graph, dependencies, count, event); });
}

EGPU_API cudaGraphEventWaitNodeGetEvent(cuda::GraphNode node, cuda::Event* event) {
  return in_context([&]() -> Error { return cuGraphEventWaitNodeGetEvent(node, event); });
}

EGPU_API cudaGraphEventWaitNodeSetEvent(cuda::GraphNode node, cuda::Event event) {
  return in_context([&]() -> Error { return cuGraphEventWaitNodeSetEvent(node, event); });
}

EGPU_API cudaGraphExecEventWaitNodeSetEvent(cuda::GraphExec executable, cuda::GraphNode node,
                                            cuda::Event event) {
  return in_context(
      [&]() -> Error { return cuGraphExecEventWaitNodeSetEvent(executable, node, event); });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
