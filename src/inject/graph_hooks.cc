// Kernel nodes of graphs that the application builds or changes node by node. A node runs the twin
// as a launch would; the application reads back the kernel that it gave. Nodes that a capture makes
// are launches (launch_hooks.cc).
#include <cstring>
#include <type_traits>

#include "abi/probe_table.h"
#include "inject/hooks.h"
#include "inject/report.h"
#include "inject/scopes.h"
#include "inject/twin_choice.h"

namespace egpu::inject::hooks {
namespace {

cuda::Function as_function(cuda::Kernel kernel) { return reinterpret_cast<cuda::Function>(kernel); }
cuda::Kernel as_kernel(cuda::Function function) { return reinterpret_cast<cuda::Kernel>(function); }

// Versions of the parameters: the first has a function alone, the second that or a kernel.
cuda::Function function_of(const cuda::KernelNodeParametersV1& node) { return node.function; }
cuda::Function function_of(const cuda::KernelNodeParameters& node) {
  return node.launch.function != nullptr ? node.launch.function : as_function(node.kernel);
}
cuda::Function function_of(const cuda::GraphNodeParameters& node) {
  return node.type == cuda::kNodeKernel ? function_of(node.kernel) : nullptr;
}

void set_function(cuda::KernelNodeParametersV1& node, cuda::Function function) {
  node.function = function;
}
void set_function(cuda::KernelNodeParameters& node, cuda::Function function) {
  if (node.launch.function != nullptr)
    node.launch.function = function;
  else
    node.kernel = as_kernel(function);
}
void set_function(cuda::GraphNodeParameters& node, cuda::Function function) {
  set_function(node.kernel, function);
}

cuda::Context context_of(const cuda::KernelNodeParametersV1&) { return nullptr; }
cuda::Context context_of(const cuda::KernelNodeParameters& node) { return node.context; }
cuda::Context context_of(const cuda::GraphNodeParameters& node) { return node.kernel.context; }

// `set(parameters)` calls the driver: with the twin where that can be had, else, and where the
// driver refuses it, with what the application gave.
template <class Parameters, class Set>
cuda::Status set_either(Parameters* given, Set set) {
  if (hands_off() || given == nullptr) return set(given);
  const NestingGuard guard;
  const cuda::Function function = function_of(*given);
  const Choice choice =
      function != nullptr ? choose_in(function, context_of(*given)) : Choice{nullptr, nullptr};
  if (choice.instance == nullptr || choice.kernel->disabled.load(std::memory_order_relaxed))
    return set(given);
  std::remove_const_t<Parameters> with_twin = *given;
  set_function(with_twin, choice.kernel->twin);
  const cuda::Status twin_status = set(&with_twin);
  if (twin_status == cuda::kSuccess) return twin_status;
  const cuda::Status status = set(given);
  if (status == cuda::kSuccess && !choice.kernel->disabled.exchange(true))
    report(
        "kernel %s: a graph's node cannot run the instrumented kernel (driver error %d), the "
        "original runs from now on",
        choice.kernel->name(), twin_status);
  return status;
}

// A twin back into its kernel. Functions that nobody asked for, as the driver gives them of nodes
// that were made with a library's kernel, are known by name.
cuda::Function original_of(cuda::Function function) {
  if (const Kernel* kernel = session.modules.find_twin(function); kernel != nullptr)
    return static_cast<cuda::Function>(const_cast<void*>(kernel->handle));
  constexpr std::size_t kPrefixSize = sizeof abi::kInstrumentedPrefix - 1;
  const cuda::DriverTable& driver = session.driver;
  const NestingGuard guard;
  const char* name = nullptr;
  cuda::Module module = nullptr;
  cuda::Function original = nullptr;
  const bool can_ask = driver.function_get_name != nullptr && driver.function_get_module != nullptr;
  if (!can_ask || driver.function_get_name(&name, function) != cuda::kSuccess ||
      std::strncmp(name, abi::kInstrumentedPrefix, kPrefixSize) != 0 ||
      driver.function_get_module(&module, function) != cuda::kSuccess ||
      driver.module_get_function(&original, module, name + kPrefixSize) != cuda::kSuccess)
    return function;
  return original;
}

void restore(cuda::KernelNodeParametersV1& node) {
  if (node.function != nullptr) node.function = original_of(node.function);
}
void restore(cuda::KernelNodeParameters& node) {
  restore(node.launch);
  const Kernel* kernel = session.modules.find_twin(node.kernel);
  if (kernel != nullptr) node.kernel = static_cast<cuda::Kernel>(const_cast<void*>(kernel->handle));
}

}  // namespace

cuda::Status graph_add_kernel_node(cuda::GraphNode* node, cuda::Graph graph,
                                   const cuda::GraphNode* dependencies, std::size_t count,
                                   const cuda::KernelNodeParametersV1* parameters) {
  return set_either(parameters, [&](const cuda::KernelNodeParametersV1* chosen) {
    return session.driver.graph_add_kernel_node(node, graph, dependencies, count, chosen);
  });
}

cuda::Status graph_add_kernel_node_v2(cuda::GraphNode* node, cuda::Graph graph,
                                      const cuda::GraphNode* dependencies, std::size_t count,
                                      const cuda::KernelNodeParameters* parameters) {
  return set_either(parameters, [&](const cuda::KernelNodeParameters* chosen) {
    return session.driver.graph_add_kernel_node_v2(node, graph, dependencies, count, chosen);
  });
}

cuda::Status graph_add_node(cuda::GraphNode* node, cuda::Graph graph,
                            const cuda::GraphNode* dependencies, std::size_t count,
                            cuda::GraphNodeParameters* parameters) {
  return set_either(parameters, [&](cuda::GraphNodeParameters* chosen) {
    return session.driver.graph_add_node(node, graph, dependencies, count, chosen);
  });
}

cuda::Status graph_add_node_v2(cuda::GraphNode* node, cuda::Graph graph,
                               const cuda::GraphNode* dependencies, const cuda::GraphEdge* edges,
                               std::size_t count, cuda::GraphNodeParameters* parameters) {
  return set_either(parameters, [&](cuda::GraphNodeParameters* chosen) {
    return session.driver.graph_add_node_v2(node, graph, dependencies, edges, count, chosen);
  });
}

cuda::Status kernel_node_set(cuda::GraphNode node, const cuda::KernelNodeParametersV1* parameters) {
  return set_either(parameters, [&](const cuda::KernelNodeParametersV1* chosen) {
    return session.driver.kernel_node_set(node, chosen);
  });
}

cuda::Status kernel_node_set_v2(cuda::GraphNode node,
                                const cuda::KernelNodeParameters* parameters) {
  return set_either(parameters, [&](const cuda::KernelNodeParameters* chosen) {
    return session.driver.kernel_node_set_v2(node, chosen);
  });
}

cuda::Status graph_node_set(cuda::GraphNode node, cuda::GraphNodeParameters* parameters) {
  return set_either(parameters, [&](cuda::GraphNodeParameters* chosen) {
    return session.driver.graph_node_set(node, chosen);
  });
}

cuda::Status exec_kernel_node_set(cuda::GraphExec graph, cuda::GraphNode node,
                                  const cuda::KernelNodeParametersV1* parameters) {
  return set_either(parameters, [&](const cuda::KernelNodeParametersV1* chosen) {
    return session.driver.exec_kernel_node_set(graph, node, chosen);
  });
}

cuda::Status exec_kernel_node_set_v2(cuda::GraphExec graph, cuda::GraphNode node,
                                     const cuda::KernelNodeParameters* parameters) {
  return set_either(parameters, [&](const cuda::KernelNodeParameters* chosen) {
    return session.driver.exec_kernel_node_set_v2(graph, node, chosen);
  });
}

cuda::Status exec_node_set(cuda::GraphExec graph, cuda::GraphNode node,
                           cuda::GraphNodeParameters* parameters) {
  return set_either(parameters, [&](cuda::GraphNodeParameters* chosen) {
    return session.driver.exec_node_set(graph, node, chosen);
  });
}

cuda::Status kernel_node_get(cuda::GraphNode node, cuda::KernelNodeParametersV1* parameters) {
  const cuda::Status status = session.driver.kernel_node_get(node, parameters);
  if (status == cuda::kSuccess && !hands_off()) restore(*parameters);
  return status;
}

cuda::Status kernel_node_get_v2(cuda::GraphNode node, cuda::KernelNodeParameters* parameters) {
  const cuda::Status status = session.driver.kernel_node_get_v2(node, parameters);
  if (status == cuda::kSuccess && !hands_off()) restore(*parameters);
  return status;
}

}  // namespace egpu::inject::hooks
