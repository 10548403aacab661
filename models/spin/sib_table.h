// SIB prediction table of DDOS: backward branches that spinning warps take, and whether they are spin-inducing
// ([DDOS/BOWS] §6.3.1). One per core.
//
// This is the block of `timing: ideal`, which answers in the cycle that asks; clocked_sib_table.h is that of `timing: contract`.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <systemc>

#include "base/stats.h"
#include "sim/block_socket.h"
#include "sim/twins.h"
#include "spin/sib_table_model.h"

namespace heddle::spin {

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

/// Statistics of a SIB table. Conflicts and waiting are counted under `timing: contract` only.
struct SibCounts {
  explicit SibCounts(base::StatGroup& stats);
  std::uint64_t look_ups = 0, hits = 0, confirmed = 0, full = 0, conflicts = 0, wait_cycles = 0, most = 0;
};

class SibTable : public sc_core::sc_module {
 public:
  SibTable(const sc_core::sc_module_name& name, const SpinConfig& config, base::StatGroup& stats,
           sim::Twins* twins = nullptr);

 private:
  void serve(SibRequest& request);
  void inspect(SibRequest& request) const { block_.inspect(request); }

 public:
  sim::BlockTarget<SibProtocol, SibTable, &SibTable::serve, &SibTable::inspect> sib_tsock{"sib_tsock", this};

 private:
  sim::Twinned<SibTableBlock> block_;
  SibCounts counts_;
};

}  // namespace heddle::spin
