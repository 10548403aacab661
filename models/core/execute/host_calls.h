// Instructions that ask something of the host (kernel_calls.h), and the memory that a thread sees then.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/memory/access_check.h"
#include "core/memory/memory_view.h"
#include "core/state/core_state.h"

namespace heddle::core {

class HostCalls {
 public:
  /// `memory`: reads what threads see, without taking time.
  HostCalls(CoreState& state, const MemoryView& memory) : state_(state), memory_(memory) {}

  // Each: the group's instruction, with lanes `exec`, issues.
  void print(const IssueTable::Group& group, LaneMask exec);
  void allocate(const IssueTable::Group& group, LaneMask exec);
  void free(const IssueTable::Group& group, LaneMask exec);
  /// One line a lane, as CUDA prints them.
  [[noreturn]] void fail_assertion(const IssueTable::Group& group, LaneMask exec) const;
  [[noreturn]] void trap(const IssueTable::Group& group, LaneMask exec) const;

 private:
  /// Reads a thread's memory by generic address; throws if it cannot. Refers to `site`.
  [[nodiscard]] std::function<void(std::uint64_t, std::span<std::byte>)> thread_memory(const AccessSite& site,
                                                                                       unsigned lane) const;

  CoreState& state_;
  const MemoryView& memory_;
};

}  // namespace heddle::core
