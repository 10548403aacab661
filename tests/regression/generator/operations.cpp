#include "generator/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "generator/templates.h"

namespace heddle::generator {

namespace {

/// A pattern for each of some types. Tokens: $T the type, $X and $x a destination and a source of its
/// register pool, $V and $v those of twice its width; $R/$r, $W/$w, $F/$f, $D/$d, $K/$k, $P/$p of a certain
/// pool; $U two different predicates p|q; $2 and $3 two and four different destinations in braces, $4 and $5
/// two and four sources; $c a comparison that the type has, $y one of floats, $b .and .or or .xor; $m a
/// rounding mode, $z .ftz or nothing, $a .sat or nothing; $i an immediate, $s a shift
/// amount, $l a table of lop3; $o, $O and $Q an offset into the thread's slots for one, two and four elements
/// of the type, $e the same into local memory; $C and $S a cache operator of loads and of stores. '|'
/// separates instructions.
struct Form {
  std::string_view pattern;
  std::string_view types;  ///< separated by blanks
};

constexpr std::string_view kIntegers = "u16 s16 u32 s32 u64 s64";
constexpr std::string_view kBits = "b16 b32 b64";
constexpr std::string_view kWide = "u32 s32 u64 s64";

constexpr std::array kIntegerForms = std::to_array<Form>({
    {"add.$T $X, $x, $x", kIntegers},
    {"sub.$T $X, $x, $x", kIntegers},
    {"add.sat.s32 $R, $r, $r", "s32"},
    {"sub.sat.s32 $R, $r, $r", "s32"},
    {"mul.lo.$T $X, $x, $x", kIntegers},
    {"mul.hi.$T $X, $x, $x", kIntegers},
    {"mul.wide.$T $V, $x, $x", "u16 s16 u32 s32"},
    {"mad.lo.$T $X, $x, $x, $x", kIntegers},
    {"mad.hi.$T $X, $x, $x, $x", kIntegers},
    {"mad.hi.sat.s32 $R, $r, $r, $r", "s32"},
    {"mad.wide.$T $V, $x, $x, $v", "u16 s16 u32 s32"},
    {"mul24.lo.$T $R, $r, $r", "u32 s32"},
    {"mul24.hi.$T $R, $r, $r", "u32 s32"},
    {"mad24.lo.$T $R, $r, $r, $r", "u32 s32"},
    {"mad24.hi.$T $R, $r, $r, $r", "u32 s32"},
    {"mad24.hi.sat.s32 $R, $r, $r, $r", "s32"},
    {"sad.$T $X, $x, $x, $x", kIntegers},
    {"min.$T $X, $x, $x", kIntegers},
    {"max.$T $X, $x, $x", kIntegers},
    {"abs.$T $X, $x", "s16 s32 s64"},
    {"neg.$T $X, $x", "s16 s32 s64"},
    {"add.cc.$T $X, $x, $x|addc.cc.$T $X, $x, $x|addc.$T $X, $x, $x", kWide},
    {"sub.cc.$T $X, $x, $x|subc.cc.$T $X, $x, $x|subc.$T $X, $x, $x", kWide},
    {"mad.lo.cc.$T $X, $x, $x, $x|madc.hi.cc.$T $X, $x, $x, $x|madc.lo.$T $X, $x, $x, $x", kWide},
    {"mad.hi.cc.$T $X, $x, $x, $x|addc.$T $X, $x, $x", kWide},
    {"dp4a.$T.u32 $R, $r, $r, $r", "u32 s32"},
    {"dp4a.$T.s32 $R, $r, $r, $r", "u32 s32"},
    {"dp2a.lo.$T.u32 $R, $r, $r, $r", "u32 s32"},
    {"dp2a.hi.$T.s32 $R, $r, $r, $r", "u32 s32"},
});

constexpr std::array kBitForms = std::to_array<Form>({
    {"and.$T $X, $x, $x", "b16 b32 b64 pred"},
    {"or.$T $X, $x, $x", "b16 b32 b64 pred"},
    {"xor.$T $X, $x, $x", "b16 b32 b64 pred"},
    {"not.$T $X, $x", "b16 b32 b64 pred"},
    {"cnot.$T $X, $x", kBits},
    {"lop3.b32 $R, $r, $r, $r, $l", "b32"},
    {"lop3.and.b32 $R|$P, $r, $r, $r, $l, $p", "b32"},
    {"lop3.or.b32 $R|$P, $r, $r, $r, $l, $p", "b32"},
    {"shl.$T $X, $x, $s", kBits},
    {"shl.$T $X, $x, $r", kBits},
    {"shr.$T $X, $x, $s", "b16 b32 b64 u16 s16 u32 s32 u64 s64"},
    {"shr.$T $X, $x, $r", "b16 b32 b64 u16 s16 u32 s32 u64 s64"},
    {"shf.l.wrap.b32 $R, $r, $r, $r", "b32"},
    {"shf.l.clamp.b32 $R, $r, $r, $r", "b32"},
    {"shf.r.wrap.b32 $R, $r, $r, $s", "b32"},
    {"shf.r.clamp.b32 $R, $r, $r, $s", "b32"},
    {"popc.$T $R, $x", "b32 b64"},
    {"clz.$T $R, $x", "b32 b64"},
    {"brev.$T $X, $x", "b32 b64"},
    {"bfind.$T $R, $x", kWide},
    {"bfind.shiftamt.$T $R, $x", kWide},
    {"bfe.$T $X, $x, $s, $s", kWide},
    {"bfe.$T $X, $x, $r, $r", kWide},
    {"bfi.$T $X, $x, $x, $s, $s", "b32 b64"},
    {"bfi.$T $X, $x, $x, $r, $r", "b32 b64"},
    {"fns.b32 $R, $r, 0, 3", "b32"},
    {"fns.b32 $R, $r, 31, -2", "b32"},
    {"fns.b32 $R, $r, 7, $i", "b32"},
    {"szext.wrap.$T $R, $r, $r", "u32 s32"},
    {"szext.clamp.$T $R, $r, $s", "u32 s32"},
    {"bmsk.wrap.b32 $R, $r, $r", "b32"},
    {"bmsk.clamp.b32 $R, $s, $s", "b32"},
    {"prmt.b32 $R, $r, $r, $r", "b32"},
    {"prmt.b32.f4e $R, $r, $r, $r", "b32"},
    {"prmt.b32.b4e $R, $r, $r, $r", "b32"},
    {"prmt.b32.rc8 $R, $r, $r, $r", "b32"},
    {"prmt.b32.ecl $R, $r, $r, $r", "b32"},
    {"prmt.b32.ecr $R, $r, $r, $r", "b32"},
    {"prmt.b32.rc16 $R, $r, $r, $r", "b32"},
});

constexpr std::array kFloatForms = std::to_array<Form>({
    {"add.$m$z$a.f32 $F, $f, $f", "f32"},
    {"sub.$m$z$a.f32 $F, $f, $f", "f32"},
    {"mul.$m$z$a.f32 $F, $f, $f", "f32"},
    {"fma.$m$z$a.f32 $F, $f, $f, $f", "f32"},
    {"mad.$m$z$a.f32 $F, $f, $f, $f", "f32"},
    {"div.$m$z.f32 $F, $f, $f", "f32"},
    {"rcp.$m$z.f32 $F, $f", "f32"},
    {"sqrt.$m$z.f32 $F, $f", "f32"},
    {"div.approx$z.f32 $F, $f, $f", "f32"},
    {"div.full$z.f32 $F, $f, $f", "f32"},
    {"rcp.approx$z.f32 $F, $f", "f32"},
    {"sqrt.approx$z.f32 $F, $f", "f32"},
    {"rsqrt.approx$z.f32 $F, $f", "f32"},
    {"sin.approx$z.f32 $F, $f", "f32"},
    {"cos.approx$z.f32 $F, $f", "f32"},
    {"lg2.approx$z.f32 $F, $f", "f32"},
    {"ex2.approx$z.f32 $F, $f", "f32"},
    {"tanh.approx.f32 $F, $f", "f32"},
    {"min$z.f32 $F, $f, $f", "f32"},
    {"max$z.f32 $F, $f, $f", "f32"},
    {"abs$z.f32 $F, $f", "f32"},
    {"neg$z.f32 $F, $f", "f32"},
    {"copysign.$T $X, $x, $x", "f32 f64"},
    {"add.$m.f64 $D, $d, $d", "f64"},
    {"sub.$m.f64 $D, $d, $d", "f64"},
    {"mul.$m.f64 $D, $d, $d", "f64"},
    {"fma.$m.f64 $D, $d, $d, $d", "f64"},
    {"mad.$m.f64 $D, $d, $d, $d", "f64"},
    {"div.$m.f64 $D, $d, $d", "f64"},
    {"rcp.$m.f64 $D, $d", "f64"},
    {"sqrt.$m.f64 $D, $d", "f64"},
    {"rcp.approx.ftz.f64 $D, $d", "f64"},
    {"rsqrt.approx.f64 $D, $d", "f64"},
    {"rsqrt.approx.ftz.f64 $D, $d", "f64"},
    {"min.f64 $D, $d, $d", "f64"},
    {"max.f64 $D, $d, $d", "f64"},
    {"abs.f64 $D, $d", "f64"},
    {"neg.f64 $D, $d", "f64"},
    {"testp.finite.$T $P, $x", "f32 f64"},
    {"testp.infinite.$T $P, $x", "f32 f64"},
    {"testp.number.$T $P, $x", "f32 f64"},
    {"testp.notanumber.$T $P, $x", "f32 f64"},
    {"testp.normal.$T $P, $x", "f32 f64"},
    {"testp.subnormal.$T $P, $x", "f32 f64"},
});

constexpr std::array kHalfForms = std::to_array<Form>({
    {"add$z$a.$T $X, $x, $x", "f16 f16x2"},
    {"sub$z$a.$T $X, $x, $x", "f16 f16x2"},
    {"mul$z$a.$T $X, $x, $x", "f16 f16x2"},
    {"add.rn$z$a.$T $X, $x, $x", "f16 f16x2"},
    {"fma.rn$z$a.$T $X, $x, $x, $x", "f16 f16x2"},
    {"abs$z.$T $X, $x", "f16 f16x2"},
    {"neg$z.$T $X, $x", "f16 f16x2"},
    {"ex2.approx.$T $X, $x", "f16 f16x2"},
    {"tanh.approx.$T $X, $x", "f16 f16x2"},
    {"setp.$y$z.f16x2 $U, $r, $r", "f16x2"},
    {"setp.$y$b$z.f16x2 $U, $r, $r, $p", "f16x2"},
    {"set.$y$z.f16x2.f16x2 $R, $r, $r", "f16x2"},
    {"set.$y$z.$T.f16 $X, $k, $k", "f16 u16 s16 u32 s32"},
    {"cvt.rn.f16.f32 $K, $f", "f16"},
    {"cvt.rn.f16x2.f32 $R, $f, $f", "f16x2"},
    {"mov.b32 $R, {$k, $k}", "b32"},
});

constexpr std::array kGeneralForms = std::to_array<Form>({
    {"setp.$c.$T $U, $x, $x", "u16 s16 b16 u32 s32 b32 u64 s64 b64 f16 f32 f64"},
    {"setp.$c$b.$T $U, $x, $x, $p", "u16 s16 b16 u32 s32 b32 u64 s64 b64 f16 f32 f64"},
    {"setp.$c$b.$T $P, $x, $x, !$p", "u16 s16 u32 s32 u64 s64 f32 f64"},
    {"setp.$c$z.$T $U, $x, $x", "f16 f32"},
    {"set.$c.u32.$T $R, $x, $x", "u16 s16 b16 u32 s32 b32 u64 s64 b64 f16 f32 f64"},
    {"set.$c$b.s32.$T $R, $x, $x, $p", "u16 s16 b16 u32 s32 b32 u64 s64 b64 f32 f64"},
    {"set.$c.f32.$T $F, $x, $x", "u16 s16 b16 u32 s32 b32 u64 s64 b64 f32 f64"},
    {"selp.$T $X, $x, $x, $p", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64"},
    {"slct.$T.s32 $X, $x, $x, $r", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64"},
    {"slct$z.$T.f32 $X, $x, $x, $f", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64"},
    {"mov.$T $X, $x", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64 pred"},
    {"mov.b64 $W, {$k, $k, $k, $k}", "b64"},
    {"mov.b64 {%k0, %k1, %k2, %k3}, $w", "b64"},
    {"mov.b32 {%k1, %k3}, $r", "b32"},
    {"mov.b64 {%r2, %r5}, $d", "b64"},
    {"mov.b64 $D, {$r, $r}", "b64"},
    {"cvt.pack.sat.u16.s32 $R, $r, $r", "b32"},
    {"cvt.pack.sat.s16.s32 $R, $r, $r", "b32"},
    {"cvt.pack.sat.u8.s32.b32 $R, $r, $r, $r", "b32"},
    {"cvt.pack.sat.s8.s32.b32 $R, $r, $r, $r", "b32"},
    {"cvt.pack.sat.u4.s32.b32 $R, $r, $r, $r", "b32"},
    {"cvt.pack.sat.s4.s32.b32 $R, $r, $r, $r", "b32"},
    {"cvt.pack.sat.u2.s32.b32 $R, $r, $r, $r", "b32"},
    {"cvt.pack.sat.s2.s32.b32 $R, $r, $r, $r", "b32"},
});

constexpr std::string_view kMemoryTypes = "u8 s8 b8 u16 s16 b16 u32 s32 b32 u64 s64 b64 f32 f64";
constexpr std::array kAccessForms = std::to_array<Form>({
    {"ld.global$C.$T $X, [%own+$o]", kMemoryTypes},
    {"st.global$S.$T [%own+$o], $x", kMemoryTypes},
    {"ld.$T $X, [%own+$o]", kMemoryTypes},
    {"st.$T [%own+$o], $x", kMemoryTypes},
    {"ld.relaxed.gpu.global.$T $X, [%own+$o]", kMemoryTypes},
    {"st.relaxed.sys.global.$T [%own+$o], $x", kMemoryTypes},
    {"st.release.cta.global.$T [%own+$o], $x|ld.acquire.gpu.global.$T $X, [%own+$o]", "u32 b64 f32"},
    {"ld.volatile.global.$T $X, [%own+$o]", kMemoryTypes},
    {"ld.local.$T $X, [%loc+$e]", kMemoryTypes},
    {"st.local.$T [%loc+$e], $x", kMemoryTypes},
    {"ld.global.v2.$T $2, [%own+$O]", "u8 u16 s32 b64 f32 f64"},
    {"st.global.v2.$T [%own+$O], $4", "u8 u16 s32 b64 f32 f64"},
    {"ld.global.v4.$T $3, [%own+$Q]", "u8 s16 u32 f32"},
    {"st.global.v4.$T [%own+$Q], $5", "u8 s16 u32 f32"},
    {"st.local.v2.$T [%loc], $4", "u16 u32 f32 u64"},
    {"ld.local.v4.$T $3, [%loc+16]", "u16 u32 f32"},
    {"atom.global.add.$T $X, [%own+$o], $x", "u32 s32 u64 s64 f32 f64"},
    {"atom.add.noftz.$T $X, [%own+$o], $x", "f16 f16x2"},
    {"atom.global.min.$T $X, [%own+$o], $x", kWide},
    {"atom.global.max.$T $X, [%own+$o], $x", kWide},
    {"atom.relaxed.gpu.global.and.$T $X, [%own+$o], $x", "b32 b64"},
    {"atom.acq_rel.sys.global.or.$T $X, [%own+$o], $x", "b32 b64"},
    {"atom.global.xor.$T $X, [%own+$o], $x", "b32 b64"},
    {"atom.exch.$T $X, [%own+$o], $x", "b32 b64"},
    {"atom.global.cas.$T $X, [%own+$o], $x, $x", "b16 b32 b64"},
    {"ld.global.$T $X, [%own+$o]|atom.global.cas.$T $X, [%own+$o], $x, $x", "b32 b64"},
    {"atom.global.inc.u32 $R, [%own+$o], $r", "u32"},
    {"atom.global.dec.u32 $R, [%own+$o], $r", "u32"},
    {"red.global.add.$T [%own+$o], $x", "u32 s32 u64 s64 f32 f64"},
    {"red.global.xor.$T [%own+$o], $x", "b32 b64"},
    {"red.relaxed.cta.global.inc.u32 [%own+$o], $r", "u32"},
    {"prefetch.global.L1 [%own+$o]|prefetch.global.L2 [%in]", "u32"},
});
constexpr std::array kSharedForms = std::to_array<Form>({
    {"st.shared.$T [%mine], $x", "u8 u16 u32 s32 b32 f32"},
    {"ld.shared.$T $X, [%mine]", "u8 s8 u16 s16 u32 s32 f32"},
    {"st.volatile.shared.$T [%mine+2], $x|ld.volatile.shared.$T $X, [%mine+2]", "u8 u16 b16"},
    {"atom.shared.add.$T $X, [%mine], $x", "u32 s32 f32"},
    {"atom.shared.add.noftz.$T $X, [%mine], $x", "f16 f16x2"},
    {"atom.shared.cas.$T $X, [%mine], $x, $x", "b16 b32"},
    {"atom.shared.exch.b32 $R, [%mine], $r", "b32"},
    {"atom.shared.inc.u32 $R, [%mine], $r", "u32"},
    {"atom.shared.dec.u32 $R, [%mine], $r", "u32"},
    {"red.shared.max.$T [%mine], $x", "u32 s32"},
    {"atom.shared.or.b32 $R, [%mine], $r", "b32"},
});

constexpr std::array kWarpForms = std::to_array<Form>({
    {"shfl.sync.bfly.b32 $R|$P, $r, $r, 31, -1", "b32"},
    {"shfl.sync.up.b32 $R|$P, $r, $r, 0, -1", "b32"},
    {"shfl.sync.down.b32 $R|$P, $r, $s, 0x1c1f, -1", "b32"},
    {"shfl.sync.idx.b32 $R, $r, $r, 0x180f, -1", "b32"},
    {"shfl.sync.bfly.b32 $F|$P, $f, 16, 31, -1", "b32"},
    {"vote.sync.ballot.b32 $R, $p, -1", "b32"},
    {"vote.sync.any.pred $P, !$p, -1", "b32"},
    {"vote.sync.all.pred $P, $p, -1", "b32"},
    {"vote.sync.uni.pred $P, $p, -1", "b32"},
    {"match.any.sync.$T $R, $x, -1", "b32 b64"},
    {"match.all.sync.$T $R|$P, $x, -1", "b32 b64"},
    {"redux.sync.add.$T $R, $r, -1", "u32 s32"},
    {"redux.sync.min.$T $R, $r, -1", "u32 s32"},
    {"redux.sync.max.$T $R, $r, -1", "u32 s32"},
    {"redux.sync.and.b32 $R, $r, -1", "b32"},
    {"redux.sync.or.b32 $R, $r, -1", "b32"},
    {"redux.sync.xor.b32 $R, $r, -1", "b32"},
    {"bar.warp.sync -1", "b32"},
    {"activemask.b32 $R", "b32"},
});

struct Pool {
  std::string_view prefix;
  unsigned count;
};

unsigned bits_of(std::string_view type) {
  if (type == "pred") return 1;
  if (type == "f16x2") return 32;
  return static_cast<unsigned>(std::stoul(std::string(type.substr(1))));
}

bool is_float(std::string_view type) { return type[0] == 'f'; }

Pool pool_of(std::string_view type) {
  if (type == "pred") return {"%p", kPredicates};
  if (type == "f32") return {"%f", kFloats};
  if (type == "f64") return {"%d", kDoubles};
  const unsigned bits = bits_of(type);
  if (bits <= 16) return {"%k", kHalves};
  return bits == 32 ? Pool{"%r", kWords} : Pool{"%w", kLongs};
}

class Filler {
 public:
  Filler(RandomSource& random, std::string_view type) : random_(random), type_(type) {}

  std::string fill(std::string_view pattern) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '$')
        text += token(pattern[++i]);
      else
        text += pattern[i];
    }
    return text;
  }

 private:
  std::string one(Pool pool) { return fmt::format("{}{}", pool.prefix, random_.below(pool.count)); }
  std::string different(Pool pool, unsigned count) {
    const unsigned first = random_.below(pool.count);
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += fmt::format("{}{}{}", i == 0 ? "" : ", ", pool.prefix, (first + i) % pool.count);
    text += "}";
    return text;
  }
  std::string several(Pool pool, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", one(pool));
    text += "}";
    return text;
  }
  std::string offset(unsigned elements, unsigned bytes_there) {
    const unsigned bytes = std::max(1u, bits_of(type_) / 8) * elements;
    return std::to_string(random_.below(bytes_there / bytes) * bytes);
  }
  std::string float_comparison() {
    return random_.pick<const char*>(
        {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  }
  std::string comparison() {
    if (is_float(type_)) return float_comparison();
    if (type_[0] == 'b') return random_.pick<const char*>({"eq", "ne"});
    if (type_[0] == 'u')
      return random_.pick<const char*>({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"});
    return random_.pick<const char*>({"eq", "ne", "lt", "le", "gt", "ge"});
  }

  std::string token(char which) {
    switch (which) {
      case 'T':
        return std::string(type_);
      case 'X':
      case 'x':
        return one(pool_of(type_));
      case 'V':
      case 'v':
        return one(bits_of(type_) == 16 ? Pool{"%r", kWords} : Pool{"%w", kLongs});
      case 'R':
      case 'r':
        return one({"%r", kWords});
      case 'W':
      case 'w':
        return one({"%w", kLongs});
      case 'F':
      case 'f':
        return one({"%f", kFloats});
      case 'D':
      case 'd':
        return one({"%d", kDoubles});
      case 'K':
      case 'k':
        return one({"%k", kHalves});
      case 'P':
      case 'p':
        return one({"%p", kPredicates});
      case 'U': {
        const unsigned first = random_.below(kPredicates);
        return fmt::format("%p{}|%p{}", first, (first + 1 + random_.below(kPredicates - 1)) % kPredicates);
      }
      case '2':
        return different(pool_of(type_), 2);
      case '3':
        return different(pool_of(type_), 4);
      case '4':
        return several(pool_of(type_), 2);
      case '5':
        return several(pool_of(type_), 4);
      case 'c':
        return comparison();
      case 'y':
        return float_comparison();
      case 'b':
        return random_.pick<const char*>({".and", ".or", ".xor"});
      case 'm':
        return random_.pick<const char*>({"rn", "rz", "rm", "rp"});
      case 'z':
        return random_.pick<const char*>({"", ".ftz"});
      case 'a':
        return random_.pick<const char*>({"", "", ".sat"});
      case 'i':
        return std::to_string(static_cast<std::int32_t>(random_.below(66)) - 33);
      case 's':
        return std::to_string(random_.below(random_.chance(85) ? 32 : 70));
      case 'l':
        return std::to_string(random_.below(256));
      case 'o':
        return offset(1, kSlotBytes);
      case 'O':
        return offset(2, kSlotBytes);
      case 'Q':
        return offset(4, kSlotBytes);
      case 'e':
        return offset(1, kLocalBytes);
      case 'C':
        return random_.pick<const char*>({"", ".ca", ".cg", ".cs", ".lu", ".cv"});
      case 'S':
        return random_.pick<const char*>({"", ".wb", ".cg", ".cs", ".wt"});
      default:
        return {};
    }
  }
  RandomSource& random_;
  std::string_view type_;
};

std::vector<std::string> separated(const std::string& text) {
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

std::vector<std::string> one_of(RandomSource& random, std::span<const Form> forms) {
  const Form& form = forms[random.below(static_cast<std::uint32_t>(forms.size()))];
  const auto count = static_cast<std::uint32_t>(std::count(form.types.begin(), form.types.end(), ' ') + 1);
  std::string_view rest = form.types;
  for (std::uint32_t skip = random.below(count); skip > 0; --skip) rest = rest.substr(rest.find(' ') + 1);
  return separated(Filler(random, rest.substr(0, rest.find(' '))).fill(form.pattern));
}

/// cvt between any two types, with registers that may be wider than an integer type.
std::string random_conversion(RandomSource& random) {
  constexpr std::array<std::string_view, 11> kTypes{"u8",  "s8",  "u16", "s16", "u32", "s32",
                                                    "u64", "s64", "f16", "f32", "f64"};
  const std::string_view to = kTypes[random.below(kTypes.size())];
  const std::string_view from = kTypes[random.below(kTypes.size())];
  const bool single = to == "f32" || from == "f32";
  std::string modifiers;
  const auto rounding = [&] { return random.pick<const char*>({".rn", ".rz", ".rm", ".rp"}); };
  const auto integral = [&] { return random.pick<const char*>({".rni", ".rzi", ".rmi", ".rpi"}); };
  if (is_float(to)) {
    if (!is_float(from) || bits_of(to) < bits_of(from))
      modifiers = rounding();
    else if (to == from && random.chance(70))
      modifiers = integral();
  } else if (is_float(from)) {
    modifiers = integral();
  }
  if (single && (is_float(to) || is_float(from)) && random.chance(30)) modifiers += ".ftz";
  if (random.chance(20)) modifiers += ".sat";
  const auto holder = [&](std::string_view type) {
    Pool pool = pool_of(type);
    if (!is_float(type) && random.chance(30))
      pool = bits_of(type) < 32 && random.chance(50) ? Pool{"%r", kWords} : Pool{"%w", kLongs};
    return fmt::format("{}{}", pool.prefix, random.below(pool.count));
  };
  return fmt::format("cvt{}.{}.{} {}, {};", modifiers, to, from, holder(to), holder(from));
}

}  // namespace

std::vector<std::string> random_operation(RandomSource& random) {
  const std::uint32_t kind = random.below(100);
  if (kind < 25) return one_of(random, kIntegerForms);
  if (kind < 42) return one_of(random, kBitForms);
  if (kind < 60) return one_of(random, kFloatForms);
  if (kind < 72) return one_of(random, kHalfForms);
  if (kind < 86) return one_of(random, kGeneralForms);
  return {random_conversion(random)};
}

std::vector<std::string> random_own_access(RandomSource& random, bool shared) {
  if (shared && random.chance(30)) return one_of(random, kSharedForms);
  return one_of(random, kAccessForms);
}

std::vector<std::string> random_warp_operation(RandomSource& random) { return one_of(random, kWarpForms); }

}  // namespace heddle::generator
