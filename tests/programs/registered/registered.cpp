// What nvcc makes of a CUDA program's host side, by hand: a fat binary with the PTX of registered.cu, its registration before
// main(), kernels' host functions, launches. It needs no CUDA to be compiled or run. With an argument it does one thing more.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/abi.h"

using heddle::runtime::Dim;
using heddle::runtime::FatBinaryWrapper;
using heddle::runtime::HostFunction;

// The interface, as cuda_runtime_api.h declares it.
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
unsigned __cudaPushCallConfiguration(Dim, Dim, std::size_t, void*);
int __cudaPopCallConfiguration(Dim*, Dim*, std::size_t*, void*);
int cudaLaunchKernel(const void*, Dim, Dim, void**, std::size_t, void*);
int cudaGetDeviceCount(int*);
int cudaGetDeviceProperties(void*, int);
int cudaDeviceGetAttribute(int*, int, int);
int cudaMalloc(void**, std::size_t);
int cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
int cudaMallocHost(void**, std::size_t);
int cudaFree(void*);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int);
int cudaMemset2D(void*, std::size_t, int, std::size_t, std::size_t);
int cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, int);
int cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, int);
int cudaDeviceSynchronize();
int cudaStreamCreate(void**);
int cudaStreamSynchronize(void*);
int cudaLaunchHostFunc(void*, HostFunction, void*);
int cudaEventCreate(void**);
int cudaEventRecord(void*, void*);
int cudaEventSynchronize(void*);
int cudaEventElapsedTime(float*, void*, void*);
int cudaGetLastError();
int cudaIpcGetMemHandle(void*, void*);
}

namespace {

constexpr int kToDevice = 1, kToHost = 2;

/// Entry of a fat binary: PTX that is not compressed, for sm_75.
struct Entry {
  std::uint16_t kind = 1, version = 0x101;
  std::uint32_t header_bytes = sizeof(Entry);
  std::uint64_t bytes = 0;
  std::uint32_t compressed_bytes = 0, options = 0;
  std::uint32_t minor_major = 0, architecture = 75;
  std::uint32_t name_at = 0, name_bytes = 0;
  std::uint64_t flags = 0x10;
  std::uint64_t zero = 0;
  std::uint64_t whole_bytes = 0;
};

std::string binary;
FatBinaryWrapper wrapper;
char scale_on_host, total_on_host;

// Host functions of kernels: addresses that launches name.
void fill() {}
void sum() {}
void mark() {}
void scaled() {}
void text() {}
void where() {}
void nothing() {}

const void* address(void (*function)()) { return reinterpret_cast<const void*>(function); }

__attribute__((constructor)) void register_all() {
  std::ifstream file(HEDDLE_PTX_FILE, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  std::string ptx = content.str() + '\0';
  ptx.resize((ptx.size() + 7) / 8 * 8, '\0');
  Entry entry;
  entry.bytes = ptx.size();
  heddle::runtime::FatBinaryHeader header{heddle::runtime::kFatBinaryMagic, 1, sizeof header,
                                          sizeof entry + ptx.size()};
  binary.assign(reinterpret_cast<const char*>(&header), sizeof header);
  binary.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  binary += ptx;
  wrapper = {heddle::runtime::kWrapperMagic, 1, binary.data(), nullptr};
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  const auto kernel = [&](void (*function)(), const char* name) {
    __cudaRegisterFunction(handle, static_cast<const char*>(address(function)), nullptr, name, -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
  };
  kernel(fill, "fill");
  kernel(sum, "sum");
  kernel(mark, "mark");
  kernel(scaled, "scaled");
  kernel(text, "text");
  kernel(where, "where");
  kernel(nothing, "nothing");
  __cudaRegisterVar(handle, &scale_on_host, nullptr, "scale", 0, sizeof(int), 1, 0);
  __cudaRegisterVar(handle, &total_on_host, nullptr, "total", 0, sizeof(int), 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
}

void must(int code, int line) {
  if (code == 0) return;
  std::printf("line %d: error %d\n", line, code);
  std::exit(1);
}
#define MUST(call) must(call, __LINE__)

/// kernel<<<grid, block, 0, stream>>>(arguments...), as the compiler writes it.
template <class... Arguments>
int launch(void (*kernel)(), unsigned grid, unsigned block, void* stream, Arguments... arguments) {
  void* pointers[] = {static_cast<void*>(&arguments)..., nullptr};
  __cudaPushCallConfiguration({grid, 1, 1}, {block, 1, 1}, 0, stream);
  Dim to_grid, to_block;
  std::size_t shared = 0;
  void* in = nullptr;
  MUST(__cudaPopCallConfiguration(&to_grid, &to_block, &shared, &in));
  return cudaLaunchKernel(address(kernel), to_grid, to_block, pointers, shared, in);
}

int special(const std::string& what, std::size_t number) {
  int* x = nullptr;
  if (what == "many") {
    for (std::size_t i = 0; i < number; ++i) MUST(launch(nothing, 1, 32, nullptr));
    MUST(cudaDeviceSynchronize());
    std::printf("%zu launches\n", number);
  } else if (what == "copies") {
    std::vector<unsigned char> bytes(number), back(number);
    for (std::size_t i = 0; i < number; ++i) bytes[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
    MUST(cudaMalloc(reinterpret_cast<void**>(&x), number));
    MUST(cudaMemcpy(x, bytes.data(), number, kToDevice));
    MUST(cudaMemcpy(back.data(), x, number, kToHost));
    std::puts(bytes == back ? "equal" : "different");
  } else if (what == "endless") {
    MUST(cudaMalloc(reinterpret_cast<void**>(&x), 4000));
    while (launch(fill, 1, 64, nullptr, x, 1000, 0) == 0) {
    }
    return 1;
  } else if (what == "beyond") {
    MUST(cudaMalloc(reinterpret_cast<void**>(&x), 400));
    (void)launch(sum, 1, 32, nullptr, static_cast<const int*>(x), 120);
    std::printf("%d\n", cudaDeviceSynchronize());
  } else if (what == "host") {
    const std::vector<int> own(std::size_t{1} << 18);  // mapped
    (void)launch(sum, 1, 32, nullptr, own.data(), 120);
    std::printf("%d\n", cudaDeviceSynchronize());
  } else if (what == "local") {
    (void)launch(sum, 1, 32, nullptr, reinterpret_cast<const int*>(0x7e00'0000'0040), 120);
    std::printf("%d\n", cudaDeviceSynchronize());
  } else if (what == "where") {
    unsigned cores = 0;
    MUST(cudaMalloc(reinterpret_cast<void**>(&x), 4));
    MUST(launch(where, 1, 1, nullptr, x));
    MUST(cudaMemcpy(&cores, x, 4, kToHost));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return special(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0);
  int count = 0, capability = 0;
  char properties[2048];
  MUST(cudaGetDeviceCount(&count));
  MUST(cudaGetDeviceProperties(properties, 0));
  MUST(cudaDeviceGetAttribute(&capability, 75, 0));
  int minor = 0;
  MUST(cudaDeviceGetAttribute(&minor, 76, 0));
  std::printf("%d %s %d\n", count, properties, 10 * capability + minor);
  MUST(launch(text, 1, 1, nullptr, 12));

  int *x = nullptr, host[100] = {}, total = 0, scale = 3;
  MUST(cudaMalloc(reinterpret_cast<void**>(&x), sizeof host));
  MUST(launch(fill, 1, 64, nullptr, x, 100, 0));
  MUST(launch(sum, 1, 64, nullptr, static_cast<const int*>(x), 100));
  MUST(cudaMemcpyFromSymbol(&total, &total_on_host, sizeof total, 0, kToHost));
  MUST(cudaMemcpyToSymbol(&scale_on_host, &scale, sizeof scale, 0, kToDevice));
  MUST(launch(scaled, 1, 32, nullptr, x));
  MUST(cudaMemcpy(host, x, sizeof host, kToHost));
  std::printf("sum %d, %d %d\n", total, host[1], host[32] == 32 ? 5 : 0);

  char *rows = nullptr, back[35] = {};
  std::size_t pitch = 0;
  MUST(cudaMallocPitch(reinterpret_cast<void**>(&rows), &pitch, 7, 5));
  MUST(cudaMemset2D(rows, pitch, 1, 7, 5));
  MUST(launch(mark, 1, 32, nullptr, rows, std::uint64_t{pitch}, 7, 5));
  MUST(cudaMemcpy2D(back, 7, rows, pitch, 7, 5, kToHost));
  std::printf("rows %d %d %d\n", back[0], back[7], back[34]);

  void *stream = nullptr, *start = nullptr, *stop = nullptr;
  MUST(cudaStreamCreate(&stream));
  MUST(cudaEventCreate(&start));
  MUST(cudaEventCreate(&stop));
  MUST(cudaEventRecord(start, stream));
  MUST(launch(fill, 1, 32, stream, x, 100, 7));
  int seen = 1;
  MUST(cudaLaunchHostFunc(
      stream, [](void* data) { ++*static_cast<int*>(data); }, &seen));
  MUST(cudaEventRecord(stop, stream));
  MUST(cudaStreamSynchronize(stream));
  MUST(cudaEventSynchronize(stop));
  float ms = 0;
  MUST(cudaEventElapsedTime(&ms, start, stop));
  std::printf("callback %d\nelapsed %d\n", seen, ms > 0);

  int local = 0;
  char handle[64];
  const int no_kernel = cudaLaunchKernel(&local, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr);
  const int too_large = launch(nothing, 1, 5000, nullptr);
  const int refused = cudaIpcGetMemHandle(handle, x);
  (void)cudaGetLastError();
  std::printf("%d %d %d %d\n", no_kernel, too_large, refused, cudaGetLastError());

  int* pinned = nullptr;
  MUST(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof host));
  MUST(launch(fill, 1, 32, nullptr, pinned, 100, 5));
  MUST(cudaDeviceSynchronize());
  std::printf("mapped %d\n", pinned[3]);
  MUST(cudaFree(x));
  return 0;
}
