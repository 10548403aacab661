#include "cli/run_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/files.h"
#include "cli/kernel_argument.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kPrintedElements = 16;

struct BufferFile {
  const KernelArgument* buffer;
  std::string path;
  std::string option;  ///< for messages
};

struct Print {
  const KernelArgument* buffer;
  std::uint64_t count;
};

host::Dim3 to_dim3(const Dimensions& d) { return {d.x, d.y, d.z}; }

template <class T>
void add_as(host::Args& args, const std::vector<std::byte>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  args.add(value);
}

void add_bytes(host::Args& args, const std::vector<std::byte>& bytes) {
  switch (bytes.size()) {
    case 1:
      return add_as<std::uint8_t>(args, bytes);
    case 2:
      return add_as<std::uint16_t>(args, bytes);
    case 4:
      return add_as<std::uint32_t>(args, bytes);
    default:
      return add_as<std::uint64_t>(args, bytes);
  }
}

/// The host program that the command line describes.
class PtxProgram {
 public:
  explicit PtxProgram(const PtxRequest& request)
      : request_(request), arguments_(parse_arguments(request.arguments)) {
    shape_.grid = to_dim3(parse_dimensions(request.grid, "--grid"));
    shape_.block = to_dim3(parse_dimensions(request.block, "--block"));
    shape_.dynamic_shared_bytes = request.shared_bytes;
    for (const std::string& text : request.dumps) dumps_.push_back(buffer_file("--dump", text));
    for (const std::string& text : request.compares) {
      compares_.push_back(buffer_file("--compare", text));
      expected_.push_back(read_bytes(compares_.back().path, compares_.back().buffer->bytes, "the buffer",
                                     compares_.back().option));
    }
    for (const std::string& text : request.prints) prints_.push_back(print(text));
    for (const KernelArgument& argument : arguments_)
      if (argument.kind == KernelArgument::Kind::kBuffer) initial_[argument.name] = fill_bytes(argument);
  }

  workloads::Verdict run(host::Device& device) {
    const auto module = device.load_ptx_file(request_.file);
    const std::string entry = entry_name(device, module);
    addresses_[&device].clear();
    host::Args args;
    for (const KernelArgument& argument : arguments_) add(device, argument, args);
    device.launch(module, entry, shape_, args);
    return verdict(device);
  }

  /// The files of the command line, for the check that no two options name one.
  void name_files(Job& job) const {
    job.reads.push_back({request_.file, "--ptx " + request_.file});
    for (const KernelArgument& argument : arguments_)
      if (const std::string file = fill_file(argument); !file.empty())
        job.reads.push_back({file, "--arg " + argument.text});
    for (const BufferFile& c : compares_) job.reads.push_back({c.path, c.option});
    for (const BufferFile& d : dumps_) job.writes.push_back({d.path, d.option});
  }

  void dump(host::Device& device, Problems& problems) const {
    for (const BufferFile& d : dumps_)
      problems.attempt([&] {
        write_bytes(d.path, device.download<std::byte>(address(device, *d.buffer), d.buffer->bytes),
                    d.option);
      });
  }

  [[nodiscard]] std::string printed(host::Device& device) const {
    std::string all;
    for (const Print& p : prints_) {
      const auto bytes = device.download<std::byte>(address(device, *p.buffer), p.buffer->bytes);
      const unsigned size = isa::type_bytes(p.buffer->element);
      const std::uint64_t elements = p.buffer->bytes / size;
      std::string text;
      for (std::uint64_t i = 0; i < std::min(p.count, elements); ++i)
        text += fmt::format(" {}", element_text(p.buffer->element, bytes.data() + i * size));
      all += fmt::format("  {} ={}{}\n", p.buffer->name, text, p.count < elements ? " ..." : "");
    }
    return all;
  }

 private:
  const KernelArgument& buffer(const std::string& name, const std::string& option) const {
    std::vector<std::string> names;
    for (const KernelArgument& argument : arguments_) {
      if (argument.kind != KernelArgument::Kind::kBuffer) continue;
      if (argument.name == name) return argument;
      names.push_back(argument.name);
    }
    throw sim::InputError(
        option, fmt::format("there is no buffer '{}'", name),
        names.empty() ? "no --arg declares a buffer" : fmt::format("buffers: {}", fmt::join(names, ", ")));
  }

  BufferFile buffer_file(const std::string& option, const std::string& text) const {
    const std::string place = fmt::format("{} {}", option, text);
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size())
      throw sim::InputError(place, "expected NAME=PATH", fmt::format("for example {} y=y.bin", option));
    return {&buffer(text.substr(0, equals), place), text.substr(equals + 1), place};
  }

  Print print(const std::string& text) const {
    const std::string place = fmt::format("--print {}", text);
    const auto colon = text.find(':');
    std::uint64_t count = kPrintedElements;
    if (colon != std::string::npos) {
      const char* end = text.data() + text.size();
      const auto [parsed, error] = std::from_chars(text.data() + colon + 1, end, count);
      if (error != std::errc{} || parsed != end)
        throw sim::InputError(place, "expected NAME or NAME:COUNT", "for example --print y:8");
    }
    return {&buffer(text.substr(0, colon), place), count};
  }

  std::string entry_name(host::Device& device, host::ModuleHandle module) const {
    if (!request_.entry.empty()) {
      (void)device.kernel(module, request_.entry);
      return request_.entry;
    }
    try {
      (void)device.kernel(module, "");
    } catch (const sim::InputError& e) {
      // The device's answer to a name that cannot exist is the list of those that do.
      throw sim::InputError("--entry", fmt::format("say which kernel of '{}' to run", request_.file),
                            e.remedy().empty() ? e.message() : e.remedy());
    }
    return "";
  }

  std::uint64_t address(const host::Device& device, const KernelArgument& argument) const {
    return addresses_.at(&device).at(argument.name);
  }

  void add(host::Device& device, const KernelArgument& argument, host::Args& args) {
    switch (argument.kind) {
      case KernelArgument::Kind::kScalar:
        add_bytes(args, argument.value);
        return;
      case KernelArgument::Kind::kReference:
        args.add(address(device, argument) + argument.bytes);
        return;
      case KernelArgument::Kind::kBuffer: {
        const std::uint64_t start = device.allocate(argument.bytes, argument.name);
        const auto& bytes = initial_.at(argument.name);
        if (!bytes.empty()) device.write(start, bytes);
        addresses_[&device][argument.name] = start;
        args.add(start);
        return;
      }
    }
  }

  workloads::Verdict verdict(host::Device& device) const {
    if (compares_.empty()) return {true, "ran to completion (nothing to compare with)"};
    std::string same;
    for (std::size_t c = 0; c < compares_.size(); ++c) {
      const KernelArgument& argument = *compares_[c].buffer;
      const auto have = device.download<std::byte>(address(device, argument), argument.bytes);
      const auto& want = expected_[c];
      const auto difference = std::mismatch(have.begin(), have.end(), want.begin()).first - have.begin();
      if (difference != static_cast<std::ptrdiff_t>(have.size())) {
        const unsigned size = isa::type_bytes(argument.element);
        const auto i = static_cast<std::uint64_t>(difference) / size;
        return {false, fmt::format("{}[{}] is {}, '{}' has {}", argument.name, i,
                                   element_text(argument.element, have.data() + i * size), compares_[c].path,
                                   element_text(argument.element, want.data() + i * size))};
      }
      same += fmt::format("{}'{}' equals '{}'", same.empty() ? "" : ", ", argument.name, compares_[c].path);
    }
    return {true, same};
  }

  PtxRequest request_;
  std::vector<KernelArgument> arguments_;
  host::Launch shape_;
  std::vector<BufferFile> dumps_;
  std::vector<BufferFile> compares_;
  std::vector<std::vector<std::byte>> expected_;  ///< of compares_
  std::vector<Print> prints_;
  std::map<std::string, std::vector<std::byte>> initial_;  ///< by buffer name
  /// Of the buffers, by name, on each device the program ran on.
  std::map<const host::Device*, std::map<std::string, std::uint64_t>> addresses_;
};

}  // namespace

Job ptx_job(const PtxRequest& request) {
  const auto program = std::make_shared<PtxProgram>(request);
  const std::string file = std::filesystem::path(request.file).filename().string();
  Job job;
  job.header.title = fmt::format("{} of {}", request.entry, file);
  job.header.identity = {{"ptx", file},
                         {"entry", request.entry},
                         {"grid", request.grid},
                         {"block", request.block},
                         {"arguments", request.arguments}};
  job.program = [program](host::Device& device) { return program->run(device); };
  job.dump = [program](host::Device& device, Problems& problems) { program->dump(device, problems); };
  job.printed = [program](host::Device& device) { return program->printed(device); };
  program->name_files(job);
  return job;
}

}  // namespace heddle::cli
