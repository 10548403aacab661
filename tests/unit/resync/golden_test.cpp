// The worked examples 5.1 to 5.12 ([Resync:W3]): F, C and schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "block_program.h"
#include "golden_rows.h"
#include "resync/cycle_counter.h"
#include "resync/min_key.h"
#include "resync/post_dominator.h"
#include "resync/supersequence.h"

namespace heddle::resync::test::golden_test {
namespace {

struct Example {
  BlockProgram program;
  std::vector<std::string> walks;
  unsigned instructions = 0;
  unsigned optimum = 0;
};

const std::string kFig31 =
    "A 20 1 br B C\nB 21 1 call F0 B2\nB2 22 1 jmp D\nC 23 1 call F0 C2\nC2 24 1 - D\nD 25 1 end\n"
    "F0 F+0 2 br F1\nF1 F+2 2 br F2\nF2 F+4 2 br F3\nF3 F+6 2 br F4\nF4 F+8 2 ret\n";
const std::string kFig32 =
    "A 20 1 br B E\nB 21 1 call F B2\nB2 22 1 br C D\nC 23 1 jmp A\nD 24 2 jmp A\nE 26 1 end\nF F+0 10 ret\n";
const std::string kFig33 =
    "A 20 1 br B E\nB 21 1 br C D\nC 22 1 call F C2\nC2 23 1 jmp E\nD 24 2 jmp A\nE 26 2 end\nF F+0 10 ret\n";
const std::string kFig33Moved =
    "A 20 1 br B E\nB 21 1 br C D\nC 24 1 call F C2\nC2 25 1 jmp E\nD 22 2 jmp A\nE 26 2 end\nF F+0 10 ret\n";
const std::string kFig34 =
    "A 20 1 br B C\nB 21 1 call F0 B2\nB2 22 1 - C\nC 23 2 br C1\nC1 25 2 br C2\nC2 27 2 br C3\nC3 29 2 br "
    "C4\n"
    "C4 31 2 end\nF0 F+0 2 br F1\nF1 F+2 2 br F2\nF2 F+4 2 br F3\nF3 F+6 2 br F4\nF4 F+8 2 ret\n";

Example make_example(const std::string& name) {
  const std::uint64_t base =
      name.find("low") != std::string::npos || name.find("moved") != std::string::npos ? 0 : 100;
  if (name.starts_with("5.2")) {
    Example e{
        {"A 0 1 br B C\nB 1 1 jmp D\nC 2 1 - D\nD 3 1 end\n"}, {"A B D", "A B D", "A C D", "A C D"}, 12, 4};
    e.program.post_dominators("A-D");
    return e;
  }
  if (name.starts_with("5.3")) {
    Example e{{kFig31, {{"F", base}}}, {"A B F0 F1 F2 F3 F4 B2 D", "A C F0 F1 F2 F3 F4 C2 D"}, 28, 16};
    e.program.post_dominators("A-D");
    return e;
  }
  if (name.starts_with("5.4")) {
    Example e{{kFig32, {{"F", base}}}, {"A B F B2 C A B F B2 D A E", "A B F B2 D A B F B2 C A E"}, 62, 34};
    e.program.post_dominators("B2-A A-E");
    return e;
  }
  if (name.starts_with("5.5")) {
    Example e{{name.find("moved") != std::string::npos ? kFig33Moved : kFig33, {{"F", base}}},
              {"A B C F C2 E", "A B D A B C F C2 E", "A B D A B D A E"},
              47,
              23};
    e.program.post_dominators("A-E B-E");
    return e;
  }
  if (name.starts_with("5.6")) {
    Example e{{kFig34, {{"F", base}}}, {"A B F0 F1 F2 F3 F4 B2 C C1 C2 C3 C4", "A C C1 C2 C3 C4"}, 34, 23};
    e.program.post_dominators("A-C");
    return e;
  }
  if (name.starts_with("5.8b")) {
    Example e{{"A 20 1 br B C\nB 21 1 br D E\nC 22 1 call G C2\nC2 23 1 - D\nD 24 10 - E\nE 34 1 end\nG F+0 "
               "3 ret\n",
               {{"F", base}}},
              {"A B D E", "A C G C2 D E"},
              30,
              18};
    e.program.post_dominators("A-E B-E");
    return e;
  }
  if (name.starts_with("5.8")) {
    Example e{
        {"A 0 1 br B C\nB 1 1 br D E\nC 2 1 - D\nD 3 10 - E\nE 13 1 end\n"}, {"A B D E", "A C D E"}, 26, 14};
    e.program.post_dominators("A-E B-E");
    return e;
  }
  Example e{{"A 0 1 br B E\nB 1 1 br C D\nC 2 1 jmp A\nD 3 10 jmp A\nE 13 1 end\n"},
            {"A B C A B D A E", "A B D A B C A E"},
            34,
            20};
  e.program.post_dominators("B-A A-E");
  return e;
}

/// Traces refer to the marks of their program.
const Example& make(const std::string& name) {
  static std::map<std::string, Example> examples;
  const auto found = examples.find(name);
  return found != examples.end() ? found->second : examples.emplace(name, make_example(name)).first->second;
}

std::vector<std::vector<TraceRecord>> traces_of(const Example& example) {
  std::vector<std::vector<TraceRecord>> traces;
  for (const std::string& walk : example.walks) traces.push_back(example.program.walk(walk));
  return traces;
}

std::vector<std::vector<std::uint64_t>> pcs_of(const std::vector<std::vector<TraceRecord>>& traces) {
  std::vector<std::vector<std::uint64_t>> pcs;
  for (const auto& trace : traces) {
    pcs.emplace_back();
    for (const TraceRecord& record : trace) pcs.back().push_back(record.pc);
  }
  return pcs;
}

TEST(ResyncGolden, Tables5_2To5_9) {
  unsigned checked = 0;
  for (const GoldenRow& row : kGoldenRows) {
    const Example& example = make(row.program);
    MemoryTraces traces(traces_of(example));
    std::istringstream names(row.policies);
    for (std::string policy; std::getline(names, policy, ';'); ++checked) {
      SCOPED_TRACE(std::string(row.program) + ", " + policy);
      const Outcome outcome = replay(traces, policy);
      EXPECT_EQ(outcome.instructions, example.instructions);
      EXPECT_EQ(outcome.fetches, row.fetches);
      EXPECT_EQ(outcome.cycles, row.cycles);
      // Correction 10: successors in the order of the table; here the least PC is first.
      const bool other_order =
          policy == "PDomSerial" && std::string(row.program).find("moved") != std::string::npos;
      if (*row.schedule != '\0' && !other_order) {
        EXPECT_EQ(example.program.text(outcome.schedule), row.schedule);
      }
    }
  }
  EXPECT_EQ(checked, 299u);
}

TEST(ResyncGolden, OptimaOf5_2To5_9) {
  std::string last;
  for (const GoldenRow& row : kGoldenRows) {
    if (last == row.program) continue;
    last = row.program;
    const Example& example = make(last);
    EXPECT_EQ(shortest_supersequence(pcs_of(traces_of(example))).length, example.optimum) << last;
  }
}

// ---- 5.1

MemoryTraces letters(const std::vector<std::string>& threads, bool branches) {
  std::vector<std::vector<TraceRecord>> traces;
  for (const std::string& thread : threads) {
    traces.emplace_back();
    for (const char letter : thread) {
      TraceRecord record;
      record.pc = static_cast<std::uint64_t>(letter - 'A');
      record.flags = TraceRecord::kBlockBegin;
      if (branches) record.control = TraceRecord::kBranch;
      traces.back().push_back(record);
    }
  }
  return MemoryTraces(std::move(traces));
}

std::string letters_text(const Outcome& outcome) {
  std::string text;
  for (const auto& [pc, mask] : outcome.schedule) {
    text += text.empty() ? "" : " ";
    text += static_cast<char>('A' + pc);
    text += "{";
    for_each_thread(mask, [&](unsigned t) { text += std::to_string(t); });
    text += "}";
  }
  return text;
}

const std::vector<std::string> kScs = {"ABCDE", "FBCAG", "EFDAG"};

TEST(ResyncGolden, Example5_1Optimum) {
  MemoryTraces traces = letters(kScs, false);
  const Supersequences best = shortest_supersequence(pcs_of(traces.traces()), 100);
  EXPECT_EQ(best.length, 9u);
  std::vector<std::string> found;
  for (const auto& sequence : best.sequences) {
    found.emplace_back();
    for (const std::uint64_t symbol : sequence) found.back() += static_cast<char>('A' + symbol);
  }
  std::vector<std::string> expected = {"AEFBCDAEG", "AEFBCDAGE", "AEFBCDEAG", "EAFBCDAEG", "EAFBCDAGE",
                                       "EAFBCDEAG", "EFABCDAEG", "EFABCDAGE", "EFABCDEAG"};
  EXPECT_EQ(found, expected);
}

TEST(ResyncGolden, Example5_1OnLine) {
  const auto run = [](const std::string& policy) {
    MemoryTraces traces = letters(kScs, policy == "Lee");
    return replay(traces, policy);
  };
  const Outcome min_pc = run("MinPC");
  EXPECT_EQ(letters_text(min_pc), "A{0} B{0} C{0} D{0} E{02} F{12} B{1} C{1} A{1} D{2} A{2} G{12}");
  EXPECT_EQ(min_pc.fetches, 12u);
  EXPECT_EQ(min_pc.cycles, 11u);
  const Outcome shared = run("RoundRobinEq");
  EXPECT_EQ(letters_text(shared), "A{0} F{1} E{2} B{01} F{2} C{01} D{02} E{0} A{12} G{12}");
  EXPECT_EQ(shared.cycles, 6u);
  EXPECT_EQ(run("RoundRobin").fetches, 15u);
  EXPECT_EQ(run("RoundRobin").cycles, 5u);
  EXPECT_EQ(run("Lee").fetches, 11u);
  EXPECT_EQ(run("Oracle(1k 0)").fetches, 11u);
}

// ---- 5.2

TEST(ResyncGolden, Example5_2) {
  const Example& example = make("5.2");
  MemoryTraces traces(traces_of(example));
  for (const std::string policy :
       {"MinPC",        "MinSP_MinPC",        "MaxFunMinPC1",   "MaxFunMinPC2",  "MaxFunMinPC3",
        "Lee",          "Lee+function_stack", "Long(4)",        "LongMinPC(4)",  "LongMinSP(4)",
        "LongIRB(8)",   "PDomSerial",         "PDomMinPC",      "PDomMinSP",     "PDomMaxSP",
        "PDomMaxFun",   "PDomMinFun",         "PDomRB",         "PDomLong(4)",   "LongestPath1",
        "LongestPathP", "RDMinSP(4 0 n)",     "RDMinSP(8 1 y)", "Dist(0 0 10k)", "Dist(1 1 -1)",
        "Oracle(1k 0)", "RoundRobinEq"}) {
    const Outcome outcome = replay(traces, policy);
    EXPECT_EQ(outcome.fetches, 4u) << policy;
    EXPECT_EQ(outcome.cycles, 3u) << policy;
  }
  EXPECT_EQ(replay(traces, "RoundRobin").fetches, 12u);
  EXPECT_EQ(replay(traces, "RoundRobin").cycles, 3u);
  EXPECT_EQ(shortest_supersequence(pcs_of(traces.traces())).length, 4u);
  CycleCounter sub_optimal;
  for (const ThreadMask mask : {0b1111u, 0b0011u, 0b0011u, 0b1100u, 0b1100u}) sub_optimal.fetch(mask);
  EXPECT_EQ(sub_optimal.cycles(), 4u);
}

// ---- Corrections 3 and 5

TEST(ResyncGolden, Correction3TopOnlyAgainstThesisRule) {
  BlockProgram program(
      "A 0 1 br B C\nB 1 1 br D E\nC 10 1 jmp K\nD 2 1 jmp K\nE 3 1 jmp G\nK 40 10 jmp G\nG 60 1 end\n");
  program.post_dominators("A-G B-G");
  MemoryTraces traces({program.walk("A B D K G"), program.walk("A B E G"), program.walk("A C K G")});
  const Outcome thesis = replay(traces, "PDomMinPC"), top_only = replay(traces, "PDomMinPC+top_only");
  EXPECT_EQ(thesis.fetches, 16u);
  EXPECT_EQ(thesis.cycles, 14u);
  EXPECT_EQ(top_only.fetches, 26u);
  EXPECT_EQ(top_only.cycles, 24u);
  EXPECT_EQ(shortest_supersequence(pcs_of(traces.traces())).length, 16u);
}

TEST(ResyncGolden, Correction5PushingAtEveryMarkedBranch) {
  for (const std::string program :
       {"5.3 callee high", "5.3 callee low", "5.4 callee high", "5.5 callee low", "5.6 callee high"}) {
    MemoryTraces traces(traces_of(make(program)));
    for (const std::string policy : {"PDomMinPC", "PDomMinSP", "PDomMaxSP"}) {
      const Outcome thesis = replay(traces, policy),
                    always = replay(traces, policy + "+push_always+top_only");
      EXPECT_EQ(always.fetches, thesis.fetches) << program << ", " << policy;
      EXPECT_EQ(always.cycles, thesis.cycles) << program << ", " << policy;
    }
  }
  for (const std::string policy : {"PDomMinPC+push_always+top_only", "PDomMinSP+push_always+top_only",
                                   "PDomMaxSP+push_always+top_only"}) {
    MemoryTraces figure(traces_of(make("5.8 as figure"))), variant(traces_of(make("5.8b G high")));
    EXPECT_EQ(replay(figure, policy).fetches, 24u) << policy;
    EXPECT_EQ(replay(variant, policy).fetches, 28u) << policy;
  }
}

// ---- Correction 7

TEST(ResyncGolden, Correction7Distance) {
  struct Row {
    const char* program;
    unsigned fetches, cycles;
  };
  for (const Row& row : std::vector<Row>{{"5.3 callee high", 16, 14},
                                         {"5.3 callee low", 17, 15},
                                         {"5.4 callee high", 34, 32},
                                         {"5.4 callee low", 34, 32},
                                         {"5.5 callee high", 39, 21},
                                         {"5.5 callee low", 39, 20},
                                         {"5.5 callee low, C moved between D and E", 39, 21},
                                         {"5.6 callee high", 33, 23},
                                         {"5.6 callee low", 33, 23},
                                         {"5.8 as figure", 14, 13},
                                         {"5.8b G high", 21, 17},
                                         {"5.8b G low", 21, 17},
                                         {"5.9 as figure", 25, 20}}) {
    MemoryTraces traces(traces_of(make(row.program)));
    const Outcome outcome = replay(traces, "Dist(1 1 -1)");
    EXPECT_EQ(outcome.fetches, row.fetches)
        << row.program << ": " << make(row.program).program.text(outcome.schedule);
    EXPECT_EQ(outcome.cycles, row.cycles) << row.program;
    EXPECT_EQ(replay(traces, "Dist(0 0 10k)").fetches, replay(traces, "MinSP_MinPC").fetches) << row.program;
  }
}

// ---- 5.7

/// Callers A and A2; W and T call the function of Animal (N0, N). Frames are allocated by the first instruction.
BlockProgram virtual_functions(const std::string& order, std::uint64_t frame_wt, std::uint64_t frame_n) {
  std::map<std::string, std::uint64_t> base;
  std::uint64_t next = 100;
  for (const char which : order) {
    base[std::string(1, which)] = next;
    next += 100;
  }
  BlockProgram program(
      "A 50 1 call W0 A2\nA2 51 1 end\nW0 W+0 1 -\nW1 W+1 1 call N0 W2\nW2 W+2 1 ret\nT0 T+0 1 -\nT1 T+1 1 "
      "call N0 T2\n"
      "T2 T+2 1 ret\nN0 N+0 1 -\nN N+1 10 ret\n",
      base);
  for (const char* block : {"W1", "W2", "T1", "T2"}) program.frame(block, frame_wt);
  program.frame("N", frame_n);
  return program;
}

const std::string kWolf = "A W0 W1 N0 N W2 A2", kTiger = "A T0 T1 N0 N T2 A2", kAnimal = "A N0 N A2";

TEST(ResyncGolden, Example5_7TwoThreads) {
  struct Row {
    const char* order;
    std::uint64_t wolf, animal;
    unsigned fetches[7];
  };
  const std::vector<std::string> policies = {"MinPC",        "MinSP_MinPC",  "MaxFunMinPC1", "MaxFunMinPC2",
                                             "MaxFunMinPC3", "RoundRobinEq", "Long(8)"};
  for (const Row& row : std::vector<Row>{{"WTN", 32, 16, {17, 16, 16, 27, 16, 28, 27}},
                                         {"WTN", 16, 32, {17, 16, 16, 17, 16, 28, 27}},
                                         {"NWT", 32, 16, {28, 27, 27, 27, 27, 28, 27}},
                                         {"NWT", 16, 32, {28, 27, 27, 17, 27, 28, 27}}}) {
    const BlockProgram program = virtual_functions(row.order, row.wolf, row.animal);
    MemoryTraces traces({program.walk(kWolf), program.walk(kAnimal)});
    for (std::size_t i = 0; i < policies.size(); ++i)
      EXPECT_EQ(replay(traces, policies[i]).fetches, row.fetches[i])
          << row.order << row.wolf << " " << policies[i];
    EXPECT_EQ(shortest_supersequence(pcs_of(traces.traces())).length, 16u);
  }
  const auto text = [](const std::string& order, std::uint64_t wolf, std::uint64_t animal,
                       const std::string& policy) {
    const BlockProgram program = virtual_functions(order, wolf, animal);
    MemoryTraces traces({program.walk(kWolf), program.walk(kAnimal)});
    return program.text(replay(traces, policy).schedule);
  };
  EXPECT_EQ(text("WTN", 32, 16, "MinSP_MinPC"), "A{01} W0{0} W1{0} N0{01} N*10{01} W2{0} A2{01}");
  EXPECT_EQ(text("NWT", 32, 16, "MinSP_MinPC"), "A{01} N0{1} N*10{1} W0{0} W1{0} N0{0} N*10{0} W2{0} A2{01}");
  EXPECT_EQ(text("NWT", 16, 32, "MaxFunMinPC2"), "A{01} N0{1} W0{0} W1{0} N0{0} N*10{01} W2{0} A2{01}");
}

TEST(ResyncGolden, Example5_7ThreeThreads) {
  struct Row {
    const char* order;
    std::uint64_t callers, animal;
    unsigned fetches[7];
  };
  const std::vector<std::string> policies = {"MinPC",        "MinSP_MinPC",  "MaxFunMinPC1", "MaxFunMinPC2",
                                             "MaxFunMinPC3", "RoundRobinEq", "Long(8)"};
  for (const Row& row : std::vector<Row>{{"WTN", 32, 16, {21, 30, 30, 41, 30, 31, 30}},
                                         {"WTN", 16, 32, {21, 30, 30, 31, 30, 31, 30}},
                                         {"NWT", 32, 16, {43, 41, 41, 41, 41, 31, 30}},
                                         {"NWT", 16, 32, {43, 41, 41, 31, 41, 31, 30}},
                                         {"WNT", 32, 16, {32, 30, 30, 41, 30, 31, 30}},
                                         {"WNT", 16, 32, {32, 30, 30, 31, 30, 31, 30}}}) {
    const BlockProgram program = virtual_functions(row.order, row.callers, row.animal);
    MemoryTraces traces({program.walk(kWolf), program.walk(kTiger), program.walk(kAnimal)});
    for (std::size_t i = 0; i < policies.size(); ++i)
      EXPECT_EQ(replay(traces, policies[i]).fetches, row.fetches[i])
          << row.order << row.callers << " " << policies[i];
    EXPECT_EQ(shortest_supersequence(pcs_of(traces.traces())).length, 19u);
  }
  const auto text = [](const std::string& order, std::uint64_t callers, std::uint64_t animal,
                       const std::string& policy) {
    const BlockProgram program = virtual_functions(order, callers, animal);
    MemoryTraces traces({program.walk(kWolf), program.walk(kTiger), program.walk(kAnimal)});
    return program.text(replay(traces, policy).schedule);
  };
  EXPECT_EQ(text("WTN", 32, 16, "MinPC"),
            "A{012} W0{0} W1{0} T0{1} T1{1} N0{012} N*10{012} A2{2} W2{0} A2{0} T2{1} A2{1}");
  EXPECT_EQ(text("WTN", 32, 16, "MinSP_MinPC"),
            "A{012} W0{0} W1{0} N0{02} N*10{02} W2{0} T0{1} T1{1} N0{1} N*10{1} T2{1} A2{012}");
  EXPECT_EQ(text("NWT", 16, 32, "MaxFunMinPC2"),
            "A{012} N0{2} W0{0} T0{1} W1{0} N0{0} N*10{02} W2{0} T1{1} N0{1} N*10{1} T2{1} A2{012}");
}

// ---- 5.10

TEST(ResyncGolden, Example5_10TraceOfALoop) {
  const BlockProgram program("A 0 1 br B E\nB 1 1 br C D\nC 2 1 - D\nD 3 1 jmp A\nE 4 1 end\n");
  MemoryTraces traces({program.walk("A B D A B D A E")});
  EXPECT_EQ(program.text(replay(traces, "MinPC").schedule), "A{0} B{0} D{0} A{0} B{0} D{0} A{0} E{0}");
}

// ---- 5.11

TEST(ResyncGolden, Example5_11Recursion) {
  BlockProgram program("A 10 1 br B P\nB 11 1 call A C\nC 12 3 jmp R\nP 15 1 -\nR 16 1 ret\n");
  // The frame is 16 bytes: 8 by the call ([Resync:W3]), 8 more.
  const auto recursion = [&program](unsigned k) {
    std::string walk;
    for (unsigned i = 0; i < k; ++i) walk += "A B ";
    walk += "A P R";
    for (unsigned i = 0; i < k; ++i) walk += " C R";
    return program.walk(walk);
  };
  MemoryTraces traces({recursion(1), recursion(3)});
  const std::string shared =
      "A{01} B{01} A{01} B{1} A{1} B{1} A{1} P{01} R{01} C*3{01} R{01} C*3{1} R{1} C*3{1} R{1}";
  for (const char* policy : {"MinPC", "MinSP_MinPC", "MaxFunMinPC1"}) {
    const Outcome outcome = replay(traces, policy);
    EXPECT_EQ(outcome.fetches, 21u) << policy;
    EXPECT_EQ(program.text(outcome.schedule), shared) << policy;
  }
  const Outcome same_depth = replay(traces, "MinSP_MinPC", true);
  EXPECT_EQ(same_depth.fetches, 22u);
  EXPECT_EQ(program.text(same_depth.schedule),
            "A{01} B{01} A{01} B{1} A{1} B{1} A{1} P{1} R{1} C*3{1} R{1} C*3{1} P{0} R{01} C*3{01} R{01}");
  const Outcome turns = replay(traces, "RoundRobinEq");
  EXPECT_EQ(turns.fetches, 26u);
  EXPECT_EQ(program.text(turns.schedule),
            "A{01} B{01} A{01} B{1} P{0} A{1} R{0} B{1} C{0} A{1} C{0} P{1} C{0} R{01} C*3{1} R{1} C*3{1} "
            "R{1} C*3{1} R{1}");
  EXPECT_EQ(shortest_supersequence(pcs_of(traces.traces())).length, 21u);
}

// ---- 5.12

TEST(ResyncGolden, Example5_12Cycles) {
  for (const unsigned units : {0u, 2u}) {
    CycleCounter counter(units);
    for (const unsigned thread : {1u, 2u, 1u, 2u, 3u, 2u, 2u, 2u, 3u}) counter.fetch(bit(thread));
    EXPECT_EQ(counter.cycles(), 5u) << units;
  }
  CycleCounter one(1);
  for (const unsigned thread : {1u, 2u, 1u}) one.fetch(bit(thread));
  EXPECT_EQ(one.cycles(), 3u);
}

}  // namespace
}  // namespace heddle::resync::test::golden_test
