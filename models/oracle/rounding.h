// IEEE arithmetic in the four PTX rounding modes.
#pragma once

#include "oracle/program.h"

namespace heddle::oracle {

// Correctly rounded in the given mode; subnormals kept; NaN payloads as the host gives them.
template <class F>
[[nodiscard]] F rounded_add(F a, F b, Rounding mode);
template <class F>
[[nodiscard]] F rounded_mul(F a, F b, Rounding mode);
template <class F>
[[nodiscard]] F rounded_fma(F a, F b, F c, Rounding mode);
template <class F>
[[nodiscard]] F rounded_div(F a, F b, Rounding mode);
template <class F>
[[nodiscard]] F rounded_sqrt(F a, Rounding mode);
[[nodiscard]] float rounded_narrow(double a, Rounding mode);
template <class F>
[[nodiscard]] F rounded_from_signed(std::int64_t a, Rounding mode);
template <class F>
[[nodiscard]] F rounded_from_unsigned(std::uint64_t a, Rounding mode);

}  // namespace heddle::oracle
