// Modules loaded on a device, for those that are loaded after them: their functions and variables are what
// .extern declarations stand for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/ptx/decode/context.h"

namespace heddle::ptx {

/// Use of a module's function or variable by another module.
struct Reference {
  std::string by;    ///< name of the module that refers to it
  std::string name;  ///< of the function or variable
};

class Library {
 public:
  /// A function that some module defines and lets others see (.visible or .weak); nullptr: there is none.
  [[nodiscard]] const FunctionSymbol* find_function(const std::string& name) const;
  /// The same of a variable.
  [[nodiscard]] const VariableSymbol* find_variable(const std::string& name) const;

  [[nodiscard]] const std::vector<std::unique_ptr<ModuleContext>>& modules() const { return modules_; }
  /// A module that has been decoded; later ones find what it lets them see.
  void add(std::shared_ptr<const Module> tree, std::unique_ptr<ModuleContext> module);
  /// The first other module that declares something .extern which `module` defines.
  [[nodiscard]] std::optional<Reference> reference_to(const ModuleContext& module) const;
  /// Whether some module takes the address of a function and got this one.
  [[nodiscard]] bool has_function_address(std::uint64_t address) const;
  /// Removes a module that no other module refers to.
  void remove(const ModuleContext& module);

 private:
  std::vector<std::shared_ptr<const Module>> trees_;
  std::vector<std::unique_ptr<ModuleContext>> modules_;
};

}  // namespace heddle::ptx
