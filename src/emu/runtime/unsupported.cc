// The rest of what the runtime exports: arrays, textures and surfaces, memory shared with other
// processes or graphics, allocations as graph nodes, logs. A program that calls one of these is
// told so, once a function, and gets cudaErrorNotSupported; one that merely contains such a call
// runs.
#include <atomic>

#include "emu/runtime/call.h"

namespace egpu::emu::runtime {
namespace {

#define EGPU_UNSUPPORTED_FUNCTIONS(X)                   \
  X(__cudaGetProcAddress)                               \
  X(__cudaRegisterHostVar)                              \
  X(__cudaRegisterUnifiedTable)                         \
  X(cudaArrayGetInfo)                                   \
  X(cudaArrayGetMemoryRequirements)                     \
  X(cudaArrayGetPlane)                                  \
  X(cudaArrayGetSparseProperties)                       \
  X(cudaCreateSurfaceObject)                            \
  X(cudaCreateTextureObject)                            \
  X(cudaDestroyExternalMemory)                          \
  X(cudaDestroyExternalSemaphore)                       \
  X(cudaDestroySurfaceObject)                           \
  X(cudaDestroyTextureObject)                           \
  X(cudaDeviceFlushGPUDirectRDMAWrites)                 \
  X(cudaDeviceGetGraphMemAttribute)                     \
  X(cudaDeviceGetHostAtomicCapabilities)                \
  X(cudaDeviceGetNvSciSyncAttributes)                   \
  X(cudaDeviceGetP2PAtomicCapabilities)                 \
  X(cudaDeviceGetTexture1DLinearMaxWidth)               \
  X(cudaDeviceGraphMemTrim)                             \
  X(cudaDeviceRegisterAsyncNotification)                \
  X(cudaDeviceSetGraphMemAttribute)                     \
  X(cudaDeviceUnregisterAsyncNotification)              \
  X(cudaEGLStreamConsumerAcquireFrame)                  \
  X(cudaEGLStreamConsumerConnect)                       \
  X(cudaEGLStreamConsumerConnectWithFlags)              \
  X(cudaEGLStreamConsumerDisconnect)                    \
  X(cudaEGLStreamConsumerReleaseFrame)                  \
  X(cudaEGLStreamProducerConnect)                       \
  X(cudaEGLStreamProducerDisconnect)                    \
  X(cudaEGLStreamProducerPresentFrame)                  \
  X(cudaEGLStreamProducerReturnFrame)                   \
  X(cudaEventCreateFromEGLSync)                         \
  X(cudaExternalMemoryGetMappedBuffer)                  \
  X(cudaExternalMemoryGetMappedMipmappedArray)          \
  X(cudaFreeArray)                                      \
  X(cudaFreeMipmappedArray)                             \
  X(cudaGLGetDevices)                                   \
  X(cudaGLMapBufferObject)                              \
  X(cudaGLMapBufferObjectAsync)                         \
  X(cudaGLRegisterBufferObject)                         \
  X(cudaGLSetBufferObjectMapFlags)                      \
  X(cudaGLSetGLDevice)                                  \
  X(cudaGLUnmapBufferObject)                            \
  X(cudaGLUnmapBufferObjectAsync)                       \
  X(cudaGLUnregisterBufferObject)                       \
  X(cudaGetChannelDesc)                                 \
  X(cudaGetExportTable)                                 \
  X(cudaGetMipmappedArrayLevel)                         \
  X(cudaGetSurfaceObjectResourceDesc)                   \
  X(cudaGetTextureObjectResourceDesc)                   \
  X(cudaGetTextureObjectResourceViewDesc)               \
  X(cudaGetTextureObjectTextureDesc)                    \
  X(cudaGraphAddExternalSemaphoresSignalNode)           \
  X(cudaGraphAddExternalSemaphoresWaitNode)             \
  X(cudaGraphAddMemAllocNode)                           \
  X(cudaGraphAddMemFreeNode)                            \
  X(cudaGraphConditionalHandleCreate)                   \
  X(cudaGraphDebugDotPrint)                             \
  X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
  X(cudaGraphExecExternalSemaphoresWaitNodeSetParams)   \
  X(cudaGraphExternalSemaphoresSignalNodeGetParams)     \
  X(cudaGraphExternalSemaphoresSignalNodeSetParams)     \
  X(cudaGraphExternalSemaphoresWaitNodeGetParams)       \
  X(cudaGraphExternalSemaphoresWaitNodeSetParams)       \
  X(cudaGraphMemAllocNodeGetParams)                     \
  X(cudaGraphMemFreeNodeGetParams)                      \
  X(cudaGraphReleaseUserObject)                         \
  X(cudaGraphRetainUserObject)                          \
  X(cudaGraphicsEGLRegisterImage)                       \
  X(cudaGraphicsGLRegisterBuffer)                       \
  X(cudaGraphicsGLRegisterImage)                        \
  X(cudaGraphicsMapResources)                           \
  X(cudaGraphicsResourceGetMappedEglFrame)              \
  X(cudaGraphicsResourceGetMappedMipmappedArray)        \
  X(cudaGraphicsResourceGetMappedPointer)               \
  X(cudaGraphicsResourceSetMapFlags)                    \
  X(cudaGraphicsSubResourceGetMappedArray)              \
  X(cudaGraphicsUnmapResources)                         \
  X(cudaGraphicsUnregisterResource)                     \
  X(cudaGraphicsVDPAURegisterOutputSurface)             \
  X(cudaGraphicsVDPAURegisterVideoSurface)              \
  X(cudaImportExternalMemory)                           \
  X(cudaImportExternalSemaphore)                        \
  X(cudaIpcCloseMemHandle)                              \
  X(cudaIpcGetEventHandle)                              \
  X(cudaIpcGetMemHandle)                                \
  X(cudaIpcOpenEventHandle)                             \
  X(cudaIpcOpenMemHandle)                               \
  X(cudaLibraryGetUnifiedFunction)                      \
  X(cudaLogsCurrent)                                    \
  X(cudaLogsDumpToFile)                                 \
  X(cudaLogsDumpToMemory)                               \
  X(cudaLogsRegisterCallback)                           \
  X(cudaLogsUnregisterCallback)                         \
  X(cudaMalloc3DArray)                                  \
  X(cudaMallocArray)                                    \
  X(cudaMallocMipmappedArray)                           \
  X(cudaMemDiscardAndPrefetchBatchAsync)                \
  X(cudaMemDiscardAndPrefetchBatchAsync_ptsz)           \
  X(cudaMemDiscardBatchAsync)                           \
  X(cudaMemDiscardBatchAsync_ptsz)                      \
  X(cudaMemGetDefaultMemPool)                           \
  X(cudaMemGetMemPool)                                  \
  X(cudaMemPoolExportPointer)                           \
  X(cudaMemPoolExportToShareableHandle)                 \
  X(cudaMemPoolImportFromShareableHandle)               \
  X(cudaMemPoolImportPointer)                           \
  X(cudaMemPrefetchBatchAsync)                          \
  X(cudaMemPrefetchBatchAsync_ptsz)                     \
  X(cudaMemRangeGetAttribute)                           \
  X(cudaMemRangeGetAttributes)                          \
  X(cudaMemSetMemPool)                                  \
  X(cudaMemcpy2DArrayToArray)                           \
  X(cudaMemcpy2DArrayToArray_ptds)                      \
  X(cudaMemcpy2DFromArray)                              \
  X(cudaMemcpy2DFromArrayAsync)                         \
  X(cudaMemcpy2DFromArrayAsync_ptsz)                    \
  X(cudaMemcpy2DFromArray_ptds)                         \
  X(cudaMemcpy2DToArray)                                \
  X(cudaMemcpy2DToArrayAsync)                           \
  X(cudaMemcpy2DToArrayAsync_ptsz)                      \
  X(cudaMemcpy2DToArray_ptds)                           \
  X(cudaMemcpy3DBatchAsync)                             \
  X(cudaMemcpy3DBatchAsync_ptsz)                        \
  X(cudaMemcpyArrayToArray)                             \
  X(cudaMemcpyArrayToArray_ptds)                        \
  X(cudaMemcpyBatchAsync)                               \
  X(cudaMemcpyBatchAsync_ptsz)                          \
  X(cudaMemcpyFromArray)                                \
  X(cudaMemcpyFromArrayAsync)                           \
  X(cudaMemcpyFromArrayAsync_ptsz)                      \
  X(cudaMemcpyFromArray_ptds)                           \
  X(cudaMemcpyToArray)                                  \
  X(cudaMemcpyToArrayAsync)                             \
  X(cudaMemcpyToArrayAsync_ptsz)                        \
  X(cudaMemcpyToArray_ptds)                             \
  X(cudaMipmappedArrayGetMemoryRequirements)            \
  X(cudaMipmappedArrayGetSparseProperties)              \
  X(cudaSignalExternalSemaphoresAsync)                  \
  X(cudaSignalExternalSemaphoresAsync_ptsz)             \
  X(cudaUserObjectCreate)                               \
  X(cudaUserObjectRelease)                              \
  X(cudaUserObjectRetain)                               \
  X(cudaVDPAUGetDevice)                                 \
  X(cudaVDPAUSetVDPAUDevice)                            \
  X(cudaWaitExternalSemaphoresAsync)                    \
  X(cudaWaitExternalSemaphoresAsync_ptsz)

Error refuse(const char* function, std::atomic<bool>& said) {
  if (!said.exchange(true)) say("not supported: ", function);
  return remember(kNotSupported);
}

}  // namespace

// Arguments are not looked at, so that their types need not be known.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the runtime's names
#define EGPU_REFUSE(name)                 \
  EGPU_API name() {                       \
    static std::atomic<bool> said{false}; \
    return refuse(#name, said);           \
  }
EGPU_UNSUPPORTED_FUNCTIONS(EGPU_REFUSE)
#undef EGPU_REFUSE
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

}  // namespace egpu::emu::runtime
