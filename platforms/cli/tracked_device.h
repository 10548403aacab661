// A device that records its allocations and modules, so that the memories of two devices can be compared after a run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/concurrent.h"
#include "host/device.h"
#include "host/limits.h"
#include "host/memory_map.h"

namespace heddle::cli {

class TrackedDevice : public host::Device,
                      public host::MemoryMap,
                      public host::Limited,
                      public host::Concurrent {
 public:
  struct Buffer {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::string name;
  };
  struct Module {
    host::ModuleHandle handle = 0;
    std::string name;
    bool loaded = true;
    std::vector<host::ModuleSymbol> symbols;
  };

  /// A device that is a host::MemoryMap as well.
  template <class Mapped>
  explicit TrackedDevice(Mapped& device) : device_(device), map_(device) {}

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void free(std::uint64_t address) override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override {
    device_.write(address, bytes);
  }
  void read(std::uint64_t address, std::span<std::byte> bytes) override { device_.read(address, bytes); }
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override;
  host::ModuleHandle load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                  host::ModuleHandle variables_of) override;
  void set_tolerance(std::uint64_t bytes) override { device_.set_tolerance(bytes); }
  std::optional<std::vector<std::uint64_t>> take_written_pages() override {
    return device_.take_written_pages();
  }
  void set_limits(const host::Limits& limits) override {
    dynamic_cast<host::Limited&>(device_).set_limits(limits);
  }
  std::vector<host::LaunchInterval> launch_together(std::span<const host::QueuedLaunch> launches) override {
    auto* const concurrent = dynamic_cast<host::Concurrent*>(&device_);
    return concurrent == nullptr ? std::vector<host::LaunchInterval>{}
                                 : concurrent->launch_together(launches);
  }
  void unload(host::ModuleHandle module) override;
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override {
    return device_.kernel(module, name);
  }
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override {
    return device_.symbol(module, name);
  }
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override {
    device_.launch(module, kernel, shape, args);
  }

  void synchronize() override { device_.synchronize(); }
  [[nodiscard]] host::DeviceProperties properties() const override { return device_.properties(); }

  /// Current allocations, in order of allocation.
  [[nodiscard]] const std::map<std::uint64_t, Buffer>& buffers() const { return buffers_; }
  /// Allocations that have been freed, by the same numbers: pointers to them may still be in memory.
  [[nodiscard]] const std::map<std::uint64_t, Buffer>& freed() const { return freed_; }
  /// What kernels have allocated now.
  [[nodiscard]] std::vector<host::HeapBlock> heap_blocks() const override { return map_.heap_blocks(); }
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle module) const override {
    return map_.symbols(module);
  }
  /// All modules, unloaded ones as well, in order of loading.
  [[nodiscard]] const std::vector<Module>& modules() const { return modules_; }

 private:
  host::Device& device_;
  const host::MemoryMap& map_;
  std::uint64_t count_ = 0;
  std::map<std::uint64_t, Buffer> buffers_;  ///< by order of allocation
  std::map<std::uint64_t, Buffer> freed_;
  std::vector<Module> modules_;
};

}  // namespace heddle::cli
