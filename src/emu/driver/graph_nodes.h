// From a node's parameters to what it does, for graphs and instantiated graphs alike.
#pragma once

#include "emu/driver/graphs.h"

namespace egpu::emu::driver {

// What a node is to do, and in which context; null: in that of the launch.
struct NodeContent {
  Operation operation;
  Context* context = nullptr;
};

Status read_kernel(const cuda::KernelNodeParameters& parameters, const KernelLaunch* previous,
                   NodeContent& content);
Status read_copy(const cuda::Copy3d* copy, cuda::Context context, NodeContent& content);
Status read_fill(const cuda::MemsetNodeParameters* fill, cuda::Context context,
                 NodeContent& content);
Status read_host(const cuda::HostNodeParameters* host, NodeContent& content);
Status read_child(cuda::Graph graph, NodeContent& content);
template <class EventOperation>
Status read_event(cuda::Event handle, NodeContent& content);
Status read_any(const cuda::GraphNodeParameters* parameters, const KernelLaunch* previous,
                NodeContent& content);

cuda::KernelNodeParameters widen(const cuda::KernelNodeParametersV1& parameters);
cuda::GraphNodeType type_of(const Node& node);
const KernelLaunch* launch_of(const Node& node);
// Gives the node, of the same type, new content. Driver::mutex is held.
Status change(Node& node, NodeContent content);

}  // namespace egpu::emu::driver
