#include "frontend/sass/bytes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text_input.h"

namespace heddle::sass {

void Bytes::fail(const std::string& problem) const {
  throw base::InputError(where_, problem,
                         "The file is damaged or cut off: make it again with nvcc or ptxas.");
}

Bytes Bytes::piece(std::uint64_t offset, std::uint64_t count, std::string_view what) const {
  if (offset > bytes_.size() || count > bytes_.size() - offset)
    fail(fmt::format("{} at byte {} with {} bytes lies outside of the {} bytes there are", what, offset,
                     count, bytes_.size()));
  return {bytes_.subspan(offset, count), where_};
}

std::uint64_t Bytes::number(std::uint64_t offset, unsigned bytes, std::string_view what) const {
  if (offset > bytes_.size() || bytes > bytes_.size() - offset) (void)piece(offset, bytes, what);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(bytes_[offset + i]) << (8 * i);
  return value;
}

std::string Bytes::text(std::uint64_t offset, std::string_view what) const {
  if (offset > bytes_.size()) (void)piece(offset, 1, what);
  const auto rest = bytes_.subspan(offset);
  const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
  if (end == rest.end()) fail(fmt::format("{} at byte {} does not end", what, offset));
  return base::valid_utf8(
      {reinterpret_cast<const char*>(rest.data()), static_cast<std::size_t>(end - rest.begin())});
}

}  // namespace heddle::sass
