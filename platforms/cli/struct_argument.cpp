#include "cli/struct_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "cli/files.h"
#include "cli/scalar_text.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMaxStructBytes = 32'764;  ///< limit of all parameters of a kernel (PTX ISA, .param
                                                 ///< space)
constexpr std::size_t kPointerBytes = 8;
constexpr const char* kFieldForms =
    "fields: TYPE:VALUE, ptr:NAME[+BYTES], hex:BYTES, pad:N, align:N; see heddle run --help";

class StructBuilder {
 public:
  explicit StructBuilder(const std::string& place) : place_(place) {}

  void field(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) refuse(fmt::format("'{}' is not a field", text), kFieldForms);
    const std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
    if (kind == "pad" || kind == "align") {
      const std::size_t count = size(rest, text);
      if (kind == "align" && !std::has_single_bit(count))
        refuse(fmt::format("'{}': an alignment is a power of two", text), "for example align:16");
      kind == "pad" ? grow(count) : align(count);
    } else if (kind == "ptr") {
      const auto target = parse_pointer(rest);
      if (!target)
        refuse(fmt::format("'{}' does not name a buffer", text), "ptr:NAME[+BYTES], for example ptr:x+16");
      align(kPointerBytes);
      value_.pointers.push_back({value_.bytes.size(), *target});
      add("ptr", std::vector<std::byte>(kPointerBytes));
    } else if (kind == "hex") {
      add("hex", parse_hex(rest, place_));
    } else if (const auto type = scalar_type(kind)) {
      const auto bytes = value_bytes(*type, rest);
      if (!bytes)
        refuse(fmt::format("'{}' is not a value of type {}", rest, kind), "give " + range_text(*type));
      align(bytes->size());
      add(std::string(kind), *bytes);
    } else {
      refuse(fmt::format("unknown kind of field '{}'", kind),
             fmt::format("scalars: {}; {}", kScalarTypes, kFieldForms));
    }
  }

  StructValue finish() {
    align(alignment_);
    return std::move(value_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message, const std::string& remedy) const {
    throw base::InputError(place_, message, remedy);
  }

  std::size_t size(std::string_view digits, std::string_view field) const {
    const auto count = parse_number<std::uint32_t>(digits);
    if (!count || *count == 0 || *count > kMaxStructBytes)
      refuse(fmt::format("'{}': expected a number of bytes from 1 to {}", field, kMaxStructBytes),
             kFieldForms);
    return *count;
  }

  void grow(std::size_t bytes) {
    if (value_.bytes.size() + bytes > kMaxStructBytes)
      refuse("the struct is too large",
             fmt::format("a kernel's parameters have up to {} bytes", kMaxStructBytes));
    value_.bytes.resize(value_.bytes.size() + bytes);
  }

  void align(std::size_t to) {
    alignment_ = std::max(alignment_, to);
    if (const std::size_t over = value_.bytes.size() % to; over != 0) grow(to - over);
  }

  void add(const std::string& kind, const std::vector<std::byte>& bytes) {
    const std::size_t offset = value_.bytes.size();
    value_.layout += fmt::format("{}{} at {}", value_.layout.empty() ? "" : ", ", kind, offset);
    grow(bytes.size());
    std::copy(bytes.begin(), bytes.end(), value_.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  std::string place_;
  StructValue value_;
  std::size_t alignment_ = 1;
};

}  // namespace

bool is_buffer_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             std::string_view::npos;
}

std::optional<BufferPointer> parse_pointer(std::string_view text) {
  const auto plus = text.find('+');
  const std::string_view name = text.substr(0, plus);
  if (!is_buffer_name(name)) return std::nullopt;
  if (plus == std::string_view::npos) return BufferPointer{std::string(name), 0};
  const auto bytes = parse_number<std::uint64_t>(text.substr(plus + 1));
  if (!bytes) return std::nullopt;
  return BufferPointer{std::string(name), *bytes};
}

StructValue parse_struct(std::string_view fields, const std::string& place) {
  StructBuilder builder(place);
  for (;;) {
    const auto comma = fields.find(',');
    builder.field(fields.substr(0, comma));
    if (comma == std::string_view::npos) return builder.finish();
    fields.remove_prefix(comma + 1);
  }
}

std::vector<std::byte> parse_hex(std::string_view digits, const std::string& place) {
  std::vector<std::byte> bytes;
  const bool whole = !digits.empty() && digits.size() % 2 == 0 && digits.size() <= 2 * kMaxStructBytes;
  for (std::size_t i = 0; whole && i < digits.size(); i += 2) {
    std::uint8_t value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc{} || end != digits.data() + i + 2) break;
    bytes.push_back(static_cast<std::byte>(value));
  }
  if (!whole || 2 * bytes.size() != digits.size())
    throw base::InputError(place, fmt::format("'{}' is not bytes in hexadecimal", digits),
                           "two digits for each byte, in the order of memory, for example 0000c03f");
  return bytes;
}

std::vector<std::byte> struct_file(const std::string& path, const std::string& place) {
  std::vector<std::byte> bytes = read_start(path, kMaxStructBytes + 1, place);
  if (bytes.empty() || bytes.size() > kMaxStructBytes)
    throw base::InputError(place, fmt::format("'{}' {}", path, bytes.empty() ? "is empty" : "is too large"),
                           fmt::format("a struct has from 1 to {} bytes", kMaxStructBytes));
  return bytes;
}

}  // namespace heddle::cli
