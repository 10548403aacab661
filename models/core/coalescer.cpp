#include "core/coalescer.h"

namespace heddle::core {
namespace {

/// Pieces as they come, with the line each belongs to; finish() groups them.
class Grouping {
 public:
  Grouping(unsigned line_bytes, Coalesced& out) : line_mask_(line_bytes - 1), out_(out) {}

  /// Continues after what `out` already holds.
  void resume() {
    for (unsigned a = 0; a < out_.access_count; ++a)
      for (unsigned p = 0; p < out_.accesses[a].count; ++p)
        raw_[count_] = out_.pieces[out_.accesses[a].first + p], of_[count_++] = static_cast<std::uint8_t>(a);
  }
  void add(std::uint64_t address, unsigned lane, unsigned byte, unsigned size) {
    const std::uint64_t line = address & ~line_mask_;
    unsigned a = last_;
    if (out_.access_count == 0 || out_.accesses[a].line != line) {
      for (a = 0; a < out_.access_count; ++a)
        if (out_.accesses[a].line == line) break;
      if (a == out_.access_count) out_.accesses[out_.access_count++] = {line, 0, 0};
      last_ = a;
    }
    ++out_.accesses[a].count;
    raw_[count_] = {static_cast<std::uint8_t>(lane), static_cast<std::uint8_t>(byte),
                    static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(address & line_mask_)};
    of_[count_++] = static_cast<std::uint8_t>(a);
  }
  void finish() {
    std::uint16_t at = 0;
    for (unsigned a = 0; a < out_.access_count; ++a) {
      out_.accesses[a].first = at;
      at = static_cast<std::uint16_t>(at + out_.accesses[a].count);
    }
    out_.piece_count = count_;
    if (out_.access_count == 1) {
      std::copy_n(raw_.begin(), count_, out_.pieces.begin());
      return;
    }
    std::array<std::uint16_t, kMaxPieces> next;
    for (unsigned a = 0; a < out_.access_count; ++a) next[a] = out_.accesses[a].first;
    for (unsigned p = 0; p < count_; ++p) out_.pieces[next[of_[p]]++] = raw_[p];
  }

 private:
  std::uint64_t line_mask_;
  Coalesced& out_;
  std::array<Piece, kMaxPieces> raw_;
  std::array<std::uint8_t, kMaxPieces> of_;
  unsigned count_ = 0;
  unsigned last_ = 0;
};

}  // namespace

void coalesce(const std::array<std::uint64_t, kLanes>& address, LaneMask lanes, unsigned bytes,
              unsigned line_bytes, Coalesced& out) {
  out.access_count = out.piece_count = 0;
  Grouping grouping(line_bytes, out);
  lanes.for_each([&](unsigned lane) { grouping.add(address[lane], lane, 0, bytes); });
  grouping.finish();
}

void coalesce_local(std::uint64_t region_base, const std::array<std::uint64_t, kLanes>& address,
                    LaneMask lanes, unsigned bytes, unsigned line_bytes, Coalesced& out, bool append) {
  if (!append) out.access_count = out.piece_count = 0;
  Grouping grouping(line_bytes, out);
  if (append) grouping.resume();
  for (unsigned done = 0; done < bytes; done += 4) {
    const unsigned size = std::min(bytes - done, 4u);
    lanes.for_each([&](unsigned lane) {
      const std::uint64_t offset = address[lane] + done;
      grouping.add(
          region_base + offset / 4 * (std::uint64_t{4} * kLanes) + lane * std::uint64_t{4} + offset % 4, lane,
          done, size);
    });
  }
  grouping.finish();
}

}  // namespace heddle::core
