// Hand-made snapshots: warps of one kernel, without a GPU.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hang/hang_class.h"
#include "hang/hang_proof.h"
#include "hang/snapshot.h"

namespace heddle::hang::testing {

/// Device memory of 4 KiB at kData, and the contents of the watchdog's log.
class FakeMemory : public MemoryView {
 public:
  static constexpr std::uint64_t kData = 0x1000'0000;
  static constexpr std::uint64_t kBytes = 4096;
  std::map<std::uint64_t, std::uint32_t> now;                   ///< words that are not 0
  std::map<std::uint64_t, std::vector<std::uint64_t>> earlier;  ///< other values of the window

  bool read(const Word& word, std::uint32_t& value) const override;
  void others(const Word& word, std::vector<std::uint64_t>& values) const override;
  void stale(std::uint32_t core, std::uint64_t address, std::vector<std::uint64_t>& values) const override {
    if (const auto found = in_l1.find({core, address}); found != in_l1.end()) values.push_back(found->second);
  }
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> in_l1;  ///< by core and address
  bool on_its_way(std::uint32_t, std::uint64_t address) const override { return address == fetched; }
  std::uint64_t fetched = 0;  ///< in flight to L1
  bool accessible(std::uint64_t address, std::uint64_t bytes, bool writes) const override;
  std::string name(const Word& word) const override;
};

/// A kernel and warps of one CTA that run it; `warps()` may be changed before snapshot() is used.
class Scene {
 public:
  /// `body` may use the registers of ptx_support.h; %rd1 holds kData.
  explicit Scene(const std::string& body, unsigned warps = 1);
  FakeMemory memory;
  Snapshot snapshot;

  /// Lanes of a warp run at an instruction: the one on this line of the body, counted from 1.
  void run(unsigned warp, LaneMask lanes, unsigned line, bool starved = false);
  void hold(unsigned warp, LaneMask lanes, unsigned line, unsigned until_line);
  void wait_at_barrier(unsigned warp, LaneMask lanes, unsigned line);
  void set(unsigned warp, const std::string& reg, std::uint64_t value);
  /// The warps in so many CTAs, of as many each, in order; a core each.
  void spread(unsigned ctas);
  /// In the place of the instruction on this line: one that PTX has not.
  void put(unsigned line, const isa::Instruction& instruction);
  [[nodiscard]] Pc pc_of(unsigned line) const;
  [[nodiscard]] bool hangs();
  [[nodiscard]] HangReport classified(std::uint64_t most_steps = kMostNamingSteps) {
    settle();
    return classify(snapshot, most_steps);
  }

 private:
  void settle();
  std::shared_ptr<const isa::Kernel> kernel_;
  std::vector<std::vector<std::byte>> special_;
};

}  // namespace heddle::hang::testing
