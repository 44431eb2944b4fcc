// Graphs. Columns: emu/driver/functions.h.
#pragma once

#define EGPU_EMULATED_GRAPH_FUNCTIONS(X, P)                                                      \
  X(cuGraphCreate, , 10000, graph_create, (cuda::Graph*, unsigned))                              \
  X(cuGraphDestroy, , 10000, graph_destroy, (cuda::Graph))                                       \
  X(cuGraphClone, , 10000, graph_clone, (cuda::Graph*, cuda::Graph))                             \
  X(cuGraphNodeFindInClone, , 10000, graph_node_find_in_clone,                                   \
    (cuda::GraphNode*, cuda::GraphNode, cuda::Graph))                                            \
  X(cuGraphDestroyNode, , 10000, graph_destroy_node, (cuda::GraphNode))                          \
  X(cuGraphNodeGetType, , 10000, graph_node_get_type, (cuda::GraphNode, cuda::GraphNodeType*))   \
  X(cuGraphGetNodes, , 10000, graph_get_nodes, (cuda::Graph, cuda::GraphNode*, std::size_t*))    \
  X(cuGraphGetRootNodes, , 10000, graph_get_root_nodes,                                          \
    (cuda::Graph, cuda::GraphNode*, std::size_t*))                                               \
  X(cuGraphGetEdges, , 10000, graph_get_edges,                                                   \
    (cuda::Graph, cuda::GraphNode*, cuda::GraphNode*, std::size_t*))                             \
  X(cuGraphGetEdges, _v2, 12030, graph_get_edges_v2,                                             \
    (cuda::Graph, cuda::GraphNode*, cuda::GraphNode*, cuda::GraphEdge*, std::size_t*))           \
  X(cuGraphNodeGetDependencies, , 10000, graph_node_get_dependencies,                            \
    (cuda::GraphNode, cuda::GraphNode*, std::size_t*))                                           \
  X(cuGraphNodeGetDependencies, _v2, 12030, graph_node_get_dependencies_v2,                      \
    (cuda::GraphNode, cuda::GraphNode*, cuda::GraphEdge*, std::size_t*))                         \
  X(cuGraphNodeGetDependentNodes, , 10000, graph_node_get_dependent_nodes,                       \
    (cuda::GraphNode, cuda::GraphNode*, std::size_t*))                                           \
  X(cuGraphNodeGetDependentNodes, _v2, 12030, graph_node_get_dependent_nodes_v2,                 \
    (cuda::GraphNode, cuda::GraphNode*, cuda::GraphEdge*, std::size_t*))                         \
  X(cuGraphAddDependencies, , 10000, graph_add_dependencies,                                     \
    (cuda::Graph, const cuda::GraphNode*, const cuda::GraphNode*, std::size_t))                  \
  X(cuGraphAddDependencies, _v2, 12030, graph_add_dependencies_v2,                               \
    (cuda::Graph, const cuda::GraphNode*, const cuda::GraphNode*, const cuda::GraphEdge*,        \
     std::size_t))                                                                               \
  X(cuGraphRemoveDependencies, , 10000, graph_remove_dependencies,                               \
    (cuda::Graph, const cuda::GraphNode*, const cuda::GraphNode*, std::size_t))                  \
  X(cuGraphRemoveDependencies, _v2, 12030, graph_remove_dependencies_v2,                         \
    (cuda::Graph, const cuda::GraphNode*, const cuda::GraphNode*, const cuda::GraphEdge*,        \
     std::size_t))                                                                               \
  X(cuGraphAddEmptyNode, , 10000, graph_add_empty_node,                                          \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t))                        \
  X(cuGraphAddKernelNode, , 10000, graph_add_kernel_node,                                        \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t,                         \
     const cuda::KernelNodeParametersV1*))                                                       \
  X(cuGraphAddKernelNode, _v2, 12000, graph_add_kernel_node_v2,                                  \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t,                         \
     const cuda::KernelNodeParameters*))                                                         \
  X(cuGraphKernelNodeGetParams, , 10000, graph_kernel_node_get_params,                           \
    (cuda::GraphNode, cuda::KernelNodeParametersV1*))                                            \
  X(cuGraphKernelNodeGetParams, _v2, 12000, graph_kernel_node_get_params_v2,                     \
    (cuda::GraphNode, cuda::KernelNodeParameters*))                                              \
  X(cuGraphKernelNodeSetParams, , 10000, graph_kernel_node_set_params,                           \
    (cuda::GraphNode, const cuda::KernelNodeParametersV1*))                                      \
  X(cuGraphKernelNodeSetParams, _v2, 12000, graph_kernel_node_set_params_v2,                     \
    (cuda::GraphNode, const cuda::KernelNodeParameters*))                                        \
  X(cuGraphKernelNodeGetAttribute, , 11000, graph_kernel_node_get_attribute,                     \
    (cuda::GraphNode, cuda::LaunchAttributeId, cuda::LaunchAttributeValue*))                     \
  X(cuGraphKernelNodeSetAttribute, , 11000, graph_kernel_node_set_attribute,                     \
    (cuda::GraphNode, cuda::LaunchAttributeId, const cuda::LaunchAttributeValue*))               \
  X(cuGraphKernelNodeCopyAttributes, , 11000, graph_kernel_node_copy_attributes,                 \
    (cuda::GraphNode, cuda::GraphNode))                                                          \
  X(cuGraphAddMemcpyNode, , 10000, graph_add_memcpy_node,                                        \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t, const cuda::Copy3d*,    \
     cuda::Context))                                                                             \
  X(cuGraphMemcpyNodeGetParams, , 10000, graph_memcpy_node_get_params,                           \
    (cuda::GraphNode, cuda::Copy3d*))                                                            \
  X(cuGraphMemcpyNodeSetParams, , 10000, graph_memcpy_node_set_params,                           \
    (cuda::GraphNode, const cuda::Copy3d*))                                                      \
  X(cuGraphAddMemsetNode, , 10000, graph_add_memset_node,                                        \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t,                         \
     const cuda::MemsetNodeParameters*, cuda::Context))                                          \
  X(cuGraphMemsetNodeGetParams, , 10000, graph_memset_node_get_params,                           \
    (cuda::GraphNode, cuda::MemsetNodeParameters*))                                              \
  X(cuGraphMemsetNodeSetParams, , 10000, graph_memset_node_set_params,                           \
    (cuda::GraphNode, const cuda::MemsetNodeParameters*))                                        \
  X(cuGraphAddHostNode, , 10000, graph_add_host_node,                                            \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t,                         \
     const cuda::HostNodeParameters*))                                                           \
  X(cuGraphHostNodeGetParams, , 10000, graph_host_node_get_params,                               \
    (cuda::GraphNode, cuda::HostNodeParameters*))                                                \
  X(cuGraphHostNodeSetParams, , 10000, graph_host_node_set_params,                               \
    (cuda::GraphNode, const cuda::HostNodeParameters*))                                          \
  X(cuGraphAddChildGraphNode, , 10000, graph_add_child_graph_node,                               \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t, cuda::Graph))           \
  X(cuGraphChildGraphNodeGetGraph, , 10000, graph_child_graph_node_get_graph,                    \
    (cuda::GraphNode, cuda::Graph*))                                                             \
  X(cuGraphAddEventRecordNode, , 11010, graph_add_event_record_node,                             \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t, cuda::Event))           \
  X(cuGraphEventRecordNodeGetEvent, , 11010, graph_event_record_node_get_event,                  \
    (cuda::GraphNode, cuda::Event*))                                                             \
  X(cuGraphEventRecordNodeSetEvent, , 11010, graph_event_record_node_set_event,                  \
    (cuda::GraphNode, cuda::Event))                                                              \
  X(cuGraphAddEventWaitNode, , 11010, graph_add_event_wait_node,                                 \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t, cuda::Event))           \
  X(cuGraphEventWaitNodeGetEvent, , 11010, graph_event_wait_node_get_event,                      \
    (cuda::GraphNode, cuda::Event*))                                                             \
  X(cuGraphEventWaitNodeSetEvent, , 11010, graph_event_wait_node_set_event,                      \
    (cuda::GraphNode, cuda::Event))                                                              \
  X(cuGraphAddNode, , 12020, graph_add_node,                                                     \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t,                         \
     cuda::GraphNodeParameters*))                                                                \
  X(cuGraphAddNode, _v2, 12030, graph_add_node_v2,                                               \
    (cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, const cuda::GraphEdge*, std::size_t, \
     cuda::GraphNodeParameters*))                                                                \
  X(cuGraphNodeSetParams, , 12020, graph_node_set_params,                                        \
    (cuda::GraphNode, cuda::GraphNodeParameters*))                                               \
  X(cuGraphInstantiate, , 10000, graph_instantiate,                                              \
    (cuda::GraphExec*, cuda::Graph, cuda::GraphNode*, char*, std::size_t))                       \
  X(cuGraphInstantiate, _v2, 11000, graph_instantiate,                                           \
    (cuda::GraphExec*, cuda::Graph, cuda::GraphNode*, char*, std::size_t))                       \
  X(cuGraphInstantiateWithFlags, , 11040, graph_instantiate_with_flags,                          \
    (cuda::GraphExec*, cuda::Graph, unsigned long long))                                         \
  P(cuGraphInstantiateWithParams, , 12000, graph_instantiate_with_params, _ptsz,                 \
    (cuda::GraphExec*, cuda::Graph, cuda::InstantiateParameters*))                               \
  X(cuGraphExecGetFlags, , 12000, graph_exec_get_flags, (cuda::GraphExec, std::uint64_t*))       \
  X(cuGraphExecDestroy, , 10000, graph_exec_destroy, (cuda::GraphExec))                          \
  P(cuGraphUpload, , 11010, graph_upload, _ptsz, (cuda::GraphExec, cuda::Stream))                \
  P(cuGraphLaunch, , 10000, graph_launch, _ptsz, (cuda::GraphExec, cuda::Stream))                \
  X(cuGraphExecKernelNodeSetParams, , 10010, graph_exec_kernel_node_set_params,                  \
    (cuda::GraphExec, cuda::GraphNode, const cuda::KernelNodeParametersV1*))                     \
  X(cuGraphExecKernelNodeSetParams, _v2, 12000, graph_exec_kernel_node_set_params_v2,            \
    (cuda::GraphExec, cuda::GraphNode, const cuda::KernelNodeParameters*))                       \
  X(cuGraphExecMemcpyNodeSetParams, , 10020, graph_exec_memcpy_node_set_params,                  \
    (cuda::GraphExec, cuda::GraphNode, const cuda::Copy3d*, cuda::Context))                      \
  X(cuGraphExecMemsetNodeSetParams, , 10020, graph_exec_memset_node_set_params,                  \
    (cuda::GraphExec, cuda::GraphNode, const cuda::MemsetNodeParameters*, cuda::Context))        \
  X(cuGraphExecHostNodeSetParams, , 10020, graph_exec_host_node_set_params,                      \
    (cuda::GraphExec, cuda::GraphNode, const cuda::HostNodeParameters*))                         \
  X(cuGraphExecChildGraphNodeSetParams, , 11010, graph_exec_child_graph_node_set_params,         \
    (cuda::GraphExec, cuda::GraphNode, cuda::Graph))                                             \
  X(cuGraphExecEventRecordNodeSetEvent, , 11010, graph_exec_event_record_node_set_event,         \
    (cuda::GraphExec, cuda::GraphNode, cuda::Event))                                             \
  X(cuGraphExecEventWaitNodeSetEvent, , 11010, graph_exec_event_wait_node_set_event,             \
    (cuda::GraphExec, cuda::GraphNode, cuda::Event))                                             \
  X(cuGraphExecNodeSetParams, , 12020, graph_exec_node_set_params,                               \
    (cuda::GraphExec, cuda::GraphNode, cuda::GraphNodeParameters*))                              \
  X(cuGraphNodeSetEnabled, , 11060, graph_node_set_enabled,                                      \
    (cuda::GraphExec, cuda::GraphNode, unsigned))                                                \
  X(cuGraphNodeGetEnabled, , 11060, graph_node_get_enabled,                                      \
    (cuda::GraphExec, cuda::GraphNode, unsigned*))                                               \
  X(cuGraphExecUpdate, , 10020, graph_exec_update,                                               \
    (cuda::GraphExec, cuda::Graph, cuda::GraphNode*, int*))                                      \
  X(cuGraphExecUpdate, _v2, 12000, graph_exec_update_v2,                                         \
    (cuda::GraphExec, cuda::Graph, cuda::GraphUpdateResult*))
