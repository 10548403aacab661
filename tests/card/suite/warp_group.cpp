#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "base/error.h"
#include "groups.h"
#include "regression/generator/random_source.h"

namespace heddle::card {
namespace {

using generator::RandomSource;

constexpr std::uint32_t kCtaThreads = 128, kCtas = 32;
constexpr std::uint32_t kLanes = 32, kAll = kCtaThreads * kCtas;
constexpr const char* kHead = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// One instruction of a warp: %a, %wide, %b, %p are operands, %m is the mask of the lanes that execute it; results are in
/// %d and %q.
struct WarpCase {
  std::string name;
  bool partial = false;      ///< some lanes execute it, in a branch
  bool names_lanes = false;  ///< %b is a lane of the mask
};

struct Operand {
  std::vector<std::uint64_t> a;  ///< by thread
  std::vector<std::uint32_t> b, p, m;
};

std::string kernel_text(const WarpCase& each, const std::string& name) {
  return fmt::format(R"(
.visible .entry {}(.param .u64 as, .param .u64 bs, .param .u64 ps, .param .u64 ms, .param .u64 out)
{{
  .reg .b32 %t<4>, %a, %b, %m, %d; .reg .b64 %o<6>, %wide; .reg .pred %p, %q, %in;
  ld.param.u64 %o0, [as]; ld.param.u64 %o1, [bs]; ld.param.u64 %o2, [ps]; ld.param.u64 %o3, [ms]; ld.param.u64 %o4, [out];
  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, %t1, %t2;
  mul.wide.u32 %o5, %t0, 8; add.u64 %o0, %o0, %o5; add.u64 %o4, %o4, %o5;
  mul.wide.u32 %o5, %t0, 4; add.u64 %o1, %o1, %o5; add.u64 %o2, %o2, %o5; add.u64 %o3, %o3, %o5;
  ld.global.u64 %wide, [%o0]; cvt.u32.u64 %a, %wide; ld.global.u32 %b, [%o1];
  ld.global.u32 %t3, [%o2]; setp.ne.u32 %p, %t3, 0; ld.global.u32 %m, [%o3];
  mov.u32 %t2, %laneid; shr.u32 %t1, %m, %t2; and.b32 %t1, %t1, 1; setp.ne.u32 %in, %t1, 0;
  mov.u32 %d, 0; setp.ne.u32 %q, %d, 0;
  @!%in bra OUT;
  {}
OUT:
  selp.u32 %t1, 1, 0, %q;
  st.global.v2.u32 [%o4], {{%d, %t1}};
  ret;
}}
)",
                     name, each.name);
}

std::vector<WarpCase> warp_cases() {
  std::vector<WarpCase> all;
  for (const char* const mode : {"idx", "up", "down", "bfly"})
    for (const char* const clamp : {"31", "0", "0x1c1f", "0x180f", "0x1e01", "0x1807", "0x0010"})
      all.push_back({fmt::format("shfl.sync.{}.b32 %d|%q, %a, %b, {}, %m;", mode, clamp)});
  all.push_back({"shfl.sync.idx.b32 %d|%q, %a, %b, 31, %m;", true, true});
  for (const bool partial : {false, true}) {
    for (const char* const not_p : {"", "!"}) {
      for (const char* const mode : {"all", "any", "uni"})
        all.push_back({fmt::format("vote.sync.{}.pred %q, {}%p, %m;", mode, not_p), partial});
      all.push_back({fmt::format("vote.sync.ballot.b32 %d, {}%p, %m;", not_p), partial});
    }
    for (const char* const operand : {"b32 %d, %a", "b64 %d, %wide"})
      all.push_back({fmt::format("match.any.sync.{}, %m;", operand), partial});
    for (const char* const operand : {"b32 %d|%q, %a", "b64 %d|%q, %wide"})
      all.push_back({fmt::format("match.all.sync.{}, %m;", operand), partial});
    for (const char* const type : {"u32", "s32"})
      for (const char* const operation : {"add", "min", "max"})
        all.push_back({fmt::format("redux.sync.{}.{} %d, %a, %m;", operation, type), partial});
    for (const char* const operation : {"and", "or", "xor"})
      all.push_back({fmt::format("redux.sync.{}.b32 %d, %a, %m;", operation), partial});
    all.push_back({"activemask.b32 %d;", partial});
    all.push_back({"bar.warp.sync %m; mov.b32 %d, %a;", partial});
  }
  // Lanes that part and meet before.
  all.push_back(
      {"@%p bra ELSE; add.u32 %a, %a, %b; bra JOIN; ELSE: xor.b32 %a, %a, %b; JOIN: redux.sync.add.u32 %d, "
       "%a, %m;"});
  all.push_back(
      {"@%p bra JOIN; mad.lo.u32 %a, %a, %b, %a; JOIN: setp.lt.u32 %p, %a, %b; vote.sync.ballot.b32 %d, %p, "
       "%m;"});
  return all;
}

Operand operands(const WarpCase& each, RandomSource& random) {
  Operand made;
  for (std::uint32_t warp = 0; warp < kAll / kLanes; ++warp) {
    std::uint32_t mask = each.partial ? static_cast<std::uint32_t>(random.next()) : ~0u;
    if (each.partial && random.chance(30)) mask = 1u << random.below(kLanes);
    if (mask == 0) mask = 1;
    const std::uint64_t base = random.next();
    const bool alike = random.chance(30);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      made.a.push_back(alike || random.chance(40) ? base
                       : random.chance(30)        ? base ^ (1ull << random.below(40))
                                                  : random.next());
      std::uint32_t b = random.chance(60) ? random.below(kLanes) : static_cast<std::uint32_t>(random.next());
      if (each.names_lanes) {
        b = random.below(kLanes);
        while ((mask >> b & 1u) == 0) b = (b + 1) % kLanes;
      }
      made.b.push_back(b);
      made.p.push_back(warp % 4 == 0 ? 1 : warp % 4 == 1 ? 0 : random.below(2));
      made.m.push_back(mask);
    }
  }
  return made;
}

std::vector<std::uint64_t> run(host::Device& device, host::ModuleHandle module, const std::string& kernel,
                               const Operand& operand) {
  const std::array<std::uint64_t, 5> buffers = {device.upload(operand.a, "a"), device.upload(operand.b, "b"),
                                                device.upload(operand.p, "p"), device.upload(operand.m, "m"),
                                                device.allocate(kAll * 8, "results")};
  host::Args args;
  for (const std::uint64_t buffer : buffers) args.add(buffer);
  device.launch(module, kernel, {{kCtas, 1, 1}, {kCtaThreads, 1, 1}}, args);
  auto results = device.download<std::uint64_t>(buffers.back(), kAll);
  for (const std::uint64_t buffer : buffers) device.free(buffer);
  return results;
}

void compare_case(const WarpCase& each, const std::vector<std::uint64_t>& expected,
                  const std::vector<std::uint64_t>& got, const Operand& operand, Findings& findings) {
  std::string shown;
  std::uint32_t different = 0;
  for (std::uint32_t i = 0; i < kAll; ++i) {
    if (expected[i] == got[i]) continue;
    if (++different > 4) continue;
    shown += fmt::format(
        "\n    lane {} a {:#x} b {:#x} p {} mask {:#x}: oracle {:#x}, card {:#x} (predicate, then value)",
        i % kLanes, operand.a[i], operand.b[i], operand.p[i], operand.m[i], expected[i], got[i]);
  }
  const std::string name = each.name + (each.partial ? " (some lanes)" : "");
  findings.compared("instructions of warps");
  if (different != 0)
    findings.report("MISMATCH", fmt::format("{}: {} of {} lanes{}", name, different, kAll, shown));
}

/// All threads at few addresses. Their order does not show in what memory holds at the end.
constexpr const char* kContended = R"(
.visible .entry contended(.param .u64 counters, .param .u64 in)
{
  .reg .b32 %t<4>, %a; .reg .b64 %c, %s, %o, %wide; .shared .align 8 .b8 here[256];
  ld.param.u64 %c, [counters]; ld.param.u64 %o, [in];
  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, %t1, %t2;
  mul.wide.u32 %wide, %t0, 8; add.u64 %o, %o, %wide; ld.global.u64 %wide, [%o]; cvt.u32.u64 %a, %wide;
  .reg .pred %p; setp.ge.u32 %p, %t2, 32; mov.u64 %s, here;
  mul.wide.u32 %o, %t2, 8; add.u64 %o, %s, %o; .reg .b64 %zero; mov.u64 %zero, 0; @!%p st.shared.u64 [%o], %zero;
  bar.sync 0;
@OPERATIONS@
  bar.sync 0;
  @%p bra END;
  mul.wide.u32 %o, %t2, 8; add.u64 %s, %s, %o; ld.shared.u64 %wide, [%s];
  add.u64 %c, %c, %o; atom.global.add.u64 %zero, [%c+256], %wide;
END:
  ret;
}
)";

std::string contended_text() {
  struct Operation {
    const char* name;
    const char* operand;
  };
  std::string text;
  unsigned offset = 0;
  for (const Operation& each : std::initializer_list<Operation>{{"add.u32", "%a"},
                                                                {"add.s32", "%a"},
                                                                {"add.u64", "%wide"},
                                                                {"min.u32", "%a"},
                                                                {"min.s32", "%a"},
                                                                {"min.u64", "%wide"},
                                                                {"min.s64", "%wide"},
                                                                {"max.u32", "%a"},
                                                                {"max.s32", "%a"},
                                                                {"max.u64", "%wide"},
                                                                {"max.s64", "%wide"},
                                                                {"and.b32", "%a"},
                                                                {"or.b32", "%a"},
                                                                {"xor.b32", "%a"},
                                                                {"and.b64", "%wide"},
                                                                {"or.b64", "%wide"},
                                                                {"xor.b64", "%wide"},
                                                                {"inc.u32", "77"},
                                                                {"dec.u32", "77"}}) {
    text += fmt::format("  red.global.{0} [%c+{1}], {2};\n  red.shared.{0} [%s+{1}], {2};\n", each.name,
                        offset, each.operand);
    offset += 8;
  }
  std::string all = kContended;
  const std::string place = "@OPERATIONS@";
  all.replace(all.find(place), place.size(), text);
  return kHead + all;
}

std::vector<std::uint64_t> run_contended(host::Device& device, const std::vector<std::uint64_t>& in) {
  constexpr std::size_t kWords = 64;
  const auto module = device.load_ptx_text(contended_text(), "contended.ptx");
  std::vector<std::uint64_t> initial(kWords, 0);
  for (std::size_t i = 0; i < kWords / 2; ++i) initial[i] = 0x0123'4567'89ab'cdef * (i + 1);
  const std::uint64_t counters = device.upload(initial, "counters"), values = device.upload(in, "values");
  device.launch(module, "contended", {{kCtas, 1, 1}, {kCtaThreads, 1, 1}},
                host::Args().add(counters).add(values));
  auto words = device.download<std::uint64_t>(counters, kWords);
  device.free(counters);
  device.free(values);
  device.unload(module);
  return words;
}

}  // namespace

void compare_warps(host::Device& oracle, host::Device& card, Findings& findings) {
  RandomSource random(7);
  for (const WarpCase& each : warp_cases()) {
    const std::string text = kHead + kernel_text(each, "k");
    try {
      const auto on_oracle = oracle.load_ptx_text(text, "warp.ptx"),
                 on_card = card.load_ptx_text(text, "warp.ptx");
      const Operand operand = operands(each, random);
      compare_case(each, run(oracle, on_oracle, "k", operand), run(card, on_card, "k", operand), operand,
                   findings);
      oracle.unload(on_oracle);
      card.unload(on_card);
    } catch (const base::InputError& error) {
      findings.refused("REFUSED", each.name, error);
    }
  }
  std::vector<std::uint64_t> in;
  for (std::uint32_t i = 0; i < kAll; ++i) in.push_back(random.next());
  const auto expected = run_contended(oracle, in), got = run_contended(card, in);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    findings.compared("words under contention");
    if (expected[i] != got[i])
      findings.report("MISMATCH", fmt::format("contended atomics, word {}: oracle {:#x}, card {:#x}", i,
                                              expected[i], got[i]));
  }
}

}  // namespace heddle::card
