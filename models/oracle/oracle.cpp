#include "oracle/oracle.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/listing/listing.h"
#include "frontend/sass/module_image.h"
#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/kernel_names.h"

namespace heddle::oracle {

namespace {

using host::kAllocationAlignment;

std::uint64_t element_bits(const ptx::Module& module, const ptx::VariableDecl& variable,
                           const ptx::Initialiser& initialiser, const ModuleSymbols& symbols) {
  if (const auto* integer = std::get_if<ptx::IntegerLiteral>(&initialiser.value)) return integer->bits;
  if (const auto* literal = std::get_if<ptx::FloatLiteral>(&initialiser.value)) {
    if (variable.type == Type::kF64 && literal->width == 32)
      return bits_of(static_cast<double>(value_of<float>(literal->bits)));
    if (variable.type == Type::kF32 && literal->width == 64)
      return bits_of(static_cast<float>(literal->value));
    return literal->bits;
  }
  const auto& name = std::get<ptx::SymbolName>(initialiser.value);
  const auto found = symbols.find(name.name);
  if (found == symbols.end())
    throw base::InputError(place_of(module, variable.where), "'" + variable.name + "' is initialised with '" +
                                                                 name.name + "', which is not declared");
  // 0xFF00(symbol) stands for that byte of the address.
  const std::uint64_t address = found->second.value + static_cast<std::uint64_t>(name.offset);
  return name.mask == 0 ? 0 : (address & name.mask) >> std::countr_zero(name.mask);
}

/// The address of a .global or .const variable that the module itself defines; nullptr: it is something else.
const Symbol* defined_variable(const Unit& unit, const ptx::VariableDecl& variable) {
  const bool on_device = variable.space == StateSpace::kGlobal || variable.space == StateSpace::kConst;
  return on_device && !variable.external && variable.opaque.empty() ? &unit.symbols.at(variable.name)
                                                                    : nullptr;
}

std::vector<std::byte> initial_bytes(const ptx::Module& module, const ptx::VariableDecl& variable,
                                     std::uint64_t bytes, const ModuleSymbols& symbols) {
  const unsigned size = isa::type_bytes(variable.type);
  if (variable.initial.size() * size > bytes)
    throw base::InputError(place_of(module, variable.where),
                           "'" + variable.name + "' has more initial values than elements");
  std::vector<std::byte> image(variable.initial.size() * size);  // the rest is zero already
  for (std::size_t i = 0; i < variable.initial.size(); ++i) {
    const std::uint64_t bits = element_bits(module, variable, variable.initial[i], symbols);
    std::memcpy(image.data() + i * size, &bits, std::min<std::size_t>(size, sizeof bits));
  }
  return image;
}

}  // namespace

std::uint64_t OracleDevice::allocate(std::uint64_t bytes, const std::string& name) {
  const auto call = guard_.enter("allocate");
  return place(bytes, kAllocationAlignment, name);
}

/// Zero-filled: the memory may have been used and freed before. Aligned as on the GPU model, so that programs find their
/// variables at the same addresses.
std::uint64_t OracleDevice::place(std::uint64_t bytes, std::uint32_t align, const std::string& name) {
  const std::uint64_t address = allocations_.allocate(bytes, std::max(align, kAllocationAlignment), name);
  memory_.clear(address, bytes);
  return address;
}

void OracleDevice::free(std::uint64_t address) {
  const auto call = guard_.enter("free");
  if (const std::string owner = code_.owner_of(address); !owner.empty())
    throw base::InputError("free", fmt::format("{:#x} is memory of module {}, not a buffer", address, owner),
                           "Free what allocate() returned; unload() frees what a module defines.");
  for (const auto& [handle, loaded] : modules_)
    for (const ptx::VariableDecl& variable : loaded.unit->tree.variables)
      if (const Symbol* symbol = defined_variable(*loaded.unit, variable); symbol && symbol->value == address)
        throw base::InputError(
            "free",
            fmt::format("{:#x} is the address of variable '{}' of module {}, not of a buffer", address,
                        variable.name, loaded.name),
            "Free what allocate() returned; unload() frees what a module defines.");
  allocations_.free(address);
}

void OracleDevice::check_host_access(std::uint64_t address, std::uint64_t bytes, const char* what) const {
  if (bytes != 0 && !allocations_.allows(host::Access::kHost, address, bytes))
    throw base::InputError("", fmt::format("host {} of {} bytes at {:#x}: {}", what, bytes, address,
                                           allocations_.describe_refused(address)));
}

void OracleDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
  const auto call = guard_.enter("write");
  check_host_access(address, bytes.size(), "write");
  memory_.write(address, bytes);
}

void OracleDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
  const auto call = guard_.enter("read");
  check_host_access(address, bytes.size(), "read");
  memory_.read(address, bytes);
}

host::ModuleHandle OracleDevice::load_module(std::span<const std::byte> bytes, const std::string& name) {
  if (!sass::is_machine_code(bytes))
    return load_tree(listing::parse_module(host::ptx_text_of(bytes, name), name), name);
  const auto call = guard_.enter("load");
  code_.load(next_module_, bytes, name);
  return next_module_++;
}

/// Initial values may be addresses of anything in the module, so everything is allocated before.
void OracleDevice::initialise(const Unit& unit, const std::set<std::uint64_t>& others) {
  for (const ptx::VariableDecl& variable : unit.tree.variables) {
    const Symbol* symbol = defined_variable(unit, variable);
    if (symbol == nullptr || others.contains(symbol->value)) continue;
    if (variable.space == StateSpace::kConst) allocations_.set_owner(symbol->value, host::Owner::kConstants);
    memory_.write(symbol->value, initial_bytes(unit.tree, variable, symbol->bytes, unit.symbols));
  }
}

std::uint64_t OracleDevice::shared_address(host::ModuleHandle of, const Unit& unit,
                                           const std::string& name) const {
  for (const ptx::VariableDecl& variable : unit.tree.variables) {
    if (variable.name != name) continue;
    for (const ptx::Initialiser& initial : variable.initial)
      if (const auto* symbol = std::get_if<ptx::SymbolName>(&initial.value))
        for (const ptx::Function& function : unit.tree.functions)
          if (function.name == symbol->name) return 0;  // another address than in the other code
  }
  try {
    if (code_.holds(of)) return code_.symbol(of, name);
    const auto found = module(of).unit->symbols.find(name);
    return found == module(of).unit->symbols.end() ? 0 : found->second.value;
  } catch (const base::InputError&) {
    return 0;
  }
}

void OracleDevice::link_and_translate(LoadedModule& loaded, std::optional<host::ModuleHandle> variables_of) {
  Unit& unit = *loaded.unit;
  for (const auto& [handle, earlier] : modules_) unit.before.push_back(earlier.unit.get());
  std::set<std::uint64_t> others;
  link(unit, next_function_, [&](const std::string& variable, std::uint64_t bytes, std::uint32_t align) {
    if (const std::uint64_t other = variables_of ? shared_address(*variables_of, unit, variable) : 0;
        other != 0)
      return *others.insert(other).first;
    return loaded.allocations.emplace_back(place(bytes, align, variable));
  });
  initialise(unit, others);
  for (const ptx::Function& function : unit.tree.functions)
    if (function.is_entry && !function.external) {
      try {
        loaded.programs.push_back(translate(unit, function));
      } catch (const base::InputError& why) {
        loaded.refused.emplace(function.name, why);
      }
    }
}

host::ModuleHandle OracleDevice::load_tree(ptx::Module tree, const std::string& name) {
  return add_tree(std::move(tree), name, std::nullopt);
}

host::ModuleHandle OracleDevice::load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                              host::ModuleHandle variables_of) {
  return add_tree(listing::parse_module(host::ptx_text_of(bytes, name), name), name, variables_of);
}

host::ModuleHandle OracleDevice::add_tree(ptx::Module tree, const std::string& name,
                                          std::optional<host::ModuleHandle> variables_of) {
  const auto call = guard_.enter("load");
  LoadedModule loaded;
  loaded.name = name;
  loaded.unit = std::make_unique<Unit>();
  loaded.unit->tree = std::move(tree);
  try {
    link_and_translate(loaded, variables_of);
  } catch (...) {
    for (const std::uint64_t address : loaded.allocations) allocations_.free(address);
    throw;
  }
  modules_.emplace(next_module_, std::move(loaded));
  return next_module_++;
}

void OracleDevice::unload(host::ModuleHandle handle) {
  const auto call = guard_.enter("unload");
  if (code_.holds(handle)) return code_.unload(handle);
  const LoadedModule& loaded = module(handle);
  for (const auto& [other, later] : modules_)
    if (const std::string used = use_of(*later.unit, *loaded.unit); other != handle && !used.empty())
      throw base::InputError(loaded.name,
                             "cannot be unloaded: module " + later.name + " refers to its '" + used + "'",
                             "Unload that module first.");
  for (const std::uint64_t address : loaded.allocations) allocations_.free(address);
  for (auto& [other, later] : modules_) std::erase(later.unit->before, loaded.unit.get());
  modules_.erase(handle);
}

const OracleDevice::LoadedModule& OracleDevice::module(host::ModuleHandle handle) const {
  const auto found = modules_.find(handle);
  if (found != modules_.end()) return found->second;
  if (handle < next_module_)
    throw base::InputError("host", fmt::format("module number {} has been unloaded", handle),
                           "Load it again: that gives a new handle.");
  throw base::InputError("host", fmt::format("there is no module number {}", handle),
                         "Pass what load_module() returned.");
}

const Program& OracleDevice::find_program(host::ModuleHandle handle, const std::string& name) const {
  const LoadedModule& loaded = module(handle);
  std::vector<std::string> known;
  for (const Program& program : loaded.programs) {
    if (program.kernel->name == name) return program;
    known.push_back(program.kernel->name);
  }
  no_such_kernel(loaded.name, name, known, loaded.refused);
}

std::shared_ptr<const isa::Kernel> OracleDevice::kernel(host::ModuleHandle handle, const std::string& name) {
  const auto call = guard_.enter("kernel");
  if (code_.holds(handle)) return code_.kernel(handle, name).kernel;
  return find_program(handle, name).kernel;
}

std::uint64_t OracleDevice::symbol(host::ModuleHandle handle, const std::string& name) {
  const auto call = guard_.enter("symbol");
  if (code_.holds(handle)) return code_.symbol(handle, name);
  const LoadedModule& loaded = module(handle);
  const ModuleSymbols& symbols = loaded.unit->symbols;
  const auto found = symbols.find(name);
  if (found == symbols.end() || found->second.space == StateSpace::kNone) no_such_variable(loaded.name, name);
  return found->second.value;
}

std::vector<host::ModuleSymbol> OracleDevice::symbols(host::ModuleHandle handle) const {
  using Is = host::ModuleSymbol::Kind;
  const auto call = guard_.look("symbols");
  if (code_.holds(handle)) return code_.symbols(handle);
  const LoadedModule& loaded = module(handle);
  const Unit& unit = *loaded.unit;
  std::vector<host::ModuleSymbol> all;
  for (const ptx::VariableDecl& variable : unit.tree.variables)
    if (const Symbol* symbol = defined_variable(unit, variable))
      all.push_back({Is::kVariable, variable.name, symbol->value, symbol->bytes});
  for (const auto& [name, definition] : unit.functions)
    all.push_back({Is::kFunction, name, definition.address, 0});
  for (const Program& program : loaded.programs)
    for (const SharedVariable& shared : program.shared)
      all.push_back({Is::kShared, program.kernel->name + ":" + shared.name,
                     isa::kSharedWindowBase + shared.offset, shared.bytes});
  return all;
}

std::vector<host::HeapBlock> OracleDevice::heap_blocks() const {
  const auto call = guard_.look("heap_blocks");
  return heap_ ? heap_->blocks() : std::vector<host::HeapBlock>{};
}

host::DeviceProperties OracleDevice::properties() const {
  host::DeviceProperties properties;
  properties.name = "oracle";
  properties.shared_bytes_per_block = isa::kSharedWindowBytes;
  return properties;
}

namespace {

/// An allocation that ends with the launch; address 0: none.
struct OwnMemory {
  OwnMemory(host::AllocationTable& in, std::uint64_t at) : allocations(in), address(at) {}
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  ~OwnMemory() {
    if (address != 0) allocations.free(address);
  }
  host::AllocationTable& allocations;
  std::uint64_t address;
};

}  // namespace

template <class Run>
void OracleDevice::noting_failure(const std::string& kernel, Run run) {
  try {
    run();
  } catch (const base::InputError&) {
    throw;  // nothing has run
  } catch (...) {
    failed_.note(kernel, std::current_exception());
    throw;
  }
}

void OracleDevice::launch(host::ModuleHandle handle, const std::string& name, const host::Launch& shape,
                          const host::Args& args) {
  const auto call = guard_.enter("launch");
  failed_.check();
  const Program* program = nullptr;
  if (!code_.holds(handle)) {
    program = &find_program(handle, name);
    host::check_launch(*program->kernel, shape, host::kMaxThreadsPerCta, isa::kSharedWindowBytes);
  } else if (options_.tap != nullptr) {
    throw base::InputError("launch of kernel " + name, "instructions of threads are recorded of PTX only",
                           "Load the module's PTX.");
  }
  const OwnMemory workspace(
      allocations_,
      shape.cooperative ? place(isa::kGridWorkspaceBytes, 256, "grid workspace of " + name) : 0);
  if (shape.cooperative) {
    const std::uint32_t size = isa::kGridWorkspaceBytes;
    memory_.write(workspace.address, std::as_bytes(std::span(&size, 1)));
  }
  if (program != nullptr) return run_program(*program, shape, args, workspace.address);
  host::DeviceHeap* const heap = code_.kernel(handle, name).calls_driver ? &heap_of_kernels() : nullptr;
  noting_failure(name, [&] {
    thread_instructions_ = code_.launch(handle, name, shape, args, options_, workspace.address, heap);
  });
}

std::optional<std::vector<std::uint64_t>> OracleDevice::take_written_pages() {
  const auto call = guard_.enter("take_written_pages");
  std::vector<std::uint64_t> pages;
  memory_.written.take(pages);
  return pages;
}

void OracleDevice::set_limits(const host::Limits& limits) {
  const auto call = guard_.enter("set_limits");
  if (heap_) host::check_heap_size(*heap_, limits.heap_bytes);
  options_.heap_bytes = limits.heap_bytes;
}

host::DeviceHeap& OracleDevice::heap_of_kernels() {
  if (!heap_) {
    heap_.emplace(place(options_.heap_bytes, 256, "device heap"), options_.heap_bytes);
    allocations_.set_heap(&*heap_);
  }
  return *heap_;
}

void OracleDevice::run_program(const Program& program, const host::Launch& shape, const host::Args& args,
                               std::uint64_t workspace) {
  const std::string& name = program.kernel->name;
  std::vector<std::byte> params = args.pack(*program.kernel);
  if (program.uses_heap) (void)heap_of_kernels();
  Machine machine(program, shape, std::move(params), memory_, allocations_, options_,
                  {workspace, heap_ ? &*heap_ : nullptr});
  if (options_.tap != nullptr) options_.tap->begin_launch(name, shape);
  noting_failure(name, [&] { machine.run(); });
  if (options_.tap != nullptr) options_.tap->end_launch();
  thread_instructions_ = machine.thread_instructions();
}

void OracleDevice::synchronize() {
  const auto call = guard_.enter("synchronize");
  failed_.check();
}

}  // namespace heddle::oracle
