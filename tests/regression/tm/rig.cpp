#include "regression/tm/rig.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "blocks/isolated.h"
#include "gpu/gpu.h"
#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"
#include "oracle/oracle.h"
#include "tm/tm_mechanism.h"

namespace heddle::testing {
namespace {

void launch(host::Device& device, const TxRun& run, Json& result,
            const std::function<void(std::uint64_t a)>& allocated = {}) {
  const auto module = device.load_ptx_text(run.ptx, "test.ptx");
  const std::uint64_t a = device.allocate(run.words_a * 4, "a"), b = device.allocate(run.words_b * 4, "b");
  if (allocated) allocated(a);
  if (!run.initial.empty()) device.write(a, std::as_bytes(std::span(run.initial)));
  device.launch(module, "test", {{run.ctas, 1, 1}, {run.threads, 1, 1}, 0}, host::Args().add(a).add(b));
  result["a"] = device.download<std::uint32_t>(a, run.words_a);
  result["b"] = device.download<std::uint32_t>(b, run.words_b);
}

/// Tables of the first warp of the grid, after every event.
class Tables final : public core::TraceSink {
 public:
  explicit Tables(Json& out) : out_(out) {}
  void launch_begins(const isa::Kernel&, core::Cycle) override {}
  void launch_ends(core::Cycle) override {}
  [[nodiscard]] bool wants_tables(const core::TraceSite& site) const override {
    return site.cta == 0 && site.warp_in_cta == 0;
  }
  void tables(const core::TraceSite&, const core::TableSnapshot& snapshot) override {
    out_.push_back({{"event", std::string(snapshot.event)}, {"tables", *snapshot.tables}});
  }
  [[nodiscard]] bool wants_timeline(const core::TraceSite&) const override { return false; }
  void split_runs(const core::TraceSite&, base::GroupId, base::Pc, base::LaneMask) override {}
  void split_stops(const core::TraceSite&, base::GroupId, std::string_view) override {}
  void issued(const core::TraceSite&, base::GroupId, base::Pc, base::LaneMask) override {}
  [[nodiscard]] bool wants_control_flow(const core::TraceSite&) const override { return false; }
  void executes(const core::TraceSite&, base::Pc, base::LaneMask) override {}
  void backed_off(base::CoreId, core::Cycle, std::uint32_t) override {}
  void gpu_mode(std::string_view, std::uint64_t, core::Cycle, core::Cycle) override {}

 private:
  Json& out_;
};

/// Attempts of transactions, and the states of memory that transactions leave one by one: an attempt that has read what no
/// state holds is a violation of opacity ([Fung15] §2.2.1).
class Opacity {
 public:
  explicit Opacity(const Json& reads) {
    for (const Json& read : reads)
      attempts_[{read[0].get<std::uint64_t>(), read[1].get<unsigned>(), read[2].get<std::uint64_t>()}]
          .reads.emplace_back(read[3].get<std::uint64_t>(), read[4].get<std::uint32_t>());
  }
  template <class WordAt>
  void state(const WordAt& word_at) {
    for (auto& [who, attempt] : attempts_)
      attempt.seen = attempt.seen || std::ranges::all_of(attempt.reads, [&](const auto& read) {
                       return word_at(read.first) == read.second;
                     });
  }
  [[nodiscard]] std::uint64_t violations() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(attempts_, [](const auto& attempt) { return !attempt.second.seen; }));
  }
  [[nodiscard]] std::uint64_t attempts() const { return attempts_.size(); }

 private:
  struct Attempt {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> reads;
    bool seen = false;
  };
  std::map<std::tuple<std::uint64_t, unsigned, std::uint64_t>, Attempt> attempts_;
};

class Order final : public oracle::TransactionOrder {
 public:
  explicit Order(const Json& commits) {
    for (const Json& commit : commits)
      order_.emplace_back(commit[0].get<std::uint64_t>(), commit[1].get<std::uint32_t>());
  }
  /// Called after every transaction.
  std::function<void(oracle::SparseMemory&)> after;
  [[nodiscard]] bool is_next(std::uint64_t cta, std::uint32_t thread) override {
    return next_ < order_.size() && order_[next_] == std::pair(cta, thread);
  }
  void committed(std::uint64_t, std::uint32_t) override { ++next_; }
  void leaves(oracle::SparseMemory& memory) override {
    if (after) after(memory);
  }
  [[nodiscard]] bool finished() const { return next_ == order_.size(); }

 private:
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order_;
  std::size_t next_ = 0;
};

}  // namespace

Json run_tx(const TxRun& run) {
  return tb::isolated([&]() -> Json {
    std::vector<std::string> assignments{"tm.enabled=true", "tm.checks=true"};
    assignments.insert(assignments.end(), run.settings.begin(), run.settings.end());
    Json result;
    std::vector<tm::CommitRecord> records;
    std::uint64_t base = 0;
    gpu::RunOptions options;
    options.max_cycles = 40'000'000;
    Json traced = Json::array();
    Tables tables(traced);
    if (run.trace) options.trace = &tables;
    options.extend = [&](gpu::Gpu& gpu) {
      for (const auto& mechanism : gpu.mechanisms)
        if (auto* const tm = dynamic_cast<tm::TmMechanism*>(mechanism.get())) {
          tm->on_commit([&](const tm::CommitRecord& record) { records.push_back(record); });
          if (run.opacity)
            tm->on_read([&](const tm::ReadRecord& read) {
              result["reads"].push_back(
                  {read.warp, read.lane, read.attempt, read.address - base, read.value});
            });
        }
    };
    try {
      gpu::GpuDevice device(gpu::load_platform("tiny", assignments), options);
      launch(device, run, result, [&](std::uint64_t a) { base = a; });
      if (run.trace) result["traced"] = traced;
      result["statistics"] = device.stats().to_json();
    } catch (const std::exception& error) {
      result["errors"].push_back(error.what());
    }
    const auto key = [](const tm::CommitRecord& record) {
      return std::tuple(record.cid, record.silent, record.sequence);
    };
    std::ranges::stable_sort(records, {}, key);
    const std::uint64_t warps = (run.threads + 31) / 32;
    result["commits"] = Json::array();
    for (const tm::CommitRecord& record : records)
      result["commits"].push_back({record.warp / warps, record.warp % warps * 32 + record.lane});
    return result;
  });
}

OpacityCount opacity_of(const TxRun& run, const Json& result) {
  Order order(result["commits"]);
  Opacity opacity(result["reads"]);
  oracle::Options options;
  options.max_thread_instructions = 50'000'000;
  options.transactions = &order;
  oracle::OracleDevice oracle(options);
  std::uint64_t base = 0;
  std::vector<std::uint32_t> words = run.initial;
  words.resize(run.words_a);
  const auto look = [&] {
    opacity.state([&](std::uint64_t offset) { return offset / 4 < words.size() ? words[offset / 4] : 0; });
  };
  look();
  order.after = [&](oracle::SparseMemory& memory) {
    memory.read(base, std::as_writable_bytes(std::span(words)));
    look();
  };
  Json ignored;
  launch(oracle, run, ignored, [&](std::uint64_t a) { base = a; });
  return {opacity.attempts(), opacity.violations()};
}

std::string replay_difference(const TxRun& run, const Json& result) {
  if (result.contains("errors")) return result["errors"].dump();
  Order order(result["commits"]);
  oracle::Options options;
  options.max_thread_instructions = 50'000'000;
  options.transactions = &order;
  oracle::OracleDevice oracle(options);
  Json expected;
  try {
    launch(oracle, run, expected);
  } catch (const std::exception& error) {
    return std::string("replay: ") + error.what();
  }
  if (!order.finished()) return "the hardware claims more transactions than threads execute";
  for (const char* buffer : {"a", "b"})
    for (std::size_t i = 0; i < expected[buffer].size(); ++i)
      if (expected[buffer][i] != result[buffer][i])
        return std::string(buffer) + "[" + std::to_string(i) + "] is " + result[buffer][i].dump() +
               ", one by one " + expected[buffer][i].dump();
  return "";
}

std::string tx_kernel_text(const std::string& body) {
  return R"(.version 7.5
.target sm_75
.address_size 64
.extern .func tx_begin();
.extern .func tx_commit();
.extern .func tx_abort();
.visible .entry test(.param .u64 a, .param .u64 b)
{
  .reg .b32 %t, %g, %n, %r<32>;
  .reg .b64 %a, %b, %d<16>;
  .reg .b16 %h<4>;
  .reg .pred %p<16>;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  mov.u32 %t, %tid.x;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mad.lo.u32 %g, %r0, %r1, %t;
)" + body +
         "  ret;\n}\n";
}

}  // namespace heddle::testing
