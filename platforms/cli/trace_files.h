// Files of heddle run --trace-tables, --trace-timeline and --trace-control-flow (control_flow_trace.h).
//
// Tables: JSON lines. The first of a launch names the kernel and the source line of every PC:
//   {"launch": 0, "kernel": "k", "source": "k.ptx", "cycle": 0, "lines": [12, 13, ...]}
// then one per event of a warp, with what the tables hold after it:
//   {"cycle", "core", "warp", "cta", "warp_in_cta", "event", "pc", "lanes", "taken", tables..., "scoreboard"}
// `tables` are the mechanism's: "stack", or "st", "rt" and "fifo". Masks are strings of 0 and 1, lane 0 last.
//
// Timeline: Chrome trace events (JSON), for Perfetto or speedscope. A process is a core, a row is a split of
// a warp (named by its lowest lane), and a slice is a stretch of code it ran through, containing the
// instructions it issued. 1 us on the screen is one core cycle. Where BOWS is on, a core also has the counter
// "backed-off warps", of all its warps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/control_flow_trace.h"
#include "cli/new_file.h"
#include "cli/problems.h"
#include "core/observe/trace.h"

namespace heddle::cli {

struct TraceSettings {
  std::string tables;              ///< file; empty: none
  std::string timeline;            ///< file; empty: none
  std::string control_flow;        ///< file; empty: none
  std::vector<std::string> warps;  ///< "CORE:WARP"; empty: all
  std::string cycles;              ///< "FROM:TO", both optional; empty: all
  [[nodiscard]] bool any() const { return !tables.empty() || !timeline.empty() || !control_flow.empty(); }
};

/// The options with their values, for messages.
[[nodiscard]] std::string tables_option(const TraceSettings& settings);
[[nodiscard]] std::string timeline_option(const TraceSettings& settings);
[[nodiscard]] std::string control_flow_option(const TraceSettings& settings);

class TraceFiles : public core::TraceSink {
 public:
  /// Opens the files. `warps`: slots of a core. Throws base::InputError (also for malformed settings). If a later write fails, the run
  /// continues and commit() reports the failure.
  TraceFiles(const TraceSettings& settings, std::uint32_t cores, std::uint32_t warps);

  void launch_begins(const isa::Kernel& kernel, base::Cycle cycle) override;
  void launch_ends(base::Cycle cycle) override;
  [[nodiscard]] bool wants_tables(const core::TraceSite& site) const override {
    return tables_ != nullptr && wants(site);
  }
  void tables(const core::TraceSite& site, const core::TableSnapshot& snapshot) override;
  [[nodiscard]] bool wants_timeline(const core::TraceSite& site) const override {
    return timeline_ != nullptr && wants(site);
  }
  void split_runs(const core::TraceSite& site, base::GroupId group, base::Pc pc,
                  base::LaneMask mask) override;
  void split_stops(const core::TraceSite& site, base::GroupId group, std::string_view why) override;
  void issued(const core::TraceSite& site, base::GroupId group, base::Pc pc, base::LaneMask lanes) override;
  void waits(const core::TraceSite& site, base::GroupId group, const core::TracedWait& wait) override;
  [[nodiscard]] bool wants_control_flow(const core::TraceSite& site) const override {
    return control_flow_ != nullptr && wants(site);
  }
  void executes(const core::TraceSite& site, base::Pc pc, base::LaneMask active) override {
    control_flow_->executes({site.cta, site.warp_in_cta}, pc, active);
  }
  void backed_off(base::CoreId core, base::Cycle cycle, std::uint32_t warps) override;
  void gpu_mode(std::string_view mode, std::uint64_t quantum, base::Cycle begin, base::Cycle end) override;

  /// Completes the files, also after a hang, which they help to analyse. Returns the files that are complete;
  /// the others are added to the problems.
  [[nodiscard]] std::vector<std::string> commit(Problems& problems);

 private:
  struct Slice {
    base::Cycle begin = 0;
    base::Pc pc{};
    base::LaneMask mask;
    std::uint32_t warp = 0;
  };
  using GroupKey = std::pair<std::uint32_t, std::uint32_t>;  ///< core, group

  [[nodiscard]] bool wants(const core::TraceSite& site) const;
  void close(const GroupKey& key, base::Cycle end, std::string_view why);
  void add_event(const nlohmann::ordered_json& event);
  void name_core(std::uint32_t core);
  void name_row(std::uint32_t process, std::uint32_t row, const std::string& name);
  /// The row of a split; names it on first use.
  std::uint32_t row(std::uint32_t core, std::uint32_t warp, unsigned lane);
  [[nodiscard]] std::uint32_t line(base::Pc pc) const;

  std::unique_ptr<NewFile> tables_;
  std::unique_ptr<NewFile> timeline_;
  std::unique_ptr<ControlFlowWriter> control_flow_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> warps_;  ///< core, warp; empty: all
  base::Cycle from_ = 0;
  base::Cycle to_ = ~base::Cycle{0};
  const isa::Kernel* kernel_ = nullptr;
  unsigned launches_ = 0;
  std::map<GroupKey, Slice> open_;
  std::map<GroupKey, unsigned> last_lane_;                   ///< the lowest of its last slice
  std::set<std::pair<std::uint32_t, std::uint32_t>> named_;  ///< rows that have been named: core, row
  bool gpu_named_ = false;
  bool first_event_ = true;
};

}  // namespace heddle::cli
