#include "tm/commit_checker.h"

#include <fmt/format.h>

#include <stdexcept>

namespace heddle::tm {

/// What one unit does.
class UnitChecker final : public CommitObserver {
 public:
  UnitChecker(CommitChecker& all, std::uint32_t partition) : all_(all), partition_(partition) {}

  void read_issued(Cid cid, std::uint64_t word, bool /*again*/) override {
    Transaction& of = live(cid);
    of.reads[word] = {true, writer(word)};
    ++of.reading;
  }
  void read_returned(Cid cid, std::uint64_t word) override {
    Transaction& of = live(cid);
    of.reads[word].outstanding = false;
    --of.reading;
  }
  void outcome_sent(Cid cid) override {
    Transaction& of = live(cid);
    demand(of.reading == 0, "Claim 5", cid);
    of.outcome = true;
  }
  void final_received(Cid cid, bool pass) override {
    Transaction& of = live(cid);
    for (auto& unit : all_.units_)
      if (const auto known = unit.live.find(cid); known != unit.live.end() && !known->second.reads.empty())
        demand(known->second.outcome, "Claim 4", cid);
    of.final = true;
    of.pass = pass;
    if (!pass) return;
    demand(!of.stale, "Claim 1 (an older write came behind the outcome)", cid);
    // The reads that decided: nobody older has written behind them, and nobody younger before.
    for (const auto& [word, read] : of.reads) {
      demand(read.last_write < cid, "Claim 1 (a younger write came before the read)", cid);
      demand(read.last_write == writer(word), "Claim 1 (an older write came behind the read)", cid);
    }
  }
  void write_issued(Cid cid, std::uint64_t word) override {
    const Transaction& of = live(cid);
    demand(of.final && of.pass, "Claim 3", cid);
    demand(writer(word) <= cid, "Claim 2", cid);
    for (const auto& [older, other] : unit().live) {
      if (older >= cid) break;
      demand(other.final, "Claim 6", cid);
    }
    for (auto later = unit().live.upper_bound(cid); later != unit().live.end(); ++later) {
      Transaction& other = later->second;
      if (!other.outcome || !other.reads.contains(word)) continue;
      demand(!(other.final && other.pass), "Claim 1 (an older write came behind the outcome)", later->first);
      other.stale = true;
    }
    unit().writer[word] = cid;
  }
  void retired(Cid cid) override {
    unit().live.erase(cid);
    ++all_.checked_;
  }

 private:
  using Transaction = CommitChecker::Transaction;
  CommitChecker::Unit& unit() { return all_.units_[partition_]; }
  Transaction& live(Cid cid) { return unit().live[cid]; }
  [[nodiscard]] Cid writer(std::uint64_t word) {
    const auto known = unit().writer.find(word);
    return known == unit().writer.end() ? 0 : known->second;
  }
  void demand(bool holds, const char* rule, Cid cid) const {
    if (!holds)
      throw std::logic_error(
          fmt::format("commit unit {}: transaction {} breaks {} ([KiloTM] §5.3)", partition_, cid, rule));
  }

  CommitChecker& all_;
  std::uint32_t partition_;
};

std::unique_ptr<CommitObserver> CommitChecker::of_unit(std::uint32_t partition) {
  return std::make_unique<UnitChecker>(*this, partition);
}

}  // namespace heddle::tm
