// The driver interface, concluded: libraries and their kernels, functions by name, names of per-thread default streams, what a pointer
// is, edges of graphs, and functions that are not here.
#include <cuda.h>
#include <cudaProfiler.h>
#include <cstdio>
#include "check.h"
static const char* const kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 step = 3;
.visible .entry add(.param .u64 at) {
  .reg .b64 %rd<3>; .reg .b32 %r<4>;
  ld.param.u64 %rd0, [at];
  mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;
  ld.global.u32 %r1, [step]; ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";
static const char* name(CUresult code) {
  const char* text = "";
  cuGetErrorName(code, &text);
  return text;
}
int main() {
  CUdevice device;
  CUcontext context, same;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuProfilerStart());

  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  CUdeviceptr memory, step;
  size_t bytes;
  const char* called;
  int threads;
  CHECK(cuLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cuLibraryGetKernel(&kernel, library, "add"));
  CHECK(cuLibraryGetGlobal(&step, &bytes, library, "step"));
  CHECK(cuKernelGetName(&called, kernel));
  CHECK(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device));
  CHECK(cuKernelGetFunction(&function, kernel));
  CUstream stream;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamGetCtx(stream, &same));
  CHECK(cuMemAlloc(&memory, 128));
  CHECK(cuMemsetD32(memory, 4, 32));
  void* arguments[] = {&memory};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyPeer(memory + 4, context, memory, context, 4));
  int results[32] = {};
  CHECK(cuMemcpyDtoHAsync(results, memory, sizeof results, stream));
  CHECK(cuStreamSynchronize(stream));
  std::printf("%s %zu %d %d, %d %d\n", called, bytes, threads > 31, same == context, results[1], results[31]);

  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_HOST_POINTER};
  CUmemorytype type = {};
  void* host = &host;
  void* answers[] = {&type, &bytes, &host};
  CHECK(cuPointerGetAttributes(3, asked, answers, memory));
  std::printf("%d %zu %d\n", type == CU_MEMORYTYPE_DEVICE, bytes, host == nullptr);

  CUgraph graph;
  CUgraphNode nodes[2], from, to;
  size_t edges = 1;
  CHECK(cuGraphCreate(&graph, 0));
  for (CUgraphNode& each : nodes) CHECK(cuGraphAddEmptyNode(&each, graph, nullptr, 0));
  CHECK(cuGraphAddDependencies(graph, &nodes[0], &nodes[1], nullptr, 1));
  CHECK(cuGraphGetEdges(graph, &from, &to, nullptr, &edges));
  std::printf("%zu %d\n", edges, from == nodes[0] && to == nodes[1]);
  CHECK(cuGraphDestroy(graph));

  CUresult (*total)(size_t*, CUdevice) = nullptr;
  void* nothing = nullptr;
  CUdriverProcAddressQueryResult status;
  CHECK(cuGetProcAddress("cuDeviceTotalMem", reinterpret_cast<void**>(&total), 12000, 0, &status));
  CHECK(total(&bytes, device));
  std::printf("%d, ", bytes > 1u << 30);
  std::printf("%s\n", name(cuGetProcAddress("cuNoSuchThing", &nothing, 12000, 0, &status)));
  CUtensorMap map;
  std::printf("%s %s %s\n", name(cuCtxEnablePeerAccess(context, 0)), name(cuStreamWaitValue32(stream, memory, 0, 0)),
              name(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, nullptr, nullptr, nullptr, nullptr, nullptr,
                                          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)));
  CHECK(cuLibraryUnload(library));
  return 0;
}
