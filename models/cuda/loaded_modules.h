// The modules of a card: what the driver has of them, and what it does not tell (parameters of kernels, names of variables),
// from Heddle's parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda/driver.h"
#include "frontend/ptx/ast.h"
#include "host/allocation.h"
#include "host/device.h"
#include "host/memory_map.h"
#include "isa/kernel.h"

namespace heddle::cuda {

class LoadedModules {
 public:
  struct Kernel {
    Function* function = nullptr;
    std::shared_ptr<const isa::Kernel> facts;
    bool has_transactions = false;  ///< it is refused
  };

  LoadedModules(const Driver& driver, host::AllocationTable& allocations)
      : driver_(driver), allocations_(allocations) {}

  /// Throws base::InputError for what the parser or the driver's compiler refuses, with the latter's log.
  [[nodiscard]] host::ModuleHandle load(std::span<const std::byte> bytes, const std::string& name);
  void unload(host::ModuleHandle handle);
  [[nodiscard]] const Kernel& kernel(host::ModuleHandle handle, const std::string& name) const;
  [[nodiscard]] std::uint64_t symbol(host::ModuleHandle handle, const std::string& name) const;
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle handle) const;
  /// Throws if the address is that of a module's variable: these go with their module.
  void refuse_to_free(std::uint64_t address) const;

 private:
  struct Loaded {
    std::string name;
    Module* module = nullptr;
    std::vector<std::pair<std::string, Kernel>> kernels;  ///< in the order of the text
    std::vector<host::ModuleSymbol> variables;
    std::vector<host::ModuleSymbol> functions;  ///< whose addresses the module takes
  };
  [[nodiscard]] const Loaded& find(host::ModuleHandle handle) const;
  [[nodiscard]] Module* compile(std::string text, const std::string& name) const;
  void find_kernels(Loaded& loaded, const ptx::Module& tree) const;
  void find_variables(Loaded& loaded, const ptx::Module& tree) const;
  void find_functions(Loaded& loaded, const std::vector<std::string>& names) const;

  const Driver& driver_;
  host::AllocationTable& allocations_;
  std::map<host::ModuleHandle, Loaded> modules_;
  host::ModuleHandle next_ = 0;
};

}  // namespace heddle::cuda
