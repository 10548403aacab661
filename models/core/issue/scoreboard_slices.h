// The scoreboard of one scheduler's warps, clocked. A second formulation, by pins and edges, of ScoreboardModel (scoreboard.h),
// which answers in stopped time: a head is looked up once, and keeps a bit for each entry that it waits for.
#pragma once

#include <vector>

#include "core/issue/scoreboard_unit.h"

namespace heddle::core {

class ScoreboardSlice final : public ScoreboardUnit {
 public:
  explicit ScoreboardSlice(const ScoreboardShape& shape);

  [[nodiscard]] ScoreboardHeads heads() const override { return heads_; }
  [[nodiscard]] ScoreboardGrants grants(const ScoreboardPins& pins, Cycle cycle) override;
  void edge(const ScoreboardPins& pins, Cycle cycle) override;
  [[nodiscard]] std::vector<PendingEntry> entries(std::uint32_t warp) const override { return sets_[warp]; }

 private:
  /// Entries of a warp, of which there are at most 256.
  struct Bits {
    std::array<std::uint64_t, 4> words{};
    void set(std::uint32_t entry) { words[entry / 64] |= std::uint64_t{1} << (entry % 64); }
    [[nodiscard]] bool has(std::uint32_t entry) const {
      return (words[entry / 64] >> (entry % 64) & 1u) != 0;
    }
    [[nodiscard]] bool any() const { return (words[0] | words[1] | words[2] | words[3]) != 0; }
    [[nodiscard]] bool meets(const Bits& other) const;
    [[nodiscard]] std::uint32_t count() const;
    Bits& operator|=(const Bits& other);
    void remove(const Bits& other);
  };
  struct Head {
    bool looked = false;
    Bits waits;                ///< entries
    Bits has;                  ///< masks: entries that destinations have already
    std::uint32_t writes = 0;  ///< destinations
  };
  /// What a release does to the set of its warp.
  struct Released {
    std::optional<std::uint32_t> warp{};
    Bits ends;   ///< entries that are free now
    Bits stays;  ///< entries that other lanes wait for
  };
  /// What a reservation does to the set of its warp.
  struct Reserved {
    Bits allocated, kept;
    std::array<std::optional<std::uint32_t>, ScoreboardPins::kMostPorts> entry_of{};
  };
  /// A head's bits, by a look-up.
  struct Found {
    Head head;
    bool again = false;  ///< lanes of what it waits for are left by a release of this cycle
  };
  [[nodiscard]] Released released(const ScoreboardPins& pins, const ScoreboardGrants& granted) const;
  [[nodiscard]] Reserved reserved(const ScoreboardPins& pins) const;
  [[nodiscard]] Found find(const ScoreboardPins::Look& look, std::uint32_t warp, const Released& gone,
                           const ScoreboardPins::Write* reserve, const Reserved& taken) const;
  void write(const ScoreboardPins& pins, const Released& gone, const Reserved& taken);
  void show();

  bool masks_;
  std::uint32_t groups_;
  std::vector<std::vector<PendingEntry>> sets_;
  std::vector<Head> slots_;
  std::uint64_t behind_ = ~std::uint64_t{0};  ///< look-up: slots whose turn comes first
  std::uint32_t turn_ = 0;                    ///< release: the source whose turn comes first
  ScoreboardHeads heads_;
};

}  // namespace heddle::core
