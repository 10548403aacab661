// SIB prediction table of DDOS: backward branches that spinning warps take, and whether they are spin-inducing
// ([DDOS/BOWS] §6.3.1). The table alone, without time: blocks that serve it are SibTable and SibUnitModel.
//
// Hardware: a content-addressed memory of 16 entries {PC, confidence, prediction}.
#pragma once

#include <cstdint>
#include <vector>

#include "spin/config.h"
#include "spin/protocols.h"

namespace heddle::spin {

class SibTableModel {
 public:
  explicit SibTableModel(const DdosConfig& config)
      : capacity_(config.table_entries), threshold_(config.threshold) {}
  void serve(SibRequest& request);
  /// kRead only.
  void inspect(SibRequest& request) const;

 private:
  void look_up(SibRequest& request);
  void learn(SibEntry* entry, SibRequest& request);
  [[nodiscard]] SibEntry* find(Pc pc);
  SibEntry* free_slot();

  std::uint32_t capacity_;
  std::uint32_t threshold_;
  std::vector<SibEntry> slots_;  ///< those used since the last flush; new branches take the lowest free slot
  std::uint32_t used_ = 0;
};

}  // namespace heddle::spin
