#include "blocks/simt/walk_program.h"

#include <bitset>
#include <stdexcept>

namespace heddle::simt {
namespace {

using Kind = WalkInstruction::Kind;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

/// Instructions of a function, and its end. A generator stops long before.
using PcSet = std::bitset<512>;

/// Immediate post-dominators of the code first..end-1; `end` stands for the end of a thread or function.
/// Threads that only exit are ignored, as models/analysis/cfg.h does for reconvergence points.
std::vector<std::uint32_t> post_dominators(const std::vector<WalkInstruction>& code, std::uint32_t first,
                                           std::uint32_t end) {
  const std::uint32_t size = end - first + 1;
  PcSet all;
  if (size > all.size()) throw std::length_error("a function longer than its sets of instructions");
  std::vector<std::vector<std::uint32_t>> next(size);
  for (std::uint32_t pc = first; pc < end; ++pc) {
    const WalkInstruction& i = code[pc];
    auto& to = next[pc - first];
    const bool jumps = i.kind == Kind::kBranch || i.kind == Kind::kIndirect;
    if (jumps)
      for (const std::uint32_t target : i.targets) to.push_back(target - first);
    const bool ends = i.kind == Kind::kReturn || i.kind == Kind::kExit;
    if (ends && i.percent == 100)
      to.push_back(size - 1);
    else if (!jumps || i.percent != 100)
      to.push_back(pc + 1 - first);
  }
  all = ~all >> (all.size() - size);
  std::vector<PcSet> sets(size, all);
  sets[size - 1] = PcSet().set(size - 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t n = size - 1; n-- > 0;) {
      PcSet set = all;
      for (const std::uint32_t to : next[n]) set &= sets[to];
      set.set(n);
      if (set != sets[n]) sets[n] = set, changed = true;
    }
  }
  std::vector<std::size_t> above;
  for (const PcSet& set : sets) above.push_back(set.count());
  std::vector<std::uint32_t> immediate(size, end);
  for (std::uint32_t n = 0; n + 1 < size; ++n) {
    std::size_t most = 0;
    for (std::uint32_t p = 0; p < size; ++p) {
      if (p == n || !sets[n][p]) continue;
      if (above[p] > most) most = above[p], immediate[n] = p + first;
    }
  }
  return immediate;
}

}  // namespace

class WalkProgram::Generator {
 public:
  Generator(WalkProgram& program, const WalkOptions& options)
      : code_(program.code), functions_(program.functions), options_(options), random_(program.seed) {}

  void generate() {
    const unsigned count = 1 + below(3);  // the kernel and up to two functions
    std::vector<std::pair<std::size_t, unsigned>> calls;
    for (unsigned f = 0; f < count; ++f) {
      const std::uint32_t first = here();
      functions_.push_back(first);
      in_function_ = f != 0;
      functions_count_ = count;
      sequence(0);
      emit(in_function_ ? Kind::kReturn : Kind::kExit);
      set_points(first);
    }
    for (WalkInstruction& i : code_)
      if (i.kind == Kind::kCall)
        for (std::uint32_t& target : i.targets) target = functions_[target];
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool chance(unsigned percent) { return below(100) < percent; }
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(code_.size()); }

  std::uint32_t emit(Kind kind, unsigned percent = 100) {
    WalkInstruction i;
    i.kind = kind;
    i.percent = percent;
    i.uniform = chance(25);
    code_.push_back(i);
    return here() - 1;
  }
  std::uint32_t branch(unsigned percent) { return emit(Kind::kBranch, percent); }
  void land(std::uint32_t at) { code_[at].targets.push_back(here()); }

  void sequence(unsigned depth) {
    const unsigned statements = 1 + below(depth == 0 ? 6 : 3);
    for (unsigned i = 0; i < statements && code_.size() < 160; ++i) statement(depth);
  }

  void statement(unsigned depth) {
    emit(Kind::kOperation);
    if (options_.barriers && depth == 0 && !in_function_ && chance(30)) {
      barrier();
      return;
    }
    if (depth >= 4) return;
    switch (below(10)) {
      case 0:
      case 1: {  // if
        const std::uint32_t skip = branch(20 + below(60));
        sequence(depth + 1);
        land(skip);
        break;
      }
      case 2: {  // if else
        const std::uint32_t other = branch(20 + below(60));
        sequence(depth + 1);
        const std::uint32_t over = branch(100);
        land(other);
        sequence(depth + 1);
        land(over);
        break;
      }
      case 3: {  // do while
        const std::uint32_t top = here();
        sequence(depth + 1);
        code_[branch(20 + below(45))].targets.push_back(top);
        break;
      }
      case 4: {  // while, with a second exit
        const std::uint32_t top = here();
        const std::uint32_t leave = branch(30 + below(40));
        sequence(depth + 1);
        const std::uint32_t leave_too = branch(20);
        sequence(depth + 1);
        code_[branch(100)].targets.push_back(top);
        land(leave);
        land(leave_too);
        break;
      }
      case 5: {  // switch
        const std::uint32_t at = emit(Kind::kIndirect, chance(50) ? 100 : 70);
        std::vector<std::uint32_t> ends;
        const unsigned arms = 2 + below(4);
        for (unsigned arm = 0; arm < arms; ++arm) {
          land(at);
          sequence(depth + 1);
          ends.push_back(branch(100));
        }
        for (const std::uint32_t end : ends) land(end);
        break;
      }
      case 6:  // threads that end
        emit(in_function_ && chance(80) ? Kind::kReturn : Kind::kExit, 5 + below(20));
        break;
      case 7: {  // if, with a return or the end of the thread in it
        const std::uint32_t skip = branch(60 + below(30));
        sequence(depth + 1);
        emit(in_function_ ? Kind::kReturn : Kind::kExit);
        land(skip);
        break;
      }
      default: {  // call
        if (functions_count_ == 1) break;
        const std::uint32_t at = emit(Kind::kCall, chance(60) ? 100 : 60);
        const unsigned targets = chance(60) ? 1 : 2;
        for (unsigned i = 0; i < targets; ++i) code_[at].targets.push_back(1 + below(functions_count_ - 1));
      }
    }
  }

  /// All threads pass the same number of barriers on every path.
  void barrier() {
    if (chance(50)) {
      emit(Kind::kBarrier);
      return;
    }
    const std::uint32_t other = branch(50);
    emit(Kind::kOperation);
    emit(Kind::kBarrier);
    emit(Kind::kOperation);
    const std::uint32_t over = branch(100);
    land(other);
    emit(Kind::kBarrier);
    land(over);
  }

  void set_points(std::uint32_t first) {
    const std::uint32_t end = here();
    const std::vector<std::uint32_t> immediate = post_dominators(code_, first, end);
    for (std::uint32_t pc = first; pc < end; ++pc) {
      WalkInstruction& i = code_[pc];
      if (i.kind != Kind::kBranch && i.kind != Kind::kIndirect) continue;
      std::uint32_t point = immediate[pc - first];
      if (options_.any_rpc && chance(30)) {
        if (chance(50) && point != end) point = immediate[point - first];  // later (delayed reconvergence)
        if (chance(20)) point = end;
        if (chance(20)) point = first + below(end - first);
      }
      i.rpc = point == end ? kNoPc : Pc{point};
    }
  }

  std::vector<WalkInstruction>& code_;
  std::vector<std::uint32_t>& functions_;
  WalkOptions options_;
  std::mt19937_64 random_;
  bool in_function_ = false;
  unsigned functions_count_ = 1;
};

WalkProgram::WalkProgram(std::uint64_t program_seed, const WalkOptions& options) : seed(program_seed) {
  Generator(*this, options).generate();
}

bool WalkThread::takes(std::uint32_t pc, std::uint32_t& target) {
  const WalkInstruction& i = program_->code[pc];
  const std::uint32_t visit = visits_[pc]++;
  const std::uint64_t hash =
      mix(mix(mix(program_->seed) + std::uint64_t{pc} * 64 + (i.uniform ? 0 : lane_ + 1)) +
          visit * 0x9e3779b97f4a7c15ull);
  trace_.push_back(pc);
  bool taken = i.percent == 100 || hash % 100 < i.percent;
  if (i.kind == Kind::kCall && returns_.size() >= kMostCalls) taken = false;
  target = i.kind == Kind::kReturn ? returns_.back()
           : i.targets.empty()     ? pc + 1
                                   : i.targets[(hash >> 32) % i.targets.size()];
  return taken;
}

void WalkThread::follow(std::uint32_t pc, bool taken) {
  if (!taken) return;
  const Kind kind = program_->code[pc].kind;
  if (kind == Kind::kCall) returns_.push_back(pc + 1);
  if (kind == Kind::kReturn) returns_.pop_back();
  if (kind == Kind::kExit) ended_ = true;
}

bool WalkThread::run(std::size_t most) {
  std::uint32_t pc = 0;
  while (!ended_) {
    if (trace_.size() > most) return false;
    std::uint32_t target = 0;
    const bool taken = takes(pc, target);
    follow(pc, taken);
    const Kind kind = program_->code[pc].kind;
    const bool moves = kind != Kind::kOperation && kind != Kind::kBarrier && kind != Kind::kExit;
    pc = taken && moves ? target : pc + 1;
  }
  return true;
}

}  // namespace heddle::simt
