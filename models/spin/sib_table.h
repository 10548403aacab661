// SIB prediction table of DDOS: backward branches that spinning warps take, and whether they are spin-inducing
// ([DDOS/BOWS] §6.3.1). One per core.
//
// Hardware: a content-addressed memory of 16 entries {PC, confidence, prediction}. Timing contract: one look-up with
// update per clock; a second one waits for the next clock, or is dropped; the prediction is there one clock later.
// The port is counted beside the table: the model and its twin serve what has been admitted.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "sim/block_socket.h"
#include "sim/twins.h"
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

/// rtl/sib_table.
struct SibTableBlock {
  static constexpr const char* kName = "sib_table";
  struct Shape {
    std::uint32_t entries = 0;
    std::uint32_t threshold = 0;
  };
  using Request = SibRequest;
  using Interface = sim::Twin<Request>;
  using Model = SibTableModel;
  struct Answer {
    bool predicted = false, confirmed = false, full = false;
    std::uint32_t entries = 0;
    SibEntry entry;  ///< kRead: of a free slot nothing, of a predicted branch no confidence
    bool operator==(const Answer&) const = default;
  };
  static Answer answer_of(const Request& request);
  static nlohmann::ordered_json show_request(const Request& request);
  static nlohmann::ordered_json show_answer(const Answer& answer);
  static nlohmann::ordered_json show_tables(const Request& of, const std::function<void(Request&)>& inspect);
};

class SibTable : public sc_core::sc_module {
 public:
  SibTable(const sc_core::sc_module_name& name, const SpinConfig& config, base::StatGroup& stats,
           sim::Twins* twins = nullptr);

 private:
  void serve(SibRequest& request);
  void inspect(SibRequest& request) const { block_.inspect(request); }
  /// False: the port is taken, and the look-up is dropped.
  bool admit(SibRequest& request);

 public:
  sim::BlockTarget<SibProtocol, SibTable, &SibTable::serve, &SibTable::inspect> sib_tsock{"sib_tsock", this};

 private:
  sim::Twinned<SibTableBlock> block_;
  Timing timing_;
  PortConflict port_conflict_;
  Cycle port_free_ = 0;
  std::uint64_t look_ups_ = 0, hits_ = 0, conflicts_ = 0, wait_cycles_ = 0, full_ = 0, confirmed_ = 0,
                most_ = 0;
};

}  // namespace heddle::spin
