// SIB prediction table of DDOS: backward branches that spinning warps take, and whether they are spin-inducing
// (mimd-simt-and-bows §5.2). One per core.
//
// Hardware: a content-addressed memory of 16 entries {PC, confidence, prediction}. Timing contract: one look-up with
// update per clock; a second one waits for the next clock, or is dropped; the prediction is there one clock later.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "sim/block_socket.h"
#include "spin/config.h"
#include "spin/protocols.h"

namespace heddle::spin {

class SibTable : public sc_core::sc_module {
 public:
  SibTable(const sc_core::sc_module_name& name, const DdosConfig& config, Timing timing,
           base::StatGroup& stats);

 private:
  void serve(SibRequest& request);

 public:
  sim::BlockTarget<SibProtocol, SibTable, &SibTable::serve> sib_tsock{"sib_tsock", this};

  struct Entry {
    Pc pc{};
    std::uint32_t confidence = 0;
    bool predicted = false;
  };
  /// In the order of allocation.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  void look_up(SibRequest& request);
  void learn(SibRequest& request);

  DdosConfig config_;
  Timing timing_;
  std::vector<Entry> entries_;
  Cycle port_free_ = 0;
  std::uint64_t look_ups_ = 0, hits_ = 0, conflicts_ = 0, wait_cycles_ = 0, full_ = 0, confirmed_ = 0,
                most_ = 0;
};

}  // namespace heddle::spin
