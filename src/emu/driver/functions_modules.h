// Modules, libraries, functions and launches. Columns: emu/driver/functions.h.
#pragma once

#define EGPU_EMULATED_MODULE_FUNCTIONS(X, P)                                                      \
  X(cuModuleLoad, , 2000, module_load, (cuda::Module*, const char*))                              \
  X(cuModuleLoadData, , 2000, module_load_data, (cuda::Module*, const void*))                     \
  X(cuModuleLoadDataEx, , 2010, module_load_data_ex,                                              \
    (cuda::Module*, const void*, unsigned, cuda::JitOption*, void**))                             \
  X(cuModuleLoadFatBinary, , 2000, module_load_data, (cuda::Module*, const void*))                \
  X(cuModuleUnload, , 2000, module_unload, (cuda::Module))                                        \
  X(cuModuleGetLoadingMode, , 11070, module_get_loading_mode, (int*))                             \
  X(cuModuleGetFunction, , 2000, module_get_function,                                             \
    (cuda::Function*, cuda::Module, const char*))                                                 \
  X(cuModuleGetFunctionCount, , 12040, module_get_function_count, (unsigned*, cuda::Module))      \
  X(cuModuleEnumerateFunctions, , 12040, module_enumerate_functions,                              \
    (cuda::Function*, unsigned, cuda::Module))                                                    \
  X(cuModuleGetGlobal, _v2, 3020, module_get_global,                                              \
    (DevicePointer*, std::size_t*, cuda::Module, const char*))                                    \
  X(cuLibraryLoadData, , 12000, library_load_data,                                                \
    (cuda::Library*, const void*, cuda::JitOption*, void**, unsigned, cuda::LibraryOption*,       \
     void**, unsigned))                                                                           \
  X(cuLibraryLoadFromFile, , 12000, library_load_from_file,                                       \
    (cuda::Library*, const char*, cuda::JitOption*, void**, unsigned, cuda::LibraryOption*,       \
     void**, unsigned))                                                                           \
  X(cuLibraryUnload, , 12000, library_unload, (cuda::Library))                                    \
  X(cuLibraryGetModule, , 12000, library_get_module, (cuda::Module*, cuda::Library))              \
  X(cuLibraryGetKernel, , 12000, library_get_kernel, (cuda::Kernel*, cuda::Library, const char*)) \
  X(cuLibraryGetKernelCount, , 12040, library_get_kernel_count, (unsigned*, cuda::Library))       \
  X(cuLibraryEnumerateKernels, , 12040, library_enumerate_kernels,                                \
    (cuda::Kernel*, unsigned, cuda::Library))                                                     \
  X(cuLibraryGetGlobal, , 12000, library_get_global,                                              \
    (DevicePointer*, std::size_t*, cuda::Library, const char*))                                   \
  X(cuLibraryGetManaged, , 12000, library_get_managed,                                            \
    (DevicePointer*, std::size_t*, cuda::Library, const char*))                                   \
  X(cuKernelGetFunction, , 12000, kernel_get_function, (cuda::Function*, cuda::Kernel))           \
  X(cuKernelGetLibrary, , 12050, kernel_get_library, (cuda::Library*, cuda::Kernel))              \
  X(cuKernelGetName, , 12030, kernel_get_name, (const char**, cuda::Kernel))                      \
  X(cuKernelGetParamInfo, , 12040, kernel_get_param_info,                                         \
    (cuda::Kernel, std::size_t, std::size_t*, std::size_t*))                                      \
  X(cuKernelGetAttribute, , 12000, kernel_get_attribute,                                          \
    (int*, cuda::FunctionAttribute, cuda::Kernel, cuda::Device))                                  \
  X(cuKernelSetAttribute, , 12000, kernel_set_attribute,                                          \
    (cuda::FunctionAttribute, int, cuda::Kernel, cuda::Device))                                   \
  X(cuKernelSetCacheConfig, , 12000, kernel_set_cache_config, (cuda::Kernel, int, cuda::Device))  \
  X(cuFuncGetAttribute, , 2020, func_get_attribute,                                               \
    (int*, cuda::FunctionAttribute, cuda::Function))                                              \
  X(cuFuncSetAttribute, , 9000, func_set_attribute,                                               \
    (cuda::Function, cuda::FunctionAttribute, int))                                               \
  X(cuFuncSetCacheConfig, , 3000, func_set_cache_config, (cuda::Function, int))                   \
  X(cuFuncSetSharedMemConfig, , 4020, func_set_shared_mem_config, (cuda::Function, int))          \
  X(cuFuncGetModule, , 11000, func_get_module, (cuda::Module*, cuda::Function))                   \
  X(cuFuncGetName, , 12030, func_get_name, (const char**, cuda::Function))                        \
  X(cuFuncGetParamInfo, , 12040, func_get_param_info,                                             \
    (cuda::Function, std::size_t, std::size_t*, std::size_t*))                                    \
  X(cuFuncIsLoaded, , 12040, func_is_loaded, (int*, cuda::Function))                              \
  X(cuFuncLoad, , 12040, func_load, (cuda::Function))                                             \
  X(cuLinkCreate, _v2, 6050, link_create, (unsigned, cuda::JitOption*, void**, cuda::LinkState*)) \
  X(cuLinkAddData, _v2, 6050, link_add_data,                                                      \
    (cuda::LinkState, int, void*, std::size_t, const char*, unsigned, cuda::JitOption*, void**))  \
  X(cuLinkAddFile, _v2, 6050, link_add_file,                                                      \
    (cuda::LinkState, int, const char*, unsigned, cuda::JitOption*, void**))                      \
  X(cuLinkComplete, , 5050, link_complete, (cuda::LinkState, void**, std::size_t*))               \
  X(cuLinkDestroy, , 5050, link_destroy, (cuda::LinkState))                                       \
  P(cuLaunchKernel, , 4000, launch_kernel, _ptsz,                                                 \
    (cuda::Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,        \
     cuda::Stream, void**, void**))                                                               \
  P(cuLaunchKernelEx, , 11060, launch_kernel_ex, _ptsz,                                           \
    (const cuda::LaunchConfig*, cuda::Function, void**, void**))                                  \
  P(cuLaunchCooperativeKernel, , 9000, launch_cooperative_kernel, _ptsz,                          \
    (cuda::Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,        \
     cuda::Stream, void**))                                                                       \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, , 6050,                                          \
    occupancy_max_active_blocks_per_multiprocessor, (int*, cuda::Function, int, std::size_t))     \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, , 7000,                                 \
    occupancy_max_active_blocks_per_multiprocessor_with_flags,                                    \
    (int*, cuda::Function, int, std::size_t, unsigned))                                           \
  X(cuOccupancyMaxPotentialBlockSize, , 6050, occupancy_max_potential_block_size,                 \
    (int*, int*, cuda::Function, cuda::BlockSizeToShared, std::size_t, int))                      \
  X(cuOccupancyMaxPotentialBlockSizeWithFlags, , 7000,                                            \
    occupancy_max_potential_block_size_with_flags,                                                \
    (int*, int*, cuda::Function, cuda::BlockSizeToShared, std::size_t, int, unsigned))            \
  X(cuOccupancyAvailableDynamicSMemPerBlock, , 10020, occupancy_available_dynamic_smem_per_block, \
    (std::size_t*, cuda::Function, int, int))                                                     \
  X(cuOccupancyMaxPotentialClusterSize, , 11070, occupancy_max_potential_cluster_size,            \
    (int*, cuda::Function, const cuda::LaunchConfig*))                                            \
  X(cuOccupancyMaxActiveClusters, , 11070, occupancy_max_active_clusters,                         \
    (int*, cuda::Function, const cuda::LaunchConfig*))
