// Fences, what empties L1, advice about lines, and what waits for counters. Threads 0 and 1 store, and read the other's word: an old value out of L1 is wrong.
#include <fmt/format.h>

#include "regression/code_values/code_case.h"

namespace heddle::code_values {

std::vector<CodeCase> fence_cases() {
  std::vector<CodeCase> all;
  for (const Arch arch : {k75, k90}) {
    const std::string weak = arch == k75 ? ".SYS" : "";
    const auto between = [&](const std::string& code) {
      all.push_back(
          {arch,
           fmt::format("LDG.E{0}@381 d=8 a=6; STG.E{0}@386 a=4 b=20; {1}; LDG.E{0}@381 d=9 a=6", weak, code),
           "W4=G,G+32 W6=G+32,G R20=5,6 G0=1 G32=2", "R8=2,1 R9=6,5 G0=5 G32=6", 2});
    };
    for (const char* const order : {".SC", ".ALL", ""})
      for (const char* const scope : {".CTA", ".SM", ".GPU", ".SYS", ".VC"})
        between(fmt::format("MEMBAR{}{}@992; ERRBAR@9ab; CCTL.IVALL@98f", order, scope));
    if (arch == k90) between("MEMBAR.SC.SYS@992; ERRBAR@9ab; CGAERRBAR@5ab; CCTL.IVALL@98f");
    // Of advice nothing is to be seen. What is discarded may be anything; here it stays.
    for (const char* const advice : {"PF1", "PF2", "PF2EL", "RML2", "DML2"})
      all.push_back({arch, fmt::format("CCTL.E.{}@98f a=4 i=8; LDG.E{}@381 d=9 a=6", advice, weak),
                     "W4=G,G+32 W6=G+32,G G0=1 G32=2", "R4=G,G+32 R9=2,1", 2});
    for (const char* const wait : {"DEPBAR@91a 44:3=1", "DEPBAR.LE@91a 44:3=1 38:6=1", "DEPBAR@91a 32:6=5"})
      all.push_back(
          {arch,
           fmt::format("LDG.E{}@381 d=9 a=6; {}; IADD3@210 d=9 a=9 b=9 81:3=7 84:3=7 77:4=15 87:4=15", weak,
                       wait),
           "W6=G+32,G G0=1 G32=2", "R9=4,2", 2});
    all.push_back({arch, "NOP@918; PMTRIG@801 i=3; NOP@918", "R4=5", "R4=5", 2});
  }
  return all;
}

}  // namespace heddle::code_values
