// The CUDA driver API, as far as Heddle needs it. The library is opened at run time, so that Heddle is built and runs where
// nothing of NVIDIA's is installed. Types, numbers and names are those of the driver's ABI (CUDA Driver API reference);
// functions that have had several signatures carry the version of theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::cuda {

enum class Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
  kCooperativeLaunchTooLarge = 720,
};

enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,
  kMaxBlockY = 3,
  kMaxBlockZ = 4,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kWarpSize = 10,
  kClockKilohertz = 13,
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kRegistersPerMultiprocessor = 82,
  kCooperativeLaunch = 95,
  kMaxSharedBytesPerBlockOptIn = 97,
  kMaxBlocksPerMultiprocessor = 106,
};
enum class FunctionAttribute : int {
  kSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicSharedBytes = 8
};
enum class Limit : int { kStackBytes = 0, kHeapBytes = 2 };
enum class JitOption : int {
  kInfoLog = 3,
  kInfoLogBytes = 4,
  kErrorLog = 5,
  kErrorLogBytes = 6,
};

using Ordinal = int;            ///< CUdevice
using Address = std::uint64_t;  ///< CUdeviceptr
struct Context;
struct Module;
struct Function;
struct Event;
struct Stream;

/// The functions of the driver.
struct Driver {
  /// Opens HEDDLE_CUDA_LIBRARY if that is set, else libcuda.so.1. Throws base::InputError if it cannot be opened or lacks
  /// a function. Open until the process ends: the driver's threads cannot be stopped.
  Driver();

  Result (*init)(unsigned flags);
  Result (*driver_version)(int* version);  ///< 13000: CUDA 13.0
  Result (*device_get)(Ordinal* device, int index);
  Result (*device_name)(char* name, int bytes, Ordinal device);
  Result (*device_attribute)(int* value, DeviceAttribute attribute, Ordinal device);
  Result (*retain_context)(Context** context, Ordinal device);
  Result (*release_context)(Ordinal device);
  Result (*set_context)(Context* context);
  Result (*set_limit)(Limit limit, std::size_t value);
  Result (*error_name)(Result result, const char** text);
  Result (*error_string)(Result result, const char** text);

  Result (*memory_info)(std::size_t* free, std::size_t* all);
  Result (*allocate)(Address* address, std::size_t bytes);
  Result (*free)(Address address);
  Result (*copy_in)(Address to, const void* from, std::size_t bytes);
  Result (*copy_out)(void* to, Address from, std::size_t bytes);
  Result (*fill)(Address address, unsigned char value, std::size_t bytes);

  Result (*load_module)(Module** module, const void* image, unsigned options, JitOption* option,
                        void** values);
  Result (*unload_module)(Module* module);
  Result (*function)(Function** function, Module* module, const char* name);
  Result (*global)(Address* address, std::size_t* bytes, Module* module, const char* name);
  Result (*function_attribute)(int* value, FunctionAttribute attribute, Function* function);
  Result (*set_function_attribute)(Function* function, FunctionAttribute attribute, int value);
  Result (*resident_blocks)(int* blocks, Function* function, int threads, std::size_t dynamic_shared);

  Result (*launch)(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned dynamic_shared, Stream* stream,
                   void** parameters, void** extra);
  Result (*launch_cooperative)(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared,
                               Stream* stream, void** parameters);
  Result (*create_event)(Event** event, unsigned flags);
  Result (*destroy_event)(Event* event);
  Result (*record_event)(Event* event, Stream* stream);
  Result (*query_event)(Event* event);
  Result (*elapsed)(float* milliseconds, Event* begin, Event* end);

  /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
  [[nodiscard]] std::string text(Result result) const;
};

}  // namespace heddle::cuda
