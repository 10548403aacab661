// Where a device has put what a program's modules and kernels name or allocate: for tools that compare or show memory of
// several devices, whose addresses differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/device.h"
#include "host/device_heap.h"

namespace heddle::host {

struct ModuleSymbol {
  enum class Kind : std::uint8_t {
    kVariable,  ///< .global or .const, defined by the module
    kFunction,  ///< a function of the module or one that it refers to; its pointer
    kShared,    ///< .shared variable of a kernel; "kernel:name"
  };
  Kind kind = Kind::kVariable;
  std::string name;           ///< unique for its kind, but for .shared variables of different scopes
  std::uint64_t address = 0;  ///< generic
  std::uint64_t bytes = 0;    ///< 0: none (functions) or unknown
};

class MemoryMap {
 public:
  virtual ~MemoryMap() = default;
  /// Variables in the order of the text, then functions and .shared variables. Functions to which nothing points and
  /// .shared variables that no instruction names may be missing. Throws base::InputError for a handle that is not loaded.
  [[nodiscard]] virtual std::vector<ModuleSymbol> symbols(ModuleHandle module) const = 0;
  /// Those that no kernel has freed, ascending by address; of a device without a heap for kernels none.
  [[nodiscard]] virtual std::vector<HeapBlock> heap_blocks() const { return {}; }
};

}  // namespace heddle::host
