// A loaded module, and what its names stand for in it: its own functions and variables, and for .extern
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

/// A function as calls find it.
struct Definition {
  const Unit* unit = nullptr;  ///< whose names its body uses
  const ptx::Function* function = nullptr;
  std::uint64_t address = 0;  ///< what a pointer to it holds: one for a definition, whoever asks
};

struct Unit {
  ptx::Module tree;
  std::vector<const Unit*> before;              ///< modules loaded earlier, the first one first
  ModuleSymbols symbols;                        ///< .global and .const variables, and functions
  std::map<std::string, Definition> functions;  ///< what a call may name
  std::vector<Definition> pointed;              ///< functions whose address the module takes
};

/// Parameters, or results, are passed in the same way.
[[nodiscard]] bool alike(const std::vector<ptx::ParamDecl>& a, const std::vector<ptx::ParamDecl>& b);

/// Bytes for a variable of the module, at a multiple of the alignment.
using PlaceVariable =
    std::function<std::uint64_t(const std::string& name, std::uint64_t bytes, std::uint32_t align)>;

/// Gives everything that the unit's tree defines its address and links what it declares .extern. Names that
/// no module defines stay unknown: only their use is an error. `next_function`: number of the next function
/// on this device. Throws base::InputError: a name defined twice, a variable without a size, a function
/// declared otherwise than it is defined.
void link(Unit& unit, std::uint64_t& next_function, const PlaceVariable& place);

/// A function or variable of `definer` that `user`, another unit, declares .extern; empty: there is none.
[[nodiscard]] std::string use_of(const Unit& user, const Unit& definer);

/// Translates an entry function of the unit and what it may call. Throws base::InputError naming what is not
/// supported, at its place.
[[nodiscard]] Program translate(const Unit& unit, const ptx::Function& kernel);

}  // namespace heddle::oracle
