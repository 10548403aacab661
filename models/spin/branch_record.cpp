#include "spin/branch_record.h"

#include "compiler/facts.h"

namespace heddle::spin {

BranchRecord::BranchRecord(base::StatGroup& stats) {
  stats.before_reading([this] { settle(); });
  stats.counter("true_sibs", "branches", "spin-inducing by the kernel's text and taken, per core and launch",
                &true_.encountered);
  stats.counter("true_detected", "branches", "of these, detected", &true_.detected);
  stats.counter("true_phase_ratio", "millionths",
                "cycles from the first time that it was taken to its detection, per cycle to the last time; "
                "summed over "
                "true_detected",
                &true_.phase_ratio);
  stats.counter("others", "branches", "other backward branches that were taken", &false_.encountered);
  stats.counter("false_detected", "branches", "of these, detected", &false_.detected);
  stats.counter("false_phase_ratio", "millionths", "as true_phase_ratio, summed over false_detected",
                &false_.phase_ratio);
}

void BranchRecord::begin(const isa::Kernel& kernel) {
  settle();
  truth_.clear();
  given_.clear();
  const isa::ProgramFacts& facts = compiler::facts_of(kernel);
  // Machine code has no annotations.
  const auto truth =
      kernel.is_machine_code() ? isa::ProgramFacts::kSpinBranch : isa::ProgramFacts::kNamedSpinBranch;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (facts.has(Pc{pc}, truth)) truth_.insert(pc);
}

void BranchRecord::taken(Pc pc, Cycle cycle) {
  const auto [branch, is_new] = branches_.try_emplace(pc.value());
  if (is_new) {
    branch->second.first = cycle;
    if (given_.contains(pc.value())) branch->second.confirmed = cycle;
  }
  branch->second.last = cycle;
}

void BranchRecord::confirmed(Pc pc, Cycle cycle) { branches_[pc.value()].confirmed = cycle; }

void BranchRecord::settle() {
  constexpr std::uint64_t kMillion = 1'000'000;
  for (const auto& [pc, branch] : branches_) {
    Kind& kind = truth_.contains(pc) ? true_ : false_;
    ++kind.encountered;
    if (branch.confirmed == base::kNever) continue;
    ++kind.detected;
    if (branch.last != branch.first)
      kind.phase_ratio += (branch.confirmed - branch.first) * kMillion / (branch.last - branch.first);
  }
  branches_.clear();
}

}  // namespace heddle::spin
