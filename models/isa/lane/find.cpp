// The operation table of one level: asks every source file of this folder in turn. Used at load time only.
#include "isa/lane/lanes.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {

LaneFn find(const LaneSpec& spec);

LaneFn find(const LaneSpec& spec) {
  // Modifiers that only one file supports.
  if (spec.carry_out) return find_carry(spec);
  if (spec.relu || spec.satfinite || spec.nan || spec.xorsign) {
    const LaneFn fn = find_narrow(spec);
    return fn != nullptr ? fn : find_convert_narrow(spec);
  }
  if (spec.member_mask) return find_cross_lane(spec);
  if (spec.mufu) return find_mufu(spec);
  using Finder = LaneFn (*)(const LaneSpec&);
  constexpr Finder kFinders[] = {find_integer,         find_multiply,      find_bits,         find_float,
                                 find_special,         find_compare,       find_set,          find_select,
                                 find_convert_integer, find_convert_float, find_move,         find_cross_lane,
                                 find_carry,           find_dot,           find_fields,       find_half,
                                 find_compare_half,    find_convert_pack,  find_video,        find_narrow,
                                 find_convert_narrow,  find_matrix,        find_barrier_state};
  for (const Finder finder : kFinders)
    if (const LaneFn fn = finder(spec)) return fn;
  return nullptr;
}

}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
