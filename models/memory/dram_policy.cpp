#include "memory/dram_policy.h"

#include "memory/config.h"

namespace heddle::memory {

std::uint32_t DramSchedulingPolicy::pick_again(const DramBankView& bank, std::uint32_t /*picked*/,
                                               std::uint32_t /*arrived*/) const {
  return pick(bank, bank.queue.oldest_of(bank.bank));
}

namespace {

/// First ready, first come first served: the oldest request for the open row, else the oldest.
class FrFcfs : public DramSchedulingPolicy {
 public:
  explicit FrFcfs(const DramConfig& config) : limit_(config.starvation_limit_cycles) {}

  [[nodiscard]] std::uint32_t pick(const DramBankView& bank, std::uint32_t from) const override {
    if (bank.open)
      for (std::uint32_t slot = from; slot != DramQueue::kNone; slot = bank.queue[slot].younger_in_bank)
        if (bank.queue[slot].at.row == bank.row) return slot;
    return bank.queue.oldest_of(bank.bank);
  }
  [[nodiscard]] std::uint32_t pick_again(const DramBankView& bank, std::uint32_t picked,
                                         std::uint32_t arrived) const override {
    return !bank.hits(picked) && bank.hits(arrived) ? arrived : picked;
  }
  [[nodiscard]] base::Cycle in_order_from(const DramAccess& oldest) const override {
    return oldest.arrival + limit_;
  }

 private:
  base::Cycle limit_;
};

class Fcfs final : public DramSchedulingPolicy {
 public:
  [[nodiscard]] std::uint32_t pick(const DramBankView& bank, std::uint32_t /*from*/) const override {
    return bank.queue.oldest_of(bank.bank);
  }
  [[nodiscard]] base::Cycle in_order_from(const DramAccess& oldest) const override { return oldest.arrival; }
};

/// As FrFcfs, but when row_hit_cap requests have overtaken the oldest of their bank, that one is next.
class FrFcfsCap final : public FrFcfs {
 public:
  explicit FrFcfsCap(const DramConfig& config)
      : FrFcfs(config), cap_(config.scheduler.get<FrFcfsCapConfig>().row_hit_cap), overtaken_(config.banks) {}

  [[nodiscard]] std::uint32_t pick(const DramBankView& bank, std::uint32_t /*from*/) const override {
    const std::uint32_t oldest = bank.queue.oldest_of(bank.bank);
    return overtaken_[bank.bank] < cap_ ? FrFcfs::pick(bank, oldest) : oldest;
  }
  [[nodiscard]] std::uint32_t pick_again(const DramBankView& bank, std::uint32_t picked,
                                         std::uint32_t arrived) const override {
    return overtaken_[bank.bank] < cap_ ? FrFcfs::pick_again(bank, picked, arrived) : picked;
  }
  void served(const DramBankView& bank, std::uint32_t slot) override {
    std::uint32_t& overtaken = overtaken_[bank.bank];
    overtaken = slot == bank.queue.oldest_of(bank.bank) ? 0 : overtaken + 1;
  }

 private:
  std::uint32_t cap_;
  std::vector<std::uint32_t> overtaken_;  ///< by bank: requests served since its oldest one has been that
};

class OpenPage final : public DramPagePolicy {
 public:
  [[nodiscard]] bool closes(const DramBankView& /*bank*/, std::uint32_t /*slot*/) const override {
    return false;
  }
};

class ClosedPage final : public DramPagePolicy {
 public:
  [[nodiscard]] bool closes(const DramBankView& bank, std::uint32_t served) const override {
    for (std::uint32_t slot = bank.queue.oldest_of(bank.bank); slot != DramQueue::kNone;
         slot = bank.queue[slot].younger_in_bank)
      if (slot != served && bank.hits(slot)) return false;
    return true;
  }
};

}  // namespace

void FrFcfsCapConfig::visit(base::ConfigVisitor& v) {
  v.field("row_hit_cap", row_hit_cap,
          {.unit = "requests",
           .doc = "fr_fcfs_cap: number of younger requests for the open row that may overtake the oldest "
                  "request of their bank",
           .min = 1,
           .max = 4096});
}

DramScheduling fr_fcfs_scheduling() {
  return {"fr_fcfs", "requests for open rows first, then the oldest", {}, [](const DramConfig& config) {
            return std::make_unique<FrFcfs>(config);
          }};
}
DramScheduling fcfs_scheduling() {
  return {"fcfs", "in order of arrival", {}, [](const DramConfig&) { return std::make_unique<Fcfs>(); }};
}
DramScheduling fr_fcfs_cap_scheduling() {
  return {"fr_fcfs_cap",
          "as fr_fcfs, but only row_hit_cap requests overtake the oldest of their bank",
          {base::ConfigOption::fields<FrFcfsCapConfig>("row_hit_cap")},
          [](const DramConfig& config) { return std::make_unique<FrFcfsCap>(config); }};
}
DramPaging open_paging() {
  return {"open", "until another row is wanted, or a refresh is due", {}, [](const DramConfig&) {
            return std::make_unique<OpenPage>();
          }};
}
DramPaging closed_paging() {
  return {"closed", "until no request in the queue wants it (auto-precharge)", {}, [](const DramConfig&) {
            return std::make_unique<ClosedPage>();
          }};
}

DramSchedulingChoice default_dram_scheduling() { return DramSchedulingChoice({fr_fcfs_scheduling()}); }
DramPagingChoice default_dram_paging() { return DramPagingChoice({open_paging()}); }

}  // namespace heddle::memory
