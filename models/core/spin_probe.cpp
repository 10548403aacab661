#include "core/spin_probe.h"

#include <cstring>

namespace heddle::core {
namespace {

class Hash {
 public:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15ull;
    state_ ^= state_ >> 29;
    second_ = (second_ + value) * 0xbf58476d1ce4e5b9ull;
    second_ ^= second_ >> 31;
  }
  [[nodiscard]] std::uint64_t value() const { return state_ ^ (second_ << 1); }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3ull;
  std::uint64_t second_ = 0x13198a2e03707344ull;
};

void add_register(Hash& hash, isa::RegId reg, LaneMask mask, const isa::RegisterLayout& layout,
                  const isa::RowBytes& registers) {
  if (reg < layout.rows32) {
    const std::byte* row = registers.data() + layout.offset32(reg);
    mask.for_each([&](unsigned lane) {
      std::uint32_t value;
      std::memcpy(&value, row + lane * std::size_t{4}, 4);
      hash.add(value);
    });
  } else if (reg < layout.rows32 + layout.rows64) {
    const std::byte* row = registers.data() + layout.offset64(reg - layout.rows32);
    mask.for_each([&](unsigned lane) {
      std::uint64_t value;
      std::memcpy(&value, row + lane * std::size_t{8}, 8);
      hash.add(value);
    });
  } else {
    std::uint32_t lanes;
    std::memcpy(&lanes, registers.data() + layout.offset_predicate(reg - layout.rows32 - layout.rows64), 4);
    hash.add(lanes & mask.bits());
  }
}

}  // namespace

void SpinProbe::start() {
  active_ = true;
  for (Split& split : splits_) split = {};
}

void SpinProbe::visit(WarpId warp, Pc pc, LaneMask mask, const std::vector<isa::RegId>& live,
                      const isa::RegisterLayout& layout, const isa::RowBytes& registers,
                      std::uint64_t control_digest) {
  Split& split = at(warp, mask);
  if (split.repeated || split.spoiled) return;
  // A visit is compared register by register and given up at the first difference; the whole state is only
  // hashed when it is remembered.
  const bool renewing = !split.sampled || split.visits + 1 >= split.renew;
  bool same = split.sampled && split.pc == pc;
  std::size_t position = 0;
  fresh_.clear();
  const auto differs = [&](const Hash& hash) {
    same = same && split.signature[position++] == hash.value();
    if (renewing) fresh_.push_back(hash.value());
    return !same && !renewing;
  };
  Hash hash;
  hash.add(mask.bits());
  hash.add(control_digest);
  bool stop = differs(hash);
  for (std::size_t i = 0; i < live.size() && !stop; ++i) {
    add_register(hash, live[i], mask, layout, registers);
    stop = differs(hash);
  }
  if (same) {
    split.repeated = true;
    return;
  }
  ++split.visits;
  if (!renewing) return;
  if (split.sampled) split.renew *= 2;
  split.sampled = true;
  split.visits = 0;
  split.pc = pc;
  split.signature = fresh_;
}

}  // namespace heddle::core
