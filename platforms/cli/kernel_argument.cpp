#include "cli/kernel_argument.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "cli/files.h"
#include "sim/error.h"

namespace heddle::cli {
namespace {

using isa::Type;

// A buffer passes through the host's memory.
constexpr std::uint64_t kMaxBufferBytes = 4ull << 30;
constexpr const char* kScalarTypes = "u8 s8 u16 s16 u32 s32 u64 s64 f32 f64";
constexpr const char* kForms = "TYPE=VALUE, buf=NAME:SIZE[:FILL] or ref=NAME[+BYTES]; see heddle run --help";

[[noreturn]] void refuse(const std::string& argument, const std::string& message, const std::string& remedy) {
  throw sim::InputError("--arg " + argument, message, remedy);
}

std::optional<Type> scalar_type(std::string_view name) {
  for (const Type type : {Type::kU8, Type::kS8, Type::kU16, Type::kS16, Type::kU32, Type::kS32, Type::kU64,
                          Type::kS64, Type::kF32, Type::kF64})
    if (isa::type_name(type) == name) return type;
  return std::nullopt;
}

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Decimal, or hexadecimal with 0x; nullopt if `text` is something else or does not fit.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  if constexpr (std::is_integral_v<T>) {
    if (text.starts_with("0x") || text.starts_with("0X")) {
      std::make_unsigned_t<T> bits = 0;
      const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
      if (text.size() == 2 || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
      return static_cast<T>(bits);
    }
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Calls use(T{}) with the C++ type of `type`.
template <class Use>
auto with_type(Type type, const Use& use) {
  switch (type) {
    case Type::kS8:
      return use(std::int8_t{});
    case Type::kU16:
      return use(std::uint16_t{});
    case Type::kS16:
      return use(std::int16_t{});
    case Type::kU32:
      return use(std::uint32_t{});
    case Type::kS32:
      return use(std::int32_t{});
    case Type::kU64:
      return use(std::uint64_t{});
    case Type::kS64:
      return use(std::int64_t{});
    case Type::kF32:
      return use(float{});
    case Type::kF64:
      return use(double{});
    default:
      return use(std::uint8_t{});
  }
}

std::optional<std::vector<std::byte>> value_bytes(Type type, std::string_view text) {
  return with_type(type, [&](auto zero) -> std::optional<std::vector<std::byte>> {
    const auto value = parse_number<decltype(zero)>(text);
    if (!value) return std::nullopt;
    return bytes_of(*value);
  });
}

std::string range_text(Type type) {
  return with_type(type, [&](auto zero) -> std::string {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      return "a number such as 1.5 or -2e3";
    else
      return fmt::format("a whole number from {} to {}", std::numeric_limits<T>::min(),
                         std::numeric_limits<T>::max());
  });
}

bool is_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             std::string_view::npos;
}

void parse_size(KernelArgument& argument, const std::string& size) {
  const auto cross = size.find('x');
  std::uint64_t element_bytes = 1;
  if (cross != std::string::npos) {
    const auto type = scalar_type(std::string_view(size).substr(cross + 1));
    if (!type)
      refuse(argument.text, fmt::format("'{}' is not an element type", size.substr(cross + 1)),
             fmt::format("types: {}", kScalarTypes));
    argument.element = *type;
    element_bytes = isa::type_bytes(*type);
  }
  const auto count = parse_number<std::uint64_t>(std::string_view(size).substr(0, cross));
  if (!count || *count == 0)
    refuse(argument.text, fmt::format("'{}' is not a buffer size", size),
           "for example 4096 (bytes) or 1024xf32");
  if (*count > kMaxBufferBytes / element_bytes)
    refuse(argument.text, "the buffer is too large", "a buffer may have up to 4 GiB");
  argument.bytes = *count * element_bytes;
}

void check_fill(const KernelArgument& argument) {
  const std::string& fill = argument.fill;
  if (fill.empty() || fill == "zero" || fill == "iota" || fill.starts_with("file=")) return;
  if (fill.starts_with("const=")) {
    if (!value_bytes(argument.element, std::string_view(fill).substr(6)))
      refuse(argument.text,
             fmt::format("'{}' is not a value of type {}", fill.substr(6), isa::type_name(argument.element)),
             "give " + range_text(argument.element));
    return;
  }
  if (fill.starts_with("random=")) {
    if (!parse_number<std::uint64_t>(std::string_view(fill).substr(7)))
      refuse(argument.text, fmt::format("'{}' is not a seed", fill.substr(7)), "for example random=1");
    return;
  }
  refuse(argument.text, fmt::format("unknown fill '{}'", fill),
         "fills: zero, iota, const=VALUE, random=SEED, file=PATH");
}

/// Steele, Lea, Flood: SplitMix64. Small, and the same on every machine.
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

/// `make(i)` gives element i.
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

KernelArgument parse_argument(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) refuse(text, "not an argument", kForms);
  const std::string kind = text.substr(0, equals);
  const std::string rest = text.substr(equals + 1);
  KernelArgument argument;
  argument.text = text;

  if (kind == "buf") {
    argument.kind = KernelArgument::Kind::kBuffer;
    const auto first = rest.find(':');
    argument.name = rest.substr(0, first);
    if (first == std::string::npos || !is_name(argument.name))
      refuse(text, "a buffer needs a name and a size",
             "buf=NAME:SIZE[:FILL], for example buf=x:1024xf32:iota");
    // The fill may hold colons itself: it is a path.
    const auto second = rest.find(':', first + 1);
    parse_size(argument, rest.substr(first + 1, second - first - 1));
    if (second != std::string::npos) argument.fill = rest.substr(second + 1);
    check_fill(argument);
    return argument;
  }
  if (kind == "ref") {
    argument.kind = KernelArgument::Kind::kReference;
    const auto plus = rest.find('+');
    argument.name = rest.substr(0, plus);
    const auto offset = plus == std::string::npos
                            ? std::uint64_t{0}
                            : parse_number<std::uint64_t>(std::string_view(rest).substr(plus + 1));
    if (!is_name(argument.name) || !offset)
      refuse(text, "a reference needs the name of a buffer", "ref=NAME[+BYTES], for example ref=x+256");
    argument.bytes = *offset;
    return argument;
  }
  const auto type = scalar_type(kind);
  if (!type)
    refuse(text, fmt::format("unknown kind of argument '{}'", kind),
           fmt::format("scalars: {}; buffers: buf, ref", kScalarTypes));
  auto value = value_bytes(*type, rest);
  if (!value)
    refuse(text, fmt::format("'{}' is not a value of type {}", rest, kind), "give " + range_text(*type));
  argument.value = std::move(*value);
  return argument;
}

std::vector<KernelArgument> parse_arguments(const std::vector<std::string>& texts) {
  std::vector<KernelArgument> arguments;
  const auto buffer_of = [&](const std::string& name) -> const KernelArgument* {
    for (const KernelArgument& argument : arguments)
      if (argument.kind == KernelArgument::Kind::kBuffer && argument.name == name) return &argument;
    return nullptr;
  };
  for (const std::string& text : texts) {
    KernelArgument argument = parse_argument(text);
    const KernelArgument* named = argument.name.empty() ? nullptr : buffer_of(argument.name);
    if (argument.kind == KernelArgument::Kind::kBuffer && named != nullptr)
      refuse(text, fmt::format("there is a buffer '{}' already", argument.name),
             fmt::format("use ref={} to pass it again", argument.name));
    if (argument.kind == KernelArgument::Kind::kReference && named == nullptr)
      refuse(text, fmt::format("there is no buffer '{}' before this argument", argument.name),
             "declare it with buf=NAME:SIZE first");
    if (argument.kind == KernelArgument::Kind::kReference && argument.bytes >= named->bytes)
      refuse(text, fmt::format("the offset lies outside the buffer, which has {} bytes", named->bytes),
             "offsets are in bytes");
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::string fill_file(const KernelArgument& argument) {
  return argument.fill.starts_with("file=") ? argument.fill.substr(5) : "";
}

std::vector<std::byte> fill_bytes(const KernelArgument& buffer) {
  const std::string& fill = buffer.fill;
  const std::uint64_t count = buffer.bytes / isa::type_bytes(buffer.element);
  if (fill.starts_with("file="))
    return read_bytes(fill_file(buffer), buffer.bytes, "the buffer", "--arg " + buffer.text);
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

Dimensions parse_dimensions(const std::string& text, const std::string& option) {
  const std::string place = option + " " + text;
  std::array<std::uint32_t, 3> values{1, 1, 1};
  std::string_view rest = text;
  for (std::size_t i = 0;; ++i) {
    const auto comma = rest.find(',');
    const auto value = parse_number<std::uint32_t>(rest.substr(0, comma));
    if (i == values.size() || !value)
      throw sim::InputError(place, "expected X, X,Y or X,Y,Z, each a whole number",
                            fmt::format("for example {} 16,4", option));
    if (*value == 0) throw sim::InputError(place, "a dimension is 0", "every dimension is at least 1");
    values[i] = *value;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return {values[0], values[1], values[2]};
}

}  // namespace heddle::cli
