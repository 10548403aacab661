// What AWARE and Multi-Path show of a warp: their tables, the lanes that do not run, and a digest of what decides where a
// group goes on. Looks only.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "simt/divergence_tables.h"

namespace heddle::simt {

/// What only the mechanism knows of its splits.
class SplitView {
 public:
  /// Of a split: what kind of group it is in.
  struct State {
    bool runs = false;     ///< it is in a group
    bool turn = true;      ///< it runs or will, without that another one has to end before
    bool blocked = false;  ///< at a barrier
    bool started = false;  ///< it has run since it was inserted
    bool spilled = false;
    bool transient = false;
  };
  [[nodiscard]] virtual State state_of(WarpId warp, SplitId id) const = 0;
  /// Adds to the warp's tables what only this mechanism has.
  virtual void show(WarpId warp, nlohmann::ordered_json& table) const = 0;

 protected:
  ~SplitView() = default;
};

class SplitInspector {
 public:
  /// `timed`: lanes give up waiting by themselves. Tables and view outlive the object.
  SplitInspector(const DivergenceTables& tables, const SplitView& view, bool timed)
      : tables_(tables), view_(view), timed_(timed) {}
  /// Fills the debug part of the request. `events`: changes at every event.
  void answer(ControlFlowRequest& request, std::uint64_t events) const;

 private:
  void show_tables(ControlFlowRequest& request) const;
  void list_lanes(ControlFlowRequest& request) const;
  [[nodiscard]] std::uint64_t digest(WarpId warp, LaneMask lanes, std::uint64_t events) const;

  const DivergenceTables& tables_;
  const SplitView& view_;
  bool timed_;
};

}  // namespace heddle::simt
