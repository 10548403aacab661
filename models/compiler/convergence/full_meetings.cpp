#include "compiler/convergence/full_meetings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/block_paths.h"
#include "analysis/cfg.h"

namespace heddle::compiler {
namespace {

using analysis::BlockId;
using isa::Instruction;
using isa::Opcode;
using Places = std::set<std::uint32_t>;  ///< PCs

/// Lanes meet at instructions of one kind.
struct MeetingKind {
  Opcode op;
  std::uint64_t operation;
  auto operator<=>(const MeetingKind&) const = default;
};
/// Absent: not all lanes are needed.
std::optional<MeetingKind> kind_of(const Instruction& instruction) {
  if (analysis::is_full_barrier(instruction)) return MeetingKind{instruction.op, 0};
  if (instruction.op == Opcode::kWarpSync && instruction.names_all_lanes)
    return MeetingKind{instruction.op, instruction.immediate};
  return std::nullopt;
}

class Meetings {
 public:
  Meetings(const isa::Kernel& kernel, const std::vector<WaitingLoop>& loops)
      : code_(kernel.code),
        cfg_(analysis::ControlFlowGraph::following_calls(kernel.code, kernel.targets, kernel.functions)) {
    std::map<MeetingKind, Places> needed;
    for (const WaitingLoop& loop : loops)
      first_from(
          loop.header, [](const std::optional<MeetingKind>& kind) { return kind.has_value(); },
          [&](std::uint32_t pc) { needed[*kind_of(code_[pc])].insert(pc); });
    for (auto& [kind, places] : needed) {
      add_siblings(kind, places);
      found_.merge(places);
    }
  }

  [[nodiscard]] Places take() { return std::move(found_); }

 private:
  /// Calls `found` for what threads come to first of what `stops` holds for. Those of a guarded instruction go on.
  template <class Stops, class Found>
  void first_from(std::uint32_t pc, const Stops& stops, const Found& found) const {
    std::vector<bool> seen(cfg_.block_count() + 1);
    std::vector<BlockId> work;
    const auto walk = [&](std::uint32_t at, BlockId block) {
      for (; at < cfg_.block(block).end; ++at) {
        if (!stops(kind_of(code_[at]))) continue;
        found(at);
        if (!code_[at].guard.present) return;
      }
      for (const BlockId next : cfg_.block(block).successors) {
        if (next == cfg_.exit() || seen[next]) continue;
        seen[next] = true;
        work.push_back(next);
      }
    };
    if (pc < code_.size()) walk(pc, cfg_.block_of(pc));
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      walk(cfg_.block(block).first, block);
    }
  }

  void add_siblings(const MeetingKind& kind, Places& places) const {
    std::vector<std::uint32_t> starts{0};
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc)
      if (kind_of(code_[pc]) == kind) starts.push_back(pc + 1);
    std::vector<Places> choices;  // of lanes that are at one point
    for (const std::uint32_t start : starts) {
      Places& choice = choices.emplace_back();
      first_from(
          start, [&](const std::optional<MeetingKind>& each) { return each == kind; },
          [&](std::uint32_t pc) { choice.insert(pc); });
      if (choice.size() < 2) choices.pop_back();
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (Places& choice : choices) {
        const bool common =
            std::ranges::any_of(choice, [&](std::uint32_t pc) { return places.contains(pc); });
        if (!common) continue;
        const std::size_t before = places.size();
        places.merge(choice);
        grew = grew || places.size() != before;
      }
    }
  }

  const std::vector<Instruction>& code_;
  analysis::ControlFlowGraph cfg_;
  Places found_;
};

}  // namespace

std::set<std::uint32_t> full_meetings(const isa::Kernel& kernel, const std::vector<WaitingLoop>& loops) {
  if (loops.empty()) return {};
  return Meetings(kernel, loops).take();
}

}  // namespace heddle::compiler
