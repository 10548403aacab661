// --compare NAME=PATH[,abs=X][,rel=Y][,type=TYPE]: a buffer or variable after the run against a file of its size.
//
// Without a tolerance the bits must be equal. With one, an element x of an f32 or f64 buffer matches w of the
// file if |x - w| <= abs + rel * |w|. NaN matches NaN with any payload, an infinity only itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "isa/types.h"

namespace heddle::cli {

struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

struct CompareRequest {
  std::string buffer;
  std::string path;
  std::optional<Tolerance> tolerance;
  std::optional<isa::Type> element;  ///< instead of the type it was declared with
  std::string place;                 ///< option and text as given, for messages
};

/// `text`: the argument of --compare. Throws base::InputError.
[[nodiscard]] CompareRequest parse_compare(const std::string& text);
/// Tolerances require a floating-point element type, and elements fill the memory. Throws base::InputError.
void check_element(const CompareRequest& request, isa::Type element, std::uint64_t bytes);

struct BufferVerdict {
  bool same = false;
  std::string text;  ///< the first elements that differ, with both values, and the number of differences
};

/// `have`, `want`: of the same size, elements of type `element`.
[[nodiscard]] BufferVerdict compare_buffer(const CompareRequest& request, isa::Type element,
                                           std::span<const std::byte> have, std::span<const std::byte> want);

}  // namespace heddle::cli
