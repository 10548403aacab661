#include "cli/kernel_argument.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "cli/files.h"
#include "cli/scalar_text.h"
#include "host/device.h"

namespace heddle::cli {
namespace {

using isa::Type;

// A buffer is copied through the host's memory.
constexpr std::uint64_t kMaxBufferBytes = 4ull << 30;
constexpr const char* kForms =
    "TYPE=VALUE, buf=NAME:SIZE[:FILL], ref=NAME[+BYTES], struct=FIELD,..., hex=BYTES or file=PATH; "
    "see heddle run --help";

[[noreturn]] void refuse(const std::string& place, const std::string& message, const std::string& remedy) {
  throw base::InputError(place, message, remedy);
}

void parse_size(KernelArgument& argument, const std::string& size) {
  const auto cross = size.find('x');
  std::uint64_t element_bytes = 1;
  if (cross != std::string::npos) {
    argument.element = element_type(std::string_view(size).substr(cross + 1), argument.place);
    element_bytes = isa::type_bytes(argument.element);
  }
  const auto count = parse_number<std::uint64_t>(std::string_view(size).substr(0, cross));
  if (!count || *count == 0)
    refuse(argument.place, fmt::format("'{}' is not a buffer size", size),
           "for example 4096 (bytes) or 1024xf32");
  if (*count > kMaxBufferBytes / element_bytes)
    refuse(argument.place, "the buffer is too large", "a buffer may have up to 4 GiB");
  argument.bytes = *count * element_bytes;
}

void check_fill(const KernelArgument& argument) {
  const std::string& fill = argument.fill;
  if (fill.empty() || fill == "zero" || fill == "iota" || fill.starts_with("file=")) return;
  if (fill.starts_with("const=")) {
    if (!value_bytes(argument.element, std::string_view(fill).substr(6)))
      refuse(argument.place,
             fmt::format("'{}' is not a value of type {}", fill.substr(6), isa::type_name(argument.element)),
             "give " + range_text(argument.element));
    return;
  }
  if (fill.starts_with("random=")) {
    if (!parse_number<std::uint64_t>(std::string_view(fill).substr(7)))
      refuse(argument.place, fmt::format("'{}' is not a seed", fill.substr(7)), "for example random=1");
    return;
  }
  refuse(argument.place, fmt::format("unknown fill '{}'", fill),
         "fills: zero, iota, const=VALUE, random=SEED, file=PATH");
}

/// Steele, Lea, Flood: SplitMix64. Small, and identical on every machine.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e37'79b9'7f4a'7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// `make(i)` returns element i.
template <class T, class Make>
std::vector<std::byte> elements(std::uint64_t count, const Make& make) {
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::uint64_t i = 0; i < count; ++i) {
    const T value = make(i);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

}  // namespace

KernelArgument parse_buffer(const std::string& text, const std::string& place) {
  KernelArgument argument;
  argument.kind = KernelArgument::Kind::kBuffer;
  argument.place = place;
  const auto first = text.find(':');
  argument.name = text.substr(0, first);
  if (first == std::string::npos || !is_buffer_name(argument.name)) {
    const char* form = place.starts_with("--arg") ? "buf=" : "--buffer ";
    refuse(place, "a buffer needs a name and a size",
           fmt::format("{0}NAME:SIZE[:FILL], for example {0}x:1024xf32:iota", form));
  }
  // The fill may contain colons itself: it may be a path.
  const auto second = text.find(':', first + 1);
  parse_size(argument, text.substr(first + 1, second - first - 1));
  if (second != std::string::npos) argument.fill = text.substr(second + 1);
  if (argument.fill.starts_with("file=")) argument.file = argument.fill.substr(5);
  check_fill(argument);
  return argument;
}

KernelArgument parse_argument(const std::string& text) {
  const std::string place = "--arg " + text;
  const auto equals = text.find('=');
  if (equals == std::string::npos) refuse(place, "not an argument", kForms);
  const std::string kind = text.substr(0, equals);
  const std::string rest = text.substr(equals + 1);
  if (kind == "buf") return parse_buffer(rest, place);

  KernelArgument argument;
  argument.place = place;
  if (kind == "ref") {
    argument.kind = KernelArgument::Kind::kReference;
    const auto pointer = parse_pointer(rest);
    if (!pointer)
      refuse(place, "a reference needs the name of a buffer", "ref=NAME[+BYTES], for example ref=x+256");
    argument.name = pointer->buffer;
    argument.bytes = pointer->bytes;
    return argument;
  }
  if (kind == "struct" || kind == "hex" || kind == "file") {
    argument.kind = KernelArgument::Kind::kStruct;
    if (kind == "file") argument.file = rest;
    StructValue value = kind == "struct" ? parse_struct(rest, place)
                        : kind == "hex"  ? StructValue{.bytes = parse_hex(rest, place)}
                                         : StructValue{.bytes = struct_file(rest, place)};
    argument.value = std::move(value.bytes);
    argument.pointers = std::move(value.pointers);
    argument.layout = std::move(value.layout);
    return argument;
  }
  const auto type = scalar_type(kind);
  if (!type)
    refuse(place, fmt::format("unknown kind of argument '{}'", kind),
           fmt::format("scalars: {}; buffers: buf, ref; by value: struct, hex, file", kScalarTypes));
  auto value = value_bytes(*type, rest);
  if (!value)
    refuse(place, fmt::format("'{}' is not a value of type {}", rest, kind), "give " + range_text(*type));
  argument.value = std::move(*value);
  return argument;
}

std::vector<KernelArgument> parse_arguments(const std::vector<std::string>& texts,
                                            const std::vector<std::string>& buffers) {
  std::vector<KernelArgument> arguments;
  const auto buffer_of = [&](const std::string& name) -> const KernelArgument* {
    for (const KernelArgument& argument : arguments)
      if (argument.kind == KernelArgument::Kind::kBuffer && argument.name == name) return &argument;
    return nullptr;
  };
  const auto check_pointer = [&](const std::string& place, const std::string& name, std::uint64_t offset) {
    const KernelArgument* named = buffer_of(name);
    if (named == nullptr)
      refuse(place, fmt::format("there is no buffer '{}' before this argument", name),
             "declare it first, with --arg buf=NAME:SIZE, or --buffer NAME:SIZE if it is no argument itself");
    if (offset >= named->bytes)
      refuse(place, fmt::format("the offset lies outside the buffer, which has {} bytes", named->bytes),
             "offsets are in bytes");
  };
  const auto add = [&](KernelArgument argument) {
    if (argument.kind == KernelArgument::Kind::kBuffer && buffer_of(argument.name) != nullptr)
      refuse(argument.place, fmt::format("there is a buffer '{}' already", argument.name),
             fmt::format("use ref={} to pass it again", argument.name));
    if (argument.kind == KernelArgument::Kind::kReference)
      check_pointer(argument.place, argument.name, argument.bytes);
    for (const StructPointer& pointer : argument.pointers)
      check_pointer(argument.place, pointer.target.buffer, pointer.target.bytes);
    arguments.push_back(std::move(argument));
  };
  for (const std::string& text : buffers) {
    KernelArgument buffer = parse_buffer(text, "--buffer " + text);
    buffer.passed = false;
    add(std::move(buffer));
  }
  for (const std::string& text : texts) add(parse_argument(text));
  return arguments;
}

std::vector<std::byte> fill_bytes(const KernelArgument& buffer) {
  const std::string& fill = buffer.fill;
  const std::uint64_t count = buffer.bytes / isa::type_bytes(buffer.element);
  if (fill.starts_with("file=")) return read_bytes(buffer.file, buffer.bytes, "the buffer", buffer.place);
  return with_type(buffer.element, [&](auto zero) -> std::vector<std::byte> {
    using T = decltype(zero);
    if (fill == "iota") return elements<T>(count, [](std::uint64_t i) { return static_cast<T>(i); });
    if (fill.starts_with("const=")) {
      const T value = *parse_number<T>(std::string_view(fill).substr(6));
      return elements<T>(count, [value](std::uint64_t) { return value; });
    }
    if (fill.starts_with("random=")) {
      SplitMix random(*parse_number<std::uint64_t>(std::string_view(fill).substr(7)));
      return elements<T>(count, [&random](std::uint64_t) {
        const std::uint64_t bits = random.next();
        if constexpr (std::is_same_v<T, float>)
          return static_cast<float>(bits >> 40) * 0x1p-24f;
        else if constexpr (std::is_same_v<T, double>)
          return static_cast<double>(bits >> 11) * 0x1p-53;
        else
          return static_cast<T>(bits);
      });
    }
    return {};
  });
}

std::string element_text(Type type, const std::byte* bytes) {
  return with_type(type, [&](auto zero) -> std::string {
    decltype(zero) value;
    std::memcpy(&value, bytes, sizeof value);
    return fmt::format("{}", value);
  });
}

namespace {
std::string limit_text(const host::Dim3& limit) {
  return fmt::format("{} x {} x {}", limit.x, limit.y, limit.z);
}
}  // namespace

Dimensions parse_dimensions(const std::string& text, const std::string& option) {
  const std::string place = option + " " + text;
  std::array<std::uint32_t, 3> values{1, 1, 1};
  std::string_view rest = text;
  for (std::size_t i = 0;; ++i) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const auto value = parse_number<std::uint32_t>(part);
    if (!value && !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos)
      throw base::InputError(place, fmt::format("{} is too large for a dimension", part),
                             fmt::format("a grid is at most {}, a block {}", limit_text(host::kMaxGrid),
                                         limit_text(host::kMaxBlock)));
    if (i == values.size() || !value)
      throw base::InputError(place, "expected X, X,Y or X,Y,Z, each a whole number",
                             fmt::format("for example {} 16,4", option));
    if (*value == 0) throw base::InputError(place, "a dimension is 0", "every dimension is at least 1");
    values[i] = *value;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return {values[0], values[1], values[2]};
}

}  // namespace heddle::cli
