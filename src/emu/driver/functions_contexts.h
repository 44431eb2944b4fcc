// Initialisation, devices and contexts. Columns: emu/driver/functions.h.
#pragma once

#define EGPU_EMULATED_CONTEXT_FUNCTIONS(X, P)                                                     \
  X(cuInit, , 2000, init, (unsigned))                                                             \
  X(cuDriverGetVersion, , 2020, driver_get_version, (int*))                                       \
  X(cuGetErrorName, , 6000, get_error_name, (Status, const char**))                               \
  X(cuGetErrorString, , 6000, get_error_string, (Status, const char**))                           \
  X(cuGetProcAddress, , 11030, get_proc_address, (const char*, void**, int, std::uint64_t))       \
  X(cuGetProcAddress, _v2, 12000, get_proc_address_v2,                                            \
    (const char*, void**, int, std::uint64_t, int*))                                              \
  X(cuGetExportTable, , 3000, get_export_table, (const void**, const cuda::Uuid*))                \
  X(cuDeviceGet, , 2000, device_get, (cuda::Device*, int))                                        \
  X(cuDeviceGetCount, , 2000, device_get_count, (int*))                                           \
  X(cuDeviceGetName, , 2000, device_get_name, (char*, int, cuda::Device))                         \
  X(cuDeviceGetUuid, , 9020, device_get_uuid, (cuda::Uuid*, cuda::Device))                        \
  X(cuDeviceGetUuid, _v2, 11040, device_get_uuid, (cuda::Uuid*, cuda::Device))                    \
  X(cuDeviceTotalMem, _v2, 3020, device_total_mem, (std::size_t*, cuda::Device))                  \
  X(cuDeviceGetAttribute, , 2000, device_get_attribute,                                           \
    (int*, cuda::DeviceAttribute, cuda::Device))                                                  \
  X(cuDeviceComputeCapability, , 2000, device_compute_capability, (int*, int*, cuda::Device))     \
  X(cuDeviceGetPCIBusId, , 4010, device_get_pci_bus_id, (char*, int, cuda::Device))               \
  X(cuDeviceGetByPCIBusId, , 4010, device_get_by_pci_bus_id, (cuda::Device*, const char*))        \
  X(cuDeviceCanAccessPeer, , 4000, device_can_access_peer, (int*, cuda::Device, cuda::Device))    \
  X(cuDeviceGetP2PAttribute, , 8000, device_get_p2p_attribute,                                    \
    (int*, int, cuda::Device, cuda::Device))                                                      \
  X(cuDevicePrimaryCtxRetain, , 7000, primary_ctx_retain, (cuda::Context*, cuda::Device))         \
  X(cuDevicePrimaryCtxRelease, _v2, 11000, primary_ctx_release, (cuda::Device))                   \
  X(cuDevicePrimaryCtxReset, _v2, 11000, primary_ctx_reset, (cuda::Device))                       \
  X(cuDevicePrimaryCtxSetFlags, _v2, 11000, primary_ctx_set_flags, (cuda::Device, unsigned))      \
  X(cuDevicePrimaryCtxGetState, , 7000, primary_ctx_get_state, (cuda::Device, unsigned*, int*))   \
  X(cuCtxCreate, _v2, 3020, ctx_create, (cuda::Context*, unsigned, cuda::Device))                 \
  X(cuCtxCreate, _v3, 11040, ctx_create_v3, (cuda::Context*, void*, int, unsigned, cuda::Device)) \
  X(cuCtxCreate, _v4, 12050, ctx_create_v4, (cuda::Context*, void*, unsigned, cuda::Device))      \
  X(cuCtxDestroy, _v2, 4000, ctx_destroy, (cuda::Context))                                        \
  X(cuCtxPushCurrent, _v2, 4000, ctx_push_current, (cuda::Context))                               \
  X(cuCtxPopCurrent, _v2, 4000, ctx_pop_current, (cuda::Context*))                                \
  X(cuCtxSetCurrent, , 4000, ctx_set_current, (cuda::Context))                                    \
  X(cuCtxGetCurrent, , 4000, ctx_get_current, (cuda::Context*))                                   \
  X(cuCtxGetDevice, , 2000, ctx_get_device, (cuda::Device*))                                      \
  X(cuCtxGetDevice, _v2, 13000, ctx_get_device_v2, (cuda::Device*, cuda::Context))                \
  X(cuCtxGetId, , 12000, ctx_get_id, (cuda::Context, unsigned long long*))                        \
  X(cuCtxGetFlags, , 7000, ctx_get_flags, (unsigned*))                                            \
  X(cuCtxSetFlags, , 12010, ctx_set_flags, (unsigned))                                            \
  X(cuCtxSynchronize, , 2000, ctx_synchronize, ())                                                \
  X(cuCtxSynchronize, _v2, 13000, ctx_synchronize_v2, (cuda::Context))                            \
  X(cuCtxSetLimit, , 3010, ctx_set_limit, (cuda::Limit, std::size_t))                             \
  X(cuCtxGetLimit, , 3010, ctx_get_limit, (std::size_t*, cuda::Limit))                            \
  X(cuCtxGetCacheConfig, , 3020, ctx_get_cache_config, (int*))                                    \
  X(cuCtxSetCacheConfig, , 3020, ctx_set_cache_config, (int))                                     \
  X(cuCtxGetSharedMemConfig, , 4020, ctx_get_shared_mem_config, (int*))                           \
  X(cuCtxSetSharedMemConfig, , 4020, ctx_set_shared_mem_config, (int))                            \
  X(cuCtxGetApiVersion, , 3020, ctx_get_api_version, (cuda::Context, unsigned*))                  \
  X(cuCtxGetStreamPriorityRange, , 5050, ctx_get_stream_priority_range, (int*, int*))             \
  X(cuCtxResetPersistingL2Cache, , 11000, ctx_reset_persisting_l2_cache, ())                      \
  X(cuProfilerStart, , 4000, profiler_start, ())                                                  \
  X(cuProfilerStop, , 4000, profiler_stop, ())                                                    \
  X(cuCtxEnablePeerAccess, , 4000, ctx_enable_peer_access, (cuda::Context, unsigned))             \
  X(cuCtxDisablePeerAccess, , 4000, ctx_disable_peer_access, (cuda::Context))
