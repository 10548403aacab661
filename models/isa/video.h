// Video instructions (PTX ISA, Video Instructions): one lane function serves many of them, and what an
// instruction asks of it is packed into its immediate.
//
// The lane functions LaneOp::kVideo, kVideoShift and kVideoMad take a, b and c. The type says what they work
// on: kU32: one part of each operand (vadd ...), kU16: two halves (vadd2 ...), kU8: four bytes (vadd4 ...).
#pragma once

#include <array>
#include <cstdint>

namespace heddle::isa {

enum class VideoOp : std::uint8_t { kAdd, kSub, kAbsDiff, kMin, kMax, kAverage, kSet };
/// What happens to the first operation's results. kMerge: they replace parts of c.
enum class VideoSecond : std::uint8_t { kNone, kAdd, kMin, kMax, kMerge };
enum class VideoCompare : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
/// A part of an operand: a byte, a half, or all of it.
enum class VideoPart : std::uint8_t { kB0, kB1, kB2, kB3, kH0, kH1, kWord };

struct VideoControl {
  VideoOp op = VideoOp::kAdd;
  bool a_signed = false;
  bool b_signed = false;
  bool d_signed = false;
  bool sat = false;
  VideoSecond second = VideoSecond::kNone;
  VideoCompare compare = VideoCompare::kEq;

  // Scalar instructions
  VideoPart a = VideoPart::kWord;
  VideoPart b = VideoPart::kWord;
  VideoPart d = VideoPart::kWord;
  bool shift_right = false;      ///< vshr; else vshl
  bool shift_wraps = false;      ///< the amount counts modulo 32; else at most 32
  bool plus_one = false;         ///< vmad.po
  bool minus_product = false;    ///< vmad: exactly one of a and b is negated
  bool minus_c = false;          ///< vmad
  std::uint8_t scale_right = 0;  ///< vmad: 0, 7 or 15

  // SIMD instructions: for each lane, from the lowest, the number of a byte or half in b:a
  std::array<std::uint8_t, 4> lanes_a{};
  std::array<std::uint8_t, 4> lanes_b{};
  std::uint8_t mask = 0;  ///< lanes whose results count
};

/// Positions in the immediate.
namespace video_bits {
inline constexpr unsigned kLanesA = 0;  ///< 4 bits a lane; scalar: the lowest are the part of a
inline constexpr unsigned kLanesB = 16;
inline constexpr unsigned kMask = 32;  ///< 4 bits; scalar: the part of d
inline constexpr unsigned kASigned = 36;
inline constexpr unsigned kBSigned = 37;
inline constexpr unsigned kDSigned = 38;
inline constexpr unsigned kSat = 39;
inline constexpr unsigned kSecond = 40;   ///< 3 bits
inline constexpr unsigned kCompare = 43;  ///< 3 bits
inline constexpr unsigned kOp = 46;       ///< 3 bits
inline constexpr unsigned kShiftRight = 49;
inline constexpr unsigned kShiftWraps = 50;
inline constexpr unsigned kPlusOne = 51;
inline constexpr unsigned kMinusProduct = 52;
inline constexpr unsigned kMinusC = 53;
inline constexpr unsigned kScale = 54;  ///< 2 bits: 0, 1 (by 7 bits), 2 (by 15 bits)
}  // namespace video_bits

/// The immediate of a scalar or of a SIMD instruction.
[[nodiscard]] std::uint64_t pack_scalar(const VideoControl& control);
[[nodiscard]] std::uint64_t pack_simd(const VideoControl& control);

}  // namespace heddle::isa
