// A loaded module and the resolution of its names: its own functions and variables, and for .extern
// declarations those of modules loaded before (PTX ISA, "Linking Directives").
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontend/ptx/ast.h"
#include "oracle/names.h"

namespace heddle::oracle {

struct Unit;

/// A function as seen by calls.
struct Definition {
  const Unit* unit = nullptr;  ///< the unit whose names its body uses
  const ptx::Function* function = nullptr;
  std::uint64_t address = 0;  ///< the value of a pointer to it: one per definition, the same for all units
};

struct Unit {
  ptx::Module tree;
  std::vector<const Unit*> before;              ///< modules loaded earlier, oldest first
  ModuleSymbols symbols;                        ///< .global and .const variables, and functions
  std::map<std::string, Definition> functions;  ///< functions that a call may name
  std::vector<Definition> pointed;              ///< functions whose address the module takes
};

/// Whether parameters, or results, are passed in the same way.
[[nodiscard]] bool alike(const std::vector<ptx::ParamDecl>& a, const std::vector<ptx::ParamDecl>& b);

/// Allocates bytes for a variable of the module, at a multiple of the alignment.
using PlaceVariable =
    std::function<std::uint64_t(const std::string& name, std::uint64_t bytes, std::uint32_t align)>;

/// Assigns addresses to everything that the unit's tree defines, and links what it declares .extern. Names
/// that no module defines remain unknown: only their use is an error. `next_function`: number of the next
/// function on this device. Throws base::InputError for a name defined twice, a variable without a size, or a
/// function whose declaration differs from its definition.
void link(Unit& unit, std::uint64_t& next_function, const PlaceVariable& place);

/// A function or variable of `definer` that `user`, another unit, declares .extern; empty: there is none.
[[nodiscard]] std::string use_of(const Unit& user, const Unit& definer);

/// Translates an entry function of the unit and the functions it may call. Throws base::InputError naming
/// what is not supported, with its location.
[[nodiscard]] Program translate(const Unit& unit, const ptx::Function& kernel);

}  // namespace heddle::oracle
