#include "isa/lane_ops.h"

#include "isa/lane_levels.h"
#include "isa/machine_ops.h"

namespace heddle::isa {

namespace lane {
namespace level_baseline {
LaneFn find(const LaneSpec& spec);
LaneFn find_machine(const MachineSpec& spec);
}  // namespace level_baseline
#if defined(HEDDLE_LANE_X86_LEVELS)
namespace level_v3 {
LaneFn find(const LaneSpec& spec);
LaneFn find_machine(const MachineSpec& spec);
}  // namespace level_v3
#endif
}  // namespace lane

namespace {

// What the x86-64 psABI requires of each level, as far as the compiler builtins can test it. No processor has
// these features but lacks the remaining ones (MOVBE, LZCNT, F16C).
bool machine_has(LaneLevel level) {
  if (level == LaneLevel::kBaseline) return true;
#if defined(HEDDLE_LANE_X86_LEVELS)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}

LaneLevel best_level() {
  static const LaneLevel level = machine_has(LaneLevel::kV3) ? LaneLevel::kV3 : LaneLevel::kBaseline;
  return level;
}

}  // namespace

std::string_view lane_level_name(LaneLevel level) {
  switch (level) {
    case LaneLevel::kV3:
      return "x86-64-v3";
    case LaneLevel::kBaseline:
      break;
  }
#if defined(__x86_64__)
  return "x86-64";
#else
  return "baseline";
#endif
}

bool lane_level_supported(LaneLevel level) { return machine_has(level); }

LaneFn find_lane_fn_at(LaneLevel level, const LaneSpec& spec) {
  if (!machine_has(level)) return nullptr;
#if defined(HEDDLE_LANE_X86_LEVELS)
  if (level == LaneLevel::kV3) return lane::level_v3::find(spec);
#endif
  return lane::level_baseline::find(spec);
}

LaneFn find_machine_fn_at(LaneLevel level, const MachineSpec& spec) {
  if (!machine_has(level)) return nullptr;
#if defined(HEDDLE_LANE_X86_LEVELS)
  if (level == LaneLevel::kV3) return lane::level_v3::find_machine(spec);
#endif
  return lane::level_baseline::find_machine(spec);
}

LaneFn find_machine_fn(const MachineSpec& spec) { return find_machine_fn_at(best_level(), spec); }

LaneFn find_lane_fn(const LaneSpec& spec) { return find_lane_fn_at(best_level(), spec); }

std::string_view lane_isa_level() { return lane_level_name(best_level()); }

}  // namespace heddle::isa
