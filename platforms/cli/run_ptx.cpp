#include "cli/run_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "cli/buffer_compare.h"
#include "cli/files.h"
#include "cli/kernel_argument.h"
#include "cli/module_variables.h"
#include "cli/scalar_text.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kPrintedElements = 16;

/// A buffer of the command line or a variable of the module, as options name it.
struct Memory {
  std::string name;
  isa::Type element = isa::Type::kU8;
  std::uint64_t bytes = 0;
  bool is_variable = false;

  [[nodiscard]] const char* kind() const { return is_variable ? "the variable" : "the buffer"; }
};

struct MemoryFile {
  Memory memory;
  std::string path;
  std::string option;  ///< for messages
};

struct FileComparison {
  CompareRequest request;
  Memory memory;
  std::vector<std::byte> expected;
};

struct Print {
  Memory memory;
  std::uint64_t count;
};

host::Dim3 to_dim3(const Dimensions& d) { return {d.x, d.y, d.z}; }

/// The host program that the command line describes.
class PtxProgram {
 public:
  explicit PtxProgram(const PtxRequest& request)
      : request_(request), arguments_(parse_arguments(request.arguments, request.buffers)) {
    shape_.grid = to_dim3(parse_dimensions(request.grid, "--grid"));
    shape_.block = to_dim3(parse_dimensions(request.block, "--block"));
    shape_.dynamic_shared_bytes = request.shared_bytes;
    shape_.cooperative = request.cooperative;
    for (const std::string& text : request.dumps) dumps_.push_back(memory_file("--dump", text));
    for (const std::string& text : request.compares) {
      CompareRequest compare = parse_compare(text);
      Memory compared = memory(compare.buffer, compare.place);
      if (compare.element) compared.element = *compare.element;
      check_element(compare, compared.element, compared.bytes);
      auto expected = read_bytes(compare.path, compared.bytes, compared.kind(), compare.place);
      compares_.push_back({std::move(compare), std::move(compared), std::move(expected)});
    }
    for (const std::string& text : request.prints) prints_.push_back(print(text));
    for (const KernelArgument& argument : arguments_)
      if (argument.kind == KernelArgument::Kind::kBuffer) initial_[argument.name] = fill_bytes(argument);
  }

  workloads::Verdict run(host::Device& device) {
    const auto module = device.load_ptx_file(request_.file);
    modules_[&device] = module;
    const std::string entry = entry_name(device, module);
    addresses_[&device].clear();
    check_struct_sizes(*device.kernel(module, entry));
    host::Args args;
    for (const KernelArgument& argument : arguments_) add(device, argument, args);
    device.launch(module, entry, shape_, args);
    return verdict(device);
  }

  /// Registers the files of the command line, so that no two options may name the same one.
  void name_files(Job& job) const {
    job.reads.push_back({request_.file, (request_.machine_code ? "--cubin " : "--ptx ") + request_.file});
    for (const KernelArgument& argument : arguments_)
      if (!argument.file.empty()) job.reads.push_back({argument.file, argument.place});
    for (const FileComparison& c : compares_) job.reads.push_back({c.request.path, c.request.place});
    for (const MemoryFile& d : dumps_) job.writes.push_back({d.path, d.option});
  }

  void dump(host::Device& device, Problems& problems) const {
    for (const MemoryFile& d : dumps_)
      problems.attempt([&] { write_bytes(d.path, contents(device, d.memory), d.option); });
  }

  [[nodiscard]] std::string printed(host::Device& device) const {
    std::string all;
    for (const Print& p : prints_) {
      const auto bytes = contents(device, p.memory);
      const unsigned size = isa::type_bytes(p.memory.element);
      const std::uint64_t elements = p.memory.bytes / size;
      std::string text;
      for (std::uint64_t i = 0; i < std::min(p.count, elements); ++i)
        text += fmt::format(" {}", element_text(p.memory.element, bytes.data() + i * size));
      all += fmt::format("  {} ={}{}\n", p.memory.name, text, p.count < elements ? " ..." : "");
    }
    return all;
  }

 private:
  /// A buffer hides a variable of its name.
  Memory memory(const std::string& name, const std::string& option) {
    std::vector<std::string> buffers, variables;
    for (const KernelArgument& argument : arguments_) {
      if (argument.kind != KernelArgument::Kind::kBuffer) continue;
      if (argument.name == name) return {name, argument.element, argument.bytes, false};
      buffers.push_back(argument.name);
    }
    if (!variables_) variables_ = module_variables(request_.file);
    for (const ModuleVariable& variable : *variables_) {
      if (variable.name == name) return {name, variable.element, variable.bytes, true};
      variables.push_back(variable.name);
    }
    const auto list = [](const std::vector<std::string>& names) {
      return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
    };
    throw base::InputError(
        option, fmt::format("there is no buffer and no variable '{}'", name),
        fmt::format("buffers: {}; variables of the module: {}", list(buffers), list(variables)));
  }

  MemoryFile memory_file(const std::string& option, const std::string& text) {
    const std::string place = fmt::format("{} {}", option, text);
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size())
      throw base::InputError(place, "expected NAME=PATH", fmt::format("for example {} y=y.bin", option));
    return {memory(text.substr(0, equals), place), text.substr(equals + 1), place};
  }

  Print print(const std::string& text) {
    const std::string place = fmt::format("--print {}", text);
    const auto colon = text.find(':');
    if (colon == std::string::npos) return {memory(text, place), kPrintedElements};
    const std::string shape = text.substr(colon + 1);
    const auto cross = shape.find('x');
    const auto count = parse_number<std::uint64_t>(shape.substr(0, cross));
    if (!count)
      throw base::InputError(place, "expected NAME, NAME:COUNT or NAME:COUNTxTYPE",
                             "for example --print y:8 or --print y:8xf32");
    Print print{memory(text.substr(0, colon), place), *count};
    if (cross != std::string::npos) print.memory.element = element_type(shape.substr(cross + 1), place);
    return print;
  }

  /// For a scalar, reporting the size is enough; for a struct, the layout shows where bytes are missing.
  void check_struct_sizes(const isa::Kernel& kernel) const {
    std::size_t i = 0;
    for (const KernelArgument& argument : arguments_) {
      if (!argument.passed) continue;
      if (i == kernel.params.size()) return;  // too many arguments: the launch reports their number
      const isa::Param& param = kernel.params[i++];
      if (argument.kind != KernelArgument::Kind::kStruct || argument.value.size() == param.bytes) continue;
      throw base::InputError(
          argument.place,
          fmt::format("the struct has {} bytes{}, parameter {} ({}) of kernel {} has {}",
                      argument.value.size(),
                      argument.layout.empty() ? "" : fmt::format(" ({})", argument.layout), i, param.name,
                      kernel.name, param.bytes),
          argument.layout.empty()
              ? "give as many bytes"
              : "fields are laid out as in C, each aligned to its size; pad:N and align:N add bytes");
    }
  }

  std::string entry_name(host::Device& device, host::ModuleHandle module) const {
    if (!request_.entry.empty()) {
      (void)device.kernel(module, request_.entry);
      return request_.entry;
    }
    try {
      (void)device.kernel(module, "");
    } catch (const base::InputError& e) {
      // For an invalid name the device lists the existing ones.
      throw base::InputError("--entry", fmt::format("say which kernel of '{}' to run", request_.file),
                             e.remedy().empty() ? e.message() : e.remedy());
    }
    return "";
  }

  std::vector<std::byte> contents(host::Device& device, const Memory& memory) const {
    const std::uint64_t address = memory.is_variable ? device.symbol(modules_.at(&device), memory.name)
                                                     : addresses_.at(&device).at(memory.name);
    return device.download<std::byte>(address, memory.bytes);
  }

  void add(host::Device& device, const KernelArgument& argument, host::Args& args) {
    switch (argument.kind) {
      case KernelArgument::Kind::kScalar:
        args.add_bytes(argument.value);
        return;
      case KernelArgument::Kind::kStruct: {
        std::vector<std::byte> bytes = argument.value;
        for (const StructPointer& pointer : argument.pointers) {
          const std::uint64_t target =
              addresses_.at(&device).at(pointer.target.buffer) + pointer.target.bytes;
          std::memcpy(bytes.data() + pointer.offset, &target, sizeof target);
        }
        args.add_bytes(std::move(bytes));
        return;
      }
      case KernelArgument::Kind::kReference:
        args.add(addresses_.at(&device).at(argument.name) + argument.bytes);
        return;
      case KernelArgument::Kind::kBuffer: {
        const std::uint64_t start = device.allocate(argument.bytes, argument.name);
        const auto& bytes = initial_.at(argument.name);
        if (!bytes.empty()) device.write(start, bytes);
        addresses_[&device][argument.name] = start;
        if (argument.passed) args.add(start);
        return;
      }
    }
  }

  workloads::Verdict verdict(host::Device& device) const {
    if (compares_.empty()) return {true, "ran to completion (nothing to compare with)"};
    std::string same;
    for (const FileComparison& c : compares_) {
      const BufferVerdict found =
          compare_buffer(c.request, c.memory.element, contents(device, c.memory), c.expected);
      if (!found.same) return {false, found.text};
      same += (same.empty() ? "" : ", ") + found.text;
    }
    return {true, same};
  }

  PtxRequest request_;
  std::vector<KernelArgument> arguments_;
  host::Launch shape_;
  std::vector<MemoryFile> dumps_;
  std::vector<FileComparison> compares_;
  std::vector<Print> prints_;
  std::map<std::string, std::vector<std::byte>> initial_;  ///< by buffer name
  std::optional<std::vector<ModuleVariable>> variables_;   ///< of the module, if an option has asked for them
  std::map<const host::Device*, host::ModuleHandle> modules_;
  /// Addresses of the buffers, by name, on each device the program ran on.
  std::map<const host::Device*, std::map<std::string, std::uint64_t>> addresses_;
};

}  // namespace

Job ptx_job(const PtxRequest& request) {
  const auto program = std::make_shared<PtxProgram>(request);
  const std::string file = std::filesystem::path(request.file).filename().string();
  Job job;
  job.header.title = fmt::format("{} of {}", request.entry, file);
  job.header.identity = {{request.machine_code ? "cubin" : "ptx", file},
                         {"entry", request.entry},
                         {"grid", request.grid},
                         {"block", request.block},
                         {"arguments", request.arguments}};
  if (request.cooperative) job.header.identity["cooperative"] = true;
  if (!request.buffers.empty()) job.header.identity["buffers"] = request.buffers;
  job.program = [program](host::Device& device) { return program->run(device); };
  job.dump = [program](host::Device& device, Problems& problems) { program->dump(device, problems); };
  job.printed = [program](host::Device& device) { return program->printed(device); };
  program->name_files(job);
  return job;
}

}  // namespace heddle::cli
