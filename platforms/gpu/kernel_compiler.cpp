#include "gpu/kernel_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/lane_mask.h"
#include "compiler/convergence/place_convergence.h"
#include "compiler/early_exits.h"
#include "compiler/ignore_convergence.h"
#include "compiler/likely_convergence.h"
#include "compiler/list_schedule.h"
#include "compiler/reconvergence.h"
#include "compiler/spill_registers.h"
#include "frontend/listing/listing.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "ssde/ssde.h"

namespace heddle::gpu {
namespace {

/// The names of core.compiler_except.
std::vector<std::string> exceptions(const GpuConfig& config) {
  std::vector<std::string> names;
  std::stringstream list(config.compiler_except);
  for (std::string name; std::getline(list, name, ',');) {
    const std::size_t first = name.find_first_not_of(' ');
    if (first != std::string::npos)
      names.push_back(name.substr(first, name.find_last_not_of(' ') - first + 1));
  }
  return names;
}

/// Which likely-convergence points pay off by the profile of an earlier run: those of branches that diverged.
compiler::LikelyConvergencePoints::Keep by_profile(const std::string& path) {
  constexpr const char* kKey = "core.control_flow.likely_convergence_profile";
  std::ifstream file(path);
  if (!file)
    throw base::InputError(kKey, fmt::format("cannot read '{}'", path),
                           "Name a profile.json that heddle run --profile has written.");
  std::map<std::string, std::map<std::string, std::uint64_t>> divergences;
  try {
    const auto json = nlohmann::json::parse(file);
    for (const auto& kernel : json.at("kernels"))
      for (const auto& pc : kernel.at("pcs"))
        divergences[kernel.at("kernel")][pc.at("pc")] += pc.value("divergences", std::uint64_t{0});
  } catch (const nlohmann::json::exception& error) {
    throw base::InputError(kKey, fmt::format("'{}' is no profile: {}", path, error.what()),
                           "Name a profile.json that heddle run --profile has written.");
  }
  return [divergences = std::move(divergences)](const isa::Kernel& kernel, const isa::LikelyPoint& point) {
    const auto of_kernel = divergences.find(kernel.name);
    if (of_kernel == divergences.end()) return false;
    const auto found = of_kernel->second.find(fmt::format("0x{:03x}", kernel.code_address(point.branch)));
    return found != of_kernel->second.end() && found->second != 0;
  };
}

void add_likely_convergence(compiler::Pipeline& pipeline, const simt::ControlFlowConfig& config) {
  if (config.likely_convergence == simt::LikelyConvergence::kOff) return;
  compiler::LikelyConvergencePoints::Keep keep;
  if (config.likely_convergence == simt::LikelyConvergence::kProfile)
    keep = by_profile(config.likely_convergence_profile);
  pipeline.add(compiler::Stage::kAnalyse,
               std::make_shared<const compiler::LikelyConvergencePoints>(std::move(keep)));
}

/// What becomes of convergence instructions on a mechanism that has no use for them. Behind all passes that may insert
/// some.
void serve_convergence(compiler::Pipeline& pipeline, const simt::ControlFlowConfig& config) {
  if (config.traits().convergence) return;
  if (config.ignores_convergence_instructions) {
    pipeline.add(compiler::Stage::kTransform, std::make_shared<const compiler::IgnoreConvergence>());
    return;
  }
  pipeline.add(
      compiler::Stage::kTransform,
      std::make_shared<const compiler::RefuseConvergence>(
          config.mechanism,
          fmt::format(
              "Set core.control_flow.mechanism={}, which executes them, or "
              "core.control_flow.ignores_convergence_instructions=true: lanes meet at post-dominators then.",
              config.mechanisms_with([](const simt::Traits& of) { return of.convergence.has_value(); }))));
}

}  // namespace

std::shared_ptr<const ptx::Module> compile_source(const std::string& text, const std::string& name,
                                                  const GpuConfig& config, const ptx::Library& library) {
  if (listing::is_listing(text)) {
    if (config.compiler == CompilerStep::kSsde)
      throw base::InputError(name, "core.compiler=ssde transforms PTX text, and this is a listing",
                             "Set core.compiler to another value.");
    return std::make_shared<const ptx::Module>(listing::tree_of(listing::parse(text, name)));
  }
  auto tree = std::make_shared<const ptx::Module>(ptx::parse_text(text, name));
  if (config.compiler != CompilerStep::kSsde) return tree;
  // Decoded only for analysis: any distinct addresses will do.
  std::uint64_t next = isa::kGlobalBase;
  const auto place = [&](const std::string&, std::uint64_t bytes, std::uint32_t align) {
    constexpr std::uint64_t kAlign = 256;
    const std::uint64_t unit = std::max<std::uint64_t>(align, kAlign);
    const std::uint64_t address = (next + unit - 1) / unit * unit;
    next = address + std::max<std::uint64_t>(bytes, 1);
    return address;
  };
  ssde::SsdeOptions options;
  options.keep_lines = true;
  options.except = exceptions(config);
  const ssde::SsdeDecode decode = [&](const ptx::Module& parsed) {
    isa::Module module = ptx::decode_apart(parsed, place, library);
    compiler::Pipeline::standard().run(module);
    return module;
  };
  const ssde::SsdeResult result = ssde::eliminate_soundly(text, *tree, decode, options);
  if (!result.refusals.empty()) {
    const ssde::SsdeRefusal& refusal = result.refusals.front();
    throw base::InputError(
        fmt::format("{}:{}", name, refusal.loop.line),
        fmt::format("the loop that begins here in '{}' may deadlock and core.compiler=ssde cannot transform "
                    "it: {}",
                    refusal.function, refusal.reason),
        fmt::format("name it in core.compiler_except, or write .pragma \"{}\"; in it, to run it as it is",
                    ptx::kNoSsdePragma));
  }
  if (result.switches.empty()) return tree;
  return std::make_shared<const ptx::Module>(ptx::parse_text(result.text, name));
}

namespace {

/// `excepted`: kernels and functions whose loops wait for nobody.
void add_placement(compiler::Pipeline& pipeline, const GpuConfig& config,
                   const compiler::DelayedReconvergence::Excepted& excepted) {
  using Placement = ConvergenceConfig::Placement;
  using Delay = ConvergenceConfig::Delay;
  const ConvergenceConfig& wanted = config.convergence;
  const auto tables = config.core.control_flow.traits().convergence;
  if (wanted.placement == Placement::kOff || (wanted.placement == Placement::kAuto && !tables)) return;
  compiler::ConvergenceOptions options;
  auto& allocation = options.allocation;
  if (tables) {
    allocation.registers = tables->barrier_registers;
    allocation.entries = tables->reconvergence_entries;
    allocation.spills = tables->shared_registers;
  }
  if (wanted.barrier_registers > allocation.registers && tables)
    throw base::InputError(
        "core.convergence.barrier_registers",
        fmt::format("{}, but core.control_flow.mechanism={} leaves {} to programs", wanted.barrier_registers,
                    config.core.control_flow.mechanism, allocation.registers),
        "Lower it, or give the mechanism more.");
  if (wanted.barrier_registers != 0) allocation.registers = wanted.barrier_registers;
  allocation.pins = wanted.pins;
  options.regions.early = wanted.early;
  options.regions.loop_exits = wanted.loop_exits;
  using Yields = ConvergenceConfig::Yields;
  options.yields = wanted.yields == Yields::kNeeded ? compiler::Yields::kNeeded
                   : wanted.yields == Yields::kAll  ? compiler::Yields::kAll
                                                    : compiler::Yields::kOff;
  options.breaks = wanted.breaks;
  options.recursion = wanted.recursion;
  options.delay = wanted.delay == Delay::kFar    ? compiler::DelayedMeeting::kFar
                  : wanted.delay == Delay::kNear ? compiler::DelayedMeeting::kNear
                                                 : compiler::DelayedMeeting::kOff;
  options.waits_by_weak_loads = wanted.waits == ConvergenceConfig::Waits::kAny;
  options.excepted = excepted;
  pipeline.add(compiler::Stage::kTransform,
               std::make_shared<const compiler::PlaceConvergence>(std::move(options)));
}

}  // namespace

namespace {

/// Latencies of the platform where nothing is in the way.
compiler::ScheduleOptions schedule_of(const GpuConfig& config) {
  compiler::ScheduleOptions options;
  for (unsigned c = 0; c < isa::kLatencyClasses; ++c)
    options.latency[c] = config.core.pipes.timing_of(static_cast<isa::LatencyClass>(c)).latency_cycles;
  options.latency[static_cast<unsigned>(isa::LatencyClass::kMemory)] = config.core.l1d.latency_cycles;
  options.shared_load = config.core.shared_memory.latency_cycles;
  options.constant_load = config.core.constant_cache.latency_cycles;
  options.registers = config.schedule_registers;
  return options;
}

/// What PTX and machine code have in common, in front of the convergence instructions' part.
compiler::Pipeline common_passes(const GpuConfig& config,
                                 const compiler::DelayedReconvergence::Excepted& excepted,
                                 const MorePasses& more_passes) {
  compiler::Pipeline pipeline = compiler::Pipeline::standard();
  if (config.compiler == CompilerStep::kDelayedReconvergence)
    pipeline.add(compiler::Stage::kReconverge,
                 std::make_shared<const compiler::DelayedReconvergence>(config.delayed_paths, excepted));
  const simt::Traits mechanism = config.core.control_flow.traits();
  if (mechanism.reconvergence != simt::ReconvergenceUse::kNone)
    pipeline.add(
        compiler::Stage::kReconverge,
        std::make_shared<const compiler::EarlyExits>(
            mechanism.reconvergence == simt::ReconvergenceUse::kSidesTakeTurns,
            mechanism.runs_lanes_apart || config.core.barrier.counts == core::BarrierCounts::kThreads));
  if (more_passes) more_passes(pipeline);
  return pipeline;
}

}  // namespace

std::uint32_t registers_for(const core::OccupancyConfig& room, std::uint64_t warps) {
  const std::uint64_t per_warp = room.registers / warps / room.register_unit * room.register_unit;
  return static_cast<std::uint32_t>(per_warp / base::kLanes);
}

namespace {

/// What launch bounds leave a thread, as ptxas reads them.
std::uint32_t allowed_registers(const ptx::Function& entry, const core::OccupancyConfig& room) {
  std::uint64_t threads = 0;
  std::uint64_t ctas = 0;
  std::uint32_t allowed = compiler::SpillRegisters::kNoLimit;
  for (const auto& [name, values] : entry.directives) {
    if (values.empty()) continue;
    if (name == "maxntid" || name == "reqntid")
      threads = std::accumulate(values.begin(), values.end(), std::uint64_t{1}, std::multiplies<>());
    if (name == "minnctapersm") ctas = values.front();
    if (name == "maxnreg" && values.front() != 0)
      allowed = static_cast<std::uint32_t>(std::min<std::uint64_t>(values.front(), allowed));
  }
  const std::uint64_t warps = (threads + base::kLanes - 1) / base::kLanes;
  if (warps == 0 || ctas == 0 || ctas > room.max_ctas || warps > room.max_warps / ctas) return allowed;
  return std::min(allowed, registers_for(room, warps * ctas));
}

}  // namespace

void compile_kernels(isa::Module& module, const ptx::Module& tree, const GpuConfig& config,
                     const MorePasses& more_passes, std::uint32_t limit) {
  const compiler::DelayedReconvergence::Excepted excepted = [&tree, names = exceptions(config)](
                                                                const std::string& name, bool entry) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return true;
    const auto function = std::find_if(
        tree.functions.begin(), tree.functions.end(),
        [&](const ptx::Function& f) { return f.is_entry == entry && !f.external && f.name == name; });
    return function != tree.functions.end() && ssde::has_no_ssde_pragma(tree, *function);
  };
  const auto allowed = [&](const isa::Kernel& kernel) {
    const auto entry =
        std::find_if(tree.functions.begin(), tree.functions.end(),
                     [&](const ptx::Function& f) { return f.is_entry && f.name == kernel.name; });
    return entry == tree.functions.end() ? limit
                                         : std::min(limit, allowed_registers(*entry, config.core.occupancy));
  };
  compiler::Pipeline pipeline = common_passes(config, excepted, more_passes);
  if (config.schedule == InstructionSchedule::kList)
    pipeline.add(compiler::Stage::kTransform,
                 std::make_shared<const compiler::ListSchedule>(schedule_of(config), allowed));
  // Behind what moves instructions, which may make more values live.
  pipeline.add(compiler::Stage::kTransform, std::make_shared<const compiler::SpillRegisters>(allowed));
  add_placement(pipeline, config, excepted);  // of what is final otherwise
  serve_convergence(pipeline, config.core.control_flow);
  add_likely_convergence(pipeline, config.core.control_flow);
  pipeline.run(module);
}

void compile_machine_code(isa::Module& module, const GpuConfig& config, const MorePasses& more_passes) {
  if (config.compiler == CompilerStep::kSsde)
    throw base::InputError(module.source->name,
                           "core.compiler=ssde transforms PTX text, and this is machine code",
                           "Set core.compiler to another value, or give PTX.");
  const compiler::DelayedReconvergence::Excepted excepted = [names = exceptions(config)](
                                                                const std::string& name, bool /*entry*/) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  compiler::Pipeline pipeline = common_passes(config, excepted, more_passes);
  serve_convergence(pipeline, config.core.control_flow);
  add_likely_convergence(pipeline, config.core.control_flow);
  pipeline.run(module);
}

}  // namespace heddle::gpu
