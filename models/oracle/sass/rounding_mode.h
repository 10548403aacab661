// Rounding modes by their codes.
#pragma once

#include "oracle/program.h"
#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {

[[nodiscard]] inline Rounding rounding_of(const Values& v) {
  constexpr std::array kModes{Rounding::kNearest, Rounding::kDown, Rounding::kUp, Rounding::kZero};
  return kModes[v.code(Modifier::kRounding)];
}

}  // namespace heddle::oracle::machine_code
