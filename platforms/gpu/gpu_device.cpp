#include "gpu/gpu_device.h"

#include <fmt/format.h>
#include <algorithm>
#include <atomic>
#include <systemc>
#include <utility>

#include "base/error.h"
#include "core/cta/cta_slots.h"
#include "gpu/gpu_device_impl.h"

namespace heddle::gpu {
namespace {

/// SystemC elaborates once per process; atomic, since two threads may try at the same time.
std::atomic<bool> gpu_made{false};

[[noreturn]] void refuse_second() {
  throw base::InputError("host", "this process has had a simulated GPU already",
                         "SystemC elaborates once: start a process for each GPU");
}

}  // namespace

GpuDevice::GpuDevice(const GpuConfig& config, RunOptions options) {
  config.validate();
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION || gpu_made.exchange(true)) refuse_second();
  impl_ = std::make_unique<Impl>(config, std::move(options));
  if (impl_->options.extend) {
    impl_->gpu.keep_in_order("an extension of the program");
    impl_->options.extend(impl_->gpu);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // ends elaboration: sockets can be called from here on
}

std::uint64_t GpuDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const auto call = impl_->guard.enter("allocate");
  const std::uint64_t address = impl_->memory.allocate(bytes, name, host::Owner::kProgram);
  impl_->buffers.insert(address);
  return address;
}

void GpuDevice::free(std::uint64_t address) {
  const auto call = impl_->guard.enter("free");
  impl_->modules.refuse_to_free(address);
  const auto& all = impl_->allocations.all();
  if (const auto other = all.find(address); other != all.end() && !impl_->buffers.contains(address))
    throw base::InputError("free",
                           fmt::format("0x{:x} is the address of '{}', which is the device's own memory",
                                       address, other->second.name),
                           "free what allocate() returned");
  impl_->memory.free(address);
  impl_->buffers.erase(address);
}

void GpuDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  const auto call = impl_->guard.enter("write");
  impl_->memory.copy_in(address, bytes);
}

void GpuDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  const auto call = impl_->guard.enter("read");
  impl_->memory.copy_out(address, bytes);
}

void GpuDevice::Impl::print(const std::string& text) {
  if (options.on_print)
    options.on_print(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

host::ModuleHandle GpuDevice::load_module(std::span<const std::byte> bytes, const std::string& name) {
  const auto call = impl_->guard.enter("load_module");
  return impl_->modules.load(bytes, name);
}

host::ModuleHandle GpuDevice::load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                           host::ModuleHandle variables_of) {
  const auto call = impl_->guard.enter("load_sharing");
  return impl_->modules.load(bytes, name, variables_of);
}

void GpuDevice::set_limits(const host::Limits& limits) {
  const auto call = impl_->guard.enter("set_limits");
  if (impl_->heap) host::check_heap_size(*impl_->heap, limits.heap_bytes);
  impl_->limits = limits;
}

void GpuDevice::set_tolerance(std::uint64_t bytes) { impl_->allocations.set_tolerance(bytes); }

void GpuDevice::unload(host::ModuleHandle module) {
  const auto call = impl_->guard.enter("unload");
  // A copy that outlives the unloading: forgotten afterwards if no error occurred.
  isa::Module code = impl_->modules.at(module);
  for (auto& kernel : impl_->modules.spilled(module)) code.kernels.push_back(std::move(kernel));
  impl_->modules.unload(module);
  impl_->history.unload(code);
}

std::shared_ptr<const isa::Kernel> GpuDevice::kernel(host::ModuleHandle handle, const std::string& name) {
  const auto call = impl_->guard.enter("kernel");
  return impl_->modules.kernel(handle, name);
}

std::uint64_t GpuDevice::symbol(host::ModuleHandle handle, const std::string& name) {
  const auto call = impl_->guard.enter("symbol");
  return impl_->modules.symbol(handle, name);
}

std::vector<host::ModuleSymbol> GpuDevice::symbols(host::ModuleHandle handle) const {
  const auto call = impl_->guard.look("symbols");
  return impl_->modules.symbols(handle);
}

std::vector<host::HeapBlock> GpuDevice::heap_blocks() const {
  const auto call = impl_->guard.look("heap_blocks");
  return impl_->heap ? impl_->heap->blocks() : std::vector<host::HeapBlock>{};
}

void GpuDevice::simulate_only(std::function<bool(const std::string& kernel)> chosen) {
  const auto call = impl_->guard.enter("simulate_only");
  impl_->simulates = std::move(chosen);
}

void GpuDevice::estimate(const Estimation& estimation) {
  const auto call = impl_->guard.enter("estimate");
  if (!impl_->gpu.mechanisms.empty())
    throw base::InputError("an estimate of launches",
                           "a mechanism that spans the GPU works on all CTAs of a grid",
                           "simulate every launch as a whole, or switch the mechanism off "
                           "(determinism.enabled=false, tm.enabled=false)");
  check(estimation);
  impl_->estimation = estimation;
}

void GpuDevice::launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
                       const host::Args& args) {
  const auto call = impl_->guard.enter("launch");
  impl_->launch(module, kernel, shape, args);
}

std::vector<host::LaunchInterval> GpuDevice::launch_together(std::span<const host::QueuedLaunch> launches) {
  const auto call = impl_->guard.enter("launch_together");
  return impl_->launch_together(launches);
}

void GpuDevice::synchronize() {
  const auto call = impl_->guard.enter("synchronize");
  impl_->failed.check();
}

std::uint32_t GpuDevice::resident_blocks(host::ModuleHandle module, const std::string& name,
                                         const host::Launch& shape) const {
  const auto call = impl_->guard.look("resident_blocks");
  core::LaunchContext context;
  context.kernel = impl_->modules.kernel_for(module, name, warps_of(shape));
  context.shape = shape;
  context.shared_bytes_per_cta = core::addressable_shared_bytes(*context.kernel, shape.dynamic_shared_bytes);
  context.warps_per_cta = static_cast<std::uint32_t>(warps_of(shape));
  std::string why;
  const core::CoreConfig& core = impl_->config.core;
  return core::max_resident(core::needs_of(context, core), core, why);
}

const std::vector<KernelRecord>& GpuDevice::kernels() const {
  const auto call = impl_->guard.look("kernels");
  return impl_->history.kernels();
}

const LaunchRecord& GpuDevice::last_launch() const {
  const auto call = impl_->guard.look("last_launch");
  return impl_->history.last();
}

const std::vector<LaunchRecord>& GpuDevice::launches() const {
  const auto call = impl_->guard.look("launches");
  return impl_->history.launches();
}

std::uint64_t GpuDevice::launch_count() const {
  const auto call = impl_->guard.look("launch_count");
  return impl_->history.count();
}

nlohmann::ordered_json GpuDevice::statistics(const base::StatValues& values) const {
  const auto call = impl_->guard.look("statistics");
  return impl_->gpu.stats.to_json(values);
}

void GpuDevice::forget_launches() {
  const auto call = impl_->guard.enter("forget_launches");
  impl_->history.clear();
}

std::uint64_t GpuDevice::instructions_without_time() const { return impl_->instructions_without_time; }
host::DeviceProperties GpuDevice::properties() const { return properties_of(impl_->config); }
bool GpuDevice::keeps_launches() const { return impl_->options.per_launch; }
std::optional<std::vector<std::uint64_t>> GpuDevice::take_written_pages() {
  return impl_->memory.take_written_pages();
}
GpuDevice::~GpuDevice() = default;
HostUse GpuDevice::host_use() const { return impl_->gpu.host_use(); }
const core::HazardLog& GpuDevice::hazards() const { return impl_->gpu.hazards; }
const GpuConfig& GpuDevice::config() const { return impl_->config; }
const host::AllocationTable& GpuDevice::allocations() const { return impl_->allocations; }
sim::StoreWatch& GpuDevice::store_watch() { return impl_->gpu.progress.stores; }
base::StatGroup& GpuDevice::stats() { return impl_->gpu.stats; }

}  // namespace heddle::gpu
