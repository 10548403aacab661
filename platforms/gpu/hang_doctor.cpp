#include "gpu/hang_doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <vector>

#include "hang/diagnosis.h"
#include "hang/hang_proof.h"
#include "hang/warp_activity.h"

namespace heddle::gpu {

using hang::Word;
using sim::MemoryLog;

namespace {

/// Instructions that explorations of a launch may follow before it has issued any.
constexpr std::uint64_t kFree = 1'000'000;

}  // namespace

/// Memory with its current values and those in the watchdog's log.
class HangDoctor::View : public hang::MemoryView {
 public:
  View(Gpu& gpu, const host::AllocationTable& allocations) : gpu_(gpu), allocations_(allocations) {}

  bool read(const Word& word, std::uint32_t& value) const override {
    switch (word.space) {
      case Word::Space::kShared:
        value = gpu_.cores[word.core]->memory_view().shared_word(static_cast<std::uint32_t>(word.address));
        return true;
      case Word::Space::kLocal:
        value = gpu_.cores[word.core]->local_word(word.address);
        return true;
      case Word::Space::kDevice:
        break;
    }
    if (gpu_.progress.log.is_unknown(word.address)) return false;
    std::array<unsigned char, sizeof value> bytes{};
    gpu_.crossbar->debug_read(word.address, bytes.data(), bytes.size());
    std::memcpy(&value, bytes.data(), sizeof value);
    return true;
  }

  void others(const Word& word, std::vector<std::uint64_t>& values) const override {
    const auto add = [&](std::uint32_t value) { values.push_back(value); };
    const MemoryLog& log = gpu_.progress.log;
    switch (word.space) {
      case Word::Space::kShared:
        log.for_each(MemoryLog::Space::kShared, word.core, word.address, add);
        break;
      case Word::Space::kLocal:
        log.for_each(MemoryLog::Space::kDelivered, word.core, word.address, add);
        break;
      case Word::Space::kDevice:
        log.for_each(MemoryLog::Space::kDevice, 0, word.address, add);
        break;
    }
  }

  void stale(std::uint32_t core, std::uint64_t address, std::vector<std::uint64_t>& values) const override {
    gpu_.progress.log.for_each(MemoryLog::Space::kDelivered, core, address,
                               [&](std::uint32_t value) { values.push_back(value); });
    std::uint32_t value = 0;
    if (gpu_.cores[core]->memory_view().word_in_l1(address, value)) values.push_back(value);
  }

  bool on_its_way(std::uint32_t core, std::uint64_t address) const override {
    return gpu_.cores[core]->memory_view().fetches_to_l1(address);
  }

  bool accessible(std::uint64_t address, std::uint64_t bytes, bool writes) const override {
    return allocations_.allows(writes ? host::Access::kKernelWrite : host::Access::kKernelRead, address,
                               bytes);
  }

  std::string name(const Word& word) const override {
    switch (word.space) {
      case Word::Space::kShared:
        return fmt::format("shared memory + {} (of core {})", word.address, word.core);
      case Word::Space::kLocal:
        return fmt::format("local memory at 0x{:x}", word.address);
      case Word::Space::kDevice:
        break;
    }
    const auto& all = allocations_.all();
    const auto next = all.upper_bound(word.address);
    if (next == all.begin()) return fmt::format("0x{:x}", word.address);
    const host::AllocationTable::Allocation& in = std::prev(next)->second;
    return fmt::format("'{}' + {} (0x{:x})", in.name, word.address - in.address, word.address);
  }

 private:
  Gpu& gpu_;
  const host::AllocationTable& allocations_;
};

void HangDoctor::begin_launch(const core::LaunchContext& launch) {
  launch_ = &launch;
  left_first_.reset();
  steps_ = 0;
  allowance_ = kFree;
  issued_before_ = warp_instructions();
  gpu_.progress.forget_holders();
}

hang::Snapshot HangDoctor::snapshot(const View& view) const {
  hang::Snapshot snapshot;
  const core::LaunchContext& launch = *launch_;
  snapshot.kernel = launch.kernel.get();
  snapshot.constants = launch.constants();
  snapshot.memory = &view;
  snapshot.grid = {launch.shape.grid.x, launch.shape.grid.y, launch.shape.grid.z};
  snapshot.block = {launch.shape.block.x, launch.shape.block.y, launch.shape.block.z};
  snapshot.ctas_waiting = gpu_.dispatcher.waiting();
  snapshot.ctas_started = launch.shape.ctas() - snapshot.ctas_waiting;
  snapshot.shared_bytes = launch.shared_bytes_per_cta;
  snapshot.local_bytes = launch.local_limit;
  snapshot.param_bytes = static_cast<std::uint32_t>(launch.params.size());
  snapshot.param_base = launch.param_base;
  snapshot.serves_convergence = gpu_.cores.front()->control_flow().convergence.has_value();
  snapshot.may_misroute = gpu_.cores.front()->control_flow().may_misroute;
  snapshot.barriers_count_warps = gpu_.cores.front()->barriers_count_warps();
  for (const isa::Instruction& instruction : launch.kernel->code)
    snapshot.through_l1.push_back(gpu_.cores.front()->memory_view().loads_through_l1(instruction));
  snapshot.holder = [this, &view](const Word& word) -> hang::Holder {
    if (word.space == Word::Space::kLocal) return {};
    const std::uint64_t key =
        word.space == Word::Space::kShared
            ? sim::LockHolders::shared_word(word.core, static_cast<std::uint32_t>(word.address))
            : word.address;
    const sim::LockHolders::Holder* const last = gpu_.progress.last_holder(key);
    std::uint32_t value = 0;
    if (last == nullptr || !view.read(word, value) || static_cast<std::uint32_t>(last->value) != value)
      return {};
    return {true, last->warp, last->lane};
  };
  for (std::uint32_t i = 0; i < gpu_.cores.size(); ++i)
    if (runs_launch(i)) gpu_.cores[i]->hang_view(snapshot);
  return snapshot;
}

bool HangDoctor::runs_launch(std::uint32_t core) const {
  const core::LaunchGroup* const group = gpu_.dispatcher.group();
  return group == nullptr || group->launch_of(core) == launch_;
}

std::uint64_t HangDoctor::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const auto& core : gpu_.cores) sum += core->warp_instructions();
  return sum;
}

bool HangDoctor::proves(bool unchanged) {
  if (steps_ > kFree + warp_instructions() - issued_before_) return false;
  const View view(gpu_, allocations_);
  const hang::Snapshot state = snapshot(view);
  hang::HangProof proof(state);
  if (left_first_) proof.look_first_at(*left_first_);
  hang::WhatIf question;
  question.stop_at_first = true;
  question.try_harder = true;
  question.skip_repeated = unchanged;
  question.most_steps = allowance_;
  hang::Exploration explored = proof.explore(question);
  if (unchanged && explored.nobody_leaves() && !explored.changed.empty()) {
    // Memory will change after all, so lanes that repeated their state may not repeat it again.
    question.skip_repeated = false;
    explored = proof.explore(question);
  }
  steps_ += proof.steps();
  if (explored.cut) allowance_ = std::min(2 * allowance_, hang::WhatIf::kMostSteps);
  left_first_.reset();
  if (!explored.leaving.empty()) left_first_ = state.warps[explored.leaving.front().warp].linear_warp;
  return explored.nobody_leaves();
}

std::string HangDoctor::diagnose(const std::string& kernel, base::Cycle cycles) {
  const View view(gpu_, allocations_);
  const hang::Snapshot state = snapshot(view);
  return text(kernel, cycles, hang::classify(state));
}

std::string HangDoctor::diagnose(const std::string& kernel, base::Cycle cycles,
                                 const system::MechanismHang& hang) {
  if (!hang.kind) return hang.why + "\n" + diagnose(kernel, cycles);
  return text(kernel, cycles, hang::reported(*hang.kind, hang.how, hang.why, hang.remedy));
}

std::string HangDoctor::diagnose_passed_over(const std::string& kernel, base::Cycle cycles) {
  const View view(gpu_, allocations_);
  return text(kernel, cycles, hang::passed_over(snapshot(view)));
}

std::string HangDoctor::text(const std::string& kernel, base::Cycle cycles,
                             const hang::HangReport& report) const {
  return hang::diagnosis({kernel, cycles, gpu_.dispatcher.waiting()}, report, describe_warps());
}

std::string HangDoctor::describe_warps(std::span<const base::CoreId> of) const {
  std::vector<hang::GroupActivity> groups;
  for (std::uint32_t i = 0; i < gpu_.cores.size(); ++i)
    if (runs_launch(i) && (of.empty() || std::ranges::count(of, base::CoreId{i}) != 0))
      gpu_.cores[i]->add_activity(groups);
  return hang::describe(groups, *launch_->kernel);
}

}  // namespace heddle::gpu
