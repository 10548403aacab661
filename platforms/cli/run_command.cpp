// heddle run: options of both kinds of run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>

#include "base/exit_codes.h"
#include "cli/block_trace.h"
#include "cli/commands.h"
#include "cli/deterministic_check.h"
#include "cli/machine_code.h"
#include "cli/number_option.h"
#include "cli/run.h"
#include "cli/run_device.h"
#include "cli/run_ptx.h"
#include "cli/run_workload.h"
#include "cli/sampled_run.h"

namespace heddle::cli {
namespace {

constexpr const char* kRunHelp = R"(Arguments of your own kernel, in the order of its parameters:
  --arg TYPE=VALUE              scalar; u8 s8 u16 s16 u32 s32 u64 s64 f32 f64
  --arg buf=NAME:SIZE[:FILL]    new buffer, passed as its address. SIZE is in bytes (4096) or elements
                                (1024xf32). FILL is zero (default), iota (0, 1, 2 ...), const=VALUE,
                                random=SEED (reals in [0, 1), integers over their whole range) or
                                file=PATH (raw little-endian bytes, exactly SIZE)
  --arg ref=NAME[+BYTES]        address within a buffer declared before
  --arg struct=FIELD[,FIELD]... struct by value (PTX: .param .align 8 .b8 p[24]). FIELD is TYPE:VALUE,
                                ptr:NAME[+BYTES] (address within a buffer), hex:BYTES, pad:N (N zero bytes) or
                                align:N. The layout is that of C: scalars and pointers are aligned to their size,
                                hex and pad are not, and the size is rounded up to the largest alignment. A nested
                                struct begins and ends with align:N, its own alignment
  --arg hex=BYTES, file=PATH    the bytes of a struct as they are
  --buffer NAME:SIZE[:FILL]     buffer that is no argument itself: struct fields and references point to it

--print NAME[:COUNT[xTYPE]], --dump NAME=PATH, --compare NAME=PATH[,abs=X][,rel=Y][,type=TYPE] take a buffer, or a
module-scope variable (.global or .const) of the PTX file by its name there. TYPE is that of the elements, where it is not
that of the declaration: compilers declare arrays as bytes.

--compare: without a tolerance bits must be the same. With one, an element x of type f32 or f64 matches w of the file
if |x - w| <= abs + rel * |w|; NaN matches NaN, an infinity only itself.

Examples:
  heddle run sgemm --set cores=4 --set core.scheduler.policy=lrr --out out/sgemm
  heddle run --ptx saxpy.ptx --entry saxpy --grid 8 --block 128 --arg buf=x:1024xf32:iota
      --arg buf=y:1024xf32:const=1 --arg f32=2.5 --arg u32=1024 --print y:8 --dump y=y.bin
  heddle run --ptx axpy.ptx --entry axpy --grid 1 --block 32 --buffer x:32xf32:iota --arg buf=y:32xf32
      --arg struct=f32:2.5,u32:32,ptr:x --compare y=want.bin,rel=1e-6

A run that ends with 3 to 7, with 9 or by a signal reports and writes what it has so far, marked as incomplete. A second
signal ends it at once.

)";

struct RunRequest {
  RunSettings settings;
  WorkloadRequest workload;
  PtxRequest ptx;
  BlockTraceSettings blocks;
  std::string device = kRunDevices[0];
  std::string check;
  std::uint64_t deterministic_runs = 0;  ///< 0: no check
};

/// Digests of all runs are kept until the last one is over.
constexpr std::uint64_t kMostDeterministicRuns = 100'000;

std::string not_empty(const std::string& text) { return text.empty() ? "no name given" : ""; }

/// Options that a check of many runs has no place for.
void refuse_with_check(const CLI::App& command) {
  for (const char* name :
       {"--check", "--profile", "--per-launch", "--trace-tables", "--trace-timeline", "--trace-control-flow",
        "--trace-blocks", "--trace-warp", "--trace-cycles", "--dump", "--print", "--progress", "--detail",
        "--estimate", "--sample", "--sample-statistics", "--wave"})
    if (command.get_option(name)->count() > 0)
      throw base::InputError("heddle run", std::string(name) + " does not go with --deterministic-check",
                             "leave out one of them");
}

/// Options of the GPU model that a card and the oracle have nothing for.
void refuse_of_other_devices(const CLI::App& command, const RunSettings& settings) {
  const auto refuse = [&](const char* name, const std::string& why, const char* remedy) {
    if (command.get_option(name)->count() > 0)
      throw base::InputError("heddle run", std::string(name) + why, remedy);
  };
  if (settings.device != RunDevice::kGpu)
    refuse("--max-seconds", " goes with --device gpu only", "the GPU model has --max-cycles");
  if (settings.device == RunDevice::kModel) return;
  const std::string of_the_model = fmt::format(" is of the GPU model and does not go with --device {}",
                                               kRunDevices[static_cast<std::size_t>(settings.device)]);
  for (const char* name :
       {"--max-cycles", "--deterministic-check", "--profile", "--profile-top", "--trace-tables",
        "--trace-timeline", "--trace-control-flow", "--trace-warp", "--trace-cycles", "--cold-caches",
        "--replayed", "--progress", "--detail", "--estimate", "--sample", "--sample-statistics", "--wave"})
    refuse(name, of_the_model, "leave out one of them");
  // The oracle sums matrix products as the platform does.
  if (settings.device == RunDevice::kGpu && !settings.check_oracle)
    for (const char* name : {"--platform", "--set"})
      refuse(name, of_the_model,
             "leave out one of them, or add --check oracle, which sums matrices as the platform does");
  if (settings.device == RunDevice::kOracle)
    refuse("--check", " oracle compares another device with the oracle",
           "leave it out, or leave out --device");
  if (settings.device == RunDevice::kOracle)
    refuse("--trace-blocks", " traces warps, and the oracle has none", "leave out one of them");
}

void refuse_with_block_trace(const CLI::App& command) {
  if (command.get_option("--trace-blocks")->count() > 0) {
    if (command.get_option("--check")->count() > 0)
      throw base::InputError("heddle run",
                             "--trace-blocks changes the kernels and does not go with --check oracle",
                             "leave out one of them");
    for (const char* name : {"--detail", "--estimate"})
      if (command.get_option(name)->count() > 0)
        throw base::InputError(
            "heddle run",
            fmt::format("--trace-blocks traces warps as they are timed, and {} runs a part without time",
                        name),
            "leave out one of them");
    if (command.get_option("--cubin")->count() == 0) return;
  }
  for (const char* name : {"--block-warps", "--block-entries"})
    if (command.get_option(name)->count() > 0)
      throw base::InputError(
          "heddle run",
          std::string(name) + " is about kernels that --trace-blocks instruments, and they are PTX",
          "leave it out, or add --trace-blocks FILE and leave out --cubin");
}

/// Options that apply to only one kind of run. `has_kernel`: one's own, from a file.
void refuse_mixture(const CLI::App& command, bool has_kernel) {
  const bool has_cubin = command.get_option("--cubin")->count() > 0;
  const std::vector<const char*> ptx_only = {"--entry", "--grid",   "--block", "--shared",  "--cooperative",
                                             "--arg",   "--buffer", "--dump",  "--compare", "--print"};
  const std::vector<const char*> workload_only = {"WORKLOAD", "--compiler", "--size", "--seed", "--param"};
  for (const char* name : has_kernel ? workload_only : ptx_only) {
    const CLI::Option* const option = command.get_option(name);
    if (option->count() == 0) continue;
    const std::string given =
        option->get_positional() ? fmt::format("{} '{}'", name, option->as<std::string>()) : name;
    throw base::InputError("heddle run",
                           given + (!has_kernel ? " goes with --ptx or --cubin only"
                                    : has_cubin ? " does not go with --cubin"
                                                : " does not go with --ptx"),
                           "give either a workload, or --ptx FILE or --cubin FILE; see heddle run --help");
  }
  if (!has_kernel && command.get_option("WORKLOAD")->count() == 0)
    throw base::InputError(
        "heddle run", "nothing to run",
        "give a workload (heddle list shows them), --ptx FILE or --cubin FILE; see heddle run --help");
  if (has_cubin && command.get_option("--ptx")->count() > 0)
    throw base::InputError("heddle run", "--ptx and --cubin both name a kernel's file",
                           "leave out one of them");
  if (has_cubin && command.get_option("--compiler")->count() > 0)
    throw base::InputError("heddle run", "--compiler is about PTX and does not go with --cubin",
                           "leave out one of them");
  if (!has_kernel) return;
  for (const char* name : {"--grid", "--block"})
    if (command.get_option(name)->count() == 0)
      throw base::InputError(has_cubin ? "heddle run --cubin" : "heddle run --ptx",
                             std::string(name) + " is missing",
                             std::string("for example ") + name + " 32 or " + name + " 16,4");
}

void use_machine_code(RunRequest& request, bool has_workload) {
  std::string& file = has_workload ? request.workload.machine_code : request.ptx.file;
  file = request.ptx.machine_code_file;
  request.ptx.machine_code = true;
  if (!has_machine_code(file))
    throw base::InputError("--cubin " + file, "this is no cubin, fat binary or program",
                           "PTX text goes with --ptx.");
  if (request.settings.device != RunDevice::kModel) return;
  auto& assignments = request.settings.assignments;
  const std::vector<std::string> needed = machine_code_settings(file, request.settings.platform);
  assignments.insert(assignments.begin(), needed.begin(), needed.end());
}

void refuse_machine_code(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored) && has_machine_code(file))
    throw base::InputError("--ptx " + file, "this is machine code, not PTX",
                           "Machine code goes with --cubin.");
}

void add_workload_options(CLI::App& command, WorkloadRequest& workload) {
  command.add_option("WORKLOAD", workload.name, "Workload; heddle list shows them");
  command.add_option("--compiler", workload.compiler, "Whose PTX of the workload to run")
      ->check(CLI::IsMember({"nvcc", "clang"}))
      ->capture_default_str();
  command.add_option("--size", workload.size, "Input size of the workload")
      ->check(CLI::IsMember({"tiny", "small", "paper"}))
      ->capture_default_str();
  command.add_option("--seed", workload.seed, "Seed of the workload's input")
      ->transform(whole_number())
      ->capture_default_str();
  command
      .add_option("--param", workload.parameters,
                  "NAME=VALUE: a number of the input instead of the size's (heddle list); may be repeated")
      ->allow_extra_args(false);
}

void add_ptx_options(CLI::App& command, PtxRequest& ptx) {
  const std::string group = "One's own kernel";
  command.add_option("--ptx", ptx.file, "PTX file with the kernel")->group(group);
  command
      .add_option("--cubin", ptx.machine_code_file,
                  "The kernel as machine code of sm_75 or sm_90: a cubin, a fat binary, or a program that "
                  "nvcc has made. With "
                  "WORKLOAD: its kernels, also from a folder with a cubin for each of its modules")
      ->group(group);
  command.add_option("--entry", ptx.entry, "Kernel of the file")->group(group);
  command.add_option("--grid", ptx.grid, "CTAs: X, X,Y or X,Y,Z")->group(group);
  command.add_option("--block", ptx.block, "Threads of a CTA: X, X,Y or X,Y,Z")->group(group);
  command.add_option("--shared", ptx.shared_bytes, "Bytes of dynamic shared memory")
      ->transform(whole_number(0, std::numeric_limits<std::uint32_t>::max()))
      ->group(group);
  command
      .add_flag("--cooperative", ptx.cooperative,
                "All CTAs are resident at once and may wait for each other: this_grid().sync()")
      ->group(group);
  const auto repeated = [&](const char* name, std::vector<std::string>& values, const char* help) {
    command.add_option(name, values, help)->group(group)->allow_extra_args(false);
  };
  repeated("--arg", ptx.arguments, "One argument, see below; may be repeated");
  repeated("--buffer", ptx.buffers, "NAME:SIZE[:FILL]: buffer that arguments point to; may be repeated");
  repeated("--dump", ptx.dumps, "NAME=PATH: write a buffer or variable to a file after the run");
  repeated("--compare", ptx.compares,
           "NAME=PATH[,abs=X][,rel=Y][,type=TYPE]: compare a buffer or variable with a file");
  repeated("--print", ptx.prints, "NAME[:COUNT[xTYPE]]: print the first elements of a buffer or variable");
}

}  // namespace

void add_run(CLI::App& app, Body& body) {
  CLI::App* command = app.add_subcommand("run", "Run a workload, or your own kernel (--ptx)");
  command->footer(kRunHelp + base::exit_code_table());
  const auto request = std::make_shared<RunRequest>();
  add_workload_options(*command, request->workload);
  command
      ->add_option("--device", request->device,
                   "model: the GPU model; gpu: the first real GPU, through the CUDA driver; oracle: the "
                   "scalar interpreter")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kRunDevices), std::end(kRunDevices))))
      ->capture_default_str();
  command->add_option("--platform", request->settings.platform, "Platform name or .yaml file of the model")
      ->capture_default_str();
  command
      ->add_option("--set", request->settings.assignments,
                   "KEY=VALUE: change a configuration key (heddle describe); may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--out", request->settings.out,
          "Folder for report.txt, stats.json, host.json and config.yaml; nothing else in it is touched")
      ->check(not_empty);
  command->add_flag("--per-launch", request->settings.per_launch,
                    "With --out: statistics of every launch in stats.json, besides those of every kernel");
  command->add_flag(
      "--cold-caches", request->settings.cold_caches,
      "Empty L2 and instruction caches before each launch, as profilers do with a card's; L1 is empty in any "
      "case");
  command->add_flag("--replayed", request->settings.replayed,
                    "Each launch begins as if it had run before, as under a profiler that repeats it: the "
                    "levels behind its cores' "
                    "instruction and constant caches have its code and constants");
  command
      ->add_option("--max-cycles", request->settings.max_cycles,
                   "Stop with exit code 5 when a launch takes more core cycles than this; 0: no limit")
      ->transform(whole_number());
  command
      ->add_option("--max-seconds", request->settings.max_seconds,
                   "With --device gpu: stop with exit code 5 when a launch takes longer; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--check", request->check,
                   "oracle: compare buffers and module variables with the scalar interpreter's as well")
      ->check(CLI::IsMember({"oracle"}));
  command
      ->add_option("--deterministic-check", request->deterministic_runs,
                   "Run N times (2 to 100000) with perturbed timing; exit code 8 if memory after a launch "
                   "depends on it, "
                   "with the first difference and its writers")
      ->type_name("N")
      ->transform(whole_number(2, kMostDeterministicRuns));
  command->add_flag(
      "--profile", request->settings.profile,
      "Print where the time goes, by instruction; with --out also profile.txt and profile.json");
  command->add_option("--profile-top", request->settings.profile_top, "Instructions that --profile prints")
      ->transform(whole_number(1))
      ->capture_default_str();
  command
      ->add_option(
          "--sample", request->settings.sample.cycles,
          "With --out: statistics every N core cycles, into samples.sqlite (platforms/results/README.md)")
      ->type_name("N")
      ->transform(whole_number(1));
  command
      ->add_option(
          "--sample-statistics", request->settings.sample.statistics,
          "NAME,NAME...: sample these as well: names of stats.json's dictionary, * for any characters "
          "(core.lsu.*), or of one unit (core3.occupancy.*)")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_sampling_options(*command, request->settings);
  add_progress_option(*command, request->settings.progress);
  const std::string traces = "Traces";
  command
      ->add_option("--trace-tables", request->settings.trace.tables,
                   "Write the control-flow tables and the scoreboard after every event, as JSON lines; "
                   "heddle tables prints them")
      ->check(not_empty)
      ->group(traces);
  command
      ->add_option("--trace-timeline", request->settings.trace.timeline,
                   "Write when each split of a warp ran what, as Chrome trace events (Perfetto)")
      ->check(not_empty)
      ->group(traces);
  command
      ->add_option("--trace-control-flow", request->settings.trace.control_flow,
                   "Write which instructions each warp executed with which active lanes; "
                   "heddle compare-traces compares two")
      ->check(not_empty)
      ->group(traces);
  command
      ->add_option(
          "--trace-blocks", request->blocks.file,
          "Write which lanes of a warp ran which basic block: the kernels log it themselves, on a card as "
          "well; heddle compare-traces compares two")
      ->check(not_empty)
      ->group(traces);
  add_block_log_options(*command, request->blocks.shape, traces);
  command
      ->add_option("--trace-warp", request->settings.trace.warps,
                   "CORE:WARP: trace only this warp slot; may be repeated")
      ->group(traces)
      ->allow_extra_args(false);
  command
      ->add_option("--trace-cycles", request->settings.trace.cycles, "FROM:TO: trace only these core cycles")
      ->group(traces);
  command
      ->add_option(
          "--wave", request->settings.waves,
          "BLOCK[:FROM:TO]: write the waveform (FST) of a block, of these core cycles, to wave-BLOCK.fst of "
          "--out: the pins of one that runs as RTL (impl), otherwise the transactions of its sockets; "
          "core0.scoreboard; may be repeated")
      ->group(traces)
      ->allow_extra_args(false);
  add_ptx_options(*command, request->ptx);
  command->callback([request, command, &body] {
    body = [request, command] {
      const bool has_cubin = command->get_option("--cubin")->count() > 0;
      const bool has_workload = command->get_option("WORKLOAD")->count() > 0;
      const bool has_kernel = command->get_option("--ptx")->count() > 0 || (has_cubin && !has_workload);
      refuse_mixture(*command, has_kernel);
      request->settings.device =
          static_cast<RunDevice>(std::find(std::begin(kRunDevices), std::end(kRunDevices), request->device) -
                                 std::begin(kRunDevices));
      refuse_of_other_devices(*command, request->settings);
      if (has_cubin)
        use_machine_code(*request, has_workload);
      else if (has_kernel)
        refuse_machine_code(request->ptx.file);
      if (!request->settings.profile && command->get_option("--profile-top")->count() > 0)
        throw base::InputError("heddle run", "--profile-top goes with --profile only", "add --profile");
      if (request->settings.per_launch && request->settings.out.empty())
        throw base::InputError("heddle run", "--per-launch is about stats.json", "add --out DIR");
      if (request->settings.sample.cycles != 0 && request->settings.out.empty())
        throw base::InputError("heddle run", "--sample is about samples.sqlite", "add --out DIR");
      if (request->settings.sample.cycles == 0 && !request->settings.sample.statistics.empty())
        throw base::InputError("heddle run", "--sample-statistics goes with --sample only", "add --sample N");
      if (!request->settings.waves.empty() && request->settings.out.empty())
        throw base::InputError("heddle run", "--wave is about files of --out", "add --out DIR");
      const TraceSettings& trace = request->settings.trace;
      if (!trace.any() && (!trace.warps.empty() || !trace.cycles.empty()))
        throw base::InputError("heddle run", "--trace-warp and --trace-cycles say what a trace has in it",
                               "add --trace-tables FILE, --trace-timeline FILE or --trace-control-flow FILE");
      request->settings.check_oracle = !request->check.empty();
      refuse_with_block_trace(*command);
      Job job = has_kernel ? ptx_job(request->ptx) : workload_job(request->workload, "heddle run");
      if (request->settings.cold_caches) note_variant(job.header, "cold caches", "cold_caches");
      if (request->settings.replayed) note_variant(job.header, "replayed launches", "replayed");
      if (!request->blocks.file.empty()) job = with_block_trace(job, request->blocks);
      if (request->settings.device != RunDevice::kModel) return run_on_device(job, request->settings);
      if (request->deterministic_runs == 0) return run_job(job, request->settings);
      refuse_with_check(*command);
      return check_determinism(job, request->settings, request->deterministic_runs);
    };
  });
}

}  // namespace heddle::cli
