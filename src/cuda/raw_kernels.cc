#include "cuda/raw_kernels.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <thread>

#include "abi/raw_kernel.h"
#include "cuda/driver_table.h"

namespace egpu::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kOldestMajor = 7;  // compute capability
constexpr const char* kRemedy =
    "`egpu doctor` says what is missing; `--engine jit` runs the program without a GPU";

// What the injected library has no use for.
struct MoreFunctions {
  Pointer<Status(unsigned)> init = nullptr;
  Pointer<Status(Status, const char**)> error_name = nullptr;
};

template <class Function>
bool resolve(void* driver, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(driver, name));
  return function != nullptr;
}

Error missing(const char* function) {
  return input_error(std::string("the CUDA driver has no ") + function)
      .hint("install a driver that egpu supports: `egpu doctor` says which");
}

// Makes a context current while it lives.
class CurrentContext {
 public:
  CurrentContext(const DriverTable& table, Context context)
      : table_(table), status(table.ctx_push_current(context)) {}
  ~CurrentContext() {
    Context popped = nullptr;
    if (status == kSuccess) table_.ctx_pop_current(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const DriverTable& table_;

 public:
  const Status status;
};

// Device memory of one call of run(), in one piece.
struct Buffers {
  DevicePointer result;
  DevicePointer stacks;
  DevicePointer memory;
};

}  // namespace

class RawKernels::Driver {
 public:
  Result<void> open(const char* library);
  Result<Module> load(const std::string& ptx, bool optimize) const;
  Result<Buffers> allocate(std::span<const RawRun> runs) const;
  Result<RawOutcome> run(Module module, Stream stream, const Buffers& buffers, const RawRun& run,
                         std::chrono::milliseconds limit) const;

  // One call of the driver: what failed is named in the error.
  Result<void> check(Status status, const char* what) const;
  [[nodiscard]] std::string name_of(Status status) const;

  DriverTable table;
  Context context = nullptr;

 private:
  Result<void> load_functions(const char* library);
  Result<void> start(Module module, Stream stream, const Buffers& buffers, const RawRun& run) const;
  [[nodiscard]] Status wait(Stream stream, std::chrono::milliseconds limit) const;

  MoreFunctions more_;
};

std::string RawKernels::Driver::name_of(Status status) const {
  const char* name = nullptr;
  if (more_.error_name(status, &name) == kSuccess && name != nullptr) return name;
  return "error " + std::to_string(status);
}

Result<void> RawKernels::Driver::check(Status status, const char* what) const {
  if (status == kSuccess) return {};
  return input_error(std::string("the CUDA driver cannot ") + what + ": " + name_of(status))
      .hint(kRemedy);
}

Result<void> RawKernels::Driver::load_functions(const char* library) {
  // Stays loaded: threads of the driver's run in it.
  void* driver = ::dlopen(library, RTLD_NOW);
  if (driver == nullptr)
    return input_error(std::string("no CUDA driver can be loaded: ") + ::dlerror()).hint(kRemedy);
  if (!resolve(driver, "cuInit", more_.init)) return missing("cuInit");
  if (!resolve(driver, "cuGetErrorName", more_.error_name)) return missing("cuGetErrorName");
  if (const char* function = load_driver_table(table)) return missing(function);
  if (table.module_load_data_ex == nullptr) return missing("cuModuleLoadDataEx");
  if (table.module_get_function == nullptr) return missing("cuModuleGetFunction");
  if (table.launch == nullptr) return missing("cuLaunchKernel");
  return {};
}

Result<void> RawKernels::Driver::open(const char* library) {
  EGPU_TRY(load_functions(library));
  EGPU_TRY(check(more_.init(0), "start (cuInit)"));
  Device device = 0;
  EGPU_TRY(check(table.device_get(&device, 0), "give its first device (cuDeviceGet)"));
  int major = 0;
  EGPU_TRY(check(table.device_get_attribute(&major, kComputeCapabilityMajor, device),
                 "tell the device's age (cuDeviceGetAttribute)"));
  if (major < kOldestMajor)
    return input_error("the GPU's compute capability is " + std::to_string(major) +
                       ".x, and generated code needs 7.0 or later")
        .hint("use a newer GPU, or `--engine jit`");
  return check(table.primary_retain(&context, device), "make a context (cuDevicePrimaryCtxRetain)");
}

Result<Module> RawKernels::Driver::load(const std::string& ptx, bool optimize) const {
  std::array<char, 4096> log{};
  std::array<JitOption, 3> options{kJitErrorLog, kJitErrorLogBytes, kJitOptimization};
  // Options are values in place of pointers, unless they are buffers.
  // NOLINTBEGIN(performance-no-int-to-ptr): that is the driver's interface
  std::array<void*, 3> values{log.data(), reinterpret_cast<void*>(log.size()),
                              reinterpret_cast<void*>(std::uintptr_t{optimize ? 4U : 0U})};
  // NOLINTEND(performance-no-int-to-ptr)
  Module module = nullptr;
  const Status status = table.module_load_data_ex(
      &module, ptx.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (status == kSuccess) return module;
  log.back() = '\0';
  return internal_error("the driver does not load the generated code: " + name_of(status) + " " +
                        log.data());
}

Result<Buffers> RawKernels::Driver::allocate(std::span<const RawRun> runs) const {
  constexpr std::size_t kResultBytes = 256;  // keeps the rest as aligned as the whole
  std::size_t memory = 0;
  for (const RawRun& run : runs) memory = std::max(memory, run.memory.size());
  DevicePointer start = 0;
  EGPU_TRY(check(table.mem_alloc(&start, kResultBytes + abi::kRawStacksBytes + memory),
                 "allocate memory (cuMemAlloc)"));
  return Buffers{.result = start,
                 .stacks = start + kResultBytes,
                 .memory = start + kResultBytes + abi::kRawStacksBytes};
}

Result<void> RawKernels::Driver::start(Module module, Stream stream, const Buffers& buffers,
                                       const RawRun& run) const {
  Function function = nullptr;
  EGPU_TRY(check(table.module_get_function(&function, module, run.entry.c_str()),
                 "find the program (cuModuleGetFunction)"));
  EGPU_TRY(check(table.memset_async(buffers.stacks, 0, abi::kRawStacksBytes, stream),
                 "clear memory (cuMemsetD8Async)"));
  if (!run.memory.empty())
    EGPU_TRY(
        check(table.copy_to_device(buffers.memory, run.memory.data(), run.memory.size(), stream),
              "copy memory (cuMemcpyHtoDAsync)"));
  DevicePointer memory = run.memory.empty() ? 0 : buffers.memory;
  std::uint64_t size = run.memory.size();
  DevicePointer stacks = buffers.stacks;
  DevicePointer result = buffers.result;
  std::array<void*, 4> parameters{&memory, &size, &stacks, &result};
  return check(table.launch(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters.data(), nullptr),
               "launch the program (cuLaunchKernel)");
}

// Polls: the driver's own wait knows no end.
Status RawKernels::Driver::wait(Stream stream, std::chrono::milliseconds limit) const {
  const Clock::time_point deadline = Clock::now() + limit;
  while (true) {
    const Status status = table.stream_query(stream);
    if (status != kNotReady || Clock::now() >= deadline) return status;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Result<RawOutcome> RawKernels::Driver::run(Module module, Stream stream, const Buffers& buffers,
                                           const RawRun& run,
                                           std::chrono::milliseconds limit) const {
  EGPU_TRY(start(module, stream, buffers, run));
  RawOutcome outcome;
  const Status status = wait(stream, limit);
  if (status == kIllegalAddress || status == kInvalidAddressSpace)
    outcome.ending = RawEnding::kWildAccess;
  else if (status == kMisalignedAddress)
    outcome.ending = RawEnding::kMisaligned;
  else if (status == kNotReady)
    outcome.ending = RawEnding::kTooLong;
  if (outcome.ending != RawEnding::kReturned) return outcome;
  EGPU_TRY(check(status, "run the program"));

  outcome.memory.resize(run.memory.size());
  EGPU_TRY(check(table.copy_to_host(&outcome.r0, buffers.result, sizeof outcome.r0, stream),
                 "copy the result (cuMemcpyDtoHAsync)"));
  if (!run.memory.empty())
    EGPU_TRY(
        check(table.copy_to_host(outcome.memory.data(), buffers.memory, run.memory.size(), stream),
              "copy memory (cuMemcpyDtoHAsync)"));
  EGPU_TRY(check(wait(stream, limit), "copy the result"));
  return outcome;
}

RawKernels::RawKernels(std::unique_ptr<Driver> driver) : driver_(std::move(driver)) {}
RawKernels::RawKernels(RawKernels&&) noexcept = default;
RawKernels& RawKernels::operator=(RawKernels&&) noexcept = default;
RawKernels::~RawKernels() = default;

Result<RawKernels> RawKernels::open(const char* driver) {
  auto opened = std::make_unique<Driver>();
  EGPU_TRY(opened->open(driver));
  return RawKernels(std::move(opened));
}

Result<std::vector<RawOutcome>> RawKernels::run(const std::string& ptx,
                                                std::span<const RawRun> runs,
                                                const RawLimits& limits) const {
  const DriverTable& table = driver_->table;
  const CurrentContext current(table, driver_->context);
  EGPU_TRY(driver_->check(current.status, "use its context (cuCtxPushCurrent)"));
  EGPU_ASSIGN(Module module, driver_->load(ptx, limits.optimize));
  Stream stream = nullptr;
  EGPU_TRY(driver_->check(table.stream_create(&stream, kStreamNonBlocking),
                          "make a stream (cuStreamCreate)"));
  EGPU_ASSIGN(const Buffers buffers, driver_->allocate(runs));
  std::vector<RawOutcome> outcomes;
  for (const RawRun& run : runs) {
    EGPU_ASSIGN(RawOutcome outcome, driver_->run(module, stream, buffers, run, limits.run));
    outcomes.push_back(std::move(outcome));
    if (outcomes.back().ending != RawEnding::kReturned) break;
  }
  return outcomes;
}

}  // namespace egpu::cuda
