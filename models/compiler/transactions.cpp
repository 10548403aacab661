#include "compiler/transactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/liveness.h"
#include "base/error.h"

namespace heddle::compiler {
namespace {

using base::Pc;
using isa::Instruction;
using isa::Opcode;
using isa::TransactionOp;

constexpr std::uint32_t kNoBegin = 0xffff'ffffu;

/// How an instruction is nested in transactions of its own function.
struct Nesting {
  bool reached = false;
  std::uint32_t depth = 0;
  std::uint32_t begin = kNoBegin;  ///< the outermost one's tx_begin
  bool operator==(const Nesting&) const = default;
};

class Finder {
 public:
  explicit Finder(isa::Kernel& kernel) : kernel_(kernel), at_(kernel.code.size()) {}

  void run() {
    walk(0);
    for (const isa::FunctionCode& function : kernel_.functions) {
      walk(function.entry);
      walk(function.first);
    }
    check();
    finish();
  }

 private:
  [[noreturn]] void fail(std::uint32_t pc, const std::string& what, const std::string& remedy) const {
    throw base::InputError(kernel_.location(Pc{pc}),
                           fmt::format("{}\n  {}", what, kernel_.source_line(Pc{pc})), remedy);
  }

  void arrive(std::uint32_t pc, const Nesting& with) {
    if (pc >= at_.size()) return;
    Nesting& known = at_[pc];
    if (known.reached) {
      if (known != with)
        fail(pc, "is reached on one path within a transaction and on another outside, or within another one",
             "Put tx_begin and tx_commit on every path, each once; a compiler that has copied one of them "
             "must be told not "
             "to.");
      return;
    }
    known = with;
    work_.push_back(pc);
  }

  void walk(std::uint32_t entry) {
    arrive(entry, {true, 0, kNoBegin});
    while (!work_.empty()) {
      const std::uint32_t pc = work_.back();
      work_.pop_back();
      step(pc);
    }
  }

  void step(std::uint32_t pc) {
    const Instruction& instruction = kernel_.code[pc];
    Nesting next = at_[pc];
    switch (instruction.op) {
      case Opcode::kTransaction:
        transaction(pc, instruction.transaction, next);
        break;
      case Opcode::kBranch:
        arrive(instruction.target.value(), next);
        if (!instruction.guard.present) return;
        break;
      case Opcode::kIndirect:
        for (std::uint32_t t = 0; t < instruction.table_count; ++t)
          arrive(kernel_.targets[instruction.table_first + t].value(), next);
        if (!instruction.guard.present) return;
        break;
      case Opcode::kReturn:
      case Opcode::kExit:
      case Opcode::kTrap:
        if (!instruction.guard.present) return;
        break;
      default:
        break;
    }
    arrive(pc + 1, next);
  }

  void transaction(std::uint32_t pc, TransactionOp op, Nesting& next) {
    const char* const name = op == TransactionOp::kCommit ? "tx_commit" : "tx_abort";
    if (op != TransactionOp::kBegin && next.depth == 0)
      fail(pc, fmt::format("{} outside of a transaction of this function", name),
           "Begin the transaction with tx_begin, in the same function.");
    if (op == TransactionOp::kBegin) {
      if (next.depth == 0) next.begin = pc;
      ++next.depth;
    } else if (op == TransactionOp::kCommit && --next.depth == 0) {
      const auto [known, first] = commit_of_.try_emplace(next.begin, pc);
      if (!first && known->second != pc)
        fail(pc,
             fmt::format("is the second tx_commit of the transaction that begins at {}",
                         kernel_.location(Pc{next.begin})),
             "Write one tx_commit, behind where all paths meet.");
      next.begin = kNoBegin;
    }
  }

  /// What an instruction does that cannot be undone; nullptr: nothing.
  static const char* forbidden(const Instruction& instruction) {
    switch (instruction.op) {
      case Opcode::kBarrier:
        return "a barrier, at which threads would wait for some that try again";
      case Opcode::kExit:
        return "an exit";
      case Opcode::kPrint:
        return "printf, which every attempt would print";
      case Opcode::kTexture:
      case Opcode::kSurfaceStore:
        return "a texture or surface access, which the transaction does not see";
      case Opcode::kHeapAllocate:
      case Opcode::kHeapFree:
        return "malloc or free, which every attempt would do again";
      case Opcode::kAssertFail:
      case Opcode::kTrap:
        return "an assertion or trap, to which a thread may come with values that were never in memory "
               "together";
      case Opcode::kWarpSync:
      case Opcode::kConvergence:
        return "a .sync or convergence instruction, whose lanes may be in different attempts";
      case Opcode::kStore:
        if (instruction.space == isa::StateSpace::kShared || instruction.space == isa::StateSpace::kLocal)
          return "a store to shared or local memory, which is not undone when the transaction fails";
        return nullptr;
      default:
        return instruction.member_mask != Instruction::kNoMemberMask
                   ? "a .sync instruction, whose lanes may be in different attempts"
                   : nullptr;
    }
  }

  /// The function whose code holds `pc`: index + 1; 0: the kernel's own.
  [[nodiscard]] std::uint32_t function_of(std::uint32_t pc) const {
    for (std::uint32_t f = 0; f < kernel_.functions.size(); ++f)
      if (pc >= kernel_.functions[f].first && pc < kernel_.functions[f].end) return f + 1;
    return 0;
  }

  void callees_of(const Instruction& call, std::vector<std::uint32_t>& callees) const {
    const auto add = [&](Pc target) { callees.push_back(function_of(target.value())); };
    if (call.op != Opcode::kCall) return;
    if (!call.src[0].present) add(call.target);
    for (std::uint32_t t = 0; t < call.table_count; ++t) add(kernel_.targets[call.table_first + t]);
  }

  /// Functions that may run within the transaction.
  [[nodiscard]] std::set<std::uint32_t> called_in(std::uint32_t begin) const {
    std::vector<std::uint32_t> work;
    for (std::uint32_t pc = 0; pc < at_.size(); ++pc)
      if (inside(pc, begin)) callees_of(kernel_.code[pc], work);
    std::set<std::uint32_t> called;
    while (!work.empty()) {
      const std::uint32_t f = work.back();
      work.pop_back();
      if (f == 0 || !called.insert(f).second) continue;
      const isa::FunctionCode& function = kernel_.functions[f - 1];
      for (std::uint32_t pc = function.first; pc < function.end; ++pc) callees_of(kernel_.code[pc], work);
    }
    return called;
  }

  /// Of the instructions of the transaction's own function.
  [[nodiscard]] bool inside(std::uint32_t pc, std::uint32_t begin) const {
    return at_[pc].reached && at_[pc].depth != 0 && at_[pc].begin == begin;
  }

  void check() {
    for (std::uint32_t pc = 0; pc < at_.size(); ++pc) {
      if (!at_[pc].reached || at_[pc].depth == 0) continue;
      const Instruction& instruction = kernel_.code[pc];
      const char* what = forbidden(instruction);
      if (instruction.op == Opcode::kReturn)
        what = "a return from the function that the transaction begins in";
      if (what != nullptr) refuse(pc, at_[pc].begin, what);
    }
    for (std::uint32_t pc = 0; pc < at_.size(); ++pc) {
      const Instruction& instruction = kernel_.code[pc];
      if (!at_[pc].reached || at_[pc].depth != 0 || instruction.op != Opcode::kTransaction) continue;
      if (!commit_of_.contains(pc))
        fail(pc, "a transaction without a tx_commit that it comes to", "End it with tx_commit.");
      called_[pc] = called_in(pc);
      for (const std::uint32_t f : called_[pc]) {
        const isa::FunctionCode& function = kernel_.functions[f - 1];
        if (f == function_of(pc))
          fail(pc, fmt::format("the transaction may call {}, in which it is", function.name),
               "Begin it outside of the recursion.");
        for (std::uint32_t at = function.first; at < function.end; ++at)
          if (const char* const what = forbidden(kernel_.code[at])) refuse(at, pc, what);
      }
    }
  }

  [[noreturn]] void refuse(std::uint32_t pc, std::uint32_t begin, const char* what) const {
    const bool placed = kernel_.code[pc].op == Opcode::kConvergence && kernel_.code[pc].inserted;
    fail(pc, fmt::format("{}, within the transaction that begins at {}", what, kernel_.location(Pc{begin})),
         placed ? "The placement has put it in: set core.control_flow.mechanism=simt_stack, or "
                  "core.convergence.placement=off."
                : "Move it out of the transaction.");
  }

  void finish() {
    const auto whole =
        analysis::ControlFlowGraph::following_calls(kernel_.code, kernel_.targets, kernel_.functions);
    const analysis::Liveness liveness(whole, kernel_.registers);
    // L1 is not coherent: what transactions write must be seen, also outside of them ([KiloTM:A9],
    // [KiloTM:E12]).
    for (Instruction& instruction : kernel_.code)
      if (instruction.op == Opcode::kLoad &&
          (instruction.space == isa::StateSpace::kGlobal || instruction.space == isa::StateSpace::kGeneric))
        instruction.cache_op = isa::CacheOp::kCacheGlobal;
    for (const auto& [begin, commit] : commit_of_) {
      kernel_.code[begin].target = Pc{commit + 1};
      std::vector<bool> written(kernel_.registers.registers(), false);
      const auto add = [&](const Instruction& instruction) {
        for (unsigned i = 0; i < instruction.write_count; ++i) written[instruction.writes[i]] = true;
      };
      for (std::uint32_t pc = 0; pc < at_.size(); ++pc)
        if (inside(pc, begin)) add(kernel_.code[pc]);
      for (const std::uint32_t f : called_[begin])
        for (std::uint32_t pc = kernel_.functions[f - 1].first; pc < kernel_.functions[f - 1].end; ++pc)
          add(kernel_.code[pc]);
      isa::TransactionRegion region{Pc{begin}, Pc{commit}, {}};
      for (const isa::RegId reg : liveness.live_before(begin + 1))
        if (written[reg]) region.checkpoint.push_back(reg);
      kernel_.transactions.push_back(std::move(region));
    }
  }

  isa::Kernel& kernel_;
  std::vector<Nesting> at_;
  std::vector<std::uint32_t> work_;
  std::map<std::uint32_t, std::uint32_t> commit_of_;  ///< by tx_begin
  std::map<std::uint32_t, std::set<std::uint32_t>> called_;
};

}  // namespace

void Transactions::run(isa::Kernel& kernel) const {
  kernel.transactions.clear();
  if (std::ranges::none_of(kernel.code, [](const Instruction& i) { return i.op == Opcode::kTransaction; }))
    return;
  Finder(kernel).run();
}

}  // namespace heddle::compiler
