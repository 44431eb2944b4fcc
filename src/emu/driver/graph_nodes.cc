#include "emu/driver/graph_nodes.h"

#include "emu/driver/contexts.h"
#include "emu/driver/copies.h"
#include "emu/driver/events.h"
#include "emu/driver/functions.h"
#include "emu/driver/launch_limits.h"
#include "emu/driver/launches.h"

namespace egpu::emu::driver {
namespace {

// The cluster, priority and residency that were chosen for the node before.
LaunchAttributes attributes_of(const KernelLaunch* launch) {
  LaunchAttributes attributes;
  if (launch == nullptr) return attributes;
  attributes.cooperative = launch->config.cooperative;
  attributes.cluster = launch->config.cluster;
  attributes.priority = launch->priority;
  return attributes;
}

Status find_node_context(cuda::Context handle, Context*& context) {
  Context* found = nullptr;
  EGPU_STATUS(find_context(handle, found));
  context = found;
  return cuda::kSuccess;
}

Status add(cuda::GraphNode* handle, cuda::Graph graph_handle, const cuda::GraphNode* dependencies,
           std::size_t count, NodeContent content) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(graph_handle, graph));
  if (handle == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  std::vector<Node*> nodes;
  EGPU_STATUS(find_nodes(*graph, dependencies, count, nodes));
  const auto node = add_node(*graph, std::move(content.operation), content.context, nodes);
  if (const auto* child = std::get_if<ChildGraph>(&*node->operation)) publish_graph(child->graph);
  *handle = handle_of(node.get());
  return cuda::kSuccess;
}

// Calls `use` with the node's operation of type T; kInvalidValue where it is of another type.
template <class T, class Use>
Status with(cuda::GraphNode handle, Use&& use) {
  EGPU_STATUS(check_driver());
  const std::lock_guard lock(driver().mutex);
  Node* node = nullptr;
  EGPU_STATUS(find_node(handle, node));
  const T* operation = std::get_if<T>(&*node->operation);
  return operation != nullptr ? use(*node, *operation) : cuda::kInvalidValue;
}

Status change_by_handle(cuda::GraphNode handle, NodeContent content) {
  const std::lock_guard lock(driver().mutex);
  Node* node = nullptr;
  EGPU_STATUS(find_node(handle, node));
  return change(*node, std::move(content));
}

// A copy of what the node launches, so that new parameters can be read without the lock.
Status copy_launch(cuda::GraphNode handle, KernelLaunch& launch) {
  return with<KernelLaunch>(handle, [&](Node&, const KernelLaunch& found) {
    launch = found;
    return cuda::kSuccess;
  });
}

template <class EventOperation>
Status get_event(cuda::GraphNode handle, cuda::Event* event) {
  if (event == nullptr) return cuda::kInvalidValue;
  return with<EventOperation>(handle, [&](Node&, const EventOperation& operation) {
    *event = handle_of(operation.event);
    return cuda::kSuccess;
  });
}

template <class EventOperation>
Status set_event(cuda::GraphNode handle, cuda::Event event) {
  NodeContent content;
  EGPU_STATUS(read_event<EventOperation>(event, content));
  return change_by_handle(handle, std::move(content));
}

// Null: the function is not one of a library.
cuda::Kernel kernel_handle_of(const Function& function) {
  if (function.module.library == nullptr) return nullptr;
  const auto kernel = function.module.library->kernels.find(function.name);
  return reinterpret_cast<cuda::Kernel>(kernel->second.get());
}

}  // namespace

cuda::KernelNodeParameters widen(const cuda::KernelNodeParametersV1& parameters) {
  return {.launch = parameters, .kernel = nullptr, .context = nullptr};
}

Status read_kernel(const cuda::KernelNodeParameters& parameters, const KernelLaunch* previous,
                   NodeContent& content) {
  EGPU_STATUS(check_driver());
  const cuda::KernelNodeParametersV1& given = parameters.launch;
  const cuda::Function handle = given.function != nullptr
                                    ? given.function
                                    : reinterpret_cast<cuda::Function>(parameters.kernel);
  Context* context = nullptr;
  if (parameters.context != nullptr) EGPU_STATUS(find_context(parameters.context, context));
  FunctionPointer function;
  EGPU_STATUS(find_function(handle, function, context));
  const cuda::LaunchConfig config{.grid_x = given.grid_x,
                                  .grid_y = given.grid_y,
                                  .grid_z = given.grid_z,
                                  .block_x = given.block_x,
                                  .block_y = given.block_y,
                                  .block_z = given.block_z,
                                  .shared_bytes = given.shared_bytes,
                                  .stream = nullptr,
                                  .attributes = nullptr,
                                  .attribute_count = 0};
  KernelLaunch launch;
  EGPU_STATUS(prepare_launch(function, config, attributes_of(previous),
                             {.parameters = given.parameters, .extra = given.extra}, launch));
  content.context = &function->module.context;
  content.operation = std::move(launch);
  return cuda::kSuccess;
}

Status read_copy(const cuda::Copy3d* copy, cuda::Context context, NodeContent& content) {
  EGPU_STATUS(find_node_context(context, content.context));
  if (copy == nullptr) return cuda::kInvalidValue;
  EGPU_STATUS(check_copy(*copy));
  content.operation = Copy{.what = *copy};
  return cuda::kSuccess;
}

Status read_fill(const cuda::MemsetNodeParameters* fill, cuda::Context context,
                 NodeContent& content) {
  EGPU_STATUS(find_node_context(context, content.context));
  if (fill == nullptr) return cuda::kInvalidValue;
  EGPU_STATUS(check_fill(*fill));
  content.operation = Fill{.what = *fill};
  return cuda::kSuccess;
}

Status read_host(const cuda::HostNodeParameters* host, NodeContent& content) {
  EGPU_STATUS(check_driver());
  if (host == nullptr || host->function == nullptr) return cuda::kInvalidValue;
  content.operation = HostCall{.function = host->function, .data = host->data};
  return cuda::kSuccess;
}

Status read_child(cuda::Graph handle, NodeContent& content) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(handle, graph));
  const std::lock_guard lock(driver().mutex);
  content.operation = ChildGraph{.graph = clone(*graph)};
  return cuda::kSuccess;
}

template <class EventOperation>
Status read_event(cuda::Event handle, NodeContent& content) {
  EventPointer event;
  EGPU_STATUS(find_event(handle, event));
  content.context = &event->context;
  content.operation = EventOperation{.event = std::move(event)};
  return cuda::kSuccess;
}
template Status read_event<EventRecord>(cuda::Event handle, NodeContent& content);
template Status read_event<EventWait>(cuda::Event handle, NodeContent& content);

Status read_any(const cuda::GraphNodeParameters* parameters, const KernelLaunch* previous,
                NodeContent& content) {
  EGPU_STATUS(check_driver());
  if (parameters == nullptr) return cuda::kInvalidValue;
  switch (parameters->type) {
    case cuda::kNodeKernel:
      return read_kernel(parameters->kernel, previous, content);
    case cuda::kNodeMemcpy:
      return read_copy(&parameters->memcpy.copy, parameters->memcpy.context, content);
    case cuda::kNodeMemset:
      return read_fill(&parameters->memset.parameters, parameters->memset.context, content);
    case cuda::kNodeHost:
      return read_host(&parameters->host, content);
    case cuda::kNodeGraph:
      if (parameters->child.ownership != 0) return cuda::kNotSupported;  // 0: clone
      return read_child(parameters->child.graph, content);
    case cuda::kNodeEmpty:
      content.operation = Nothing{};
      return cuda::kSuccess;
    case cuda::kNodeWaitEvent:
      return read_event<EventWait>(parameters->event, content);
    case cuda::kNodeEventRecord:
      return read_event<EventRecord>(parameters->event, content);
    default:
      return cuda::kNotSupported;
  }
}

cuda::GraphNodeType type_of(const Node& node) {
  struct Visitor {
    int operator()(const Nothing&) const { return cuda::kNodeEmpty; }
    int operator()(const KernelLaunch&) const { return cuda::kNodeKernel; }
    int operator()(const Copy&) const { return cuda::kNodeMemcpy; }
    int operator()(const Fill&) const { return cuda::kNodeMemset; }
    int operator()(const HostCall&) const { return cuda::kNodeHost; }
    int operator()(const CallbackCall&) const { return cuda::kNodeHost; }
    int operator()(const FreeMemory&) const { return cuda::kNodeEmpty; }
    int operator()(const EventRecord&) const { return cuda::kNodeEventRecord; }
    int operator()(const EventWait&) const { return cuda::kNodeWaitEvent; }
    int operator()(const ChildGraph&) const { return cuda::kNodeGraph; }
  };
  return std::visit(Visitor{}, *node.operation);
}

const KernelLaunch* launch_of(const Node& node) {
  return std::get_if<KernelLaunch>(&*node.operation);
}

Status change(Node& node, NodeContent content) {
  if (node.operation->index() != content.operation.index()) return cuda::kInvalidValue;
  node.operation = std::make_shared<const Operation>(std::move(content.operation));
  node.context = content.context;
  return cuda::kSuccess;
}

Status graph_node_get_type(cuda::GraphNode handle, cuda::GraphNodeType* type) {
  EGPU_STATUS(check_driver());
  if (type == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  Node* node = nullptr;
  EGPU_STATUS(find_node(handle, node));
  *type = type_of(*node);
  return cuda::kSuccess;
}

Status graph_add_empty_node(cuda::GraphNode* handle, cuda::Graph graph,
                            const cuda::GraphNode* dependencies, std::size_t count) {
  return add(handle, graph, dependencies, count, {});
}

Status graph_add_kernel_node(cuda::GraphNode* handle, cuda::Graph graph,
                             const cuda::GraphNode* dependencies, std::size_t count,
                             const cuda::KernelNodeParametersV1* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  const cuda::KernelNodeParameters wide = widen(*parameters);
  return graph_add_kernel_node_v2(handle, graph, dependencies, count, &wide);
}

Status graph_add_kernel_node_v2(cuda::GraphNode* handle, cuda::Graph graph,
                                const cuda::GraphNode* dependencies, std::size_t count,
                                const cuda::KernelNodeParameters* parameters) {
  NodeContent content;
  if (parameters == nullptr) return cuda::kInvalidValue;
  EGPU_STATUS(read_kernel(*parameters, nullptr, content));
  return add(handle, graph, dependencies, count, std::move(content));
}

Status graph_kernel_node_get_params(cuda::GraphNode handle,
                                    cuda::KernelNodeParametersV1* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  cuda::KernelNodeParameters wide{};
  EGPU_STATUS(graph_kernel_node_get_params_v2(handle, &wide));
  *parameters = wide.launch;
  return cuda::kSuccess;
}

// What the parameters point to belongs to the node, until it changes.
Status graph_kernel_node_get_params_v2(cuda::GraphNode handle,
                                       cuda::KernelNodeParameters* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  return with<KernelLaunch>(handle, [&](Node& node, const KernelLaunch& launch) {
    node.parameter_pointers.clear();
    for (const Parameter& parameter : launch.function->info.parameters)
      node.parameter_pointers.push_back(const_cast<std::byte*>(launch.parameters.data()) +
                                        parameter.offset);
    const emu::LaunchConfig& config = launch.config;
    *parameters = {.launch = {.function = handle_of(*launch.function),
                              .grid_x = config.grid[0],
                              .grid_y = config.grid[1],
                              .grid_z = config.grid[2],
                              .block_x = config.block[0],
                              .block_y = config.block[1],
                              .block_z = config.block[2],
                              .shared_bytes = config.dynamic_shared_bytes,
                              .parameters = node.parameter_pointers.data(),
                              .extra = nullptr},
                   .kernel = kernel_handle_of(*launch.function),
                   .context = handle_of(launch.function->module.context)};
    return cuda::kSuccess;
  });
}

Status graph_kernel_node_set_params(cuda::GraphNode handle,
                                    const cuda::KernelNodeParametersV1* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  const cuda::KernelNodeParameters wide = widen(*parameters);
  return graph_kernel_node_set_params_v2(handle, &wide);
}

Status graph_kernel_node_set_params_v2(cuda::GraphNode handle,
                                       const cuda::KernelNodeParameters* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  KernelLaunch previous;
  EGPU_STATUS(copy_launch(handle, previous));
  NodeContent content;
  EGPU_STATUS(read_kernel(*parameters, &previous, content));
  return change_by_handle(handle, std::move(content));
}

Status graph_kernel_node_get_attribute(cuda::GraphNode handle, cuda::LaunchAttributeId attribute,
                                       cuda::LaunchAttributeValue* value) {
  if (value == nullptr) return cuda::kInvalidValue;
  return with<KernelLaunch>(handle, [&](Node&, const KernelLaunch& launch) {
    switch (attribute) {
      case cuda::kLaunchCooperative:
        value->number = launch.config.cooperative ? 1 : 0;
        return cuda::kSuccess;
      case cuda::kLaunchPriority:
        value->number = launch.priority;
        return cuda::kSuccess;
      case cuda::kLaunchClusterDimension:
        for (unsigned i = 0; i < 3; ++i) value->dimension[i] = launch.config.cluster[i];
        return cuda::kSuccess;
      default:
        return cuda::kNotSupported;
    }
  });
}

Status graph_kernel_node_set_attribute(cuda::GraphNode handle, cuda::LaunchAttributeId id,
                                       const cuda::LaunchAttributeValue* value) {
  if (value == nullptr) return cuda::kInvalidValue;
  LaunchAttributes attributes;
  EGPU_STATUS(read_attribute({.id = id, .pad = {}, .value = *value}, attributes));
  return with<KernelLaunch>(handle, [&](Node& node, const KernelLaunch& launch) {
    KernelLaunch changed = launch;
    if (id == cuda::kLaunchCooperative) changed.config.cooperative = attributes.cooperative;
    if (attributes.cluster) changed.config.cluster = *attributes.cluster;
    if (attributes.priority) changed.priority = *attributes.priority;
    EGPU_STATUS(check_limits(*changed.function, changed.config));
    node.operation = std::make_shared<const Operation>(std::move(changed));
    return cuda::kSuccess;
  });
}

Status graph_kernel_node_copy_attributes(cuda::GraphNode to, cuda::GraphNode from) {
  KernelLaunch source;
  EGPU_STATUS(copy_launch(from, source));
  return with<KernelLaunch>(to, [&](Node& node, const KernelLaunch& launch) {
    KernelLaunch changed = launch;
    changed.config.cooperative = source.config.cooperative;
    changed.config.cluster = source.config.cluster;
    changed.priority = source.priority;
    EGPU_STATUS(check_limits(*changed.function, changed.config));
    node.operation = std::make_shared<const Operation>(std::move(changed));
    return cuda::kSuccess;
  });
}

Status graph_add_memcpy_node(cuda::GraphNode* handle, cuda::Graph graph,
                             const cuda::GraphNode* dependencies, std::size_t count,
                             const cuda::Copy3d* copy, cuda::Context context) {
  NodeContent content;
  EGPU_STATUS(read_copy(copy, context, content));
  return add(handle, graph, dependencies, count, std::move(content));
}

Status graph_memcpy_node_get_params(cuda::GraphNode handle, cuda::Copy3d* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  return with<Copy>(handle, [&](Node&, const Copy& copy) {
    *parameters = copy.what;
    return cuda::kSuccess;
  });
}

Status graph_memcpy_node_set_params(cuda::GraphNode handle, const cuda::Copy3d* copy) {
  NodeContent content;
  EGPU_STATUS(read_copy(copy, nullptr, content));
  return change_by_handle(handle, std::move(content));
}

Status graph_add_memset_node(cuda::GraphNode* handle, cuda::Graph graph,
                             const cuda::GraphNode* dependencies, std::size_t count,
                             const cuda::MemsetNodeParameters* fill, cuda::Context context) {
  NodeContent content;
  EGPU_STATUS(read_fill(fill, context, content));
  return add(handle, graph, dependencies, count, std::move(content));
}

Status graph_memset_node_get_params(cuda::GraphNode handle,
                                    cuda::MemsetNodeParameters* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  return with<Fill>(handle, [&](Node&, const Fill& fill) {
    *parameters = fill.what;
    return cuda::kSuccess;
  });
}

Status graph_memset_node_set_params(cuda::GraphNode handle,
                                    const cuda::MemsetNodeParameters* fill) {
  NodeContent content;
  EGPU_STATUS(read_fill(fill, nullptr, content));
  return change_by_handle(handle, std::move(content));
}

Status graph_add_host_node(cuda::GraphNode* handle, cuda::Graph graph,
                           const cuda::GraphNode* dependencies, std::size_t count,
                           const cuda::HostNodeParameters* host) {
  NodeContent content;
  EGPU_STATUS(read_host(host, content));
  return add(handle, graph, dependencies, count, std::move(content));
}

Status graph_host_node_get_params(cuda::GraphNode handle, cuda::HostNodeParameters* parameters) {
  if (parameters == nullptr) return cuda::kInvalidValue;
  return with<HostCall>(handle, [&](Node&, const HostCall& call) {
    *parameters = {.function = call.function, .data = call.data};
    return cuda::kSuccess;
  });
}

Status graph_host_node_set_params(cuda::GraphNode handle, const cuda::HostNodeParameters* host) {
  NodeContent content;
  EGPU_STATUS(read_host(host, content));
  return change_by_handle(handle, std::move(content));
}

Status graph_add_child_graph_node(cuda::GraphNode* handle, cuda::Graph graph,
                                  const cuda::GraphNode* dependencies, std::size_t count,
                                  cuda::Graph child) {
  NodeContent content;
  EGPU_STATUS(read_child(child, content));
  return add(handle, graph, dependencies, count, std::move(content));
}

Status graph_child_graph_node_get_graph(cuda::GraphNode handle, cuda::Graph* graph) {
  if (graph == nullptr) return cuda::kInvalidValue;
  return with<ChildGraph>(handle, [&](Node&, const ChildGraph& child) {
    *graph = publish_graph(child.graph);
    return cuda::kSuccess;
  });
}

Status graph_add_event_record_node(cuda::GraphNode* handle, cuda::Graph graph,
                                   const cuda::GraphNode* dependencies, std::size_t count,
                                   cuda::Event event) {
  NodeContent content;
  EGPU_STATUS(read_event<EventRecord>(event, content));
  return add(handle, graph, dependencies, count, std::move(content));
}

Status graph_event_record_node_get_event(cuda::GraphNode handle, cuda::Event* event) {
  return get_event<EventRecord>(handle, event);
}

Status graph_event_record_node_set_event(cuda::GraphNode handle, cuda::Event event) {
  return set_event<EventRecord>(handle, event);
}

Status graph_add_event_wait_node(cuda::GraphNode* handle, cuda::Graph graph,
                                 const cuda::GraphNode* dependencies, std::size_t count,
                                 cuda::Event event) {
  NodeContent content;
  EGPU_STATUS(read_event<EventWait>(event, content));
  return add(handle, graph, dependencies, count, std::move(content));
}

Status graph_event_wait_node_get_event(cuda::GraphNode handle, cuda::Event* event) {
  return get_event<EventWait>(handle, event);
}

Status graph_event_wait_node_set_event(cuda::GraphNode handle, cuda::Event event) {
  return set_event<EventWait>(handle, event);
}

Status graph_add_node(cuda::GraphNode* handle, cuda::Graph graph,
                      const cuda::GraphNode* dependencies, std::size_t count,
                      cuda::GraphNodeParameters* parameters) {
  return graph_add_node_v2(handle, graph, dependencies, nullptr, count, parameters);
}

Status graph_add_node_v2(cuda::GraphNode* handle, cuda::Graph graph,
                         const cuda::GraphNode* dependencies, const cuda::GraphEdge* edges,
                         std::size_t count, cuda::GraphNodeParameters* parameters) {
  NodeContent content;
  EGPU_STATUS(check_edges(edges, count));
  EGPU_STATUS(read_any(parameters, nullptr, content));
  return add(handle, graph, dependencies, count, std::move(content));
}

Status graph_node_set_params(cuda::GraphNode handle, cuda::GraphNodeParameters* parameters) {
  KernelLaunch previous;
  const bool is_kernel = copy_launch(handle, previous) == cuda::kSuccess;
  NodeContent content;
  EGPU_STATUS(read_any(parameters, is_kernel ? &previous : nullptr, content));
  return change_by_handle(handle, std::move(content));
}

}  // namespace egpu::emu::driver
