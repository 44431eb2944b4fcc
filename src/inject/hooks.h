// What runs in place of the driver's functions. Each calls the original, through session.driver,
// with the application's own arguments wherever anything of ours fails.
#pragma once

#include "cuda/driver_table.h"

namespace egpu::inject::hooks {

// load_hooks.cc
cuda::Status library_load_data(cuda::Library* library, const void* code,
                               cuda::JitOption* jit_options, void** jit_values, unsigned jit_count,
                               cuda::LibraryOption* options, void** values, unsigned count);
cuda::Status library_load_file(cuda::Library* library, const char* path,
                               cuda::JitOption* jit_options, void** jit_values, unsigned jit_count,
                               cuda::LibraryOption* options, void** values, unsigned count);
cuda::Status module_load(cuda::Module* module, const char* path);
cuda::Status module_load_data(cuda::Module* module, const void* image);
cuda::Status module_load_data_ex(cuda::Module* module, const void* image, unsigned count,
                                 cuda::JitOption* options, void** values);
cuda::Status module_load_fatbin(cuda::Module* module, const void* image);
cuda::Status library_unload(cuda::Library library);
cuda::Status module_unload(cuda::Module module);

// kernel_hooks.cc
cuda::Status library_get_kernel(cuda::Kernel* kernel, cuda::Library library, const char* name);
cuda::Status library_get_module(cuda::Module* module, cuda::Library library);
cuda::Status kernel_get_function(cuda::Function* function, cuda::Kernel kernel);
cuda::Status module_get_function(cuda::Function* function, cuda::Module module, const char* name);
cuda::Status kernel_set_attribute(cuda::FunctionAttribute attribute, int value, cuda::Kernel kernel,
                                  cuda::Device device);
cuda::Status function_set_attribute(cuda::Function function, cuda::FunctionAttribute attribute,
                                    int value);

// launch_hooks.cc; the signatures are those of the driver
cuda::LaunchSignature launch;
cuda::LaunchSignature launch_ptsz;
cuda::LaunchExSignature launch_ex;
cuda::LaunchExSignature launch_ex_ptsz;
cuda::LaunchCooperativeSignature launch_cooperative;
cuda::LaunchCooperativeSignature launch_cooperative_ptsz;

// graph_hooks.cc
cuda::AddKernelNodeSignature<cuda::KernelNodeParametersV1> graph_add_kernel_node;
cuda::AddKernelNodeSignature<cuda::KernelNodeParameters> graph_add_kernel_node_v2;
cuda::AddNodeSignature graph_add_node;
cuda::AddNodeV2Signature graph_add_node_v2;
cuda::Status kernel_node_set(cuda::GraphNode node, const cuda::KernelNodeParametersV1* parameters);
cuda::Status kernel_node_set_v2(cuda::GraphNode node, const cuda::KernelNodeParameters* parameters);
cuda::Status graph_node_set(cuda::GraphNode node, cuda::GraphNodeParameters* parameters);
cuda::Status exec_kernel_node_set(cuda::GraphExec graph, cuda::GraphNode node,
                                  const cuda::KernelNodeParametersV1* parameters);
cuda::Status exec_kernel_node_set_v2(cuda::GraphExec graph, cuda::GraphNode node,
                                     const cuda::KernelNodeParameters* parameters);
cuda::Status exec_node_set(cuda::GraphExec graph, cuda::GraphNode node,
                           cuda::GraphNodeParameters* parameters);
cuda::Status kernel_node_get(cuda::GraphNode node, cuda::KernelNodeParametersV1* parameters);
cuda::Status kernel_node_get_v2(cuda::GraphNode node, cuda::KernelNodeParameters* parameters);

// context_hooks.cc
cuda::Status ctx_destroy(cuda::Context context);
cuda::Status primary_release(cuda::Device device);
cuda::Status primary_reset(cuda::Device device);

}  // namespace egpu::inject::hooks
