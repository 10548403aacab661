#include "spin/spin_unit.h"

#include <algorithm>
#include <utility>

#include "compiler/facts.h"
#include "core/state/core_state.h"
#include "spin/storage.h"

namespace heddle::spin {
namespace {

bool is_backward_branch(const isa::Instruction& instruction, Pc pc) {
  return instruction.op == isa::Opcode::kBranch && instruction.target <= pc;
}

/// A compare into predicates: what the detector looks at.
bool is_setp(const isa::Instruction& instruction) {
  return instruction.compare &&
         std::any_of(instruction.dst.begin(), instruction.dst.end(), [](const isa::Operand& to) {
           return to.present && to.width == isa::RowWidth::kPredicate;
         });
}

void show_storage(base::StatGroup& stats, const Storage& bits) {
  const auto show = [&](const char* name, const char* what, std::uint64_t value) {
    stats.derived(name, "bits", what, [value] { return value; });
  };
  show("sib_table", "DDOS: SIB prediction table", bits.sib_table);
  show("histories", "DDOS: hashes of paths and values", bits.histories);
  show("detectors", "DDOS: state, match pointer, remaining count and profiled lane of each history",
       bits.detectors);
  show("pending_delay", "BOWS: a counter per warp", bits.pending_delay);
  show("backed_off", "BOWS: a bit per warp", bits.backed_off);
  show("queues", "BOWS: back-off queues", bits.queues);
  show("total", "all of it", bits.total());
}

}  // namespace

core::CoreUnit spin_core_unit() {
  return {"spin", "spin-aware scheduling: detection of busy-waiting (DDOS) and back-off (BOWS)",
          base::ConfigOption::section<SpinConfig>("spin", "spin-aware scheduling: DDOS and BOWS"),
          [](const core::CoreConfig& core) -> core::CoreExtensionFactory {
            const auto& config = core.units.get<SpinConfig>("spin");
            config.validate();
            if (config.source == SibSource::kNone) return nullptr;
            return [config](const core::CoreExtensionSite& site) {
              return std::make_unique<SpinUnit>("spin", config, site);
            };
          }};
}

SpinUnit::SpinUnit(const sc_core::sc_module_name& name, const SpinConfig& config,
                   const core::CoreExtensionSite& site)
    : sc_module(name),
      config_(config),
      stats_(site.stats.child("spin", "spin-aware scheduling")),
      record_(stats_.child("detection", "spin-inducing branches detected, against the kernel's annotations")),
      history_("warp_history", config.ddos, config.timing, site.config.occupancy.max_warps,
               stats_.child("warp_history", "DDOS: histories of setps")),
      table_stats_(stats_.child("sib_table", "DDOS: SIB prediction table")),
      table_(config.clocked_table()
                 ? nullptr
                 : std::make_unique<SibTable>("sib_table", config, table_stats_, site.services.twins)),
      clocked_table_(config.clocked_table()
                         ? std::make_unique<ClockedSibTable>("sib_table", config, site.config.scheduler.count,
                                                             table_stats_, site.services.twins)
                         : nullptr),
      limit_("delay_limit", config.bows, config.timing, stats_.child("delay_limit", "BOWS: delay estimator")),
      backoff_("backoff_unit", config.bows,
               {site.config.scheduler.count, site.config.occupancy.max_warps, site.groups_per_warp, site.core,
                config.clocked_table(),
                config.clocked_table() && config.ddos.port_conflict == PortConflict::kWait},
               stats_.child("backoff_unit", "BOWS: back-off queues")) {
  show_storage(stats_.child("storage", "what the hardware holds, by the configuration"),
               storage_bits(config, site.config.occupancy.max_warps, site.config.scheduler.count));
  history_isock.bind(history_.history_tsock);
  if (clocked_table_)
    sib_isock.bind(clocked_table_->sib_tsock);
  else
    sib_isock.bind(table_->sib_tsock);
  spin_isock.bind(backoff_.spin_tsock);
  backoff_.window_isock.bind(limit_.window_tsock);
  backoff_.history_isock.bind(history_.reset_tsock);
  backoff_.look_up_isock.bind(look_up_tsock);
}

void SpinUnit::begin(const core::LaunchContext& launch) {
  const isa::Kernel& kernel = *launch.kernel;
  record_.begin(kernel);
  std::vector<bool> backward;
  if (clocked_table_)
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
      backward.push_back(is_backward_branch(kernel.code[pc], Pc{pc}));
  backoff_.begin(launch.trace, std::move(backward));
  sib_isock.flush();
  given_.assign(kernel.code.size(), false);
  if (config_.source != SibSource::kDdos) {
    const isa::ProgramFacts& facts = compiler::facts_of(kernel);
    const auto mark = config_.source == SibSource::kAnalysis ? isa::ProgramFacts::kSpinBranch
                                                             : isa::ProgramFacts::kNamedSpinBranch;
    for (std::uint32_t pc = 0; pc < given_.size(); ++pc) given_[pc] = facts.has(Pc{pc}, mark);
  }
  for (std::uint32_t pc = 0; pc < given_.size(); ++pc)
    if (given_[pc]) record_.given(Pc{pc});
}

void SpinUnit::tap(core::IssueTapRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  if (request.op == core::IssueTapRequest::Op::kInterest) {
    if (request.pc.value() == 0) begin(*request.launch);
    request.wanted = is_backward_branch(instruction, request.pc) ||
                     (config_.source == SibSource::kDdos && is_setp(instruction));
    return;
  }
  if (request.exec.none()) return;
  if (instruction.op == isa::Opcode::kBranch)
    branches_back(request);
  else
    compares(request);
}

void SpinUnit::compares(const core::IssueTapRequest& issue) {
  const unsigned lane = history_isock.lane(issue.warp, issue.exec, issue.cycle);
  if (lane == HistoryRequest::kNoLane) return;
  HistoryRequest setp{
      .warp = issue.warp, .cycle = issue.cycle, .exec = issue.exec, .pc = issue.pc, .lane = lane};
  for (unsigned i = 0; i < setp.values.size(); ++i)
    if (const isa::Operand& source = issue.instruction->src[i]; source.present)
      setp.values[i] = issue.operands->value(source, lane);
  history_isock.insert(setp);
}

bool SpinUnit::is_sib(const core::IssueTapRequest& issue) {
  if (config_.source != SibSource::kDdos) return given_[issue.pc.value()];
  const bool spinning = history_isock.spins(issue.warp, issue.cycle);
  const SibRequest sib = sib_isock.look_up(issue.pc, issue.cycle, spinning);
  if (sib.confirmed) record_.confirmed(issue.pc, issue.cycle);
  return sib.predicted;
}

void SpinUnit::branches_back(const core::IssueTapRequest& issue) {
  if (config_.ddos.taken == TakenRule::kFirstLane && !issue.exec.test(issue.mask.lowest())) return;
  record_.taken(issue.pc, issue.cycle);
  if (!clocked_table_ && !is_sib(issue)) return;
  SpinEvent event{.warp = issue.warp,
                  .lanes = issue.exec,
                  .cycle = issue.cycle,
                  .known = issue.cycle,
                  .others = config_.bows.granularity == Granularity::kWarp &&
                            issue.paths->runnable_splits(issue.warp) > 1};
  if (clocked_table_)
    sib_isock.post(issue.scheduler, issue.pc, history_isock.spins(issue.warp, issue.cycle), event);
  else
    spin_isock.call(event);
}

void SpinUnit::serve_look_up(LookUpRequest& request) {
  if (request.op == LookUpRequest::Op::kForget) return sib_isock.forget(request.warp);
  answered_.clear();
  request.busy = sib_isock.step(request.cycle, answered_);
  for (SibAnswered& sib : answered_) {
    if (sib.confirmed) record_.confirmed(sib.pc, sib.event.cycle);
    if (sib.predicted && sib.event.lanes.any()) spin_isock.call(sib.event);
  }
}

}  // namespace heddle::spin
