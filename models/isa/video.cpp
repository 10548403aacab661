#include "isa/video.h"

namespace heddle::isa {

namespace {

std::uint64_t at(unsigned position, std::uint64_t value) { return value << position; }

std::uint64_t common(const VideoControl& c) {
  using namespace video_bits;
  return at(kASigned, c.a_signed ? 1 : 0) | at(kBSigned, c.b_signed ? 1 : 0) |
         at(kDSigned, c.d_signed ? 1 : 0) | at(kSat, c.sat ? 1 : 0) |
         at(kSecond, static_cast<std::uint64_t>(c.second)) |
         at(kCompare, static_cast<std::uint64_t>(c.compare)) | at(kOp, static_cast<std::uint64_t>(c.op));
}

}  // namespace

std::uint64_t pack_scalar(const VideoControl& c) {
  using namespace video_bits;
  const std::uint64_t scale = c.scale_right == 0 ? 0 : c.scale_right == 7 ? 1 : 2;
  return common(c) | at(kLanesA, static_cast<std::uint64_t>(c.a)) |
         at(kLanesB, static_cast<std::uint64_t>(c.b)) | at(kMask, static_cast<std::uint64_t>(c.d)) |
         at(kShiftRight, c.shift_right ? 1 : 0) | at(kShiftWraps, c.shift_wraps ? 1 : 0) |
         at(kPlusOne, c.plus_one ? 1 : 0) | at(kMinusProduct, c.minus_product ? 1 : 0) |
         at(kMinusC, c.minus_c ? 1 : 0) | at(kScale, scale);
}

std::uint64_t pack_simd(const VideoControl& c) {
  using namespace video_bits;
  std::uint64_t bits = common(c) | at(kMask, c.mask);
  for (unsigned lane = 0; lane < c.lanes_a.size(); ++lane)
    bits |= at(kLanesA + 4 * lane, c.lanes_a[lane]) | at(kLanesB + 4 * lane, c.lanes_b[lane]);
  return bits;
}

}  // namespace heddle::isa
