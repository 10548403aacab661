// Runs a grid of a kernel's machine code: round after round, every group of lanes that can go on takes a turn.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/device.h"
#include "oracle/options.h"
#include "oracle/sass/code_module.h"
#include "oracle/sass/cta.h"
#include "oracle/sass/memory_access.h"

namespace heddle::oracle::machine_code {

class CodeMachine {
 public:
  /// `heap`: for code that calls the driver's functions (KernelCode::calls_driver). `workspace`: address of what the CTAs of a cooperative launch share; 0: it is not one.
  CodeMachine(const KernelCode& code, const host::Launch& shape, const std::vector<std::byte>& params,
              SparseMemory& memory, host::AllocationTable& allocations, const Options& options,
              std::uint64_t workspace = 0, host::DeviceHeap* heap = nullptr);
  /// Runs the grid to completion. Throws base::KernelFault, or base::Error with kHang when no thread can continue or the
  /// instruction limit is reached.
  void run();
  [[nodiscard]] std::uint64_t thread_instructions() const { return executed_; }

 private:
  using State = Group::State;
  /// A group during its turn; it is not among those of the warp then.
  struct Turn {
    Cta& cta;
    Warp& warp;
    Group& group;
    bool over = false;
  };

  void fill_bank0(const std::vector<std::byte>& params, std::uint64_t workspace);
  void start_cta(Cta& cta, std::uint64_t number);
  /// Whether anything ran.
  bool run_round(Cta& cta);
  void run_turn(Cta& cta, Warp& warp, Group& group);
  [[nodiscard]] std::uint32_t turn_length();
  void execute(Turn& turn, const Op& op, std::uint32_t executing);
  /// false: the operation is none of these.
  bool execute_across_lanes(Turn& turn, const Op& op, std::uint32_t executing);

  /// HMMA and the like, LDSM, STSM.
  void execute_on_matrices(Turn& turn, const Op& op, std::uint32_t executing);

  // machine_control.cpp
  void execute_control(Turn& turn, const Op& op, std::uint32_t executing);
  void branch(Turn& turn, const Op& op, std::uint32_t executing);
  void own_address(Turn& turn, const Op& op, std::uint32_t executing);
  /// driver_calls.cpp
  void call_driver(const Turn& turn, unsigned lane, std::size_t function);
  /// Lanes go where `target` says, by lane; the others of the group to the next instruction.
  template <class Target>
  void jump(Turn& turn, std::uint32_t lanes, Target target);
  void exit(Turn& turn, std::uint32_t lanes);
  void wait(Turn& turn, std::uint32_t lanes, State state, unsigned number);
  void arrive_at_barrier(Turn& turn, const Op& op, std::uint32_t lanes);
  void release_barriers(Cta& cta);
  void warpsync(Turn& turn, const Op& op, std::uint32_t lanes);

  [[nodiscard]] std::uint32_t special(const Turn& turn, unsigned lane, std::int64_t id) const;
  void read_special(Turn& turn, const Op& op, std::uint32_t executing);
  [[noreturn]] void fault(const Turn& turn, unsigned lane, const std::string& problem) const;
  [[noreturn]] void deadlock(const std::vector<std::unique_ptr<Cta>>& resident) const;

  const KernelCode& code_;
  const host::Launch shape_;
  SparseMemory& memory_;
  host::AllocationTable& allocations_;
  const Options options_;
  host::DeviceHeap* const heap_;
  Banks banks_;
  std::uint64_t random_ = 0;
  std::uint64_t executed_ = 0;
  std::uint64_t round_ = 0;
};

}  // namespace heddle::oracle::machine_code
