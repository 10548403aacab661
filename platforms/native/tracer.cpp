#include "native/tracer.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/error.h"
#include "native/elf_symbols.h"
#include "native/instruction_decoder.h"
#include "native/thread_stepper.h"
#include "resync/record_format.h"

namespace heddle::native {

using resync::RecordWriter;
using resync::trace_name;
namespace {

constexpr std::uint64_t kStackBytes = std::uint64_t{8} << 20;

/// A call or jump whose record waits until it is known whether it leads to what is cut out.
struct Pending {
  TraceRecord record;
  std::vector<std::byte> registers;
};

struct Thread {
  enum class State : std::uint8_t { kBefore, kTraced, kCut, kDone };
  State state = State::kBefore;
  unsigned number = 0;
  std::uint64_t base = 0;       ///< SP at entry of the worker
  std::uint64_t return_to = 0;  ///< of the worker
  unsigned locks = 0;           ///< kCut: mutexes held
  std::uint64_t resume_pc = 0;  ///< kCut without a lock: where the function that is cut out returns to
  std::uint64_t resume_sp = 0;
  bool barrier = false;  ///< kCut: in pthread_barrier_wait
  bool mark = false;     ///< kCut: in a function mark of the compiler
  bool begins_block = true;
  bool after_barrier = false;
  std::uint8_t marks = 0;  ///< flags of the marks that have been met in front of the next instruction
  std::optional<Pending> pending;
  std::unique_ptr<RecordWriter> writer;
};

class Tracer : private ThreadStepper::Observer {
 public:
  Tracer(const std::vector<std::string>& command, const std::filesystem::path& folder,
         const NativeOptions& options)
      : command_(command),
        folder_(folder),
        options_(options),
        symbols_(function_symbols(command[0])),
        program_(command) {
    const auto address = [&](const std::string& name) {
      const auto found = symbols_.find(name);
      return found == symbols_.end() ? std::uint64_t{0} : found->second;
    };
    worker_ = address(options.worker);
    if (worker_ == 0)
      throw base::InputError(command[0], fmt::format("has no function '{}'", options.worker),
                             "Name the function that its threads execute.");
    for (const char* prefix : {"", "__", "___"}) {
      lock_.insert(address(fmt::format("{}pthread_mutex_lock", prefix)));
      unlock_.insert(address(fmt::format("{}pthread_mutex_unlock", prefix)));
      barrier_.insert(address(fmt::format("{}pthread_barrier_wait", prefix)));
      wait_.insert(address(fmt::format("{}pthread_cond_wait", prefix)));
    }
    enter_ = address("__cyg_profile_func_enter");
    leave_ = address("__cyg_profile_func_exit");
    for (auto* set : {&lock_, &unlock_, &barrier_, &wait_}) set->erase(0);
  }

  NativeTraces run() {
    const ThreadStepper::End end = program_.run(*this);
    for (Thread& thread : threads_)
      if (thread.writer) finish(thread);
    if (end.signal != 0)
      throw base::InputError(command_[0], fmt::format("was ended by signal {}", end.signal),
                             "Does it run by itself?");
    result_.threads = numbers_;
    result_.status = end.status;
    return result_;
  }

 private:
  void before(unsigned thread, const user_regs_struct& registers) override {
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    if (threads_[thread].state != Thread::State::kDone) visit(thread, threads_[thread], registers);
  }
  void ended(unsigned thread) override {
    if (thread < threads_.size() && threads_[thread].writer) finish(threads_[thread]);
  }
  [[nodiscard]] bool watches(unsigned thread) const override {
    return thread < threads_.size() && threads_[thread].writer != nullptr;
  }

  std::uint64_t word_at(std::uint64_t address) const {
    std::uint64_t word = 0;
    return program_.read(address, &word, sizeof word) == sizeof word ? word : 0;
  }

  /// The thread is about to execute the instruction at its PC.
  void visit(unsigned id, Thread& thread, const user_regs_struct& registers) {
    const std::uint64_t pc = registers.rip, sp = registers.rsp;
    if (thread.state == Thread::State::kBefore) {
      if (pc != worker_) return;
      if (numbers_ >= options_.threads) {
        thread.state = Thread::State::kDone;
        return;
      }
      thread.state = Thread::State::kTraced;
      thread.number = numbers_++;
      thread.base = sp;
      thread.return_to = word_at(sp);
      thread.writer = std::make_unique<RecordWriter>(folder_ / trace_name(thread.number));
    }
    if (thread.state == Thread::State::kCut) {
      ++result_.cut;
      if (thread.locks > 0) {
        if (lock_.contains(pc)) ++thread.locks;
        if (unlock_.contains(pc) && --thread.locks == 0) leave_behind(thread, sp);
        return;
      }
      if (pc != thread.resume_pc || sp <= thread.resume_sp) return;
      thread.state = Thread::State::kTraced;
      thread.after_barrier = thread.after_barrier || thread.barrier;
      if (!thread.mark) thread.begins_block = true;
      --result_.cut;
    }
    if (pc == thread.return_to && sp > thread.base) return finish(thread);
    const bool mark = pc == enter_ || pc == leave_;
    if (mark || lock_.contains(pc) || barrier_.contains(pc) || wait_.contains(pc)) {
      // The call goes with what it calls. A jump there is a tail call: what is cut out returns for its function.
      if (thread.pending && thread.pending->record.is(TraceRecord::kBranch)) {
        thread.pending->record.control = TraceRecord::kReturn;
        if (pc == leave_ || enter_ == 0) thread.pending->record.flags |= TraceRecord::kFunctionReturn;
        write_pending(thread);
      } else if (mark) {
        thread.marks |= pc == enter_ ? TraceRecord::kFunctionCall : TraceRecord::kFunctionReturn;
      }
      thread.pending.reset();
      thread.state = Thread::State::kCut;
      thread.barrier = barrier_.contains(pc);
      thread.mark = mark;
      if (lock_.contains(pc))
        thread.locks = 1;
      else
        leave_behind(thread, sp);
      ++result_.cut;
      return;
    }
    record(id, thread, registers);
  }

  /// What is cut out ends when the function that has just been entered returns.
  void leave_behind(Thread& thread, std::uint64_t sp) const {
    thread.resume_pc = word_at(sp);
    thread.resume_sp = sp;
  }

  const X86Instruction* instruction_at(std::uint64_t pc) {
    if (const X86Instruction* known = decoder_.known(pc)) return known;
    std::array<std::uint8_t, 16> bytes{};
    const std::size_t n = program_.read(pc, bytes.data(), bytes.size());
    return n == 0 ? nullptr : decoder_.decode(pc, bytes.data(), n);
  }

  void record(unsigned id, Thread& thread, const user_regs_struct& registers) {
    write_pending(thread);
    const X86Instruction* const instruction = instruction_at(registers.rip);
    if (instruction == nullptr) return;
    const auto in_stack = [&](std::uint64_t address) {
      return address <= thread.base + 4096 && address > thread.base - kStackBytes;
    };
    TraceRecord r;
    r.pc = registers.rip;
    r.depth = thread.base - registers.rsp;
    r.control = instruction->control;
    if (enter_ != 0) {
      r.flags |= thread.marks;
      thread.marks = 0;
    } else {
      if (r.is(TraceRecord::kCall)) r.flags |= TraceRecord::kFunctionCall;
      if (r.is(TraceRecord::kReturn)) r.flags |= TraceRecord::kFunctionReturn;
    }
    if (thread.begins_block) r.flags |= TraceRecord::kBlockBegin;
    if (thread.after_barrier) r.flags |= TraceRecord::kAfterBarrier;
    thread.after_barrier = false;
    thread.begins_block = r.ends_block();
    for (const X86Memory& memory : instruction->memory) {
      std::uint64_t address = static_cast<std::uint64_t>(memory.displacement);
      if (memory.base >= 0) address += general_register(registers, static_cast<unsigned>(memory.base));
      if (memory.index >= 0)
        address += memory.scale * general_register(registers, static_cast<unsigned>(memory.index));
      if (memory.relative_to_next) address += registers.rip + instruction->size;
      if (memory.segment == 'f') address += registers.fs_base;
      if (memory.segment == 'g') address += registers.gs_base;
      // Stacks are rebased so that they are equally far apart ([Resync] §4.2).
      r.address[r.addresses++] =
          in_stack(address) ? thread.number * resync::record::kStackSpacing + (thread.base + 4096 - address)
                            : address;
    }
    std::vector<std::byte> contents;
    const auto read = [&contents](const void* from, std::size_t bytes) {
      const auto* const first = static_cast<const std::byte*>(from);
      contents.insert(contents.end(), first, first + bytes);
    };
    for (const std::uint8_t number : instruction->general) {
      std::uint64_t value = general_register(registers, number);
      if ((number == kRsp || number == kRbp) && in_stack(value)) value = thread.base - value;
      read(&value, sizeof value);
    }
    if (instruction->flags) {
      constexpr std::uint64_t kStatus = 0x8d5;  // carry, parity, adjust, zero, sign, overflow
      const std::uint64_t value = registers.eflags & kStatus;
      read(&value, 2);
    }
    if (!instruction->vector.empty()) {
      const user_fpregs_struct floating = program_.floating_point(id);
      for (const std::uint8_t number : instruction->vector)
        read(&floating.xmm_space[std::size_t{4} * number], 16);
    }
    ++result_.records;
    if (!r.is(TraceRecord::kFallThrough) && !r.is(TraceRecord::kReturn))
      thread.pending = Pending{r, std::move(contents)};
    else
      thread.writer->write(r, contents);
    if (options_.most_records != 0 && thread.writer->records() >= options_.most_records) finish(thread);
    if (options_.progress && result_.records % 4096 == 0) options_.progress(result_.records);
  }

  static void write_pending(Thread& thread) {
    if (!thread.pending) return;
    thread.writer->write(thread.pending->record, thread.pending->registers);
    thread.pending.reset();
  }

  static void finish(Thread& thread) {
    write_pending(thread);
    thread.writer->close();
    thread.writer.reset();
    thread.state = Thread::State::kDone;
  }

  const std::vector<std::string>& command_;
  const std::filesystem::path& folder_;
  const NativeOptions& options_;
  const std::map<std::string, std::uint64_t> symbols_;
  std::uint64_t worker_ = 0;
  std::set<std::uint64_t> lock_, unlock_, barrier_, wait_;
  std::uint64_t enter_ = 0, leave_ = 0;  ///< the compiler's function marks; 0: the program has none
  InstructionDecoder decoder_;
  ThreadStepper program_;
  std::vector<Thread> threads_;  ///< by order of birth
  unsigned numbers_ = 0;
  NativeTraces result_;
};

}  // namespace

NativeTraces trace_native(const std::vector<std::string>& command, const std::filesystem::path& folder,
                          const NativeOptions& options) {
  if (command.empty()) throw base::InputError("--native", "no program is given", "Name one.");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw base::InputError(folder.string(), "cannot be made: " + error.message(), "Choose another folder.");
  return Tracer(command, folder, options).run();
}

}  // namespace heddle::native
