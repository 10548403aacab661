// The modules on a GPU: code, variables and addresses, from loading to unloading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/ptx/decode/library.h"
#include "gpu/code_space.h"
#include "gpu/gpu_config.h"
#include "gpu/kernel_compiler.h"
#include "host/device.h"
#include "host/memory_map.h"
#include "isa/kernel.h"

namespace heddle::gpu {

/// The device memory operations that modules need.
struct ModuleMemory {
  /// The device's own: nobody may access it.
  std::function<std::uint64_t(std::uint64_t bytes, std::uint32_t align, const std::string& name)> allocate;
  std::function<void(std::uint64_t address, host::Owner owner)> give;
  std::function<void(std::uint64_t address)> free;
  std::function<void(std::uint64_t address, std::span<const std::byte> bytes)> write;
};

/// Errors are base::InputErrors.
class LoadedModules {
 public:
  /// `more_passes` may add to the passes of compile_kernels(); may be empty.
  LoadedModules(const GpuConfig& config, ModuleMemory memory, MorePasses more_passes)
      : config_(config),
        memory_(std::move(memory)),
        more_passes_(std::move(more_passes)),
        library_(config.approximations == Approximations::kMufu, config.tensor()) {}

  /// PTX text, a listing, or machine code. If a module cannot be loaded, nothing of it remains.
  /// `variables_of`: Device::load_sharing().
  [[nodiscard]] host::ModuleHandle load(std::span<const std::byte> bytes, const std::string& name,
                                        std::optional<host::ModuleHandle> variables_of = std::nullopt);
  void unload(host::ModuleHandle handle);

  [[nodiscard]] const isa::Module& at(host::ModuleHandle handle) const { return find(handle).module; }
  [[nodiscard]] std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle handle,
                                                          const std::string& name) const;
  /// The kernel for CTAs of so many warps: where a core has not the registers for one, as a compiler makes it that knows
  /// the block's size (compiler/spill_registers.h).
  [[nodiscard]] std::shared_ptr<const isa::Kernel> kernel_for(host::ModuleHandle handle,
                                                              const std::string& name, std::uint64_t warps);
  /// What kernel_for() has made of the module's kernels.
  [[nodiscard]] std::vector<std::shared_ptr<const isa::Kernel>> spilled(host::ModuleHandle handle) const;
  /// Address of a module-scope variable.
  [[nodiscard]] std::uint64_t symbol(host::ModuleHandle handle, const std::string& name) const;
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle handle) const;
  /// Throws if the address is that of a module's variable or function: these go with their module.
  void refuse_to_free(std::uint64_t address) const;
  /// Equal modules have equal digests.
  [[nodiscard]] std::uint64_t digest(host::ModuleHandle handle) const { return find(handle).digest; }
  [[nodiscard]] std::uint64_t code_address(const isa::Kernel& kernel) {
    return code_.address(kernel, config_.core.l1i.instruction_bytes);
  }
  /// Releases the kernel's code address.
  void free_code(const isa::Kernel& kernel) { code_.free(kernel); }
  /// Counts the kernels whose addresses have been released.
  [[nodiscard]] std::uint64_t code_frees() const { return code_.frees(); }
  /// All code lies below this address.
  [[nodiscard]] std::uint64_t code_end() const { return code_.end(); }

 private:
  struct Loaded {
    isa::Module module;
    const ptx::ModuleContext* context = nullptr;  ///< in the library; machine code is not in it
    std::vector<std::uint64_t> allocations;       ///< variables, function addresses, constant banks
    std::uint64_t digest = 0;
    isa::Module decoded;                      ///< before compile_kernels(); empty of machine code
    std::shared_ptr<const ptx::Module> tree;  ///< likewise
    std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const isa::Kernel>>
        spilled;  ///< by name and registers per thread
  };

  [[nodiscard]] const Loaded& find(host::ModuleHandle handle) const;
  void decode(Loaded& loaded, const std::string& text, const std::string& name, const Loaded* variables_of);
  void decode_machine_code(Loaded& loaded, std::span<const std::byte> bytes, const std::string& name);
  /// Device memory that is freed with the module.
  std::uint64_t allocate(Loaded& loaded, const std::string& name, std::uint64_t bytes, std::uint32_t align);
  [[nodiscard]] bool may_be_called(std::uint64_t address) const;
  void free_orphans();

  const GpuConfig& config_;
  ModuleMemory memory_;
  MorePasses more_passes_;
  ptx::Library library_;  ///< functions and variables that modules loaded later may refer to
  std::map<host::ModuleHandle, Loaded> modules_;
  host::ModuleHandle next_ = 0;
  CodeSpace code_;
  /// Function addresses of unloaded modules that loaded modules still refer to: must not be reused.
  std::vector<std::uint64_t> orphans_;
};

}  // namespace heddle::gpu
