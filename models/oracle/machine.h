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
#include "oracle/machine_matrix.h"
#include "oracle/machine_memory.h"
#include "oracle/machine_operands.h"
#include "oracle/machine_state.h"
#include "oracle/machine_sync.h"
#include "oracle/machine_texture.h"
#include "oracle/memory.h"
#include "oracle/options.h"
#include "oracle/program.h"

namespace heddle::oracle {

class Machine {
 public:
  Machine(const Program& program, const host::Launch& shape, std::vector<std::byte> params,
          SparseMemory& memory, host::AllocationTable& allocations, const Options& options,
          const LaunchSurroundings& surroundings = {});
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  /// Runs the grid to completion. Throws base::KernelFault, or base::Error with kHang when no thread can
  /// continue or the instruction limit is reached.
  void run();
  [[nodiscard]] std::uint64_t thread_instructions() const { return executed_; }

 private:
  using State = mimd::State;
  using Frame = mimd::Frame;
  using Attempt = mimd::Attempt;
  using Thread = mimd::Thread;
  using Warp = mimd::Warp;
  using Cta = mimd::Cta;

  // machine.cpp
  void start_cta(Cta& cta, std::uint64_t number);
  void run_turn(Cta& cta, Thread& thread, std::uint32_t budget);
  [[nodiscard]] std::uint32_t turn_length();
  [[noreturn]] void deadlock(const std::vector<std::unique_ptr<Cta>>& resident) const;

  // machine_call.cpp
  void grow_stack(const Cta& cta, Thread& thread, const Step& step, std::uint64_t top);
  void call(Cta& cta, Thread& thread, const Step& step);
  void give_back(Cta& cta, Thread& thread);
  [[nodiscard]] std::uint64_t argument(const Cta& cta, const Thread& thread, const Actual& actual) const;
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
  // machine_tap.cpp
  /// Tells the tap what the thread is about to execute.
  void tell(const Cta& cta, const Thread& thread, const Step& step) const;

  const Program& program_;
  const host::Launch shape_;
  SparseMemory& memory_;
  host::AllocationTable& allocations_;
  const Options options_;
  const LaunchSurroundings surroundings_;
  std::uint64_t random_ = 0;
  std::uint64_t executed_ = 0;
  mimd::Operands operands_;
  mimd::Accesses accesses_;
  mimd::Matrices matrices_;
  mimd::Meetings meetings_;
};

}  // namespace heddle::oracle
