#include "simt/control_flow.h"

#include <stdexcept>

#include "simt/aware.h"
#include "simt/lockstep.h"
#include "simt/multi_path.h"
#include "simt/simt_stack.h"

namespace heddle::simt {

namespace {
constexpr std::uint32_t kMostTimeout = 1u << 30;
}  // namespace

void TimeoutConfig::visit(base::ConfigVisitor& v) {
  v.field("cycles", cycles,
          {.unit = "core cycles",
           .doc = "lanes that wait longer than this for others to reconverge go on alone; 0: they wait for "
                  "ever (mimd-simt-and-bows M4c)",
           .max = kMostTimeout});
  v.field("resolution_cycles", resolution_cycles,
          {.unit = "core cycles",
           .doc = "how often waiting times are compared with the limit (mimd-simt-and-bows A8)",
           .min = 1,
           .max = kMostTimeout});
}

void AwareConfig::visit(base::ConfigVisitor& v) {
  v.field("st_entries", st_entries,
          {.unit = "entries",
           .doc = "physical splits table of a warp; below 32 it is virtualised (mimd-simt-and-bows A5)",
           .min = 1,
           .max = base::kLanes});
  v.field("rt_entries", rt_entries,
          {.unit = "entries",
           .doc = "physical reconvergence table of a warp; below 32 it is virtualised (A5)",
           .min = 1,
           .max = base::kLanes});
  v.choice("rt_victim", rt_victim, {"least_recent", "most_recent"},
           "entry of a full reconvergence table that is spilled (A7)");
  v.field("rotate_on_taken_branch", rotate_on_taken_branch,
          {.unit = "",
           .doc = "the running split goes to the end of the queue at every taken branch, not only at "
                  "divergent ones (A1)"});
}

void MultiPathConfig::visit(base::ConfigVisitor& v) {
  v.field("paths", paths,
          {.unit = "splits",
           .doc = "splits of a warp that may be fetched and issued at a time (mimd-simt-and-bows §4)",
           .min = 1,
           .max = base::kLanes});
  v.field("opportunistic_reconvergence", opportunistic_reconvergence,
          {.unit = "", .doc = "splits that meet in a block before their reconvergence point merge (M5b)"});
  v.field(
      "yield_on_taken_branch", yield_on_taken_branch,
      {.unit = "",
       .doc = "with more splits than paths, a split that takes a branch makes room for one that waits (as A1 "
              "has it for aware). false, as published: a split keeps its path until it ends, and splits "
              "that spin may keep the one they wait for from running"});
}

void ControlFlowConfig::visit(base::ConfigVisitor& v) {
  v.choice("mechanism", mechanism, {"simt_stack", "aware", "multi_path"},
           "how diverged lanes of a warp are scheduled and reconverged");
  v.choice(
      "first_side", first_side, {"auto", "taken", "not_taken", "smaller"},
      "side of a divergent branch that runs first (mimd-simt-and-bows A2, tbc-and-kilotm A1); auto: taken "
      "on the stack, not_taken on the others");
  v.section("timeout", timeout, "timed-out reconvergence of aware and multi_path");
  v.section("aware", aware, "mechanism aware");
  v.section("multi_path", multi_path, "mechanism multi_path");
  v.section("simt_stack", simt_stack, "the stack of simt_stack");
  v.section("split_table", split_table, "splits table of aware and multi_path");
  v.section("reconvergence_table", reconvergence_table, "reconvergence table of aware and multi_path");
  v.section("split_fifo", split_fifo, "queue of splits of aware");
}

FirstSide ControlFlowConfig::resolved_first_side() const {
  if (first_side != FirstSide::kAuto) return first_side;
  return mechanism == Mechanism::kSimtStack ? FirstSide::kTaken : FirstSide::kNotTaken;
}

namespace {

std::unique_ptr<ControlFlow> make_simt_stack(const ControlFlowConfig& config, std::uint32_t warps,
                                             const std::string& path, sim::Twins* twins) {
  const sim::Implementation impl = config.simt_stack.impl;
  const FirstSide first = config.resolved_first_side();
  std::unique_ptr<ControlFlow> model, rtl;
  if (impl != sim::Implementation::kRtl) model = std::make_unique<SimtStack>(warps, first);
  if (impl == sim::Implementation::kModel) return model;
  rtl = sim::Twins::make<SimtStackBlock>(twins, impl, {warps, first}, path);
  if (impl == sim::Implementation::kRtl) return rtl;
  return std::make_unique<LockstepControlFlow>(SimtStackBlock::kName, path, std::move(model), std::move(rtl));
}

}  // namespace

std::unique_ptr<ControlFlow> make_control_flow(const ControlFlowConfig& config, std::uint32_t warps,
                                               ControlFlowPorts& ports, const std::string& path,
                                               sim::Twins* twins) {
  switch (config.mechanism) {
    case Mechanism::kSimtStack:
      return make_simt_stack(config, warps, path, twins);
    case Mechanism::kAware:
      return std::make_unique<Aware>(config, warps, ports, twins);
    case Mechanism::kMultiPath:
      return std::make_unique<MultiPath>(config, warps, ports, twins);
  }
  throw std::logic_error("make_control_flow: mechanism without an implementation");
}

}  // namespace heddle::simt
