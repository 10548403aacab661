#include "host/kernel_print.h"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <vector>

namespace heddle::host {
namespace {

constexpr std::size_t kLongestString = std::size_t{1} << 16;

class Arguments {
 public:
  Arguments(const ReadBytes& read, std::uint64_t at) : read_(read), at_(at) {}

  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::array<std::byte, sizeof(T)> bytes;
    read_(at_, bytes);
    at_ += sizeof(T);
    ++count_;
    return std::bit_cast<T>(bytes);
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  const ReadBytes& read_;
  std::uint64_t at_;
  std::uint32_t count_ = 0;
};

/// One conversion of a format, without its length: "%-8.3" and 'd'.
struct Conversion {
  std::string flags;
  bool is_long = false;  ///< 64 bits
  unsigned bytes = 4;    ///< of an integer, before its promotion
  char kind = 0;
};

template <class T>
std::string print_one(const std::string& flags, const char* length, char kind, T value) {
  const std::string format = flags + length + kind;
  const int size = std::snprintf(nullptr, 0, format.c_str(), value);
  if (size < 0) return {};
  std::vector<char> text(static_cast<std::size_t>(size) + 1);
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  return {text.data(), static_cast<std::size_t>(size)};
}

class Formatter {
 public:
  Formatter(const ReadBytes& read, std::string format, std::uint64_t arguments)
      : read_(read), format_(std::move(format)), arguments_(read, arguments) {}

  Printed run() {
    for (std::size_t i = 0; i < format_.size();) {
      if (format_[i] != '%') {
        text_ += format_[i++];
        continue;
      }
      const std::size_t start = i++;
      Conversion conversion = parse(i);
      if (conversion.kind == '%' && conversion.flags == "%")
        text_ += '%';
      else if (!print(conversion))
        text_ += format_.substr(start, i - start);
    }
    return {std::move(text_), arguments_.count()};
  }

 private:
  [[nodiscard]] char at(std::size_t i) const { return i < format_.size() ? format_[i] : '\0'; }

  void number(std::size_t& i, std::string& flags) {
    constexpr int kWidest = 4096;
    if (at(i) == '*') {
      ++i;
      const auto value = arguments_.next<std::int32_t>();
      flags += std::to_string(value > kWidest ? kWidest : value < -kWidest ? -kWidest : value);
      return;
    }
    std::string digits;
    while (at(i) >= '0' && at(i) <= '9') digits += format_[i++];
    if (digits.size() > 4) digits = std::to_string(kWidest);
    flags += digits;
  }

  Conversion parse(std::size_t& i) {
    Conversion conversion;
    conversion.flags.assign(1, '%');  // GCC 12 takes = "%" for an overlapping copy when it instruments
    while (at(i) != '\0' && std::strchr("-+ #0", at(i)) != nullptr) conversion.flags += format_[i++];
    number(i, conversion.flags);
    if (at(i) == '.') {
      const std::size_t dot = conversion.flags.size();
      conversion.flags += format_[i++];
      number(i, conversion.flags);
      if (conversion.flags.find('-', dot) != std::string::npos)
        conversion.flags.resize(dot);  // C: as if not given
    }
    for (; at(i) != '\0' && std::strchr("hljztL", at(i)) != nullptr; ++i) {
      if (format_[i] == 'h')
        conversion.bytes /= 2;
      else
        conversion.is_long = true;
    }
    if (at(i) != '\0') conversion.kind = format_[i++];
    return conversion;
  }

  bool print(const Conversion& c) {
    switch (c.kind) {
      case 'd':
      case 'i':
        if (c.is_long) {
          text_ += print_one(c.flags, "ll", c.kind, static_cast<long long>(arguments_.next<std::int64_t>()));
        } else {
          const auto value = arguments_.next<std::int32_t>();
          text_ += print_one(c.flags, "", c.kind,
                             c.bytes == 2   ? static_cast<std::int16_t>(value)
                             : c.bytes == 1 ? static_cast<std::int8_t>(value)
                                            : value);
        }
        return true;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        if (c.is_long) {
          text_ += print_one(c.flags, "ll", c.kind,
                             static_cast<unsigned long long>(arguments_.next<std::uint64_t>()));
        } else {
          const auto value = arguments_.next<std::uint32_t>();
          text_ += print_one(c.flags, "", c.kind,
                             c.bytes == 2   ? value & 0xffffu
                             : c.bytes == 1 ? value & 0xffu
                                            : value);
        }
        return true;
      case 'c':
        text_ += print_one(c.flags, "", 'c', arguments_.next<std::int32_t>());
        return true;
      case 'p':
        text_ +=
            print_one(c.flags, "", 'p',
                      std::bit_cast<void*>(static_cast<std::uintptr_t>(arguments_.next<std::uint64_t>())));
        return true;
      case 's': {
        const auto address = arguments_.next<std::uint64_t>();
        const std::string text = address == 0 ? "(null)" : read_string(read_, address);
        text_ += print_one(c.flags, "", 's', text.c_str());
        return true;
      }
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        text_ += print_one(c.flags, "", c.kind, arguments_.next<double>());
        return true;
      default:
        return false;
    }
  }

  const ReadBytes& read_;
  std::string format_;
  Arguments arguments_;
  std::string text_;
};

}  // namespace

std::string read_string(const ReadBytes& read, std::uint64_t address) {
  std::string text;
  while (text.size() < kLongestString) {
    std::byte byte;
    read(address + text.size(), {&byte, 1});
    if (byte == std::byte{0}) break;
    text += static_cast<char>(byte);
  }
  return text;
}

Printed format_print(const ReadBytes& read, std::uint64_t format, std::uint64_t arguments) {
  return Formatter(read, read_string(read, format), arguments).run();
}

}  // namespace heddle::host
