#include "cuda/loaded_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include "base/config.h"
#include "base/error.h"
#include "frontend/listing/listing.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/decode/context.h"
#include "frontend/ptx/decode/functions.h"
#include "frontend/ptx/decode/layout.h"
#include "host/module_bytes.h"

namespace heddle::cuda {
namespace {

/// Functions that the driver's compiler provides (CUDA C++ Programming Guide, PTX interoperability).
constexpr std::string_view kDriversOwn[] = {"vprintf", "__assertfail", "malloc", "free"};
/// Functions that are hardware of the model, and of no card. Kernels that call them are refused; their module's others run.
constexpr std::string_view kTransactions[] = {"tx_begin", "tx_commit", "tx_abort"};

template <std::size_t count>
bool is_one_of(const std::string_view (&names)[count], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// What the module only declares is nowhere on the card.
void refuse_externals(const ptx::Module& tree, const std::string& name) {
  std::set<std::string_view> defined;
  for (const ptx::Function& function : tree.functions)
    if (!function.external) defined.insert(function.name);
  for (const ptx::Function& function : tree.functions) {
    if (!function.external || defined.contains(function.name) || is_one_of(kDriversOwn, function.name) ||
        is_one_of(kTransactions, function.name))
      continue;
    throw base::InputError(
        name,
        fmt::format("function '{}' is of another module: the driver links nothing between loaded modules",
                    function.name),
        "Put both into one module, or take the GPU model or the oracle.");
  }
  for (const ptx::VariableDecl& variable : tree.variables)
    if (variable.external && variable.space != isa::StateSpace::kShared)
      throw base::InputError(
          name,
          fmt::format("variable '{}' is of another module: the driver links nothing between loaded modules",
                      variable.name),
          "Put both into one module, or take the GPU model or the oracle.");
}

/// The text with a trap in the place of each function of transactions, so that the driver finds all that the module names.
/// Lines keep their numbers.
std::string with_traps(const std::string& text) {
  static const std::regex kDeclaration(
      R"(\.extern(\s+)\.func(\s+)(tx_begin|tx_commit|tx_abort)(\s*)(\(\s*\))?(\s*);)");
  return std::regex_replace(text, kDeclaration, "$1.func$2$3$4$6() { trap; }");
}

/// The driver does not tell where functions are. A variable that the module gets has their addresses.
constexpr const char* kFunctionTable = "heddle_function_addresses";
std::string with_function_table(const std::string& text, const std::vector<std::string>& names) {
  if (names.empty()) return text;
  return fmt::format("{}\n.visible .global .align 8 .u64 {}[{}] = {{{}}};\n", text, kFunctionTable,
                     names.size(), fmt::join(names, ", "));
}
/// Those that are the module's own, each once.
std::vector<std::string> functions_with_addresses(const ptx::Module& tree) {
  std::vector<std::string> names;
  for (const std::string& name : ptx::functions_used_as_values(tree))
    if (!is_one_of(kDriversOwn, name) && !is_one_of(kTransactions, name) &&
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  return names;
}

bool has_transactions(const ptx::Module& tree) {
  return std::ranges::any_of(tree.functions, [](const ptx::Function& function) {
    return function.external && is_one_of(kTransactions, function.name);
  });
}
bool may_begin_transactions(const isa::Kernel& kernel) {
  return std::ranges::any_of(kernel.code, [](const isa::Instruction& instruction) {
    return instruction.op == isa::Opcode::kTransaction;
  });
}

/// The module as Heddle decodes it. Addresses of variables are of no interest: only code holds them.
isa::Module decode(const ptx::Module& tree) {
  std::uint64_t next = isa::kGlobalBase;
  return ptx::decode(tree, [&next](const std::string&, std::uint64_t bytes, std::uint32_t align) {
    next = (next + align - 1) / align * align;
    return std::exchange(next, next + std::max<std::uint64_t>(bytes, 1));
  });
}

/// A kernel that Heddle does not decode: the card may run it nevertheless.
isa::Kernel undecoded(const ptx::Module& tree, const ptx::Function& function) {
  isa::Kernel kernel;
  kernel.name = function.name;
  kernel.params =
      ptx::layout_params(ptx::ModuleContext{tree, {}, {}, {}, nullptr}, function, kernel.param_bytes);
  kernel.source = tree.source;
  kernel.defined_at = function.where;
  return kernel;
}

/// The first lines of the compiler's log, indented as a remedy is.
std::string log_text(const std::string& log) {
  constexpr std::size_t kMostLines = 8;
  std::string text;
  std::size_t at = 0;
  for (std::size_t line = 0; line < kMostLines && at < log.size(); ++line) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    if (end > at) text += (text.empty() ? "" : "\n  ") + log.substr(at, end - at);
    at = end + 1;
  }
  return text;
}

std::string remedy_for(Result result, const std::string& log) {
  switch (result) {
    case Result::kUnsupportedPtxVersion:
      return "The text's .version is newer than the driver: update the driver, or compile for an older one.";
    case Result::kNoBinaryForGpu:
      return "The text's .target may be newer than the card.";
    default:
      return log.empty() ? "The driver's compiler does not say why."
                         : "The driver's compiler: " + log_text(log);
  }
}

}  // namespace

Module* LoadedModules::compile(std::string text, const std::string& name) const {
  constexpr std::size_t kLogBytes = 16384;
  std::string errors(kLogBytes, '\0');
  JitOption options[] = {JitOption::kErrorLog, JitOption::kErrorLogBytes};
  void* values[] = {errors.data(), reinterpret_cast<void*>(kLogBytes)};  // sizes are passed as pointers
  text.push_back('\0');
  Module* module = nullptr;
  const Result result = driver_.load_module(&module, text.data(), std::size(options), options, values);
  if (result == Result::kSuccess) return module;
  errors.resize(errors.find('\0') == std::string::npos ? errors.size() : errors.find('\0'));
  throw base::InputError(name, "the driver does not load it: " + driver_.text(result),
                         remedy_for(result, errors));
}

host::ModuleHandle LoadedModules::load(std::span<const std::byte> bytes, const std::string& name) {
  const std::string text = host::ptx_text_of(bytes, name);
  if (listing::is_listing(text))
    throw base::InputError(name, "a listing is for the GPU model and the oracle: a card takes PTX",
                           "Give PTX text.");
  const ptx::Module tree = listing::parse_module(text, name);
  refuse_externals(tree, name);
  Loaded loaded;
  loaded.name = name;
  const std::vector<std::string> addressed = functions_with_addresses(tree);
  loaded.module =
      compile(with_function_table(has_transactions(tree) ? with_traps(text) : text, addressed), name);
  try {
    find_kernels(loaded, tree);
    find_variables(loaded, tree);
    find_functions(loaded, addressed);
  } catch (...) {
    (void)driver_.unload_module(loaded.module);
    throw;
  }
  for (const host::ModuleSymbol& variable : loaded.variables) {
    const auto declared = std::ranges::find(tree.variables, variable.name, &ptx::VariableDecl::name);
    allocations_.note(
        variable.address, variable.bytes, variable.name,
        declared->space == isa::StateSpace::kConst ? host::Owner::kConstants : host::Owner::kProgram);
  }
  modules_.emplace(next_, std::move(loaded));
  return next_++;
}

void LoadedModules::find_kernels(Loaded& loaded, const ptx::Module& tree) const {
  const isa::Module decoded = decode(tree);
  for (const ptx::Function& function : tree.functions) {
    if (!function.is_entry || function.external) continue;
    Kernel kernel;
    if (driver_.function(&kernel.function, loaded.module, function.name.c_str()) != Result::kSuccess)
      continue;
    const auto known = decoded.find(function.name);
    kernel.has_transactions = known != nullptr ? may_begin_transactions(*known) : has_transactions(tree);
    isa::Kernel facts = known != nullptr ? *known : undecoded(tree, function);
    int shared = 0;
    if (driver_.function_attribute(&shared, FunctionAttribute::kSharedBytes, kernel.function) ==
        Result::kSuccess)
      facts.static_shared_bytes = static_cast<std::uint32_t>(shared);
    int registers = 0;
    if (driver_.function_attribute(&registers, FunctionAttribute::kRegisters, kernel.function) ==
        Result::kSuccess)
      facts.registers_per_thread = static_cast<std::uint32_t>(registers);
    kernel.facts = std::make_shared<const isa::Kernel>(std::move(facts));
    loaded.kernels.emplace_back(function.name, std::move(kernel));
  }
}

void LoadedModules::find_variables(Loaded& loaded, const ptx::Module& tree) const {
  for (const ptx::VariableDecl& variable : tree.variables) {
    if (variable.space != isa::StateSpace::kGlobal && variable.space != isa::StateSpace::kConst) continue;
    Address address = 0;
    std::size_t bytes = 0;
    if (driver_.global(&address, &bytes, loaded.module, variable.name.c_str()) != Result::kSuccess) continue;
    loaded.variables.push_back({host::ModuleSymbol::Kind::kVariable, variable.name, address, bytes});
  }
}

void LoadedModules::find_functions(Loaded& loaded, const std::vector<std::string>& names) const {
  Address table = 0;
  std::size_t bytes = 0;
  std::vector<std::uint64_t> addresses(names.size());
  if (names.empty() || driver_.global(&table, &bytes, loaded.module, kFunctionTable) != Result::kSuccess ||
      driver_.copy_out(addresses.data(), table, std::min(bytes, names.size() * sizeof(std::uint64_t))) !=
          Result::kSuccess)
    return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (addresses[i] != 0)  // 0: left out, since no kernel can come to it
      loaded.functions.push_back({host::ModuleSymbol::Kind::kFunction, names[i], addresses[i], 0});
}

void LoadedModules::unload(host::ModuleHandle handle) {
  const Loaded& loaded = find(handle);
  (void)driver_.unload_module(loaded.module);  // fails only with the context
  for (const host::ModuleSymbol& variable : loaded.variables) allocations_.free(variable.address);
  modules_.erase(handle);
}

const LoadedModules::Loaded& LoadedModules::find(host::ModuleHandle handle) const {
  const auto found = modules_.find(handle);
  if (found != modules_.end()) return found->second;
  if (handle < next_)
    throw base::InputError("host", fmt::format("module number {} has been unloaded", handle),
                           "Load it again: that gives a new handle.");
  throw base::InputError("host", fmt::format("there is no module number {}", handle),
                         "Pass what load_module() returned.");
}

const LoadedModules::Kernel& LoadedModules::kernel(host::ModuleHandle handle, const std::string& name) const {
  const Loaded& loaded = find(handle);
  std::vector<std::string> names;
  for (const auto& [known, kernel] : loaded.kernels) {
    if (known == name && kernel.has_transactions)
      throw base::InputError(loaded.name,
                             fmt::format("kernel '{}' has transactions, which no card has", name),
                             "The GPU model executes them (tm.enabled), and the oracle.");
    if (known == name) return kernel;
    names.push_back(known);
  }
  const auto near = base::nearest_name(name, names);
  throw base::InputError(
      loaded.name,
      fmt::format("there is no kernel '{}'{}", name, near ? fmt::format("; did you mean '{}'?", *near) : ""),
      names.empty() ? "The module has no kernels."
                    : fmt::format("Kernels in this module: {}", fmt::join(names, ", ")));
}

std::uint64_t LoadedModules::symbol(host::ModuleHandle handle, const std::string& name) const {
  const Loaded& loaded = find(handle);
  for (const host::ModuleSymbol& variable : loaded.variables)
    if (variable.name == name) return variable.address;
  throw base::InputError(loaded.name, fmt::format("there is no module-scope variable '{}' on the card", name),
                         "The driver's compiler leaves out variables that no kernel uses.");
}

std::vector<host::ModuleSymbol> LoadedModules::symbols(host::ModuleHandle handle) const {
  const Loaded& loaded = find(handle);
  std::vector<host::ModuleSymbol> all = loaded.variables;
  all.insert(all.end(), loaded.functions.begin(), loaded.functions.end());
  return all;
}

void LoadedModules::refuse_to_free(std::uint64_t address) const {
  for (const auto& [handle, loaded] : modules_)
    for (const host::ModuleSymbol& variable : loaded.variables)
      if (variable.address == address)
        throw base::InputError(
            "free",
            fmt::format("0x{:x} is the address of variable '{}' of module {}, not of a buffer", address,
                        variable.name, loaded.name),
            "Free what allocate() returned; unload() frees what a module defines.");
}

}  // namespace heddle::cuda
