// What a program's runtime (the client) and the process that simulates (the session) say to each other, over a local
// stream socket: a request, and the reply to it. Both are of one build and one machine, so structures travel as they are.
//
// Bulk data goes through the window, shared memory that the client has made: a request names bytes from its start on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

inline constexpr std::uint32_t kProtocolVersion = 6;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{4} << 20;

/// Of the pages that kLaunch tells (base::PageMarks).
inline constexpr std::uint64_t kWrittenPage = 4096;

/// The environment of a program: path of the socket that sessions are asked for at.
inline constexpr const char* kSocketVariable = "HEDDLE_RUNTIME_SOCKET";

/// CUDA's error codes, as far as they are used by name (CUDA runtime API, cudaError).
enum class Code : std::int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitialization = 3,
  kInvalidConfiguration = 9,
  kInvalidPitchValue = 12,
  kInvalidSymbol = 13,
  kInvalidDevicePointer = 17,
  kInvalidTexture = 18,
  kInvalidChannel = 20,
  kInvalidMemcpyDirection = 21,
  kInvalidFilter = 26,
  kInvalidNorm = 27,
  kMissingConfiguration = 52,
  kInvalidDeviceFunction = 98,
  kInvalidDevice = 101,
  kInvalidKernelImage = 200,
  kNoKernelImage = 209,
  kUnsupportedLimit = 215,
  kPeerAccessUnsupported = 217,
  kInvalidPtx = 218,
  kFileNotFound = 301,
  kOperatingSystem = 304,
  kInvalidResourceHandle = 400,
  kIllegalState = 401,
  kSymbolNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureMerge = 902,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureUnjoined = 904,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
  kStreamCaptureWrongThread = 908,
  kGraphExecUpdateFailure = 910,
  kDeviceLost = 46,  ///< cudaErrorDevicesUnavailable: the session has ended
  kUnknown = 999,
};

enum class Operation : std::uint32_t {
  kHello,     ///< {version, pid, dynamic window}; window by file descriptor. Data: Machine
  kAllocate,  ///< {bytes}; payload: name. Values: address
  kFree,      ///< {address}
  kWrite,     ///< {address, 0, offset in the window} + Box: the window's rows, packed, to memory
  kRead,      ///< {address, 1 if the program has not asked for it, offset in the window} + Box: the other way
  kFill,      ///< {address, value, bytes of the value} + Box
  kCopy,      ///< {to, from, pitch and slice of from} + Box of to
  kLoad,      ///< payload: Blob list, name. Values: module
  kUnload,    ///< {module}
  kKernel,    ///< {module}; payload: name. Values: kernel; data: KernelFacts, Parameter[]
  kNames,     ///< {module}. Data: names of kernels, zero-terminated
  kSymbol,    ///< {module}; payload: name. Values: address, bytes
  kLaunch,  ///< {kernel, grid[3], block[3], dynamic shared bytes, cooperative, with pages}; payload: arguments. Values: ns, 1 if the
            ///< device knows what it has written; data, if it does: numbers of those pages, ascending
  kQueue,   ///< as kLaunch; payload: QueuedHeader, numbers of launches, arguments. Values: number
  kFinish,  ///< {ns that begin with the program, as a double: nothing begins before}. Runs what is queued. Data: FinishedLaunch[]
  kLimits,  ///< {stack bytes of a thread, heap bytes}
  kOccupancy,  ///< {kernel, block threads, dynamic shared bytes}. Values: blocks
};

/// Rows of equal distance, planes of equal distance.
struct Box {
  std::uint64_t width = 0;  ///< bytes of a row
  std::uint64_t height = 1, depth = 1;
  std::uint64_t pitch = 0, slice = 0;  ///< bytes between the starts of rows, and of planes, in memory
  /// Rows in blocks of 8 << block_height_log2 (isa/texture.h): the address is that of the first plane, of which `x`, in bytes, and `y`
  /// are where the box begins. kWrite and kRead only.
  std::uint32_t in_blocks = 0, block_height_log2 = 0;
  std::uint64_t x = 0, y = 0;
};

struct Request {
  Operation operation{};
  std::uint32_t bytes = 0;  ///< of the payload that follows
  std::uint64_t arguments[10] = {};
  Box box;
};

struct Reply {
  Code code = Code::kSuccess;
  std::uint32_t sticky = 0;   ///< the device is of no more use
  std::uint32_t printed = 0;  ///< bytes of text for standard output; these three follow in this order
  std::uint32_t message = 0;  ///< bytes of text for standard error
  std::uint32_t bytes = 0;    ///< of data
  std::uint64_t values[4] = {};
};

/// A launch that is left until kFinish. Times are in ns since the program's first call.
struct QueuedHeader {
  double ready_ns = 0;  ///< it does not begin before, ...
  std::uint64_t after =
      0;  ///< ... nor before so many launches, whose numbers follow, have ended and a launch's time is over
};
struct FinishedLaunch {
  std::uint64_t number = 0;
  Code code = Code::kSuccess;
  double begin_ns = 0, end_ns = 0;
};

/// The simulated machine, for device properties.
struct Machine {
  char name[256] = {};
  std::uint32_t compute_capability = 0;  ///< ten times the major number plus the minor one
  std::uint32_t multiprocessors = 0, warp_size = 32;
  std::uint32_t max_threads_per_block = 0, max_threads_per_multiprocessor = 0,
                max_blocks_per_multiprocessor = 0;
  std::uint32_t registers_per_multiprocessor = 0, shared_bytes_per_block = 0;
  std::uint32_t max_grid[3] = {}, max_block[3] = {};
  std::uint32_t memory_bus_bits = 0;
  std::uint64_t l2_bytes = 0, memory_bytes = 0;
  double clock_mhz = 0, memory_clock_mhz = 0;
  double launch_ns = 0, copy_ns = 0, copy_gbytes_per_s = 0;
  std::uint64_t heap_bytes = 0, stack_bytes = 0;
  std::uint32_t array_blocks = 0;        ///< arrays have their rows in blocks
  std::uint32_t concurrent_streams = 0;  ///< runtime.concurrent_streams
  std::uint32_t textures = 0;            ///< kernels read headers (isa/texture_header.h) as objects
};

struct KernelFacts {
  std::uint32_t registers = 0, static_shared_bytes = 0, local_bytes = 0, max_threads = 0;
  std::uint32_t parameters = 0;  ///< how many Parameter follow
  std::uint32_t machine_code = 0;
  std::uint32_t architecture = 0;  ///< 75: of the PTX; 0 for machine code
};
struct Parameter {
  std::uint32_t offset = 0, bytes = 0;
};

}  // namespace heddle::runtime
