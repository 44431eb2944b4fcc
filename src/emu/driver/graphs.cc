#include "emu/driver/graphs.h"

#include <algorithm>
#include <map>

#include "emu/driver/events.h"
#include "emu/driver/functions.h"
#include "emu/driver/handles.h"

namespace egpu::emu::driver {
namespace {

Handles<cuda::Graph, Graph>& graphs() {
  static auto* const instance = new Handles<cuda::Graph, Graph>;
  return *instance;
}

Handles<cuda::GraphNode, Node>& nodes() {
  static auto* const instance = new Handles<cuda::GraphNode, Node>;
  return *instance;
}

const ChildGraph* child_of(const Node& node) { return std::get_if<ChildGraph>(&*node.operation); }

// Ends the handles of the graph and its children.
void withdraw(const Graph& graph) {
  graphs().remove(Handles<cuda::Graph, Graph>::of(&graph));
  for (const auto& node : graph.nodes)
    if (const ChildGraph* child = child_of(*node)) withdraw(*child->graph);
}

void connect(Node& from, Node& to) {
  from.dependents.push_back(&to);
  to.dependencies.push_back(&from);
}

void disconnect(Node& from, Node& to) {
  std::erase(from.dependents, &to);
  std::erase(to.dependencies, &from);
}

bool is_connected(const Node& from, const Node& to) {
  return std::ranges::find(to.dependencies, &from) != to.dependencies.end();
}

// An array of handles as calls return them: with a null array the count, otherwise as many as there
// is room for, nulls behind the last, and the count of those there are.
template <class GetNode>
Status answer_nodes(std::size_t available, GetNode&& get, cuda::GraphNode* handles,
                    std::size_t* count) {
  if (count == nullptr) return cuda::kInvalidValue;
  if (handles != nullptr)
    for (std::size_t i = 0; i < *count; ++i)
      handles[i] = i < available ? handle_of(get(i)) : nullptr;
  *count = handles != nullptr ? std::min(*count, available) : available;
  return cuda::kSuccess;
}

}  // namespace

Graph::~Graph() {
  for (const auto& node : nodes) driver::nodes().remove(handle_of(node.get()));
}

cuda::Graph publish_graph(const std::shared_ptr<Graph>& graph) {
  for (const auto& node : graph->nodes)
    if (const ChildGraph* child = child_of(*node)) publish_graph(child->graph);
  return graphs().add(graph);
}

Status find_graph(cuda::Graph handle, std::shared_ptr<Graph>& graph) {
  EGPU_STATUS(check_driver());
  graph = graphs().find(handle);
  return graph != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
}

cuda::GraphNode handle_of(const Node* node) { return Handles<cuda::GraphNode, Node>::of(node); }

std::shared_ptr<Node> add_node(Graph& graph, Operation operation, Context* context,
                               std::span<Node* const> dependencies) {
  static std::uint64_t next_id = 1;
  const auto node = std::make_shared<Node>();
  node->id = node->original = next_id++;
  node->graph = &graph;
  node->operation = std::make_shared<const Operation>(std::move(operation));
  node->context = context;
  for (Node* dependency : dependencies) connect(*dependency, *node);
  graph.nodes.push_back(node);
  nodes().add(node);
  return node;
}

Status find_node(cuda::GraphNode handle, Node*& node) {
  node = nodes().find(handle).get();
  return node != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
}

Status find_nodes(const Graph& graph, const cuda::GraphNode* handles, std::size_t count,
                  std::vector<Node*>& found) {
  if (handles == nullptr && count > 0) return cuda::kInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    Node* node = nullptr;
    EGPU_STATUS(find_node(handles[i], node));
    if (node->graph != &graph) return cuda::kInvalidValue;
    found.push_back(node);
  }
  return cuda::kSuccess;
}

Status check_edges(const cuda::GraphEdge* edges, std::size_t count) {
  if (edges == nullptr) return cuda::kSuccess;
  for (std::size_t i = 0; i < count; ++i)
    if (edges[i].from_port != 0 || edges[i].to_port != 0 || edges[i].type != 0)
      return cuda::kNotSupported;
  return cuda::kSuccess;
}

std::set<Node*> ancestors_of(std::span<Node* const> start) {
  std::set<Node*> found;
  std::vector<Node*> left(start.begin(), start.end());
  while (!left.empty()) {
    Node* node = left.back();
    left.pop_back();
    if (found.insert(node).second)
      left.insert(left.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return found;
}

std::vector<Node*> in_order(const Graph& graph) {
  std::map<const Node*, std::size_t> missing;
  std::vector<Node*> order;
  for (const auto& node : graph.nodes) {
    missing[node.get()] = node->dependencies.size();
    if (node->dependencies.empty()) order.push_back(node.get());
  }
  for (std::size_t i = 0; i < order.size(); ++i)
    for (Node* dependent : order[i]->dependents)
      if (--missing[dependent] == 0) order.push_back(dependent);
  return order.size() == graph.nodes.size() ? order : std::vector<Node*>{};
}

std::shared_ptr<Graph> clone(const Graph& graph) {
  auto copy = std::make_shared<Graph>();
  std::map<const Node*, Node*> copies;
  for (const auto& node : graph.nodes) {
    Operation operation = *node->operation;
    if (auto* child = std::get_if<ChildGraph>(&operation)) child->graph = clone(*child->graph);
    const auto made = add_node(*copy, std::move(operation), node->context, {});
    made->original = node->original;
    copies[node.get()] = made.get();
  }
  for (const auto& node : graph.nodes)
    for (const Node* dependency : node->dependencies)
      connect(*copies[dependency], *copies[node.get()]);
  return copy;
}

Status graph_create(cuda::Graph* handle, unsigned flags) {
  EGPU_STATUS(check_driver());
  if (handle == nullptr || flags != 0) return cuda::kInvalidValue;
  *handle = publish_graph(std::make_shared<Graph>());
  return cuda::kSuccess;
}

Status graph_destroy(cuda::Graph handle) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(handle, graph));
  const std::lock_guard lock(driver().mutex);
  withdraw(*graph);
  return cuda::kSuccess;
}

Status graph_clone(cuda::Graph* handle, cuda::Graph original) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(original, graph));
  if (handle == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  *handle = publish_graph(clone(*graph));
  return cuda::kSuccess;
}

Status graph_node_find_in_clone(cuda::GraphNode* handle, cuda::GraphNode original,
                                cuda::Graph clone_handle) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(clone_handle, graph));
  if (handle == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  Node* wanted = nullptr;
  EGPU_STATUS(find_node(original, wanted));
  for (const auto& node : graph->nodes) {
    if (node->original != wanted->original) continue;
    *handle = handle_of(node.get());
    return cuda::kSuccess;
  }
  return cuda::kInvalidValue;
}

Status graph_destroy_node(cuda::GraphNode handle) {
  EGPU_STATUS(check_driver());
  const std::lock_guard lock(driver().mutex);
  Node* node = nullptr;
  EGPU_STATUS(find_node(handle, node));
  for (Node* dependency : std::vector(node->dependencies)) disconnect(*dependency, *node);
  for (Node* dependent : std::vector(node->dependents)) disconnect(*node, *dependent);
  if (const ChildGraph* child = child_of(*node)) withdraw(*child->graph);
  nodes().remove(handle);
  std::erase_if(node->graph->nodes, [&](const auto& other) { return other.get() == node; });
  return cuda::kSuccess;
}

Status graph_get_nodes(cuda::Graph handle, cuda::GraphNode* handles, std::size_t* count) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(handle, graph));
  const std::lock_guard lock(driver().mutex);
  return answer_nodes(
      graph->nodes.size(), [&](std::size_t i) { return graph->nodes[i].get(); }, handles, count);
}

Status graph_get_root_nodes(cuda::Graph handle, cuda::GraphNode* handles, std::size_t* count) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(handle, graph));
  const std::lock_guard lock(driver().mutex);
  std::vector<Node*> roots;
  for (const auto& node : graph->nodes)
    if (node->dependencies.empty()) roots.push_back(node.get());
  return answer_nodes(roots.size(), [&](std::size_t i) { return roots[i]; }, handles, count);
}

Status graph_get_edges(cuda::Graph handle, cuda::GraphNode* from, cuda::GraphNode* to,
                       std::size_t* count) {
  return graph_get_edges_v2(handle, from, to, nullptr, count);
}

Status graph_get_edges_v2(cuda::Graph handle, cuda::GraphNode* from, cuda::GraphNode* to,
                          cuda::GraphEdge* edges, std::size_t* count) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(handle, graph));
  if (count == nullptr || (from == nullptr) != (to == nullptr)) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  std::vector<std::pair<Node*, Node*>> all;
  for (const auto& node : graph->nodes)
    for (Node* dependent : node->dependents) all.emplace_back(node.get(), dependent);
  if (edges != nullptr) std::fill_n(edges, std::min(*count, all.size()), cuda::GraphEdge{});
  std::size_t to_count = *count;
  EGPU_STATUS(
      answer_nodes(all.size(), [&](std::size_t i) { return all[i].second; }, to, &to_count));
  return answer_nodes(all.size(), [&](std::size_t i) { return all[i].first; }, from, count);
}

Status graph_node_get_dependencies(cuda::GraphNode handle, cuda::GraphNode* dependencies,
                                   std::size_t* count) {
  return graph_node_get_dependencies_v2(handle, dependencies, nullptr, count);
}

Status graph_node_get_dependencies_v2(cuda::GraphNode handle, cuda::GraphNode* dependencies,
                                      cuda::GraphEdge* edges, std::size_t* count) {
  EGPU_STATUS(check_driver());
  const std::lock_guard lock(driver().mutex);
  Node* node = nullptr;
  EGPU_STATUS(find_node(handle, node));
  const auto& all = node->dependencies;
  if (edges != nullptr && count != nullptr)
    std::fill_n(edges, std::min(*count, all.size()), cuda::GraphEdge{});
  return answer_nodes(all.size(), [&](std::size_t i) { return all[i]; }, dependencies, count);
}

Status graph_node_get_dependent_nodes(cuda::GraphNode handle, cuda::GraphNode* dependents,
                                      std::size_t* count) {
  return graph_node_get_dependent_nodes_v2(handle, dependents, nullptr, count);
}

Status graph_node_get_dependent_nodes_v2(cuda::GraphNode handle, cuda::GraphNode* dependents,
                                         cuda::GraphEdge* edges, std::size_t* count) {
  EGPU_STATUS(check_driver());
  const std::lock_guard lock(driver().mutex);
  Node* node = nullptr;
  EGPU_STATUS(find_node(handle, node));
  const auto& all = node->dependents;
  if (edges != nullptr && count != nullptr)
    std::fill_n(edges, std::min(*count, all.size()), cuda::GraphEdge{});
  return answer_nodes(all.size(), [&](std::size_t i) { return all[i]; }, dependents, count);
}

Status graph_add_dependencies(cuda::Graph handle, const cuda::GraphNode* from,
                              const cuda::GraphNode* to, std::size_t count) {
  return graph_add_dependencies_v2(handle, from, to, nullptr, count);
}

Status graph_add_dependencies_v2(cuda::Graph handle, const cuda::GraphNode* from,
                                 const cuda::GraphNode* to, const cuda::GraphEdge* edges,
                                 std::size_t count) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(handle, graph));
  EGPU_STATUS(check_edges(edges, count));
  const std::lock_guard lock(driver().mutex);
  std::vector<Node*> sources;
  std::vector<Node*> targets;
  EGPU_STATUS(find_nodes(*graph, from, count, sources));
  EGPU_STATUS(find_nodes(*graph, to, count, targets));
  for (std::size_t i = 0; i < count; ++i)
    if (sources[i] == targets[i] || is_connected(*sources[i], *targets[i]))
      return cuda::kInvalidValue;
  for (std::size_t i = 0; i < count; ++i) connect(*sources[i], *targets[i]);
  return cuda::kSuccess;
}

Status graph_remove_dependencies(cuda::Graph handle, const cuda::GraphNode* from,
                                 const cuda::GraphNode* to, std::size_t count) {
  return graph_remove_dependencies_v2(handle, from, to, nullptr, count);
}

Status graph_remove_dependencies_v2(cuda::Graph handle, const cuda::GraphNode* from,
                                    const cuda::GraphNode* to, const cuda::GraphEdge* edges,
                                    std::size_t count) {
  std::shared_ptr<Graph> graph;
  EGPU_STATUS(find_graph(handle, graph));
  EGPU_STATUS(check_edges(edges, count));
  const std::lock_guard lock(driver().mutex);
  std::vector<Node*> sources;
  std::vector<Node*> targets;
  EGPU_STATUS(find_nodes(*graph, from, count, sources));
  EGPU_STATUS(find_nodes(*graph, to, count, targets));
  for (std::size_t i = 0; i < count; ++i)
    if (!is_connected(*sources[i], *targets[i])) return cuda::kInvalidValue;
  for (std::size_t i = 0; i < count; ++i) disconnect(*sources[i], *targets[i]);
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
