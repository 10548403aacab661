// The oracle: an independent per-thread interpreter of PTX, and of machine code (sass/), that implements the host's device
// interface. Every kernel's memory result on the GPU model is compared with it.
//
// It shares only the parser and the decoder of machine code with the GPU model. Decoding, arithmetic, atomics, conversions, memory layout and
// execution of a kernel are separate implementations, so that a mistake in either shows up as a difference.
//
// .extern functions and variables of a module refer to modules loaded before.
//
// The choices made where PTX leaves behaviour open, and the numerical contract with the model, are in
// README.md.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontend/ptx/ast.h"
#include "host/allocation.h"
#include "host/call_guard.h"
#include "host/device.h"
#include "host/device_heap.h"
#include "host/failed_launch.h"
#include "host/limits.h"
#include "host/memory_map.h"
#include "oracle/machine.h"
#include "oracle/memory.h"
#include "oracle/sass/loaded_code.h"
#include "oracle/unit.h"

namespace heddle::oracle {

class OracleDevice : public host::Device, public host::MemoryMap, public host::Limited {
 public:
  explicit OracleDevice(const Options& options = {}) : options_(options) {}

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override;
  void free(std::uint64_t address) override;
  /// Host access outside of every allocation is an InputError.
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void read(std::uint64_t address, std::span<std::byte> bytes) override;
  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override;
  host::ModuleHandle load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                  host::ModuleHandle variables_of) override;
  void set_tolerance(std::uint64_t bytes) override { allocations_.set_tolerance(bytes); }
  std::optional<std::vector<std::uint64_t>> take_written_pages() override;
  /// Stacks grow as they need, whatever the limit.
  void set_limits(const host::Limits& limits) override;
  /// The same for text that has already been parsed. A kernel that cannot be translated is refused when it is
  /// requested.
  host::ModuleHandle load_tree(ptx::Module tree, const std::string& name);
  void unload(host::ModuleHandle module) override;
  /// The kernel's name, parameters, memory needs and source; its code and registers are empty.
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override;
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override;
  [[nodiscard]] std::vector<host::ModuleSymbol> symbols(host::ModuleHandle module) const override;
  [[nodiscard]] std::vector<host::HeapBlock> heap_blocks() const override;
  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override;

  void synchronize() override;
  /// A single multiprocessor that accepts any block.
  [[nodiscard]] host::DeviceProperties properties() const override;

  /// Of the last launch.
  [[nodiscard]] std::uint64_t thread_instructions() const { return thread_instructions_; }

 private:
  struct LoadedModule {
    std::string name;
    std::vector<Program> programs;
    std::map<std::string, base::InputError> refused;  ///< kernels that could not be translated, by name
    std::unique_ptr<Unit> unit;                       ///< modules loaded later may refer to it
    std::vector<std::uint64_t> allocations;
  };
  std::uint64_t place(std::uint64_t bytes, std::uint32_t align, const std::string& name);
  host::ModuleHandle add_tree(ptx::Module tree, const std::string& name,
                              std::optional<host::ModuleHandle> variables_of);
  void link_and_translate(LoadedModule& loaded, std::optional<host::ModuleHandle> variables_of);
  /// `others`: addresses of variables that are another module's.
  void initialise(const Unit& unit, const std::set<std::uint64_t>& others);
  /// The address of the other module's variable of that name; 0: none that can be shared.
  [[nodiscard]] std::uint64_t shared_address(host::ModuleHandle of, const Unit& unit,
                                             const std::string& name) const;
  [[nodiscard]] const LoadedModule& module(host::ModuleHandle handle) const;
  [[nodiscard]] const Program& find_program(host::ModuleHandle handle, const std::string& name) const;
  void check_host_access(std::uint64_t address, std::uint64_t bytes, const char* what) const;
  host::DeviceHeap& heap_of_kernels();
  void run_program(const Program& program, const host::Launch& shape, const host::Args& args,
                   std::uint64_t workspace);
  /// After a failed run nothing can be launched.
  template <class Run>
  void noting_failure(const std::string& kernel, Run run);

  Options options_;
  mutable host::CallGuard guard_;
  host::FailedLaunch failed_;
  host::AllocationTable allocations_;
  SparseMemory memory_;
  machine_code::LoadedCode code_{memory_, allocations_};  ///< the modules that are not PTX
  std::optional<host::DeviceHeap> heap_;                ///< from the first launch on of a kernel that uses it
  std::map<host::ModuleHandle, LoadedModule> modules_;  ///< in order of loading
  host::ModuleHandle next_module_ = 0;
  std::uint64_t next_function_ = 1;
  std::uint64_t thread_instructions_ = 0;
};

}  // namespace heddle::oracle
