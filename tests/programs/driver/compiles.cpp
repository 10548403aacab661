// Compiles CUDA C++ with NVIDIA's library for that, a template by its name, and launches what comes out.
#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <string>
#include "check.h"
static std::string ptx_of(const char* source, std::string& name, std::string& log) {
  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, source, "scaled.cu", 0, nullptr, nullptr);
  nvrtcAddNameExpression(program, name.c_str());
  const char* const options[] = {"-arch=compute_75", "-std=c++17"};
  const nvrtcResult result = nvrtcCompileProgram(program, 2, options);
  std::size_t bytes = 0;
  nvrtcGetProgramLogSize(program, &bytes);
  log.resize(bytes);
  nvrtcGetProgramLog(program, log.data());
  std::string ptx;
  if (result == NVRTC_SUCCESS) {
    const char* lowered = nullptr;
    nvrtcGetLoweredName(program, name.c_str(), &lowered);
    name = lowered;
    nvrtcGetPTXSize(program, &bytes);
    ptx.resize(bytes);
    nvrtcGetPTX(program, ptx.data());
  }
  nvrtcDestroyProgram(&program);
  return ptx;
}
int main() {
  std::string name = "scaled<7>", log;
  const std::string ptx =
      ptx_of("template <int F> __global__ void scaled(int* at) { at[threadIdx.x] = F * (threadIdx.x + 3); }",
             name, log);
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction scaled = nullptr;
  CUdeviceptr values = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr));
  CHECK(cuModuleGetFunction(&scaled, module, name.c_str()));
  CHECK(cuMemAlloc(&values, 3 * sizeof(int)));
  void* arguments[] = {&values};
  CHECK(cuLaunchKernel(scaled, 1, 1, 1, 3, 1, 1, 0, nullptr, arguments, nullptr));
  int host[3] = {};
  CHECK(cuMemcpyDtoH(host, values, sizeof host));
  std::printf("%d %d %d\n", host[0], host[1], host[2]);
  name = "scaled<7>";
  const std::string none = ptx_of("this is not CUDA", name, log);
  std::printf("error in line %s\n", none.empty() ? log.substr(log.find('(') + 1, 1).c_str() : "0");
  return 0;
}
