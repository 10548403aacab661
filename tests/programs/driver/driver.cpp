// The driver interface: a module from PTX, launches by pointers and by a buffer, streams, events, memory of all kinds.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "check.h"
static const char* const kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 x, .param .u32 n, .param .f32 f) {
  .reg .b64 %rd<3>; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .pred %p;
  ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [f];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r2;
  setp.ge.u32 %p, %r2, %r1;
  @%p ret;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2;
  ld.global.f32 %f2, [%rd2]; mul.f32 %f2, %f2, %f1; st.global.f32 [%rd2], %f2;
  ret;
}
)";
static const char* name_of(CUresult result) {
  const char* name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "no name";
}
/// What is wrong is refused, and writes nothing.
static int wrong_calls(const char* folder) {
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module = nullptr, other = nullptr;
  CUfunction scale = nullptr;
  CUdeviceptr x = 7;
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  const auto say = [](const char* what, CUresult result) { std::printf("%s: %s\n", what, name_of(result)); };
  say("no result of an allocation", cuMemAlloc(nullptr, 4));
  say("no bytes", cuMemAlloc(&x, 0));
  std::printf("%llu stays\n", static_cast<unsigned long long>(x));
  say("no result of an attribute", cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, scale));
  say("no name of a function", cuModuleGetFunction(&scale, module, nullptr));
  say("no image", cuModuleLoadData(&other, nullptr));
  say("no file name", cuModuleLoad(&other, nullptr));
  say("no name of an error", cuGetErrorName(CUDA_SUCCESS, nullptr));
  say("no context", cuCtxGetCurrent(nullptr));
  // The first bytes of an ELF file, whose headers would be far behind its end.
  char path[512];
  std::snprintf(path, sizeof path, "%s/short.cubin", folder);
  unsigned char image[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  image[0x29] = 0x40;  // section headers at 16384
  image[0x3a] = 64, image[0x3c] = 9;
  std::FILE* const file = std::fopen(path, "wb");
  std::fwrite(image, 1, sizeof image, file);
  std::fclose(file);
  say("a file cut off", cuModuleLoad(&other, path));
  CUdeviceptr packed = x;
  std::size_t bytes = sizeof packed;  // of three parameters
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  say("a short buffer", cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  return 0;
}
int main(int argc, char** argv) {
  CHECK(cuInit(0));
  if (argc > 1) return wrong_calls(argv[1]);
  int count = 0, major = 0, threads = 0;
  CUdevice device;
  CUcontext context;
  char name[64];
  CHECK(cuDeviceGetCount(&count));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetName(name, sizeof name, device));
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  std::printf("%d %s %d\n", count, std::strncmp(name, "Heddle", 6) == 0 ? "Heddle" : name, major);
  CUmodule module;
  CUfunction scale, missing;
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  const char* error = "";
  cuGetErrorName(cuModuleGetFunction(&missing, module, "missing"), &error);
  CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
  std::printf("%s, %s\n", error, threads >= 256 ? "threads" : "few");
  const unsigned n = 1000;
  float* host;
  CUdeviceptr x;
  CHECK(cuMemAllocHost(reinterpret_cast<void**>(&host), n * sizeof(float)));
  CHECK(cuMemAlloc(&x, n * sizeof(float)));
  float one = 1, factor = 3;
  unsigned bits, size = n;
  std::memcpy(&bits, &one, 4);
  CHECK(cuMemsetD32(x, bits, n));
  CUstream stream;
  CUevent start, stop;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
  CHECK(cuEventRecord(start, stream));
  void* arguments[] = {&x, &size, &factor};
  CHECK(cuLaunchKernel(scale, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  struct {
    CUdeviceptr x;
    unsigned n;
    float f;
  } packed = {x, n / 2, 5};
  std::size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(scale, 4, 1, 1, 128, 1, 1, 0, stream, nullptr, extra));
  CHECK(cuEventRecord(stop, stream));
  CHECK(cuMemcpyDtoHAsync(host, x, n * sizeof(float), stream));
  CHECK(cuStreamSynchronize(stream));
  float ms = 0;
  CHECK(cuEventElapsedTime(&ms, start, stop));
  std::printf("%g %g %g %g, time %s\n", host[0], host[499], host[500], host[999],
              ms > 0 ? "passes" : "stands still");
  CHECK(cuMemFree(x));
  CHECK(cuMemFreeHost(host));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  return 0;
}
