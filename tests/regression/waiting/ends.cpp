// The abstract run: each thread's list of events, and whether all lists come to their end.
#include <map>
#include <tuple>

#include "waiting/program.h"

namespace heddle::waiting {
namespace {

struct Event {
  const Statement* statement = nullptr;
  enum class What : std::uint8_t { kSet, kNeed, kAdd, kReach, kTake, kFree, kBarrier, kTogether } what{};
  unsigned variable = 0;
  std::uint32_t amount = 0;
  bool either = false;
  unsigned second = 0;  ///< kNeed: the other flag; the same one if there is none
};
using What = Event::What;

/// Flags of chains lie behind all others.
unsigned chain_flag(const Statement& chain, std::uint32_t position) {
  return 1000 * (chain.variable + 1) + position;
}

class Unroll {
 public:
  Unroll(const Program& program, std::uint32_t thread) : program_(program), thread_(thread) {}

  std::vector<Event> run() {
    block(program_.body, 0);
    return std::move(events_);
  }

 private:
  void add(const Statement& s, What what, unsigned variable, std::uint32_t amount = 0) {
    events_.push_back({&s, what, variable, amount, false, variable});
  }
  [[nodiscard]] std::uint32_t position(const Statement& chain) const {
    return chain.poll % 2 == 0 ? thread_ : program_.all_threads() - 1 - thread_;
  }

  /// False: the thread has ended.
  bool block(const Block& block, std::uint32_t counter) {
    for (const Statement& s : block)
      if (!statement(s, counter)) return false;
    return true;
  }

  bool locked(const Statement& s, std::uint32_t counter) {
    add(s, What::kTake, s.variable);
    if (!block(s.blocks[0], counter)) return false;
    add(s, What::kFree, s.variable);
    return true;
  }

  bool loop(const Statement& s) {
    const std::uint32_t trips = s.amount + (s.varies ? thread_ & 1 : 0);
    for (std::uint32_t i = 0; i < trips; ++i) {
      if (!block(s.blocks[0], i)) return false;
      const bool leaves = s.condition.holds(thread_, i);
      if (s.form == 2 && leaves) break;
      if (s.form == 3 && leaves) continue;
      if (!block(s.blocks[1], i)) return false;
    }
    return true;
  }

  bool graph(const Statement& s) {
    unsigned at = 0;
    for (std::uint32_t fuel = s.amount; fuel > 0; --fuel) {
      if (!block(s.blocks[at], fuel)) return false;
      const Condition decides{Condition::Kind::kHash, s.variable + at, false};
      at = s.targets[2 * at + (decides.holds(thread_, fuel) ? 1 : 0)];
    }
    return true;
  }

  bool statement(const Statement& s, std::uint32_t counter) {
    switch (s.kind) {
      case Kind::kWork:
        return true;
      case Kind::kSet:
        add(s, What::kSet, s.variable);
        return true;
      case Kind::kWait:
        add(s, What::kNeed, s.variable);
        if (s.poll >= 3) events_.back().second = s.second;
        events_.back().either = s.poll == 3;
        return true;
      case Kind::kIncrement:
        add(s, What::kAdd, s.variable);
        return true;
      case Kind::kWaitCount:
        add(s, What::kReach, s.variable, s.amount + s.second * counter);
        return true;
      case Kind::kChain:
        if (position(s) > 0) add(s, What::kNeed, chain_flag(s, position(s)));
        add(s, What::kSet, chain_flag(s, position(s) + 1));
        return true;
      case Kind::kLock:
      case Kind::kTicket:
        return locked(s, counter);
      case Kind::kRetry:
        return locked(s, counter) && (!s.varies || locked(s, counter));
      case Kind::kIf:
        return block(s.blocks[s.condition.holds(thread_, counter) ? 0 : 1], counter);
      case Kind::kLoop:
        return loop(s);
      case Kind::kSwitch:
        return block(s.blocks[(thread_ + counter) % s.blocks.size()], counter);
      case Kind::kShared:
        if (!s.condition.holds(thread_, counter))
          return block(s.blocks[2], counter) && block(s.blocks[3], counter);
        return block(s.blocks[0], counter) &&
               block(s.blocks[s.other.holds(thread_, counter) ? 3 : 1], counter);
      case Kind::kGraph:
        return graph(s);
      case Kind::kExit:
        return !s.condition.holds(thread_, counter);
      case Kind::kBarrier:
        add(s, What::kBarrier, 0);
        return true;
      case Kind::kTogether:
        add(s, What::kTogether, s.variable);
        return true;
    }
    return true;
  }

  const Program& program_;
  std::uint32_t thread_;
  std::vector<Event> events_;
};

class Run {
 public:
  explicit Run(const Program& program) : program_(program) {
    for (std::uint32_t t = 0; t < program.all_threads(); ++t) lists_.push_back(Unroll(program, t).run());
    at_.assign(lists_.size(), 0);
  }

  bool all_end(std::vector<const Statement*>* stuck) {
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t t = 0; t < lists_.size(); ++t)
        while (at_[t] < lists_[t].size() && goes_on(t)) {
          ++at_[t];
          again = true;
        }
      again |= meet();
    }
    bool all = true;
    for (std::uint32_t t = 0; t < lists_.size(); ++t) {
      if (at_[t] == lists_[t].size()) continue;
      all = false;
      if (stuck != nullptr) stuck->push_back(lists_[t][at_[t]].statement);
    }
    return all;
  }

 private:
  bool goes_on(std::uint32_t t) {
    const Event& event = lists_[t][at_[t]];
    switch (event.what) {
      case What::kSet:
        flags_[event.variable] = true;
        return true;
      case What::kNeed:
        return event.either ? flags_[event.variable] || flags_[event.second]
                            : flags_[event.variable] && flags_[event.second];
      case What::kAdd:
        ++counts_[event.variable];
        return true;
      case What::kReach:
        return counts_[event.variable] >= event.amount;
      case What::kTake:
        if (locks_[event.variable]) return false;
        return locks_[event.variable] = true;
      case What::kFree:
        locks_[event.variable] = false;
        return true;
      case What::kBarrier:
      case What::kTogether:
        return false;
    }
    return false;
  }

  [[nodiscard]] bool is_at(std::uint32_t t, What what) const {
    return at_[t] < lists_[t].size() && lists_[t][at_[t]].what == what;
  }

  /// Threads that all wait for each other go on.
  bool meet() {
    bool any = false;
    for (std::uint32_t cta = 0; cta < program_.ctas; ++cta) {
      const std::uint32_t first = cta * program_.threads;
      bool barrier = true;
      for (std::uint32_t t = first; t < first + program_.threads; ++t) barrier &= is_at(t, What::kBarrier);
      for (std::uint32_t t = first; barrier && t < first + program_.threads; ++t) ++at_[t];
      any |= barrier;
      for (std::uint32_t t = first; t < first + program_.threads; ++t) any |= meet_in_warp(first, t);
    }
    return any;
  }

  bool meet_in_warp(std::uint32_t first, std::uint32_t thread) {
    if (!is_at(thread, What::kTogether)) return false;
    const Statement* const at = lists_[thread][at_[thread]].statement;
    const std::uint32_t warp = (thread - first) / 32;
    const std::uint32_t members = at->members[warp];
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t t = first + 32 * warp + lane;
      if ((members >> lane & 1) == 0) continue;
      if (!is_at(t, What::kTogether) || lists_[t][at_[t]].statement != at) return false;
      // Each waits for a flag as well.
      if (at->form < 2 && !flags_[at->variable]) return false;
    }
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if ((members >> lane & 1) != 0) ++at_[first + 32 * warp + lane];
    return true;
  }

  const Program& program_;
  std::vector<std::vector<Event>> lists_;
  std::vector<std::size_t> at_;
  std::map<unsigned, bool> flags_;
  std::map<unsigned, bool> locks_;
  std::map<unsigned, std::uint32_t> counts_;
};

}  // namespace

bool Condition::holds(std::uint32_t thread, std::uint32_t counter) const {
  bool result = false;
  switch (kind) {
    case Kind::kBit:
      result = (thread >> number & 1) != 0;
      break;
    case Kind::kBelow:
      result = thread < number;
      break;
    case Kind::kEqual:
      result = thread == number;
      break;
    case Kind::kTurn:
      result = thread == counter;
      break;
    case Kind::kParity:
      result = ((thread ^ counter) & 1) == 0;
      break;
    case Kind::kHash:
      result = ((thread * 0x9e3779b1u + counter * 0x85ebca77u + number * 0xc2b2ae3du) >> 20 & 1) != 0;
      break;
  }
  return result != negated;
}

bool ends(const Program& program, std::vector<const Statement*>* stuck) {
  return Run(program).all_end(stuck);
}

}  // namespace heddle::waiting
