// Video instructions on the GPU and on the oracle, against the manual: each instruction's text is interpreted here
// once more, selector by selector, as the pseudo-code of the PTX ISA has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "isa_support.h"
#include "oracle/oracle.h"

namespace heddle::testing::isa_video_test {
namespace {

using Words = std::vector<std::uint32_t>;

/// vadd4.u32.s32.u32.sat d.b320, a.b7654, b, c: everything but the registers.
struct Written {
  std::string opcode;
  std::string d_type, a_type, b_type;  ///< vset has no d_type
  std::string compare, mode, second, scale;
  bool sat = false, po = false;
  std::string d, a, b;                 ///< selectors
  std::string sign_a, sign_b, sign_c;  ///< "-" or nothing
  bool has_c = true;

  [[nodiscard]] bool is_set() const { return opcode.starts_with("vset"); }
  [[nodiscard]] unsigned lanes() const { return opcode.back() == '2' ? 2 : opcode.back() == '4' ? 4 : 1; }
  /// With operands %r1, %r2, %r3, the result in %r4.
  [[nodiscard]] std::string text() const {
    const auto dotted = [](const std::string& word) { return word.empty() ? "" : "." + word; };
    std::string all = opcode + dotted(d_type) + dotted(a_type) + dotted(b_type) + dotted(compare);
    if (po) all += ".po";
    if (sat) all += ".sat";
    all += dotted(mode) + dotted(scale) + dotted(second) + " %r4" + dotted(d) + ", " + sign_a + "%r1" +
           dotted(a) + ", " + sign_b + "%r2" + dotted(b);
    return all + (has_c ? ", " + sign_c + "%r3;" : ";");
  }
};

__extension__ using Number = __int128;

Number extended(std::uint64_t bits, unsigned width, const std::string& type) {
  const Number value = static_cast<Number>(bits) % (Number{1} << width);
  return type == "s32" && value >= Number{1} << (width - 1) ? value - (Number{1} << width) : value;
}
Number clamped(Number value, unsigned width, const std::string& type) {
  const Number most = (Number{1} << (type == "s32" ? width - 1 : width)) - 1;
  const Number least = type == "s32" ? -most - 1 : 0;
  return std::max(least, std::min(most, value));
}
Number rounded_down(Number value, unsigned bits) {
  const Number unit = Number{1} << bits;
  const Number rest = (value % unit + unit) % unit;
  return (value - rest) / unit;
}

Number operate(const Written& w, Number a, Number b) {
  const std::string name = w.lanes() == 1 ? w.opcode : w.opcode.substr(0, w.opcode.size() - 1);
  if (name == "vadd") return a + b;
  if (name == "vsub") return a - b;
  if (name == "vabsdiff") return a < b ? b - a : a - b;
  if (name == "vmin") return a < b ? a : b;
  if (name == "vmax") return a < b ? b : a;
  if (name == "vavrg") return a + b < 0 ? rounded_down(a + b, 1) : rounded_down(a + b + 1, 1);
  if (name == "vset") {
    const bool less = a < b, same = a == b;
    return (w.compare == "eq" && same) || (w.compare == "ne" && !same) || (w.compare == "lt" && less) ||
                   (w.compare == "le" && (less || same)) || (w.compare == "gt" && !less && !same) ||
                   (w.compare == "ge" && !less)
               ? 1
               : 0;
  }
  const Number amount = w.mode == "wrap" ? b % 32 : std::min<Number>(b, 32);
  if (name == "vshl") return a * (Number{1} << static_cast<unsigned>(amount));
  return rounded_down(a, static_cast<unsigned>(amount));
}

/// First bit and width of a scalar's selector.
std::pair<unsigned, unsigned> part(const std::string& selector) {
  if (selector.empty()) return {0, 32};
  const unsigned width = selector[0] == 'b' ? 8 : 16;
  return {static_cast<unsigned>(selector[1] - '0') * width, width};
}

std::uint32_t with_part(std::uint32_t word, unsigned at, unsigned width, Number value) {
  const std::uint64_t ones = ((std::uint64_t{1} << width) - 1) << at;
  return static_cast<std::uint32_t>((word & ~ones) | ((static_cast<std::uint64_t>(value) << at) & ones));
}

std::uint32_t scalar(const Written& w, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::string d_type = w.is_set() ? "u32" : w.d_type;
  const auto [a_at, a_width] = part(w.a);
  const auto [b_at, b_width] = part(w.b);
  const auto [d_at, d_width] = part(w.d);
  const Number va = extended(a >> a_at, a_width, w.a_type), vb = extended(b >> b_at, b_width, w.b_type);
  if (w.opcode == "vmad") {
    const bool minus = w.sign_a != w.sign_b;
    const bool is_signed = w.a_type == "s32" || w.b_type == "s32" || minus || !w.sign_c.empty();
    Number sum = minus ? -(va * vb) : va * vb;
    sum += w.sign_c.empty() ? extended(c, 32, is_signed ? "s32" : "u32") : extended(~c, 32, "s32") + 1;
    if (w.po) sum += 1;
    sum = rounded_down(sum, w.scale == "shr7" ? 7 : w.scale == "shr15" ? 15 : 0);
    if (w.sat) sum = clamped(sum, 32, is_signed ? "s32" : "u32");
    return static_cast<std::uint32_t>(sum);
  }
  Number value = operate(w, va, vb);
  if (w.sat) value = clamped(value, d_width, d_type);
  if (!w.d.empty()) return with_part(c, d_at, d_width, value);
  const Number vc = extended(c, 32, d_type);
  if (w.second == "add") value += vc;
  // "The sign of the intermediate result depends on dtype": of .u32 no number is below 0.
  if (d_type == "u32" && value < 0) value += Number{1} << 70;
  if (w.second == "min") value = std::min(value, vc);
  if (w.second == "max") value = std::max(value, vc);
  return static_cast<std::uint32_t>(value);
}

std::uint32_t simd(const Written& w, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const unsigned lanes = w.lanes(), width = 32 / lanes;
  const std::string a_lanes = !w.a.empty() ? w.a.substr(1) : lanes == 4 ? "3210" : "10";
  const std::string b_lanes = !w.b.empty() ? w.b.substr(1) : lanes == 4 ? "7654" : "32";
  const std::string mask = !w.d.empty() ? w.d.substr(1) : lanes == 4 ? "3210" : "10";
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  std::uint32_t sum = c, merged = c;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (mask.find(static_cast<char>('0' + lane)) == std::string::npos) continue;
    const auto value_of = [&](const std::string& chosen, const std::string& type) {
      return extended(both >> (static_cast<unsigned>(chosen[lanes - 1 - lane] - '0') * width), width, type);
    };
    Number value = operate(w, value_of(a_lanes, w.a_type), value_of(b_lanes, w.b_type));
    if (w.sat) value = clamped(value, width, w.d_type);
    sum += static_cast<std::uint32_t>(value);
    merged = with_part(merged, lane * width, width, value);
  }
  return w.second == "add" ? sum : merged;
}

std::uint32_t expected(const Written& w, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return w.lanes() == 1 ? scalar(w, a, b, c) : simd(w, a, b, c);
}

/// Operands of lane `lane`: random, with bytes and halves at their limits.
std::array<std::uint32_t, 3> operands(std::mt19937& random) {
  constexpr std::uint32_t kEdges[] = {
      0,           1,           0x7f,        0x80,        0xff,        0x7fff, 0x8000, 0xffff, 0x7fff'ffff,
      0x8000'0000, 0xffff'ffff, 0x80ff'7f00, 0x8000'7fff, 0x0180'ff7f, 31,     32,     33};
  std::array<std::uint32_t, 3> values{};
  for (std::uint32_t& value : values)
    value = random() % 3 == 0 ? kEdges[random() % std::size(kEdges)] : static_cast<std::uint32_t>(random());
  return values;
}

using Expected =
    std::function<std::uint32_t(std::size_t instruction, std::uint32_t a, std::uint32_t b, std::uint32_t c)>;

/// Runs the instructions with the operands of 32 lanes, on the GPU and on the oracle.
void check_texts(const std::vector<std::string>& instructions, std::uint32_t seed, const Expected& expects) {
  std::mt19937 random(seed);
  std::array<std::array<std::uint32_t, 3>, 32> in{};
  for (auto& lane : in) lane = operands(random);
  Fragment fragment;
  fragment.module = ".global .align 4 .b32 in[96] = {";
  for (const auto& lane : in)
    for (const std::uint32_t value : lane) fragment.module += std::to_string(value) + ", ";
  fragment.module.replace(fragment.module.size() - 2, 2, "};\n");
  fragment.body =
      "mul.wide.u32 %w1, %t, 12; mov.u64 %w2, in; add.u64 %w1, %w1, %w2;\n"
      "ld.global.u32 %r1, [%w1]; ld.global.u32 %r2, [%w1+4]; ld.global.u32 %r3, [%w1+8];\n";
  for (std::size_t i = 0; i < instructions.size(); ++i)
    fragment.body += "mov.u32 %r4, 77; " + instructions[i] + " st.global.u32 [%mine+" +
                     std::to_string(i * 128) + "], %r4;\n";
  fragment.words = 32 * instructions.size();
  const Words gpu = run(fragment);

  oracle::OracleDevice device;
  const auto module = device.load_ptx_text(fragment_text(fragment), "fragment.ptx");
  const std::uint64_t out = device.allocate(fragment.words * 4, "out");
  host::Args args;
  args.add(out);
  device.launch(module, "k", fragment.shape, args);
  const auto oracle = device.download<std::uint32_t>(out, fragment.words);

  for (std::size_t i = 0; i < instructions.size(); ++i)
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const auto [a, b, c] = in[lane];
      const std::uint32_t want = expects(i, a, b, c);
      ASSERT_EQ(gpu[i * 32 + lane], want)
          << instructions[i] << std::hex << " of " << a << ", " << b << ", " << c << " on the GPU";
      ASSERT_EQ(oracle[i * 32 + lane], want)
          << instructions[i] << std::hex << " of " << a << ", " << b << ", " << c << " on the oracle";
    }
}

void check(const std::vector<Written>& instructions, std::uint32_t seed) {
  std::vector<std::string> texts;
  for (const Written& each : instructions) texts.push_back(each.text());
  check_texts(texts, seed, [&](std::size_t i, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return expected(instructions[i], a, b, c);
  });
}

constexpr const char* kTypes[] = {"u32", "s32"};

void set_types(Written& w, unsigned number) {
  if (!w.is_set()) w.d_type = kTypes[number / 4 % 2];
  w.a_type = kTypes[number / 2 % 2];
  w.b_type = w.opcode == "vshl" || w.opcode == "vshr" ? "u32" : kTypes[number % 2];
}

TEST(IsaVideo, ScalarInstructionsWithAllTypesPartsAndSecondOperations) {
  constexpr const char* kParts[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
  constexpr const char* kCompares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  constexpr const char* kSeconds[] = {"", "add", "min", "max", "merge", "merge", "ignored c"};
  std::mt19937 random(1);
  for (const char* opcode : {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl", "vshr"}) {
    std::vector<Written> all;
    for (unsigned i = 0; i < 8 * 7 * 4; ++i) {
      Written w;
      w.opcode = opcode;
      set_types(w, i);
      w.a = kParts[random() % 7];
      w.b = kParts[random() % 7];
      if (w.is_set()) w.compare = kCompares[i % 6];
      w.sat = !w.is_set() && i / 8 % 2 != 0;
      if (w.opcode == "vshl" || w.opcode == "vshr") w.mode = i / 16 % 2 != 0 ? "wrap" : "clamp";
      const std::string second = kSeconds[i % 7];
      if (second == "merge")
        w.d = kParts[1 + random() % 6];
      else if (second != "ignored c")
        w.second = second;
      w.has_c = !second.empty();
      all.push_back(w);
    }
    check(all, static_cast<std::uint32_t>(random()));
  }
}

TEST(IsaVideo, MultiplyAddWithSignsPlusOneAndScale) {
  constexpr const char* kParts[] = {"", "b0", "b3", "h0", "h1"};
  constexpr std::array<const char*, 3> kSigns[] = {
      {"", "", ""}, {"-", "", ""}, {"", "-", ""}, {"-", "-", ""}, {"", "", "-"}};
  constexpr const char* kScales[] = {"", "shr7", "shr15"};
  std::mt19937 random(2);
  std::vector<Written> all;
  for (unsigned i = 0; i < 240; ++i) {
    Written w;
    w.opcode = "vmad";
    set_types(w, i);
    w.a = kParts[random() % 5];
    w.b = kParts[random() % 5];
    w.sat = random() % 2 != 0;
    w.scale = kScales[i % 3];
    const auto& signs = kSigns[i / 8 % 5];
    w.sign_a = signs[0];
    w.sign_b = signs[1];
    w.sign_c = signs[2];
    w.po = i / 8 % 5 == 0 && random() % 2 != 0;
    all.push_back(w);
  }
  check(all, 3);
}

TEST(IsaVideo, SimdInstructionsWithAllTypesSelectorsAndMasks) {
  constexpr const char* kCompares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  std::mt19937 random(4);
  const auto selector = [&](unsigned lanes) {
    std::string text = lanes == 4 ? "b" : "h";
    for (unsigned i = 0; i < lanes; ++i) text += static_cast<char>('0' + random() % (2 * lanes));
    return text;
  };
  const auto mask = [&](unsigned lanes) {
    std::string text = lanes == 4 ? "b" : "h";
    const auto chosen = static_cast<unsigned>(1 + random() % ((1u << lanes) - 1));
    for (unsigned lane = lanes; lane-- > 0;)
      if ((chosen >> lane & 1u) != 0) text += static_cast<char>('0' + lane);
    return text;
  };
  for (const char* name : {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"})
    for (const unsigned lanes : {2u, 4u}) {
      std::vector<Written> all;
      for (unsigned i = 0; i < 96; ++i) {
        Written w;
        w.opcode = std::string(name) + (lanes == 4 ? "4" : "2");
        set_types(w, i);
        if (w.is_set()) w.compare = kCompares[i % 6];
        const unsigned after = i / 8 % 3;
        if (after == 1) w.second = "add";
        w.sat = after == 2 && !w.is_set();
        if (random() % 2 != 0) w.a = selector(lanes);
        if (random() % 2 != 0) w.b = selector(lanes);
        if (random() % 2 != 0) w.d = mask(lanes);
        all.push_back(w);
      }
      check(all, static_cast<std::uint32_t>(random()));
    }
}

/// add, min and max of two 16-bit integers in a register, and .relu, before or behind the type.
TEST(IsaVideo, PairsOf16BitIntegersAndRelu) {
  struct Packed {
    std::string opcode, type;
    bool relu = false;
  };
  std::vector<Packed> all;
  std::vector<std::string> texts;
  const auto add = [&](const Packed& packed, const std::string& modifiers) {
    all.push_back(packed);
    texts.push_back(packed.opcode + modifiers + " %r4, %r1, %r2;");
  };
  for (const char* opcode : {"add", "min", "max"})
    for (const char* type : {"u16x2", "s16x2"}) add({opcode, type}, std::string(".") + type);
  for (const char* opcode : {"min", "max"})
    for (const char* type : {"s16x2", "s32"}) {
      add({opcode, type, true}, std::string(".") + type + ".relu");
      add({opcode, type, true}, std::string(".relu.") + type);
    }
  check_texts(texts, 5, [&](std::size_t i, std::uint32_t a, std::uint32_t b, std::uint32_t) {
    const Packed& packed = all[i];
    const unsigned width = packed.type == "s32" ? 32 : 16;
    std::uint32_t result = 0;
    for (unsigned at = 0; at < 32; at += width) {
      const std::string sign = packed.type[0] == 's' ? "s32" : "u32";
      const Number x = extended(a >> at, width, sign), y = extended(b >> at, width, sign);
      Number value = packed.opcode == "add"   ? x + y
                     : packed.opcode == "min" ? std::min(x, y)
                                              : std::max(x, y);
      if (packed.relu) value = std::max(Number{0}, value);
      result = with_part(result, at, width, value);
    }
    return result;
  });
}

/// Worked by hand from the PTX ISA.
TEST(IsaVideo, WorkedExamples) {
  const auto of = [](const std::string& instruction, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto number = [](std::uint32_t value) { return std::to_string(value); };
    return run({.body = "mov.u32 %r1, " + number(a) + "; mov.u32 %r2, " + number(b) + "; mov.u32 %r3, " +
                        number(c) + "; " + instruction + " st.global.u32 [%out], %r4;",
                .shape = {{1, 1, 1}, {1, 1, 1}, 0},
                .words = 1})[0];
  };
  // Bytes wrap around; with .sat they stop at 255, or at -128 and 127.
  EXPECT_EQ(of("vadd4.u32.u32.u32 %r4, %r1, %r2, %r3;", 0xff01'7f80, 0x0102'0180, 0), 0x0003'8000u);
  EXPECT_EQ(of("vadd4.u32.u32.u32.sat %r4, %r1, %r2, %r3;", 0xff01'7f80, 0x0102'0180, 0), 0xff03'80ffu);
  EXPECT_EQ(of("vadd4.s32.s32.s32.sat %r4, %r1, %r2, %r3;", 0xff01'7f80, 0x0102'0180, 0), 0x0003'7f80u);
  EXPECT_EQ(of("vsub2.u32.u32.u32.sat %r4, %r1, %r2, %r3;", 0x0001'ffff, 0x0002'0001, 0), 0x0000'fffeu);
  // Averages round halves away from zero.
  EXPECT_EQ(of("vavrg4.s32.s32.s32 %r4, %r1, %r2, %r3;", 0x0000'02fe, 0x0000'03fd, 0), 0x0000'03fdu);
  // Sum of absolute differences: 1 + 2 + 3 + 255, added to 1000.
  EXPECT_EQ(of("vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3;", 0x0507'0900, 0x0405'0cff, 1000), 1261u);
  // Only bytes 3 and 1 are replaced; a's bytes in reverse order.
  EXPECT_EQ(of("vmax4.u32.u32.u32 %r4.b31, %r1.b0123, %r2, %r3;", 0x0102'0304, 0x0000'0000, 0xaabb'ccdd),
            0x04bb'02ddu);
  EXPECT_EQ(of("vset2.s32.s32.lt.add %r4, %r1, %r2, %r3;", 0xffff'0005, 0x0000'0005, 40), 41u);
  // A part of a signed operand is extended; the result is clamped to the part of d that it replaces.
  EXPECT_EQ(of("vadd.s32.s32.u32 %r4, %r1.b1, %r2.h1;", 0x0000'8000, 0x0001'0000, 0), 0xffff'ff81u);
  EXPECT_EQ(of("vadd.s32.s32.s32.sat %r4.b2, %r1, %r2, %r3;", 100, 100, 0x1122'3344), 0x117f'3344u);
  EXPECT_EQ(of("vsub.u32.u32.u32.sat.add %r4, %r1, %r2, %r3;", 3, 5, 7), 7u);
  EXPECT_EQ(of("vabsdiff.s32.s32.s32.max %r4, %r1, %r2, %r3;", 0xffff'fffe, 3, 0xffff'fff0), 5u);
  EXPECT_EQ(of("vshl.u32.u32.u32.clamp %r4, %r1, %r2;", 0xffff'ffff, 40, 0), 0u);
  EXPECT_EQ(of("vshl.u32.u32.u32.wrap %r4, %r1, %r2;", 1, 33, 0), 2u);
  EXPECT_EQ(of("vshr.s32.s32.u32.clamp %r4, %r1, %r2;", 0x8000'0000, 99, 0), 0xffff'ffffu);
  EXPECT_EQ(of("vmad.s32.s32.s32.sat.shr7 %r4, %r1.h0, -%r2.h0, %r3;", 1000, 64, 128), 0xffff'fe0du);
  EXPECT_EQ(of("vmad.u32.u32.u32.po.shr15 %r4, %r1, %r2, %r3;", 0x8000, 3, 0x7fff), 4u);
  // The type of d gives the intermediate result its sign (an H200 has these values).
  EXPECT_EQ(of("vmin.u32.s32.u32.min %r4, %r1.b2, %r2.b1, %r3;", 0x7fff'ffff, 1, 0x799d'a592), 0x799d'a592u);
  EXPECT_EQ(of("vmax.u32.s32.s32.max %r4, %r1.b0, %r2.b0, %r3;", 0x80, 0x80, 0x831b'ca72), 0xffff'ff80u);
  EXPECT_EQ(of("vshr.u32.s32.u32.wrap.max %r4, %r1.b1, %r2.h0, %r3;", 0x8000, 0, 0x4ff4'6343), 0xffff'ff80u);
  EXPECT_EQ(of("vadd.u32.s32.u32.min %r4, %r1.h0, %r2.b2, %r3;", 0x8000, 0, 0x4ff4'6343), 0x4ff4'6343u);
  EXPECT_EQ(of("vset.u32.u32.gt %r4.b3, %r1, %r2, %r3;", 9, 8, 0xffff'ffff), 0x01ff'ffffu);
}

}  // namespace
}  // namespace heddle::testing::isa_video_test
