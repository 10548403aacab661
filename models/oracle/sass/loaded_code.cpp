#include "oracle/sass/loaded_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/sass/module_image.h"
#include "oracle/kernel_names.h"
#include "oracle/sass/machine.h"

namespace heddle::oracle::machine_code {

std::uint64_t LoadedCode::place(std::uint64_t bytes, std::uint32_t align, const std::string& what) {
  const std::uint64_t address = allocations_.allocate(std::max<std::uint64_t>(bytes, 1),
                                                      std::max(align, host::kAllocationAlignment), what);
  memory_.clear(address, bytes);
  return address;
}

void LoadedCode::release(const std::vector<std::uint64_t>& addresses) {
  for (const std::uint64_t address : addresses) allocations_.free(address);
}

void LoadedCode::load(host::ModuleHandle module, std::span<const std::byte> bytes, const std::string& name) {
  Loaded loaded;
  loaded.name = name;
  try {
    loaded.code = load_code(sass::cubin_of(bytes, name),
                            [&](const std::string& what, std::uint64_t size, std::uint32_t align) {
                              return loaded.allocations.emplace_back(place(size, align, what));
                            });
    for (const sass::PlacedBlock& block : loaded.code.placed.blocks) {
      memory_.write(block.address, block.bytes);
      if (block.constant) allocations_.set_owner(block.address, host::Owner::kConstants);
    }
  } catch (...) {
    release(loaded.allocations);
    throw;
  }
  modules_.emplace(module, std::move(loaded));
}

void LoadedCode::unload(host::ModuleHandle module) {
  release(modules_.at(module).allocations);
  modules_.erase(module);
}

const KernelCode& LoadedCode::kernel(host::ModuleHandle module, const std::string& name) const {
  const Loaded& loaded = modules_.at(module);
  std::vector<std::string> known;
  for (const KernelCode& kernel : loaded.code.kernels) {
    if (kernel.name == name) return kernel;
    known.push_back(kernel.name);
  }
  no_such_kernel(loaded.name, name, known, loaded.code.refused);
}

std::uint64_t LoadedCode::symbol(host::ModuleHandle module, const std::string& name) const {
  const Loaded& loaded = modules_.at(module);
  const auto& variables = loaded.code.placed.variables;
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const auto& each) { return each.name == name; });
  if (found == variables.end()) no_such_variable(loaded.name, name);
  return found->address;
}

std::vector<host::ModuleSymbol> LoadedCode::symbols(host::ModuleHandle module) const {
  std::vector<host::ModuleSymbol> all;
  for (const isa::GlobalVariable& variable : modules_.at(module).code.placed.variables)
    all.push_back({host::ModuleSymbol::Kind::kVariable, variable.name, variable.address, variable.bytes});
  return all;
}

std::string LoadedCode::owner_of(std::uint64_t address) const {
  for (const auto& [handle, loaded] : modules_)
    if (std::find(loaded.allocations.begin(), loaded.allocations.end(), address) != loaded.allocations.end())
      return loaded.name;
  return {};
}

std::uint64_t LoadedCode::launch(host::ModuleHandle module, const std::string& name,
                                 const host::Launch& shape, const host::Args& args, const Options& options,
                                 std::uint64_t workspace, host::DeviceHeap* heap) {
  const KernelCode& code = kernel(module, name);
  host::check_launch(*code.kernel, shape, host::kMaxThreadsPerCta, isa::kSharedWindowBytes);
  CodeMachine machine(code, shape, args.pack(*code.kernel), memory_, allocations_, options, workspace, heap);
  machine.run();
  return machine.thread_instructions();
}

}  // namespace heddle::oracle::machine_code
