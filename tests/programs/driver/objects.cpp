// The driver interface, continued: variables of modules, arrays and texture objects, copies of shapes, limits, the linker.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "check.h"
static const char* const kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 count = 5;
.const .align 4 .f32 factors[4];
.visible .entry sample(.param .u64 out, .param .u64 texture) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .f32 %f<8>;
  ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [texture];
  mov.u32 %r0, %tid.x;
  ld.global.u32 %r1, [count]; cvt.rn.f32.u32 %f0, %r1;
  ld.const.f32 %f1, [factors+4];
  cvt.rn.f32.u32 %f2, %r0; mov.f32 %f3, 0f3f800000;
  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f3}];
  fma.rn.f32 %f0, %f4, %f1, %f0;
  mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd2, %rd0;
  st.global.f32 [%rd2], %f0;
  ret;
}
)";
int main() {
  // The driver's functions by their names, as libraries of the runtime find them.
  void *allocate = nullptr, *nothing = nullptr;
  cudaDriverEntryPointQueryResult found, missing;
  const int codes =
      cudaGetDriverEntryPointByVersion("cuMemAlloc", &allocate, CUDA_VERSION, cudaEnableDefault, &found) +
      cudaGetDriverEntryPointByVersion("cuNothing", &nothing, CUDA_VERSION, cudaEnableDefault, &missing);
  std::printf("%d, %d %d, %d\n", codes, found, missing, nothing == nullptr);
  CUcontext context;
  CUmodule module;
  CUfunction sample;
  CUlinkState link;
  void* image;
  size_t bytes;
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuLinkCreate(0, nullptr, nullptr, &link));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kPtx), std::strlen(kPtx) + 1, "text", 0,
                      nullptr, nullptr));
  CHECK(cuLinkComplete(link, &image, &bytes));
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(link));
  CHECK(cuModuleGetFunction(&sample, module, "sample"));
  CUdeviceptr count, factors, none;
  const unsigned seven = 7;
  const float values[] = {1, 100, 3, 4};
  CHECK(cuModuleGetGlobal(&count, &bytes, module, "count"));
  CHECK(cuMemcpyHtoD(count, &seven, sizeof seven));
  CHECK(cuModuleGetGlobal(&factors, &bytes, module, "factors"));
  CHECK(cuMemcpyHtoD(factors, values, sizeof values));
  const char* name = nullptr;
  cuGetErrorName(cuModuleGetGlobal(&none, &bytes, module, "none"), &name);
  std::printf("%zu bytes, %s\n", bytes, name);

  // Rows of bytes of an array, read as fractions since no flag says otherwise.
  CUarray array;
  const CUDA_ARRAY_DESCRIPTOR shape{32, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CHECK(cuArrayCreate(&array, &shape));
  std::vector<unsigned char> host(32 * 4);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i * 5);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = host.data(), copy.srcPitch = 32;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  copy.WidthInBytes = 32, copy.Height = 4;
  CHECK(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC description{};
  for (CUaddress_mode& each : description.addressMode) each = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject texture;
  CHECK(cuTexObjectCreate(&texture, &resource, &description, nullptr));
  CUdeviceptr out;
  CHECK(reinterpret_cast<CUresult (*)(CUdeviceptr*, size_t)>(allocate)(&out, 32 * 4));
  void* arguments[] = {&out, &texture};
  CHECK(cuLaunchKernel(sample, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  float got[32];
  CHECK(cuMemcpyDtoH(got, out, sizeof got));
  int wrong = 0;
  for (int i = 0; i < 32; ++i)
    wrong += got[i] != static_cast<float>(host[32 + i]) / 255.f * 100 + 7 &&
             static_cast<int>(got[i] * 16 + 0.5f) !=
                 static_cast<int>((host[32 + i] / 255.f * 100 + 7) * 16 + 0.5f);
  // A part of the array back, of its second and third row.
  unsigned char part[2][8];
  CUDA_MEMCPY2D back{};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY, back.srcArray = array, back.srcXInBytes = 4, back.srcY = 1;
  back.dstMemoryType = CU_MEMORYTYPE_HOST, back.dstHost = part, back.dstPitch = 8;
  back.WidthInBytes = 8, back.Height = 2;
  CHECK(cuMemcpy2D(&back));
  CUDA_ARRAY_DESCRIPTOR same;
  CHECK(cuArrayGetDescriptor(&same, array));
  std::printf("%d wrong, %d %d, %zu x %zu of format %d\n", wrong, part[0][0] == host[36],
              part[1][7] == host[75], same.Width, same.Height, same.Format);

  CUdeviceptr begin;
  CUmemorytype type;
  size_t limit;
  CHECK(cuMemsetD2D32(out, 16, 9, 2, 8));
  CHECK(cuMemcpyDtoH(got, out, sizeof got));
  unsigned words[4];
  std::memcpy(words, got, sizeof words);
  CHECK(cuMemGetAddressRange(&begin, &bytes, out + 12));
  CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, out));
  CHECK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 9000));
  CHECK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  std::printf("%u %u %d, %d %zu, %d, %zu\n", words[0], words[1], words[2] == 9, begin == out, bytes, type,
              limit);
  int grid = 0, block = 0;
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, sample, nullptr, 0, 128));
  std::printf("%d threads, %s\n", block, grid > 0 ? "some blocks" : "no block");
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, sample, nullptr, size_t{1} << 20, 0));
  CUcontext owner;
  unsigned version = 0;
  CHECK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, out));
  CHECK(cuCtxGetApiVersion(context, &version));
  CHECK(cuLinkCreate(0, nullptr, nullptr, &link));
  char garbage[] = "garbage";
  cuGetErrorName(cuLinkAddData(link, CU_JIT_INPUT_PTX, garbage, sizeof garbage, "text", 0, nullptr, nullptr),
                 &name);
  CHECK(cuLinkDestroy(link));
  std::printf("%d %d, %d %u, %s\n", grid, block, owner == context, version, name);

  // A fill and the launch, captured from a stream, and as nodes.
  CUstream stream;
  CUgraph graph;
  CUgraphExec ready;
  CUgraphNode fill, node;
  float results[2][32];
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < 2; ++i) {
    if (i == 0) {
      CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
      CHECK(cuMemsetD32Async(out, 0, 32, stream));
      CHECK(cuLaunchKernel(sample, 1, 1, 1, 16, 1, 1, 0, stream, arguments, nullptr));
      CHECK(cuStreamEndCapture(stream, &graph));
    } else {
      CHECK(cuGraphCreate(&graph, 0));
      CUDA_MEMSET_NODE_PARAMS zeros{};
      zeros.dst = out, zeros.elementSize = 4, zeros.width = 32, zeros.height = 1;
      CHECK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros, context));
      CUDA_KERNEL_NODE_PARAMS launch{};
      launch.func = sample, launch.kernelParams = arguments;
      launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
      launch.blockDimX = 16;
      CHECK(cuGraphAddKernelNode(&node, graph, &fill, 1, &launch));
    }
    CHECK(cuGraphInstantiate(&ready, graph, 0));
    CHECK(cuGraphLaunch(ready, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuMemcpyDtoH(results[i], out, sizeof results[i]));
    CHECK(cuGraphExecDestroy(ready));
    CHECK(cuGraphDestroy(graph));
  }
  std::printf("%d %d %g\n", results[0][15] > 7, std::memcmp(results[0], results[1], sizeof results[0]),
              results[1][16]);
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuArrayDestroy(array));
  CHECK(cuMemFree(out));
  CHECK(cuModuleUnload(module));
  // Memory where the module's variables have been is memory as any other.
  CUdeviceptr again[4];
  int there = 0;
  for (CUdeviceptr& each : again) {
    CHECK(cuMemAlloc(&each, sizeof host[0] * 128));
    CHECK(cuMemcpyHtoD(each, host.data(), host.size()));
    there += each == count || each == factors;
  }
  for (const CUdeviceptr each : again) CHECK(cuMemFree(each));
  std::printf("%s\n", there > 0 ? "given again" : "elsewhere");
  CHECK(cuDevicePrimaryCtxReset(0));
  return wrong;
}
