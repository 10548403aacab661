#include "frontend/ptx/decode/modifiers.h"

#include <utility>

#include "frontend/ptx/builder.h"

namespace heddle::ptx {
namespace {

using isa::AtomicOp;
using isa::CacheOp;
using isa::Combine;
using isa::Compare;
using isa::MemoryScope;
using isa::Rounding;
using isa::StateSpace;
using isa::TestProperty;

template <class Value, std::size_t n>
bool choose(const std::pair<std::string_view, Value> (&table)[n], std::string_view word, Value& value) {
  for (const auto& [name, meaning] : table) {
    if (name != word) continue;
    value = meaning;
    return true;
  }
  return false;
}

constexpr std::pair<std::string_view, ModifierKind> kKinds[] = {
    {"rnd", ModifierKind::kRounding},  {"cmp", ModifierKind::kCompare},   {"bool", ModifierKind::kCombine},
    {"prop", ModifierKind::kProperty}, {"space", ModifierKind::kSpace},   {"vec", ModifierKind::kVector},
    {"cache", ModifierKind::kCache},   {"order", ModifierKind::kOrder},   {"scope", ModifierKind::kScope},
    {"atomic", ModifierKind::kAtomic}, {"second", ModifierKind::kSecond}, {"word", ModifierKind::kWord}};

constexpr std::pair<std::string_view, Rounding> kRoundings[] = {
    {"rn", Rounding::kRn},   {"rz", Rounding::kRz},   {"rm", Rounding::kRm},
    {"rp", Rounding::kRp},   {"rni", Rounding::kRni}, {"rzi", Rounding::kRzi},
    {"rmi", Rounding::kRmi}, {"rpi", Rounding::kRpi}, {"rna", Rounding::kRna}};

constexpr std::pair<std::string_view, Compare> kCompares[] = {
    {"eq", Compare::kEq},   {"ne", Compare::kNe},   {"lt", Compare::kLt},   {"le", Compare::kLe},
    {"gt", Compare::kGt},   {"ge", Compare::kGe},   {"lo", Compare::kLo},   {"ls", Compare::kLs},
    {"hi", Compare::kHi},   {"hs", Compare::kHs},   {"equ", Compare::kEqu}, {"neu", Compare::kNeu},
    {"ltu", Compare::kLtu}, {"leu", Compare::kLeu}, {"gtu", Compare::kGtu}, {"geu", Compare::kGeu},
    {"num", Compare::kNum}, {"nan", Compare::kNan}};

constexpr std::pair<std::string_view, Combine> kCombines[] = {
    {"and", Combine::kAnd}, {"or", Combine::kOr}, {"xor", Combine::kXor}};

constexpr std::pair<std::string_view, TestProperty> kProperties[] = {
    {"finite", TestProperty::kFinite}, {"infinite", TestProperty::kInfinite},
    {"number", TestProperty::kNumber}, {"notanumber", TestProperty::kNotANumber},
    {"normal", TestProperty::kNormal}, {"subnormal", TestProperty::kSubnormal}};

constexpr std::pair<std::string_view, bool Modifiers::*> kFlags[] = {
    {"ftz", &Modifiers::ftz},      {"sat", &Modifiers::sat},        {"approx", &Modifiers::approx},
    {"full", &Modifiers::full},    {"clamp", &Modifiers::clamp},    {"uni", &Modifiers::uniform},
    {"cc", &Modifiers::carry_out}, {"relu", &Modifiers::relu},      {"satfinite", &Modifiers::satfinite},
    {"NaN", &Modifiers::nan},      {"xorsign", &Modifiers::xorsign}};

constexpr std::pair<std::string_view, StateSpace> kSpaces[] = {
    {"global", StateSpace::kGlobal},      {"shared", StateSpace::kShared},
    {"shared::cta", StateSpace::kShared}, {"local", StateSpace::kLocal},
    {"const", StateSpace::kConst},        {"param", StateSpace::kParam},
    {"param::entry", StateSpace::kParam}, {"param::func", StateSpace::kParam}};

constexpr std::pair<std::string_view, unsigned> kVectors[] = {{"v2", 2}, {"v4", 4}, {"v8", 8},
                                                              {"x1", 1}, {"x2", 2}, {"x4", 4}};

// Eviction hints say how long a line is needed; the caches support one such hint, streaming.
constexpr std::pair<std::string_view, CacheOp> kCaches[] = {{"ca", CacheOp::kCacheAll},
                                                            {"cg", CacheOp::kCacheGlobal},
                                                            {"cs", CacheOp::kStreaming},
                                                            {"lu", CacheOp::kLastUse},
                                                            {"cv", CacheOp::kVolatile},
                                                            {"nc", CacheOp::kNonCoherent},
                                                            {"wb", CacheOp::kDefault},
                                                            {"wt", CacheOp::kWriteThrough},
                                                            {"L1::evict_normal", CacheOp::kDefault},
                                                            {"L1::evict_unchanged", CacheOp::kDefault},
                                                            {"L1::evict_last", CacheOp::kDefault},
                                                            {"L1::evict_first", CacheOp::kStreaming},
                                                            {"L1::no_allocate", CacheOp::kStreaming}};

constexpr std::pair<std::string_view, Order> kOrders[] = {
    {"weak", Order::kWeak},       {"volatile", Order::kVolatile}, {"relaxed", Order::kRelaxed},
    {"acquire", Order::kAcquire}, {"release", Order::kRelease},   {"acq_rel", Order::kAcquireRelease},
    {"sc", Order::kSequential}};

// A cluster of CTAs may span cores, so its scope is treated as the GPU's.
constexpr std::pair<std::string_view, MemoryScope> kScopes[] = {{"cta", MemoryScope::kCta},
                                                                {"cluster", MemoryScope::kGpu},
                                                                {"gpu", MemoryScope::kGpu},
                                                                {"gl", MemoryScope::kGpu},
                                                                {"sys", MemoryScope::kSystem}};

constexpr std::pair<std::string_view, AtomicOp> kAtomics[] = {
    {"add", AtomicOp::kAdd}, {"min", AtomicOp::kMin}, {"max", AtomicOp::kMax},   {"and", AtomicOp::kAnd},
    {"or", AtomicOp::kOr},   {"xor", AtomicOp::kXor}, {"exch", AtomicOp::kExch}, {"cas", AtomicOp::kCas},
    {"inc", AtomicOp::kInc}, {"dec", AtomicOp::kDec}};

constexpr std::pair<std::string_view, isa::VideoSecond> kSeconds[] = {
    {"add", isa::VideoSecond::kAdd}, {"min", isa::VideoSecond::kMin}, {"max", isa::VideoSecond::kMax}};

}  // namespace

std::optional<ModifierKind> modifier_kind(std::string_view name) {
  ModifierKind kind{};
  if (!choose(kKinds, name, kind)) return std::nullopt;
  return kind;
}

ModifierKind natural_kind(std::string_view word) {
  bool Modifiers::*flag = nullptr;
  if (choose(kFlags, word, flag)) return ModifierKind::kFlag;
  return type_from_name(word) == isa::Type::kNone ? ModifierKind::kWord : ModifierKind::kType;
}

bool apply_modifier(ModifierKind kind, std::string_view word, Modifiers& m) {
  switch (kind) {
    case ModifierKind::kWord:
      return true;
    case ModifierKind::kType:
      if (m.type_count >= m.types.size()) return false;
      m.types[m.type_count] = type_from_name(word);
      return m.types[m.type_count++] != isa::Type::kNone;
    case ModifierKind::kRounding:
      return choose(kRoundings, word, m.rounding);
    case ModifierKind::kCompare:
      return choose(kCompares, word, m.compare);
    case ModifierKind::kCombine:
      return choose(kCombines, word, m.combine);
    case ModifierKind::kProperty:
      return choose(kProperties, word, m.property);
    case ModifierKind::kFlag: {
      bool Modifiers::*flag = nullptr;
      if (!choose(kFlags, word, flag)) return false;
      m.*flag = true;
      return true;
    }
    case ModifierKind::kSpace:
      return choose(kSpaces, word, m.space);
    case ModifierKind::kVector:
      return choose(kVectors, word, m.vector);
    case ModifierKind::kCache:
      return choose(kCaches, word, m.cache_op);
    case ModifierKind::kOrder:
      return choose(kOrders, word, m.order);
    case ModifierKind::kScope:
      return choose(kScopes, word, m.scope);
    case ModifierKind::kAtomic:
      return choose(kAtomics, word, m.atomic_op);
    case ModifierKind::kSecond:
      return choose(kSeconds, word, m.second);
  }
  return false;
}

}  // namespace heddle::ptx
