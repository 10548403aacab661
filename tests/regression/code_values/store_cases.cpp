// Stores: every form, size, order, scope and eviction.
#include <fmt/format.h>

#include "regression/code_values/code_case.h"

namespace heddle::code_values {
namespace store_rows {

/// Words that two threads' stores of R20 to R23 leave at 16 and 48, where 0x11223344 and 0x55667788 were before zeros.
struct Stored {
  const char* size;
  const char* first;
  const char* second;
};
constexpr Stored kSizes[] = {
    {".U8", "0x11223388", "0x55667718"},
    {".S8", "0x11223388", "0x55667718"},
    {".U16", "0x11228788", "0x55660718"},
    {".S16", "0x11228788", "0x55660718"},
    {"", "0x85868788", "0x05060718"},
    {".64", "0x85868788,0x81828384", "0x05060718,0x01020304"},
    {".128", "0x85868788,0x81828384,0x91929394,0x15161718", "0x05060718,0x01020304,0x11121314,0x21222324"}};
const std::string kData =
    " R20=0x85868788,0x05060718 R21=0x81828384,0x01020304 R22=0x91929394,0x11121314 "
    "R23=0x15161718,0x21222324";

struct Address {
  Arch arch;
  const char* name;
  unsigned code;
  const char* fields;
  const char* before;
};

void add(std::vector<CodeCase>& all, const Address& of, const std::string& suffixes, const Stored& stored,
         const char* space) {
  all.push_back({of.arch, fmt::format("{}{}@{:x} {}", of.name, suffixes, of.code, of.fields),
                 fmt::format("{} {}16=0x11223344 {}48=0x55667788", of.before, space, space) + kData,
                 fmt::format("{}16={} {}48={}", space, stored.first, space, stored.second), 2});
}

constexpr Address kGlobal[] = {
    {k75, "STG", 0x386, "a=4 b=20 o=8", "W4=G+8,G+40"},
    {k75, "STG", 0x986, "a=4 b=20 u=6 o=8", "W4=8,40 X6=G"},
    {k90, "STG", 0x386, "a=4 b=20 o=0xfffff8", "W4=G+24,G+56"},
    {k90, "STG", 0x986, "a=4 b=20 u=6 o=8 76=1", "W4=G+8,G+40 X6=0x1234567812345678"},
    {k90, "STG", 0x986, "a=4 b=20 u=6 o=8 76=0", "W4=8,40 X6=G"},
    {k75, "ST", 0x385, "a=4 c=20 i=8", "W4=G+8,G+40"},
    {k75, "ST", 0x985, "a=4 b=20 u=6 o=8", "W4=8,40 X6=G"},
    {k90, "ST", 0x385, "a=4 c=20 i=8", "W4=G+8,G+40"},
    {k90, "ST", 0x985, "a=4 b=20 u=6 o=8 76=1", "W4=G+8,G+40 X6=0x1234567812345678"},
    {k90, "ST", 0x985, "a=4 b=20 u=6 o=8 76=0", "W4=8,40 X6=G"},
};
constexpr Address kShared[] = {
    {k75, "STS", 0x388, "a=4 b=20 o=8", "R4=0x408,0x428"},
    {k75, "STS", 0x388, "a=4 b=20 o=8 78:2=1", "R4=0x102,0x10a"},
    {k75, "STS", 0x388, "a=4 b=20 78:2=2", "R4=0x82,0x86"},
    {k75, "STS", 0x988, "a=4 b=20 u=6 78:2=3", "R4=1,3 UR6=0x400"},
    {k90, "STS", 0x388, "a=4 b=20 o=8", "R4=0x408,0x428"},
    {k90, "STS", 0x988, "a=4 b=20 u=6 o=8", "R4=8,40 UR6=0x400"},
};
constexpr Address kLocal[] = {
    {k75, "STL", 0x387, "a=4 b=20 o=8", "R4=8"},
    {k75, "STL", 0x987, "a=4 b=20 u=6", "R4=8 UR6=8"},
    {k90, "STL", 0x387, "a=4 b=20 o=8", "R4=8"},
    {k90, "STL", 0x987, "a=4 b=20 u=6", "R4=8 UR6=8"},
};

}  // namespace store_rows

std::vector<CodeCase> store_cases() {
  using namespace store_rows;
  std::vector<CodeCase> all;
  for (const Address& of : kGlobal) {
    const bool of75 = of.arch == k75;
    for (const Stored& size : kSizes)
      add(all, of, std::string(".E") + size.size + (of75 ? ".SYS" : ""), size, "G");
    for (const std::string& eviction : kEvictions)
      add(all, of, ".E" + eviction + (of75 ? ".SYS" : ""), kSizes[4], "G");
    for (const std::string& order : of75 ? kOrders75 : kOrders90) add(all, of, ".E" + order, kSizes[4], "G");
  }
  for (const Address& of : kShared)
    for (const Stored& size : kSizes) add(all, of, size.size, size, "S");
  // Each thread's own words.
  constexpr const char* kLocalAfter[] = {"L16=0x11223388,0x11223318",
                                         "L16=0x11223388,0x11223318",
                                         "L16=0x11228788,0x11220718",
                                         "L16=0x11228788,0x11220718",
                                         "L16=0x85868788,0x05060718 L20=9",
                                         "L16=0x85868788,0x05060718 L20=0x81828384,0x01020304 L24=0",
                                         "L16=0x85868788,0x05060718 L20=0x81828384,0x01020304 "
                                         "L24=0x91929394,0x11121314 L28=0x15161718,0x21222324"};
  for (const Address& of : kLocal) {
    const std::string before = std::string(of.before) + " L16=0x11223344 L20=9 L24=0" + kData;
    for (unsigned i = 0; i < std::size(kSizes); ++i)
      all.push_back({of.arch, fmt::format("STL{}@{:x} {}", kSizes[i].size, of.code, of.fields), before,
                     kLocalAfter[i], 2});
    for (const std::string& eviction : kEvictions)
      all.push_back(
          {of.arch, fmt::format("STL{}@{:x} {}", eviction, of.code, of.fields), before, kLocalAfter[4], 2});
  }
  for (const Arch arch : {k75, k90}) {
    const std::string weak = arch == k75 ? ".SYS" : "";
    const std::string added = arch == k75 ? "" : " 76=0";  // a register, not a descriptor
    const std::string value = " R20=7,8 ";
    all.push_back({arch, "STG" + weak + "@386 a=4 b=20", "R4=G+8,G+40 R5=0x7777" + value, "G8=7 G40=8", 2});
    all.push_back({arch, "STG" + weak + "@986 a=4 b=20 u=6 90=0" + added, "R4=8,40 R5=0x7777 X6=G" + value,
                   "G8=7 G40=8", 2});
    all.push_back({arch, "STG.E" + weak + "@986 a=4 b=20 u=6 90=0" + added, "R4=8,40 R5=0x7777 X6=G" + value,
                   "G8=7 G40=8", 2});
    all.push_back({arch, "ST" + weak + "@385 a=4 c=20 i=8", "R4=G,G+32 R5=0x7777" + value, "G8=7 G40=8", 2});
    all.push_back({arch, "ST" + weak + "@985 a=4 b=20 u=6 o=8 90=0" + added, "R4=0,32 R5=0x7777 X6=G" + value,
                   "G8=7 G40=8", 2});
    all.push_back(
        {arch, "ST.E" + weak + "@385 a=4 c=20 i=8", "W4=SH+0x400,SH+0x420" + value, "S8=7 S40=8", 2});
    all.push_back({arch, "ST.E" + weak + "@385 a=4 c=20 i=8", "W4=LO+8 L16=1" + value, "L16=7,8", 2});
    if (arch == k90)  // beside a descriptor
      for (const char* const store : {"STG@986 a=4 b=20 u=6 76=1 90=0", "ST@985 a=4 b=20 u=6 76=1 90=0"})
        all.push_back({arch, store, "R4=G+8,G+40 R5=0x7777" + value, "G8=7 G40=8", 2});
    // RZ is zeros, of any width.
    all.push_back(
        {arch, "STG.E.64" + weak + "@386 a=4", "W4=G+8,G+40 G8=1,2,3 G40=4,5,6", "G8=0,0,3 G40=0,0,6", 2});
  }
  return all;
}

}  // namespace heddle::code_values
