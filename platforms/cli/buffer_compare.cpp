#include "cli/buffer_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "cli/kernel_argument.h"
#include "cli/scalar_text.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kShownDifferences = 4;

double tolerance_value(std::string_view text, const std::string& place) {
  const auto value = parse_number<double>(text);
  if (!value || !(*value >= 0) || std::isinf(*value))
    throw base::InputError(place, fmt::format("'{}' is not a tolerance", text),
                           "give a number of at least 0, for example abs=1e-5 or rel=1e-5");
  return *value;
}

std::string tolerance_text(const Tolerance& tolerance) {
  return fmt::format("abs={}, rel={}", tolerance.absolute, tolerance.relative);
}

double real(isa::Type type, const std::byte* bytes) {
  return with_type(type, [&](auto zero) -> double {
    std::memcpy(&zero, bytes, sizeof zero);
    return static_cast<double>(zero);
  });
}

bool matches(const Tolerance& tolerance, double have, double want) {
  if (std::isnan(have) || std::isnan(want)) return std::isnan(have) && std::isnan(want);
  if (std::isinf(have) || std::isinf(want)) return have == want;
  return std::abs(have - want) <= tolerance.absolute + tolerance.relative * std::abs(want);
}

/// Two elements that differ as text; as bits if their texts are equal (NaN payloads).
std::pair<std::string, std::string> both_texts(isa::Type type, const std::byte* have, const std::byte* want) {
  std::string a = element_text(type, have), b = element_text(type, want);
  if (a != b) return {a, b};
  const auto bits = [&](const std::byte* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, isa::type_bytes(type));
    return fmt::format(" (bits 0x{:x})", value);
  };
  return {a + bits(have), b + bits(want)};
}

}  // namespace

CompareRequest parse_compare(const std::string& text) {
  CompareRequest request;
  request.place = "--compare " + text;
  std::string_view rest = text;
  // Options are parsed from the end, since a path may contain commas.
  for (;;) {
    const auto comma = rest.rfind(',');
    const std::string_view last = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    if (last.starts_with("type=")) {
      request.element = element_type(last.substr(5), request.place);
    } else if (last.starts_with("abs=") || last.starts_with("rel=")) {
      if (!request.tolerance) request.tolerance.emplace();
      (last.starts_with("abs=") ? request.tolerance->absolute : request.tolerance->relative) =
          tolerance_value(last.substr(4), request.place);
    } else {
      break;
    }
    rest.remove_suffix(last.size() + 1);
  }
  const auto equals = rest.find('=');
  if (equals == std::string_view::npos || equals + 1 == rest.size())
    throw base::InputError(request.place, "expected NAME=PATH[,abs=X][,rel=Y][,type=TYPE]",
                           "for example --compare y=y.bin or --compare y=y.bin,rel=1e-5");
  request.buffer = rest.substr(0, equals);
  request.path = rest.substr(equals + 1);
  return request;
}

void check_element(const CompareRequest& request, isa::Type element, std::uint64_t bytes) {
  if (bytes % isa::type_bytes(element) != 0)
    throw base::InputError(request.place,
                           fmt::format("the {} bytes of '{}' are no whole number of {}", bytes,
                                       request.buffer, isa::type_name(element)),
                           "give another type=");
  if (!request.tolerance || element == isa::Type::kF32 || element == isa::Type::kF64) return;
  throw base::InputError(request.place,
                         fmt::format("'{}' holds {}, and a tolerance is for f32 and f64", request.buffer,
                                     isa::type_name(element)),
                         "declare the buffer by elements, for example buf=y:1024xf32, or add type=f32, or "
                         "leave out abs= and rel=");
}

BufferVerdict compare_buffer(const CompareRequest& request, isa::Type element,
                             std::span<const std::byte> have, std::span<const std::byte> want) {
  if (std::equal(have.begin(), have.end(), want.begin(), want.end()))
    return {true, fmt::format("'{}' equals '{}'", request.buffer, request.path)};
  const std::size_t size = isa::type_bytes(element);
  const std::uint64_t count = have.size() / size;
  std::uint64_t different = 0, farthest_index = 0;
  double farthest = 0;
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::byte *x = have.data() + i * size, *w = want.data() + i * size;
    if (std::memcmp(x, w, size) == 0) continue;
    if (request.tolerance) {
      const double a = real(element, x), b = real(element, w);
      if (matches(*request.tolerance, a, b)) {
        if (std::abs(a - b) > farthest) farthest = std::abs(a - b), farthest_index = i;
        continue;
      }
    }
    if (++different > kShownDifferences) continue;
    const auto [is, has] = both_texts(element, x, w);
    text += fmt::format("{}[{}] is {}, '{}' has {}; ", request.buffer, i, is, request.path, has);
  }
  if (different > 0) {
    text += fmt::format("{} of {} elements differ", different, count);
    if (request.tolerance) text += fmt::format(" by more than {}", tolerance_text(*request.tolerance));
    return {false, text};
  }
  return {true, fmt::format("'{}' equals '{}' within {} (largest difference {:.3g}, at {}[{}])",
                            request.buffer, request.path, tolerance_text(*request.tolerance), farthest,
                            request.buffer, farthest_index)};
}

}  // namespace heddle::cli
