// Atomics: every form, operation, type, order, scope and eviction, of threads 0 and 1 at words 16 and 48.
#include <fmt/format.h>

#include "regression/code_values/code_case.h"

namespace heddle::code_values {
namespace atomic_rows {

/// What two threads find, give and leave: words of 32 bits, or of 64 as two.
struct Operation {
  const char* text;  ///< operation and type, as the mnemonic has them
  std::uint64_t old[2], operand[2], then[2];
  unsigned bytes = 4;
};
constexpr std::uint64_t kOnes = ~std::uint64_t{0};

constexpr Operation kOf32[] = {
    {".ADD", {0xffff'ffff, 5}, {3, 7}, {2, 12}},
    {".MIN", {0xffff'ffff, 5}, {3, 7}, {3, 5}},
    {".MIN.S32", {0xffff'ffff, 5}, {3, 0xffff'fff9}, {0xffff'ffff, 0xffff'fff9}},
    {".MAX", {0xffff'ffff, 5}, {3, 7}, {0xffff'ffff, 7}},
    {".MAX.S32", {0xffff'ffff, 5}, {3, 0xffff'fff9}, {3, 5}},
    {".ADD.S32", {0xffff'ffff, 5}, {3, 0xffff'fff9}, {2, 0xffff'fffe}},
    {".INC", {7, 6}, {7, 7}, {0, 7}},
    {".INC", {9, 0}, {7, 0}, {0, 0}},
    {".DEC", {0, 8}, {7, 7}, {7, 7}},
    {".DEC", {7, 1}, {7, 7}, {6, 0}},
    {".AND", {6, 0xf0f0'f0f0}, {3, 0x8888'8888}, {2, 0x8080'8080}},
    {".OR", {6, 0xf0f0'f0f0}, {3, 0x0808'0808}, {7, 0xf8f8'f8f8}},
    {".XOR", {6, 0xf0f0'f0f0}, {3, 0xffff'ffff}, {5, 0x0f0f'0f0f}},
};
constexpr Operation kExchange[] = {{".EXCH", {6, 7}, {3, 0xffff'ffff}, {3, 0xffff'ffff}},
                                   {".EXCH.64", {6, kOnes}, {0x3'0000'0001, 5}, {0x3'0000'0001, 5}, 8}};
constexpr Operation kOf64[] = {
    {".ADD.64", {0xffff'ffff, kOnes}, {1, 2}, {0x1'0000'0000, 1}, 8},
    {".MIN.64", {kOnes, 5}, {0x5'0000'0000, 7}, {0x5'0000'0000, 5}, 8},
    {".MAX.64", {kOnes, 5}, {0x5'0000'0000, 0x1'0000'0000}, {kOnes, 0x1'0000'0000}, 8},
    {".MIN.S64", {kOnes, 5}, {0x5'0000'0000, 7}, {kOnes, 5}, 8},
    {".MAX.S64", {kOnes, 5}, {0x5'0000'0000, 1}, {0x5'0000'0000, 5}, 8},
    {".AND.64", {0x6'0000'0006, kOnes}, {0x3'0000'0003, 9}, {0x2'0000'0002, 9}, 8},
    {".OR.64", {0x6'0000'0006, 0}, {0x3'0000'0003, 9}, {0x7'0000'0007, 9}, 8},
    {".XOR.64", {0x6'0000'0006, kOnes}, {0x3'0000'0003, 9}, {0x5'0000'0005, 0xffff'ffff'ffff'fff6}, 8},
};
// 1.5 + 2, and the least subnormal twice. (1, 2) + (2, -1), and the least subnormals. 1 + 2.5, -0 + -0.
constexpr Operation kSingle[] = {
    {".ADD.F32.FTZ.RN", {0x3fc0'0000, 1}, {0x4000'0000, 1}, {0x4060'0000, 0}},
    {".ADD.F32.FTZ.RN", {0x7f80'0000, 0x3f80'0000}, {0xff80'0000, 0x3380'0000}, {0x7fff'ffff, 0x3f80'0000}}};
constexpr Operation kHalves[] = {
    {".ADD.F16x2.RN", {0x3c00'4000, 0x0001'0001}, {0x4000'bc00, 0x0001'7c00}, {0x4200'3c00, 0x0002'7c00}}};
constexpr Operation kBfloats[] = {
    {".ADD.BF16_V2.RN", {0x3f80'4000, 0x0001'0001}, {0x4000'bf80, 0x0001'7f80}, {0x4040'3f80, 0x0002'7f80}}};
constexpr Operation kDouble[] = {{".ADD.F64.RN",
                                  {0x3ff0'0000'0000'0000, 0x8000'0000'0000'0000},
                                  {0x4004'0000'0000'0000, 0x8000'0000'0000'0000},
                                  {0x400c'0000'0000'0000, 0x8000'0000'0000'0000},
                                  8}};

struct Place {
  Arch arch;
  const char* name;
  unsigned code;
  const char* fields;  ///< with operands: R8 is given, R20 is what was there, P1 says that it is done
  const char* before;
  bool answers = true;
  char space = 'G';
};
constexpr Place kAtoms75[] = {
    {k75, "ATOM", 0x38a, "d=20 a=4 b=8 o=8 81:3=1", "W4=G+8,G+40 P1=0"},
    {k75, "ATOM", 0x98a, "d=20 a=4 b=8 u=6 o=8 81:3=1", "W4=8,40 X6=G P1=0"},
    {k75, "ATOMG", 0x3a8, "d=20 a=4 b=8 o=8 81:3=1", "W4=G+8,G+40 P1=0"},
    {k75, "ATOMG", 0x9a8, "d=20 a=4 b=8 u=6 o=8 81:3=1", "W4=8,40 X6=G P1=0"},
    {k75, "RED", 0x98e, "a=4 b=8 u=6 o=8", "W4=8,40 X6=G", false},
};
constexpr Place kAtoms90[] = {
    {k90, "ATOM", 0x38a, "d=20 a=4 b=8 o=8 81:3=1", "W4=G+8,G+40 P1=0"},
    {k90, "ATOM", 0x98a, "d=20 a=4 b=8 u=6 o=8 81:3=1 71=1", "W4=G+8,G+40 X6=0x1234567812345678 P1=0"},
    {k90, "ATOM", 0x98a, "d=20 a=4 b=8 u=6 o=8 81:3=1 71=0", "W4=8,40 X6=G P1=0"},
    {k90, "ATOMG", 0x9a8, "d=20 a=4 b=8 u=6 o=8 81:3=1", "W4=G+8,G+40 X6=0x1234567812345678 P1=0"},
    {k90, "REDG", 0x98e, "a=4 b=8 u=6 o=8", "W4=G+8,G+40 X6=0x1234567812345678", false},
};
constexpr Place kFloats90[] = {
    {k90, "ATOM", 0x9a2, "d=20 a=4 b=8 u=6 o=8 81:3=1", "W4=G+8,G+40 X6=0x1234567812345678 P1=0"},
    {k90, "ATOMG", 0x9a3, "d=20 a=4 b=8 u=6 o=8 81:3=1", "W4=G+8,G+40 X6=0x1234567812345678 P1=0"},
    {k90, "REDG", 0x9a6, "a=4 b=8 u=6 o=8", "W4=G+8,G+40 X6=0x1234567812345678", false},
};
constexpr Place kSwaps[] = {
    {k75, "ATOM", 0x38b, "d=20 a=4 b=8 c=12 o=8 81:3=1", "W4=G+8,G+40 P1=0"},
    {k75, "ATOMG", 0x3a9, "d=20 a=4 b=8 c=12 o=8 81:3=1", "W4=G+8,G+40 P1=0"},
    {k90, "ATOM", 0x38b, "d=20 a=4 b=8 c=12 o=8 81:3=1", "W4=G+8,G+40 P1=0"},
    {k90, "ATOMG", 0x3a9, "d=20 a=4 b=8 c=12 o=8 81:3=1", "W4=G+8,G+40 P1=0"},
};

/// Names of two words: "R8=low,low R9=high,high".
std::string registers(unsigned first, const std::uint64_t (&values)[2], unsigned bytes) {
  return fmt::format(" {}{}={:#x},{:#x}", bytes == 8 ? "W" : "R", first, values[0], values[1]);
}
std::string memory(const std::uint64_t (&values)[2], unsigned bytes, char space) {
  std::string text;
  for (unsigned i = 0; i < 2; ++i) {
    text += fmt::format(" {}{}={}", space, 16 + 32 * i, values[i] & 0xffff'ffff);
    if (bytes == 8) text += fmt::format(",{}", values[i] >> 32);
  }
  return text;
}

constexpr Place kShared[] = {
    {k75, "ATOMS", 0x38c, "d=20 a=4 b=8 o=8", "R4=0x408,0x428", true, 'S'},
    {k75, "ATOMS", 0x38c, "d=20 a=4 b=8 o=8 78:2=1", "R4=0x102,0x10a", true, 'S'},
    {k75, "ATOMS", 0x98c, "d=20 a=4 b=8 u=6 78:2=2", "R4=2,6 UR6=0x400", true, 'S'},
    {k90, "ATOMS", 0x38c, "d=20 a=4 b=8 o=8", "R4=0x408,0x428", true, 'S'},
    {k90, "ATOMS", 0x98c, "d=20 a=4 b=8 u=6 o=8", "R4=8,40 UR6=0x400", true, 'S'},
};

class Cases {
 public:
  void add(const Place& at, const Operation& what, const std::string& behind,
           const std::string& in_front = ".E") {
    std::string after = memory(what.then, what.bytes, at.space);
    if (at.answers) after += registers(20, what.old, what.bytes) + (at.space == 'G' ? " P1=1" : "");
    all.push_back(
        {at.arch, fmt::format("{}{}{}{}@{:x} {}", at.name, in_front, what.text, behind, at.code, at.fields),
         at.before + registers(8, what.operand, what.bytes) + memory(what.old, what.bytes, at.space), after,
         2});
  }
  template <std::size_t N>
  void add_all(const Place& at, const Operation (&list)[N], const std::string& behind,
               const std::string& in_front = ".E") {
    for (const Operation& each : list) add(at, each, behind, in_front);
  }
  /// Every order, scope and eviction; without .E the address has 32 bits.
  void add_suffixes(const Place& at, const Operation& what) {
    const bool of75 = at.arch == k75;
    const std::string usual = ".STRONG.GPU";
    for (const std::string& eviction : kEvictions) add(at, what, usual, ".E" + eviction);
    for (const std::string& order : of75 ? kOrders75 : kOrders90) add(at, what, order);
    add(at, what, usual, "");
  }
  /// Vectors: each element alone.
  void add_vector(const Place& at, const char* type, const Operation& of, unsigned words) {
    std::string before = at.before, after = at.answers ? "P1=1" : "";
    for (unsigned word = 0; word < words; ++word) {
      const unsigned turned = word % 2;  // the threads' values change places
      before += fmt::format(" R{}={},{} G{}={} G{}={}", 8 + word, of.operand[turned], of.operand[1 - turned],
                            16 + 4 * word, of.old[turned], 48 + 4 * word, of.old[1 - turned]);
      after +=
          fmt::format(" G{}={} G{}={}", 16 + 4 * word, of.then[turned], 48 + 4 * word, of.then[1 - turned]);
      if (at.answers) after += fmt::format(" R{}={},{}", 20 + word, of.old[turned], of.old[1 - turned]);
    }
    all.push_back({at.arch, fmt::format("{}.E.ADD{}.STRONG.GPU@{:x} {}", at.name, type, at.code, at.fields),
                   before, after, 2});
  }
  /// Thread 0 finds what it expects, thread 1 does not.
  void add_swap(const Place& at, const std::string& in_front, const std::string& type,
                const std::string& behind) {
    const std::string code =
        fmt::format("{}{}{}{}@{:x} {}", at.name, in_front, type, behind, at.code, at.fields);
    const std::string none = at.before;
    const bool spins = in_front.find("CAST") != std::string::npos;
    if (type == ".128")
      all.push_back({at.arch, code,
                     none + " R8=1 R9=2 R10=3 R11=4,5 R12=6 R13=7 R14=8 R15=9 G16=1,2,3,4 G48=1,2,3,4",
                     "R20=1 R21=2 R22=3 R23=4 P1=1 G16=6,7,8,9", 2});
    else if (type == ".64")
      all.push_back({at.arch, code, none + " R8=1 R9=2,3 R12=6 R13=7 G16=1,2 G48=1,2",
                     std::string(spins ? "R20=1,0" : "R20=1 R21=2") + " P1=1 G16=6,7", 2});
    else
      all.push_back({at.arch, code, none + " R8=1,3 R12=6 G16=1 G48=1",
                     std::string(spins ? "R20=1,0" : "R20=1") + " P1=1 G16=6", 2});
  }
  std::vector<CodeCase> all;
};

}  // namespace atomic_rows

std::vector<CodeCase> atomic_cases() {
  using namespace atomic_rows;
  Cases cases;
  for (const Place& at : kAtoms75) {
    const std::string usual = ".STRONG.GPU";
    cases.add_all(at, kOf32, usual);
    cases.add_all(at, kOf64, usual);
    cases.add_all(at, kSingle, usual);
    cases.add_all(at, kHalves, usual);
    cases.add_all(at, kDouble, usual);
    if (at.answers) cases.add_all(at, kExchange, usual);
    cases.add_suffixes(at, kOf32[0]);
  }
  for (const Place& at : kAtoms90) {
    cases.add_all(at, kOf32, ".STRONG.GPU");
    cases.add_all(at, kOf64, ".STRONG.GPU");
    cases.add_suffixes(at, kOf32[0]);
    if (!at.answers) continue;
    cases.add_all(at, kExchange, ".STRONG.GPU");
    cases.all.push_back({k90, fmt::format("{}.E.EXCH.128.STRONG.GPU@{:x} {}", at.name, at.code, at.fields),
                         std::string(at.before) + " R8=1,5 R9=2 R10=3 R11=4,8 G16=6,7,8,9 G48=10,11,12,13",
                         "R20=6,10 R21=7,11 R22=8,12 R23=9,13 P1=1 G16=1,2,3,4 G48=5,2,3,8", 2});
  }
  for (const Place& at : kFloats90) {
    cases.add_all(at, kSingle, ".STRONG.GPU");
    cases.add_all(at, kHalves, ".STRONG.GPU");
    cases.add_all(at, kBfloats, ".STRONG.GPU");
    cases.add_all(at, kDouble, ".STRONG.GPU");
    cases.add_suffixes(at, kSingle[0]);
    cases.add_vector(at, ".F16x4.RN", kHalves[0], 2);
    cases.add_vector(at, ".F16x8.RN", kHalves[0], 4);
    cases.add_vector(at, ".BF16_V4.RN", kBfloats[0], 2);
    cases.add_vector(at, ".BF16_V8.RN", kBfloats[0], 4);
    cases.add_vector(at, ".F32x2.FTZ.RN", kSingle[0], 2);
    cases.add_vector(at, ".F32x4.FTZ.RN", kSingle[0], 4);
  }
  for (const Place& at : kSwaps) {
    const bool of75 = at.arch == k75;
    for (const char* const type : {"", ".64"}) cases.add_swap(at, ".E.CAS", type, ".STRONG.GPU");
    if (!of75) cases.add_swap(at, ".E.CAS", ".128", ".STRONG.GPU");
    for (const std::string& eviction : kEvictions)
      cases.add_swap(at, ".E" + eviction + ".CAS", "", ".STRONG.GPU");
    cases.add_swap(at, ".CAS", "", ".STRONG.GPU");
    const bool casts = at.code == 0x38b;
    if (casts) {
      for (const char* const type : {"", ".64"}) cases.add_swap(at, ".E.CAST.SPIN", type, ".STRONG.GPU");
      for (const std::string& eviction : kEvictions)
        cases.add_swap(at, ".E" + eviction + ".CAST.SPIN", "", ".STRONG.GPU");
      cases.add_swap(at, ".CAST.SPIN", "", ".STRONG.GPU");
    }
    for (const std::string& order : of75 ? kOrders75 : kOrders90) {
      cases.add_swap(at, ".E.CAS", "", order);
      if (casts) cases.add_swap(at, ".E.CAST.SPIN", "", order);
    }
  }
  for (const Place& at : kShared) {
    cases.add_all(at, kOf32, "", "");
    cases.add_all(at, kOf64, "", "");
    cases.add_all(at, kExchange, "", "");
    if (at.arch == k75) {
      cases.add(at, {".ADD.F32.FTZ.RN", {0x3fc0'0000, 0}, {0x4000'0000, 0}, {0x4060'0000, 0}}, "", "");
      cases.add_all(at, kHalves, "", "");
      cases.add_all(at, kDouble, "", "");
    } else {
      cases.all.push_back({k90, fmt::format("ATOMS.EXCH.128@{:x} {}", at.code, at.fields),
                           std::string(at.before) + " R8=1,5 R9=2 R10=3 R11=4,8 S16=6,7,8,9 S48=10,11,12,13",
                           "R20=6,10 R21=7,11 R22=8,12 R23=9,13 S16=1,2,3,4 S48=5,2,3,8", 2});
    }
  }
  for (const Arch arch : {k75, k90}) {
    const auto swap = [&](const char* name, const char* before, const char* after) {
      cases.all.push_back({arch, fmt::format("{}@38d d=20 a=4 b=8 c=12 o=8", name),
                           std::string("R4=0x408,0x428 ") + before, after, 2});
    };
    swap("ATOMS.CAS", "R8=1,3 R12=6 S16=1 S48=1", "R20=1 S16=6");
    swap("ATOMS.CAS.64", "R8=1 R9=2,3 R12=6 R13=7 S16=1,2 S48=1,2", "R20=1 R21=2 S16=6,7");
    swap("ATOMS.CAST.SPIN", "R8=1,3 R12=6 S16=1 S48=1", "R20=1,0 S16=6");
    swap("ATOMS.CAST.SPIN.64", "R8=1 R9=2,3 R12=6 R13=7 S16=1,2 S48=1,2", "R20=1,0 S16=6,7");
    if (arch == k90)
      swap("ATOMS.CAS.128", "R8=1 R9=2 R10=3 R11=4,5 R12=6 R13=7 R14=8 R15=9 S16=1,2,3,4 S48=1,2,3,4",
           "R20=1 R21=2 R22=3 R23=4 S16=6,7,8,9");
  }
  // Counts the lanes that come, each for itself.
  cases.all.push_back({k90, "ATOMS.POPC.INC.32@f8c d=20 a=4 u=6 o=8",
                       "R4=8,40 UR6=0x400 S16=5 S48=0xffffffff", "R20=5,0xffffffff S16=6 S48=0", 2});
  cases.all.push_back({k90, "ATOMS.POPC.INC.32@f8c a=4 u=6 o=8", "R4=8 UR6=0x400 S16=5", "S16=37", 32});
  // On shared memory by a generic address.
  for (const Arch arch : {k75, k90})
    cases.all.push_back({arch, "ATOM.E.ADD.STRONG.SM@38a d=20 a=4 b=8 81:3=1",
                         "W4=SH+0x408,SH+0x418 R8=3,4 S8=5 S24=6 P1=0", "R20=5,6 P1=1 S8=8 S24=10", 2});
  return cases.all;
}

}  // namespace heddle::code_values
