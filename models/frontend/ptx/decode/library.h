// Modules loaded on a device: later modules' .extern declarations refer to their functions and variables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/ptx/decode/context.h"
#include "isa/matrix.h"

namespace heddle::ptx {

/// A use of a module's function or variable by another module.
struct Reference {
  std::string by;    ///< name of the module that refers to it
  std::string name;  ///< of the function or variable
};

class Library {
 public:
  /// `mufu`: approximate functions and quotients are those of the cards' special function unit, bit by bit (isa/mufu/README.md).
  /// `tensor`: how matrix products are summed.
  explicit Library(bool mufu = false, isa::TensorNumerics tensor = {}) : mufu_(mufu), tensor_(tensor) {}
  [[nodiscard]] bool mufu() const { return mufu_; }
  [[nodiscard]] isa::TensorNumerics tensor() const { return tensor_; }

  /// A function that some module defines and exports (.visible or .weak); nullptr: there is none.
  [[nodiscard]] const FunctionSymbol* find_function(const std::string& name) const;
  /// The same for a variable.
  [[nodiscard]] const VariableSymbol* find_variable(const std::string& name) const;

  [[nodiscard]] const std::vector<std::unique_ptr<ModuleContext>>& modules() const { return modules_; }
  /// Adds a decoded module; later ones find what it exports.
  void add(std::shared_ptr<const Module> tree, std::unique_ptr<ModuleContext> module);
  /// A reference from another module to something that `module` defines: the first one found.
  [[nodiscard]] std::optional<Reference> reference_to(const ModuleContext& module) const;
  /// Whether this is the address of a function whose address some module takes.
  [[nodiscard]] bool has_function_address(std::uint64_t address) const;
  /// Removes a module that no other module refers to.
  void remove(const ModuleContext& module);

 private:
  bool mufu_;
  isa::TensorNumerics tensor_;
  std::vector<std::shared_ptr<const Module>> trees_;
  std::vector<std::unique_ptr<ModuleContext>> modules_;
};

}  // namespace heddle::ptx
