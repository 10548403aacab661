#include "frontend/listing/opcodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace heddle::listing {
namespace {

// A thread alone notices nothing of most convergence instructions: pmevent takes their place.
constexpr std::string_view kNothing = "pmevent 0";
constexpr bool kControl = true;

constexpr Form kForms[] = {
    // Convergence and control ([Hanoi] Tab I)
    {"BSSY", "BL", kNothing, kControl},
    {"BSYNC", "B", kNothing, kControl},
    {"BREAK", "B", kNothing, kControl},
    {"BMOV.32", "RB", "mov.u32 {0}, 0", kControl},
    {"BMOV.32.CLEAR", "RB", "mov.u32 {0}, 0", kControl},
    {"BMOV.32", "Br", "mov.u32 {sink}, {1}", kControl},
    {"BMOV.32", "BB", "mov.u32 {sink}, 0; {@}mov.u32 {sink}, {sink}", kControl},
    {"WARPSYNC", "r", "mov.u32 {sink}, {0}", kControl},
    {"YIELD", "", kNothing, kControl},
    {"BRA", "L", "bra {0}", kControl},
    {"BRA.U", "L", "bra.uni {0}", kControl},
    {"JMP", "L", "bra {0}", kControl},
    {"BRX", "rT", "brx.idx {0}, {1}"},
    {"BRXU", "rT", "brx.idx.uni {0}, {1}"},
    {"JMX", "rT", "brx.idx {0}, {1}"},
    {"JMXU", "rT", "brx.idx.uni {0}, {1}"},
    {"CALL", "F", "call {0}"},
    {"RET", "", "ret"},
    {"EXIT", "", "exit"},
    {"KILL", "", "exit"},
    {"NANOSLEEP", "r", "nanosleep.u32 {0}"},
    {"BPT", "", "brkpt"},
    {"RTT", "", "trap"},
    {"RPCMOV", "Xd", "mov.b64 {0}, {1}"},
    {"RPCMOV", "DX", "mov.b64 {0}, {1}"},
    {"NOP", "", kNothing},
    // Data
    {"S2R", "RS", "mov.u32 {0}, {1}"},
    {"LDC", "RC", "ld.param.u32 {0}, [{1}]"},
    {"LDC.64", "DC", "ld.param.u64 {0}, [{1}]"},
    {"MOV", "Rr", "mov.u32 {0}, {1}"},
    {"MOV.64", "Dd", "mov.u64 {0}, {1}"},
    {"IADD", "Rrr", "add.u32 {0}, {1}, {2}"},
    {"ISUB", "Rrr", "sub.u32 {0}, {1}, {2}"},
    {"IMUL", "Rrr", "mul.lo.u32 {0}, {1}, {2}"},
    {"IMAD", "Rrrr", "mad.lo.u32 {0}, {1}, {2}, {3}"},
    {"IMAD.WIDE", "Drrd", "mad.wide.u32 {0}, {1}, {2}, {3}"},
    {"SHL", "Rrr", "shl.b32 {0}, {1}, {2}"},
    {"SHR", "Rrr", "shr.u32 {0}, {1}, {2}"},
    {"LOP.AND", "Rrr", "and.b32 {0}, {1}, {2}"},
    {"LOP.OR", "Rrr", "or.b32 {0}, {1}, {2}"},
    {"LOP.XOR", "Rrr", "xor.b32 {0}, {1}, {2}"},
    {"POPC", "Rr", "popc.b32 {0}, {1}"},
    {"ISETP.EQ", "Prr", "setp.eq.u32 {0}, {1}, {2}"},
    {"ISETP.NE", "Prr", "setp.ne.u32 {0}, {1}, {2}"},
    {"ISETP.LT", "Prr", "setp.lt.u32 {0}, {1}, {2}"},
    {"ISETP.LE", "Prr", "setp.le.u32 {0}, {1}, {2}"},
    {"ISETP.GT", "Prr", "setp.gt.u32 {0}, {1}, {2}"},
    {"ISETP.GE", "Prr", "setp.ge.u32 {0}, {1}, {2}"},
    {"SEL", "Rrrp", "selp.b32 {0}, {1}, {2}, {3}"},
    // Memory
    {"LDG", "RA", "ld.global.u32 {0}, {1}"},
    {"LDG.STRONG", "RA", "ld.volatile.global.u32 {0}, {1}"},
    {"STG", "Ar", "st.global.u32 {0}, {1}"},
    {"STG.STRONG", "Ar", "st.volatile.global.u32 {0}, {1}"},
    {"ATOMG.ADD", "RAr", "atom.global.add.u32 {0}, {1}, {2}"},
    {"ATOMG.EXCH", "RAr", "atom.global.exch.b32 {0}, {1}, {2}"},
    {"ATOMG.CAS", "RArr", "atom.global.cas.b32 {0}, {1}, {2}, {3}"},
    {"MEMBAR.GPU", "", "membar.gl"},
    {"BAR.SYNC", "n", "bar.sync {0}"},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kSpecial{{
    {"SR_TID.X", "%tid.x"},
    {"SR_TID.Y", "%tid.y"},
    {"SR_NTID.X", "%ntid.x"},
    {"SR_CTAID.X", "%ctaid.x"},
    {"SR_NCTAID.X", "%nctaid.x"},
    {"SR_LANEID", "%laneid"},
    {"SR_WARPID", "%warpid"},
    {"SR_LANEMASK_EQ", "%lanemask_eq"},
    {"SR_CLOCKLO", "%clock"},
}};

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") && text.size() > 2;
  if (hex) text.remove_prefix(2);
  return !text.empty() && std::all_of(text.begin(), text.end(), [hex](char c) {
    return (c >= '0' && c <= '9') || (hex && std::isxdigit(static_cast<unsigned char>(c)) != 0);
  });
}

/// "-0x1f" -> magnitude 31, negative. Empty: it has more than 64 bits.
struct Number {
  std::uint64_t magnitude = 0;
  bool negative = false;
};
std::optional<Number> number_of(std::string_view text) {
  Number number;
  number.negative = text.starts_with('-');
  if (number.negative) text.remove_prefix(1);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number.magnitude, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whether it has `bits` bits, read with or without a sign.
bool has_bits(std::string_view text, unsigned bits) {
  const std::optional<Number> number = number_of(text);
  if (!number) return false;
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return number->magnitude <= (number->negative ? sign : sign - 1 + sign);
}

/// The number of an operand that has one.
std::string_view number_in(char kind, std::string_view text) {
  if (kind == 'A') {
    const std::size_t sign = text.find_first_of("+-");
    if (sign == std::string_view::npos) return {};
    return text.substr(text[sign] == '+' ? sign + 1 : sign,
                       text.size() - 1 - sign - (text[sign] == '+' ? 1 : 0));
  }
  return std::string_view("rdn").find(kind) != std::string_view::npos && is_number(text) ? text
                                                                                         : std::string_view{};
}

bool is_name(std::string_view text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_') &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

bool is_wide(std::string_view text) { return register_number("RD", text, kMostRegister) >= 0; }
bool is_narrow(std::string_view text) {
  return text == "RZ" || register_number("R", text, kMostRegister) >= 0;
}

bool is_address(std::string_view text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  const std::size_t sign = text.find_first_of("+-");
  if (!is_wide(text.substr(0, sign))) return false;
  if (sign == std::string_view::npos) return true;
  return is_number(text.substr(sign + 1));
}

}  // namespace

std::span<const Form> forms() { return kForms; }

int register_number(std::string_view prefix, std::string_view text, int most) {
  if (!text.starts_with(prefix)) return -1;
  text.remove_prefix(prefix.size());
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text[0] == '0')) return -1;
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  return number <= most ? number : -1;
}

const char* operand_words(char kind) {
  switch (kind) {
    case 'R':
      return "a register R0 to R254, or RZ";
    case 'r':
      return "a register R0 to R254, RZ, or a number";
    case 'D':
      return "a register of 64 bits, RD0 to RD254";
    case 'd':
      return "a register of 64 bits, RD0 to RD254, or a number";
    case 'P':
    case 'p':
      return "a predicate register P0 to P6";
    case 'B':
      return "a barrier register B0 to B15";
    case 'L':
      return "a label";
    case 'F':
      return "a function";
    case 'A':
      return "an address such as [RD4+8]";
    case 'T':
      return "labels such as [L1,L2]";
    case 'S':
      return "a special register such as SR_TID.X";
    case 'C':
      return "a parameter of the kernel";
    case 'X':
      return "RPC";
    case 'n':
      return "the number of a barrier, 0 to 15, or a register R0 to R254";
  }
  return "";
}

bool fits(char kind, std::string_view text) {
  switch (kind) {
    case 'R':
      return is_narrow(text);
    case 'r':
    case 'n':
      return is_narrow(text) || is_number(text);
    case 'D':
      return is_wide(text);
    case 'd':
      return is_wide(text) || is_number(text);
    case 'P':
    case 'p':
      return register_number("P", text, kMostPredicate) >= 0;
    case 'B':
      return register_number("B", text, kMostBarrier) >= 0;
    case 'L':
    case 'F':
    case 'C':
      return is_name(text);
    case 'A':
      return is_address(text);
    case 'T':
      return text.size() > 2 && text.front() == '[' && text.back() == ']' && !is_address(text);
    case 'S':
      return !special_register(text).empty();
    case 'X':
      return text == "RPC";
  }
  return false;
}

Objection objection(char kind, std::string_view text) {
  const std::string_view number = number_in(kind, text);
  if (number.empty()) return {};
  const std::string_view digits = number.starts_with('-') ? number.substr(1) : number;
  if (digits.size() > 1 && digits[0] == '0' && digits[1] != 'x')
    return {fmt::format("the number {} begins with 0", number),
            "Numbers are decimal, or hexadecimal with 0x in front; octal ones there are not."};
  if (kind == 'n' && has_bits(number, 64) &&
      (digits != number || number_of(number)->magnitude > kMostCtaBarrier))
    return {fmt::format("there is no barrier {}", number), "Barriers are numbered 0 to 15."};
  if (kind == 'A') {
    // The magnitude of an offset has a bit less: it is signed.
    if (!has_bits(digits, 31))
      return {fmt::format("the offset {} does not fit in 32 bits", number),
              "Offsets are from -2147483647 to 2147483647; add larger ones to the register."};
    return {};
  }
  const unsigned bits = kind == 'd' ? 64 : 32;
  if (!has_bits(number, bits))
    return {fmt::format("the number {} does not fit in {} bits", number, bits),
            bits == 32 ? "Take an instruction of 64 bits (MOV.64), or a smaller number."
                       : "Take a smaller number."};
  return {};
}

bool is_register_name(std::string_view text) {
  if (text == "RZ" || text == "PT" || text == "RPC" || text.starts_with("SR_")) return true;
  for (const std::string_view prefix : {"RD", "R", "P", "B"}) {
    if (!text.starts_with(prefix) || text.size() == prefix.size()) continue;
    const std::string_view rest = text.substr(prefix.size());
    if (std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; })) return true;
  }
  return false;
}

std::string_view special_register(std::string_view name) {
  const auto* const found =
      std::find_if(kSpecial.begin(), kSpecial.end(), [&](const auto& each) { return each.first == name; });
  return found == kSpecial.end() ? std::string_view{} : found->second;
}

}  // namespace heddle::listing
