// One connection of heddle cuda.
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>

#include "cli/cuda_run.h"
#include "cli/interrupt.h"
#include "cli/machine_code.h"
#include "cli/order_notes.h"
#include "cli/run_device.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "runtime/session/session.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kToleratedBytes = 64 * 1024;  // on both sides of a buffer

/// FNV-1a, 64 bits.
std::uint64_t digest(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte each : bytes) hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x100000001b3u;
  return hash;
}

/// Of the platform, whose machine the oracle stands for as well: programs choose the same shapes.
runtime::SessionSettings session_settings(const CudaSettings& settings) {
  const gpu::GpuConfig config = gpu::load_platform(settings.run.platform, settings.run.assignments);
  runtime::SessionSettings session;
  session.machine_code = config.runtime.code == gpu::RuntimeConfig::Code::kMachineCode;
  session.ptx_fallback = config.runtime.ptx_fallback;
  session.control_codes = config.core.scoreboard.control_codes();
  session.array_blocks = config.runtime.array_layout == gpu::RuntimeConfig::ArrayLayout::kBlocks;
  session.concurrent_streams = config.runtime.concurrent_streams;
  session.launch_ns = config.runtime.launch_ns;
  session.copy_ns = config.runtime.copy_ns;
  session.copy_gbytes_per_s = config.runtime.copy_gbytes_per_s;
  session.heap_bytes = std::uint64_t{config.heap_kib} * 1024;
  session.stack_bytes = config.stack_bytes_per_thread;
  if (settings.run.device != RunDevice::kGpu) session.properties = gpu::properties_of(config);
  session.tolerated_bytes = config.runtime.tolerant_memory ? kToleratedBytes : 0;
  session.compute_capability = config.runtime.compute_capability;
  session.memory_bytes = std::uint64_t{config.memory.dram.capacity_mib} * config.memory.partitions << 20;
  session.memory_clock_mhz = config.clocks.dram_mhz;
  // Two transfers a clock, as of the memories that CUDA's properties were made for.
  session.memory_bus_bits = config.memory.dram.bytes_per_cycle * config.memory.partitions * 8 / 2;
  return session;
}

/// The file of the program at the other end of the connection, which a script or another program may have started.
std::string program_of(int socket, const std::vector<std::string>& command) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  std::error_code error;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.pid > 0)
    if (const auto file = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", peer.pid), error); !error)
      return file.string();
  return command.empty() ? std::string{} : command.front();
}

/// A machine that is to run machine code, or whose program has nothing else, is as `heddle run --cubin` makes it, but for what the
/// user sets.
CudaSettings with_machine_code(CudaSettings settings, int socket) {
  using Code = gpu::RuntimeConfig::Code;
  const gpu::RuntimeConfig runtime =
      gpu::load_platform(settings.run.platform, settings.run.assignments).runtime;
  const std::string program = program_of(socket, settings.command);
  bool turing = runtime.compute_capability < 90;
  const auto alone = runtime.code == Code::kMachineCode
                         ? std::nullopt
                         : code_alone_is_for_turing(program, runtime.compute_capability);
  if (alone) turing = *alone;
  bool machine_code = runtime.code == Code::kMachineCode || alone;
  if (runtime.code == Code::kBest) {
    const std::string why = alone ? "" : why_ptx_is_best(program, runtime.compute_capability);
    machine_code = why.empty();
    settings.run.assignments.emplace_back(machine_code ? "runtime.code=machine_code" : "runtime.code=ptx");
    if (!machine_code && !settings.quiet) fmt::print(stderr, "heddle: PTX runs, no machine code: {}\n", why);
  }
  if (!machine_code) return settings;
  const std::vector<std::string> needed = machine_code_settings_for(turing, settings.run.platform);
  settings.run.assignments.insert(settings.run.assignments.begin(), needed.begin(), needed.end());
  return settings;
}

std::string verdict_of(const runtime::Session& session) {
  std::string text = fmt::format("the program has ended; {} launches", session.launches());
  if (!session.refused().empty()) {
    text += fmt::format(", {} refused:", session.refused().size());
    for (const std::string& each : session.refused()) text += "\n    " + each;
  }
  return text;
}

}  // namespace

base::ExitCode serve_cuda_program(int socket, const CudaSettings& asked, const std::string& copies) {
  const CudaSettings settings = with_machine_code(asked, socket);
  runtime::SessionSettings given = session_settings(settings);
  std::ofstream copied, notes;
  std::size_t number_of_copies = 0;
  std::set<std::string> seen;  // kernels
  if (!copies.empty()) {
    copied.open(copies);
    given.on_read = [&](std::span<const std::byte> bytes, std::span<const std::byte> named) {
      copied << bytes.size() << ' ' << digest(bytes) << ' ' << digest(named) << '\n';
      ++number_of_copies;
    };
    notes.open(copies + kOrderNotes);
    given.on_launch = [&](const isa::Kernel& kernel) {
      if (!seen.insert(kernel.name).second) return;
      const std::string does = order_dependence(kernel);
      if (!does.empty()) notes << text_of(OrderNote{number_of_copies, kernel.name, does}) << std::flush;
    };
  }
  const std::string program = settings.command.empty()
                                  ? "program"
                                  : std::filesystem::path(settings.command.front()).filename().string();
  runtime::Session session(socket, std::move(given));
  Job job;
  job.header.title = program;
  job.header.variant = "CUDA program";
  job.header.identity = {{"program", program}};
  job.program = [&](host::Device& device) {
    stop_if_interrupted();  // from here on a signal ends the session in order
    session.serve(device);
    stop_if_interrupted();
    return workloads::Verdict{true, verdict_of(session)};
  };
  job.listener.print = [&session](const std::string& text) { session.print(text); };
  job.listener.opened = [&session](const gpu::GpuDevice& gpu) {
    session.set_occupancy(
        [&gpu](host::ModuleHandle module, const std::string& kernel, const host::Launch& shape) {
          return gpu.resident_blocks(module, kernel, shape);
        });
  };
  job.listener.launched = [&](double ns) { session.launched(ns); };
  // Standard output is the program's. The report goes where messages go, or nowhere.
  std::fflush(stdout);
  if (settings.quiet)
    (void)!std::freopen("/dev/null", "w", stdout);
  else
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  RunSettings run = settings.run;
  run.max_seconds = 0;
  return run.device == RunDevice::kModel ? run_job(job, run) : run_on_device(job, run);
}

}  // namespace heddle::cli
