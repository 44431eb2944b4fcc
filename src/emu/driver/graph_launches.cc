// Instantiated graphs: their own copy of a graph, which can be launched and changed.
#include <algorithm>
#include <map>

#include "emu/driver/capture.h"
#include "emu/driver/contexts.h"
#include "emu/driver/events.h"
#include "emu/driver/functions.h"
#include "emu/driver/graph_nodes.h"
#include "emu/driver/graphs.h"
#include "emu/driver/handles.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {
namespace {

// CUDA_GRAPH_INSTANTIATE_FLAG_...
constexpr std::uint64_t kDeviceLaunch = 4;
constexpr std::uint64_t kKnownFlags = 15;

Handles<cuda::GraphExec, GraphExec>& execs() {
  static auto* const instance = new Handles<cuda::GraphExec, GraphExec>;
  return *instance;
}

Status find_exec(cuda::GraphExec handle, std::shared_ptr<GraphExec>& exec) {
  EGPU_STATUS(check_driver());
  exec = execs().find(handle);
  return exec != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
}

// The instantiated graph's copy of a graph's node.
Status find_copy(const GraphExec& exec, cuda::GraphNode handle, Node*& copy) {
  Node* node = nullptr;
  EGPU_STATUS(find_node(handle, node));
  for (const auto& candidate : exec.graph->nodes)
    if (candidate->original == node->original) copy = candidate.get();
  return copy != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
}

TaskPointer submit_graph(const std::vector<Node*>& order, Context& launched_in,
                         const TaskPointer& entry);

TaskPointer submit_node(const Node& node, Context& launched_in, std::vector<TaskPointer> before) {
  Context* context = node.context != nullptr ? node.context : &launched_in;
  if (!node.enabled) return submit(nullptr, before);
  if (const auto* child = std::get_if<ChildGraph>(&*node.operation))
    return submit_graph(in_order(*child->graph), launched_in, submit(nullptr, before));
  if (const auto* wait = std::get_if<EventWait>(&*node.operation)) {
    before.push_back(wait->event->task);
    return submit(nullptr, before);
  }
  if (const auto* record = std::get_if<EventRecord>(&*node.operation)) {
    record->event->task = submit(nullptr, before);
    return record->event->task;
  }
  return submit([operation = node.operation, context] { perform(*operation, *context); }, before);
}

// Gives the task that is done when all the graph's are.
TaskPointer submit_graph(const std::vector<Node*>& order, Context& launched_in,
                         const TaskPointer& entry) {
  std::map<const Node*, TaskPointer> tasks;
  std::vector<TaskPointer> all{entry};
  for (const Node* node : order) {
    std::vector<TaskPointer> before;
    if (node->dependencies.empty()) before.push_back(entry);
    for (const Node* dependency : node->dependencies) before.push_back(tasks.at(dependency));
    tasks[node] = submit_node(*node, launched_in, std::move(before));
    all.push_back(tasks[node]);
  }
  return submit(nullptr, all);
}

Status instantiate(cuda::GraphExec* handle, cuda::Graph graph_handle, std::uint64_t flags) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(graph_handle, graph));
  if (handle == nullptr || (flags & ~kKnownFlags) != 0) return cuda::kInvalidValue;
  if ((flags & kDeviceLaunch) != 0) return cuda::kNotSupported;
  const std::lock_guard lock(driver().mutex);
  const auto exec = std::make_shared<GraphExec>();
  exec->graph = clone(*graph);
  exec->order = in_order(*exec->graph);
  exec->flags = flags;
  if (exec->order.size() != exec->graph->nodes.size()) return cuda::kInvalidValue;
  *handle = execs().add(exec);
  return cuda::kSuccess;
}

// Gives the copy of a node new content.
Status change_copy(cuda::GraphExec exec_handle, cuda::GraphNode handle, NodeContent content) {
  std::shared_ptr<GraphExec> exec;
  EGPU_STATUS(find_exec(exec_handle, exec));
  const std::lock_guard lock(driver().mutex);
  Node* copy = nullptr;
  EGPU_STATUS(find_copy(*exec, handle, copy));
  return change(*copy, std::move(content));
}

// What the copy of the node launches now; false where it is no kernel's.
bool copy_launch(cuda::GraphExec exec_handle, cuda::GraphNode handle, KernelLaunch& launch) {
  std::shared_ptr<GraphExec> exec;
  if (find_exec(exec_handle, exec) != cuda::kSuccess) return false;
  const std::lock_guard lock(driver().mutex);
  Node* copy = nullptr;
  if (find_copy(*exec, handle, copy) != cuda::kSuccess || launch_of(*copy) == nullptr) return false;
  launch = *launch_of(*copy);
  return true;
}

std::map<const Node*, std::size_t> positions_in(const Graph& graph) {
  std::map<const Node*, std::size_t> positions;
  for (const auto& node : graph.nodes) positions.emplace(node.get(), positions.size());
  return positions;
}

std::set<std::size_t> dependencies_of(const Node& node,
                                      const std::map<const Node*, std::size_t>& positions) {
  std::set<std::size_t> found;
  for (const Node* dependency : node.dependencies) found.insert(positions.at(dependency));
  return found;
}

// Whether the graphs are the same but for what their nodes do in detail; `result` says how not.
bool matches(const Graph& old_graph, const Graph& new_graph, cuda::GraphUpdateResult& result) {
  result = {
      .result = cuda::kUpdateTopologyChanged, .error_node = nullptr, .error_from_node = nullptr};
  if (old_graph.nodes.size() != new_graph.nodes.size()) return false;
  const auto old_positions = positions_in(old_graph);
  const auto new_positions = positions_in(new_graph);
  for (std::size_t i = 0; i < old_graph.nodes.size(); ++i) {
    const Node& old_node = *old_graph.nodes[i];
    const Node& new_node = *new_graph.nodes[i];
    result.error_node = handle_of(&new_node);
    if (dependencies_of(old_node, old_positions) != dependencies_of(new_node, new_positions))
      return false;
    if (type_of(old_node) == type_of(new_node)) continue;
    result.result = cuda::kUpdateNodeTypeChanged;
    return false;
  }
  result = {.result = cuda::kUpdateSuccess, .error_node = nullptr, .error_from_node = nullptr};
  return true;
}

}  // namespace

Status graph_instantiate(cuda::GraphExec* handle, cuda::Graph graph, cuda::GraphNode* error_node,
                         char* log, std::size_t log_bytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes > 0) *log = '\0';
  return instantiate(handle, graph, 0);
}

Status graph_instantiate_with_flags(cuda::GraphExec* handle, cuda::Graph graph,
                                    unsigned long long flags) {
  return instantiate(handle, graph, flags);
}

Status graph_instantiate_with_params(cuda::GraphExec* handle, cuda::Graph graph,
                                     cuda::InstantiateParameters* parameters) {
  constexpr int kError = 1;  // CUDA_GRAPH_INSTANTIATE_ERROR
  if (parameters == nullptr) return cuda::kInvalidValue;
  parameters->error_node = nullptr;
  const Status status = instantiate(handle, graph, parameters->flags);
  parameters->result = status == cuda::kSuccess ? 0 : kError;
  return status;
}

Status graph_exec_get_flags(cuda::GraphExec handle, std::uint64_t* flags) {
  std::shared_ptr<GraphExec> exec;
  EGPU_STATUS(find_exec(handle, exec));
  if (flags == nullptr) return cuda::kInvalidValue;
  *flags = exec->flags;
  return cuda::kSuccess;
}

// A launch that still runs goes on.
Status graph_exec_destroy(cuda::GraphExec handle) {
  EGPU_STATUS(check_driver());
  return execs().remove(handle) != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
}

// There is nothing to bring to a device.
Status graph_upload(cuda::GraphExec handle, cuda::Stream stream_handle) {
  std::shared_ptr<GraphExec> exec;
  StreamPointer stream;
  EGPU_STATUS(find_exec(handle, exec));
  return find_stream(stream_handle, stream);
}

Status graph_launch(cuda::GraphExec handle, cuda::Stream stream_handle) {
  std::shared_ptr<GraphExec> exec;
  StreamPointer stream;
  EGPU_STATUS(find_exec(handle, exec));
  EGPU_STATUS(find_stream(stream_handle, stream));
  const std::lock_guard lock(driver().mutex);
  if (stream->capture != nullptr)
    return capture_operation(*stream, ChildGraph{.graph = clone(*exec->graph)});
  EGPU_STATUS(check_implicit_capture(*stream));
  const TaskPointer entry = submit_behind(*stream, nullptr, {exec->last});
  exec->last = stream->last = submit_graph(exec->order, stream->context, entry);
  return cuda::kSuccess;
}

Status graph_exec_kernel_node_set_params(cuda::GraphExec exec, cuda::GraphNode node,
                                         const cuda::KernelNodeParametersV1* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  const cuda::KernelNodeParameters wide = widen(*parameters);
  return graph_exec_kernel_node_set_params_v2(exec, node, &wide);
}

Status graph_exec_kernel_node_set_params_v2(cuda::GraphExec exec, cuda::GraphNode node,
                                            const cuda::KernelNodeParameters* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  KernelLaunch previous;
  if (!copy_launch(exec, node, previous)) return cuda::kInvalidValue;
  NodeContent content;
  EGPU_STATUS(read_kernel(*parameters, &previous, content));
  return change_copy(exec, node, std::move(content));
}

Status graph_exec_memcpy_node_set_params(cuda::GraphExec exec, cuda::GraphNode node,
                                         const cuda::Copy3d* copy, cuda::Context context) {
  NodeContent content;
  EGPU_STATUS(read_copy(copy, context, content));
  return change_copy(exec, node, std::move(content));
}

Status graph_exec_memset_node_set_params(cuda::GraphExec exec, cuda::GraphNode node,
                                         const cuda::MemsetNodeParameters* fill,
                                         cuda::Context context) {
  NodeContent content;
  EGPU_STATUS(read_fill(fill, context, content));
  return change_copy(exec, node, std::move(content));
}

Status graph_exec_host_node_set_params(cuda::GraphExec exec, cuda::GraphNode node,
                                       const cuda::HostNodeParameters* host) {
  NodeContent content;
  EGPU_STATUS(read_host(host, content));
  return change_copy(exec, node, std::move(content));
}

Status graph_exec_child_graph_node_set_params(cuda::GraphExec exec, cuda::GraphNode node,
                                              cuda::Graph child) {
  NodeContent content;
  EGPU_STATUS(read_child(child, content));
  return change_copy(exec, node, std::move(content));
}

Status graph_exec_event_record_node_set_event(cuda::GraphExec exec, cuda::GraphNode node,
                                              cuda::Event event) {
  NodeContent content;
  EGPU_STATUS(read_event<EventRecord>(event, content));
  return change_copy(exec, node, std::move(content));
}

Status graph_exec_event_wait_node_set_event(cuda::GraphExec exec, cuda::GraphNode node,
                                            cuda::Event event) {
  NodeContent content;
  EGPU_STATUS(read_event<EventWait>(event, content));
  return change_copy(exec, node, std::move(content));
}

Status graph_exec_node_set_params(cuda::GraphExec exec, cuda::GraphNode node,
                                  cuda::GraphNodeParameters* parameters) {
  KernelLaunch previous;
  const bool is_kernel = copy_launch(exec, node, previous);
  NodeContent content;
  EGPU_STATUS(read_any(parameters, is_kernel ? &previous : nullptr, content));
  return change_copy(exec, node, std::move(content));
}

// Kernels, copies and fills alone can be switched off.
Status graph_node_set_enabled(cuda::GraphExec exec_handle, cuda::GraphNode handle,
                              unsigned enabled) {
  std::shared_ptr<GraphExec> exec;
  EGPU_STATUS(find_exec(exec_handle, exec));
  const std::lock_guard lock(driver().mutex);
  Node* copy = nullptr;
  EGPU_STATUS(find_copy(*exec, handle, copy));
  const cuda::GraphNodeType type = type_of(*copy);
  if (type != cuda::kNodeKernel && type != cuda::kNodeMemcpy && type != cuda::kNodeMemset)
    return cuda::kInvalidValue;
  copy->enabled = enabled != 0;
  return cuda::kSuccess;
}

Status graph_node_get_enabled(cuda::GraphExec exec_handle, cuda::GraphNode handle,
                              unsigned* enabled) {
  std::shared_ptr<GraphExec> exec;
  EGPU_STATUS(find_exec(exec_handle, exec));
  if (enabled == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  Node* copy = nullptr;
  EGPU_STATUS(find_copy(*exec, handle, copy));
  *enabled = copy->enabled ? 1 : 0;
  return cuda::kSuccess;
}

Status graph_exec_update(cuda::GraphExec exec, cuda::Graph graph, cuda::GraphNode* error_node,
                         int* result) {
  cuda::GraphUpdateResult details{};
  const Status status = graph_exec_update_v2(exec, graph, &details);
  if (error_node != nullptr) *error_node = details.error_node;
  if (result != nullptr) *result = details.result;
  return status;
}

Status graph_exec_update_v2(cuda::GraphExec exec_handle, cuda::Graph graph_handle,
                            cuda::GraphUpdateResult* result) {
  std::shared_ptr<GraphExec> exec;
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_exec(exec_handle, exec));
  EGPU_STATUS(find_graph(graph_handle, graph));
  if (result == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  if (!matches(*exec->graph, *graph, *result)) return cuda::kGraphExecUpdateFailure;
  for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
    Node& node = *exec->graph->nodes[i];
    node.original = graph->nodes[i]->original;
    node.context = graph->nodes[i]->context;
    node.operation = graph->nodes[i]->operation;
    if (const auto* child = std::get_if<ChildGraph>(&*node.operation))
      node.operation = std::make_shared<const Operation>(ChildGraph{.graph = clone(*child->graph)});
  }
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
