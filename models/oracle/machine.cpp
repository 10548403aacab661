#include "oracle/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "oracle/bits.h"

namespace heddle::oracle {

using mimd::triple;

namespace {
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
      memory_(memory),
      allocations_(allocations),
      options_(options),
      surroundings_(surroundings),
      random_(options.seed),
      operands_(program_, shape_, surroundings_, executed_),
      accesses_(program_, std::move(params), memory_, allocations_, operands_),
      matrices_(operands_, accesses_, options_),
      meetings_(program_, operands_, matrices_, options_.slice) {}

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
  const std::uint64_t fitting =
      shape_.cooperative ? shape_.ctas()
                         : std::max<std::uint64_t>(1, options_.resident_threads / shape_.block.count());
  std::uint64_t next = shape_.first_cta;
  const std::uint64_t end = next + shape_.ctas();
  std::vector<std::unique_ptr<Cta>> resident;
  while (next < end && resident.size() < fitting) {
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
      progress |= meetings_.meet_loosely(*cta);
      if (options_.on_turn) options_.on_turn();
      if (cta->live == 0 && next < end) start_cta(*cta, next++);
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

void Machine::run_turn(Cta& cta, Thread& thread, std::uint32_t budget) {
  const Step* const steps = program_.steps.data();
  std::array<std::uint64_t, 8> in{};
  const bool tapped = options_.tap != nullptr && options_.tap->wants(operands_.linear_id(cta), thread.index);
  while ((budget-- > 0 || thread.attempt != nullptr) && thread.state == State::kReady) {
    const Step& step = steps[thread.pc];
    if (++executed_ > options_.max_thread_instructions)
      throw base::Error(base::ExitCode::kHang, operands_.where(step),
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
        for (unsigned i = 0; i < step.sources; ++i) in[i] = operands_.value(cta, thread, step.source[i]);
        operands_.assign(thread, step.target[0], step.eval(step, in.data()));
        ++thread.pc;
        break;
      case Kind::kPredicates: {
        for (unsigned i = 0; i < step.sources; ++i) in[i] = operands_.value(cta, thread, step.source[i]);
        const std::uint64_t both = step.eval(step, in.data());
        operands_.assign(thread, step.target[0], both & 1);
        operands_.assign(thread, step.target[1], both >> 1);
        ++thread.pc;
        break;
      }
      case Kind::kPair: {
        for (unsigned i = 0; i < step.sources; ++i) in[i] = operands_.value(cta, thread, step.source[i]);
        const auto both = step.pair_eval(step, in.data());
        operands_.assign(thread, step.target[0], both[0]);
        operands_.assign(thread, step.target[1], both[1]);
        ++thread.pc;
        break;
      }
      case Kind::kPack:
        operands_.pack(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kUnpack:
        operands_.unpack(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kMoveVector:
        for (unsigned i = 0; i < step.sources; ++i) in[i] = operands_.value(cta, thread, step.source[i]);
        for (unsigned i = 0; i < step.targets; ++i) operands_.assign(thread, step.target[i], in[i]);
        ++thread.pc;
        break;
      case Kind::kLoad:
        accesses_.load(cta, thread, step);
        ++thread.pc;
        if (step.flag && options_.polls_end_turns) budget = 0;
        break;
      case Kind::kStore:
        accesses_.store(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kAtomic:
        accesses_.atomic(cta, thread, step);
        ++thread.pc;
        if (step.targets > 0 && options_.polls_end_turns) budget = 0;
        break;
      case Kind::kBranch:
        thread.pc = step.jump;
        break;
      case Kind::kIndexedBranch: {
        const auto& table = program_.branch_tables[step.extra];
        const std::uint64_t index = operands_.value(cta, thread, step.source[0]);
        if (index >= table.size())
          operands_.fault(
              cta, thread, step,
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
        meetings_.leave(cta, thread);
        break;
      case Kind::kBarrier:
        meetings_.arrive_at_barrier(cta, thread, step);
        break;
      case Kind::kWarp:
        meetings_.arrive_in_warp(cta, thread, step);
        break;
      case Kind::kTogether:
        meetings_.arrive_loosely(cta, thread, step);
        break;
      case Kind::kAsyncCopy:
      case Kind::kTexture:
        step.kind == Kind::kTexture ? mimd::access_texture(accesses_, operands_, cta, thread, step)
                                    : accesses_.copy(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kBarrierObject:
        accesses_.barrier_object(cta, thread, step);
        ++thread.pc;
        if (step.targets > 0 && options_.polls_end_turns) budget = 0;
        break;
      case Kind::kMatrixLoad:
      case Kind::kMatrixStore:
        matrices_.move(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kSpace:
        operands_.assign(thread, step.target[0], accesses_.in_space(cta, thread, step));
        ++thread.pc;
        break;
      case Kind::kAllocate:
        allocate(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kStackSave:
        operands_.assign(thread, step.target[0], thread.top);
        ++thread.pc;
        break;
      case Kind::kStackRestore:
        restore_stack(cta, thread, step);
        ++thread.pc;
        break;
      case Kind::kTrap:
        operands_.fault(
            cta, thread, step, step.flag ? "the kernel executed brkpt" : "the kernel executed trap",
            surroundings_.workspace == 0 && program_.reads_workspace && !step.flag
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

void Machine::deadlock(const std::vector<std::unique_ptr<Cta>>& resident) const {
  std::uint64_t waiting = 0;
  std::string first;
  for (const auto& cta : resident)
    for (const Thread& thread : cta->threads) {
      if (thread.state == State::kExited) continue;
      ++waiting;
      if (waiting > 4) continue;
      first += "\n    thread " + triple(thread.tid) + " of CTA " + triple(cta->id) + " at " +
               operands_.where(program_.steps[thread.pc]) +
               (thread.state == State::kAtBarrier ? ", barrier " + std::to_string(thread.barrier)
                                                  : ", for the other threads of its member mask");
    }
  throw base::Error(base::ExitCode::kHang, "kernel " + program_.kernel->name,
                    "no thread can go on: " + std::to_string(waiting) +
                        " threads wait for threads that do not come" + first);
}

}  // namespace heddle::oracle
