// Results of driver calls: their values and names, and what each means.
#pragma once

namespace egpu::cuda {

using Status = int;  // CUresult

// X(constant, value, name behind "CUDA_", description). Values and names: cuda.h of CUDA 13.0.
#define EGPU_CUDA_STATUSES(X)                                                                    \
  X(kSuccess, 0, SUCCESS, "no error")                                                            \
  X(kInvalidValue, 1, ERROR_INVALID_VALUE, "invalid argument")                                   \
  X(kOutOfMemory, 2, ERROR_OUT_OF_MEMORY, "out of memory")                                       \
  X(kNotInitialized, 3, ERROR_NOT_INITIALIZED, "the driver is not initialized")                  \
  X(kDeinitialized, 4, ERROR_DEINITIALIZED, "the driver is shutting down")                       \
  X(kNoDevice, 100, ERROR_NO_DEVICE, "there is no CUDA device")                                  \
  X(kInvalidDevice, 101, ERROR_INVALID_DEVICE, "invalid device ordinal")                         \
  X(kInvalidImage, 200, ERROR_INVALID_IMAGE, "the image of device code is invalid")              \
  X(kInvalidContext, 201, ERROR_INVALID_CONTEXT, "invalid context")                              \
  X(kMapFailed, 205, ERROR_MAP_FAILED, "mapping failed")                                         \
  X(kAlreadyMapped, 208, ERROR_ALREADY_MAPPED, "already mapped")                                 \
  X(kNoBinaryForGpu, 209, ERROR_NO_BINARY_FOR_GPU, "the image has no code for this device")      \
  X(kNotMapped, 211, ERROR_NOT_MAPPED, "not mapped")                                             \
  X(kUnsupportedLimit, 215, ERROR_UNSUPPORTED_LIMIT, "the device does not support the limit")    \
  X(kPeerAccessUnsupported, 217, ERROR_PEER_ACCESS_UNSUPPORTED, "no peer access is possible")    \
  X(kInvalidPtx, 218, ERROR_INVALID_PTX, "PTX that cannot be assembled")                         \
  X(kUnsupportedPtxVersion, 222, ERROR_UNSUPPORTED_PTX_VERSION, "PTX of an unsupported version") \
  X(kFileNotFound, 301, ERROR_FILE_NOT_FOUND, "file not found")                                  \
  X(kOperatingSystem, 304, ERROR_OPERATING_SYSTEM, "a call of the operating system failed")      \
  X(kInvalidHandle, 400, ERROR_INVALID_HANDLE, "invalid handle")                                 \
  X(kIllegalState, 401, ERROR_ILLEGAL_STATE, "the object is not in a state that allows this")    \
  X(kNotFound, 500, ERROR_NOT_FOUND, "there is nothing of that name")                            \
  X(kNotReady, 600, ERROR_NOT_READY, "not complete yet")                                         \
  X(kIllegalAddress, 700, ERROR_ILLEGAL_ADDRESS, "access to an illegal address")                 \
  X(kLaunchOutOfResources, 701, ERROR_LAUNCH_OUT_OF_RESOURCES,                                   \
    "the launch asks for more than a multiprocessor has")                                        \
  X(kLaunchTimeout, 702, ERROR_LAUNCH_TIMEOUT, "the kernel ran for too long")                    \
  X(kPeerAccessAlreadyEnabled, 704, ERROR_PEER_ACCESS_ALREADY_ENABLED,                           \
    "peer access is already enabled")                                                            \
  X(kPeerAccessNotEnabled, 705, ERROR_PEER_ACCESS_NOT_ENABLED, "peer access is not enabled")     \
  X(kPrimaryContextActive, 708, ERROR_PRIMARY_CONTEXT_ACTIVE, "the primary context is in use")   \
  X(kContextIsDestroyed, 709, ERROR_CONTEXT_IS_DESTROYED, "the context was destroyed")           \
  X(kAssert, 710, ERROR_ASSERT, "an assertion failed in a kernel")                               \
  X(kHostMemoryAlreadyRegistered, 712, ERROR_HOST_MEMORY_ALREADY_REGISTERED,                     \
    "the host memory is already registered")                                                     \
  X(kHostMemoryNotRegistered, 713, ERROR_HOST_MEMORY_NOT_REGISTERED,                             \
    "the host memory is not registered")                                                         \
  X(kHardwareStackError, 714, ERROR_HARDWARE_STACK_ERROR, "a kernel ran out of stack")           \
  X(kIllegalInstruction, 715, ERROR_ILLEGAL_INSTRUCTION, "illegal instruction")                  \
  X(kMisalignedAddress, 716, ERROR_MISALIGNED_ADDRESS, "access to a misaligned address")         \
  X(kInvalidAddressSpace, 717, ERROR_INVALID_ADDRESS_SPACE,                                      \
    "access to an address of the wrong space")                                                   \
  X(kInvalidPc, 718, ERROR_INVALID_PC, "jump to an address that is no code")                     \
  X(kLaunchFailed, 719, ERROR_LAUNCH_FAILED, "a kernel failed")                                  \
  X(kCooperativeLaunchTooLarge, 720, ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,                         \
    "more blocks in a cooperative launch than can be resident")                                  \
  X(kNotPermitted, 800, ERROR_NOT_PERMITTED, "operation not permitted")                          \
  X(kNotSupported, 801, ERROR_NOT_SUPPORTED, "operation not supported")                          \
  X(kStreamCaptureUnsupported, 900, ERROR_STREAM_CAPTURE_UNSUPPORTED,                            \
    "not permitted while a stream is being captured")                                            \
  X(kStreamCaptureInvalidated, 901, ERROR_STREAM_CAPTURE_INVALIDATED,                            \
    "the capture was invalidated by an earlier error")                                           \
  X(kStreamCaptureMerge, 902, ERROR_STREAM_CAPTURE_MERGE, "two captures cannot be merged")       \
  X(kStreamCaptureUnmatched, 903, ERROR_STREAM_CAPTURE_UNMATCHED,                                \
    "the capture did not begin in this stream")                                                  \
  X(kStreamCaptureUnjoined, 904, ERROR_STREAM_CAPTURE_UNJOINED,                                  \
    "the capture has work that never joined its first stream")                                   \
  X(kStreamCaptureIsolation, 905, ERROR_STREAM_CAPTURE_ISOLATION,                                \
    "a dependency would leave the capture")                                                      \
  X(kStreamCaptureImplicit, 906, ERROR_STREAM_CAPTURE_IMPLICIT,                                  \
    "the legacy stream would depend on a capture")                                               \
  X(kCapturedEvent, 907, ERROR_CAPTURED_EVENT, "the event was recorded in a capture")            \
  X(kStreamCaptureWrongThread, 908, ERROR_STREAM_CAPTURE_WRONG_THREAD,                           \
    "another thread began the capture")                                                          \
  X(kGraphExecUpdateFailure, 910, ERROR_GRAPH_EXEC_UPDATE_FAILURE,                               \
    "the graph differs too much from the instantiated one")                                      \
  X(kInvalidClusterSize, 912, ERROR_INVALID_CLUSTER_SIZE, "invalid size of a cluster")           \
  X(kUnknown, 999, ERROR_UNKNOWN, "unknown error")

#define EGPU_CUDA_STATUS(constant, value, name, description) \
  inline constexpr Status constant = value;
EGPU_CUDA_STATUSES(EGPU_CUDA_STATUS)
#undef EGPU_CUDA_STATUS

}  // namespace egpu::cuda
