// Loads: every form, size, order, scope, eviction and prefetch. What is not the size changes no value.
#include <fmt/format.h>

#include "regression/code_values/code_case.h"

namespace heddle::code_values {
namespace load_rows {

// Words from 16 on: thread 0's. From 48 on: thread 1's.
const std::string kBytes =
    "16=0x85868788,0x81828384,0x91929394,0x15161718 {0}48=0x05060718,0x01020304,0x11121314,0x21222324";
constexpr const char* kRest1 = " R21=0xdeadbeef R22=0xdeadbeef R23=0xdeadbeef";
constexpr const char* kRest2 = " R22=0xdeadbeef R23=0xdeadbeef";
constexpr const char* kAll =
    "R20=0x85868788,0x05060718 R21=0x81828384,0x01020304 R22=0x91929394,0x11121314 R23=0x15161718,0x21222324";
const std::vector<std::pair<std::string, std::string>> kSizes{
    {".U8", std::string("R20=0x88,0x18") + kRest1},
    {".S8", std::string("R20=0xffffff88,0x18") + kRest1},
    {".U16", std::string("R20=0x8788,0x718") + kRest1},
    {".S16", std::string("R20=0xffff8788,0x718") + kRest1},
    {"", std::string("R20=0x85868788,0x05060718") + kRest1},
    {".64", std::string("R20=0x85868788,0x05060718 R21=0x81828384,0x01020304") + kRest2},
    {".128", kAll}};

static const std::vector<std::string> kPrefetches{"", ".LTC64B", ".LTC128B", ".LTC256B"};

/// How a form names its address; before: what the registers hold, so that threads 0 and 1 read at 16 and 48.
struct Address {
  Arch arch;
  const char* name;
  unsigned code;
  const char* fields;
  const char* before;
};

void add_global(std::vector<CodeCase>& all, const Address& of, const std::string& memory) {
  const auto add = [&](const std::string& suffixes, const std::string& after) {
    all.push_back({of.arch, fmt::format("{}{}@{:x} {}", of.name, suffixes, of.code, of.fields),
                   std::string(of.before) + " " + memory, after, 2});
  };
  const bool of75 = of.arch == k75;
  const std::string weak = of75 ? ".SYS" : "";
  for (const auto& [size, after] : kSizes) add(".E" + size + weak, after);
  if (of75) add(".E.U.128" + weak, kAll);
  for (const std::string& eviction : kEvictions) add(".E" + eviction + weak, kSizes[4].second);
  for (const std::string& prefetch : kPrefetches) add(".E" + prefetch + ".64" + weak, kSizes[5].second);
  for (const std::string& order : of75 ? kOrders75 : kOrders90) add(".E" + order, kSizes[4].second);
}

constexpr Address kGlobal[] = {
    {k75, "LDG", 0x381, "d=20 a=4 o=8", "W4=G+8,G+40"},
    {k75, "LDG", 0x981, "d=20 a=4 u=6 o=8", "W4=8,40 X6=G"},
    {k90, "LDG", 0x381, "d=20 a=4 o=0xfffff8", "W4=G+24,G+56"},
    {k90, "LDG", 0x981, "d=20 a=4 u=6 o=8 76=1", "W4=G+8,G+40 X6=0x1234567812345678"},
    {k90, "LDG", 0x981, "d=20 a=4 u=6 o=8 76=0", "W4=8,40 X6=G"},
    {k75, "LD", 0x980, "d=20 a=4 i=8", "W4=G+8,G+40"},
    {k75, "LD", 0x980, "d=20 a=4 u=6 o=8", "W4=8,40 X6=G"},
    {k90, "LD", 0x980, "d=20 a=4 i=8", "W4=G+8,G+40"},
    {k90, "LD", 0x980, "d=20 a=4 u=6 o=8 76=1", "W4=G+8,G+40 X6=0x1234567812345678"},
    {k90, "LD", 0x980, "d=20 a=4 u=6 o=8 76=0", "W4=8,40 X6=G"},
};
constexpr Address kShared[] = {
    {k75, "LDS", 0x984, "d=20 a=4 o=8", "R4=0x408,0x428"},
    {k75, "LDS.U", 0x984, "d=20 a=4 o=8", "R4=0x408,0x428"},
    {k75, "LDS", 0x984, "d=20 a=4 o=8 78:2=1", "R4=0x102,0x10a"},
    {k75, "LDS", 0x984, "d=20 a=4 u=6 78:2=2", "R4=2,6 UR6=0x400"},
    {k75, "LDS", 0x984, "d=20 a=4 78:2=3", "R4=0x41,0x43"},
    {k90, "LDS", 0x984, "d=20 a=4 o=8", "R4=0x408,0x428"},
    {k90, "LDS", 0x984, "d=20 a=4 u=6 o=8", "R4=0x8,0x28 UR6=0x400"},
};
constexpr Address kLocal[] = {
    {k75, "LDL", 0x983, "d=20 a=4 o=8", "R4=8"},
    {k90, "LDL", 0x983, "d=20 a=4 u=6", "R4=8 UR6=8"},
};

void add_narrow(std::vector<CodeCase>& all, const Address& of, const std::string& memory) {
  for (const auto& [size, after] : kSizes)
    all.push_back({of.arch, fmt::format("{}{}@{:x} {}", of.name, size, of.code, of.fields),
                   std::string(of.before) + " " + memory, after, 2});
}

}  // namespace load_rows

std::vector<CodeCase> load_cases() {
  using namespace load_rows;
  std::vector<CodeCase> all;
  const auto words = [](const char* where) { return fmt::format(fmt::runtime("{0}" + kBytes), where); };
  for (const Address& of : kGlobal) add_global(all, of, words("G"));
  for (const Address& of : kShared) add_narrow(all, of, words("S"));
  const std::string local =
      "L16=0x85868788,0x05060718 L20=0x81828384,0x01020304 L24=0x91929394,0x11121314 "
      "L28=0x15161718,0x21222324";
  for (const Address& of : kLocal) {
    add_narrow(all, of, local);
    for (const std::string& eviction : kEvictions)
      all.push_back({of.arch, fmt::format("LDL{}@983 {}", eviction, of.fields),
                     std::string(of.before) + " " + local, kSizes[4].second, 2});
  }
  // Addresses of 32 bits, a base of 32 bits beside a pair, generic addresses.
  const std::string global = words("G"), shared = words("S"), whole = kSizes[4].second;
  for (const Arch arch : {k75, k90}) {
    const std::string weak = arch == k75 ? ".SYS" : "";
    const std::string added = arch == k75 ? "" : " 76=0";  // a register, not a descriptor
    all.push_back({arch, "LDG" + weak + "@381 d=20 a=4 o=8", "R4=G+8,G+40 R5=0x7777 " + global, whole, 2});
    all.push_back({arch, "LDG" + weak + "@981 d=20 a=4 u=6 o=8 90=0" + added,
                   "R4=8,40 R5=0x7777 X6=G " + global, whole, 2});
    all.push_back({arch, "LDG.E" + weak + "@981 d=20 a=4 u=6 o=8 90=0" + added,
                   "R4=8,40 R5=0x7777 X6=G " + global, whole, 2});
    all.push_back({arch, "LD" + weak + "@980 d=20 a=4 i=8", "R4=G+8,G+40 R5=0x7777 " + global, whole, 2});
    all.push_back({arch, "LD.E" + weak + "@980 d=20 a=4 i=8", "W4=SH+0x408,SH+0x428 " + shared, whole, 2});
    all.push_back({arch, "LD.E" + weak + "@980 d=20 a=4 i=8", "W4=LO+8 " + local, whole, 2});
    all.push_back({arch, "LD" + weak + "@980 d=20 a=4 u=6 o=8" + added,
                   "R4=8,40 R5=0x7777 X6=G R7=0x7777 " + global, whole, 2});
    if (arch == k90)  // beside a descriptor
      for (const char* const load :
           {"LDG@981 d=20 a=4 u=6 o=8 76=1 90=0", "LD@980 d=20 a=4 u=6 o=8 76=1 90=0"})
        all.push_back({arch, load, "R4=G+8,G+40 R5=0x7777 " + global, whole, 2});
    // A word goes to RZ.
    all.push_back({arch, "LDG.E" + weak + "@381 a=4", "W4=G+8 R20=7", "R20=7", 2});
    // Parameters, by an index.
    const unsigned at = parameters_at(arch) + 16;
    const char* const by_size[] = {"R20=0x88",
                                   "R20=0xffffff88",
                                   "R20=0x8788",
                                   "R20=0xffff8788",
                                   "R20=0x85868788",
                                   "R20=0x85868788 R21=0x81828384",
                                   "R20=0x85868788 R21=0x81828384 R22=0x9192939f R23=0x15161718"};
    for (unsigned i = 0; i < std::size(by_size); ++i)
      all.push_back({arch, fmt::format("LDC{}@b82 d=20 a=4 38:16={}", kSizes[i].first, at - 16), "R4=16",
                     by_size[i], 2});
    all.push_back({arch, fmt::format("LDC.U8@b82 d=20 a=4 38:16={}", at), "R4=1,6", "R20=0x87,0x82", 2});
    // ... by a uniform one, into uniform registers.
    const char* const uniform[] = {"UR20=0x88",       "UR20=0xffffff88", "UR20=0x8788",
                                   "UR20=0xffff8788", "UR20=0x85868788", "UR20=0x85868788 UR21=0x81828384"};
    for (unsigned i = 0; i < std::size(uniform); ++i) {
      all.push_back(
          {arch, fmt::format("ULDC{}@ab9 16:6=20 38:16={}", kSizes[i].first, at), "", uniform[i], 2});
      all.push_back({arch, fmt::format("ULDC{}@abb 16:6=20 24:6=4 38:16={}", kSizes[i].first, at - 16),
                     "UR4=16", uniform[i], 2});
    }
    // The space of an address; nowhere of the cluster's other CTAs.
    const char* const kAddresses = "W4=G,LO+8,SH+8,SH+0x400";
    for (const auto& [space, holds] :
         {std::pair{"G", "1,0,0,0"}, {"L", "0,1,0,0"}, {"S", "0,0,1,1"}, {"CLUSTER", "0,0,1,1"}}) {
      all.push_back(
          {arch, fmt::format("QSPC.E.{}@3aa 81:3=1 a=4", space), kAddresses, fmt::format("P1={}", holds), 4});
      all.push_back({arch, fmt::format("QSPC.E.{}@9aa 81:3=1 a=4 u=6", space),
                     std::string("X6=0x0 ") + kAddresses, fmt::format("P1={}", holds), 4});
    }
    all.push_back({arch, "QSPC.G@3aa 81:3=1 a=4", "R4=G R5=0x7fff", "P1=1", 2});
    all.push_back({arch, "QSPC.G@9aa 81:3=1 a=4 u=6", "R4=0 R5=0x7fff UR6=G UR7=0x7fff", "P1=1", 2});
  }
  return all;
}

}  // namespace heddle::code_values
