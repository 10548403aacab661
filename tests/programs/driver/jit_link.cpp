// Links PTX with NVIDIA's library for that, and runs the machine code that comes out.
#include <cuda.h>
#include <nvJitLink.h>
#include <cstdio>
#include <cstring>
#include <vector>
#include "check.h"
static const char* const kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry sevenfold(.param .u64 values) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  ld.param.u64 %rd0, [values];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0;
  mul.lo.u32 %r1, %r0, 7; st.global.u32 [%rd1], %r1;
  ret;
}
)";
int main() {
  const char* options[] = {"-arch=sm_75"};
  nvJitLinkHandle linker = nullptr;
  if (nvJitLinkCreate(&linker, 1, options) != NVJITLINK_SUCCESS ||
      nvJitLinkAddData(linker, NVJITLINK_INPUT_PTX, kPtx, std::strlen(kPtx), "kernel") != NVJITLINK_SUCCESS ||
      nvJitLinkComplete(linker) != NVJITLINK_SUCCESS) {
    std::puts("not linked");
    return 1;
  }
  std::size_t bytes = 0;
  nvJitLinkGetLinkedCubinSize(linker, &bytes);
  std::vector<char> cubin(bytes);
  nvJitLinkGetLinkedCubin(linker, cubin.data());
  nvJitLinkDestroy(&linker);
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction sevenfold = nullptr;
  CUdeviceptr values = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, cubin.data()));
  CHECK(cuModuleGetFunction(&sevenfold, module, "sevenfold"));
  CHECK(cuMemAlloc(&values, 3 * sizeof(int)));
  void* arguments[] = {&values};
  CHECK(cuLaunchKernel(sevenfold, 1, 1, 1, 3, 1, 1, 0, nullptr, arguments, nullptr));
  int host[3] = {};
  CHECK(cuMemcpyDtoH(host, values, sizeof host));
  std::printf("%d %d %d\n", host[0], host[1], host[2]);
  return 0;
}
