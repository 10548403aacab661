// What accesses of memory may say beside space and type (caches, orders, scopes, hints), and what stands between them: fences,
// copies in the background, barriers in shared memory, tests of addresses, special registers.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "case.h"
#include "sweep.h"

namespace heddle::card {
namespace access {

using isa::Type;

struct Space {
  std::string_view name;
  std::string_view address;
};
constexpr std::array kSpaces = {Space{".global", "$m"}, Space{".shared", "%room"}, Space{"", "$m"},
                                Space{".local", "%loc"}};
constexpr std::array kScopes = {".cta", ".cluster", ".gpu", ".sys"};
constexpr std::string_view kPolicy = "createpolicy.fractional.L2::evict_last.b64 %y0, 0f3f000000; ";

class Cases {
 public:
  void add(std::string body, std::vector<Values> sources, std::vector<Type> results) {
    all_.push_back({body, std::move(sources), std::move(results), body});
  }
  /// A word that is stored and loaded again.
  void word(const std::string& body) { add(body, {Values::kInteger32}, {Type::kB32}); }
  [[nodiscard]] std::vector<Case> take() { return std::move(all_); }

 private:
  std::vector<Case> all_;
};

void add_caches(const Space& at, Cases& to) {
  const auto load = [&](std::string_view how, std::string_view more = "") {
    to.word(fmt::format("{3}st{0}.b32 [{1}], $s0; ld{0}{2}.b32 $d0, [{1}]{4};", at.name, at.address, how,
                        more.empty() ? "" : kPolicy, more));
  };
  const auto store = [&](std::string_view how, std::string_view more = "") {
    to.word(fmt::format("{3}st{0}{2}.b32 [{1}], $s0{4}; ld{0}.b32 $d0, [{1}];", at.name, at.address, how,
                        more.empty() ? "" : kPolicy, more));
  };
  for (const char* const how : {".ca", ".cg", ".cs", ".lu", ".cv"}) load(how);
  for (const char* const how : {".wb", ".cg", ".cs", ".wt"}) store(how);
  if (at.name == ".local" || at.name == ".shared") return;
  for (const char* const how : {".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first",
                                ".L1::evict_last", ".L1::no_allocate"}) {
    load(how);
    store(how);
    load(std::string(how) + ".L2::cache_hint", ", %y0");
    if (at.name == ".global")
      to.word(fmt::format("ld.global.nc{}.b32 %x0, [%in]; xor.b32 $d0, %x0, $s0;", how));
  }
  for (const char* const how : {".L2::64B", ".L2::128B", ".L2::256B"}) load(how);
  load(".L2::cache_hint", ", %y0");
  store(".L2::cache_hint", ", %y0");
}

void add_orders(const Space& at, Cases& to) {
  const auto pair = [&](const std::string& store, const std::string& load) {
    to.word(
        fmt::format("st{2}{0}.b32 [{1}], $s0; ld{3}{0}.b32 $d0, [{1}];", at.name, at.address, store, load));
  };
  pair(".volatile", ".volatile");
  if (at.name != ".shared") pair(".mmio.relaxed.sys", ".mmio.relaxed.sys");
  for (const std::string scope : kScopes) {
    pair(".relaxed" + scope, ".relaxed" + scope);
    pair(".release" + scope, ".acquire" + scope);
    for (const std::string order : {".relaxed", ".acquire", ".release", ".acq_rel"}) {
      const std::string atom = order + scope + std::string(at.name);
      to.add(fmt::format("st{1}.b32 [{2}], $s0; atom{0}.add.u32 $d0, [{2}], $s1; ld{1}.b32 $d1, [{2}];", atom,
                         at.name, at.address),
             {Values::kInteger32, Values::kInteger32}, {Type::kB32, Type::kB32});
      if (order == ".relaxed" || order == ".release")
        to.add(fmt::format("st{1}.b32 [{2}], $s0; red{0}.max.s32 [{2}], $s1; ld{1}.b32 $d0, [{2}];", atom,
                           at.name, at.address),
               {Values::kInteger32, Values::kInteger32}, {Type::kB32});
    }
    for (const char* const order : {"", ".sc", ".acq_rel", ".acquire", ".release"})
      to.word(fmt::format("st{0}.b32 [{1}], $s0; fence{2}{3}; ld{0}.b32 $d0, [{1}];", at.name, at.address,
                          order, scope));
  }
  if (at.name == ".global")
    to.word(
        fmt::format("{}st.global.b32 [$m], 1; atom.global.add.L2::cache_hint.u32 %x0, [$m], $s0, %y0; "
                    "ld.global.b32 $d0, [$m];",
                    kPolicy));
}

void add_between(Cases& to) {
  for (const char* const what : {"membar.cta;",
                                 "membar.gl;",
                                 "membar.sys;",
                                 "membar.proxy.alias;",
                                 "fence.proxy.alias;",
                                 "fence.proxy.async;",
                                 "fence.proxy.async.global;",
                                 "fence.mbarrier_init.release.cluster;",
                                 "prefetch.global.L1 [$m];",
                                 "prefetch.global.L2 [$m];",
                                 "prefetch.L1 [$m];",
                                 "prefetch.L2 [$m];",
                                 "prefetch.global.L2::evict_last [$m];",
                                 "prefetch.global.L2::evict_normal [$m];",
                                 "prefetchu.L1 [$m];",
                                 "nanosleep.u32 20;",
                                 "pmevent 3;",
                                 "pmevent.mask 5;",
                                 "griddepcontrol.launch_dependents;",
                                 "griddepcontrol.wait;",
                                 "barrier.cluster.arrive; barrier.cluster.wait;",
                                 "barrier.cluster.arrive.relaxed; barrier.cluster.wait.acquire;",
                                 "bar.sync 0;",
                                 "bar.sync 3, 128;",
                                 "barrier.sync 2;",

                                 "bar.warp.sync -1;",
                                 "and.b64 %y0, %in, -128; applypriority.global.L2::evict_normal [%y0], 128;",
                                 "createpolicy.range.global.L2::evict_last.b64 %y0, [%in], 64, 128; "
                                 "st.global.L2::cache_hint.b32 [$m], $s0, %y0;"})
    to.word(fmt::format("st.global.b32 [$m], $s0; {} ld.global.b32 $d0, [$m];", what));
  for (const char* const operation :
       {"popc.u32 $d0, 0, %q0;", "and.pred %q1, 0, %q0; selp.b32 $d0, 1, 0, %q1;",
        "or.pred %q1, 0, %q0; selp.b32 $d0, 1, 0, %q1;"})
    to.word(fmt::format("setp.gt.s32 %q0, $s0, 5; barrier.red.{}", operation));
}

void add_background(Cases& to) {
  const std::string room = "cvt.u32.u64 %x0, %room; ";
  for (const char* const how : {"ca.shared.global [%x0], [%in], 4", "ca.shared.global [%x0], [%in], 8",
                                "ca.shared.global [%x0], [%in], 8, 4", "ca.shared.global [%x0], [%in], 8, 0",
                                "ca.shared.global.L2::128B [%x0], [%in], 8"})
    for (const char* const wait : {"cp.async.wait_all;", "cp.async.commit_group; cp.async.wait_group 0;"})
      to.add(fmt::format(
                 "{}mov.b64 %y0, -1; st.shared.b64 [%room], %y0; cp.async.{}; {} ld.shared.b64 $d0, [%room];",
                 room, how, wait),
             {Values::kInteger64}, {Type::kB64});
  const std::string begin = room + "mbarrier.init.shared.b64 [%x0], 3; ";
  const auto state = [&](const std::string& body, std::vector<Type> results) {
    to.add(begin + body, {Values::kInteger32}, std::move(results));
  };
  const std::string test = "mbarrier.test_wait.shared.b64 $d0, [%x0], %y0;";
  state("mbarrier.arrive.shared.b64 %y0, [%x0]; mbarrier.pending_count.b64 $d1, %y0; " + test,
        {Type::kPred, Type::kB32});
  state("mbarrier.arrive.shared.b64 %y0, [%x0], 3; " + test, {Type::kPred});
  state(
      "mbarrier.arrive_drop.shared.b64 %y0, [%x0], 2; mbarrier.arrive.shared.b64 %y1, [%x0]; "
      "mbarrier.arrive.shared.b64 %y2, [%x0]; mbarrier.pending_count.b64 $d1, %y2; " +
          test,
      {Type::kPred, Type::kB32});
  for (const char* const how : {"arrive", "arrive_drop"})
    state(fmt::format("mbarrier.{0}.noComplete.shared.b64 %y0, [%x0], 1; mbarrier.{0}.noComplete.shared.b64 "
                      "%y1, [%x0], 1; "
                      "mbarrier.pending_count.b64 $d1, %y0; mbarrier.pending_count.b64 $d2, %y1; "
                      "mbarrier.arrive.shared.b64 %y2, [%x0]; {1}",
                      how, test),
          {Type::kPred, Type::kB32, Type::kB32});
  state("mbarrier.arrive.expect_tx.shared.b64 %y0, [%x0], 16; mbarrier.arrive.shared.b64 %y1, [%x0], 2; " +
            test,
        {Type::kPred});
  state("mbarrier.arrive.shared.b64 %y0, [%x0], 3; mbarrier.try_wait.parity.shared.b64 $d0, [%x0], 0;",
        {Type::kPred});
  state("mbarrier.try_wait.parity.acquire.cta.shared.b64 $d0, [%x0], 1;", {Type::kPred});
  state(
      "mbarrier.arrive.release.cluster.shared.b64 %y0, [%x0], 3; mbarrier.inval.shared.b64 [%x0]; "
      "st.shared.b32 [%room], $s0; ld.shared.b32 $d0, [%room];",
      {Type::kB32});
  state(
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%x0]; mbarrier.arrive.shared.b64 %y0, [%x0]; "
      "mbarrier.pending_count.b64 $d0, %y0;",
      {Type::kB32});
}

void add_addresses(Cases& to) {
  for (const char* const space : {"global", "shared", "shared::cta", "local", "const"})
    for (const char* const what :
         {"mov.b64 %y0, %out;", "cvta.shared.u64 %y0, %room;", "cvta.local.u64 %y0, %loc;"})
      to.add(fmt::format("{} isspacep.{} $d0, %y0;", what, space), {Values::kInteger32}, {Type::kPred});
  to.word(
      "cvta.shared.u64 %y0, %room; st.b32 [%y0], $s0; cvta.to.shared.u64 %y1, %y0; ld.shared.b32 $d0, "
      "[%y1];");
  to.word(
      "cvta.local.u64 %y0, %loc; st.b32 [%y0], $s0; cvta.to.local.u64 %y1, %y0; ld.local.b32 $d0, [%y1];");
  to.word(
      "mov.u32 %x1, %cluster_ctarank; cvt.u32.u64 %x0, %room; st.shared.b32 [%x0], $s0; "
      "mapa.shared::cluster.u32 %x2, %x0, %x1; ld.shared::cluster.b32 $d0, [%x2];");
  to.word("cvt.u32.u64 %x0, %room; getctarank.shared::cluster.u32 %x1, %x0; add.u32 $d0, %x1, $s0;");
  to.add("elect.sync %x0|$d0, -1;", {Values::kInteger32}, {Type::kPred});
  for (const char* const name : {"%tid.x",           "%tid.y",
                                 "%ntid.x",          "%ntid.z",
                                 "%ctaid.x",         "%nctaid.x",
                                 "%nctaid.y",        "%laneid",
                                 "%lanemask_eq",     "%lanemask_lt",
                                 "%lanemask_le",     "%lanemask_gt",
                                 "%lanemask_ge",     "%dynamic_smem_size",
                                 "%cluster_ctaid.x", "%cluster_nctaid.y",
                                 "%cluster_ctarank", "%cluster_nctarank",
                                 "%clusterid.x",     "%nclusterid.x"})
    to.word(fmt::format("mov.u32 %x0, {}; xor.b32 $d0, %x0, $s0;", name));
  to.add("mov.pred $d0, %is_explicit_cluster;", {Values::kInteger32}, {Type::kPred});
}

}  // namespace access

std::vector<Case> access_cases() {
  access::Cases cases;
  for (const access::Space& space : access::kSpaces) {
    add_caches(space, cases);
    if (space.name != ".local") add_orders(space, cases);
  }
  access::add_between(cases);
  access::add_background(cases);
  access::add_addresses(cases);
  return accepted(cases.take());
}

}  // namespace heddle::card
