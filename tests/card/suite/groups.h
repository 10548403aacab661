// The groups of comparisons, besides the instruction sweeps (sweep.h). Each reports what differs.
#pragma once

#include <cstdint>
#include <string>

#include "findings.h"
#include "host/device.h"
#include "sweep.h"
#include "workloads/workload.h"

namespace heddle::card {

/// Votes, shuffles, matches and reductions of whole warps and of some of their lanes; atomics of many threads at one address.
void compare_warps(host::Device& oracle, host::Device& card, Findings& findings);

/// Random kernels: `count` seeds from `first` on, those of the share.
struct Seeds {
  std::uint64_t first = 0;
  std::uint64_t count = 500;
};
/// Structured ones, without approximate functions, which their results would show.
void compare_random(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share,
                    Findings& findings);
/// Ones with any control flow.
void compare_unstructured(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share,
                          Findings& findings);

/// Ones whose threads wait for each other, which end where threads run independently.
void compare_waiting(host::Device& oracle, host::Device& card, const Seeds& seeds, const Share& share,
                     Findings& findings);

/// Every workload: its own check, and what its host side reads.
void compare_workloads(host::Device& oracle, host::Device& card, const workloads::Options& options,
                       const Share& share, Findings& findings);

/// The litmus tests, `launches` times each: outcomes that the memory consistency model forbids. Notes how many weak ones came.
void run_litmus(host::Device& card, unsigned launches, const Share& share, Findings& findings);

}  // namespace heddle::card
