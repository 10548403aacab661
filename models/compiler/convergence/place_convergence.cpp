#include "compiler/convergence/place_convergence.h"

#include <algorithm>
#include <optional>

#include "analysis/delayed_reconvergence.h"
#include "compiler/convergence/emission.h"
#include "compiler/convergence/full_meetings.h"
#include "compiler/convergence/function_flow.h"
#include "compiler/convergence/recursion.h"
#include "compiler/convergence/starvation.h"

namespace heddle::compiler {
namespace {

using analysis::CodeRange;
using base::LaneMask;
using base::Pc;
using isa::Instruction;
using isa::Opcode;

/// Where branches meet elsewhere than usual, and loops whose lanes may wait for others.
struct Waiting {
  struct Meeting {
    Pc at = base::kNoPc;
    std::uint32_t loop = 0;  ///< number of the loop, from 1
  };
  std::map<std::uint32_t, Meeting> branches;  ///< by PC
  std::set<std::uint32_t> splits;             ///< meeting places
  std::vector<WaitingLoop> loops;
};

class Placement {
 public:
  Placement(isa::Kernel& kernel, const ConvergenceOptions& options) : kernel_(kernel), options_(options) {}

  PlacementReport run() {
    for (const CodeRange& range : analysis::code_ranges(kernel_))
      if (range.function != 0) merge_returns(kernel_, range);
    const std::vector<CodeRange> ranges = analysis::code_ranges(kernel_);
    ranges_ = &ranges;
    find_waiting();
    const analysis::ControlFlowGraph cfg(kernel_.code, kernel_.targets);
    const analysis::Uniformity uniformity(kernel_, cfg);
    cfg_ = &cfg;
    uniformity_ = &uniformity;
    uses_.resize(kernel_.functions.size() + 1);
    const isa::Kernel before = kernel_;
    before_ = &before;
    KernelEditor editor(kernel_);
    editor_ = &editor;
    for (const CodeRange& range : ranges) use_of(range.function);
    meet_behind_yields();
    share_entries();
    editor.finish();
    for (PlacementReport::Region& region : report_.regions) {
      region.opens = editor.now_at(region.opens);
      region.meets = editor.now_at(region.meets);
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool is_recursive(const CodeRange& range) const {
    return range.function != 0 && kernel_.functions[range.function - 1].recursion != 0;
  }

  [[nodiscard]] bool excepted(std::uint32_t pc) const {
    if (!options_.excepted) return false;
    const isa::FunctionCode* const function = kernel_.function_at(Pc(pc));
    return function == nullptr ? options_.excepted(kernel_.name, true)
                               : options_.excepted(function->name, false);
  }

  void find_waiting() {
    if (options_.delay == DelayedMeeting::kOff && options_.yields == Yields::kOff) return;
    analysis::CodeAnalysis code(kernel_);
    waiting_.loops = find_waiting_loops(code, {options_.waits_by_weak_loads, options_.yields == Yields::kAll,
                                               [this](std::uint32_t header) { return excepted(header); }});
    analysis::DeadlockOptions rules;
    rules.writes_within_loop = options_.delay != DelayedMeeting::kNear;
    rules.strong_reads_only = !options_.waits_by_weak_loads;
    const analysis::DelayedReconvergence delayed = analysis::delay_reconvergence(code, rules);
    std::uint32_t number = 0;
    for (const analysis::LoopFinding& finding : delayed.loops) {
      if (!finding.flagged()) continue;
      const std::uint32_t header = code.cfg().block(finding.loop.header).first;
      if (excepted(header)) continue;
      ++number;
      for (const std::uint32_t branch : finding.exit_branches) waiting_.branches[branch].loop = number;
    }
    for (const analysis::ReconvergencePoint& point : delayed.points) {
      const Pc usual = code.post_dominators().behind(point.branch);
      const auto found = waiting_.branches.find(point.branch);
      if (options_.delay == DelayedMeeting::kOff || excepted(point.branch) || point.rpc == usual) {
        if (found != waiting_.branches.end()) found->second.at = usual;
      } else {
        waiting_.branches[point.branch].at = point.rpc;
      }
    }
    for (const auto& [branch, meeting] : waiting_.branches)
      if (meeting.at != base::kNoPc) waiting_.splits.insert(meeting.at.value());
  }

  // ---- Functions, those that are called first

  [[nodiscard]] std::vector<std::uint32_t> called(std::uint32_t call) const {
    const isa::Instruction& instruction = before_->code[call];
    std::vector<std::uint32_t> functions;
    const auto add = [&](Pc target) {
      for (std::uint32_t f = 0; f < before_->functions.size(); ++f)
        if (target == Pc(before_->functions[f].first) || target == Pc(before_->functions[f].entry))
          functions.push_back(f + 1);
    };
    if (!instruction.src[0].present) add(instruction.target);
    for (std::uint32_t i = 0; instruction.src[0].present && i < instruction.table_count; ++i)
      add(before_->targets[instruction.table_first + i]);
    return functions;
  }

  FunctionUse use_of_call(std::uint32_t call) {
    FunctionUse use;
    for (const std::uint32_t function : called(call)) use.add(use_of(function));
    return use;
  }

  const FunctionUse& use_of(std::uint32_t function) {
    if (!uses_[function]) {
      const auto range = std::find_if(ranges_->begin(), ranges_->end(),
                                      [&](const CodeRange& each) { return each.function == function; });
      if (range == ranges_->end())
        uses_[function] = FunctionUse{};
      else if (is_recursive(*range))
        place_recursion(kernel_.functions[function - 1].recursion);
      else
        uses_[function] = place(*range);
    }
    return *uses_[function];
  }

  /// A function's flow, and its regions before they are written.
  struct Plan {
    FunctionFlow flow;
    std::vector<NodeId> yields;  ///< headers of loops
    Allocation allocation;
  };

  FunctionFlow flow_of(const CodeRange& range) {
    return function_flow(*before_, *cfg_, *uniformity_, range, {waiting_.splits, options_.regions.loop_exits},
                         [this](std::uint32_t call) { return use_of_call(call); });
  }

  [[nodiscard]] Starvation starvation_of(const CodeRange& range, const FunctionFlow& flow) const {
    return {
        *before_, *cfg_, flow, waiting_.loops, range.function != 0, options_.delay == DelayedMeeting::kFar};
  }

  [[nodiscard]] std::vector<NodeId> yields_of(const Starvation& starvation,
                                              const std::vector<Region>& regions) const {
    if (options_.yields == Yields::kOff) return {};
    return options_.yields == Yields::kAll ? starvation.headers() : starvation.yielding(regions);
  }

  Plan plan(const CodeRange& range, const AllocationOptions& options) {
    Plan plan;
    plan.flow = flow_of(range);
    const Starvation starvation = starvation_of(range, plan.flow);
    const Starvation* const avoided = options_.delay != DelayedMeeting::kOff ? &starvation : nullptr;
    Regions regions(plan.flow.graph, options_.regions, avoided);
    regions.find(meeting_places(plan.flow, regions), plan.flow.call_regions);
    plan.allocation = allocate(std::move(regions), plan.flow.calls, starvation.waiting(), range.function != 0,
                               options, avoided);
    std::vector<Region> placed;
    for (const PlacedRegion& each : plan.allocation.regions) placed.push_back(each.region);
    plan.yields = yields_of(starvation, placed);
    return plan;
  }

  void emit(const Plan& plan, const EmissionOptions& options, bool saved) {
    const std::vector<EmittedRegion> emitted =
        emit_regions(*before_, plan.flow, plan.allocation, plan.yields, options, *editor_);
    for (std::size_t i = 0; i < emitted.size(); ++i) {
      const PlacedRegion& placed = plan.allocation.regions[i];
      report_.regions.push_back({emitted[i].bssy, emitted[i].bsync, placed.number(), placed.spilled(),
                                 placed.region.early, placed.region.waits, saved,
                                 placed.region.leaving.size()});
    }
    report_.dropped += plan.allocation.dropped;
  }

  FunctionUse place(const CodeRange& range) {
    const Plan planned = plan(range, options_.allocation);
    emit(planned, {options_.breaks, {}, base::kNoPc}, false);
    FunctionUse use = planned.allocation.use;
    note_waiting(range, use);
    return use;
  }

  /// Where lanes may give way to others, here or in what is called.
  void note_waiting(const CodeRange& range, FunctionUse& use) {
    note_loops(range, use);
    for (std::uint32_t pc = range.first; pc < range.end; ++pc) {
      use.yields = use.yields || before_->code[pc].op == Opcode::kSleep;
      if (before_->code[pc].op != Opcode::kCall) continue;
      const FunctionUse called = use_of_call(pc);
      use.yields = use.yields || called.yields;
      use.spins.insert(called.spins.begin(), called.spins.end());
    }
    use.yields = use.yields || !use.spins.empty();
  }

  void note_loops(const CodeRange& range, FunctionUse& use) const {
    for (std::uint32_t i = 0; i < waiting_.loops.size(); ++i)
      if (waiting_.loops[i].function == range.function) use.spins.insert(i);
  }

  /// Who waits for a loop that yields is not held at a BSYNC. So lanes meet where all are needed, as ptxas lets them do: a barrier
  /// or .sync instruction keeps them apart if they come to it one after the other.
  void meet_behind_yields() {
    if (options_.yields != Yields::kAll) return;
    for (const std::uint32_t pc : full_meetings(*before_, waiting_.loops)) {
      Instruction meet = isa::warpsync(editor_->constant(isa::RowWidth::k32, LaneMask::all().bits()));
      meet.guard = before_->code[pc].guard;
      editor_->insert_before(Pc(pc), Entry::kJumpsToo, meet);
    }
  }

  // ---- Recursion ([Hanoi:S9])

  struct Recursive {
    std::uint32_t number = 0;
    std::vector<const CodeRange*> functions;
    std::vector<std::vector<std::uint32_t>> calls;  ///< by function: those of the same recursion
  };

  [[nodiscard]] Recursive members(std::uint32_t number) const {
    Recursive out;
    out.number = number;
    for (const CodeRange& each : *ranges_) {
      if (each.function == 0 || before_->functions[each.function - 1].recursion != number) continue;
      out.functions.push_back(&each);
      std::vector<std::uint32_t>& calls = out.calls.emplace_back();
      for (std::uint32_t pc = each.first; pc < each.end; ++pc) {
        if (before_->code[pc].op != Opcode::kCall) continue;
        const std::vector<std::uint32_t> functions = called(pc);
        if (std::any_of(functions.begin(), functions.end(), [&](std::uint32_t function) {
              return before_->functions[function - 1].recursion == number;
            }))
          calls.push_back(pc);
      }
    }
    return out;
  }

  /// Without regions: its lanes go each their own way; none of its calls returns to another depth.
  FunctionUse use_without_regions(const Recursive& recursion) {
    FunctionUse use;
    use.returns_apart = true;
    for (const CodeRange* each : recursion.functions) {
      for (std::uint32_t pc = each->first; pc < each->end; ++pc) {
        const isa::Instruction& instruction = before_->code[pc];
        if (instruction.op == Opcode::kExit) use.may_exit = true;
        if (may_wait(instruction)) use.waits = true;
        if (instruction.op == Opcode::kSleep) use.yields = true;
        if (instruction.op != Opcode::kCall) continue;
        for (const std::uint32_t function : called(pc))
          if (before_->functions[function - 1].recursion != recursion.number) use.add(use_of(function));
      }
      note_loops(*each, use);
    }
    use.yields = use.yields || !use.spins.empty();
    return use;
  }

  /// Regions only if every register is back in place when others of the warp run: while lanes are in the recursion, they
  /// neither give way nor wait for others nor exit, and those that entered a function together return together.
  void place_recursion(std::uint32_t number) {
    const Recursive recursion = members(number);
    const FunctionUse without = use_without_regions(recursion);
    const auto assume = [&](const FunctionUse& use) {
      for (const CodeRange* each : recursion.functions) uses_[each->function] = use;
    };
    const bool allowed =
        options_.recursion && !without.may_exit && !without.waits && !without.yields &&
        std::all_of(recursion.functions.begin(), recursion.functions.end(), [&](const CodeRange* each) {
          return RecursionGuard::frame_set(*before_, *each) != base::kNoPc;
        });
    // Where no region is opened any more, lanes come back from inner calls one after the other: these are in a region
    // already, or get one of their own.
    for (const bool around_calls : {false, true}) {
      if (!allowed) break;
      FunctionUse inner = without;
      inner.entries = 0;
      inner.returns_apart = around_calls;
      assume(inner);
      std::vector<Plan> plans;
      for (const CodeRange* each : recursion.functions) {
        AllocationOptions options = options_.allocation;
        options.spills = false;
        plans.push_back(plan(*each, options));
      }
      std::uint32_t entries = 0;  // of one call
      for (const Plan& each : plans) entries = std::max(entries, each.allocation.use.entries);
      // At any depth functions outside of the recursion may be called.
      if (entries + without.entries > options_.allocation.entries || !return_together(recursion, plans))
        continue;
      emit(recursion, plans, entries);
      FunctionUse use = without;
      use.returns_apart = false;
      use.entries = entries + without.entries;
      // Registers are back in place when the callers' lanes run, unless some of these come back from a wait meanwhile.
      if (waits_anywhere())
        for (const Plan& each : plans)
          use.overwrites.insert(each.allocation.use.overwrites.begin(), each.allocation.use.overwrites.end());
      assume(use);
      return;
    }
    assume(without);
    // Lanes give way to others all the same.
    for (const CodeRange* each : recursion.functions) {
      Plan yields;
      yields.flow = flow_of(*each);
      yields.yields = yields_of(starvation_of(*each, yields.flow), {});
      if (!yields.yields.empty()) emit(yields, {options_.breaks, {}, base::kNoPc}, false);
    }
  }

  [[nodiscard]] bool waits_anywhere() const {
    return std::any_of(before_->code.begin(), before_->code.end(), may_wait);
  }

  [[nodiscard]] bool return_together(const Recursive& recursion, const std::vector<Plan>& plans) const {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const Allocation& allocation = plans[i].allocation;
      if (allocation.use.returns_apart) return false;
      for (const std::uint32_t call : recursion.calls[i]) {
        const FunctionFlow& flow = plans[i].flow;
        const NodeId node = std::prev(flow.starting.upper_bound(call))->second;
        const bool within = std::any_of(allocation.regions.begin(), allocation.regions.end(),
                                        [&](const PlacedRegion& placed) {
                                          const Region& region = placed.region;
                                          return region.leaving.empty() && region.body.test(node) &&
                                                 (region.from != node || flow.calls[node].behind);
                                        });
        if (!within) return false;
      }
    }
    return true;
  }

  void emit(const Recursive& recursion, const std::vector<Plan>& plans, std::uint32_t entries) {
    RecursionGuard guard(*before_, *editor_);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const CodeRange& range = *recursion.functions[i];
      std::set<std::uint8_t> barriers;
      for (const PlacedRegion& placed : plans[i].allocation.regions) barriers.insert(placed.number());
      guard.enter(range, barriers, recursion.calls[i]);
      emit(plans[i], {options_.breaks, guard.armed(), RecursionGuard::frame_set(*before_, range)}, true);
      guard.leave(range, barriers);
    }
    guards_.emplace_back(std::move(guard), entries);
  }

  /// REC has room for one call of each recursion: what is left is shared.
  void share_entries() {
    if (guards_.empty()) return;
    const std::uint32_t used = uses_[0]->entries;
    const std::uint32_t room = options_.allocation.entries - std::min(options_.allocation.entries, used);
    for (auto& [guard, entries] : guards_) {
      const std::uint32_t most =
          1 + room / static_cast<std::uint32_t>(guards_.size()) / std::max(entries, 1u);
      guard.set_most(most);
      report_.nested = report_.nested == 0 ? most : std::min(report_.nested, most);
    }
  }

  [[nodiscard]] std::map<NodeId, MeetingPlace> meeting_places(const FunctionFlow& flow,
                                                              const Regions& regions) const {
    std::map<NodeId, MeetingPlace> places;
    for (const auto& [branch, meeting] : waiting_.branches) {
      const NodeId node = flow.ending_at(branch);
      if (node == kNoNode || branch < flow.entry || branch >= flow.end) continue;
      places[node] = {place_at(flow, regions, node, meeting.at), meeting.loop};
    }
    return places;
  }

  /// On the way to a loop its lanes meet before they enter it.
  [[nodiscard]] static NodeId place_at(const FunctionFlow& flow, const Regions& regions, NodeId branch,
                                       Pc at) {
    if (at == base::kNoPc) return kNoNode;
    const auto found = flow.starting.find(at.value());
    if (found == flow.starting.end()) return kNoNode;
    for (NodeId next = regions.post_dominator(branch); next != kNoNode; next = regions.post_dominator(next))
      if (flow.code[next].kind == NodeCode::Kind::kBefore && flow.code[next].header == found->second)
        return next;
    return found->second;
  }

  isa::Kernel& kernel_;
  const ConvergenceOptions& options_;
  Waiting waiting_;
  const std::vector<CodeRange>* ranges_ = nullptr;
  const analysis::ControlFlowGraph* cfg_ = nullptr;
  const analysis::Uniformity* uniformity_ = nullptr;
  const isa::Kernel* before_ = nullptr;  ///< while the editor changes it
  KernelEditor* editor_ = nullptr;
  std::vector<std::optional<FunctionUse>> uses_;
  std::vector<std::pair<RecursionGuard, std::uint32_t>> guards_;  ///< and entries of REC that a call takes
  PlacementReport report_;
};

}  // namespace

bool has_convergence(const isa::Kernel& kernel) {
  return std::any_of(kernel.code.begin(), kernel.code.end(),
                     [](const isa::Instruction& each) { return each.op == Opcode::kConvergence; });
}

PlacementReport place_convergence(isa::Kernel& kernel, const ConvergenceOptions& options) {
  return Placement(kernel, options).run();
}

void PlaceConvergence::run(isa::Kernel& kernel) const {
  if (!kernel.code.empty() && !has_convergence(kernel)) place_convergence(kernel, options_);
}

}  // namespace heddle::compiler
