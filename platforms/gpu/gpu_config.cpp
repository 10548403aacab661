#include "gpu/gpu_config.h"

#include "base/error.h"
#include "gpu/energy_events.h"
#include "gpu/registries.h"

namespace heddle::gpu {

namespace {

/// The keys of `core`: the core model's own, and those of the compiler.
struct CoreSection {
  core::CoreConfig& core;
  CompilerStep& compiler;
  std::string& except;
  InstructionSchedule& schedule;
  std::uint32_t& schedule_registers;
  analysis::DelayedPaths& delayed_paths;
  Approximations& approximations;
  std::uint32_t& tensor_block_bits;
  std::uint32_t& tensor_extra_bits;
  ConvergenceConfig& convergence;
  void visit(base::ConfigVisitor& v) {
    v.choice("compiler", compiler, {"none", "ssde", "delayed_reconvergence"},
             "changes kernels when they are loaded, so that code for MIMD machines finishes");
    v.field("compiler_except", except,
            {.doc = "names of kernels and functions, separated by commas, that core.compiler leaves alone"});
    v.choice("schedule", schedule, {"as_written", "list"},
             "PTX: order of instructions within basic blocks. list: as an assembler would, by the longest "
             "path of latencies, so "
             "that loads go ahead of what uses them; machine code stays as it is");
    v.field("schedule_registers", schedule_registers,
            {.unit = "32-bit registers per thread",
             .doc = "of schedule list: where as many hold values, what frees most goes next",
             .min = 1,
             .max = 1024});
    v.choice(
        "delayed_paths", delayed_paths, {"successors", "loop_exits"},
        "[AWARE:A9], of compiler delayed_reconvergence: paths start at every branch's successors, or only of "
        "branches that leave a loop, behind its exits");
    v.choice(
        "approximations", approximations, {"rounded", "mufu"},
        "results of .approx instructions of PTX. rounded: correctly; mufu: to the bit as cards compute them "
        "with their special function unit");
    v.field("tensor_block_bits", tensor_block_bits,
            {.unit = "bits",
             .doc = "mma: products whose elements have so many bits together are summed at once, with the "
                    "accumulator",
             .min = 32,
             .max = 512});
    v.field(
        "tensor_extra_bits", tensor_extra_bits,
        {.unit = "bits",
         .doc =
             "mma: fraction bits beyond the 23 of f32 to which summands are truncated when they are aligned",
         .min = 0,
         .max = 8});
    core.visit(v);
    v.section("convergence", convergence, "convergence instructions put into kernels without any");
  }
};

}  // namespace

GpuConfig::GpuConfig() : dispatch(dispatch_policies().entries()), energy(energy_events().entries()) {
  core.control_flow = simt::ControlFlowConfig(control_flow_mechanisms().entries());
  core.scheduler = core::SchedulerConfig(scheduling_policies().entries(), kDefaultSchedulingPolicy);
  for (cache::ReplacementChoice* choice : {&core.l1d.replacement, &core.l1i.replacement,
                                           &core.constant_cache.replacement, &memory.l2.replacement})
    *choice = cache::ReplacementChoice(replacement_policies().entries());
  memory.address_map = memory::AddressMappingChoice(address_maps().entries());
  memory.dram.scheduler = memory::DramSchedulingChoice(dram_schedulers().entries());
  memory.dram.page_policy = memory::DramPagingChoice(dram_page_policies().entries());
  for (const core::CoreUnit& unit : core_units().entries()) core.units.add(unit.section);
  for (const system::GpuMechanismEntry& mechanism : gpu_mechanisms().entries())
    mechanisms.add(mechanism.section);
}

void ClocksConfig::visit(base::ConfigVisitor& v) {
  v.field("core_mhz", core_mhz, {.unit = "MHz", .doc = "cores", .min = 1, .max = 10000});
  v.field("interconnect_mhz", interconnect_mhz, {.unit = "MHz", .doc = "crossbar", .min = 1, .max = 10000});
  v.field("l2_mhz", l2_mhz, {.unit = "MHz", .doc = "L2 slices and atomic units", .min = 1, .max = 10000});
  v.field("dram_mhz", dram_mhz, {.unit = "MHz", .doc = "DRAM command clock", .min = 1, .max = 10000});
}

void WatchdogConfig::visit(base::ConfigVisitor& v) {
  v.field("enabled", enabled, {.doc = "diagnose hangs (lack of progress); --max-cycles is separate"});
  v.field("check_cycles", check_cycles,
          {.unit = "core cycles", .doc = "interval between checks of progress", .min = 64, .max = 1e9});
  v.field(
      "memory_cycles", memory_cycles,
      {.unit = "core cycles",
       .doc = "a memory channel with requests outstanding that answers none of them for so long is a hang: "
              "twice what the power-up of a DDR4 device takes at 1400 MHz, the longest that a DRAM is silent "
              "(JESD79-4: 0.7 ms); 0: no limit",
       .min = 0,
       .max = 1e15});
}

void HostConfig::visit(base::ConfigVisitor& v) {
  v.field(
      "threads", threads,
      {.doc =
           "host threads that simulate cores, the caller's included; statistics, traces and memory are the "
           "same for any number. A run that keeps cores one after another says why in host.json",
       .min = 1,
       .max = 256});
  v.choice(
      "run_ahead", run_ahead, {"where_it_pays", "never", "always"},
      "cores and memory partitions are simulated for some cycles at once, as far as nothing can reach "
      "them, instead of all of them cycle by cycle: that is what threads share, and what keeps a core's "
      "state in the host's caches. where_it_pays: as several threads measure in the run; one thread does "
      "it for 64 cores and more, as long as they run some cycles each time");
  v.field("delay_seed", delay_seed,
          {.doc = "threads are late at random, up to some microseconds; 0: they are not",
           .max = 4294967295.0,
           .use = base::KeyUse::kTest});
}

void RuntimeConfig::visit(base::ConfigVisitor& v) {
  v.field("compute_capability", compute_capability,
          {.doc = "ten times the major number plus the minor one, as cudaGetDeviceProperties says it",
           .min = 10,
           .max = 999});
  v.choice(
      "code", code, {"ptx", "machine_code", "best"},
      "what of a program's fat binary runs, if it has both: its PTX, or its machine code of sm_90 or sm_75; "
      "best: machine code of the machine's own architecture, if it is there and all kernels of the program's "
      "file are executed from it, else PTX");
  v.field("ptx_fallback", ptx_fallback,
          {.doc = "code=machine_code: a kernel whose machine code is not executed here runs from PTX, if the "
                  "fat binary has "
                  "it, and that is said; false: it is refused"});
  v.choice("array_layout", array_layout, {"blocks", "rows"},
           "of CUDA arrays of two and three dimensions: rows in blocks, which keep texels near that are used "
           "together ([X1]), or one behind the other");
  v.field("tolerant_memory", tolerant_memory,
          {.doc = "heddle cuda: kernels reach up to 64 KiB beyond the program's buffers, with a warning for "
                  "each instruction that does, as a driver that allocates pages lets them; false: they "
                  "fault, as under heddle run"});
  v.field(
      "concurrent_streams", concurrent_streams,
      {.doc = "kernels of streams that do not wait for each other are on the GPU at the same time, a core "
              "having CTAs of one of them, and copies go beside kernels; false: one after another"});
  v.field("launch_ns", launch_ns,
          {.unit = "ns", .doc = "of the device's time beside each kernel's own", .max = 1e9});
  v.field("copy_ns", copy_ns,
          {.unit = "ns", .doc = "of each copy between host and device, beside its bytes", .max = 1e9});
  v.field("copy_gbytes_per_s", copy_gbytes_per_s,
          {.unit = "GB/s", .doc = "copies between host and device", .min = 0.001, .max = 1e6});
}

void ConvergenceConfig::visit(base::ConfigVisitor& v) {
  v.choice("placement", placement, {"auto", "on", "off"},
           "auto: if the control-flow mechanism executes them; on: in any case; kernels that have some stay "
           "as they are");
  v.field("barrier_registers", barrier_registers,
          {.unit = "registers",
           .doc = "barrier registers that the placement may use; 0: all that the mechanism leaves to "
                  "programs, or 7 if it has no barrier registers",
           .max = 32});
  v.choice("delay", delay, {"far", "near", "off"},
           "where lanes meet that have left a loop in which others may wait for them. far: behind every "
           "write that may "
           "end the waiting; near: without those reached in the next iteration of a loop around; off: "
           "directly behind "
           "the loop, as if none waited");
  v.choice("waits", waits, {"strong", "any"},
           "loads by which a loop may wait for other threads. strong: volatile, relaxed and stronger ones, "
           "and atomics; "
           "any: weak ones, too, which a compiler may take out of the loop; many loops without any waiting "
           "are then "
           "treated as if they waited");
  v.field("early", early,
          {.doc = "place regions also for joins that are no branch's post-dominator ([Hanoi:P1], step 4)"});
  v.field(
      "loop_exits", loop_exits,
      {.doc =
           "lanes that leave a loop by one of several ways meet behind it first, before all meet, as ptxas "
           "lets them: behind the latch's way out where it has work, or, where all ways end, behind the one "
           "with most (models/compiler/convergence/README.md)"});
  v.choice("yields", yields, {"needed", "all", "off"},
           "loops whose lanes may wait for others that begin with a YIELD. needed: where those others may be "
           "lanes of the same warp that are elsewhere; all: as ptxas does; off: none, and spin locks hang");
  v.field("breaks", breaks,
          {.doc = "place a BREAK on the edges that leave a region; without it profile P sends lanes to wrong "
                  "places"});
  v.field("pins", pins,
          {.doc = "regions that lanes may leave keep their barrier register ([Hanoi:K4]); without it profile "
                  "P hangs"});
  v.field("recursion", recursion,
          {.doc = "regions in recursive functions, which keep their barrier registers in the frame meanwhile "
                  "([Hanoi:S9]); false: none there, so that their lanes go each their own way"});
}

void GpuConfig::visit(base::ConfigVisitor& v) {
  v.field("name", name, {.doc = "shown in reports"});
  v.field("cores", cores,
          {.unit = "cores", .doc = "SIMT cores (streaming multiprocessors)", .min = 1, .max = 256});
  v.field("stack_bytes_per_thread", stack_bytes_per_thread,
          {.unit = "bytes",
           .doc = "stack of kernels with recursion or alloca, in local memory",
           .min = 16,
           .max = 512 * 1024});
  v.field("heap_kib", heap_kib,
          {.unit = "KiB",
           .doc = "heap of kernels with malloc, allocated when the first of them is launched",
           .min = 1,
           .max = 1024 * 1024});
  v.section("clocks", clocks, "clock domains");
  CoreSection cores_and_compiler{
      core,          compiler,       compiler_except,   schedule,          schedule_registers,
      delayed_paths, approximations, tensor_block_bits, tensor_extra_bits, convergence};
  v.section("core", cores_and_compiler, "every core");
  v.section("dispatch", dispatch, "CTA dispatcher");
  v.section("memory", memory, "crossbar, L2 slices, DRAM channels");
  mechanisms.visit(v);
  v.section("energy", energy, "energy per event: for ratios of dynamic energy");
  v.section("watchdog", watchdog, "hang diagnosis");
  v.section("runtime", runtime, "whole CUDA programs (heddle cuda)");
  v.section("host", host, "the simulator itself: decides no result");
}

void GpuConfig::validate() const {
  core.validate();
  memory.validate();
  energy.validate();
  if (memory.crossbar.coalesced_reads != 1 && core.memory_model != core::MemoryModel::kScoped)
    throw base::InputError("memory.crossbar.coalesced_reads",
                           "reads may share an answer only where acquires are known",
                           "set core.memory_model=scoped, or memory.crossbar.coalesced_reads=1");
  if (core.l1d.line_bytes != memory.l2.line_bytes)
    throw base::InputError("core.l1d.line_bytes", "differs from memory.l2.line_bytes; a fill is one L2 line",
                           "set both to the same value");
  if (core.l1i.enabled && core.l1i.line_bytes > memory.l2.line_bytes)
    throw base::InputError("core.l1i.line_bytes", "larger than an L2 line (memory.l2.line_bytes)",
                           "a miss is one read: choose at most the L2 line");
  if (core.constant_cache.line_bytes > memory.l2.line_bytes)
    throw base::InputError("core.constant_cache.line_bytes",
                           "longer than memory.l2.line_bytes; a fill is part of one L2 line",
                           "use at most memory.l2.line_bytes");
}

}  // namespace heddle::gpu
