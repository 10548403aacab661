// Expected outcomes of the worked examples 5.2 to 5.9 ([Resync:W3]): every row of its tables.
#pragma once

#include <vector>

namespace heddle::resync::test {

struct GoldenRow {
  const char* program;
  unsigned fetches;
  unsigned cycles;
  const char* policies;  ///< separated by ;
  const char* schedule;  ///< empty: the table has none
};

inline const std::vector<GoldenRow> kGoldenRows = {
    {"5.3 callee high", 16, 14,
     "MinPC;Lee;Long(2);Long(4);Long(8);LongMinPC(4);LongIRB(8);PDomMinPC;PDomMaxSP;PDomMinFun;Oracle(1k 0)",
     "A{01} B{0} C{1} F0*2{01} F1*2{01} F2*2{01} F3*2{01} F4*2{01} B2{0} C2{1} D{01}"},
    {"5.3 callee high", 16, 14, "RoundRobinEq",
     "A{01} C{1} B{0} F0*2{01} F1*2{01} F2*2{01} F3*2{01} F4*2{01} C2{1} B2{0} D{01}"},
    {"5.3 callee high", 26, 25,
     "MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;Lee+function_stack;LongMinSP(4);PDomSerial;"
     "PDomMinSP;PDomMaxFun;LongestPath1",
     "A{01} B{0} F0*2{0} F1*2{0} F2*2{0} F3*2{0} F4*2{0} B2{0} C{1} F0*2{1} F1*2{1} F2*2{1} F3*2{1} F4*2{1} "
     "C2{1} D{01}"},
    {"5.3 callee high", 28, 14, "RoundRobin", ""},
    {"5.3 callee low", 16, 14, "Long(2);Long(4);Long(8);LongIRB(8);PDomMaxSP;PDomMinFun;Oracle(1k 0)",
     "A{01} B{0} C{1} F0*2{01} F1*2{01} F2*2{01} F3*2{01} F4*2{01} B2{0} C2{1} D{01}"},
    {"5.3 callee low", 16, 14, "RoundRobinEq",
     "A{01} C{1} B{0} F0*2{01} F1*2{01} F2*2{01} F3*2{01} F4*2{01} C2{1} B2{0} D{01}"},
    {"5.3 callee low", 26, 25,
     "MinPC;MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;Lee+function_stack;Lee;LongMinPC(4);LongMinSP("
     "4);PDomSerial;PDomMinPC;PDomMinSP;PDomMaxFun;LongestPath1",
     "A{01} B{0} F0*2{0} F1*2{0} F2*2{0} F3*2{0} F4*2{0} B2{0} C{1} F0*2{1} F1*2{1} F2*2{1} F3*2{1} F4*2{1} "
     "C2{1} D{01}"},
    {"5.3 callee low", 28, 14, "RoundRobin", ""},
    {"5.4 callee high", 34, 32,
     "Lee+function_stack;Lee;PDomSerial;PDomMinPC;PDomMinSP;PDomMaxSP;PDomMaxFun;PDomMinFun;LongestPath1;"
     "Oracle(1k 0)",
     "A{01} B{01} F*10{01} B2{01} C{0} D*2{1} A{01} B{01} F*10{01} B2{01} C{1} D*2{0} A{01} E{01}"},
    {"5.4 callee high", 34, 32, "Long(2);Long(4);Long(8)",
     "A{01} B{01} F*10{01} B2{01} C{0} D*2{1} A{01} B{01} F*10{01} B2{01} D*2{0} C{1} A{01} E{01}"},
    {"5.4 callee high", 35, 32, "LongIRB(8)",
     "A{01} B{01} F*10{01} B2{01} C{0} D{1} A{0} D{1} A{1} B{01} F*10{01} B2{01} D{0} C{1} D{0} A{01} E{01}"},
    {"5.4 callee high", 36, 32, "RoundRobinEq",
     "A{01} B{01} F*10{01} B2{01} D{1} C{0} D{1} A{01} B{01} F*10{01} B2{01} C{1} D{0} A{1} D{0} E{1} A{0} "
     "E{0}"},
    {"5.4 callee high", 37, 35, "MinPC",
     "A{01} B{01} F*10{01} B2{01} C{0} A{0} B{0} D*2{1} A{1} B{1} F*10{01} B2{01} C{1} A{1} D*2{0} A{0} "
     "E{01}"},
    {"5.4 callee high", 45, 45,
     "MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;LongMinPC(4);LongMinSP(4)",
     "A{01} B{01} F*10{01} B2{01} C{0} A{0} B{0} F*10{0} B2{0} D*2{01} A{01} B{1} F*10{1} B2{1} C{1} A{1} "
     "E{01}"},
    {"5.4 callee high", 62, 31, "RoundRobin", ""},
    {"5.4 callee low", 34, 32,
     "Lee+function_stack;Lee;PDomSerial;PDomMinPC;PDomMinSP;PDomMaxSP;PDomMaxFun;PDomMinFun;LongestPath1;"
     "Oracle(1k 0)",
     "A{01} B{01} F*10{01} B2{01} C{0} D*2{1} A{01} B{01} F*10{01} B2{01} C{1} D*2{0} A{01} E{01}"},
    {"5.4 callee low", 34, 32, "Long(2);Long(4);Long(8)",
     "A{01} B{01} F*10{01} B2{01} C{0} D*2{1} A{01} B{01} F*10{01} B2{01} D*2{0} C{1} A{01} E{01}"},
    {"5.4 callee low", 35, 32, "LongIRB(8)",
     "A{01} B{01} F*10{01} B2{01} C{0} D{1} A{0} D{1} A{1} B{01} F*10{01} B2{01} D{0} C{1} D{0} A{01} E{01}"},
    {"5.4 callee low", 36, 32, "RoundRobinEq",
     "A{01} B{01} F*10{01} B2{01} D{1} C{0} D{1} A{01} B{01} F*10{01} B2{01} C{1} D{0} A{1} D{0} E{1} A{0} "
     "E{0}"},
    {"5.4 callee low", 45, 45,
     "MinPC;MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;LongMinPC(4);LongMinSP(4)",
     "A{01} B{01} F*10{01} B2{01} C{0} A{0} B{0} F*10{0} B2{0} D*2{01} A{01} B{1} F*10{1} B2{1} C{1} A{1} "
     "E{01}"},
    {"5.4 callee low", 62, 31, "RoundRobin", ""},
    {"5.5 callee high", 23, 20, "Oracle(1k 0)",
     "A{012} B{012} D*2{12} A{12} B{12} C{01} F{01} D{2} F{01} D{2} F{01} A{2} F*7{01} C2{01} E*2{012}"},
    {"5.5 callee high", 23, 22, "LongestPath1",
     "A{012} B{012} D*2{12} A{12} B{12} D*2{2} A{2} C{01} F*10{01} C2{01} E*2{012}"},
    {"5.5 callee high", 24, 21, "PDomMinPC;PDomMaxSP;PDomMinFun",
     "A{012} B{012} C{0} D*2{12} A{12} B{12} C{1} D*2{2} A{2} F*10{01} C2{01} E*2{012}"},
    {"5.5 callee high", 26, 21, "Long(4);Long(8)",
     "A{012} B{012} C{0} D*2{12} A{12} B{12} C{1} D*2{2} A{2} F*10{01} E*2{2} C2{01} E*2{01}"},
    {"5.5 callee high", 26, 23, "MinPC;LongMinPC(4)",
     "A{012} B{012} C{0} D*2{12} A{12} B{12} C{1} D*2{2} A{2} E*2{2} F*10{01} C2{01} E*2{01}"},
    {"5.5 callee high", 27, 20, "LongIRB(8)",
     "A{012} B{012} C{0} D{12} F{0} D{12} A{12} B{12} C{1} D{2} F{1} D{2} A{2} F{01} E{2} F{01} E{2} F*7{01} "
     "C2{01} E*2{01}"},
    {"5.5 callee high", 35, 33,
     "MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;LongMinSP(4);PDomSerial;PDomMinSP;PDomMaxFun",
     "A{012} B{012} C{0} F*10{0} C2{0} D*2{12} A{12} B{12} C{1} F*10{1} C2{1} D*2{2} A{2} E*2{012}"},
    {"5.5 callee high", 37, 29, "Long(2)",
     "A{012} B{012} C{0} D*2{12} F*10{0} A{12} C2{0} B{12} E*2{0} C{1} D*2{2} F*10{1} A{2} C2{1} E*2{12}"},
    {"5.5 callee high", 39, 20, "RoundRobinEq",
     "A{012} B{012} D{12} C{0} D{12} F{0} A{12} F{0} B{12} F{0} C{1} D{2} F{0} F{1} D{2} F{0} F{1} A{2} F{0} "
     "F{1} E{2} F{0} F{1} E{2} F{0} F{1} F{0} F{1} F{0} F{1} C2{0} F{1} E{0} F{1} E{0} F{1} C2{1} E*2{1}"},
    {"5.5 callee high", 39, 33, "Lee+function_stack",
     "A{012} B{012} C{0} F*10{0} C2{0} D*2{12} E*2{0} A{12} B{12} C{1} F*10{1} C2{1} D*2{2} E*2{1} A{2} "
     "E*2{2}"},
    {"5.5 callee high", 39, 33, "Lee",
     "A{012} B{012} C{0} D*2{12} F*10{0} C2{0} E*2{0} A{12} B{12} C{1} D*2{2} F*10{1} C2{1} E*2{1} A{2} "
     "E*2{2}"},
    {"5.5 callee high", 47, 20, "RoundRobin", ""},
    {"5.5 callee low", 23, 20, "Oracle(1k 0)",
     "A{012} B{012} D*2{12} A{12} B{12} C{01} D{2} F{01} D{2} F{01} A{2} F*8{01} C2{01} E*2{012}"},
    {"5.5 callee low", 23, 22, "LongestPath1",
     "A{012} B{012} D*2{12} A{12} B{12} D*2{2} A{2} C{01} F*10{01} C2{01} E*2{012}"},
    {"5.5 callee low", 24, 21, "PDomMaxSP;PDomMinFun",
     "A{012} B{012} C{0} D*2{12} A{12} B{12} C{1} D*2{2} A{2} F*10{01} C2{01} E*2{012}"},
    {"5.5 callee low", 26, 21, "Long(4);Long(8)",
     "A{012} B{012} C{0} D*2{12} A{12} B{12} C{1} D*2{2} A{2} F*10{01} E*2{2} C2{01} E*2{01}"},
    {"5.5 callee low", 27, 20, "LongIRB(8)",
     "A{012} B{012} C{0} D{12} F{0} D{12} A{12} B{12} C{1} D{2} F{1} D{2} A{2} F{01} E{2} F{01} E{2} F*7{01} "
     "C2{01} E*2{01}"},
    {"5.5 callee low", 35, 33,
     "MinPC;MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;LongMinPC(4);LongMinSP(4);PDomSerial;"
     "PDomMinPC;PDomMinSP;PDomMaxFun",
     "A{012} B{012} C{0} F*10{0} C2{0} D*2{12} A{12} B{12} C{1} F*10{1} C2{1} D*2{2} A{2} E*2{012}"},
    {"5.5 callee low", 37, 29, "Long(2)",
     "A{012} B{012} C{0} D*2{12} F*10{0} A{12} C2{0} B{12} E*2{0} C{1} D*2{2} F*10{1} A{2} C2{1} E*2{12}"},
    {"5.5 callee low", 39, 20, "RoundRobinEq",
     "A{012} B{012} D{12} C{0} D{12} F{0} A{12} F{0} B{12} F{0} C{1} D{2} F{0} F{1} D{2} F{0} F{1} A{2} F{0} "
     "F{1} E{2} F{0} F{1} E{2} F{0} F{1} F{0} F{1} F{0} F{1} C2{0} F{1} E{0} F{1} E{0} F{1} C2{1} E*2{1}"},
    {"5.5 callee low", 39, 33, "Lee+function_stack;Lee",
     "A{012} B{012} C{0} F*10{0} C2{0} D*2{12} E*2{0} A{12} B{12} C{1} F*10{1} C2{1} D*2{2} E*2{1} A{2} "
     "E*2{2}"},
    {"5.5 callee low", 47, 20, "RoundRobin", ""},
    {"5.5 callee low, C moved between D and E", 23, 20, "Oracle(1k 0)",
     "A{012} B{012} D*2{12} A{12} B{12} D{2} C{01} F{01} D{2} F{01} A{2} F*8{01} C2{01} E*2{012}"},
    {"5.5 callee low, C moved between D and E", 23, 22,
     "MinPC;MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;LongMinPC(4);LongMinSP(4);PDomMinPC;PDomMinSP;"
     "PDomMaxSP;PDomMaxFun;PDomMinFun;LongestPath1",
     "A{012} B{012} D*2{12} A{12} B{12} D*2{2} A{2} C{01} F*10{01} C2{01} E*2{012}"},
    {"5.5 callee low, C moved between D and E", 26, 21, "Long(4);Long(8)",
     "A{012} B{012} C{0} D*2{12} A{12} B{12} C{1} D*2{2} A{2} F*10{01} E*2{2} C2{01} E*2{01}"},
    {"5.5 callee low, C moved between D and E", 27, 20, "LongIRB(8)",
     "A{012} B{012} C{0} D{12} F{0} D{12} A{12} B{12} C{1} D{2} F{1} D{2} A{2} F{01} E{2} F{01} E{2} F*7{01} "
     "C2{01} E*2{01}"},
    {"5.5 callee low, C moved between D and E", 35, 33, "PDomSerial",
     "A{012} B{012} C{0} F*10{0} C2{0} D*2{12} A{12} B{12} C{1} F*10{1} C2{1} D*2{2} A{2} E*2{012}"},
    {"5.5 callee low, C moved between D and E", 37, 29, "Long(2)",
     "A{012} B{012} C{0} D*2{12} F*10{0} A{12} C2{0} B{12} E*2{0} C{1} D*2{2} F*10{1} A{2} C2{1} E*2{12}"},
    {"5.5 callee low, C moved between D and E", 39, 20, "RoundRobinEq",
     "A{012} B{012} D{12} C{0} D{12} F{0} A{12} F{0} B{12} F{0} C{1} D{2} F{0} F{1} D{2} F{0} F{1} A{2} F{0} "
     "F{1} E{2} F{0} F{1} E{2} F{0} F{1} F{0} F{1} F{0} F{1} C2{0} F{1} E{0} F{1} E{0} F{1} C2{1} E*2{1}"},
    {"5.5 callee low, C moved between D and E", 39, 35, "Lee+function_stack;Lee",
     "A{012} B{012} D*2{12} C{0} F*10{0} C2{0} E*2{0} A{12} B{12} D*2{2} C{1} F*10{1} C2{1} E*2{1} A{2} "
     "E*2{2}"},
    {"5.5 callee low, C moved between D and E", 47, 20, "RoundRobin", ""},
    {"5.6 callee high", 23, 23,
     "MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;Lee+function_stack;LongMinSP(4);PDomSerial;"
     "PDomMinPC;PDomMinSP;PDomMaxSP;PDomMaxFun;PDomMinFun;LongestPath1;Oracle(1k 0)",
     "A{01} B{0} F0*2{0} F1*2{0} F2*2{0} F3*2{0} F4*2{0} B2{0} C*2{01} C1*2{01} C2*2{01} C3*2{01} C4*2{01}"},
    {"5.6 callee high", 33, 23, "Long(2);Long(4);Long(8)",
     "A{01} B{0} C*2{1} F0*2{0} C1*2{1} F1*2{0} C2*2{1} F2*2{0} C3*2{1} F3*2{0} C4*2{1} F4*2{0} B2{0} C*2{0} "
     "C1*2{0} C2*2{0} C3*2{0} C4*2{0}"},
    {"5.6 callee high", 33, 23, "LongIRB(8)",
     "A{01} B{0} C{1} F0{0} C{1} F0{0} C1{1} F1{0} C1{1} F1{0} C2{1} F2{0} C2{1} F2{0} C3{1} F3{0} C3{1} "
     "F3{0} C4{1} F4{0} C4{1} F4{0} B2{0} C*2{0} C1*2{0} C2*2{0} C3*2{0} C4*2{0}"},
    {"5.6 callee high", 33, 23, "RoundRobinEq",
     "A{01} C{1} B{0} C{1} F0{0} C1{1} F0{0} C1{1} F1{0} C2{1} F1{0} C2{1} F2{0} C3{1} F2{0} C3{1} F3{0} "
     "C4{1} F3{0} C4{1} F4*2{0} B2{0} C*2{0} C1*2{0} C2*2{0} C3*2{0} C4*2{0}"},
    {"5.6 callee high", 33, 31, "MinPC;Lee;LongMinPC(4)",
     "A{01} B{0} C*2{1} C1*2{1} C2*2{1} C3*2{1} C4*2{1} F0*2{0} F1*2{0} F2*2{0} F3*2{0} F4*2{0} B2{0} C*2{0} "
     "C1*2{0} C2*2{0} C3*2{0} C4*2{0}"},
    {"5.6 callee high", 34, 23, "RoundRobin", ""},
    {"5.6 callee low", 23, 23,
     "MinPC;MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;Lee+function_stack;Lee;LongMinPC(4);LongMinSP("
     "4);PDomSerial;PDomMinPC;PDomMinSP;PDomMaxSP;PDomMaxFun;PDomMinFun;LongestPath1;Oracle(1k 0)",
     "A{01} B{0} F0*2{0} F1*2{0} F2*2{0} F3*2{0} F4*2{0} B2{0} C*2{01} C1*2{01} C2*2{01} C3*2{01} C4*2{01}"},
    {"5.6 callee low", 33, 23, "Long(2);Long(4);Long(8)",
     "A{01} B{0} C*2{1} F0*2{0} C1*2{1} F1*2{0} C2*2{1} F2*2{0} C3*2{1} F3*2{0} C4*2{1} F4*2{0} B2{0} C*2{0} "
     "C1*2{0} C2*2{0} C3*2{0} C4*2{0}"},
    {"5.6 callee low", 33, 23, "LongIRB(8)",
     "A{01} B{0} C{1} F0{0} C{1} F0{0} C1{1} F1{0} C1{1} F1{0} C2{1} F2{0} C2{1} F2{0} C3{1} F3{0} C3{1} "
     "F3{0} C4{1} F4{0} C4{1} F4{0} B2{0} C*2{0} C1*2{0} C2*2{0} C3*2{0} C4*2{0}"},
    {"5.6 callee low", 33, 23, "RoundRobinEq",
     "A{01} C{1} B{0} C{1} F0{0} C1{1} F0{0} C1{1} F1{0} C2{1} F1{0} C2{1} F2{0} C3{1} F2{0} C3{1} F3{0} "
     "C4{1} F3{0} C4{1} F4*2{0} B2{0} C*2{0} C1*2{0} C2*2{0} C3*2{0} C4*2{0}"},
    {"5.6 callee low", 34, 23, "RoundRobin", ""},
    {"5.8 as figure", 14, 13,
     "MinPC;MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;Lee+function_stack;Lee;Long(2);Long(4);Long(8)"
     ";LongMinPC(4);LongMinSP(4);LongIRB(8);PDomMinPC;PDomMinSP;PDomMaxSP;PDomMaxFun;PDomMinFun;LongestPath1;"
     "Oracle(1k 0)",
     "A{01} B{0} C{1} D*10{01} E{01}"},
    {"5.8 as figure", 14, 13, "RoundRobinEq", "A{01} C{1} B{0} D*10{01} E{01}"},
    {"5.8 as figure", 24, 23, "PDomSerial", "A{01} B{0} D*10{0} C{1} D*10{1} E{01}"},
    {"5.8 as figure", 26, 13, "RoundRobin", ""},
    {"5.8b G high", 18, 17,
     "MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;Lee+function_stack;LongMinSP(4);PDomMinSP;"
     "PDomMaxFun;LongestPath1;Oracle(1k 0)",
     "A{01} B{0} C{1} G*3{1} C2{1} D*10{01} E{01}"},
    {"5.8b G high", 22, 17, "LongIRB(8)",
     "A{01} B{0} C{1} D{0} G{1} D{0} G{1} D{0} G{1} D{0} C2{1} D*4{1} D*6{01} E{01}"},
    {"5.8b G high", 28, 26, "PDomMinPC;PDomMaxSP;PDomMinFun",
     "A{01} B{0} C{1} D*10{0} G*3{1} C2{1} D*10{1} E{01}"},
    {"5.8b G high", 28, 27, "PDomSerial", "A{01} B{0} D*10{0} C{1} G*3{1} C2{1} D*10{1} E{01}"},
    {"5.8b G high", 29, 17, "RoundRobinEq",
     "A{01} C{1} B{0} G{1} D{0} G{1} D{0} G{1} D{0} C2{1} D{0} D{1} D{0} D{1} D{0} D{1} D{0} D{1} D{0} D{1} "
     "D{0} D{1} D{0} D{1} E{0} D*3{1} E{1}"},
    {"5.8b G high", 29, 26, "Long(2);Long(4);Long(8)",
     "A{01} B{0} C{1} D*10{0} G*3{1} E{0} C2{1} D*10{1} E{1}"},
    {"5.8b G high", 29, 27, "MinPC;Lee;LongMinPC(4)",
     "A{01} B{0} C{1} D*10{0} E{0} G*3{1} C2{1} D*10{1} E{1}"},
    {"5.8b G high", 30, 17, "RoundRobin", ""},
    {"5.8b G low", 18, 17,
     "MinPC;MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;Lee+function_stack;Lee;LongMinPC(4);LongMinSP("
     "4);PDomMinPC;PDomMinSP;PDomMaxFun;LongestPath1;Oracle(1k 0)",
     "A{01} B{0} C{1} G*3{1} C2{1} D*10{01} E{01}"},
    {"5.8b G low", 22, 17, "LongIRB(8)",
     "A{01} B{0} C{1} D{0} G{1} D{0} G{1} D{0} G{1} D{0} C2{1} D*4{1} D*6{01} E{01}"},
    {"5.8b G low", 28, 26, "PDomMaxSP;PDomMinFun", "A{01} B{0} C{1} D*10{0} G*3{1} C2{1} D*10{1} E{01}"},
    {"5.8b G low", 28, 27, "PDomSerial", "A{01} B{0} D*10{0} C{1} G*3{1} C2{1} D*10{1} E{01}"},
    {"5.8b G low", 29, 17, "RoundRobinEq",
     "A{01} C{1} B{0} G{1} D{0} G{1} D{0} G{1} D{0} C2{1} D{0} D{1} D{0} D{1} D{0} D{1} D{0} D{1} D{0} D{1} "
     "D{0} D{1} D{0} D{1} E{0} D*3{1} E{1}"},
    {"5.8b G low", 29, 26, "Long(2);Long(4);Long(8)",
     "A{01} B{0} C{1} D*10{0} G*3{1} E{0} C2{1} D*10{1} E{1}"},
    {"5.8b G low", 30, 17, "RoundRobin", ""},
    {"5.9 as figure, L = 10", 20, 20,
     "MinPC;MinSP_MinPC;MaxFunMinPC1;MaxFunMinPC2;MaxFunMinPC3;LongMinPC(4);LongMinSP(4);Oracle(1k 0)",
     "A{01} B{01} C{0} A{0} B{0} D*10{01} A{01} B{1} C{1} A{1} E{01}"},
    {"5.9 as figure, L = 10", 22, 20, "LongIRB(8)",
     "A{01} B{01} C{0} D{1} A{0} B{0} D{0} D*9{01} A{01} E{0} B{1} C{1} A{1} E{1}"},
    {"5.9 as figure, L = 10", 28, 26,
     "Lee+function_stack;Lee;PDomSerial;PDomMinPC;PDomMinSP;PDomMaxSP;PDomMaxFun;PDomMinFun;LongestPath1",
     "A{01} B{01} C{0} D*10{1} A{01} B{01} C{1} D*10{0} A{01} E{01}"},
    {"5.9 as figure, L = 10", 28, 26, "Long(2);Long(4);Long(8)",
     "A{01} B{01} C{0} D*10{1} A{01} B{01} D*10{0} C{1} A{01} E{01}"},
    {"5.9 as figure, L = 10", 30, 17, "RoundRobinEq",
     "A{01} B{01} C{0} D{1} A{0} D{1} B{0} D{1} D{0} D{1} D{0} D{1} D{0} D{1} D{0} D{1} D{0} D{1} D{0} D{1} "
     "D{0} D{1} D{0} A{1} D{0} B{1} D{0} C{1} A{01} E{01}"},
    {"5.9 as figure, L = 10", 34, 17, "RoundRobin", ""},
};

}  // namespace heddle::resync::test
