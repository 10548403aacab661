// Branches, convergence barriers, masks, barriers of the CTA. A vote says which lanes are together.
#include <fmt/format.h>

#include "regression/code_values/code_case.h"

namespace heddle::code_values {
namespace control_rows {

// R20 is 2 in lanes that do not take the branch in front; R21: those that are here.
const std::string kTwo = "MOV@802 d=20 i=2 72:4=15";
const std::string kVote = "VOTE.ANY@806 d=21";

void add_branches(std::vector<CodeCase>& all, Arch arch) {
  const auto branch = [&](const std::string& line, const std::string& before, const std::string& after) {
    all.push_back({arch, line + " t=2; " + kTwo, "R20=1 " + before, after, 4});
  };
  branch("@P0 BRA@947", "P0=1,0,0,1", "R20=1,2,2,1");
  branch("@!P0 BRA@947 87:3=1", "P0=0,0,1,1 P1=1,0,1,0", "R20=1,2,2,2");
  branch("BRA@947 87:3=1 90=1", "P1=1,0,1,0", "R20=2,1,2,1");
  branch("@P0 BRA.U@947", "P0=1", "R20=1");
  branch("@P0 BRA.U@947", "P0=0", "R20=2");
  // Back: R4 turns.
  all.push_back(
      {arch,
       "IADD3@810 d=20 a=20 i=1 81:3=7 84:3=7 77:4=15 87:4=15; ISETP.LT.U32.AND@20c 81:3=0 a=20 b=4; "
       "@P0 BRA@947 t=-2",
       "R20=0 R4=3,1,5,2", "R20=3,1,5,2", 4});
  if (arch == k75) {
    // Whether those whose guard holds are all that live.
    branch("@P0 BRA.DIV@947", "P0=1", "R20=2");
    branch("@P0 BRA.DIV@947", "P0=1,0,0,0", "R20=1");
    branch("@P0 BRA.CONV@947", "P0=1", "R20=1");
    branch("@P0 BRA.CONV@947", "P0=1,1,1,0", "R20=2");
  } else {
    // ... those of the mask.
    branch("@P0 BRA.DIV@947 91=1 24:6=6", "P0=1,1,0,0 UR6=3", "R20=2");
    branch("@P0 BRA.DIV@947 91=1 24:6=6", "P0=1,1,0,0 UR6=7", "R20=1");
    branch("@P0 BRA.CONV@947 91=1 24:6=6", "P0=1 UR6=15", "R20=1");
    branch("@P0 BRA.CONV@947 91=1 24:6=6", "P0=1 UR6=7", "R20=2");
    branch("@P0 BRA.ANY@947", "P0=0,1,0,0", "R20=1");
    branch("@P0 BRA.ANY@947", "P0=0", "R20=2");
    for (const char* const mode : {"BRA", "BRA.U"}) {
      branch(fmt::format("{}@547 24:3=2", mode), "UP2=1", "R20=1");
      branch(fmt::format("{}@547 24:3=2", mode), "UP2=0", "R20=2");
      branch(fmt::format("{}@547 24:3=2 27=1", mode), "UP2=0", "R20=1");
    }
  }
  // Through registers: bytes from the next instruction on.
  const std::string marks = "; MOV@802 d=20 i=2 72:4=15; MOV@802 d=22 i=3 72:4=15; NOP@918; NOP@918";
  all.push_back({arch, "BRX@949 a=4 t=1" + marks, "R20=1 R22=1 W4=0,16,32,16", "R20=2,1,1,1 R22=3,3,1,3", 4});
  all.push_back({arch, "BRXU@958 24:6=4 91=1 t=1" + marks, "R20=1 R22=1 X4=16", "R20=1 R22=3", 4});
  all.push_back(
      {arch, "RET.REL.NODEC@950 a=4 t=1" + marks, "R20=1 R22=1 W4=0,16,32,16", "R20=2,1,1,1 R22=3,3,1,3", 4});
  all.push_back({arch, "CALL.REL.NOINC@944 t=2" + marks, "R20=1 R22=1", "R20=1 R22=3", 4});
  all.push_back({arch, "CALL.ABS.NOINC@943 t=2" + marks, "R20=1 R22=1", "R20=1 R22=3", 4});
  all.push_back({arch, "@P0 CALL.REL.NOINC@944 87:3=1 t=3" + marks, "R20=1 R22=1 P0=1,1,0,0 P1=1,0,1,0",
                 "R20=1,2,2,2 R22=1,3,3,3", 4});
  // An address of its own, or of what is behind.
  const std::string difference = "; IADD3@210 d=20 a=6 b=4 63=1 81:3=7 84:3=7 77:4=15 87:4=15";
  const std::string own = arch == k75 ? "LEPC@34e d=4; NOP@918; LEPC@34e d=6"
                                      : "LEPC@94e d=4 24:8=0x20; NOP@918; LEPC@94e d=6 24:8=0x10";
  all.push_back({arch, own + difference, "", arch == k75 ? "R20=32 R5=0" : "R20=16 R5=0", 4});
  // ... and back to it: RET.ABS to the instruction behind the move of R20.
  all.push_back(
      {arch,
       arch == k75
           ? "LEPC@34e d=4; IADD3@810 d=4 a=4 i=0x40 81:3=7 84:3=7 77:4=15 87:4=15; RET.ABS.NODEC@950 a=4; " +
                 kTwo
           : "LEPC@94e d=4 24:8=0x20; RET.ABS.NODEC@950 a=4; " + kTwo,
       "R20=1", "R20=1", 4});
}

void add_convergence(std::vector<CodeCase>& all, Arch arch) {
  const auto add = [&](const std::string& code, const std::string& before, const std::string& after) {
    all.push_back({arch, code, before, after, 4});
  };
  const std::string apart = "@P0 BRA@947 t=2; " + kTwo + "; ";
  add("BSSY@945 16:4=3 t=4; " + apart + "BSYNC@941 16:4=3; " + kVote, "R20=1 P0=1,0,0,1",
      "R20=1,2,2,1 R21=15");
  // Two of four leave the region, and nobody waits for them.
  for (const char* const leave : {"@P0 BREAK@942 16:4=3", "BREAK@942 16:4=3 87:3=0"})
    add(fmt::format("BSSY@945 16:4=3 t=5; {}; @P0 BRA@947 t=4; BMOV.32@355 d=20 24:4=3; BSYNC@941 16:4=3; ",
                    leave) +
            kVote + "; NOP@918",
        "P0=1,0,0,1 R20=1 R21=1", "R20=1,6,6,1 R21=1,6,6,1");
  add("BSSY@945 16:4=5 t=3; BMOV.32@355 d=20 24:4=5; BSYNC@941 16:4=5", "", "R20=15");
  add("BSSY@945 16:4=5 t=4; BMOV.32.CLEAR@355 d=20 24:4=5; BMOV.32@355 d=22 24:4=5; BSYNC@941 16:4=5", "",
      "R20=15 R22=0");
  add("BMOV.32@356 24:4=6 b=4; BMOV.32@355 d=20 24:4=6; " + apart + "BSYNC@941 16:4=6; " + kVote,
      "R4=15 P0=1,0,0,1", "R20=15,2,2,15 R21=15");
  add(apart + "YIELD@946; " + kVote + "; LOP3.LUT@212 d=21 a=21 b=255 c=255 72:8=0xf0 81:3=7 87:4=15",
      "R20=1 P0=1,0,0,1", "R20=1,2,2,1");
  if (arch == k75) {
    for (const char* const mask :
         {"WARPSYNC@948 i=0xf", "WARPSYNC@348 b=4", "WARPSYNC@b48 38:16=0x178", "WARPSYNC@d48 32:6=6 91=1"})
      add(apart + mask + "; " + kVote, "R20=1 R4=15 UR6=15 P0=1,0,0,1", "R20=1,2,2,1 R21=15");
  } else {
    for (const char* const mask : {"WARPSYNC@348 a=4", "WARPSYNC.EXCLUSIVE@348 a=4", "WARPSYNC.ALL@948"})
      add(apart + mask + "; " + kVote, "R20=1 R4=15 P0=1,0,0,1", "R20=1,2,2,1 R21=15");
    for (const char* const mask : {"WARPSYNC.COLLECTIVE@348 a=4", "WARPSYNC.COLLECTIVE.ALL@948"})
      add(apart + mask + " t=4; " + kVote + "; ENDCOLLECTIVE@91b; MOV@802 d=22 i=7 72:4=15; NOP@918",
          "R20=1 R22=1 R4=15 P0=1,0,0,1", "R20=1,2,2,1 R21=15 R22=1");
    add("RPCMOV.32@352 31=0 b=4; RPCMOV.32@352 31=1 b=5; RPCMOV.32@353 d=20 31=1; RPCMOV.32@353 d=22 31=0",
        "R4=1,2,3,4 R5=5,6,7,8", "R20=5,6,7,8 R22=1,2,3,4");
  }
  // Sleeps change nothing but time.
  const std::string constant = fmt::format("38:16={}", 0);
  for (const std::string& time :
       {std::string("35d b=4"), std::string("95d i=40"), "b5d " + constant, std::string("d5d 32:6=6 91=1")})
    for (const char* const mode : {"", ".WARP"})
      add(fmt::format("NANOSLEEP{}@{}; {}", mode, time, kTwo), "R4=20 UR6=30 R20=1", "R4=20 R20=2");
  if (arch == k90) add("NANOSLEEP.SYNCS@95d i=1000; " + kTwo, "R20=1", "R20=2");
}

void add_ends(std::vector<CodeCase>& all, Arch arch) {
  const std::string store = arch == k75 ? "STG.E.SYS@386 a=4 b=20" : "STG.E@386 a=4 b=20";
  for (const char* const end : {"EXIT@94d", "KILL@95b"}) {
    all.push_back({arch, fmt::format("@P0 {}; {}", end, store), "W4=G,G+4,G+8,G+12 R20=1,2,3,4 P0=1,0,0,1",
                   "G0=0,2,3,0", 4});
    all.push_back({arch, fmt::format("@P0 {} 87:3=1 90=1; {}", end, store),
                   "W4=G,G+4,G+8,G+12 R20=1,2,3,4 P0=1,0,1,1 P1=1,1,0,0", "G0=1,2,0,0", 4});
  }
}

std::string list(const char* name, unsigned (*value)(unsigned)) {
  std::string text = std::string(" ") + name;
  for (unsigned i = 0; i < 64; ++i) text += fmt::format("{}{}", i == 0 ? '=' : ',', value(i));
  return text;
}

/// Two warps: what one has stored in front of the barrier the other one reads behind it.
void add_barriers(std::vector<CodeCase>& all, Arch arch) {
  const std::string own = list("R4", [](unsigned i) { return 0x400 + 4 * i; }),
                    other = list("R6", [](unsigned i) { return 0x400 + 4 * (63 - i); }),
                    data = list("R20", [](unsigned i) { return 100 + i; }),
                    left = list("S0", [](unsigned i) { return 100 + i; }),
                    read = list("R22", [](unsigned i) { return 163 - i; }),
                    second = list("P0", [](unsigned i) { return i / 32; }),
                    read_by_second = list("R22", [](unsigned i) { return i < 32 ? 1 : 163 - i; });
  const std::string store = "STS@388 a=4 b=20; ", load = "; LDS@984 d=22 a=6";
  const auto add = [&](const std::string& barrier) {
    all.push_back(
        {arch, store + barrier + load, own + other + data + " R8=3 R9=64 R10=0x400003", left + read, 64});
  };
  for (const char* const blocking : {"", ".DEFER_BLOCKING"}) {
    add(fmt::format("BAR.SYNC{}@b1d 54:4=3 42:12=64", blocking));
    add(fmt::format("BAR.SYNC{}@b1d 54:4=2", blocking));
    add(fmt::format("BAR.SYNC{}@51d b=8 42:12=64", blocking));
    add(fmt::format("BAR.SYNC{}@91d 54:4=3 b=9", blocking));
    add(fmt::format("BAR.SYNC{}@31d b=10", blocking));
  }
  // The first warp only arrives.
  for (const char* const at : {"b1d 54:4=3 42:12=64", "51d b=8 42:12=64", "91d 54:4=3 b=9", "31d b=10"})
    all.push_back(
        {arch, fmt::format("{}@!P0 BAR.ARV@{}; @P0 BAR.SYNC@{}; @P0 LDS@984 d=22 a=6", store, at, at),
         own + other + data + second + " R8=3 R9=64 R10=0x400003 R22=1", left + read_by_second, 64});
  // 20 of 64 threads, all, none.
  struct Vote {
    const char* operation;
    unsigned (*holds)(unsigned);
    unsigned result;
  };
  constexpr Vote kVotes[] = {{"POPC", [](unsigned i) { return unsigned{i % 3 == 1 && i < 60}; }, 20},
                             {"AND", [](unsigned i) { return unsigned{i != 40}; }, 0},
                             {"AND", [](unsigned) { return 1u; }, 1},
                             {"OR", [](unsigned i) { return unsigned{i == 40}; }, 1},
                             {"OR", [](unsigned) { return 0u; }, 0}};
  for (const Vote& vote : kVotes)
    for (const char* const at :
         {"b1d 54:4=3 42:12=64", "b1d 54:4=3", "51d b=8 42:12=64", "91d 54:4=3 b=9", "31d b=10"})
      for (const char* const blocking : {"", ".DEFER_BLOCKING"})
        all.push_back(
            {arch,
             fmt::format("BAR.RED.{}{}@{} 87:3=0; B2R.RESULT@31c d=22 81:3=1", vote.operation, blocking, at),
             list("P0", vote.holds) + " R8=3 R9=64 R10=0x400003",
             fmt::format("R22={} P1={}", vote.result, vote.result != 0 ? 1 : 0), 64});
  all.push_back({arch, "BAR.RED.POPC@b1d 54:4=3 87:3=0 90=1; B2R.RESULT@31c d=22 81:3=1",
                 list("P0", kVotes[0].holds), "R22=44 P1=1", 64});
  if (arch == k90) add("UCGABAR_ARV@9c7; UCGABAR_WAIT@dc7 91=1");
}

}  // namespace control_rows

std::vector<CodeCase> control_cases() {
  using namespace control_rows;
  std::vector<CodeCase> all;
  for (const Arch arch : {k75, k90}) {
    add_branches(all, arch);
    add_convergence(all, arch);
    add_ends(all, arch);
    add_barriers(all, arch);
  }
  return all;
}

}  // namespace heddle::code_values
