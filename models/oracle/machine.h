// Runs a program thread by thread, each with its own program counter (MIMD).
//
// The execution model has no warps. Threads take turns of a bounded number of instructions, so every thread
// that can run keeps running and spin locks are fair. Warps matter only to instructions whose definition
// refers to them: there the threads of a member mask wait for each other (vote, shfl, match, bar.warp.sync).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/device.h"
#include "oracle/instruction_tap.h"
#include "oracle/memory.h"
#include "oracle/options.h"
#include "oracle/program.h"

namespace heddle::oracle {

/// What a launch has besides its parameters.
struct LaunchSurroundings {
  std::uint64_t workspace = 0;       ///< of a cooperative launch; 0: it is not
  host::DeviceHeap* heap = nullptr;  ///< of kernels that use it
};

class Machine {
 public:
  Machine(const Program& program, const host::Launch& shape, std::vector<std::byte> params,
          SparseMemory& memory, host::AllocationTable& allocations, const Options& options,
          const LaunchSurroundings& surroundings = {});
  ~Machine();
  /// Runs the grid to completion. Throws base::KernelFault, or base::Error with kHang when no thread can
  /// continue or the instruction limit is reached.
  void run();
  [[nodiscard]] std::uint64_t thread_instructions() const { return executed_; }

 private:
  enum class State : std::uint8_t { kReady, kAtBarrier, kInWarp, kTogether, kExited };
  /// One activation of a function.
  struct Frame {
    std::vector<std::uint64_t> regs;
    std::uint32_t return_to = 0;
    const CallSite* site = nullptr;
    const FunctionCode* function = nullptr;
    std::uint64_t* caller_regs = nullptr;
    std::uint64_t caller_base = 0;
    std::uint64_t caller_top = 0;
  };
  /// A transaction that has begun: what to put back if it is given up.
  struct Attempt {
    std::uint32_t depth = 1;
    std::uint32_t begin = 0;  ///< step behind the tx_begin
    std::vector<std::uint64_t> regs;
    std::vector<std::pair<std::byte*, std::vector<std::byte>>> undo;
  };
  struct Thread {
    std::uint32_t pc = 0;
    State state = State::kReady;
    std::uint8_t barrier = 0;  ///< kAtBarrier: the barrier's number
    std::uint32_t index = 0;   ///< linear within the CTA
    std::array<std::uint32_t, 3> tid{};
    std::uint64_t* regs = nullptr;                  ///< of the current function
    std::byte* local = nullptr;                     ///< the kernel's own frame
    std::unique_ptr<std::vector<std::byte>> upper;  ///< the stack above it
    std::uint64_t base = 0;                         ///< local address of the current frame
    std::uint64_t top = 0;                          ///< first free local address
    std::vector<Frame> frames;                      ///< of called functions
    std::unique_ptr<Attempt> attempt;               ///< within a transaction
  };
  /// One thread's arrival at a warp-wide instruction.
  struct Arrival {
    const Step* step = nullptr;
    std::uint32_t members = 0;
    std::array<std::uint64_t, 3> in{};
  };
  struct Warp {
    std::uint32_t gone = 0;      ///< exited lanes, and those beyond the CTA's last thread
    std::uint32_t waiting = 0;   ///< lanes in `arrivals`
    std::uint32_t loose = 0;     ///< lanes in `arrivals` that wait at an instruction without .sync
    std::uint32_t patience = 0;  ///< rounds that lanes in `loose` continue to wait for others
    std::array<Arrival, 32> arrivals{};
  };
  struct Barrier {
    std::vector<std::uint32_t> arrived;  ///< lanes per warp; empty: no arrivals
    std::uint64_t expected = 0;
    std::uint32_t predicates = 0;  ///< arrivals of a reduction with a true predicate
    std::uint32_t arrivals = 0;
  };
  struct Cta {
    std::array<std::uint32_t, 3> id{};
    std::uint32_t live = 0;
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::vector<std::uint64_t> regs;
    std::vector<std::byte> shared;
    std::vector<std::byte> local;
    std::array<Barrier, 16> barriers;
  };

  // machine.cpp
  void start_cta(Cta& cta, std::uint64_t number);
  void run_turn(Cta& cta, Thread& thread, std::uint32_t budget);
  [[nodiscard]] std::uint64_t special(const Cta& cta, const Thread& thread, Special which) const;
  [[nodiscard]] std::uint64_t value(const Cta& cta, const Thread& thread, const Source& source) const;
  [[nodiscard]] std::uint64_t element_address(const Thread& thread, const Source& source) const;
  static void assign(const Thread& thread, const Target& target, std::uint64_t bits);
  void pack(const Cta& cta, const Thread& thread, const Step& step) const;
  void unpack(const Cta& cta, const Thread& thread, const Step& step) const;
  [[nodiscard]] std::uint32_t turn_length();
  [[nodiscard]] std::string where(const Step& step) const;
  /// The source text of the function that contains the step.
  [[nodiscard]] const isa::SourceText* source_of(const Step& step) const;
  [[noreturn]] void fault(const Cta& cta, const Thread& thread, const Step& step, const std::string& message,
                          const std::string& remedy = {}) const;
  [[noreturn]] void deadlock(const std::vector<std::unique_ptr<Cta>>& resident) const;

  // machine_memory.cpp
  /// Where a load, store or atomic accesses memory.
  struct Location {
    std::uint64_t address = 0;
    StateSpace space = StateSpace::kNone;  ///< never generic
    std::uint64_t offset = 0;              ///< in the space
  };
  [[nodiscard]] Location location(const Thread& thread, const Step& step) const;
  [[nodiscard]] std::byte* locate(Cta& cta, Thread& thread, const Step& step, unsigned bytes);
  /// Bytes from the start of an array to its element.
  [[nodiscard]] static std::uint64_t distance(const Thread& thread, const Element& element);
  void load(Cta& cta, Thread& thread, const Step& step);
  void store(Cta& cta, Thread& thread, const Step& step);
  void atomic(Cta& cta, Thread& thread, const Step& step);
  [[nodiscard]] std::uint64_t in_space(const Cta& cta, const Thread& thread, const Step& step) const;

  // machine_call.cpp
  /// Storage of a range of local memory; nullptr if the thread's stack does not hold it.
  [[nodiscard]] std::byte* local_bytes(const Thread& thread, std::uint64_t offset, std::uint64_t bytes) const;
  void grow_stack(const Cta& cta, Thread& thread, const Step& step, std::uint64_t top);
  void call(Cta& cta, Thread& thread, const Step& step);
  void give_back(Cta& cta, Thread& thread);
  [[nodiscard]] std::uint64_t argument(const Cta& cta, const Thread& thread, const Actual& actual) const;
  /// The byte of a thread's memory at a generic address; nullptr: not mapped.
  [[nodiscard]] const std::byte* byte_at(const Cta& cta, const Thread& thread, std::uint64_t address) const;
  [[nodiscard]] std::string text_at(const Cta& cta, const Thread& thread, const Step& step,
                                    std::uint64_t address);
  void print(const Cta& cta, Thread& thread, const Step& step);
  void heap_allocate(const Cta& cta, Thread& thread, const Step& step);
  void heap_free(const Cta& cta, Thread& thread, const Step& step);
  /// Gives a call its result.
  void answer(const Thread& thread, const Actual& result, std::uint64_t bits);
  [[noreturn]] void assertion_failed(const Cta& cta, const Thread& thread, const Step& step);
  void allocate(Cta& cta, Thread& thread, const Step& step);
  void restore_stack(Cta& cta, Thread& thread, const Step& step);

  // machine_transaction.cpp
  /// False: it is not the thread's turn.
  bool begin_transaction(const Cta& cta, Thread& thread);
  /// Whether that ended it.
  bool commit_transaction(const Cta& cta, Thread& thread);
  void abort_transaction(Thread& thread);
  /// Before bytes of memory change.
  static void remember(Thread& thread, std::byte* at, std::size_t bytes);

  // machine_tap.cpp
  [[nodiscard]] std::uint64_t linear_id(const Cta& cta) const;
  /// Tells the tap what the thread is about to execute.
  void tell(const Cta& cta, const Thread& thread, const Step& step) const;

  // machine_sync.cpp
  void arrive_at_barrier(Cta& cta, Thread& thread, const Step& step);
  void release_if_complete(Cta& cta, std::uint8_t number);
  void arrive_in_warp(Cta& cta, Thread& thread, const Step& step);
  void meet_if_complete(Cta& cta, std::size_t warp);
  void finish_meeting(Cta& cta, std::size_t warp, std::uint32_t lanes);
  void arrive_loosely(Cta& cta, Thread& thread, const Step& step);
  [[nodiscard]] bool meet_loosely(Cta& cta);
  void leave(Cta& cta, Thread& thread);

  const Program& program_;
  const host::Launch shape_;
  std::vector<std::byte> params_;
  SparseMemory& memory_;
  host::AllocationTable& allocations_;
  const Options options_;
  const LaunchSurroundings surroundings_;
  std::uint64_t random_ = 0;
  std::uint64_t executed_ = 0;
};

/// The value an atomic leaves in memory.
[[nodiscard]] std::uint64_t atomic_result(Atomic op, Type type, StateSpace space, std::uint64_t old,
                                          std::uint64_t operand, std::uint64_t second);

}  // namespace heddle::oracle
