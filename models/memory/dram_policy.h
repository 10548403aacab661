// What a DRAM channel's scheduler leaves to policies: which request of a bank goes next, and how long rows stay open.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/choice.h"
#include "base/ids.h"
#include "memory/dram_queue.h"

namespace heddle::memory {

struct DramConfig;

/// A bank as a policy sees it.
struct DramBankView {
  const DramQueue& queue;
  std::uint32_t bank;
  bool open;
  std::uint64_t row;  ///< if it is open
  [[nodiscard]] bool hits(std::uint32_t slot) const { return open && queue[slot].at.row == row; }
};

/// Answers depend on the queue, on rows and on what has been served, never on the present cycle: the scheduler asks when one
/// of them changes, and not in every cycle. Among the banks' picks those commands go first that timing allows first,
/// column commands before row commands, older requests before younger ones.
class DramSchedulingPolicy {
 public:
  virtual ~DramSchedulingPolicy() = default;
  /// The request of the bank to serve next; the bank has some. `from`: requests older than this one do not hit the open row.
  [[nodiscard]] virtual std::uint32_t pick(const DramBankView& bank, std::uint32_t from) const = 0;
  /// The same when `arrived` has joined the bank's requests, of which `picked` was to be the next.
  [[nodiscard]] virtual std::uint32_t pick_again(const DramBankView& bank, std::uint32_t picked,
                                                 std::uint32_t arrived) const;
  /// From this cycle on nothing but the commands of the channel's oldest request is issued.
  [[nodiscard]] virtual base::Cycle in_order_from(const DramAccess& oldest) const = 0;
  /// The last column command of a request has been issued; the request is still in the queue.
  virtual void served(const DramBankView& /*bank*/, std::uint32_t /*slot*/) {}
};

struct DramScheduling {
  std::string name;  ///< value of memory.dram.scheduler
  std::string doc;
  std::vector<base::ConfigOption>
      options;  ///< its keys of memory.dram (ConfigOption::fields) or sections below
  std::function<std::unique_ptr<DramSchedulingPolicy>(const DramConfig&)> make;
};

class DramPagePolicy {
 public:
  virtual ~DramPagePolicy() = default;
  /// Whether the last column command of a request, which is still in the queue, closes its row (auto-precharge).
  [[nodiscard]] virtual bool closes(const DramBankView& bank, std::uint32_t slot) const = 0;
};

struct DramPaging {
  std::string name;  ///< value of memory.dram.page_policy
  std::string doc;
  std::vector<base::ConfigOption> options;
  std::function<std::unique_ptr<DramPagePolicy>(const DramConfig&)> make;
};

/// Key of scheduler fr_fcfs_cap.
struct FrFcfsCapConfig {
  std::uint32_t row_hit_cap = 4;
  void visit(base::ConfigVisitor& v);
};

[[nodiscard]] DramScheduling fr_fcfs_scheduling();
[[nodiscard]] DramScheduling fcfs_scheduling();
[[nodiscard]] DramScheduling fr_fcfs_cap_scheduling();
[[nodiscard]] DramPaging open_paging();
[[nodiscard]] DramPaging closed_paging();

/// By themselves they know fr_fcfs and open; platforms/gpu gives them all that are registered.
using DramSchedulingChoice = base::Choice<DramScheduling>;
using DramPagingChoice = base::Choice<DramPaging>;
[[nodiscard]] DramSchedulingChoice default_dram_scheduling();
[[nodiscard]] DramPagingChoice default_dram_paging();

}  // namespace heddle::memory
