// A transaction as entries of a SIMT stack ([KiloTM] §4.2.1, Fig 4.3). The mechanism has a call frame (protocols/
// transaction_protocol.h), the transaction unit the masks; for readers of the table they are put together: an R entry
// with the lanes that try again, a T entry with those of the present attempt.
#pragma once

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/lane_mask.h"

namespace heddle::tm {

struct TransactionEntries {
  base::Pc begin{};        ///< the tx_begin
  base::Pc commit{};       ///< the tx_commit
  base::LaneMask attempt;  ///< whose outcome is not known
  base::LaneMask retry;
};

/// `table`: of a warp in the transaction, as SimtStack::inspect() gives it. The frame's lowest entry becomes T, with R below
/// it; the entry that called goes on behind the tx_begin.
inline void splice_transaction(const TransactionEntries& of, nlohmann::ordered_json& table) {
  nlohmann::ordered_json spliced = nlohmann::ordered_json::array();
  bool found = false;
  for (std::size_t i = 0; i < table.size(); ++i) {
    nlohmann::ordered_json entry = table[i];
    const bool first_of_frame = !found && i != 0 &&
                                entry.value("frame", 0u) > table[i - 1].value("frame", 0u) &&
                                table[i - 1]["pc"] == of.commit.value();
    if (first_of_frame) {
      found = true;
      spliced.back()["pc"] = of.begin.value();
      spliced.push_back(
          {{"type", "R"}, {"pc", of.begin.value() + 1}, {"rpc", "-"}, {"mask", of.retry.to_string()}});
      entry["type"] = "T";
      entry["mask"] = of.attempt.to_string();
    }
    spliced.push_back(entry);
  }
  table = std::move(spliced);
}

/// In the table of any mechanism: in that of a stack as entries of it, beside those of others.
inline void show_transaction(const TransactionEntries& of, nlohmann::ordered_json& table) {
  if (table.is_array()) return splice_transaction(of, table);
  table["transaction"] = {{"begin", of.begin.value()},
                          {"commit", of.commit.value()},
                          {"attempt", of.attempt.to_string()},
                          {"retry", of.retry.to_string()}};
}

}  // namespace heddle::tm
