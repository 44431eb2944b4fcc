// Graphs of work: made of nodes by the application or by a capture, instantiated, launched.
//
// Guarded by Driver::mutex, which everything here but find_graph() wants held.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "emu/driver/operations.h"
#include "emu/driver/state.h"
#include "emu/driver/tasks.h"

namespace egpu::emu::driver {

struct Stream;

struct Node {
  std::uint64_t id = 0;        // its own
  std::uint64_t original = 0;  // of the node it was cloned from, at first; its own where it was not
  Graph* graph = nullptr;
  std::shared_ptr<const Operation> operation;
  Context* context = nullptr;  // null: that of the launch
  bool enabled = true;         // of an instantiated graph's node
  std::vector<Node*> dependencies;
  std::vector<Node*> dependents;
  std::vector<void*> parameter_pointers;  // what a call that asked for a kernel's was given
};

struct Graph {
  Graph() = default;
  ~Graph();  // its nodes' handles end
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::vector<std::shared_ptr<Node>> nodes;  // in order of creation
};

struct GraphExec {
  std::shared_ptr<Graph> graph;  // its own
  std::vector<Node*> order;      // dependencies first
  std::uint64_t flags = 0;
  TaskPointer last;  // end of the last launch, which the next waits for
};

// Gives a graph, and its children, handles.
cuda::Graph publish_graph(const std::shared_ptr<Graph>& graph);
Status find_graph(cuda::Graph handle, std::shared_ptr<Graph>& graph);
cuda::GraphNode handle_of(const Node* node);

std::shared_ptr<Node> add_node(Graph& graph, Operation operation, Context* context,
                               std::span<Node* const> dependencies);
// The graph's nodes behind handles; kInvalidValue where one is another graph's.
Status find_nodes(const Graph& graph, const cuda::GraphNode* handles, std::size_t count,
                  std::vector<Node*>& nodes);
Status find_node(cuda::GraphNode handle, Node*& node);
// Edges of other than the plain kind are refused.
Status check_edges(const cuda::GraphEdge* edges, std::size_t count);

// The nodes themselves and all they depend on.
std::set<Node*> ancestors_of(std::span<Node* const> nodes);
// Dependencies first; empty where they go round in a circle.
std::vector<Node*> in_order(const Graph& graph);
std::shared_ptr<Graph> clone(const Graph& graph);

}  // namespace egpu::emu::driver
