// Heddle as a library: a simulated GPU for host programs.
//
//   auto gpu = heddle::open_gpu("gtx480", {"cores=4"});
//   auto module = gpu->load_ptx_file("saxpy.ptx");
//   auto x = gpu->upload(values, "x");
//   gpu->launch(module, "saxpy", {.grid = {64}, .block = {256}}, heddle::Args().add(n).add(a).add(x));
//   auto result = gpu->download<float>(x, n);
//   gpu->last_launch().cycles       // and by kernel: gpu->kernels(); every counter: gpu->statistics(...)
//
// The program has an ordinary main(). Errors of the program or its input throw heddle::Error; what() is the
// message with location and remedy. (A TLM protocol violation of a custom memory is an sc_core::sc_report.)
// open_oracle() returns an interpreter with the same interface, to compare results with.
//
// Threads: any thread may call, one at a time; a call made while another one is in progress is refused by an
// Error that names both. After a failed launch the next one is refused (ExitCode::kDeviceFailed), but memory
// can still be read. Modules can be unloaded, and launch records do not grow with the number of launches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/host_heap.h"
#include "gpu/gpu_device.h"
#include "host/device.h"

namespace heddle {

using base::Error;
using base::ExitCode;
using base::use_huge_pages;  // optional; call first in main(): short launches start several times faster
using gpu::GpuDevice;
using gpu::KernelRecord;
using gpu::LaunchRecord;
using gpu::RunOptions;
using host::Args;
using host::Device;
using host::DeviceProperties;
using host::Dim3;
using host::Launch;
using host::ModuleHandle;

/// The simulated GPU. `platform`: name or path of a YAML file; `settings`: "key=value" assignments on top of
/// it (`heddle describe PLATFORM` lists the keys). One GPU per process, since SystemC elaborates once. Throws
/// Error.
[[nodiscard]] std::unique_ptr<GpuDevice> open_gpu(const std::string& platform = "gtx480",
                                                  const std::vector<std::string>& settings = {},
                                                  RunOptions options = {});

/// The independent scalar interpreter: no timing, any number per process.
[[nodiscard]] std::unique_ptr<Device> open_oracle();

/// Location of the installed platform files; set by the CMake package (HEDDLE_PACKAGE_PLATFORMS), empty
/// within the source tree. The environment variable HEDDLE_PLATFORMS_DIR takes precedence.
void set_package_platforms(const std::string& folder);

}  // namespace heddle

#ifdef HEDDLE_PACKAGE_PLATFORMS
namespace heddle::detail {
inline const bool kPackagePlatforms = (set_package_platforms(HEDDLE_PACKAGE_PLATFORMS), true);
}  // namespace heddle::detail
#endif
