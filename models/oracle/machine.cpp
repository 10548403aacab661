#include "oracle/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "oracle/bits.h"

namespace heddle::oracle {

namespace {
std::string triple(const std::array<std::uint32_t, 3>& v) {
  return fmt::format("({}, {}, {})", v[0], v[1], v[2]);
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::array<std::uint32_t, 3> coordinates(std::uint64_t number, const host::Dim3& extent) {
  return {static_cast<std::uint32_t>(number % extent.x),
          static_cast<std::uint32_t>(number / extent.x % extent.y),
          static_cast<std::uint32_t>(number / extent.x / extent.y)};
}
}  // namespace

Machine::Machine(const Program& program, const host::Launch& shape, std::vector<std::byte> params,
                 SparseMemory& memory, host::AllocationTable& allocations, const Options& options,
                 const LaunchSurroundings& surroundings)
    : program_(program),
      shape_(shape),
      params_(std::move(params)),
      memory_(memory),
      allocations_(allocations),
      options_(options),
      surroundings_(surroundings),
      random_(options.seed) {}

Machine::~Machine() = default;

void Machine::start_cta(Cta& cta, std::uint64_t number) {
  const auto count = static_cast<std::uint32_t>(shape_.block.count());
  cta.id = coordinates(number, shape_.grid);
  cta.live = count;
  const FunctionCode& kernel = program_.functions[0];
  cta.regs.assign(std::size_t{count} * kernel.slots, 0);
  cta.local.assign(std::size_t{count} * kernel.frame_bytes, std::byte{0});
  const std::uint32_t shared = shape_.dynamic_shared_bytes == 0
                                   ? program_.static_shared_bytes
                                   : program_.dynamic_shared_base + shape_.dynamic_shared_bytes;
  cta.shared.assign(shared, std::byte{0});
  cta.threads.clear();
  cta.threads.resize(count);
  cta.warps.assign((count + 31) / 32, Warp{});
  cta.barriers = {};
  if (count % 32 != 0) cta.warps.back().gone = ~std::uint32_t{0} << (count % 32);
  for (std::uint32_t i = 0; i < count; ++i) {
    Thread& thread = cta.threads[i];
    thread.index = i;
    thread.tid = coordinates(i, shape_.block);
    thread.regs = cta.regs.data() + std::size_t{i} * kernel.slots;
    thread.local = cta.local.data() + std::size_t{i} * kernel.frame_bytes;
    thread.top = kernel.frame_bytes;
  }
}

void Machine::run() {
  const std::uint64_t total = shape_.grid.count();
  const std::uint64_t fitting =
      shape_.cooperative ? total
                         : std::max<std::uint64_t>(1, options_.resident_threads / shape_.block.count());
  std::uint64_t next = 0;
  std::vector<std::unique_ptr<Cta>> resident;
  while (next < total && next < fitting) {
    resident.push_back(std::make_unique<Cta>());
    start_cta(*resident.back(), next++);
  }
  while (!resident.empty()) {
    bool progress = false;
    for (auto& cta : resident) {
      for (Thread& thread : cta->threads) {
        if (thread.state != State::kReady) continue;
        progress = true;
        run_turn(*cta, thread, turn_length());
      }
      progress |= meet_loosely(*cta);
      if (options_.on_turn) options_.on_turn();
      if (cta->live == 0 && next < total) start_cta(*cta, next++);
    }
    if (!progress) deadlock(resident);
    std::erase_if(resident, [](const auto& cta) { return cta->live == 0; });
  }
}

std::uint32_t Machine::turn_length() {
  if (options_.seed == 0) return std::max(1u, options_.slice);
  // splitmix64
  std::uint64_t z = random_ += 0x9e37'79b9'7f4a'7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
  return 1 + static_cast<std::uint32_t>((z ^ (z >> 31)) % std::max(1u, options_.slice));
}

std::uint64_t Machine::special(const Cta& cta, const Thread& thread, Special which) const {
  const std::uint32_t lane = thread.index % 32;
  const std::uint32_t bit = 1u << lane;
  switch (which) {
    case Special::kTidX:
      return thread.tid[0];
    case Special::kTidY:
      return thread.tid[1];
    case Special::kTidZ:
      return thread.tid[2];
    case Special::kNtidX:
      return shape_.block.x;
    case Special::kNtidY:
      return shape_.block.y;
    case Special::kNtidZ:
      return shape_.block.z;
    case Special::kCtaidX:
      return cta.id[0];
    case Special::kCtaidY:
      return cta.id[1];
    case Special::kCtaidZ:
      return cta.id[2];
    case Special::kNctaidX:
      return shape_.grid.x;
    case Special::kNctaidY:
      return shape_.grid.y;
    case Special::kNctaidZ:
      return shape_.grid.z;
    case Special::kLaneId:
      return lane;
    // Where a warp runs is not a property of the program. These are fixed values, so results of kernels that
    // use them cannot be compared.
    case Special::kWarpId:
      return thread.index / 32;
    case Special::kNwarpId:
      return cta.warps.size();
    case Special::kLanemaskEq:
      return bit;
    case Special::kLanemaskLt:
      return bit - 1;
    case Special::kLanemaskLe:
      return bit | (bit - 1);
    case Special::kLanemaskGt:
      return ~(bit | (bit - 1)) & low_bits(32);
    case Special::kLanemaskGe:
      return ~(bit - 1) & low_bits(32);
    case Special::kDynamicSharedSize:
      return shape_.dynamic_shared_bytes;
    case Special::kTotalSharedSize:
      return cta.shared.size();
    case Special::kWorkspaceLow:
      return surroundings_.workspace & low_bits(32);
    case Special::kWorkspaceHigh:
      return surroundings_.workspace >> 32;
    case Special::kClock:
      return executed_;
    case Special::kZero:
      return 0;
    case Special::kOne:
      return 1;
  }
  return 0;
}

std::uint64_t Machine::value(const Cta& cta, const Thread& thread, const Source& source) const {
  std::uint64_t bits = source.bits;
  if (source.from == Source::From::kSlot)
    bits = thread.regs[source.slot];
  else if (source.from == Source::From::kSpecial)
    bits = special(cta, thread, source.special);
  else if (source.from == Source::From::kFrame)
    bits += thread.base;
  else if (source.from == Source::From::kElement)
    bits = element_address(thread, source);
  return source.negated ? bits ^ 1 : bits;
}

std::uint64_t Machine::element_address(const Thread& thread, const Source& source) const {
  const Element& element = program_.elements[source.slot];
  return (source.bits + (element.in_frame ? thread.base : 0) + distance(thread, element)) & element.mask;
}

void Machine::assign(const Thread& thread, const Target& target, std::uint64_t bits) {
  if (target.slot >= 0) thread.regs[target.slot] = bits & target.mask;
}

void Machine::pack(const Cta& cta, const Thread& thread, const Step& step) const {
  const unsigned bits = isa::type_bytes(step.from) * 8;
  std::uint64_t whole = 0;
  for (unsigned i = 0; i < step.sources; ++i)
    whole |= (value(cta, thread, step.source[i]) & low_bits(bits)) << (i * bits);
  assign(thread, step.target[0], whole);
}

void Machine::unpack(const Cta& cta, const Thread& thread, const Step& step) const {
  const unsigned bits = isa::type_bytes(step.from) * 8;
  const std::uint64_t whole = value(cta, thread, step.source[0]);
  for (unsigned i = 0; i < step.targets; ++i)
    assign(thread, step.target[i], (whole >> (i * bits)) & low_bits(bits));
}

void Machine::run_turn(Cta& cta, Thread& thread, std::uint32_t budget) {
  const Step* const steps = program_.steps.data();
  std::array<std::uint64_t, 5> in{};
  const bool tapped = options_.tap != nullptr && options_.tap->wants(linear_id(cta), thread.index);
  while ((budget-- > 0 || thread.attempt != nullptr) && thread.state == State::kReady) {
    const Step& step = steps[thread.pc];
    if (++executed_ > options_.max_thread_instructions)
      throw base::Error(base::ExitCode::kHang, where(step),
                        "the oracle ran " + std::to_string(options_.max_thread_instructions) +
                            " thread instructions without reaching the end of kernel '" +
                            program_.kernel->name + "'",
                        "The kernel may loop forever; raise the limit if it is only long.");
    if (tapped) [[unlikely]]
      tell(cta, thread, step);
    if (step.guard >= 0 && (thread.regs[step.guard] != 0) == step.guard_negated) {
      ++thread.pc;
      continue;
    }
    switch (step.kind) {
      case Kind::kCompute:
        for (unsigned i = 0; i < step.sources; ++i) in[i] = value(cta, thread, step.source[i]);
        assign(thread, step.target[0], step.eval(step, in.data()));
        ++thread.pc;
        break;
      case Kind::kPredicates: {
        for (unsigned i = 0; i < step.sources; ++i) in[i] = value(cta, thread, step.source[i]);
        const std::uint64_t both = step.eval(step, in.data());
        assign(thread, step.target[0], both & 1);
        assign(thread, step.target[1], both >> 1);
        ++thread.pc;
        break;
      }
      case Kind::kPair: {
        for (unsigned i = 0; i < step.sources; ++i) in[i] = value(cta, thread, step.source[i]);
        const auto both = step.pair_eval(step, in.data());
        assign(thread, step.target[0], both[0]);
        assign(thread, step.target[1], both[1]);
        ++thread.pc;
        break;
      }
      case Kind::kPack:
        pack(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kUnpack:
        unpack(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kMoveVector:
        for (unsigned i = 0; i < step.sources; ++i) in[i] = value(cta, thread, step.source[i]);
        for (unsigned i = 0; i < step.targets; ++i) assign(thread, step.target[i], in[i]);
        ++thread.pc;
        break;
      case Kind::kLoad:
        load(cta, thread, step);
        ++thread.pc;
        if (step.flag && options_.polls_end_turns) budget = 0;
        break;
      case Kind::kStore:
        store(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kAtomic:
        atomic(cta, thread, step);
        ++thread.pc;
        if (step.targets > 0 && options_.polls_end_turns) budget = 0;
        break;
      case Kind::kBranch:
        thread.pc = step.jump;
        break;
      case Kind::kIndexedBranch: {
        const auto& table = program_.branch_tables[step.extra];
        const std::uint64_t index = value(cta, thread, step.source[0]);
        if (index >= table.size())
          fault(cta, thread, step,
                "branches to entry " + std::to_string(index) + " of " + std::to_string(table.size()));
        thread.pc = table[index];
        break;
      }
      case Kind::kCall:
        call(cta, thread, step);
        break;
      case Kind::kReturn:
        give_back(cta, thread);
        break;
      case Kind::kPrint:
        print(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kHeapAllocate:
        heap_allocate(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kHeapFree:
        heap_free(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kAssertFail:
        assertion_failed(cta, thread, step);
      case Kind::kExit:
        leave(cta, thread);
        break;
      case Kind::kBarrier:
        arrive_at_barrier(cta, thread, step);
        break;
      case Kind::kWarp:
        arrive_in_warp(cta, thread, step);
        break;
      case Kind::kTogether:
        arrive_loosely(cta, thread, step);
        break;
      case Kind::kSpace:
        assign(thread, step.target[0], in_space(cta, thread, step));
        ++thread.pc;
        break;
      case Kind::kAllocate:
        allocate(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kStackSave:
        assign(thread, step.target[0], thread.top);
        ++thread.pc;
        break;
      case Kind::kStackRestore:
        restore_stack(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kTrap:
        fault(cta, thread, step, "the kernel executed trap",
              surroundings_.workspace == 0 && program_.reads_workspace
                  ? "It synchronises its grid, which takes a cooperative launch (Launch::cooperative)."
                  : "");
      case Kind::kTxBegin:
        if (!begin_transaction(cta, thread)) budget = 0;
        break;
      case Kind::kTxCommit:
        if (commit_transaction(cta, thread)) budget = 0;
        break;
      case Kind::kTxAbort:
        abort_transaction(thread);
        budget = 0;
        break;
      case Kind::kNothing:
        ++thread.pc;
        break;
    }
  }
}

const isa::SourceText* Machine::source_of(const Step& step) const {
  // Functions are stored one after the other. Some steps are not part of the program (a launch's own errors).
  const isa::SourceText* source = program_.kernel->source.get();
  const std::less<const Step*> before;
  if (before(&step, program_.steps.data()) || !before(&step, program_.steps.data() + program_.steps.size()))
    return source;
  const auto index = static_cast<std::size_t>(&step - program_.steps.data());
  for (const FunctionCode& function : program_.functions)
    if (function.entry <= index && function.source) source = function.source.get();
  return source;
}

std::string Machine::where(const Step& step) const {
  const isa::SourceText* const source = source_of(step);
  return (source ? source->name : "PTX") + ":" + std::to_string(step.where.line) + " (kernel " +
         program_.kernel->name + ")";
}

void Machine::fault(const Cta& cta, const Thread& thread, const Step& step, const std::string& message,
                    const std::string& remedy) const {
  const isa::SourceText* const source = source_of(step);
  const std::string line = source ? trimmed(source->line(step.where.line)) : "";
  throw base::KernelFault(where(step),
                          "thread " + triple(thread.tid) + " of CTA " + triple(cta.id) + ": " + message +
                              (line.empty() ? "" : "\n    " + line),
                          remedy);
}

void Machine::deadlock(const std::vector<std::unique_ptr<Cta>>& resident) const {
  std::uint64_t waiting = 0;
  std::string first;
  for (const auto& cta : resident)
    for (const Thread& thread : cta->threads) {
      if (thread.state == State::kExited) continue;
      ++waiting;
      if (waiting > 4) continue;
      first += "\n    thread " + triple(thread.tid) + " of CTA " + triple(cta->id) + " at " +
               where(program_.steps[thread.pc]) +
               (thread.state == State::kAtBarrier ? ", barrier " + std::to_string(thread.barrier)
                                                  : ", for the other threads of its member mask");
    }
  throw base::Error(base::ExitCode::kHang, "kernel " + program_.kernel->name,
                    "no thread can go on: " + std::to_string(waiting) +
                        " threads wait for threads that do not come" + first);
}

}  // namespace heddle::oracle
