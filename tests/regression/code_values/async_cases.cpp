// Copies in the background, barriers in shared memory, and what comes with them on sm_90.
#include <fmt/format.h>

#include "regression/code_values/code_case.h"

namespace heddle::code_values {
namespace async_rows {

// Words of threads 0 and 1 at 16 and 48.
const std::string kFrom = " G16=1,2,3,4 G48=5,6,7,8";
const std::string kWait = "; LDGDEPBAR@9af 110:3=2; DEPBAR.LE@91a 44:3=2";

struct Copy {
  const char* suffixes;  ///< eviction, bypass, prefetch, size
  const char* after;
};
constexpr Copy kCopies[] = {
    {"", "S32=1 S64=5"},
    {".64", "S32=1,2 S64=5,6"},
    {".128", "S32=1,2,3,4 S64=5,6,7,8"},
    {".BYPASS.128", "S32=1,2,3,4 S64=5,6,7,8"},
    {".EF", "S32=1 S64=5"},
    {".EL", "S32=1 S64=5"},
    {".LU", "S32=1 S64=5"},
    {".EU", "S32=1 S64=5"},
    {".NA", "S32=1 S64=5"},
    {".LTC64B.128", "S32=1,2,3,4 S64=5,6,7,8"},
    {".LTC128B.128", "S32=1,2,3,4 S64=5,6,7,8"},
    {".LTC256B.128", "S32=1,2,3,4 S64=5,6,7,8"},
};

void add_copies(std::vector<CodeCase>& all, const char* at, const std::string& registers) {
  const std::string before = "R4=0x410,0x430 " + registers + kFrom;
  for (const Copy& copy : kCopies)
    all.push_back({k90, fmt::format("LDGSTS.E{}@{}", copy.suffixes, at) + kWait, before, copy.after, 2});
  all.push_back(
      {k90, fmt::format("LDGSTS.E@{} 87:3=1", at) + kWait, before + " P1=1,0 S32=9 S64=9", "S32=1 S64=0", 2});
  // The low bits of the address say how many bytes are zeros instead.
  all.push_back({k90, fmt::format("LDGSTS.E.128.ZFILL@{} 32:12=12", at) + kWait, before + " S32=9,9,9,9",
                 "S32=1,2,0,0 S64=5,6,0,0", 2});
}

/// 1 arrival, as ptxas' code for mbarrier.init has it: 2^20 - 1 in bits 1 to 20 and 43 to 62.
const std::string kBarrier = " S0=0x1ffffe,0x7ffff800";

}  // namespace async_rows

std::vector<CodeCase> async_cases() {
  using namespace async_rows;
  std::vector<CodeCase> all;
  add_copies(all, "fae d=4 44:20=16 a=6 32:12=4 u=8", "W6=G+12,G+44 X8=0x1234567812345678");
  add_copies(all, "dae d=4 44:20=16 a=6 32:12=4 u=8", "W6=12,44 X8=G");
  all.push_back({k90, "LDGSTS@fae d=4 44:20=16 a=6 32:12=4 u=8" + kWait,
                 "R4=0x410,0x430 R6=G+12,G+44 R7=0x7777" + kFrom, "S32=1 S64=5", 2});
  // 32 bytes are expected; then the arrival does not end the phase, and their coming does.
  all.push_back({k90,
                 "SYNCS.ARRIVE.TRANS64.A0TR@9a7 d=20 a=4 b=8; SYNCS.ARRIVE.TRANS64.RED.A1T0@9a7 a=4; "
                 "SYNCS.PHASECHK.TRANS64@5a7 81:3=1 a=4 b=21; SYNCS.ARRIVE.TRANS64.RED.A0TR@9a7 a=4 b=9; "
                 "SYNCS.PHASECHK.TRANS64@5a7 81:3=2 a=4 b=21",
                 "R4=0x400 R8=32 R9=-32 P2=0" + kBarrier,
                 "R20=0x1ffffe R21=0x7ffff800 P1=0 P2=1 S0=0x1ffffe,0xfffff800", 1});
  // From shared to global memory: two units of 16 bytes.
  for (const char* const copy : {"UBLKCP.G.S@3ba", "UBLKCP.G.S.L2HINT@3ba 40:6=12"})
    all.push_back({k90, fmt::format("{} 32:6=4 24:6=8 64:6=10; UTMACMDFLUSH@9b7", copy),
                   "X4=G+16 UR8=0x410 UR10=2 S16=1,2,3,4,5,6,7,8,9", "G16=1,2,3,4,5,6,7,8", 1});
  for (const char* const prefetch : {"UBLKPF@3bc", "UBLKPF.L2HINT@3bc 40:6=12"})
    all.push_back({k90, fmt::format("{} 24:6=4 64:6=10", prefetch), "X4=G UR10=2 R20=5", "R20=5", 1});
  return all;
}

}  // namespace heddle::code_values
