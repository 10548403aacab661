// Loads, stores, atomics and reductions in every space, with every qualifier, as the GPU executes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "isa_support.h"

namespace heddle::testing::isa_memory_test {
namespace {

struct Place {
  const char* space;    ///< ".global", ".shared" or "" (generic)
  const char* address;  ///< into %w1
};
void PrintTo(const Place& place, std::ostream* out) {
  *out << (*place.space == 0 ? ".generic" : place.space);
}

constexpr Place kPlaces[] = {{".global", "mov.u64 %w1, %out;"},
                             {".shared", "mov.u64 %w1, cell;"},
                             {".shared::cta", "mov.u64 %w1, cell;"},
                             {"", "mov.u64 %w1, cell; cvta.shared.u64 %w1, %w1;"},
                             {"", "cvta.global.u64 %w1, %out;"}};

class IsaAtomic : public ::testing::TestWithParam<Place> {};

/// Sets the cell, lets 32 lanes work on it, returns it.
std::uint64_t after(const Place& place, const std::string& start, const std::string& work) {
  std::string body = std::string(place.address) + start;
  for (const char* token = "#"; body.find(token) != std::string::npos;)
    body.replace(body.find(token), 1, place.space);
  std::string lanes = work;
  while (lanes.find('#') != std::string::npos) lanes.replace(lanes.find('#'), 1, place.space);
  const auto out = run({.module = ".shared .align 8 .b8 cell[8];",
                        .body = body + "bar.sync 0;\n" + lanes + "\nbar.sync 0; membar.gl; ld" + place.space +
                                ".u64 %w9, [%w1]; st.global.u64 [%out+64], %w9;"});
  return out[16] | static_cast<std::uint64_t>(out[17]) << 32;
}

struct Operation {
  const char* form;  ///< with # in place of the space
  std::uint64_t start;
  const char* operand;  ///< the lane's, of the type
  std::uint64_t result;
};

constexpr std::uint64_t kMinusOne = ~std::uint64_t{0};

TEST_P(IsaAtomic, IntegerOperationsOfAllTypes) {
  const Operation operations[] = {
      {"add.u32", 5, "%r1", 5 + 496},
      {"add.s32", 0xffff'fff0u, "%r1", 480},
      {"add.u64", 0xffff'ffffu, "%w2", 0xffff'ffffull + 496},
      {"add.u64", kMinusOne, "%w2", 495},  // a signed sum: there is no add.s64
      {"min.u32", 20, "%r1", 0},
      {"min.s32", 20, "%r2", 0xffff'fff0u},
      {"min.u64", 20, "%w2", 0},
      {"min.s64", 20, "%w3", static_cast<std::uint64_t>(-16)},
      {"max.u32", 20, "%r1", 31},
      {"max.s32", 3, "%r2", 15},
      {"max.u64", 20, "%w3", kMinusOne},
      {"max.s64", 3, "%w3", 15},
      {"and.b32", 0xff, "%r3", 0},
      {"and.b64", kMinusOne, "%w4", kMinusOne << 32},
      {"or.b32", 0, "%r4", 0xffff'ffffu},
      {"or.b64", 1, "%w5", 0xffff'ffff'0000'0001u},
      {"xor.b32", 0xf, "%r4", 0xffff'fff0u},
      {"xor.b64", 1, "%w5", 0xffff'ffff'0000'0001u},
      {"inc.u32", 30, "%r5", 22},
      {"dec.u32", 3, "%r5", 11},
  };
  const std::string operands =
      "mov.u32 %r1, %t; sub.u32 %r2, %t, 16; mov.u32 %r6, 1; shl.b32 %r4, %r6, %t; not.b32 %r3, %r4;"
      "cvt.u64.u32 %w2, %t; cvt.s64.s32 %w3, %r2; cvt.u64.u32 %w6, %r4; shl.b64 %w5, %w6, 32;"
      "not.b64 %w4, %w6; mov.u32 %r5, 39;";
  for (const Operation& operation : operations)
    for (const bool returns : {false, true}) {
      const std::string form(operation.form);
      const std::string op = form.substr(0, form.find('.'));
      const std::string text =
          returns ? "atom#." + form + (form.ends_with("64") ? " %w8, [%w1], " : " %r8, [%w1], ")
                  : "red#." + form + " [%w1], ";
      std::uint64_t expected = operation.result;
      // 30 + 32 steps modulo 40; 3 - 32 steps modulo 40
      EXPECT_EQ(after(GetParam(), "mov.u64 %w7, " + std::to_string(operation.start) + "; st#.u64 [%w1], %w7;",
                      operands + text + operation.operand + ";"),
                expected)
          << text;
    }
}

TEST_P(IsaAtomic, FloatingPointSums) {
  EXPECT_EQ(after(GetParam(), "mov.u64 %w7, 0; st#.u64 [%w1], %w7;",
                  "cvt.rn.f32.u32 %f1, %t; atom#.add.f32 %f2, [%w1], %f1; red#.add.f32 [%w1], 0f3F000000;"),
            std::bit_cast<std::uint32_t>(496.0f + 16.0f));
  EXPECT_EQ(
      after(GetParam(), "mov.u64 %w7, 0; st#.u64 [%w1], %w7;",
            "cvt.rn.f64.u32 %d1, %t; atom#.add.f64 %d2, [%w1], %d1; red#.add.f64 [%w1], 0d3FE0000000000000;"),
      std::bit_cast<std::uint64_t>(496.0 + 16.0));
  // 1.0 in each half, 64 times; 0.5 in an f16.
  EXPECT_EQ(
      after(
          GetParam(), "mov.u64 %w7, 0; st#.u64 [%w1], %w7;",
          "mov.b32 %r1, 0x3c003c00; atom#.add.noftz.f16x2 %r2, [%w1], %r1; red#.add.noftz.f16x2 [%w1], %r1;"),
      0x5400'5400u);
  EXPECT_EQ(after(GetParam(), "mov.u64 %w7, 0x3c000000; st#.u64 [%w1], %w7;",
                  "mov.b16 %h1, 0x3800; atom#.add.noftz.f16 %h2, [%w1], %h1; red#.add.noftz.f16 [%w1], %h1;"),
            0x3c00'5000u);
}

TEST_P(IsaAtomic, ExchangeAndCompare) {
  EXPECT_EQ(after(GetParam(), "mov.u64 %w7, 7; st#.u64 [%w1], %w7;",
                  "mov.u32 %r1, 9; atom#.exch.b32 %r2, [%w1], %r1; "),
            9u);
  EXPECT_EQ(after(GetParam(), "mov.u64 %w7, 7; st#.u64 [%w1], %w7;",
                  "mov.u64 %w3, -2; atom#.exch.b64 %w2, [%w1], %w3;"),
            kMinusOne - 1);
  // Only the lane whose compare value matches may add one, in any order: 0 to 32.
  EXPECT_EQ(after(GetParam(), "mov.u64 %w7, 0; st#.u64 [%w1], %w7;",
                  "mov.u32 %r1, 0;\nL: add.u32 %r2, %r1, 1; atom#.cas.b32 %r3, [%w1], %r1, %r2; setp.ne.u32 "
                  "%p1, %r3, %r1;"
                  "mov.u32 %r1, %r3; @%p1 bra L;"),
            32u);
  EXPECT_EQ(after(GetParam(), "mov.u64 %w7, 0xffffffff; st#.u64 [%w1], %w7;",
                  "mov.u64 %w2, 0;\nL: add.u64 %w3, %w2, 1; atom#.cas.b64 %w4, [%w1], %w2, %w3; setp.ne.u64 "
                  "%p1, %w4, %w2;"
                  "mov.u64 %w2, %w4; @%p1 bra L;"),
            0xffff'ffffull + 32);
  // The adjacent halfword is unchanged.
  EXPECT_EQ(after(GetParam(), "mov.u64 %w7, 0xabcdfff0; st#.u64 [%w1], %w7;",
                  "mov.u16 %h1, 0;\nL: add.u16 %h2, %h1, 1; atom#.cas.b16 %h3, [%w1], %h1, %h2; setp.ne.u16 "
                  "%p1, %h3, %h1;"
                  "mov.u16 %h1, %h3; @%p1 bra L;"),
            0xabcd'0010u);
}

INSTANTIATE_TEST_SUITE_P(Places, IsaAtomic, ::testing::ValuesIn(kPlaces));

/// A kind of operation on a word that is 0, what each of 32 lanes gives it, and what is there then.
struct OfAWord {
  const char* form;
  const char* operands;
  std::uint32_t result;
  bool of_red = true;
};

TEST(IsaMemory, OrdersAndScopesOfAtomics) {
  constexpr OfAWord kKinds[] = {{"add.u32", "1", 32},  {"add.noftz.f16x2", "%r1", 0x5000},
                                {"max.u32", "%t", 31}, {"or.b32", "5", 5},
                                {"inc.u32", "40", 32}, {"cas.b32", "0, 7", 7, false}};
  for (const char* order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const char* scope : {".cta", ".gpu", ".sys", ".cluster"})
      for (const OfAWord& kind : kKinds) {
        const std::string how = (*order == 0 ? "" : std::string(order) + scope) + ".global." + kind.form;
        const std::string operands = std::string("[%out], ") + kind.operands + ";";
        EXPECT_EQ(run({.body = "mov.b32 %r1, 0x3c00; atom" + how + " %r2, " + operands})[0], kind.result)
            << how;
        if (!kind.of_red || std::string(order) == ".acquire" || std::string(order) == ".acq_rel") continue;
        EXPECT_EQ(run({.body = "mov.b32 %r1, 0x3c00; red" + how + " " + operands})[0], kind.result) << how;
      }
}

/// Each load reads a word of its own, which a store in turn writes.
void expect_all_words_move(const std::vector<std::string>& loads, const std::vector<std::string>& stores) {
  std::string body;
  for (std::size_t i = 0; i < loads.size(); ++i)
    body += loads[i] + ".u32 %r1, [data+" + std::to_string(4 * i) + "];\n" + stores[i % stores.size()] +
            ".u32 [%out+" + std::to_string(4 * i) + "], %r1;\n";
  std::string values;
  for (std::size_t i = 0; i < loads.size(); ++i) values += (i == 0 ? "" : ", ") + std::to_string(100 + i);
  const auto out =
      run({.module = ".global .align 16 .u32 data[" + std::to_string(loads.size()) + "] = {" + values + "};",
           .body = body});
  for (std::size_t i = 0; i < loads.size(); ++i)
    EXPECT_EQ(out[i], 100 + i) << loads[i] << ", " << stores[i % stores.size()];
}

/// Every qualifier of a load and a store moves the same bytes.
TEST(IsaMemory, QualifiersOfLoadsAndStores) {
  const std::vector<std::string> loads = {
      "ld.global",
      "ld.weak.global",
      "ld.volatile.global",
      "ld.relaxed.cta.global",
      "ld.relaxed.cluster.global",
      "ld.relaxed.gpu.global",
      "ld.relaxed.sys.global",
      "ld.acquire.cta.global",
      "ld.acquire.gpu.global",
      "ld.acquire.sys.global",
      "ld.mmio.relaxed.sys.global",
      "ld.global.ca",
      "ld.global.cg",
      "ld.global.cs",
      "ld.global.lu",
      "ld.global.cv",
      "ld.global.nc",
      "ld.global.ca.nc",
      "ld.global.L1::evict_normal",
      "ld.global.L1::evict_unchanged",
      "ld.global.L1::evict_first",
      "ld.global.L1::evict_last",
      "ld.global.L1::no_allocate",
      "ld.global.nc.L1::no_allocate.L2::128B",
      "ld.global.L2::64B",
      "ld.global.L2::256B",
      "ldu.global",
      "ld",
      "ld.volatile",
      "ldu",
  };
  const std::vector<std::string> stores = {
      "st.global",
      "st.weak.global",
      "st.volatile.global",
      "st.relaxed.cta.global",
      "st.relaxed.cluster.global",
      "st.relaxed.gpu.global",
      "st.relaxed.sys.global",
      "st.release.cta.global",
      "st.release.gpu.global",
      "st.release.sys.global",
      "st.mmio.relaxed.sys.global",
      "st.global.wb",
      "st.global.cg",
      "st.global.cs",
      "st.global.wt",
      "st.global.L1::evict_normal",
      "st.global.L1::evict_unchanged",
      "st.global.L1::evict_first",
      "st.global.L1::evict_last",
      "st.global.L1::no_allocate",
      "st",
      "st.volatile",
  };
  expect_all_words_move(loads, stores);
}

TEST(IsaMemory, HintsOfStrongLoadsAndStores) {
  std::vector<std::string> loads, stores;
  for (const std::string size : {"64B", "128B", "256B"}) {
    loads.push_back("ld.volatile.global.L2::" + size);
    loads.push_back("ld.relaxed.gpu.global.L2::" + size);
  }
  for (const std::string evict :
       {"evict_normal", "evict_unchanged", "evict_first", "evict_last", "no_allocate"}) {
    loads.push_back("ld.acquire.gpu.global.L1::" + evict);
    stores.push_back("st.release.gpu.global.L1::" + evict);
  }
  expect_all_words_move(loads, stores);
}

// All types and vectors in all spaces: stored bytes are loaded again.
TEST(IsaMemory, TypesAndVectorsInEverySpace) {
  struct TypeOf {
    const char* name;
    unsigned bytes;
    const char* registers;
  };
  const TypeOf types[] = {{"b8", 1, "%h"},  {"u8", 1, "%h"},  {"s8", 1, "%h"},  {"b16", 2, "%h"},
                          {"u16", 2, "%h"}, {"s16", 2, "%h"}, {"b32", 4, "%r"}, {"u32", 4, "%r"},
                          {"s32", 4, "%r"}, {"f32", 4, "%f"}, {"b64", 8, "%w"}, {"u64", 8, "%w"},
                          {"s64", 8, "%w"}, {"f64", 8, "%d"}};
  for (const char* space : {".global", ".shared", ".local", ""})
    for (const TypeOf& type : types)
      for (const unsigned vector : {1u, 2u, 4u}) {
        if (type.bytes * vector > 16) continue;
        const bool wide = std::string(type.registers) == "%w";
        std::string list;
        for (unsigned i = 0; i < vector; ++i)
          list += (i == 0 ? "" : ", ") + std::string(type.registers) + std::to_string(i + (wide ? 20 : 1));
        if (vector > 1) list = "{" + list + "}";
        const std::string form = (vector > 1 ? ".v" + std::to_string(vector) : "") + "." + type.name;
        const std::string cell = *space == 0 ? "cell_generic" : std::string("cell_") + (space + 1);
        std::string address = "mov.u64 %w1, " + cell + ";";
        if (*space == 0) address = "mov.u64 %w1, cell_shared; cvta.shared.u64 %w1, %w1;";
        const auto out = run(
            {.module = ".global .align 16 .b8 cell_global[16]; .shared .align 16 .b8 cell_shared[16];"
                       ".global .align 16 .u32 from[4] = {0x84838281, 0x88878685, 0x8c8b8a89, 0x908f8e8d};",
             .body = ".local .align 16 .b8 cell_local[16];\n" + address +
                     (std::string(space) == ".global" ? "ldu.global" : "ld.global") + form + " " + list +
                     ", [from]; st" + space + form + " [%w1], " + list + "; ld" + space + form + " " + list +
                     ", [%w1]; st.global" + form + " [%out], " + list + ";",
             .shape = {{1, 1, 1}, {1, 1, 1}, 0}});
        for (unsigned byte = 0; byte < 16; ++byte)
          EXPECT_EQ(out[byte / 4] >> (byte % 4 * 8) & 0xffu, byte < type.bytes * vector ? 0x81u + byte : 0u)
              << space << form << " byte " << byte;
      }
}

/// The same of accesses that the memory consistency model calls strong.
TEST(IsaMemory, TypesAndVectorsOfStrongAccesses) {
  struct Access {
    const char *load, *store, *space;
  };
  const Access accesses[] = {{".volatile", ".volatile", ".global"},
                             {".volatile", ".volatile", ".shared"},
                             {".volatile", ".volatile", ".shared::cta"},
                             {".relaxed.gpu", ".relaxed.gpu", ".global"},
                             {".acquire.gpu", ".release.gpu", ".shared"},
                             {".relaxed.cta", ".relaxed.cta", ".shared::cta"},
                             {".mmio.relaxed.sys", ".mmio.relaxed.sys", ".global"}};
  const std::pair<const char*, unsigned> types[] = {
      {"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2}, {"b32", 4},
      {"u32", 4}, {"s32", 4}, {"f32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}};
  for (const Access& access : accesses)
    for (const auto& [type, bytes] : types)
      for (const unsigned vector : {1u, 2u, 4u}) {
        if (bytes * vector > 16 || (vector > 1 && access.load == std::string(".mmio.relaxed.sys"))) continue;
        const std::string registers = bytes <= 2     ? "%h"
                                      : bytes == 4   ? (*type == 'f' ? "%f" : "%r")
                                      : *type == 'f' ? "%d"
                                                     : "%w";
        std::string list;
        for (unsigned i = 0; i < vector; ++i)
          list += (i == 0 ? "" : ", ") + registers + std::to_string(i + (registers == "%w" ? 20 : 1));
        if (vector > 1) list = "{" + list + "}";
        const std::string form = (vector > 1 ? ".v" + std::to_string(vector) : "") + "." + type;
        const std::string cell = access.space == std::string(".global") ? "cell_global" : "cell_shared";
        const auto out = run(
            {.module = ".global .align 16 .b8 cell_global[16]; .shared .align 16 .b8 cell_shared[16];"
                       ".global .align 16 .u32 from[4] = {0x84838281, 0x88878685, 0x8c8b8a89, 0x908f8e8d};",
             .body = "ld.global" + form + " " + list + ", [from]; st" + access.store + access.space + form +
                     " [" + cell + "], " + list + "; ld" + access.load + access.space + form + " " + list +
                     ", [" + cell + "]; st.global" + form + " [%out], " + list + ";",
             .shape = {{1, 1, 1}, {1, 1, 1}, 0}});
        for (unsigned byte = 0; byte < 16; ++byte)
          EXPECT_EQ(out[byte / 4] >> (byte % 4 * 8) & 0xffu, byte < bytes * vector ? 0x81u + byte : 0u)
              << access.load << access.space << form << " byte " << byte;
      }
}

TEST(IsaMemory, SpacesOfGenericAddresses) {
  const auto out = run(
      {.module = ".global .b32 g; .const .b32 c = 5; .shared .b32 s;",
       .body =
           ".local .b32 l;\n"
           "mov.u64 %w1, generic(g); mov.u64 %w2, generic(c); mov.u64 %w3, generic(s); cvta.local.u64 %w4, l;"
           "mov.u32 %r9, 0;"
           "isspacep.global %p1, %w1; isspacep.global %p2, %w2; isspacep.global %p3, %w3; isspacep.global "
           "%p4, %w4;"
           "selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 2, 0, %p2; selp.u32 %r3, 4, 0, %p3; selp.u32 %r4, 8, 0, "
           "%p4;"
           "or.b32 %r9, %r9, %r1; or.b32 %r9, %r9, %r2; or.b32 %r9, %r9, %r3; or.b32 %r9, %r9, %r4;"
           "isspacep.const %p1, %w1; isspacep.const %p2, %w2; isspacep.shared %p3, %w3; isspacep.local %p4, "
           "%w4;"
           "selp.u32 %r1, 16, 0, %p1; selp.u32 %r2, 32, 0, %p2; selp.u32 %r3, 64, 0, %p3; selp.u32 %r4, 128, "
           "0, %p4;"
           "or.b32 %r9, %r9, %r1; or.b32 %r9, %r9, %r2; or.b32 %r9, %r9, %r3; or.b32 %r9, %r9, %r4;"
           "@%p2 isspacep.const %p2, %w1; selp.u32 %r2, 256, 0, %p2; or.b32 %r9, %r9, %r2;"
           "cvta.to.const.u64 %w5, %w2; ld.const.u32 %r5, [%w5]; shl.b32 %r5, %r5, 16; or.b32 %r9, %r9, %r5;"
           "st.global.u32 [%mine], %r9;"});
  EXPECT_EQ(out[0], 1u + 32 + 64 + 128 + (5u << 16));
}

TEST(IsaMemory, HintsChangeNothing) {
  const auto out = run(
      {.module = ".global .align 128 .b32 g[32];",
       .body =
           "prefetch.global.L1 [g]; prefetch.global.L2 [g+64]; prefetch.L2 [%out]; prefetchu.L1 [%out];"
           "prefetch.global.L2::evict_last [g]; prefetch.global.L2::evict_normal [g]; prefetch.local.L1 [0];"
           "applypriority.global.L2::evict_normal [g], 128; discard.global.L2 [g], 128;"
           "prefetch.L1 [0]; membar.proxy.alias; fence.proxy.alias; fence.sc.gpu; fence.acq_rel.sys;"
           "membar.cta; membar.sys; st.global.u32 [%mine], 3;"});
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], 3u);
}

TEST(IsaMemory, SubscriptsAndConstantExpressions) {
  const auto out = run(
      {.module =
           ".global .u32 a[2*(1+3)] = {1, 2+1, (3<<2)|1, ~0, -(4-6)*2, 0x10/3, 17%5, (.u64)7};\n"
           ".global .u32 m[2][3] = {{1, 2, 3}, {4, 5, 6}};\n.global .u64 q[2] = {a+(4*2), generic(a)+4*3};",
       .body =
           "ld.global.u32 %r1, a[3-1]; st.global.u32 [%out], %r1;"
           "mov.u64 %w1, a[5]; ld.global.u32 %r1, [%w1]; st.global.u32 [%out+(2*2)], %r1;"
           "ld.global.u32 %r1, m[1][2]; st.global.u32 [%out+8], %r1;"
           "ld.global.u64 %w2, q[0]; ld.global.u32 %r1, [%w2+4*2]; st.global.u32 [%out+12], %r1;"
           "ld.global.u64 %w2, [q+(4+4)]; ld.global.u32 %r1, [%w2+2*(1+1)-4]; st.global.u32 [%out+16], %r1;"
           "mov.u32 %r1, 2*3+(1<<4); st.global.u32 [%out+20], %r1; mov.u32 %r1, -2+5; st.global.u32 "
           "[%out+24], %r1;"
           "mov.u32 %r1, (7>3)?(10/2):9; st.global.u32 [%out+28], %r1;"
           "add.u32 %r1, %r1, (1); st.global.u32 [%out+32], %r1; ld.global.u32 %r1, [a+7*4]; st.global.u32 "
           "[%out+36], %r1;"
           "mov.f32 %f1, 1.5+0.25; st.global.f32 [%out+40], %f1;",
       .shape = {{1, 1, 1}, {1, 1, 1}, 0}});
  EXPECT_EQ(out[0], 13u);
  EXPECT_EQ(out[1], 5u);
  EXPECT_EQ(out[2], 6u);
  EXPECT_EQ(out[3], 4u);
  EXPECT_EQ(out[4], 0xffff'ffffu);
  EXPECT_EQ(out[5], 22u);
  EXPECT_EQ(out[6], 3u);
  EXPECT_EQ(out[7], 5u);
  EXPECT_EQ(out[8], 6u);
  EXPECT_EQ(out[9], 7u);
  EXPECT_EQ(out[10], std::bit_cast<std::uint32_t>(1.75f));
}

}  // namespace
}  // namespace heddle::testing::isa_memory_test
