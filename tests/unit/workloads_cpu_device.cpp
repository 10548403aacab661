#include "workloads_cpu_device.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <tuple>
#include <utility>

#include "sim/error.h"
#include "workloads_cpu_fibers.h"

// CUDA's device language for the kernels' sources, as C++. Its names are CUDA's.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
namespace heddle::workloads::testing::cuda {

CudaIndex threadIdx, blockIdx, blockDim, gridDim;

struct alignas(16) float4 {
  float x, y, z, w;
};

template <class T>
T atomicAdd(T* p, T v) {
  return std::exchange(*p, static_cast<T>(*p + v));
}
inline int atomicExch(int* p, int v) { return std::exchange(*p, v); }
inline int atomicCAS(int* p, int expected, int desired) {
  give_way();
  const int old = *p;
  if (old == expected) *p = desired;
  return old;
}
inline void __syncthreads() { wait_for_block(); }
inline void __threadfence() { give_way(); }
inline void __threadfence_block() {}
inline float __fmaf_rn(float a, float b, float c) { return std::fmaf(a, b, c); }

#define __global__
#define __device__
#define __constant__
#define __shared__ thread_local  // static in a function, and allowed after extern
#include "workloads/atm.cu"
#include "workloads/bench.cu"
#include "workloads/bfs.cu"
#include "workloads/hashtable.cu"
#include "workloads/histogram.cu"
#include "workloads/reduction.cu"
#include "workloads/sgemm.cu"
#include "workloads/spinlock.cu"
#include "workloads/vecadd.cu"
// reduction.cu's dynamic shared memory
extern "C" {
__shared__ float partial[1024];
}
#undef __global__
#undef __device__
#undef __constant__
#undef __shared__

}  // namespace heddle::workloads::testing::cuda
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace heddle::workloads::testing {

namespace {

using Values = std::vector<std::vector<std::byte>>;

struct HostKernel {
  std::vector<std::size_t> parameter_bytes;
  std::function<std::function<void()>(const Values&)> bind;  // the body of a thread
};

// NOLINTBEGIN(bugprone-sizeof-expression): the sizes of the parameters, pointers as such
template <class... P>
HostKernel wrap(void (*kernel)(P...)) {
  return {{sizeof(P)...}, [kernel](const Values& values) -> std::function<void()> {
            std::tuple<P...> arguments;
            std::size_t i = 0;
            std::apply([&](auto&... a) { (std::memcpy(&a, values[i++].data(), sizeof(a)), ...); }, arguments);
            return [kernel, arguments] { std::apply(kernel, arguments); };
          }};
}
// NOLINTEND(bugprone-sizeof-expression)

const std::map<std::string, HostKernel>& host_kernels() {
  static const std::map<std::string, HostKernel> kernels = {
      {"vector_add", wrap(cuda::vector_add)},
      {"vector_add4", wrap(cuda::vector_add4)},
      {"sgemm_tiled", wrap(cuda::sgemm_tiled)},
      {"reduce_sum", wrap(cuda::reduce_sum)},
      {"bfs_level", wrap(cuda::bfs_level)},
      {"histogram_shared", wrap(cuda::histogram_shared)},
      {"histogram_global", wrap(cuda::histogram_global)},
      {"hash_insert", wrap(cuda::hash_insert)},
      {"bank_transfer", wrap(cuda::bank_transfer)},
      {"spin_increment", wrap(cuda::spin_increment)},
      {"vecadd", wrap(cuda::vecadd)},
      {"sgemm", wrap(cuda::sgemm)},
      {"diverge", wrap(cuda::diverge)},
  };
  return kernels;
}

const std::map<std::string, std::pair<void*, std::uint64_t>>& symbols() {
  static const std::map<std::string, std::pair<void*, std::uint64_t>> table = {
      {"bfs_changed", {&cuda::bfs_changed, sizeof(cuda::bfs_changed)}},
      {"sgemm_scale", {&cuda::sgemm_scale, sizeof(cuda::sgemm_scale)}},
  };
  return table;
}

// A device address is the buffer's address on this machine.
void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}
std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

bool CpuDevice::in_buffer(std::uint64_t address, std::uint64_t bytes) const {
  auto next = buffer_bytes_.upper_bound(address);
  if (next == buffer_bytes_.begin()) return false;
  --next;
  return address - next->first <= next->second && bytes <= next->second - (address - next->first);
}

void CpuDevice::check_access(std::uint64_t address, std::uint64_t bytes) const {
  if (in_buffer(address, bytes)) return;
  for (const auto& [name, place] : symbols())
    if (address == address_of(place.first) && bytes <= place.second) return;
  throw sim::InputError("copy", "outside of every buffer");
}

std::uint64_t CpuDevice::allocate(std::uint64_t bytes, const std::string&) {
  std::vector<std::uint64_t> words((bytes + 31) / 16 * 2, 0);
  const std::uint64_t address = (address_of(words.data()) + 15) & ~std::uint64_t{15};  // float4 needs 16
  buffers_.emplace(address, std::move(words));
  buffer_bytes_.emplace(address, bytes);
  return address;
}

void CpuDevice::free(std::uint64_t address) {
  buffers_.erase(address);
  buffer_bytes_.erase(address);
}

void CpuDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  check_access(address, bytes.size());
  std::memcpy(pointer_to(address), bytes.data(), bytes.size());
  inputs_.insert(inputs_.end(), bytes.begin(), bytes.end());
}

void CpuDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  check_access(address, bytes.size());
  std::memcpy(bytes.data(), pointer_to(address), bytes.size());
  if (!in_buffer(address, bytes.size())) return;
  if (corrupt_read == reads_) (corrupt_last_byte ? bytes.back() : bytes.front()) ^= std::byte{1};
  ++reads_;
}

host::ModuleHandle CpuDevice::load_ptx_file(const std::string& path) {
  if (!std::filesystem::exists(path)) throw sim::InputError(path, "no such file");
  modules_.push_back(path);
  return static_cast<host::ModuleHandle>(modules_.size() - 1);
}

host::ModuleHandle CpuDevice::load_ptx_text(const std::string&, const std::string& name) {
  throw sim::InputError(name, "runs files only");
}

std::shared_ptr<const isa::Kernel> CpuDevice::kernel(host::ModuleHandle, const std::string& name) {
  throw sim::InputError(name, "has no decoded kernels");
}

std::uint64_t CpuDevice::symbol(host::ModuleHandle, const std::string& name) {
  return address_of(symbols().at(name).first);
}

void CpuDevice::launch(host::ModuleHandle module, const std::string& name, const host::Launch& shape,
                       const host::Args& args) {
  const HostKernel& kernel = host_kernels().at(name);
  Launched record{modules_.at(module), name, {}};
  for (const auto& value : args.values()) record.argument_bytes.push_back(value.size());
  if (record.argument_bytes != kernel.parameter_bytes)
    throw sim::InputError(name, "arguments do not fit the source's parameters");
  launched_.insert(record);
  if (dead) return;
  const std::function<void()> thread = kernel.bind(args.values());
  cuda::gridDim = {shape.grid.x, shape.grid.y, shape.grid.z};
  cuda::blockDim = {shape.block.x, shape.block.y, shape.block.z};
  const auto select = [&](unsigned i) {
    cuda::threadIdx = {i % shape.block.x, i / shape.block.x % shape.block.y,
                       i / shape.block.x / shape.block.y};
  };
  for (unsigned z = 0; z < shape.grid.z; ++z)
    for (unsigned y = 0; y < shape.grid.y; ++y)
      for (unsigned x = 0; x < shape.grid.x; ++x) {
        cuda::blockIdx = {x, y, z};
        run_block(static_cast<unsigned>(shape.block.count()), thread, select);
      }
}

}  // namespace heddle::workloads::testing
