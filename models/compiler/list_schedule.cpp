#include "compiler/list_schedule.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/liveness.h"

namespace heddle::compiler {
namespace {

using isa::CacheOp;
using isa::Instruction;
using isa::Opcode;
using isa::RegId;
using isa::StateSpace;

/// Longest run that is scheduled as one: dependences of memory are looked for pair by pair.
constexpr std::uint32_t kMostInstructions = 512;

bool moves(const Instruction& instruction) {
  if (instruction.time_dependent || instruction.cross_lane) return false;
  return instruction.op == Opcode::kLane || instruction.op == Opcode::kLoad ||
         instruction.op == Opcode::kStore;
}

std::span<const RegId> reads(const Instruction& i) { return {i.reads.data(), i.read_count}; }
std::span<const RegId> writes(const Instruction& i) { return {i.writes.data(), i.write_count}; }

/// Nobody writes what it loads.
bool loads_constant(const Instruction& load) {
  return load.op == Opcode::kLoad && (load.space == StateSpace::kConst || load.space == StateSpace::kParam ||
                                      load.cache_op == CacheOp::kNonCoherent);
}

bool overlap(StateSpace a, StateSpace b) {
  return a == b || a == StateSpace::kGeneric || b == StateSpace::kGeneric;
}

/// A run of instructions, and what must stay in front of what. Numbers are of the run.
class Run {
 public:
  Run(std::span<const Instruction> code, const ScheduleOptions& options) : code_(code), options_(options) {
    successors_.resize(code.size());
    waits_.assign(code.size(), 0);
    for (std::uint32_t i = 0; i < code.size(); ++i) add(i);
    path_.assign(code.size(), 0);
    for (std::uint32_t i = static_cast<std::uint32_t>(code.size()); i-- > 0;)
      for (const Edge& edge : successors_[i]) path_[i] = std::max(path_[i], edge.cycles + path_[edge.to]);
  }

  /// The new order. `before`, `after`: registers that are live in front of the run and behind it.
  [[nodiscard]] std::vector<std::uint32_t> order(const isa::RegisterLayout& layout,
                                                 const std::vector<RegId>& before,
                                                 const std::vector<RegId>& after);

 private:
  struct Edge {
    std::uint32_t to = 0;
    std::uint32_t cycles = 0;
  };
  struct Access {
    std::uint32_t instruction = 0;
    std::uint32_t base = 0;  ///< number of the base's value; 0: not one row as it is; kNone: no base
  };
  /// What is known of a register while the run is read.
  struct Seen {
    std::uint32_t writer = kNone;
    std::uint32_t value = 0;
    std::vector<std::uint32_t> readers;  ///< since the last write
  };
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void add(std::uint32_t i);
  void add_access(std::uint32_t i);
  void edge(std::uint32_t from, std::uint32_t to, std::uint32_t cycles) {
    if (from == to) return;
    successors_[from].push_back({to, cycles});
    ++waits_[to];
  }
  [[nodiscard]] std::uint32_t latency(const Instruction& instruction) const {
    if (instruction.op != Opcode::kLoad)
      return options_.latency[static_cast<unsigned>(instruction.latency_class)];
    if (instruction.space == StateSpace::kShared) return options_.shared_load;
    if (instruction.space == StateSpace::kConst || instruction.space == StateSpace::kParam)
      return options_.constant_load;
    return options_.latency[static_cast<unsigned>(isa::LatencyClass::kMemory)];
  }
  [[nodiscard]] bool apart(const Access& a, const Access& b) const;
  Seen& seen(RegId reg) {
    Seen& of = seen_[reg];
    if (of.value == 0) of.value = ++values_;
    return of;
  }

  std::span<const Instruction> code_;
  const ScheduleOptions& options_;
  std::unordered_map<RegId, Seen> seen_;
  std::uint32_t values_ = 0;
  std::vector<Access> accesses_;
  std::vector<std::vector<Edge>> successors_;
  std::vector<std::uint32_t> waits_;  ///< edges to it
  std::vector<std::uint32_t> path_;   ///< cycles to the end of the run
};

void Run::add(std::uint32_t i) {
  const Instruction& instruction = code_[i];
  for (const RegId reg : reads(instruction)) {
    Seen& of = seen(reg);
    if (of.writer != kNone) edge(of.writer, i, latency(code_[of.writer]));
    of.readers.push_back(i);
  }
  if (instruction.op != Opcode::kLane) add_access(i);
  for (const RegId reg : writes(instruction)) {
    Seen& of = seen(reg);
    // Behind the writer, whose value a guarded write may leave, and behind the readers of its value.
    if (of.writer != kNone) edge(of.writer, i, 1);
    for (const std::uint32_t reader : of.readers) edge(reader, i, 1);
    of = {i, ++values_, {}};
  }
}

void Run::add_access(std::uint32_t i) {
  const Instruction& instruction = code_[i];
  if (loads_constant(instruction)) return;
  const isa::MemoryOperand& memory = instruction.memory;
  Access access{i, 0};
  if (memory.base.present && !memory.composed() && !memory.second.present &&
      memory.base.space == isa::RowSpace::kRegister)
    access.base = seen(memory.base.reg).value;
  else if (!memory.base.present && !memory.composed() && !memory.second.present)
    access.base = kNone;  // displacements are addresses
  for (const Access& earlier : accesses_)
    if (!apart(earlier, access)) edge(earlier.instruction, i, 1);
  accesses_.push_back(access);
}

bool Run::apart(const Access& a, const Access& b) const {
  const Instruction& first = code_[a.instruction];
  const Instruction& second = code_[b.instruction];
  if (!overlap(first.space, second.space)) return true;
  if (first.cache_op == CacheOp::kVolatile || second.cache_op == CacheOp::kVolatile) return false;
  if (first.op == Opcode::kLoad && second.op == Opcode::kLoad) return true;
  if (a.base == 0 || a.base != b.base || first.space != second.space) return false;
  const auto bytes = [](const Instruction& of) {
    return static_cast<std::int64_t>(isa::type_bytes(of.type)) * of.vector;
  };
  return first.memory.displacement + bytes(first) <= second.memory.displacement ||
         second.memory.displacement + bytes(second) <= first.memory.displacement;
}

std::vector<std::uint32_t> Run::order(const isa::RegisterLayout& layout, const std::vector<RegId>& before,
                                      const std::vector<RegId>& after) {
  // Of each register: accesses of the run that are still to come, and whether it holds a value.
  std::unordered_map<RegId, std::uint32_t> to_come;
  std::unordered_map<RegId, bool> holds;
  for (const Instruction& instruction : code_) {
    for (const RegId reg : reads(instruction)) ++to_come[reg];
    for (const RegId reg : writes(instruction)) ++to_come[reg];
  }
  for (const RegId reg : after) ++to_come[reg];
  std::int64_t weight = 0;
  for (const RegId reg : before) {
    holds[reg] = true;
    weight += analysis::register_weight(layout, reg);
  }
  /// Registers that it takes less those that it frees.
  const auto change = [&](std::uint32_t i) {
    std::int64_t sum = 0;
    for (const RegId reg : writes(code_[i]))
      if (!holds[reg]) sum += analysis::register_weight(layout, reg);
    for (const RegId reg : reads(code_[i]))
      if (to_come[reg] == 1 && holds[reg]) sum -= analysis::register_weight(layout, reg);
    return sum;
  };

  std::vector<std::uint32_t> order, ready;
  std::vector<std::uint64_t> earliest(code_.size(), 0);
  for (std::uint32_t i = 0; i < code_.size(); ++i)
    if (waits_[i] == 0) ready.push_back(i);
  std::uint64_t now = 0;
  while (!ready.empty()) {
    const bool full = weight >= options_.registers;
    const auto first = std::min_element(ready.begin(), ready.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (full) {
        const std::int64_t by_a = change(a), by_b = change(b);
        return by_a != by_b ? by_a < by_b : a < b;
      }
      const std::uint64_t at_a = std::max(now, earliest[a]), at_b = std::max(now, earliest[b]);
      if (at_a != at_b) return at_a < at_b;
      return path_[a] != path_[b] ? path_[a] > path_[b] : a < b;
    });
    const std::uint32_t next = *first;
    ready.erase(first);
    order.push_back(next);
    now = std::max(now, earliest[next]) + 1;
    for (const RegId reg : writes(code_[next])) {
      if (!holds[reg]) weight += analysis::register_weight(layout, reg);
      holds[reg] = true;
      --to_come[reg];
    }
    for (const RegId reg : reads(code_[next])) --to_come[reg];
    const auto free_unused = [&](RegId reg) {
      if (to_come[reg] != 0 || !holds[reg]) return;
      holds[reg] = false;
      weight -= analysis::register_weight(layout, reg);
    };
    for (const RegId reg : reads(code_[next])) free_unused(reg);
    for (const RegId reg : writes(code_[next])) free_unused(reg);
    for (const Edge& edge : successors_[next]) {
      earliest[edge.to] = std::max(earliest[edge.to], now - 1 + edge.cycles);
      if (--waits_[edge.to] == 0) ready.push_back(edge.to);
    }
  }
  return order;
}

}  // namespace

void ListSchedule::run(isa::Kernel& kernel) const {
  const auto assembled = [](const Instruction& i) { return i.op == Opcode::kConvergence; };
  if (std::any_of(kernel.code.begin(), kernel.code.end(), assembled)) return;
  ScheduleOptions options = options_;
  if (limit_) options.registers = std::min(options.registers, limit_(kernel));
  const analysis::ControlFlowGraph cfg(kernel.code, kernel.targets);
  const analysis::Liveness liveness(cfg, kernel.registers);
  std::vector<bool> begins(kernel.code.size() + 1,
                           false);  // no instruction moves from one side of it to the other
  for (analysis::BlockId block = 0; block < cfg.block_count(); ++block) begins[cfg.block(block).first] = true;
  for (const isa::SpinMark& mark : kernel.spin_marks) begins[mark.pc.value()] = true;
  for (const isa::FunctionCode& function : kernel.functions)
    begins[function.first] = begins[function.entry] = begins[function.end] = true;
  for (const isa::CodePointer& pointer : kernel.code_pointers) begins[pointer.pc.value()] = true;

  std::vector<std::uint32_t> from(kernel.code.size());
  std::iota(from.begin(), from.end(), 0u);
  for (std::uint32_t first = 0; first < kernel.code.size();) {
    std::uint32_t end = first;
    while (end < kernel.code.size() && moves(kernel.code[end]) && (end == first || !begins[end]) &&
           end - first < kMostInstructions)
      ++end;
    if (end - first > 1 && end < kernel.code.size()) {
      Run run({kernel.code.data() + first, end - first}, options);
      const std::vector<std::uint32_t> order =
          run.order(kernel.registers, liveness.live_before(first), liveness.live_before(end));
      for (std::uint32_t i = 0; i < order.size(); ++i) from[first + i] = first + order[i];
    }
    first = std::max(end, first + 1);
  }

  std::vector<Instruction> code;
  std::vector<std::uint32_t> to(from.size());
  code.reserve(from.size());
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    code.push_back(kernel.code[from[i]]);
    to[from[i]] = i;
  }
  kernel.code = std::move(code);
  for (isa::VariableUse& use : kernel.variable_uses) use.instruction = to[use.instruction];
  std::stable_sort(
      kernel.variable_uses.begin(), kernel.variable_uses.end(),
      [](const isa::VariableUse& a, const isa::VariableUse& b) { return a.instruction < b.instruction; });
  kernel.facts.forget();
}

}  // namespace heddle::compiler
