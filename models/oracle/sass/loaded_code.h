// The cubins that are loaded on an oracle.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/device.h"
#include "host/memory_map.h"
#include "oracle/options.h"
#include "oracle/sass/code_module.h"

namespace heddle::oracle::machine_code {

class LoadedCode {
 public:
  LoadedCode(SparseMemory& memory, host::AllocationTable& allocations)
      : memory_(memory), allocations_(allocations) {}

  [[nodiscard]] bool holds(host::ModuleHandle module) const { return modules_.contains(module); }
  /// Places and decodes; what fails leaves nothing behind.
  void load(host::ModuleHandle module, std::span<const std::byte> bytes, const std::string& name);
  void unload(host::ModuleHandle module);

  // As host::Device and host::MemoryMap have them.
  [[nodiscard]] const KernelCode& kernel(host::ModuleHandle module, const std::string& name) const;
  [[nodiscard]] std::uint64_t symbol(host::ModuleHandle module, const std::string& name) const;
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle module) const;
  /// The module that the memory at an address belongs to; empty: none.
  [[nodiscard]] std::string owner_of(std::uint64_t address) const;

  /// Runs the kernel; the answer is how many instructions its threads executed.
  std::uint64_t launch(host::ModuleHandle module, const std::string& name, const host::Launch& shape,
                       const host::Args& args, const Options& options, std::uint64_t workspace,
                       host::DeviceHeap* heap);

 private:
  /// As on the GPU model, so that memory can go from one to the other (as OracleDevice::place).
  std::uint64_t place(std::uint64_t bytes, std::uint32_t align, const std::string& what);
  void release(const std::vector<std::uint64_t>& addresses);
  struct Loaded {
    std::string name;
    CodeModule code;
    std::vector<std::uint64_t> allocations;
  };
  SparseMemory& memory_;
  host::AllocationTable& allocations_;
  std::map<host::ModuleHandle, Loaded> modules_;
};

}  // namespace heddle::oracle::machine_code
