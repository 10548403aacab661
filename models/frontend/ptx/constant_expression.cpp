#include "frontend/ptx/constant_expression.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

/// Deeper nesting is hostile input and must not exhaust the stack.
constexpr unsigned kDeepest = 64;

struct Value {
  std::uint64_t bits = 0;  ///< the bits of an integer or of a double
  bool is_unsigned = false;
  bool is_float = false;
  FloatLiteral literal;  ///< the literal as written, of a float: operations lose its width

  [[nodiscard]] std::int64_t number() const { return static_cast<std::int64_t>(bits); }
  [[nodiscard]] double real() const { return std::bit_cast<double>(bits); }
  [[nodiscard]] bool truth() const { return is_float ? real() != 0 : bits != 0; }
};

Value integer(std::uint64_t bits, bool is_unsigned) { return {bits, is_unsigned, false, {}}; }
Value boolean(bool truth) { return integer(truth ? 1 : 0, false); }
Value real(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return {bits, false, true, {value, bits, 64}};
}

struct Failure {
  std::string message;
};

struct Operator {
  std::string_view text;
  unsigned precedence;  ///< higher binds tighter
};
// Longer operators first, so that "<<" is not parsed as "<".
constexpr std::array kOperators{Operator{"<<", 8}, Operator{">>", 8}, Operator{"<=", 7}, Operator{">=", 7},
                                Operator{"==", 6}, Operator{"!=", 6}, Operator{"&&", 2}, Operator{"||", 1},
                                Operator{"+", 9},  Operator{"-", 9},  Operator{"*", 10}, Operator{"/", 10},
                                Operator{"%", 10}, Operator{"<", 7},  Operator{">", 7},  Operator{"&", 5},
                                Operator{"^", 4},  Operator{"|", 3}};

template <class V>
std::optional<Value> compare(std::string_view op, V a, V b) {
  if (op == "<") return boolean(a < b);
  if (op == ">") return boolean(a > b);
  if (op == "<=") return boolean(a <= b);
  if (op == ">=") return boolean(a >= b);
  if (op == "==") return boolean(a == b);
  if (op == "!=") return boolean(a != b);
  return std::nullopt;
}

Value apply_real(std::string_view op, double a, double b) {
  if (const auto result = compare(op, a, b)) return *result;
  if (op == "+") return real(a + b);
  if (op == "-") return real(a - b);
  if (op == "*") return real(a * b);
  if (op == "/") return real(a / b);
  throw Failure{fmt::format("'{}' does not take floating-point numbers", op)};
}

std::uint64_t divide(std::string_view op, const Value& a, const Value& b, bool is_unsigned) {
  if (b.bits == 0) throw Failure{"division by zero in a constant expression"};
  const bool quotient = op == "/";
  if (is_unsigned) return quotient ? a.bits / b.bits : a.bits % b.bits;
  if (b.number() == -1) return quotient ? 0 - a.bits : 0;
  return static_cast<std::uint64_t>(quotient ? a.number() / b.number() : a.number() % b.number());
}

Value apply_integer(std::string_view op, const Value& a, const Value& b) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  if (const auto result = is_unsigned ? compare(op, a.bits, b.bits) : compare(op, a.number(), b.number()))
    return *result;
  if (op == "+") return integer(a.bits + b.bits, is_unsigned);
  if (op == "-") return integer(a.bits - b.bits, is_unsigned);
  if (op == "*") return integer(a.bits * b.bits, is_unsigned);
  if (op == "/" || op == "%") return integer(divide(op, a, b, is_unsigned), is_unsigned);
  if (op == "&") return integer(a.bits & b.bits, is_unsigned);
  if (op == "^") return integer(a.bits ^ b.bits, is_unsigned);
  if (op == "|") return integer(a.bits | b.bits, is_unsigned);
  const unsigned amount = b.bits > 63 ? 64 : static_cast<unsigned>(b.bits);
  if (op == "<<") return integer(amount > 63 ? 0 : a.bits << amount, a.is_unsigned);
  if (a.is_unsigned) return integer(amount > 63 ? 0 : a.bits >> amount, true);
  return integer(static_cast<std::uint64_t>(a.number() >> (amount > 63 ? 63 : amount)), false);
}

class Evaluator {
 public:
  explicit Evaluator(std::string_view text) : text_(text) {}

  Value run() {
    const Value value = conditional();
    if (!rest().empty())
      throw Failure{fmt::format("'{}' is not expected here", printable(std::string(1, rest()[0])))};
    return value;
  }

 private:
  std::string_view rest() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return text_.substr(at_);
  }
  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) throw Failure{fmt::format("'{}' is missing in the constant expression", token)};
  }

  Value conditional() {
    if (++depth_ > kDeepest) throw Failure{"the constant expression is nested too deep"};
    Value value = binary(1);
    if (take("?")) {
      const Value first = conditional();
      expect(":");
      const Value second = conditional();
      value = value.truth() ? first : second;
    }
    --depth_;
    return value;
  }

  Value binary(unsigned least) {
    Value left = unary();
    while (const Operator* op = next_operator(least)) {
      at_ += op->text.size();
      const Value right = binary(op->precedence + 1);
      left = combine(op->text, left, right);
    }
    return left;
  }
  /// The next operator, if its precedence is at least `least`.
  const Operator* next_operator(unsigned least) {
    const std::string_view text = rest();
    for (const Operator& op : kOperators)
      if (text.starts_with(op.text)) return op.precedence >= least ? &op : nullptr;
    return nullptr;
  }
  static Value combine(std::string_view op, const Value& a, const Value& b) {
    if (op == "&&") return boolean(a.truth() && b.truth());
    if (op == "||") return boolean(a.truth() || b.truth());
    if (a.is_float != b.is_float)
      throw Failure{"a constant expression cannot mix integers and floating-point numbers"};
    return a.is_float ? apply_real(op, a.real(), b.real()) : apply_integer(op, a, b);
  }

  Value unary() {
    if (++depth_ > kDeepest) throw Failure{"the constant expression is nested too deep"};
    const Value value = unary_operand();
    --depth_;
    return value;
  }
  Value unary_operand() {
    if (take("+")) return unary();
    if (take("-")) {
      const Value value = unary();
      return value.is_float ? real(-value.real()) : integer(0 - value.bits, value.is_unsigned);
    }
    if (take("~")) {
      const Value value = unary();
      if (value.is_float) throw Failure{"'~' does not take a floating-point number"};
      return integer(~value.bits, value.is_unsigned);
    }
    if (take("!")) return boolean(!unary().truth());
    return primary();
  }

  Value primary() {
    if (take("(")) {
      for (const auto& [name, is_unsigned] : {std::pair{".s64", false}, std::pair{".u64", true}}) {
        if (!take(name)) continue;
        expect(")");
        const Value value = unary();
        if (value.is_float) throw Failure{fmt::format("'({})' does not take a floating-point number", name)};
        return integer(value.bits, is_unsigned);
      }
      const Value value = conditional();
      expect(")");
      return value;
    }
    return number();
  }

  Value number() {
    const std::string_view text = rest();
    std::size_t end = 0;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.' ||
            (end > 0 && (text[end] == '+' || text[end] == '-') && is_exponent(text, end))))
      ++end;
    if (end == 0) throw Failure{"a number is missing in the constant expression"};
    at_ += end;
    const auto parsed = parse_number(text.substr(0, end), false);
    if (const auto* bad = std::get_if<NumberError>(&parsed)) throw Failure{bad->message};
    if (const auto* literal = std::get_if<FloatLiteral>(&parsed)) {
      Value value = real(literal->value);
      value.literal = *literal;
      return value;
    }
    const std::uint64_t bits = std::get<IntegerLiteral>(parsed).bits;
    return integer(bits, text[end - 1] == 'U' || bits >> 63 != 0);
  }
  /// 1.5e-3: the sign belongs to the number. In hexadecimal numbers, e is a digit.
  static bool is_exponent(std::string_view text, std::size_t sign) {
    const bool radix =
        text.size() > 1 && text[0] == '0' && std::isalpha(static_cast<unsigned char>(text[1])) != 0;
    return !radix && (text[sign - 1] == 'e' || text[sign - 1] == 'E');
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

bool is_plain(std::string_view text) {
  const bool radix =
      text.size() > 1 && text[0] == '0' && std::isalpha(static_cast<unsigned char>(text[1])) != 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool sign_of_exponent =
        (c == '+' || c == '-') && i > 0 && !radix && (text[i - 1] == 'e' || text[i - 1] == 'E');
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '$' &&
        !sign_of_exponent)
      return false;
  }
  return true;
}

}  // namespace

std::variant<IntegerLiteral, FloatLiteral, NumberError> evaluate_constant(std::string_view text,
                                                                          bool negative) {
  if (is_plain(text)) return parse_number(text, negative);
  std::string whole(negative ? 1 : 0, '-');
  whole += text;
  try {
    const Value value = Evaluator(whole).run();
    if (value.is_float) return value.literal;
    return IntegerLiteral{value.bits, !value.is_unsigned && value.number() < 0};
  } catch (const Failure& failure) {
    return NumberError{failure.message};
  }
}

}  // namespace heddle::ptx
