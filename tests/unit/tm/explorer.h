// Random transactions through commit units, every step of cores, network and memory at a random time ([KiloTM:R1]
// to [KiloTM:R3] were confirmed so). At the end what committed is done again in the order of its ids: every read and the
// memory must be the same.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tm/commit_checker.h"
#include "tm/commit_unit_model.h"
#include "tm/last_written_times.h"
#include "tm/warp_commit.h"
#include "unit/tm/explorer_state.h"

namespace heddle::tm::testing {

struct ExplorerOptions {
  CommitUnitConfig unit;
  bool early_credits = false;  ///< [KiloTM:E3] broken
  std::uint32_t credits = 0;   ///< of a core; 0: any number
  unsigned units = 2, cores = 3, warps = 2, lanes = 1, words = 6, transactions = 3, most_reads = 3,
           most_writes = 2;
  bool checks = false;
  Temporal temporal = Temporal::kOff;
  bool own_id_matters = true;  ///< [KiloTM:E4]: a thread's own last transaction has retired everywhere
  unsigned stride = 4;         ///< bytes from word to word; units take turns
  std::function<CommitBlocks(unsigned unit)> blocks;  ///< of a unit; empty: its own
  std::function<void(unsigned unit)> clocked;         ///< a clock of a unit is over; may be empty
};

class Explorer : private ExplorerState {
 public:
  Explorer(const ExplorerOptions& options, std::uint64_t seed)
      : options_(options), random_(seed), checker_(options.units) {
    for (unsigned u = 0; u < options.units; ++u) {
      units_.emplace_back(
          std::make_unique<Unit>(options.unit, options.blocks ? options.blocks(u) : own_blocks(u)));
      if (options.checks) {
        units_.back()->observer = checker_.of_unit(u);
        units_.back()->model.observe(units_.back()->observer.get());
      }
    }
    warps_.resize(options.cores * options.warps);
    for (Warp& warp : warps_) {
      warp.lanes.resize(options.lanes);
      for (Lane& lane : warp.lanes) lane.left = options.transactions;
    }
    for (unsigned u = 0; u < options.units; ++u) times_.emplace_back(2u, 64u, 7u + u);
    to_units_.resize(options.cores * options.units);
    to_cores_.resize(options.cores * options.units);
    credits_.resize(options.cores);
    for (unsigned w = 0; w < options.words; ++w) memory_[address(w)] = w;
    initial_ = memory_;
  }

  /// What is wrong with the run; empty: nothing.
  std::string run() {
    std::uint64_t idle = 0;
    while (!finished()) {
      bool moved = false;
      try {
        moved = step();
      } catch (const std::logic_error& error) {
        return error.what();
      }
      idle = moved ? 0 : idle + 1;
      if (idle > kDeadlock) return "deadlock: " + units_[0]->model.describe();
    }
    return replay();
  }
  [[nodiscard]] std::uint64_t committed() const { return history_.size(); }
  [[nodiscard]] std::uint64_t aborted() const { return aborted_; }
  /// That have only read, and committed without the units.
  [[nodiscard]] std::uint64_t silent() const { return silent_.size(); }
  [[nodiscard]] const CommitUnitModel::Counters& counters(unsigned unit) {
    return units_[unit]->model.counters();
  }

 private:
  static constexpr std::uint64_t kDeadlock = 60'000;
  struct Unit {
    Unit(const CommitUnitConfig& config, const CommitBlocks& blocks) : model(config, blocks) {}
    CommitUnitModel model;
    std::unique_ptr<CommitObserver> observer;
    std::deque<CommitUnitModel::L2Request> l2;
    base::Cycle now = 0;
  };

  CommitBlocks own_blocks(unsigned u) {
    own_.resize(std::max<std::size_t>(own_.size(), u + 1));
    own_[u] = std::make_unique<PlainCommitBlocks>(options_.unit);
    return own_[u]->ports();
  }
  unsigned pick(std::size_t below) { return static_cast<unsigned>(random_() % below); }
  [[nodiscard]] std::uint64_t address(unsigned word) const {
    return 0x1000'0000 + std::uint64_t{word} * options_.stride;
  }
  [[nodiscard]] unsigned unit_of(std::uint64_t at) const {
    return static_cast<unsigned>((at - 0x1000'0000) / options_.stride % options_.units);
  }
  [[nodiscard]] Cid retired_everywhere() const {
    Cid oldest = ~Cid{0};
    for (const auto& unit : units_) oldest = std::min(oldest, unit->model.retire_pointer());
    return oldest;
  }

  bool finished() {
    return std::ranges::all_of(warps_, [](const Warp& warp) {
      return warp.phase == Phase::kStart &&
             std::ranges::all_of(warp.lanes, [](const Lane& lane) { return lane.left == 0; });
    });
  }

  bool step() {
    ++now_;
    switch (pick(5)) {
      case 0:
        return warp_step(pick(warps_.size()));
      case 1:
        return deliver_to_unit(pick(to_units_.size()));
      case 2:
        return deliver_to_core(pick(to_cores_.size()));
      case 3: {
        const unsigned u = pick(units_.size());
        Unit& unit = *units_[u];
        bool moved = unit.model.clock(++unit.now);
        if (options_.clocked) options_.clocked(u);
        if (const auto* const request = unit.model.l2_request(); request != nullptr && unit.l2.size() < 4) {
          unit.l2.push_back(*request);
          if (request->write) times_[unit_of(request->block)].written(request->block, now_, request->cid);
          unit.model.l2_sent();
          if (unit.l2.back().write) unit.model.ordered(unit.l2.back().tag);
          moved = true;
        }
        return static_cast<int>(moved) + static_cast<int>(take_messages(unit)) != 0;
      }
      default:
        return serve_l2(*units_[pick(units_.size())]);
    }
  }
  bool take_messages(Unit& unit) {
    const auto at = std::ranges::find_if(units_, [&](const auto& each) { return each.get() == &unit; });
    const auto u = static_cast<unsigned>(at - units_.begin());
    bool moved = false;
    while (const CoreMessage* const message = unit.model.message()) {
      to_cores_[message->group.core * options_.units + u].push_back(*message);
      unit.model.message_sent();
      moved = true;
    }
    return moved;
  }
  bool serve_l2(Unit& unit) {
    if (unit.l2.empty()) return false;
    const CommitUnitModel::L2Request request = unit.l2.front();
    unit.l2.pop_front();
    std::array<std::uint32_t, CommitUnitModel::kMostBlockWords> block{};
    for (unsigned w = 0; w < options_.unit.access_bytes / 4; ++w) {
      if ((request.words >> w & 1u) == 0) continue;
      std::uint32_t& word = memory_[request.block + w * 4];
      if (request.write) word = request.values[w];
      block[w] = word;
    }
    if (!request.write) unit.model.returned(request.tag, block.data());
    return true;
  }

  /// What a core reads: writes that L2 has taken come before.
  std::uint32_t load(std::uint64_t at) {
    std::uint32_t value = memory_[at];
    for (const CommitUnitModel::L2Request& request : units_[unit_of(at)]->l2) {
      const std::uint64_t word = (at - request.block) / 4;
      if (request.write && at >= request.block && word < options_.unit.access_bytes / 4 &&
          (request.words >> word & 1u) != 0)
        value = request.values[word];
    }
    return value;
  }

  // ---- cores

  bool warp_step(unsigned w) {
    Warp& warp = warps_[w];
    switch (warp.phase) {
      case Phase::kStart:
        return begin(warp);
      case Phase::kRuns:
        return execute(w, warp);
      case Phase::kCredits:
        return take_credits(w, warp);
      case Phase::kSends: {
        auto& [unit, message] = warp.to_send.front();
        to_units_[w / options_.warps * options_.units + unit].push_back(message);
        warp.to_send.pop_front();
        if (!warp.to_send.empty()) return true;
        warp.phase = Phase::kWaits;
        if (warp.commit.resolved()) end(w, warp);
        return true;
      }
      case Phase::kWaits:
        return false;
    }
    return false;
  }
  bool begin(Warp& warp) {
    warp.active = LaneMask{};
    for (unsigned l = 0; l < warp.lanes.size(); ++l) {
      Lane& lane = warp.lanes[l];
      if (lane.left == 0) continue;
      warp.active |= LaneMask(1u << l);
      if (!lane.again) {
        lane.program.clear();
        for (unsigned i = pick(options_.most_reads + 1); i != 0; --i)
          lane.program.emplace_back(false, pick(options_.words));
        for (unsigned i = pick(options_.most_writes + 1); i != 0; --i)
          lane.program.emplace_back(true, pick(options_.words));
        if (lane.program.empty()) lane.program.emplace_back(false, pick(options_.words));
        std::ranges::shuffle(lane.program, random_);
      }
      lane.pc = 0;
      lane.sum = 1;
      lane.reads.clear();
      lane.writes.clear();
      lane.own.clear();
      lane.first_read.begin();
    }
    if (warp.active.none()) return false;
    warp.phase = Phase::kRuns;
    return true;
  }
  bool execute(unsigned w, Warp& warp) {
    const unsigned l = pick(warp.lanes.size());
    Lane& lane = warp.lanes[l];
    if (warp.active.test(l) && lane.pc < lane.program.size()) {
      const auto [write, word] = lane.program[lane.pc++];
      const std::uint64_t at = address(word);
      if (write) {
        const std::uint32_t value = lane.sum * 2654435761u + static_cast<std::uint32_t>(lane.pc + l + w * 64);
        lane.writes.emplace_back(at, value);
        lane.own[at] = value;
      } else if (const auto own = lane.own.find(at); own != lane.own.end()) {
        lane.sum = lane.sum * 31 + own->second;
      } else {
        lane.first_read.sent(now_, retired_everywhere(), options_.own_id_matters ? lane.last_cid : 0);
        lane.first_read.returned(times_[unit_of(at)].read(at));
        lane.reads.emplace_back(at, load(at));
        lane.sum = lane.sum * 31 + lane.reads.back().second;
      }
      return true;
    }
    bool all = true;
    warp.active.for_each([&](unsigned i) { all = all && warp.lanes[i].pc == warp.lanes[i].program.size(); });
    if (!all) return false;
    if (options_.temporal != Temporal::kOff) commit_silently(w, warp);
    if (warp.active.none()) {
      warp.phase = Phase::kStart;
      return true;
    }
    if (options_.unit.by_warp) resolve_within(warp);
    warp.phase = Phase::kCredits;
    return true;
  }
  void commit_silently(unsigned w, Warp& warp) {
    warp.active.for_each([&](unsigned l) {
      Lane& lane = warp.lanes[l];
      if (!lane.writes.empty() || lane.first_read.conflict(options_.temporal == Temporal::kStrict)) return;
      silent_.push_back({lane.reads, lane.first_read.behind(), lane.last_committed, ~Cid{0}, w, l, false});
      warp.active = LaneMask::difference(warp.active, LaneMask(1u << l));
      lane.again = false;
      --lane.left;
    });
  }
  /// Lanes that conflict with a lower one that stays try again ([WarpTM] §6.2, §6.3).
  void resolve_within(Warp& warp) {
    std::map<std::uint64_t, bool> written;
    warp.active.for_each([&](unsigned l) {
      Lane& lane = warp.lanes[l];
      bool hit = false;
      for (const auto& [at, value] : lane.reads) hit = hit || written.contains(at);
      for (const auto& [at, value] : lane.writes) hit = hit || written.contains(at);
      if (hit) {
        lane.again = true;
        warp.active = LaneMask::difference(warp.active, LaneMask(1u << l));
        return;
      }
      for (const auto& [at, value] : lane.writes) written[at] = true;
    });
  }
  bool take_credits(unsigned w, Warp& warp) {
    const unsigned core = w / options_.warps;
    Credits& credits = credits_[core];
    Cid oldest = ~Cid{0};
    for (const auto& unit : units_) oldest = std::min(oldest, unit->model.retire_pointer());
    while (!credits.out.empty() && credits.out.front().first <= oldest) {
      credits.used -= credits.out.front().second;
      credits.out.pop_front();
    }
    const std::uint32_t count = warp.active.count();
    if (options_.credits != 0 && credits.used + count > options_.credits) return false;
    credits.used += count;
    CommitGroup group{next_cid_, warp.active, core, w, 0};
    next_cid_ += count;
    group.lanes.for_each([&](unsigned l) { warp.lanes[l].last_cid = group.cid_of(l); });
    credits.out.emplace_back(group.end(), count);
    send_logs(w, warp, group);
    return true;
  }
  void send_logs(unsigned, Warp& warp, const CommitGroup& group) {
    std::vector<LaneMask> touched(options_.units);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> counts(options_.units);
    LaneMask writers;
    for (const bool write : {false, true})
      for (std::size_t row = 0;; ++row) {
        bool any = false;
        std::vector<UnitMessage> messages(options_.units);
        group.lanes.for_each([&](unsigned l) {
          const auto& log = write ? warp.lanes[l].writes : warp.lanes[l].reads;
          if (row >= log.size()) return;
          any = true;
          const unsigned u = unit_of(log[row].first);
          messages[u].words.push_back({log[row].first, log[row].second, static_cast<std::uint16_t>(row),
                                       static_cast<std::uint8_t>(l), 0xf});
          touched[u] |= LaneMask(1u << l);
          if (write) writers |= LaneMask(1u << l);
          ++(write ? counts[u].second : counts[u].first);
        });
        if (!any) break;
        for (unsigned u = 0; u < options_.units; ++u) {
          if (messages[u].words.empty()) continue;
          messages[u].kind = write ? UnitMessage::Kind::kWriteLog : UnitMessage::Kind::kReadLog;
          messages[u].group = group;
          warp.to_send.emplace_back(u, messages[u]);
        }
      }
    for (unsigned u = 0; u < options_.units; ++u) {
      UnitMessage end;
      end.kind = UnitMessage::Kind::kDoneFill;
      end.group = group;
      end.touched = touched[u];
      end.read_words = counts[u].first;
      end.write_words = counts[u].second;
      warp.to_send.emplace_back(u, end);
    }
    warp.commit.begin(group, touched, writers, {}, options_.unit.by_warp);
    warp.phase = Phase::kSends;
  }

  bool deliver_to_unit(unsigned channel) {
    if (to_units_[channel].empty()) return false;
    Unit& unit = *units_[channel % options_.units];
    if (!unit.model.can_accept()) return false;
    unit.model.accept(to_units_[channel].front());
    to_units_[channel].pop_front();
    return true;
  }
  bool deliver_to_core(unsigned channel) {
    if (to_cores_[channel].empty()) return false;
    const CoreMessage message = to_cores_[channel].front();
    to_cores_[channel].pop_front();
    const unsigned unit = channel % options_.units;
    Warp& warp = warps_[message.group.warp];
    if (warp.commit.group().base != message.group.base) return true;
    switch (message.kind) {
      case CoreMessage::Kind::kLocalOutcome:
        finals(warp, warp.commit.outcome(message.lanes, message.pass));
        break;
      case CoreMessage::Kind::kDone:
        warp.commit.done(message.lanes);
        break;
      default:
        resend(warp, unit, message);
        return true;
    }
    if (warp.phase == Phase::kWaits && warp.commit.resolved()) end(message.group.warp, warp);
    return true;
  }
  void finals(Warp& warp, LaneMask lanes) {
    if (lanes.none()) return;
    const CommitGroup group = warp.commit.group();
    const LaneMask pass = warp.commit.passed();
    for (unsigned u = 0; u < options_.units; ++u) {
      const LaneMask of_unit = warp.commit.touched(u) & lanes;
      UnitMessage final;
      final.kind = UnitMessage::Kind::kFinal;
      final.group = group;
      const auto send = [&](LaneMask which) {
        final.touched = which;
        final.pass = which & pass;
        to_units_[group.core * options_.units + u].push_back(final);
      };
      if (options_.unit.by_warp && of_unit.any())
        send(of_unit);
      else
        of_unit.for_each([&](unsigned l) { send(LaneMask(1u << l)); });
    }
    (lanes & pass).for_each([&](unsigned l) {
      const Cid cid = group.cid_of(l);
      history_[cid] = {warp.lanes[l].reads, warp.lanes[l].writes};
      warp.lanes[l].last_committed = cid;
      for (Silent& silent : silent_)
        if (&warps_[silent.warp] == &warp && silent.lane == l) silent.until = std::min(silent.until, cid);
    });
  }
  /// The words of a lane's set that concern the unit.
  std::vector<LogWord> words_of(const Warp& warp, unsigned l, bool write, unsigned unit) {
    std::vector<LogWord> words;
    const auto& log = write ? warp.lanes[l].writes : warp.lanes[l].reads;
    for (std::size_t row = 0; row < log.size(); ++row)
      if (unit_of(log[row].first) == unit)
        words.push_back({log[row].first, log[row].second, static_cast<std::uint16_t>(row),
                         static_cast<std::uint8_t>(l), 0xf});
    return words;
  }
  /// Lane after lane, reads before writes; in messages of a few words, the last of which may have none.
  void resend_sets(const Warp& warp, unsigned unit, const CoreMessage& message) {
    auto& channel = to_units_[message.group.core * options_.units + unit];
    for (unsigned l = 0; l < base::kLanes; ++l)
      for (const bool write : {false, true}) {
        if (!(write ? message.pass : message.lanes).test(l)) continue;
        UnitMessage again;
        again.kind = UnitMessage::Kind::kResentRow;
        again.group = message.group;
        again.touched = LaneMask(1u << l);
        again.writes = write;
        for (const LogWord& word : words_of(warp, l, write, unit)) {
          again.words.push_back(word);
          if (pick(2) != 0) continue;
          channel.push_back(again);
          again.words.clear();
        }
        again.last = true;
        channel.push_back(again);
      }
  }
  void resend(Warp& warp, unsigned unit, const CoreMessage& message) {
    if (message.kind == CoreMessage::Kind::kResendSets) return resend_sets(warp, unit, message);
    const bool write = message.kind == CoreMessage::Kind::kResendWrites;
    UnitMessage again;
    again.kind = UnitMessage::Kind::kResentRow;
    again.group = message.group;
    message.lanes.for_each([&](unsigned l) {
      const std::vector<LogWord> words = words_of(warp, l, write, unit);
      again.words.insert(again.words.end(), words.begin(), words.end());
    });
    again.last = true;
    to_units_[message.group.core * options_.units + unit].push_back(again);
  }
  void end(unsigned w, Warp& warp) {
    warp.commit.group().lanes.for_each([&](unsigned l) {
      Lane& lane = warp.lanes[l];
      lane.again = !warp.commit.passed().test(l);
      if (lane.again)
        ++aborted_;
      else
        --lane.left;
    });
    if (options_.early_credits) {
      Credits& credits = credits_[w / options_.warps];
      for (const auto& [end, count] : credits.out) credits.used -= count;
      credits.out.clear();
    }
    warp.commit.begin({}, {}, {}, {}, false);
    warp.phase = Phase::kStart;
  }

  std::string replay() {
    // What is still on its way to memory.
    for (auto& unit : units_)
      while (!unit->l2.empty()) serve_l2(*unit);
    std::map<std::uint64_t, std::uint32_t> memory = initial_;
    const auto matches = [&](const Silent& silent) {
      return std::ranges::all_of(silent.reads,
                                 [&](const auto& read) { return memory[read.first] == read.second; });
    };
    // Whether memory was ever as a silent one has read it, between its thread's transactions before and after it; in the
    // strict form, at the place that is claimed.
    const auto look = [&](Cid from, Cid to) {
      for (Silent& silent : silent_) {
        if (silent.satisfied || to <= silent.from || from >= silent.until) continue;
        if (options_.temporal == Temporal::kStrict && options_.own_id_matters &&
            (silent.behind < from || silent.behind >= to))
          continue;
        silent.satisfied = matches(silent);
      }
    };
    Cid before = 0;
    for (const auto& [cid, transaction] : history_) {
      look(before, cid);
      before = cid;
      for (const auto& [at, value] : transaction.reads)
        if (memory[at] != value) return "transaction " + std::to_string(cid) + " has read what was not there";
      for (const auto& [at, value] : transaction.writes) memory[at] = value;
    }
    look(before, ~Cid{0});
    for (const Silent& silent : silent_)
      if (!silent.satisfied) return "a silent transaction has read what was never there together";
    return memory == memory_ ? "" : "memory differs from that of the transactions one by one";
  }

  ExplorerOptions options_;
  std::mt19937_64 random_;
  CommitChecker checker_;
  std::vector<std::unique_ptr<PlainCommitBlocks>> own_;  ///< by unit
  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<Warp> warps_;
  std::vector<std::deque<UnitMessage>> to_units_;
  std::vector<std::deque<CoreMessage>> to_cores_;
  std::vector<Credits> credits_;
  std::map<std::uint64_t, std::uint32_t> memory_, initial_;
  std::map<Cid, Committed> history_;
  std::vector<LastWrittenTimes> times_;  ///< by unit
  std::vector<Silent> silent_;
  std::uint64_t now_ = 1;
  Cid next_cid_ = kFirstCid;
  std::uint64_t aborted_ = 0;
};

}  // namespace heddle::tm::testing
