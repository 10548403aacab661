#include "cli/block_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/control_flow_trace.h"
#include "frontend/listing/listing.h"
#include "frontend/sass/module_image.h"
#include "host/module_bytes.h"

namespace heddle::cli {
namespace {

std::string option(const BlockTraceSettings& settings) { return "--trace-blocks " + settings.file; }

/// Passes everything on; what it loads is instrumented, and what a launch has logged is written.
class BlockTraceDevice : public host::Device {
 public:
  BlockTraceDevice(host::Device& device, const BlockLogShape& shape, ControlFlowWriter& writer)
      : device_(device), shape_(shape), writer_(writer) {}

  std::uint64_t allocate(std::uint64_t bytes, const std::string& name) override {
    return device_.allocate(bytes, name);
  }
  void free(std::uint64_t address) override { device_.free(address); }
  void write(std::uint64_t address, std::span<const std::byte> bytes) override {
    device_.write(address, bytes);
  }
  void read(std::uint64_t address, std::span<std::byte> bytes) override { device_.read(address, bytes); }
  void unload(host::ModuleHandle module) override { device_.unload(module); }
  std::shared_ptr<const isa::Kernel> kernel(host::ModuleHandle module, const std::string& name) override {
    return device_.kernel(module, name);
  }
  std::uint64_t symbol(host::ModuleHandle module, const std::string& name) override {
    return device_.symbol(module, name);
  }
  void synchronize() override { device_.synchronize(); }
  [[nodiscard]] host::DeviceProperties properties() const override { return device_.properties(); }

  host::ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) override {
    if (sass::is_machine_code(bytes)) return device_.load_module(bytes, name);
    const std::string text = host::ptx_text_of(bytes, name);
    if (listing::is_listing(text))
      throw base::InputError(name, "a listing has no log of blocks",
                             "Give PTX, or take --trace-control-flow, which traces each instruction.");
    const InstrumentedText instrumented = with_block_log(text, name, shape_);
    const host::ModuleHandle module = device_.load_ptx_text(instrumented.text, name);
    const std::string file = std::filesystem::path(name).filename().string();
    for (std::size_t i = 0; i < instrumented.blocks.size(); ++i) {
      const LoggedBlock& block = instrumented.blocks[i];
      writer_.comment(fmt::format("block {:x}: {}:{} {}{}", i, file, block.line, block.function,
                                  block.label.empty() ? "" : " " + block.label));
    }
    return module;
  }

  void launch(host::ModuleHandle module, const std::string& kernel, const host::Launch& shape,
              const host::Args& args) override {
    const Log log = log_of(module);
    std::vector<std::uint32_t> counts(shape_.warps, 0);
    device_.write(log.counts, std::as_bytes(std::span(counts)));
    try {
      device_.launch(module, kernel, shape, args);
      device_.synchronize();
    } catch (const base::Error& error) {
      if (error.code() != base::ExitCode::kBadInput) add(kernel, shape, log);
      throw;
    }
    add(kernel, shape, log);
  }

 private:
  struct Log {
    std::uint64_t counts = 0, entries = 0;
  };
  struct Entry {
    std::uint32_t block = 0, lanes = 0;
  };

  Log log_of(host::ModuleHandle module) {
    try {
      return {device_.symbol(module, kBlockCounts), device_.symbol(module, kBlockEntries)};
    } catch (const base::InputError&) {
      throw base::InputError("--trace-blocks", "this machine code has no log of blocks",
                             "Assemble what heddle trace-blocks FILE.ptx -o OUT.ptx has written.");
    }
  }

  void add(const std::string& kernel, const host::Launch& shape, const Log& log) {
    std::vector<std::uint32_t> counts(shape_.warps);
    device_.read(log.counts, std::as_writable_bytes(std::span(counts)));
    const std::uint64_t warps_of_cta = (shape.block.count() + base::kLanes - 1) / base::kLanes;
    writer_.launch_begins(kernel, 1);
    for (std::uint32_t warp = 0; warp < shape_.warps; ++warp) {
      const TracedWarp traced{warp / warps_of_cta, static_cast<std::uint32_t>(warp % warps_of_cta)};
      std::vector<Entry> entries(std::min(counts[warp], shape_.entries));
      device_.read(log.entries + std::uint64_t{warp} * shape_.entries * kBlockEntryBytes,
                   std::as_writable_bytes(std::span(entries)));
      for (const Entry& entry : entries) writer_.adds(traced, entry.block, base::LaneMask(entry.lanes));
      if (counts[warp] > shape_.entries)
        writer_.comment(fmt::format("warp {}:{} came to {} blocks, of which {} are here", traced.first,
                                    traced.second, counts[warp], shape_.entries));
    }
    writer_.launch_ends();
  }

  host::Device& device_;
  BlockLogShape shape_;
  ControlFlowWriter& writer_;
};

}  // namespace

Job with_block_trace(const Job& job, const BlockTraceSettings& settings) {
  struct State {
    std::unique_ptr<ControlFlowWriter> writer;
    std::unique_ptr<BlockTraceDevice> device;
  };
  Job traced = job;
  traced.writes.push_back({settings.file, option(settings)});
  // Made when the program starts: by then it is known that no other option names this file.
  const auto state = std::make_shared<State>();
  traced.program = [program = job.program, settings, state](host::Device& device) {
    state->writer = std::make_unique<ControlFlowWriter>(settings.file, option(settings));
    state->device = std::make_unique<BlockTraceDevice>(device, settings.shape, *state->writer);
    return program(*state->device);
  };
  // The job knows its buffers by the device that its program was given.
  if (job.dump)
    traced.dump = [dump = job.dump, state](host::Device&, Problems& problems) {
      dump(*state->device, problems);
    };
  if (job.printed)
    traced.printed = [printed = job.printed, state](host::Device&) { return printed(*state->device); };
  traced.traces = [state](Problems& problems) {
    std::vector<std::string> complete;
    if (state->writer == nullptr) return complete;
    problems.attempt([&] {
      state->writer->file().commit();
      complete.push_back(state->writer->file().path());
    });
    return complete;
  };
  return traced;
}

}  // namespace heddle::cli
