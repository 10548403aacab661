#include "cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"

namespace heddle::cuda {
namespace {

constexpr const char* kLibraryVariable = "HEDDLE_CUDA_LIBRARY";
constexpr const char* kLibrary = "libcuda.so.1";

class Library {
 public:
  Library() {
    const char* const given = std::getenv(kLibraryVariable);
    name_ = given != nullptr && *given != '\0' ? given : kLibrary;
    handle_ = ::dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    const char* const why = ::dlerror();
    throw base::InputError(
        "CUDA driver", fmt::format("{} cannot be opened ({})", name_, why == nullptr ? "unknown" : why),
        name_ == kLibrary
            ? "A card needs NVIDIA's driver. Without one there are the GPU model and the oracle."
            : fmt::format("{} names it; unset, the system's {} is taken.", kLibraryVariable, kLibrary));
  }

  template <class Function>
  void find(Function& function, const char* name) const {
    void* const found = ::dlsym(handle_, name);
    if (found == nullptr)
      throw base::InputError("CUDA driver", fmt::format("{} has no function {}", name_, name),
                             "Update the driver: CUDA 11.0 or later has it.");
    function = reinterpret_cast<Function>(found);
  }

 private:
  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace

Driver::Driver() {
  const Library library;
  library.find(init, "cuInit");
  library.find(driver_version, "cuDriverGetVersion");
  library.find(device_get, "cuDeviceGet");
  library.find(device_name, "cuDeviceGetName");
  library.find(device_attribute, "cuDeviceGetAttribute");
  library.find(retain_context, "cuDevicePrimaryCtxRetain");
  library.find(release_context, "cuDevicePrimaryCtxRelease_v2");
  library.find(set_context, "cuCtxSetCurrent");
  library.find(set_limit, "cuCtxSetLimit");
  library.find(error_name, "cuGetErrorName");
  library.find(error_string, "cuGetErrorString");
  library.find(memory_info, "cuMemGetInfo_v2");
  library.find(allocate, "cuMemAlloc_v2");
  library.find(free, "cuMemFree_v2");
  library.find(copy_in, "cuMemcpyHtoD_v2");
  library.find(copy_out, "cuMemcpyDtoH_v2");
  library.find(fill, "cuMemsetD8_v2");
  library.find(load_module, "cuModuleLoadDataEx");
  library.find(unload_module, "cuModuleUnload");
  library.find(function, "cuModuleGetFunction");
  library.find(global, "cuModuleGetGlobal_v2");
  library.find(function_attribute, "cuFuncGetAttribute");
  library.find(set_function_attribute, "cuFuncSetAttribute");
  library.find(resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  library.find(launch, "cuLaunchKernel");
  library.find(launch_cooperative, "cuLaunchCooperativeKernel");
  library.find(create_event, "cuEventCreate");
  library.find(destroy_event, "cuEventDestroy_v2");
  library.find(record_event, "cuEventRecord");
  library.find(query_event, "cuEventQuery");
  library.find(elapsed, "cuEventElapsedTime");
}

std::string Driver::text(Result result) const {
  const char *name = nullptr, *description = nullptr;
  if (error_name(result, &name) != Result::kSuccess || name == nullptr)
    return fmt::format("CUDA error {}", static_cast<int>(result));
  if (error_string(result, &description) != Result::kSuccess || description == nullptr) return name;
  return fmt::format("{} ({})", name, description);
}

}  // namespace heddle::cuda
