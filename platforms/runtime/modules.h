// What the program has registered or loaded: fat binaries, and in them kernels and variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/abi.h"

namespace heddle::runtime {

class Runtime;

/// Loaded when one of its kernels or variables is needed first.
struct Module {
  std::string name;  ///< for messages
  std::vector<std::pair<const void*, std::size_t>>
      binaries;                ///< the fat binary, then those of linked objects
  std::vector<std::byte> own;  ///< of a library that the program has loaded
  bool tried = false, initialised = false;
  Code code = Code::kSuccess;
  std::uint64_t handle = 0;
  std::set<std::uint64_t> symbols;  ///< addresses of variables that the program knows
};

struct Function {
  Module* module = nullptr;
  std::string name;
  bool tried = false;
  Code code = Code::kSuccess;
  std::uint64_t kernel = 0;
  KernelFacts facts;
  std::vector<Parameter> parameters;
  int max_dynamic_shared_bytes = -1;  ///< cudaFuncSetAttribute; -1: not set
  int carveout = -1;
};

struct Variable {
  Module* module = nullptr;
  std::string name;
  std::size_t bytes = 0;
  void** managed = nullptr;   ///< where the program has its pointer to a __managed__ variable
  std::uint64_t address = 0;  ///< 0: not known yet
};

class Modules {
 public:
  Module* add(const FatBinaryWrapper& wrapper);
  /// A fat binary, PTX text or cubin from memory, whose size its header says; what is of a known length (a file) must have all of
  /// it. kInvalidKernelImage: it is none of these.
  Code load_library(Runtime& runtime, const void* code, std::optional<std::size_t> length, void** library);
  void add_function(Module* module, const void* host, const char* name);
  void add_variable(Module* module, const void* host, const char* name, std::size_t bytes, void** managed);
  /// Its variables' addresses may be given again.
  void remove(Runtime& runtime, Module* module);

  /// The kernel that a host function stands for, or a handle of kernel_of(); nullptr: none.
  [[nodiscard]] Function* function(const void* host);
  [[nodiscard]] Variable* variable(const void* host);
  /// A kernel by name, of a library. Its address is its handle.
  Function* kernel_of(Module* module, const std::string& name);
  [[nodiscard]] bool holds(const Module* module) const;

  Code load(Runtime& runtime, Module& module);
  Code find(Runtime& runtime, Function& function);
  Code find(Runtime& runtime, Variable& variable);
  /// A variable of a library.
  Code find(Runtime& runtime, Module& module, const std::string& name, std::uint64_t& address,
            std::uint64_t& bytes);
  /// Loads modules with __managed__ variables and gives the program its pointers to them.
  Code initialise(Runtime& runtime, Module& module);
  /// The session has ended: everything is to be loaded again.
  void forget();

 private:
  /// nullptr: no image.
  Module* add_library(const void* code, std::optional<std::size_t> length);
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<const void*, Function> functions_;
  std::map<const void*, Variable> variables_;
  std::vector<std::unique_ptr<Function>> kernels_;  ///< of libraries
};

}  // namespace heddle::runtime
