#include "gpu/loaded_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "base/config.h"
#include "base/error.h"
#include "frontend/listing/listing.h"
#include "frontend/ptx/decode.h"
#include "frontend/sass/lower/lower.h"
#include "frontend/sass/module_image.h"
#include "frontend/sass/placed_module.h"
#include "host/module_bytes.h"

namespace heddle::gpu {

const LoadedModules::Loaded& LoadedModules::find(host::ModuleHandle handle) const {
  const auto found = modules_.find(handle);
  if (found != modules_.end()) return found->second;
  if (handle < next_)
    throw base::InputError("host", fmt::format("module number {} has been unloaded", handle),
                           "load it again: that gives a new handle");
  throw base::InputError("host", fmt::format("there is no module number {}", handle),
                         "pass what load_module() returned");
}

std::uint64_t LoadedModules::allocate(Loaded& loaded, const std::string& name, std::uint64_t bytes,
                                      std::uint32_t align) {
  loaded.allocations.push_back(memory_.allocate(std::max<std::uint64_t>(bytes, 1), align, name));
  return loaded.allocations.back();
}

void LoadedModules::decode_machine_code(Loaded& loaded, std::span<const std::byte> bytes,
                                        const std::string& name) {
  loaded.digest = std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const sass::PlacedModule placed = sass::place(
      sass::cubin_of(bytes, name), [&](const std::string& what, std::uint64_t size, std::uint32_t align) {
        return allocate(loaded, what, size, align);
      });
  for (const sass::PlacedBlock& block : placed.blocks) {
    memory_.give(block.address, block.constant ? host::Owner::kConstants : host::Owner::kProgram);
    if (!block.bytes.empty()) memory_.write(block.address, block.bytes);
  }
  loaded.module = sass::lower(placed, config_.tensor());
  compile_machine_code(loaded.module, config_, more_passes_);
}

namespace {

/// The address of a variable that another module has; 0: it has none, or its own holds addresses of its functions.
std::uint64_t shared_address(const isa::Module* of, const ptx::Module& tree, const std::string& name,
                             std::uint64_t bytes) {
  if (of == nullptr) return 0;
  const auto is_function = [&](const std::string& symbol) {
    return std::any_of(tree.functions.begin(), tree.functions.end(),
                       [&](const ptx::Function& function) { return function.name == symbol; });
  };
  for (const ptx::VariableDecl& variable : tree.variables) {
    if (variable.name != name) continue;
    for (const ptx::Initialiser& initial : variable.initial)
      if (const auto* symbol = std::get_if<ptx::SymbolName>(&initial.value);
          symbol != nullptr && is_function(symbol->name))
        return 0;
  }
  for (const isa::GlobalVariable& variable : of->globals)
    if (variable.name == name && variable.bytes >= bytes) return variable.address;
  return 0;
}

}  // namespace

void LoadedModules::decode(Loaded& loaded, const std::string& text, const std::string& name,
                           const Loaded* variables_of) {
  const auto tree = compile_source(text, name, config_, library_);
  loaded.digest = std::hash<std::string>{}(text);
  std::set<std::uint64_t> others;  // variables of the other module
  loaded.module = ptx::decode(
      tree,
      [&](const std::string& variable, std::uint64_t bytes, std::uint32_t align) {
        const std::uint64_t shared =
            shared_address(variables_of == nullptr ? nullptr : &variables_of->module, *tree, variable, bytes);
        if (shared != 0) others.insert(shared);
        return shared != 0 ? shared : allocate(loaded, variable, bytes, align);
      },
      library_);
  loaded.context = library_.modules().back().get();
  if (listing::is_listing(text)) listing::complete(listing::parse(text, name), loaded.module);
  loaded.decoded = loaded.module;
  loaded.decoded.globals.clear();
  loaded.tree = tree;
  compile_kernels(loaded.module, *tree, config_, more_passes_);
  // What is no variable is the address of a function, behind which there is nothing to read.
  for (const isa::GlobalVariable& variable : loaded.module.globals) {
    if (others.contains(variable.address)) continue;
    memory_.give(variable.address,
                 variable.space == isa::StateSpace::kConst ? host::Owner::kConstants : host::Owner::kProgram);
    if (!variable.initial.empty()) memory_.write(variable.address, variable.initial);
  }
}

host::ModuleHandle LoadedModules::load(std::span<const std::byte> bytes, const std::string& name,
                                       std::optional<host::ModuleHandle> variables_of) {
  const Loaded* const other = variables_of ? &find(*variables_of) : nullptr;
  Loaded loaded;
  try {
    if (sass::is_machine_code(bytes))
      decode_machine_code(loaded, bytes, name);
    else
      decode(loaded, host::ptx_text_of(bytes, name), name, other);
  } catch (...) {
    if (loaded.context != nullptr) library_.remove(*loaded.context);
    for (const std::uint64_t address : loaded.allocations) memory_.free(address);
    throw;
  }
  modules_.emplace(next_, std::move(loaded));
  return next_++;
}

void LoadedModules::unload(host::ModuleHandle handle) {
  const Loaded& loaded = find(handle);
  const auto reference = loaded.context == nullptr ? std::nullopt : library_.reference_to(*loaded.context);
  if (reference)
    throw base::InputError(
        loaded.module.source->name,
        fmt::format("cannot be unloaded: module {} refers to its '{}'", reference->by, reference->name),
        "unload that module first");
  for (const auto& kernel : loaded.module.kernels) code_.free(*kernel);
  for (const auto& kernel : spilled(handle)) code_.free(*kernel);
  orphans_.insert(orphans_.end(), loaded.allocations.begin(), loaded.allocations.end());
  if (loaded.context != nullptr) library_.remove(*loaded.context);
  modules_.erase(handle);
  free_orphans();
}

/// Kernels that call through pointers refer to functions of modules loaded earlier. A new function must not
/// get the address of a function that such a kernel may call.
bool LoadedModules::may_be_called(std::uint64_t address) const {
  if (library_.has_function_address(address)) return true;
  return std::any_of(modules_.begin(), modules_.end(), [&](const auto& entry) {
    const auto& kernels = entry.second.module.kernels;
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const auto& kernel) { return kernel->function_addresses.contains(address); });
  });
}

void LoadedModules::free_orphans() {
  std::erase_if(orphans_, [&](std::uint64_t address) {
    if (may_be_called(address)) return false;
    memory_.free(address);
    return true;
  });
}

std::shared_ptr<const isa::Kernel> LoadedModules::kernel(host::ModuleHandle handle,
                                                         const std::string& name) const {
  const isa::Module& module = at(handle);
  if (auto found = module.find_or_refuse(name)) return found;
  const std::string names = module.kernel_names();
  std::vector<std::string> candidates;
  for (const auto& each : module.kernels) candidates.push_back(each->name);
  for (const isa::RefusedKernel& each : module.refused) candidates.push_back(each.name);
  const auto near = base::nearest_name(name, candidates);
  throw base::InputError(
      module.source->name,
      fmt::format("there is no kernel '{}'{}", name, near ? fmt::format("; did you mean '{}'?", *near) : ""),
      names.empty() ? "the module has no kernels" : "kernels in this module: " + names);
}

std::shared_ptr<const isa::Kernel> LoadedModules::kernel_for(host::ModuleHandle handle,
                                                             const std::string& name, std::uint64_t warps) {
  const auto whole = kernel(handle, name);
  const core::OccupancyConfig& room = config_.core.occupancy;
  if (warps == 0 || warps > room.max_warps) return whole;
  const std::uint32_t limit = registers_for(room, warps);
  if (whole->registers_per_thread <= limit) return whole;
  const auto [made, first] = modules_.at(handle).spilled.try_emplace({name, limit}, whole);
  if (!first) return made->second;
  const Loaded& loaded = modules_.at(handle);
  isa::Module module = loaded.decoded;
  std::erase_if(module.kernels, [&](const auto& each) { return each->name != name; });
  if (module.kernels.empty() || loaded.tree == nullptr) return whole;
  compile_kernels(module, *loaded.tree, config_, more_passes_, limit);
  // Otherwise the launch is refused, for what the kernel's own code needs.
  if (!module.kernels.empty() && module.kernels.front()->registers_per_thread <= limit)
    made->second = module.kernels.front();
  return made->second;
}

std::vector<std::shared_ptr<const isa::Kernel>> LoadedModules::spilled(host::ModuleHandle handle) const {
  std::vector<std::shared_ptr<const isa::Kernel>> all;
  for (const auto& [key, kernel] : find(handle).spilled) all.push_back(kernel);
  return all;
}

std::uint64_t LoadedModules::symbol(host::ModuleHandle handle, const std::string& name) const {
  const isa::Module& module = at(handle);
  for (const isa::GlobalVariable& variable : module.globals)
    if (variable.name == name) return variable.address;
  throw base::InputError(module.source->name, fmt::format("there is no module-scope variable '{}'", name));
}

std::vector<host::ModuleSymbol> LoadedModules::symbols(host::ModuleHandle handle) const {
  using Kind = host::ModuleSymbol::Kind;
  const Loaded& loaded = find(handle);
  std::vector<host::ModuleSymbol> all;
  for (const isa::GlobalVariable& variable : loaded.module.globals)
    all.push_back({Kind::kVariable, variable.name, variable.address, variable.bytes});
  std::map<std::string, std::uint64_t> functions;
  if (loaded.context != nullptr)
    for (const auto& [name, function] : loaded.context->functions)
      if (function.address != 0) functions.emplace(name, function.address);
  for (const auto& [name, address] : functions) all.push_back({Kind::kFunction, name, address, 0});
  for (const auto& kernel : loaded.module.kernels) {
    std::set<std::pair<std::string, std::uint64_t>> shared;
    for (const isa::VariableUse& use : kernel->variable_uses)
      if (use.space == isa::StateSpace::kShared) shared.emplace(use.name, use.start);
    for (const auto& [name, start] : shared)
      all.push_back({Kind::kShared, kernel->name + ":" + name, isa::kSharedWindowBase + start, 0});
  }
  return all;
}

void LoadedModules::refuse_to_free(std::uint64_t address) const {
  for (const auto& [handle, loaded] : modules_) {
    if (std::find(loaded.allocations.begin(), loaded.allocations.end(), address) == loaded.allocations.end())
      continue;
    const auto& globals = loaded.module.globals;
    const auto variable =
        std::find_if(globals.begin(), globals.end(),
                     [&](const isa::GlobalVariable& global) { return global.address == address; });
    throw base::InputError(
        "free",
        fmt::format("0x{:x} is the address of {} of module {}, not of a buffer", address,
                    variable == globals.end() ? "a function" : "variable '" + variable->name + "'",
                    loaded.module.source->name),
        "free what allocate() returned; unload() frees what a module defines");
  }
}

}  // namespace heddle::gpu
