// CTA barriers: 16 per CTA. A barrier completes when as many threads have arrived as the instruction names,
// or, without a count, as the CTA has left; exited threads therefore count. A reduction (barrier.red) counts
// the predicates of the threads that execute it; the count goes back with the release.
//
// What arrives is the issue logic's to say (core.barrier.counts):
// threads: PTX ISA from sm_70 on, [AWARE:A26]. A warp that arrives with some of its lanes waits
//   with those lanes only: if the others can never arrive (SIMT stack), the kernel hangs and the watchdog
//   says so.
// warps: PTX ISA up to sm_6x, "as if all the threads in the warp have executed the bar instruction". A warp
//   counts 32 threads with whatever lanes it arrives, and for as long as any of its lanes lives. Lanes of
//   another side of a branch run later; their barrier is then one more arrival of their warp.
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/config.h"
#include "core/protocols/barrier_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class BarrierModel {
 public:
  explicit BarrierModel(std::uint32_t cta_slots) : ctas_(cta_slots) {}
  void launch(CtaSlot cta, std::uint32_t threads);
  void arrive(BarrierRequest& request);
  void exit(BarrierRequest& request);
  void inspect(BarrierRequest& request) const;
  void find(BarrierRequest& request) const;

  std::uint64_t completions = 0;

 private:
  struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;    ///< 0: all live threads
    std::uint32_t reduced = 0;     ///< threads whose predicates are counted
    std::uint32_t true_count = 0;  ///< of these, those where it is true
    std::vector<BarrierRelease> waiting;
  };
  struct Cta {
    std::uint32_t live_threads = 0;  ///< counted in whole warps: 32 for each that lives
    std::array<Barrier, kBarriersPerCta> barriers;
  };
  void complete_if_full(const Cta& cta, Barrier& barrier, std::vector<BarrierRelease>& released);
  std::vector<Cta> ctas_;
};

class BarrierUnit : public sc_core::sc_module {
 public:
  BarrierUnit(const sc_core::sc_module_name& name, std::uint32_t cta_slots, base::StatGroup& stats);

 private:
  void serve(BarrierRequest& request);

 public:
  sim::BlockTarget<BarrierProtocol, BarrierUnit, &BarrierUnit::serve> barrier_tsock{"barrier_tsock", this};

 private:
  BarrierModel model_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace heddle::core
