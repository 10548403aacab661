// Forms of the video instructions: on one part of each operand, on two halves, on four bytes.
#include "frontend/ptx/decode/forms.h"

namespace heddle::ptx {

using isa::LaneOp;

const std::vector<Form>& video_forms() {
  static const std::vector<Form> forms = {
      {"vadd", "u32|s32 u32|s32 u32|s32 sat? second=add|min|max?", "=t t t t?", decode_video},
      {"vsub", "u32|s32 u32|s32 u32|s32 sat? second=add|min|max?", "=t t t t?", decode_video},
      {"vabsdiff", "u32|s32 u32|s32 u32|s32 sat? second=add|min|max?", "=t t t t?", decode_video},
      {"vmin", "u32|s32 u32|s32 u32|s32 sat? second=add|min|max?", "=t t t t?", decode_video},
      {"vmax", "u32|s32 u32|s32 u32|s32 sat? second=add|min|max?", "=t t t t?", decode_video},
      {"vset", "u32|s32 u32|s32 cmp=eq|ne|lt|le|gt|ge second=add|min|max?", "=t t t t?", decode_video},
      {"vshl", "u32|s32 u32|s32 u32 sat? clamp|wrap second=add|min|max?", "=t t t t?", decode_video_shift},
      {"vshr", "u32|s32 u32|s32 u32 sat? clamp|wrap second=add|min|max?", "=t t t t?", decode_video_shift},
      {"vmad", "u32|s32 u32|s32 u32|s32 po? sat? shr7|shr15?", "=t t t t", decode_video_mad},

      {"add", "u16x2|s16x2", "=b32 b32 b32", decode_packed},
      {"min", "u16x2|s16x2", "=b32 b32 b32", decode_packed},
      {"max", "u16x2|s16x2", "=b32 b32 b32", decode_packed},
      {"min", "s16x2|s32 relu", "=b32 b32 b32", decode_packed},
      {"max", "s16x2|s32 relu", "=b32 b32 b32", decode_packed},

      {"vadd2", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vsub2", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vavrg2", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vabsdiff2", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vmin2", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vmax2", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vset2", "u32|s32 u32|s32 cmp=eq|ne|lt|le|gt|ge second=add?", "=t t t t", decode_video_simd},
      {"vadd4", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vsub4", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vavrg4", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vabsdiff4", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vmin4", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vmax4", "u32|s32 u32|s32 u32|s32 sat? second=add?", "=t t t t", decode_video_simd},
      {"vset4", "u32|s32 u32|s32 cmp=eq|ne|lt|le|gt|ge second=add?", "=t t t t", decode_video_simd},
  };
  return forms;
}

}  // namespace heddle::ptx
