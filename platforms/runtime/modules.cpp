#include "runtime/modules.h"

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

/// Of an image whose length nobody knows: what a request can carry.
constexpr std::size_t kMostImageBytes = std::size_t{1} << 31;

/// Reads no byte behind the first one that differs, nor behind `length`.
bool begins_with(const void* data, std::size_t length, const void* magic) {
  constexpr std::size_t kBytes = 4;
  return length >= kBytes &&
         std::strncmp(static_cast<const char*>(data), static_cast<const char*>(magic), kBytes) == 0;
}

/// 0: it is none, or longer than `length`.
std::size_t fat_binary_bytes(const void* data, std::size_t length = kMostImageBytes) {
  FatBinaryHeader header;
  if (!begins_with(data, length, &kFatBinaryMagic) || length < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  return header.header_bytes <= length && header.bytes <= length - header.header_bytes
             ? header.header_bytes + header.bytes
             : 0;
}

/// Of an ELF file in memory: section headers are its end, or something behind them. 0: parts lie behind `length`.
std::size_t elf_bytes(const void* data, std::size_t length) {
  Elf64_Ehdr header;
  if (length < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  std::size_t end = sizeof header;
  const auto holds = [&](std::uint64_t from, std::uint64_t bytes) {
    if (from > length || bytes > length - from) return false;
    end = std::max<std::size_t>(end, from + bytes);
    return true;
  };
  if (!holds(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize) ||
      !holds(header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize) ||
      (header.e_shnum != 0 && header.e_shentsize < sizeof(Elf64_Shdr)))
    return 0;
  const auto* const bytes = static_cast<const char*>(data);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes + header.e_shoff + std::size_t{i} * header.e_shentsize, sizeof section);
    if (section.sh_type != SHT_NOBITS && !holds(section.sh_offset, section.sh_size)) return 0;
  }
  return end;
}

}  // namespace

Module* Modules::add(const FatBinaryWrapper& wrapper) {
  auto module = std::make_unique<Module>();
  module->name = std::string(program_invocation_short_name) + " (fat binary " +
                 std::to_string(modules_.size() + 1) + ")";
  const std::size_t bytes = wrapper.magic == kWrapperMagic ? fat_binary_bytes(wrapper.data) : 0;
  if (bytes != 0) module->binaries.emplace_back(wrapper.data, bytes);
  if (wrapper.version >= 2 && wrapper.linked != nullptr)
    for (const void* const* each = wrapper.linked; *each != nullptr; ++each)
      if (const std::size_t size = fat_binary_bytes(*each); size != 0)
        module->binaries.emplace_back(*each, size);
  modules_.push_back(std::move(module));
  return modules_.back().get();
}

Module* Modules::add_library(const void* code, std::optional<std::size_t> given) {
  const std::size_t length = std::min(given.value_or(kMostImageBytes), kMostImageBytes);
  std::size_t bytes = 0;
  if (begins_with(code, length, &kFatBinaryMagic)) {
    bytes = fat_binary_bytes(code, length);
  } else if (begins_with(code, length, &kWrapperMagic)) {
    if (given) return nullptr;  // pointers, which a file cannot have
    FatBinaryWrapper wrapper;
    std::memcpy(&wrapper, code, sizeof wrapper);
    return add(wrapper);
  } else {
    const auto* const text = static_cast<const char*>(code);
    bytes = begins_with(code, length, ELFMAG) ? elf_bytes(code, length) : ::strnlen(text, length);
  }
  if (bytes == 0) return nullptr;
  auto module = std::make_unique<Module>();
  module->name =
      std::string(program_invocation_short_name) + " (library " + std::to_string(modules_.size() + 1) + ")";
  const auto* const from = static_cast<const std::byte*>(code);
  module->own.assign(from, from + bytes);
  module->binaries.emplace_back(module->own.data(), bytes);
  modules_.push_back(std::move(module));
  return modules_.back().get();
}

Code Modules::load_library(Runtime& runtime, const void* code, std::optional<std::size_t> length,
                           void** library) {
  if (library == nullptr) return Code::kInvalidValue;
  Module* const module = code == nullptr ? nullptr : add_library(code, length);
  if (module == nullptr) return Code::kInvalidKernelImage;
  *library = module;
  return load(runtime, *module);
}

void Modules::add_function(Module* module, const void* host, const char* name) {
  Function function;
  function.module = module;
  function.name = name;
  functions_.insert_or_assign(host, std::move(function));
}

void Modules::add_variable(Module* module, const void* host, const char* name, std::size_t bytes,
                           void** managed) {
  Variable variable;
  variable.module = module;
  variable.name = name;
  variable.bytes = bytes;
  variable.managed = managed;
  variables_.insert_or_assign(host, std::move(variable));
}

void Modules::remove(Runtime& runtime, Module* module) {
  for (const std::uint64_t address : module->symbols) runtime.memory.forget_symbol(address);
  std::erase_if(functions_, [&](const auto& each) { return each.second.module == module; });
  std::erase_if(variables_, [&](const auto& each) { return each.second.module == module; });
  std::erase_if(kernels_, [&](const auto& each) { return each->module == module; });
  std::erase_if(modules_, [&](const auto& each) { return each.get() == module; });
}

Function* Modules::function(const void* host) {
  if (const auto found = functions_.find(host); found != functions_.end()) return &found->second;
  for (const auto& each : kernels_)
    if (each.get() == host) return each.get();
  return nullptr;
}

Variable* Modules::variable(const void* host) {
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : &found->second;
}

Function* Modules::kernel_of(Module* module, const std::string& name) {
  for (const auto& each : kernels_)
    if (each->module == module && each->name == name) return each.get();
  auto function = std::make_unique<Function>();
  function->module = module;
  function->name = name;
  kernels_.push_back(std::move(function));
  return kernels_.back().get();
}

bool Modules::holds(const Module* module) const {
  return std::any_of(modules_.begin(), modules_.end(),
                     [&](const auto& each) { return each.get() == module; });
}

Code Modules::load(Runtime& runtime, Module& module) {
  if (module.tried) return module.code;
  module.tried = true;
  if (module.binaries.empty()) return module.code = Code::kNoKernelImage;
  std::string payload;
  const auto add_number = [&](std::uint64_t number) {
    payload.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  add_number(module.binaries.size());
  for (const auto& [at, bytes] : module.binaries) add_number(bytes);
  for (const auto& [at, bytes] : module.binaries) payload.append(static_cast<const char*>(at), bytes);
  payload += module.name;
  Request request;
  request.operation = Operation::kLoad;
  const auto answer = runtime.ask(request, payload);
  module.handle = answer.reply.values[0];
  return module.code = answer.reply.code;
}

Code Modules::find(Runtime& runtime, Function& function) {
  if (function.tried) return function.code;
  if (const Code code = initialise(runtime, *function.module); code != Code::kSuccess) return code;
  function.tried = true;
  Request request;
  request.operation = Operation::kKernel;
  request.arguments[0] = function.module->handle;
  const auto answer = runtime.ask(request, function.name);
  function.code = answer.reply.code;
  if (function.code != Code::kSuccess) return function.code;
  function.kernel = answer.reply.values[0];
  std::memcpy(&function.facts, answer.data.data(), sizeof function.facts);
  function.parameters.resize(function.facts.parameters);
  if (!function.parameters.empty())
    std::memcpy(function.parameters.data(), answer.data.data() + sizeof function.facts,
                function.parameters.size() * sizeof(Parameter));
  return function.code;
}

Code Modules::find(Runtime& runtime, Variable& variable) {
  if (variable.address != 0) return Code::kSuccess;
  if (const Code code = initialise(runtime, *variable.module); code != Code::kSuccess) return code;
  Request request;
  request.operation = Operation::kSymbol;
  request.arguments[0] = variable.module->handle;
  const auto answer = runtime.ask(request, variable.name);
  if (answer.reply.code == Code::kSuccess) {
    variable.address = answer.reply.values[0];
    variable.module->symbols.insert(variable.address);
    runtime.memory.note_symbol(variable.address, variable.bytes);
  }
  return answer.reply.code;
}

Code Modules::find(Runtime& runtime, Module& module, const std::string& name, std::uint64_t& address,
                   std::uint64_t& bytes) {
  if (const Code code = initialise(runtime, module); code != Code::kSuccess) return code;
  Request request;
  request.operation = Operation::kSymbol;
  request.arguments[0] = module.handle;
  const auto answer = runtime.ask(request, name);
  if (answer.reply.code != Code::kSuccess) return answer.reply.code;
  address = answer.reply.values[0];
  bytes = answer.reply.values[1];
  module.symbols.insert(address);
  runtime.memory.note_symbol(address, bytes);
  return Code::kSuccess;
}

Code Modules::initialise(Runtime& runtime, Module& module) {
  if (module.initialised) return module.code;
  module.initialised = true;
  if (const Code code = load(runtime, module); code != Code::kSuccess) {
    // The program reads and writes managed variables all the same.
    for (auto& [host, variable] : variables_)
      if (variable.module == &module && variable.managed != nullptr && *variable.managed == nullptr)
        *variable.managed = std::calloc(1, std::max<std::size_t>(variable.bytes, 1));
    return code;
  }
  for (auto& [host, variable] : variables_) {
    if (variable.module != &module || variable.managed == nullptr) continue;
    if (const Code code = find(runtime, variable); code != Code::kSuccess) return code;
    void* const at =
        runtime.memory.mirror_symbol(runtime, variable.address, variable.bytes, *variable.managed);
    if (at == nullptr) return Code::kMemoryAllocation;
    *variable.managed = at;
  }
  return Code::kSuccess;
}

void Modules::forget() {
  for (const auto& module : modules_)
    module->tried = module->initialised = false, module->code = Code::kSuccess, module->symbols.clear();
  for (auto& [host, function] : functions_) function.tried = false;
  for (const auto& function : kernels_) function->tried = false;
  for (auto& [host, variable] : variables_) variable.address = 0;
}

}  // namespace heddle::runtime
