#include <fmt/format.h>

#include <array>
#include <string_view>

#include "case.h"
#include "sweep.h"

namespace heddle::card {
namespace {

using isa::Type;

struct Space {
  const char* name;     ///< ".global"
  const char* address;  ///< "$m"
};
constexpr std::array kSpaces = {Space{".global", "$m"}, Space{".shared", "%room"}, Space{".local", "%loc"},
                                Space{"", "$m"}};

Type holder(unsigned bits) { return bits == 64 ? Type::kB64 : bits == 32 ? Type::kB32 : Type::kB16; }
unsigned width(std::string_view type) {
  return static_cast<unsigned>(std::stoul(std::string(type.substr(1))));
}

/// Of eight bytes one element, into and out of registers that may be wider.
void add_accesses(const Space& space, std::vector<Case>& all) {
  for (const std::string_view type :
       {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"})
    for (const unsigned bits : {16u, 32u, 64u}) {
      if (bits < width(type) || (type[0] == 'f' && bits != width(type))) continue;
      const unsigned offset = width(type) == 64 ? 0 : width(type) / 8;
      Case load;
      load.name = fmt::format("ld{}.{} into {} bits", space.name, type, bits);
      load.sources = {Values::kInteger64};
      load.results = {holder(bits)};
      load.body = fmt::format("st{}.b64 [{}], $s0; ld{}.{} $d0, [{}+{}];", space.name, space.address,
                              space.name, type, space.address, offset);
      all.push_back(load);
      Case store;
      store.name = fmt::format("st{}.{} from {} bits", space.name, type, bits);
      store.sources = {Values::kInteger64, bits == 64   ? Values::kInteger64
                                           : bits == 32 ? Values::kInteger32
                                                        : Values::kInteger16};
      store.results = {Type::kB64};
      store.body =
          fmt::format("st{}.b64 [{}], $s0; st{}.{} [{}+{}], $s1; ld{}.b64 $d0, [{}];", space.name,
                      space.address, space.name, type, space.address, offset, space.name, space.address);
      all.push_back(store);
    }
  for (const std::string_view type : {"u8", "s8", "u16", "s16", "b16", "b32"}) {
    Case vector;
    vector.name = fmt::format("ld{}.v2.{}", space.name, type);
    vector.sources = {Values::kInteger64};
    vector.results = {Type::kB32, Type::kB32};
    vector.body = fmt::format("st{}.b64 [{}], $s0; ld{}.v2.{} {{$d0, $d1}}, [{}];", space.name, space.address,
                              space.name, type, space.address);
    all.push_back(vector);
    vector.name = fmt::format("st{}.v2.{}", space.name, type);
    vector.sources = {Values::kInteger32, Values::kInteger32};
    vector.results = {Type::kB64};
    vector.body = fmt::format(
        "mov.b64 %y0, 0; st{0}.b64 [{1}], %y0; st{0}.v2.{2} [{1}], {{$s0, $s1}}; ld{0}.b64 $d0, [{1}];",
        space.name, space.address, type);
    all.push_back(vector);
  }
}

Values values_of(std::string_view type) {
  if (type == "f16x2") return Values::kHalves;
  if (type == "f16") return Values::kHalf;
  if (type == "f32") return Values::kSingle;
  if (type == "f64") return Values::kDouble;
  const unsigned bits = width(type);
  return bits == 16 ? Values::kInteger16 : bits == 32 ? Values::kInteger32 : Values::kInteger64;
}

void add_atomic(const Space& space, std::string_view operation, std::string_view type,
                std::vector<Case>& all) {
  const Values values = values_of(type);
  const unsigned bits = bits_of(values);
  const bool compares = operation == "cas";
  const std::string_view noftz = values == Values::kHalf || values == Values::kHalves ? ".noftz" : "";
  for (const bool reduces : {false, true}) {
    if (reduces && (operation == "exch" || compares)) continue;
    Case each;
    each.name = fmt::format("{}{}.{}{}.{}", reduces ? "red" : "atom", space.name, operation, noftz, type);
    each.sources.assign(compares ? 3 : 2, values);
    each.results.assign(reduces ? 1 : 2, holder(bits));
    each.body = fmt::format("st{}.b{} [{}], $s0; {} {}[{}], $s1{}; ld{}.b{} $d{}, [{}];", space.name, bits,
                            space.address, each.name, reduces ? "" : "$d0, ", space.address,
                            compares ? ", $s2" : "", space.name, bits, reduces ? 0 : 1, space.address);
    all.push_back(std::move(each));
  }
}

void add_atomics(const Space& space, std::vector<Case>& all) {
  struct Operation {
    std::string_view name;
    std::vector<std::string_view> types;
  };
  const std::vector<Operation> operations = {
      {"add", {"u32", "s32", "u64", "f32", "f64", "f16", "f16x2"}},
      {"min", {"u32", "s32", "u64", "s64"}},
      {"max", {"u32", "s32", "u64", "s64"}},
      {"and", {"b32", "b64"}},
      {"or", {"b32", "b64"}},
      {"xor", {"b32", "b64"}},
      {"exch", {"b32", "b64"}},
      {"cas", {"b16", "b32", "b64"}},
      {"inc", {"u32"}},
      {"dec", {"u32"}},
  };
  for (const Operation& operation : operations)
    for (const std::string_view type : operation.types) add_atomic(space, operation.name, type, all);
}

void add_moves(std::vector<Case>& all) {
  const auto add = [&](const char* body, std::vector<Values> sources, std::vector<Type> results) {
    all.push_back({body, std::move(sources), std::move(results), body});
  };
  add("mov.b64 $d0, {$s0, $s1};", {Values::kInteger32, Values::kInteger32}, {Type::kB64});
  add("mov.b64 {$d0, $d1}, $s0;", {Values::kInteger64}, {Type::kB32, Type::kB32});
  add("mov.b32 $d0, {$s0, $s1};", {Values::kInteger16, Values::kInteger16}, {Type::kB32});
  add("mov.b32 {$d0, $d1}, $s0;", {Values::kInteger32}, {Type::kB16, Type::kB16});
  add("mov.b64 {$d0, $d1, $d2, $d3}, $s0;", {Values::kInteger64},
      {Type::kB16, Type::kB16, Type::kB16, Type::kB16});
  add("mov.b32 $d0, $s0;", {Values::kSingle}, {Type::kB32});
  add("mov.pred $d0, $s0;", {Values::kPredicate}, {Type::kPred});
}

}  // namespace

std::vector<Case> memory_cases() {
  std::vector<Case> all;
  for (const Space& space : kSpaces) {
    add_accesses(space, all);
    if (std::string_view(space.name) != ".local") add_atomics(space, all);
  }
  add_moves(all);
  return accepted(std::move(all));
}

}  // namespace heddle::card
