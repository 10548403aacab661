#include "generator/templates.h"

#include <array>
#include <span>
#include <string_view>

#include "generator/operations.h"

namespace heddle::generator {

namespace {

// A pattern's tokens: $R $W $F $D $P a destination register of a pool, $r $w $f $d $p a source of it, $i a
// 32-bit and $l a 64-bit immediate, $s a shift amount, $a $b $c $e $g an offset into the thread's slots that
// is a multiple of 1, 2, 4, 8 or 16, $m an offset into local memory that is a multiple of 4. '|' separates
// instructions. Registers named in full are scratch: %s (32 bits), %x (64), %h (16), %y (f32), %q
// (predicate); every pattern writes them before it reads them.
using Pattern = std::string_view;

constexpr std::array kIntegerPatterns = std::to_array<Pattern>({
    "add.u32 $R, $r, $i",
    "add.s32 $R, $r, $r",
    "sub.s32 $R, $r, $r",
    "mul.lo.u32 $R, $r, $r",
    "mul.lo.s32 $R, $r, $i",
    "mad.lo.s32 $R, $r, $r, $r",
    "mad.lo.u32 $R, $r, $i, $r",
    "mul.hi.u32 $R, $r, $r",
    "mul.hi.s32 $R, $r, $i",
    "mad.hi.u32 $R, $r, $r, $r",
    "mul24.lo.s32 $R, $r, $r",
    "mul24.lo.u32 $R, $r, $r",
    "mad24.lo.s32 $R, $r, $r, $r",
    "and.b32 $R, $r, $r",
    "and.b32 $R, $r, $i",
    "or.b32 $R, $r, $r",
    "xor.b32 $R, $r, $r",
    "xor.b32 $R, $r, $i",
    "not.b32 $R, $r",
    "cnot.b32 $R, $r",
    "neg.s32 $R, $r",
    "abs.s32 $R, $r",
    "min.s32 $R, $r, $r",
    "max.s32 $R, $r, $i",
    "min.u32 $R, $r, $i",
    "max.u32 $R, $r, $r",
    "sad.u32 $R, $r, $r, $r",
    "sad.s32 $R, $r, $r, $r",
    "shl.b32 $R, $r, $s",
    "shr.u32 $R, $r, $s",
    "shr.s32 $R, $r, $s",
    "shl.b32 $R, $r, $r",
    "shr.s32 $R, $r, $r",
    "popc.b32 $R, $r",
    "clz.b32 $R, $r",
    "brev.b32 $R, $r",
    "bfind.u32 $R, $r",
    "bfind.s32 $R, $r",
    "bfe.u32 $R, $r, $s, $s",
    "bfe.s32 $R, $r, $s, $s",
    "bfi.b32 $R, $r, $r, $s, $s",
    "prmt.b32 $R, $r, $r, $r",
    "selp.b32 $R, $r, $r, $p",
    "selp.u32 $R, $r, $i, $p",
    "slct.s32.s32 $R, $r, $r, $r",
    "shf.l.wrap.b32 $R, $r, $r, $s",
    "shf.r.clamp.b32 $R, $r, $r, $r",
    "mov.u32 $R, $r",
    "mov.b32 $R, $f",
    "mov.b32 $R, $i",
    "set.lt.u32.s32 $R, $r, $r",
    "popc.b64 $R, $w",
    "clz.b64 $R, $w",
    "cvt.u32.u64 $R, $w",
    "cvt.s32.s8 $R, $r",
    "cvt.u32.u16 $R, $r",
    "cvt.rzi.s32.f32 $R, $f",
    "cvt.rni.s32.f32 $R, $f",
    "cvt.rmi.u32.f32 $R, $f",
    "cvt.sat.s8.s32 $R, $r",
    "setp.lt.s32 $P, $r, $r",
    "setp.ge.u32 $P, $r, $i",
    "setp.eq.and.s32 $P, $r, $r, $p",
    "setp.gt.or.u32 $P, $r, $r, !$p",
    "and.pred $P, $p, $p",
    "xor.pred $P, $p, $p",
    "not.pred $P, $p",
    "or.pred $P, $p, $p",
});

constexpr std::array kLongPatterns = std::to_array<Pattern>({
    "add.s64 $W, $w, $w",
    "sub.s64 $W, $w, $l",
    "mul.lo.s64 $W, $w, $w",
    "mul.hi.u64 $W, $w, $w",
    "mul.hi.s64 $W, $w, $w",
    "mad.lo.s64 $W, $w, $w, $w",
    "mul.wide.s32 $W, $r, $r",
    "mul.wide.u32 $W, $r, $i",
    "mad.wide.s32 $W, $r, $r, $w",
    "mad.wide.u32 $W, $r, $r, $w",
    "and.b64 $W, $w, $l",
    "or.b64 $W, $w, $w",
    "xor.b64 $W, $w, $w",
    "not.b64 $W, $w",
    "neg.s64 $W, $w",
    "abs.s64 $W, $w",
    "min.s64 $W, $w, $w",
    "max.u64 $W, $w, $w",
    "shl.b64 $W, $w, $s",
    "shr.u64 $W, $w, $s",
    "shr.s64 $W, $w, $r",
    "brev.b64 $W, $w",
    "bfe.u64 $W, $w, $s, $s",
    "bfi.b64 $W, $w, $w, $s, $s",
    "selp.b64 $W, $w, $w, $p",
    "cvt.u64.u32 $W, $r",
    "cvt.s64.s32 $W, $r",
    "mov.b64 $W, {$r, $r}",
    "mov.u64 $W, $w",
    "cvt.rzi.s64.f32 $W, $f",
    "setp.lt.s64 $P, $w, $w",
    "setp.ne.u64 $P, $w, $l",
    "slct.u64.s32 $W, $w, $w, $r",
    "cvt.rzi.u64.f64 $W, $d",
    "mov.b64 $W, $d",
});

constexpr std::array kFloatPatterns = std::to_array<Pattern>({
    "add.f32 $F, $f, $f",
    "sub.f32 $F, $f, $f",
    "mul.f32 $F, $f, $f",
    "fma.rn.f32 $F, $f, $f, $f",
    "add.rz.f32 $F, $f, $f",
    "mul.rp.f32 $F, $f, $f",
    "fma.rm.f32 $F, $f, $f, $f",
    "add.ftz.f32 $F, $f, $f",
    "mul.sat.f32 $F, $f, $f",
    "div.rn.f32 $F, $f, $f",
    "div.full.f32 $F, $f, $f",
    "rcp.rn.f32 $F, $f",
    "sqrt.rn.f32 $F, $f",
    "rsqrt.approx.f32 $F, $f",
    "min.f32 $F, $f, $f",
    "max.f32 $F, $f, $f",
    "max.ftz.f32 $F, $f, 0f3F000000",
    "abs.f32 $F, $f",
    "neg.f32 $F, $f",
    "copysign.f32 $F, $f, $f",
    "cvt.rn.f32.s32 $F, $r",
    "cvt.rz.f32.u32 $F, $r",
    "cvt.rn.f32.s64 $F, $w",
    "cvt.rn.f32.f64 $F, $d",
    "cvt.rzi.f32.f32 $F, $f",
    "selp.f32 $F, $f, $f, $p",
    "mov.f32 $F, $f",
    "mov.b32 $F, $r",
    "mov.f32 $F, 0f40490FDB",
    "setp.lt.f32 $P, $f, $f",
    "setp.neu.f32 $P, $f, $f",
    "setp.geu.or.f32 $P, $f, $f, $p",
    "testp.finite.f32 $P, $f",
    "slct.f32.f32 $F, $f, $f, $f",
    "set.gt.f32.f32 $F, $f, $f",
    "add.f64 $D, $d, $d",
    "sub.f64 $D, $d, $d",
    "mul.f64 $D, $d, $d",
    "fma.rn.f64 $D, $d, $d, $d",
    "div.rn.f64 $D, $d, $d",
    "cvt.f64.f32 $D, $f",
    "cvt.rn.f64.s32 $D, $r",
    "cvt.rn.f64.u64 $D, $w",
    "max.f64 $D, $d, $d",
    "neg.f64 $D, $d",
    "setp.le.f64 $P, $d, $d",
});

constexpr std::array kMemoryPatterns = std::to_array<Pattern>({
    "ld.global.u32 $R, [%own+$c]",
    "st.global.u32 [%own+$c], $r",
    "ld.global.s8 $R, [%own+$a]",
    "st.global.u8 [%own+$a], $r",
    "ld.global.u16 $R, [%own+$b]",
    "ld.global.s16 $R, [%own+$b]",
    "st.global.b16 [%own+$b], $r",
    "ld.global.u64 $W, [%own+$e]",
    "st.global.u64 [%own+$e], $w",
    "ld.global.f32 $F, [%own+$c]",
    "st.global.f32 [%own+$c], $f",
    "st.global.f64 [%own+$e], $d",
    "ld.global.v2.u32 {%r0, %r1}, [%own+$e]",
    "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%own+$g]",
    "st.global.v4.f32 [%own+$g], {$f, $f, $f, $f}",
    "st.global.v2.u64 [%own+$g], {$w, $w}",
    "st.u32 [%own+$c], $r",
    "ld.u64 $W, [%own+$e]",
    "st.volatile.global.u32 [%own+$c], $r",
    "ld.local.u32 $R, [%loc+$m]",
    "st.local.u32 [%loc+$m], $r",
    "st.local.f32 [%loc+$m], $f",
    "ld.local.s16 $R, [%loc+$m]",
});

// Several instructions; kept apart because a guard on each of them would leave their scratch registers
// unwritten.
constexpr std::array kCompoundPatterns = std::to_array<Pattern>({
    "or.b32 %s0, $r, 1|div.s32 $R, $r, %s0",
    "or.b32 %s0, $r, 1|rem.u32 $R, $r, %s0",
    "or.b32 %s0, $r, 8|div.u32 $R, $r, %s0",
    "or.b64 %x0, $w, 3|rem.s64 $W, $w, %x0",
    "or.b64 %x0, $w, 1|div.u64 $W, $w, %x0",
    "and.b32 %s0, $r, 31|shl.b32 $R, $r, %s0",
    "setp.gt.s32 %q, $r, $r|selp.b32 $R, $r, $r, %q",
    "setp.lt.s32 %q|$P, $r, $i|selp.b32 $R, $r, $r, %q",
    "setp.lt.f32 %q, $f, $f|selp.f32 $F, $f, $f, %q",
    "mov.b64 {%s0, %s1}, $w|xor.b32 $R, %s0, %s1",
    "mov.b32 {%h0, %h1}, $r|add.u16 %h2, %h0, %h1|cvt.u32.u16 $R, %h2",
    "cvt.u16.u32 %h0, $r|cvt.u16.u32 %h1, $r|mul.wide.u16 $R, %h0, %h1",
    "cvt.u16.u32 %h0, $r|mul.lo.s16 %h1, %h0, 77|shr.s16 %h1, %h1, 3|cvt.s32.s16 $R, %h1",
    "mov.b32 {%h0, %h1}, $r|mov.b32 $R, {%h1, %h0}",
    "setp.ne.u32 %q, $r, 0|@%q add.s32 $R, $r, $i",
    "setp.gt.f32 %q, $f, 0f3F800000|@!%q mul.f32 $F, $f, 0f3FC00000",
    "and.b32 %s0, $r, 1023|cvt.rn.f32.u32 %y0, %s0|add.f32 $F, $f, %y0",
    "and.b32 %s0, $r, 255|mul.wide.u32 %x0, %s0, 4|add.s64 %x0, %in, %x0|ld.global.u32 $R, [%x0]",
    "and.b32 %s0, $r, 255|mul.wide.u32 %x0, %s0, 4|add.s64 %x0, %in, %x0|ld.global.nc.u32 $R, [%x0]",
    "and.b32 %s0, $r, 63|mul.wide.u32 %x0, %s0, 16|add.s64 %x0, %in, %x0|ld.global.v4.u32 {%r0, %r1, %r2, "
    "%r3}, [%x0]",
    "and.b32 %s0, $r, 127|mul.wide.u32 %x0, %s0, 8|add.s64 %x0, %in, %x0|ld.global.u64 $W, [%x0]",
    "and.b32 %s0, $r, 15|mul.wide.u32 %x0, %s0, 4|mov.u64 %x1, table|add.s64 %x0, %x1, %x0|ld.const.u32 $R, "
    "[%x0]",
    "and.b32 %s0, $r, 15|mul.wide.u32 %x0, %s0, 4|add.s64 %x0, %own, %x0|ld.global.u32 $R, [%x0]",
    "and.b32 %s0, $r, 15|mul.wide.u32 %x0, %s0, 4|add.s64 %x0, %own, %x0|st.global.u32 [%x0], $r",
    "and.b32 %s0, $r, 7|mul.wide.u32 %x0, %s0, 4|add.s64 %x0, %loc, %x0|st.local.u32 [%x0], $r",
    "and.b32 %s0, $r, 7|mul.wide.u32 %x0, %s0, 4|add.s64 %x0, %loc, %x0|ld.local.u32 $R, [%x0]",
    "add.s64 %x0, %loc, 8|cvta.local.u64 %x0, %x0|ld.u32 $R, [%x0]",
});

// Counters are commutative because each is updated by one kind of operation, and nobody reads the old value
// (%s3).
constexpr std::array kCounterPatterns = std::to_array<Pattern>({
    "red.global.add.u32 [%cnt], $r",
    "atom.global.add.u32 %s3, [%cnt+4], 1",
    "red.global.min.s32 [%cnt+8], $r",
    "red.global.max.u32 [%cnt+12], $r",
    "red.global.and.b32 [%cnt+16], $r",
    "red.global.or.b32 [%cnt+20], $r",
    "atom.global.xor.b32 %s3, [%cnt+24], $r",
    "atom.global.min.u32 %s3, [%cnt+28], $r",
    "atom.add.u32 %s3, [%cnt+32], $r",
    "atom.global.inc.u32 %s3, [%cnt+36], 1000",
    "red.global.add.u64 [%cnt+64], $w",
    "red.global.max.s64 [%cnt+72], $w",
    "atom.global.xor.b64 %x3, [%cnt+80], $w",
    "and.b32 %s0, $r, 63|cvt.rn.f32.u32 %y0, %s0|red.global.add.f32 [%cnt+40], %y0",
    "and.b32 %s0, $r, 7|mul.wide.u32 %x0, %s0, 4|add.s64 %x0, %cnt, %x0|red.global.add.u32 [%x0+96], 3",
});

constexpr std::array kSharedCounterPatterns = std::to_array<Pattern>({
    "red.shared.add.u32 [tally], $r",
    "atom.shared.max.s32 %s3, [tally+4], $r",
    "red.shared.xor.b32 [tally+8], $r",
    "atom.shared.add.u32 %s3, [tally+12], 1",
    "red.shared.or.b32 [tally+16], $r",
    "red.shared.min.u32 [tally+20], $r",
    "and.b32 %s0, $r, 7|shl.b32 %s0, %s0, 2|mov.u32 %s1, tally|add.u32 %s0, %s0, %s1|red.shared.add.u32 "
    "[%s0+32], 5",
});

constexpr std::array kWarpPatterns = std::to_array<Pattern>({
    "shfl.sync.bfly.b32 $R|%q, $r, 1, 31, -1",
    "shfl.sync.idx.b32 $R|%q, $r, 5, 31, -1",
    "shfl.sync.up.b32 $R|%q, $r, 3, 0, -1",
    "shfl.sync.down.b32 $R|$P, $r, 7, 31, -1",
    "shfl.sync.bfly.b32 $R, $r, $r, 0x1803, -1",
    "shfl.sync.idx.b32 $R, $r, $r, 31, -1",
    "vote.sync.ballot.b32 $R, $p, -1",
    "vote.sync.any.pred $P, $p, -1",
    "vote.sync.all.pred $P, !$p, -1",
});

constexpr std::array kBarrierPatterns = std::to_array<Pattern>({
    "bar.red.popc.u32 $R, 0, $p",
    "bar.red.and.pred $P, 1, $p",
    "bar.red.or.pred $P, 0, !$p",
    "barrier.cta.red.popc.aligned.u32 $R, 2, !$p",
    "bar.sync 3|barrier.sync 0",
});

constexpr std::array kConditions = std::to_array<Pattern>({
    "setp.lt.s32 @, $r, $r",
    "setp.gt.s32 @, $r, $i",
    "setp.lo.u32 @, $r, $r",
    "setp.eq.s32 @, %s0, 0",
    "setp.lt.f32 @, $f, $f",
    "setp.gtu.f32 @, $f, $f",
    "setp.ge.s64 @, $w, $w",
    "setp.ne.and.s32 @, $r, $r, $p",
    "setp.lt.xor.u32 @, $r, $r, $p",
    "setp.lt.s32 @, %me, $t",
    "setp.eq.u32 @, %s0, 0",
    "setp.lo.u32 @, %s0, 12",
});

std::string numbered(std::string_view prefix, unsigned number) {
  return std::string(prefix) + std::to_string(number);
}

std::string token(RandomSource& random, char which) {
  switch (which) {
    case 'R':
    case 'r':
      return numbered("%r", random.below(kWords));
    case 'W':
    case 'w':
      return numbered("%w", random.below(kLongs));
    case 'F':
    case 'f':
      return numbered("%f", random.below(kFloats));
    case 'D':
    case 'd':
      return numbered("%d", random.below(kDoubles));
    case 'P':
    case 'p':
      return numbered("%p", random.below(kPredicates));
    case 'i':
      return std::to_string(random.chance(70) ? static_cast<std::int32_t>(random.below(64)) - 16
                                              : static_cast<std::int32_t>(random.next()));
    case 'l':
      return std::to_string(random.chance(50) ? static_cast<std::int64_t>(random.below(64)) - 16
                                              : static_cast<std::int64_t>(random.next() >> 1));
    case 's':
      return std::to_string(random.below(random.chance(90) ? 32 : 70));
    case 't':
      return std::to_string(random.below(96));
    case 'a':
      return std::to_string(random.below(kSlotBytes));
    case 'b':
      return std::to_string(random.below(kSlotBytes / 2) * 2);
    case 'c':
      return std::to_string(random.below(kSlotBytes / 4) * 4);
    case 'e':
      return std::to_string(random.below(kSlotBytes / 8) * 8);
    case 'g':
      return std::to_string(random.below(kSlotBytes / 16) * 16);
    case 'm':
      return std::to_string(random.below(kLocalBytes / 4) * 4);
    default:
      return {};
  }
}

std::string filled(RandomSource& random, Pattern pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$')
      text += token(random, pattern[++i]);
    else
      text += pattern[i];
  }
  return text;
}

/// '|' between two instructions stands after an operand and before an opcode; in `p|q` a register follows.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = text[i] == '|' && text[i + 1] != '%';
    if (between)
      lines.emplace_back();
    else
      lines.back() += text[i];
  }
  for (std::string& line : lines) line += ';';
  return lines;
}

std::vector<std::string> one_of(RandomSource& random, std::span<const Pattern> patterns) {
  return split(filled(random, patterns[random.below(static_cast<std::uint32_t>(patterns.size()))]));
}

}  // namespace

std::vector<std::string> random_simple_lines(RandomSource& random, const PatternOptions& options) {
  if (options.operations && random.chance(75))
    return random.chance(75) ? random_operation(random) : random_own_access(random, options.barriers);
  const std::uint32_t kind = random.below(100);
  if (kind < 40) return one_of(random, kIntegerPatterns);
  if (kind < 60) return one_of(random, kLongPatterns);
  if (kind < 80) return one_of(random, kFloatPatterns);
  return one_of(random, kMemoryPatterns);
}

std::vector<std::string> random_lines(RandomSource& random, const PatternOptions& options) {
  const std::uint32_t kind = random.below(100);
  if (kind < (options.operations ? 78u : 60u)) return random_simple_lines(random, options);
  if (kind < 88) return one_of(random, kCompoundPatterns);
  if (kind < 94 && options.barriers) return one_of(random, kSharedCounterPatterns);
  return one_of(random, kCounterPatterns);
}

std::vector<std::string> random_warp_lines(RandomSource& random, const PatternOptions& options) {
  if (options.operations && random.chance(75)) return random_warp_operation(random);
  return one_of(random, kWarpPatterns);
}

std::vector<std::string> random_barrier_lines(RandomSource& random) {
  return one_of(random, kBarrierPatterns);
}

std::string random_condition(RandomSource& random) {
  std::string text = filled(random, kConditions[random.below(kConditions.size())]);
  // Conditions on %s0 look at a few low bits of data, so that both sides are taken.
  if (text.find("%s0") != std::string::npos) {
    const std::string word = numbered("%r", random.below(kWords));
    const std::string mask = std::to_string(random.pick<unsigned>({1, 3, 7, 28}));
    text = "and.b32 %s0, " + word + ", " + mask + ";\n\t" + text;
  }
  return text + ";";
}

}  // namespace heddle::generator
