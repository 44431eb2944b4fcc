// The part of NVML's API that the stand-in has. Values and layouts: NVIDIA's NVML API reference.
#pragma once

#include <cstdint>

namespace egpu::emu::nvml {

using Return = int;                             // nvmlReturn_t: NVML_...
inline constexpr Return kSuccess = 0;           // SUCCESS
inline constexpr Return kUninitialized = 1;     // ERROR_UNINITIALIZED
inline constexpr Return kInvalidArgument = 2;   // ERROR_INVALID_ARGUMENT
inline constexpr Return kNotSupported = 3;      // ERROR_NOT_SUPPORTED
inline constexpr Return kNotFound = 6;          // ERROR_NOT_FOUND
inline constexpr Return kInsufficientSize = 7;  // ERROR_INSUFFICIENT_SIZE
inline constexpr Return kVersionMismatch = 25;  // ERROR_ARGUMENT_VERSION_MISMATCH

using Device = struct DeviceOpaque*;  // nvmlDevice_t

struct Memory {  // nvmlMemory_t: bytes
  unsigned long long total, free, used;
};
struct MemoryV2 {  // nvmlMemory_v2_t
  unsigned version;
  unsigned long long total, reserved, free, used;
};
inline constexpr unsigned kMemoryV2 = sizeof(MemoryV2) | 2U << 24;  // nvmlMemory_v2

struct PciInfo {  // nvmlPciInfo_t
  char legacy_bus_id[16];
  unsigned domain, bus, device;
  unsigned device_id, subsystem_id;
  char bus_id[32];
};

// X(name, (parameters)): functions that answer.
#define EGPU_NVML_FUNCTIONS(X)                                          \
  X(nvmlInit, ())                                                       \
  X(nvmlInit_v2, ())                                                    \
  X(nvmlInitWithFlags, (unsigned flags))                                \
  X(nvmlShutdown, ())                                                   \
  X(nvmlSystemGetDriverVersion, (char* text, unsigned size))            \
  X(nvmlSystemGetNVMLVersion, (char* text, unsigned size))              \
  X(nvmlSystemGetCudaDriverVersion, (int* version))                     \
  X(nvmlSystemGetCudaDriverVersion_v2, (int* version))                  \
  X(nvmlDeviceGetCount, (unsigned* count))                              \
  X(nvmlDeviceGetCount_v2, (unsigned* count))                           \
  X(nvmlDeviceGetHandleByIndex, (unsigned index, Device* device))       \
  X(nvmlDeviceGetHandleByIndex_v2, (unsigned index, Device* device))    \
  X(nvmlDeviceGetHandleByUUID, (const char* uuid, Device* device))      \
  X(nvmlDeviceGetHandleByPciBusId, (const char* id, Device* device))    \
  X(nvmlDeviceGetHandleByPciBusId_v2, (const char* id, Device* device)) \
  X(nvmlDeviceGetIndex, (Device device, unsigned* index))               \
  X(nvmlDeviceGetName, (Device device, char* text, unsigned size))      \
  X(nvmlDeviceGetUUID, (Device device, char* text, unsigned size))      \
  X(nvmlDeviceGetPciInfo, (Device device, PciInfo * info))              \
  X(nvmlDeviceGetPciInfo_v2, (Device device, PciInfo * info))           \
  X(nvmlDeviceGetPciInfo_v3, (Device device, PciInfo * info))           \
  X(nvmlDeviceGetMemoryInfo, (Device device, Memory * memory))          \
  X(nvmlDeviceGetMemoryInfo_v2, (Device device, MemoryV2 * memory))     \
  X(nvmlDeviceGetCudaComputeCapability, (Device device, int* major, int* minor))

// X(name): what an emulated device cannot tell, whatever the parameters.
#define EGPU_NVML_UNSUPPORTED(X)               \
  X(nvmlDeviceGetUtilizationRates)             \
  X(nvmlDeviceGetPowerUsage)                   \
  X(nvmlDeviceGetEnforcedPowerLimit)           \
  X(nvmlDeviceGetTotalEnergyConsumption)       \
  X(nvmlDeviceGetTemperature)                  \
  X(nvmlDeviceGetFanSpeed)                     \
  X(nvmlDeviceGetClockInfo)                    \
  X(nvmlDeviceGetMaxClockInfo)                 \
  X(nvmlDeviceGetPerformanceState)             \
  X(nvmlDeviceGetCurrentClocksThrottleReasons) \
  X(nvmlDeviceGetPcieThroughput)               \
  X(nvmlDeviceGetNvLinkState)                  \
  X(nvmlDeviceGetEccMode)                      \
  X(nvmlDeviceGetTotalEccErrors)               \
  X(nvmlDeviceGetMigMode)                      \
  X(nvmlDeviceGetMinorNumber)                  \
  X(nvmlDeviceGetSerial)                       \
  X(nvmlDeviceGetComputeRunningProcesses_v3)   \
  X(nvmlDeviceGetGraphicsRunningProcesses_v3)  \
  X(nvmlDeviceGetProcessUtilization)

// NOLINTBEGIN(readability-identifier-naming): NVML's names
#define EGPU_DECLARE(name, parameters) extern "C" Return name parameters;
EGPU_NVML_FUNCTIONS(EGPU_DECLARE)
#undef EGPU_DECLARE
#define EGPU_DECLARE(name) extern "C" Return name();
EGPU_NVML_UNSUPPORTED(EGPU_DECLARE)
#undef EGPU_DECLARE
extern "C" const char* nvmlErrorString(Return result);
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::nvml
