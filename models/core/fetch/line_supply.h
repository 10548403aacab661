// Where a sub-core's fetch unit gets lines of code from: its L0 instruction cache, and a stream buffer between that and the
// core's L1I (N. Jouppi, ISCA 1990; [MGC]).
//
// A line that neither has is asked for, and the stream buffer begins again behind it: it asks for the lines that follow. A
// line that the stream buffer has moves into L0, those before it are dropped, and further ones are asked for. A line that is
// on its way is waited for. Tags only, as in L1I.
#pragma once

#include <cstdint>
#include <vector>

#include "cache/tag_array.h"
#include "core/config.h"

namespace heddle::core {

/// Of all sub-cores of a core.
struct LineSupplyCounters {
  std::uint64_t accesses = 0;     ///< lines looked up
  std::uint64_t stream_hits = 0;  ///< of them, those that the stream buffer had
  std::uint64_t late = 0;         ///< those that it had asked for, and that had not arrived
  std::uint64_t misses = 0;       ///< those that nobody had asked for
  std::uint64_t prefetches = 0;   ///< lines that stream buffers asked L1I for
};

class LineSupplyModel {
 public:
  LineSupplyModel(const L0InstructionCacheConfig& config, std::uint32_t line_bytes,
                  LineSupplyCounters& counters);

  /// A launch whose code lies in front of device address `code_end`: nothing from there on is asked for ahead of time.
  void begin_launch(std::uint64_t code_end, bool keeps_lines);
  /// Whether the line is in L0 now. If not, arrived() will say when. Addresses are those of lines.
  [[nodiscard]] bool look_up(std::uint64_t line) {
    ++counters_->accesses;
    return line == recent_ || find(line);
  }
  /// A line is to be asked of L1I.
  [[nodiscard]] bool wants() const { return wants_; }
  /// Which, if so: one that groups wait for before those of the stream buffer.
  [[nodiscard]] std::uint64_t wanted() const;
  /// That line has been asked for.
  void asked(std::uint64_t line);
  /// L1I has answered. True: the line is in L0, and groups may have waited for it.
  bool arrived(std::uint64_t line);
  /// It has been asked for and not arrived.
  [[nodiscard]] bool awaits(std::uint64_t line) const;

 private:
  struct Line {
    std::uint64_t address = 0;
    bool asked = false;
    bool arrived = false;
  };
  [[nodiscard]] bool find(std::uint64_t line);
  void place(std::uint64_t line);
  /// The stream buffer's first line has been taken, or it begins at `next_`.
  void extend();

  std::uint64_t line_bytes_;
  std::size_t stream_lines_;
  cache::TagArray tags_;                            ///< of L0, line addresses
  std::uint64_t recent_ = cache::TagArray::kEmpty;  ///< line used last: using it again changes nothing
  std::vector<Line> waited_for_;                    ///< groups wait for these
  std::vector<Line> stream_;                        ///< consecutive
  std::uint64_t next_ = 0;                          ///< the line behind the stream's last
  std::uint64_t code_end_ = 0;
  bool wants_ = false;
  LineSupplyCounters* counters_;
};

}  // namespace heddle::core
