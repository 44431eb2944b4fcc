// Graphs as a whole: making, instantiating, launching, looking into them. Their nodes are in
// graph_nodes.cc.
#include "emu/runtime/call.h"

namespace egpu::emu::runtime {

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaGraphCreate(cuda::Graph* graph, unsigned flags) {
  return in_context([&]() -> Error { return cuGraphCreate(graph, flags); });
}

EGPU_API cudaGraphDestroy(cuda::Graph graph) {
  return in_context([&]() -> Error { return cuGraphDestroy(graph); });
}

EGPU_API cudaGraphClone(cuda::Graph* clone, cuda::Graph graph) {
  return in_context([&]() -> Error { return cuGraphClone(clone, graph); });
}

EGPU_API cudaGraphInstantiate(cuda::GraphExec* executable, cuda::Graph graph,
                              unsigned long long flags) {
  return in_context(
      [&]() -> Error { return cuGraphInstantiateWithFlags(executable, graph, flags); });
}

EGPU_API cudaGraphInstantiateWithFlags(cuda::GraphExec* executable, cuda::Graph graph,
                                       unsigned long long flags) {
  return in_context(
      [&]() -> Error { return cuGraphInstantiateWithFlags(executable, graph, flags); });
}

EGPU_API_FORMS(cudaGraphInstantiateWithParams, _ptsz,
               (cuda::GraphExec * executable, cuda::Graph graph,
                cuda::InstantiateParameters* parameters),
               (executable, graph, parameters)) {
  return EGPU_FORM(cuGraphInstantiateWithParams, _ptsz)(executable, graph, parameters);
}

EGPU_API cudaGraphExecGetFlags(cuda::GraphExec executable, std::uint64_t* flags) {
  return in_context([&]() -> Error { return cuGraphExecGetFlags(executable, flags); });
}

EGPU_API cudaGraphExecDestroy(cuda::GraphExec executable) {
  return in_context([&]() -> Error { return cuGraphExecDestroy(executable); });
}

EGPU_API cudaGraphExecUpdate(cuda::GraphExec executable, cuda::Graph graph,
                             cuda::GraphUpdateResult* result) {
  return in_context([&]() -> Error { return cuGraphExecUpdate_v2(executable, graph, result); });
}

EGPU_API_FORMS(cudaGraphUpload, _ptsz, (cuda::GraphExec executable, cuda::Stream stream),
               (executable, stream)) {
  return EGPU_FORM(cuGraphUpload, _ptsz)(executable, stream);
}

EGPU_API_FORMS(cudaGraphLaunch, _ptsz, (cuda::GraphExec executable, cuda::Stream stream),
               (executable, stream)) {
  return EGPU_FORM(cuGraphLaunch, _ptsz)(executable, stream);
}

EGPU_API cudaGraphGetNodes(cuda::Graph graph, cuda::GraphNode* nodes, std::size_t* count) {
  return in_context([&]() -> Error { return cuGraphGetNodes(graph, nodes, count); });
}

EGPU_API cudaGraphGetRootNodes(cuda::Graph graph, cuda::GraphNode* nodes, std::size_t* count) {
  return in_context([&]() -> Error { return cuGraphGetRootNodes(graph, nodes, count); });
}

EGPU_API cudaGraphGetEdges(cuda::Graph graph, cuda::GraphNode* from, cuda::GraphNode* to,
                           cuda::GraphEdge* edges, std::size_t* count) {
  return in_context([&]() -> Error { return cuGraphGetEdges_v2(graph, from, to, edges, count); });
}

EGPU_API cudaGraphAddDependencies(cuda::Graph graph, const cuda::GraphNode* from,
                                  const cuda::GraphNode* to, const cuda::GraphEdge* edges,
                                  std::size_t count) {
  return in_context(
      [&]() -> Error { return cuGraphAddDependencies_v2(graph, from, to, edges, count); });
}

EGPU_API cudaGraphRemoveDependencies(cuda::Graph graph, const cuda::GraphNode* from,
                                     const cuda::GraphNode* to, const cuda::GraphEdge* edges,
                                     std::size_t count) {
  return in_context(
      [&]() -> Error { return cuGraphRemoveDependencies_v2(graph, from, to, edges, count); });
}

EGPU_API cudaGraphDestroyNode(cuda::GraphNode node) {
  return in_context([&]() -> Error { return cuGraphDestroyNode(node); });
}

EGPU_API cudaGraphNodeGetType(cuda::GraphNode node, cuda::GraphNodeType* type) {
  return in_context([&]() -> Error { return cuGraphNodeGetType(node, type); });
}

EGPU_API cudaGraphNodeFindInClone(cuda::GraphNode* found, cuda::GraphNode node, cuda::Graph clone) {
  return in_context([&]() -> Error { return cuGraphNodeFindInClone(found, node, clone); });
}

EGPU_API cudaGraphNodeGetDependencies(cuda::GraphNode node, cuda::GraphNode* dependencies,
                                      cuda::GraphEdge* edges, std::size_t* count) {
  return in_context(
      [&]() -> Error { return cuGraphNodeGetDependencies_v2(node, dependencies, edges, count); });
}

EGPU_API cudaGraphNodeGetDependentNodes(cuda::GraphNode node, cuda::GraphNode* dependents,
                                        cuda::GraphEdge* edges, std::size_t* count) {
  return in_context(
      [&]() -> Error { return cuGraphNodeGetDependentNodes_v2(node, dependents, edges, count); });
}

EGPU_API cudaGraphNodeSetEnabled(cuda::GraphExec executable, cuda::GraphNode node,
                                 unsigned enabled) {
  return in_context([&]() -> Error { return cuGraphNodeSetEnabled(executable, node, enabled); });
}

EGPU_API cudaGraphNodeGetEnabled(cuda::GraphExec executable, cuda::GraphNode node,
                                 unsigned* enabled) {
  return in_context([&]() -> Error { return cuGraphNodeGetEnabled(executable, node, enabled); });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
