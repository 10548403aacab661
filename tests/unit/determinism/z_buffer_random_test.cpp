// The Z-buffer unit against the functional fold, with random logs, orders of arrival and stalls, by what memory is and by the
// unit's own assertions (preconditions.h). tests/mutants/determinism.json leaves each of the unit's rules out: both must see it.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "unit/determinism/z_buffer_rig.h"

namespace heddle::determinism::z_buffer_random_test {
namespace {

using tb::color_update;
using tb::LogEntry;
using tb::Memory;
using tb::set_word;
using testing::Rig;

enum class Outcome { kRight, kWrongColors, kWrongDepths, kStuck };

/// A program of a few quanta on a small unit.
class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    config_.request_entries = 2 + upto(6);
    config_.comparator_entries = 1 + upto(3);
    config_.cache_kib = 1;
    config_.cache_ways = 1u << upto(2);
    config_.l2_queue = 1 + upto(3);
    config_.latency_cycles = 1 + upto(2);
    config_.set_full = upto(2) == 0 ? SetFull::kSkip : SetFull::kStall;
    // Three bits of quanta: overflows in each program.
    config_.depth_bits = kWaveBits + 3;
    delays_ = {.seed = seed + 1, .most_accept = upto(12), .most_fill = upto(60), .stall_percent = upto(70)};
    // Few chunks, most of one set.
    for (std::uint64_t i = 0; i < 10; ++i) chunks_.push_back(128 * (i < 7 ? i * 8 : i));
  }

  /// `named`: gets the rules that assertions name.
  Outcome run(std::set<std::string>* named = nullptr) {
    const DepthFormat format(kWaveBits, config_.depth_bits);
    Rig rig(config_, delays_);
    if (named != nullptr)
      rig.model.watch({[named](const char* rule, const std::string&) { named->insert(rule); }, kWaveBits});
    Memory expected;
    std::uint32_t quantum = 0;
    for (unsigned q = 0; q < 2 * format.last_quantum(); ++q) {
      const auto logs = make_logs(format, quantum);
      deliver(rig, logs);
      if (!rig.run()) return Outcome::kStuck;
      fold(expected, logs);
      // At the last acknowledgement: whatever reaches L2 from now on must find it.
      for (const std::uint64_t chunk : chunks_)
        if (rig.memory.colors[chunk] != expected.colors[chunk]) return Outcome::kWrongColors;
      if (quantum++ != format.last_quantum()) continue;
      quantum = 0;
      rig.model.reset_depths();
      if (!rig.drain()) return Outcome::kStuck;
      expected.depths.clear();
    }
    for (const std::uint64_t chunk : chunks_)
      if (rig.depths(chunk) != expected.depth_line(chunk)) return Outcome::kWrongDepths;
    return Outcome::kRight;
  }

 private:
  static constexpr std::uint32_t kWaveBits = 3;

  unsigned upto(unsigned most) { return static_cast<unsigned>(random_() % (most + 1)); }

  std::vector<std::vector<LogEntry>> make_logs(const DepthFormat& format, std::uint32_t quantum) {
    std::vector<std::vector<LogEntry>> logs(format.wavefronts());
    for (std::uint32_t wave = 0; wave < logs.size(); ++wave)
      for (unsigned n = upto(5); n != 0; --n) {
        const std::uint64_t chunk = chunks_[upto(2) == 0 ? upto(9) : upto(2)];
        LogEntry entry{wave, color_update(chunk, format.depth(wave, quantum))};
        for (unsigned k = 0; k <= upto(2); ++k)
          set_word(entry.update, upto(3), static_cast<std::uint32_t>(random_()));
        logs[wave].push_back(entry);
      }
    return logs;
  }

  /// Wavefronts in any order, each in log order.
  void deliver(Rig& rig, const std::vector<std::vector<LogEntry>>& logs) {
    std::vector<std::size_t> next(logs.size());
    std::size_t left = 0;
    for (const auto& log : logs) left += log.size();
    while (left != 0) {
      const std::size_t wave = upto(static_cast<unsigned>(logs.size()) - 1);
      if (next[wave] == logs[wave].size()) continue;
      rig.arrive(logs[wave][next[wave]++]);
      --left;
    }
  }

  std::mt19937_64 random_;
  ZBufferConfig config_;
  testing::RigDelays delays_;
  std::vector<std::uint64_t> chunks_;
};

constexpr unsigned kPrograms = 600;

TEST(ZBufferRandom, MemoryIsTheFoldOfTheLogs) {
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed)
    ASSERT_EQ(Program(seed).run(), Outcome::kRight) << "seed " << seed;
}

TEST(ZBufferRandom, NoAssertionSpeaks) {
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    std::set<std::string> named;
    ASSERT_EQ((Program(seed).run(&named), named), std::set<std::string>{}) << "seed " << seed;
  }
}

}  // namespace
}  // namespace heddle::determinism::z_buffer_random_test
