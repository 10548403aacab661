// The instructions of listings: their operands, and what they are in PTX.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle::listing {

/// One form of an instruction. `operands` has a letter for each, as in operand_words():
///   R D   register of 32, 64 bits that is written (RZ: the result is discarded)
///   r d   the same, read, or a number        P p  predicate register, written and read
///   B     barrier register                    L F  label, function
///   A     address [RDn+number]                T    labels [A,B,...]
///   S     special register                    C    parameter of the kernel
///   n     number of a CTA barrier, or a register of 32 bits
struct Form {
  std::string_view opcode;
  std::string_view operands;
  std::string_view ptx;  ///< {0}, {1} ...: its operands
  bool control = false;  ///< it may have a second predicate
};

[[nodiscard]] std::span<const Form> forms();
/// "a label", "a barrier register (B0 to B15)" ...
[[nodiscard]] const char* operand_words(char kind);
/// Whether the text can be an operand of that kind, as far as the text alone says it.
[[nodiscard]] bool fits(char kind, std::string_view text);
/// What is wrong with an operand that fits, with what helps; empty: nothing. Numbers have to be in range.
struct Objection {
  std::string message;
  std::string remedy;
};
[[nodiscard]] Objection objection(char kind, std::string_view text);
/// "R12", "P9", "RZ", "SR_TID.X": what is, or looks like, a register.
[[nodiscard]] bool is_register_name(std::string_view text);
/// In PTX. Empty: a special register of that name is not known.
[[nodiscard]] std::string_view special_register(std::string_view name);
/// "R12" -> 12; -1: it is not one of that letter, or above `most`.
[[nodiscard]] int register_number(std::string_view prefix, std::string_view text, int most);

inline constexpr int kMostRegister = 254;
inline constexpr int kMostPredicate = 6;
inline constexpr int kMostBarrier = 15;
inline constexpr unsigned kMostCtaBarrier = 15;

}  // namespace heddle::listing
