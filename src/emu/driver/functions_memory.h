// Memory. Columns: emu/driver/functions.h.
#pragma once

#define EGPU_EMULATED_MEMORY_FUNCTIONS(X, P)                                                       \
  X(cuMemGetInfo, _v2, 3020, mem_get_info, (std::size_t*, std::size_t*))                           \
  X(cuMemAlloc, _v2, 3020, mem_alloc, (DevicePointer*, std::size_t))                               \
  X(cuMemAllocPitch, _v2, 3020, mem_alloc_pitch,                                                   \
    (DevicePointer*, std::size_t*, std::size_t, std::size_t, unsigned))                            \
  X(cuMemFree, _v2, 3020, mem_free, (DevicePointer))                                               \
  X(cuMemGetAddressRange, _v2, 3020, mem_get_address_range,                                        \
    (DevicePointer*, std::size_t*, DevicePointer))                                                 \
  X(cuMemAllocManaged, , 6000, mem_alloc_managed, (DevicePointer*, std::size_t, unsigned))         \
  X(cuMemAllocHost, _v2, 3020, mem_alloc_host, (void**, std::size_t))                              \
  X(cuMemHostAlloc, , 2020, mem_host_alloc, (void**, std::size_t, unsigned))                       \
  X(cuMemFreeHost, , 2000, mem_free_host, (void*))                                                 \
  X(cuMemHostRegister, _v2, 6050, mem_host_register, (void*, std::size_t, unsigned))               \
  X(cuMemHostUnregister, , 4000, mem_host_unregister, (void*))                                     \
  X(cuMemHostGetDevicePointer, _v2, 3020, mem_host_get_device_pointer,                             \
    (DevicePointer*, void*, unsigned))                                                             \
  X(cuMemHostGetFlags, , 2030, mem_host_get_flags, (unsigned*, void*))                             \
  X(cuPointerGetAttribute, , 4000, pointer_get_attribute,                                          \
    (void*, cuda::PointerAttribute, DevicePointer))                                                \
  X(cuPointerGetAttributes, , 7000, pointer_get_attributes,                                        \
    (unsigned, cuda::PointerAttribute*, void**, DevicePointer))                                    \
  X(cuPointerSetAttribute, , 6000, pointer_set_attribute,                                          \
    (const void*, cuda::PointerAttribute, DevicePointer))                                          \
  X(cuMemAdvise, , 8000, mem_advise, (DevicePointer, std::size_t, int, cuda::Device))              \
  X(cuMemAdvise, _v2, 12020, mem_advise_v2,                                                        \
    (DevicePointer, std::size_t, int, cuda::MemoryLocation))                                       \
  P(cuMemPrefetchAsync, , 8000, mem_prefetch_async, _ptsz,                                         \
    (DevicePointer, std::size_t, cuda::Device, cuda::Stream))                                      \
  P(cuMemPrefetchAsync, _v2, 12020, mem_prefetch_async_v2, _ptsz,                                  \
    (DevicePointer, std::size_t, cuda::MemoryLocation, unsigned, cuda::Stream))                    \
  P(cuMemAllocAsync, , 11020, mem_alloc_async, _ptsz, (DevicePointer*, std::size_t, cuda::Stream)) \
  P(cuMemAllocFromPoolAsync, , 11020, mem_alloc_from_pool_async, _ptsz,                            \
    (DevicePointer*, std::size_t, cuda::MemoryPool, cuda::Stream))                                 \
  P(cuMemFreeAsync, , 11020, mem_free_async, _ptsz, (DevicePointer, cuda::Stream))                 \
  X(cuMemPoolCreate, , 11020, mem_pool_create, (cuda::MemoryPool*, const cuda::PoolProperties*))   \
  X(cuMemPoolDestroy, , 11020, mem_pool_destroy, (cuda::MemoryPool))                               \
  X(cuMemPoolTrimTo, , 11020, mem_pool_trim_to, (cuda::MemoryPool, std::size_t))                   \
  X(cuMemPoolSetAttribute, , 11020, mem_pool_set_attribute,                                        \
    (cuda::MemoryPool, cuda::PoolAttribute, void*))                                                \
  X(cuMemPoolGetAttribute, , 11020, mem_pool_get_attribute,                                        \
    (cuda::MemoryPool, cuda::PoolAttribute, void*))                                                \
  X(cuMemPoolSetAccess, , 11020, mem_pool_set_access,                                              \
    (cuda::MemoryPool, const cuda::MemoryAccess*, std::size_t))                                    \
  X(cuMemPoolGetAccess, , 11020, mem_pool_get_access,                                              \
    (int*, cuda::MemoryPool, cuda::MemoryLocation*))                                               \
  X(cuDeviceGetDefaultMemPool, , 11020, device_get_default_mem_pool,                               \
    (cuda::MemoryPool*, cuda::Device))                                                             \
  X(cuDeviceGetMemPool, , 11020, device_get_mem_pool, (cuda::MemoryPool*, cuda::Device))           \
  X(cuDeviceSetMemPool, , 11020, device_set_mem_pool, (cuda::Device, cuda::MemoryPool))            \
  X(cuMemAddressReserve, , 10020, mem_address_reserve,                                             \
    (DevicePointer*, std::size_t, std::size_t, DevicePointer, unsigned long long))                 \
  X(cuMemAddressFree, , 10020, mem_address_free, (DevicePointer, std::size_t))                     \
  X(cuMemCreate, , 10020, mem_create,                                                              \
    (cuda::PhysicalMemory*, std::size_t, const cuda::MemoryProperties*, unsigned long long))       \
  X(cuMemRelease, , 10020, mem_release, (cuda::PhysicalMemory))                                    \
  X(cuMemMap, , 10020, mem_map,                                                                    \
    (DevicePointer, std::size_t, std::size_t, cuda::PhysicalMemory, unsigned long long))           \
  X(cuMemUnmap, , 10020, mem_unmap, (DevicePointer, std::size_t))                                  \
  X(cuMemSetAccess, , 10020, mem_set_access,                                                       \
    (DevicePointer, std::size_t, const cuda::MemoryAccess*, std::size_t))                          \
  X(cuMemGetAccess, , 10020, mem_get_access,                                                       \
    (unsigned long long*, const cuda::MemoryLocation*, DevicePointer))                             \
  X(cuMemGetAllocationGranularity, , 10020, mem_get_allocation_granularity,                        \
    (std::size_t*, const cuda::MemoryProperties*, int))                                            \
  X(cuMemGetAllocationPropertiesFromHandle, , 10020, mem_get_allocation_properties_from_handle,    \
    (cuda::MemoryProperties*, cuda::PhysicalMemory))                                               \
  X(cuMemRetainAllocationHandle, , 11000, mem_retain_allocation_handle,                            \
    (cuda::PhysicalMemory*, void*))                                                                \
  P(cuMemcpy, , 4000, memcpy_any, _ptds, (DevicePointer, DevicePointer, std::size_t))              \
  P(cuMemcpyAsync, , 4000, memcpy_any_async, _ptsz,                                                \
    (DevicePointer, DevicePointer, std::size_t, cuda::Stream))                                     \
  P(cuMemcpyPeer, , 4000, memcpy_peer, _ptds,                                                      \
    (DevicePointer, cuda::Context, DevicePointer, cuda::Context, std::size_t))                     \
  P(cuMemcpyPeerAsync, , 4000, memcpy_peer_async, _ptsz,                                           \
    (DevicePointer, cuda::Context, DevicePointer, cuda::Context, std::size_t, cuda::Stream))       \
  P(cuMemcpyHtoD, _v2, 3020, memcpy_htod, _ptds, (DevicePointer, const void*, std::size_t))        \
  P(cuMemcpyHtoDAsync, _v2, 3020, memcpy_htod_async, _ptsz,                                        \
    (DevicePointer, const void*, std::size_t, cuda::Stream))                                       \
  P(cuMemcpyDtoH, _v2, 3020, memcpy_dtoh, _ptds, (void*, DevicePointer, std::size_t))              \
  P(cuMemcpyDtoHAsync, _v2, 3020, memcpy_dtoh_async, _ptsz,                                        \
    (void*, DevicePointer, std::size_t, cuda::Stream))                                             \
  P(cuMemcpyDtoD, _v2, 3020, memcpy_dtod, _ptds, (DevicePointer, DevicePointer, std::size_t))      \
  P(cuMemcpyDtoDAsync, _v2, 3020, memcpy_dtod_async, _ptsz,                                        \
    (DevicePointer, DevicePointer, std::size_t, cuda::Stream))                                     \
  P(cuMemcpy2D, _v2, 3020, memcpy_2d, _ptds, (const cuda::Copy2d*))                                \
  P(cuMemcpy2DUnaligned, _v2, 3020, memcpy_2d, _ptds, (const cuda::Copy2d*))                       \
  P(cuMemcpy2DAsync, _v2, 3020, memcpy_2d_async, _ptsz, (const cuda::Copy2d*, cuda::Stream))       \
  P(cuMemcpy3D, _v2, 3020, memcpy_3d, _ptds, (const cuda::Copy3d*))                                \
  P(cuMemcpy3DAsync, _v2, 3020, memcpy_3d_async, _ptsz, (const cuda::Copy3d*, cuda::Stream))       \
  P(cuMemcpy3DPeer, , 4000, memcpy_3d, _ptds, (const cuda::Copy3d*))                               \
  P(cuMemcpy3DPeerAsync, , 4000, memcpy_3d_async, _ptsz, (const cuda::Copy3d*, cuda::Stream))      \
  P(cuMemsetD8, _v2, 3020, memset_d8, _ptds, (DevicePointer, unsigned char, std::size_t))          \
  P(cuMemsetD16, _v2, 3020, memset_d16, _ptds, (DevicePointer, unsigned short, std::size_t))       \
  P(cuMemsetD32, _v2, 3020, memset_d32, _ptds, (DevicePointer, unsigned, std::size_t))             \
  P(cuMemsetD2D8, _v2, 3020, memset_2d_d8, _ptds,                                                  \
    (DevicePointer, std::size_t, unsigned char, std::size_t, std::size_t))                         \
  P(cuMemsetD2D16, _v2, 3020, memset_2d_d16, _ptds,                                                \
    (DevicePointer, std::size_t, unsigned short, std::size_t, std::size_t))                        \
  P(cuMemsetD2D32, _v2, 3020, memset_2d_d32, _ptds,                                                \
    (DevicePointer, std::size_t, unsigned, std::size_t, std::size_t))                              \
  P(cuMemsetD8Async, , 3020, memset_d8_async, _ptsz,                                               \
    (DevicePointer, unsigned char, std::size_t, cuda::Stream))                                     \
  P(cuMemsetD16Async, , 3020, memset_d16_async, _ptsz,                                             \
    (DevicePointer, unsigned short, std::size_t, cuda::Stream))                                    \
  P(cuMemsetD32Async, , 3020, memset_d32_async, _ptsz,                                             \
    (DevicePointer, unsigned, std::size_t, cuda::Stream))                                          \
  P(cuMemsetD2D8Async, , 3020, memset_2d_d8_async, _ptsz,                                          \
    (DevicePointer, std::size_t, unsigned char, std::size_t, std::size_t, cuda::Stream))           \
  P(cuMemsetD2D16Async, , 3020, memset_2d_d16_async, _ptsz,                                        \
    (DevicePointer, std::size_t, unsigned short, std::size_t, std::size_t, cuda::Stream))          \
  P(cuMemsetD2D32Async, , 3020, memset_2d_d32_async, _ptsz,                                        \
    (DevicePointer, std::size_t, unsigned, std::size_t, std::size_t, cuda::Stream))
