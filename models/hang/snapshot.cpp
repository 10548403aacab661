#include "hang/snapshot.h"

#include <fmt/format.h>

#include <cstring>

#include "hang/warp_activity.h"

namespace heddle::hang {

std::string Snapshot::warp_name(const WarpState& warp) const {
  return hang::warp_name({warp.core, ctas[warp.cta].id, warp.warp_in_cta});
}

std::string Snapshot::thread_name(const WarpState& warp, unsigned lane) const {
  const auto tid = [&](isa::SpecialRow row) {
    std::uint32_t value = 0;
    std::memcpy(&value, warp.special + isa::special_offset(row) + lane * sizeof value, sizeof value);
    return value;
  };
  const CtaState& cta = ctas[warp.cta];
  return fmt::format("thread ({},{},{}) of CTA ({},{},{})", tid(isa::SpecialRow::kTidX),
                     tid(isa::SpecialRow::kTidY), tid(isa::SpecialRow::kTidZ), cta.id[0], cta.id[1],
                     cta.id[2]);
}

}  // namespace heddle::hang
