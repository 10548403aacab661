// Functions in a kernel: the location of their code, rows and frames, the decoded form of calls and returns,
// and all refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "frontend/ptx/decode/library.h"
#include "unit/ptx/support.h"

namespace heddle::ptx::testing::decode_calls_test {
namespace {

using base::Pc;
using isa::Opcode;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const kTwice =
    ".func (.param .b32 out) twice (.param .b32 in) { .reg .b32 %r<3>; ld.param.b32 %r1, [in]; "
    "add.s32 %r2, %r1, %r1; st.param.b32 [out], %r2; ret; }";
const char* const kCallTwice =
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); "
    "ld.param.b32 %r2, [b]; }";
const char* const kFactorial =
    ".func (.param .b32 out) fac (.param .b32 in) { .reg .b32 %r<6>; .reg .pred %p; ld.param.b32 %r1, [in]; "
    "setp.lt.u32 %p, %r1, 2; mov.b32 %r2, 1; @%p bra DONE; sub.u32 %r3, %r1, 1; "
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), fac, (a); ld.param.b32 %r4, [b]; } "
    "mul.lo.u32 %r2, %r1, %r4; DONE: st.param.b32 [out], %r2; ret; }";

std::vector<Opcode> opcodes(const isa::Kernel& k, std::uint32_t first, std::uint32_t end) {
  std::vector<Opcode> list;
  for (std::uint32_t i = first; i < end; ++i) list.push_back(k.code[i].op);
  return list;
}

std::vector<std::uint32_t> places(const isa::Kernel& k, Opcode op) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < k.code.size(); ++i)
    if (k.code[i].op == op) list.push_back(i);
  return list;
}

TEST(PtxDecodeCalls, a_function_lies_behind_the_kernel_and_passes_scalars_in_rows) {
  const auto k = kernel(kCallTwice, "", kTwice);
  // st.param, argument, return PC, call, result, ld.param, exit | ld.param, add, st.param, return
  ASSERT_EQ(k->functions.size(), 1u);
  const isa::FunctionCode& f = k->functions[0];
  EXPECT_EQ(f.name, "twice");
  EXPECT_EQ(f.first, 7u);
  EXPECT_EQ(f.entry, 7u);
  EXPECT_EQ(f.end, k->code.size());
  EXPECT_EQ(f.recursion, 0u);
  const isa::Instruction& call = k->code.at(3);
  EXPECT_EQ(call.op, Opcode::kCall);
  EXPECT_EQ(call.target, Pc(7));
  EXPECT_EQ(call.rpc, Pc(4));
  EXPECT_EQ(constant_of(*k, k->code[2].src[0]), 4u);
  EXPECT_EQ(name_of(*k, k->code[1].dst[0]), "twice:in");
  EXPECT_EQ(name_of(*k, k->code[4].src[0]), "twice:out");
  EXPECT_EQ(k->code.back().op, Opcode::kReturn);
  EXPECT_EQ(k->code.back().src[0].reg, k->code[2].dst[0].reg);
  EXPECT_THAT(opcodes(*k, 0, 7), ElementsAre(Opcode::kLane, Opcode::kLane, Opcode::kLane, Opcode::kCall,
                                             Opcode::kLane, Opcode::kLane, Opcode::kExit));
  EXPECT_FALSE(k->uses_stack);
  EXPECT_EQ(k->local_bytes_per_thread, 0u);
}

TEST(PtxDecodeCalls, a_function_is_there_once_however_often_it_is_called_and_not_at_all_if_never) {
  EXPECT_EQ(kernel(std::string(kCallTwice) + kCallTwice, "", kTwice)->functions.size(), 1u);
  EXPECT_TRUE(kernel("ret;", "", kTwice)->functions.empty());
}

TEST(PtxDecodeCalls, messages_name_the_function) {
  const auto k = kernel(kCallTwice, "", kTwice);
  EXPECT_EQ(k->location(Pc(8)), "test.ptx:4 (pc 0x040 in function twice of kernel k)");
  EXPECT_EQ(k->location(Pc(3)), "test.ptx:6 (pc 0x018 in kernel k)");
  EXPECT_THAT(k->source_line(Pc(8)), StartsWith(".func"));
}

TEST(PtxDecodeCalls, a_recursive_function_keeps_what_it_needs_on_the_stack) {
  const auto k = kernel(
      "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), fac, (a); ld.param.b32 %r2, [b]; }",
      "", kFactorial);
  ASSERT_EQ(k->functions.size(), 1u);
  const isa::FunctionCode& f = k->functions[0];
  EXPECT_NE(f.recursion, 0u);
  EXPECT_TRUE(k->uses_stack);
  EXPECT_EQ(k->local_bytes_per_thread, 0u);  // everything that the launch adds is stack
  // %r1 and the return PC: 8 bytes, in frames of 16.
  EXPECT_EQ(f.frame_bytes, 16u);
  std::vector<std::string> saved;
  std::vector<std::string> restored;
  for (std::uint32_t i = f.first; i < f.end; ++i) {
    const isa::Instruction& at = k->code[i];
    if (at.op == Opcode::kStore) saved.push_back(name_of(*k, at.src[0]));
    if (at.op == Opcode::kLoad) restored.push_back(name_of(*k, at.dst[0]));
    if (at.op != Opcode::kStore && at.op != Opcode::kLoad) continue;
    EXPECT_EQ(at.space, isa::StateSpace::kLocal);
    EXPECT_EQ(name_of(*k, at.memory.base), "fac:(frame)");
  }
  EXPECT_THAT(saved, ::testing::UnorderedElementsAre("fac:%r1", "fac:(return pc)"));
  EXPECT_EQ(restored, saved);
  // The stack pointer is set first in the kernel, and by nothing else in it.
  EXPECT_EQ(name_of(*k, k->code[0].dst[0]), "(stack pointer)");
  EXPECT_EQ(constant_of(*k, k->code[0].src[0]), 0u);
}

TEST(PtxDecodeCalls, predicates_survive_a_recursive_call_as_numbers) {
  const auto k =
      kernel("call f;", "",
             ".func f { .reg .pred %p; .reg .b32 %r<3>; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 3; call f; "
             "@%p trap; ret; }");
  const auto stores = places(*k, Opcode::kStore);
  ASSERT_EQ(stores.size(), 2u);
  for (const std::uint32_t at : stores) EXPECT_EQ(k->code[at].type, isa::Type::kB32);
}

TEST(PtxDecodeCalls, functions_that_call_each_other_are_one_recursion_and_others_are_not) {
  const auto k = kernel("call a;", "",
                        ".func b; .func c { ret; } .func a { .reg .pred %p; @%p call b; call c; ret; } "
                        ".func b { call a; ret; }");
  ASSERT_EQ(k->functions.size(), 3u);
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  for (const isa::FunctionCode& f : k->functions) {
    if (f.name == "a") a = f.recursion;
    if (f.name == "b") b = f.recursion;
    if (f.name == "c") {
      EXPECT_EQ(f.recursion, 0u);
    }
  }
  EXPECT_NE(a, 0u);
  EXPECT_EQ(a, b);
}

TEST(PtxDecodeCalls, frames_of_functions_that_cannot_be_entered_again_lie_behind_those_of_their_callers) {
  const char* const functions =
      ".func leaf { .local .b32 y[3]; .reg .b32 %r; st.local.b32 [y+8], %r; ret; } "
      ".func mid { .local .b64 x[3]; .reg .b32 %r; st.local.b32 [x], %r; call leaf; ret; }";
  const auto k = kernel(".local .b32 z; st.local.b32 [z], %r1; call mid; call leaf;", "", functions);
  std::vector<std::int64_t> at;
  for (const std::uint32_t i : places(*k, Opcode::kStore)) at.push_back(k->code[i].memory.displacement);
  EXPECT_THAT(at, ElementsAre(0, 16, 48 + 8));  // z; then x; then y
  EXPECT_EQ(k->local_bytes_per_thread, 48u + 12);
  EXPECT_FALSE(k->uses_stack);
}

TEST(PtxDecodeCalls, structures_are_passed_by_their_address_in_the_callers_frame) {
  const auto k = kernel(
      "{ .param .align 8 .b8 s[16]; .param .align 8 .b8 t[8]; st.param.b64 [s+8], %rd1; call (t), f, (s); "
      "ld.param.b32 %r1, [t+4]; }",
      "",
      ".func (.param .align 8 .b8 o[8]) f (.param .align 8 .b8 i[16]) { .reg .b64 %rd; .reg .b32 %r; "
      "ld.param.b64 %rd, [i+8]; ld.param.b32 %r, [i+4]; st.param.b64 [o], %rd; ret; }");
  const auto stores = places(*k, Opcode::kStore);
  const auto loads = places(*k, Opcode::kLoad);
  ASSERT_EQ(stores.size(), 2u);
  ASSERT_EQ(loads.size(), 3u);
  EXPECT_EQ(k->code[stores[0]].memory.displacement, 8);
  EXPECT_FALSE(k->code[stores[0]].memory.base.present);
  EXPECT_EQ(k->code[loads[0]].memory.displacement, 16 + 4);
  EXPECT_EQ(name_of(*k, k->code[loads[1]].memory.base), "f:i");
  EXPECT_EQ(name_of(*k, k->code[stores[1]].memory.base), "f:o");
  EXPECT_EQ(k->local_bytes_per_thread, 24u);
}

TEST(PtxDecodeCalls, register_parameters_are_registers) {
  const auto k = kernel("call (%r1), f, (%r2, 7);", "",
                        ".func (.reg .u32 o) f (.reg .u32 a, .reg .u32 b) { add.u32 o, a, b; ret; }");
  EXPECT_EQ(k->functions.size(), 1u);
  EXPECT_EQ(name_of(*k, k->code[0].dst[0]), "f:a");
  EXPECT_EQ(name_of(*k, k->code[0].src[0]), "%r2");
  EXPECT_EQ(constant_of(*k, k->code[1].src[0]), 7u);
  EXPECT_EQ(name_of(*k, k->code[4].dst[0]), "%r1");
}

TEST(PtxDecodeCalls, a_guarded_call_is_branched_around) {
  const auto k = kernel("@%p1 call f; mov.u32 %r1, 1;", "", ".func f { ret; }");
  EXPECT_EQ(k->code[0].op, Opcode::kBranch);
  EXPECT_TRUE(k->code[0].guard.negated);
  EXPECT_EQ(k->code[0].target, Pc(3));
  EXPECT_EQ(k->code[0].rpc, Pc(3));
  EXPECT_EQ(k->code[2].op, Opcode::kCall);
  EXPECT_FALSE(k->code[2].guard.present);
}

TEST(PtxDecodeCalls, a_function_that_falls_off_its_end_returns) {
  const auto k = kernel("call f;", "", ".func f { .reg .pred %p; @%p ret; }");
  EXPECT_THAT(opcodes(*k, k->functions[0].first, k->functions[0].end),
              ElementsAre(Opcode::kReturn, Opcode::kReturn));
  EXPECT_TRUE(k->code[k->functions[0].first].guard.present);
}

TEST(PtxDecodeCalls, branches_in_a_function_reconverge_in_it_or_where_it_returns) {
  const auto k = kernel("call f;", "",
                        ".func f { .reg .pred %p; .reg .b32 %r; @%p bra A; mov.b32 %r, 1; bra B; "
                        "A: mov.b32 %r, 2; B: @%p bra C; mov.b32 %r, 3; ret; C: mov.b32 %r, 4; ret; }");
  const std::uint32_t first = k->functions[0].first;
  EXPECT_EQ(k->code[first].rpc, Pc(first + 4));
  EXPECT_EQ(k->code[first + 4].op, Opcode::kBranch);
  EXPECT_EQ(k->code[first + 4].rpc, base::kNoPc);
}

TEST(PtxDecodeCalls, an_indirect_call_reaches_functions_of_its_prototype_whose_address_is_taken) {
  const auto k = kernel(
      "mov.u64 %rd1, f; P: .callprototype (.param .b32 _) _ (.param .b32 _); { .param .b32 a; .param .b32 b; "
      "st.param.b32 [a], %r1; call (b), %rd1, (a), P; ld.param.b32 %r2, [b]; }",
      "",
      ".func (.param .b32 o) f (.param .b32 i) { ret; } .func (.param .b32 o) g (.param .b32 i) { ret; } "
      ".func (.param .b32 o) h (.param .b32 i) { ret; } .func other (.param .b64 i) { ret; } "
      ".global .u64 table[2] = {g, other};");
  std::vector<std::string> names;
  for (const isa::FunctionCode& f : k->functions) names.push_back(f.name);
  EXPECT_THAT(names, ElementsAre("f", "g"));  // h: never taken; other: other parameters
  const isa::Instruction& call = k->code[places(*k, Opcode::kCall).at(0)];
  EXPECT_EQ(name_of(*k, call.src[0]), "%rd1");
  ASSERT_EQ(call.table_count, 2u);
  EXPECT_EQ(k->targets.at(call.table_first), Pc(k->functions[0].first));
  EXPECT_LT(k->functions[0].first, k->functions[0].entry);  // indirect calls enter first, to copy the
                                                            // parameters from their common rows
  EXPECT_EQ(k->function_addresses.size(), 3u);
  const auto f = k->function_addresses.find(constant_of(*k, k->code[0].src[0]));
  ASSERT_NE(f, k->function_addresses.end());
  EXPECT_EQ(f->second.name, "f");
  EXPECT_EQ(f->second.entry, Pc(k->functions[0].first));
}

TEST(PtxDecodeCalls, an_indirect_call_may_list_its_targets) {
  const auto k = kernel("mov.u64 %rd1, f; T: .calltargets f, g; call %rd1, T;", "",
                        ".func f { ret; } .func g { ret; } .func h { ret; }");
  EXPECT_EQ(k->functions.size(), 2u);
}

TEST(PtxDecodeCalls, function_addresses_are_initial_values) {
  const isa::Module m = decode_module(std::string(kHeader) +
                                      ".extern .func gone; .func f { ret; } .func g { ret; }\n"
                                      ".global .u64 table[4] = {g, 0, f, gone};\n.entry k() { ret; }");
  ASSERT_EQ(m.globals.size(), 1u);
  std::uint64_t value[4];
  std::memcpy(value, m.globals[0].initial.data(), sizeof value);
  EXPECT_NE(value[0], 0u);
  EXPECT_EQ(value[1], 0u);
  EXPECT_NE(value[2], 0u);
  EXPECT_NE(value[3], 0u);
  EXPECT_NE(value[0], value[2]);
  EXPECT_NE(value[2], value[3]);
  const auto& known = m.kernels[0]->function_addresses;
  ASSERT_TRUE(known.contains(value[3]));
  EXPECT_EQ(known.at(value[3]).reason, "no module defines it");
}

TEST(PtxDecodeCalls, indirect_branches_know_their_targets_and_where_they_meet) {
  const auto k = kernel(
      "T: .branchtargets A, B, A; brx.idx %r1, T; A: mov.u32 %r2, 1; bra END; B: mov.u32 %r2, 2; END: ret;");
  const isa::Instruction& brx = k->code.at(0);
  EXPECT_EQ(brx.op, Opcode::kIndirect);
  EXPECT_EQ(name_of(*k, brx.src[0]), "%r1");
  EXPECT_THAT(k->targets, ElementsAre(Pc(1), Pc(3), Pc(1)));
  EXPECT_EQ(brx.table_count, 3u);
  EXPECT_EQ(brx.rpc, Pc(4));
}

TEST(PtxDecodeCalls, loops_of_an_indirect_branch_have_live_registers) {
  const auto k =
      kernel("mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; T: .branchtargets L, E; brx.idx %r1, T; E: ret;");
  ASSERT_TRUE(k->live_at_loop_heads.contains(1));
  EXPECT_EQ(k->live_at_loop_heads.at(1).size(), 2u);
}

TEST(PtxDecodeCalls, a_loop_in_a_function_keeps_what_its_callers_go_on_with) {
  const auto k =
      kernel("mov.u32 %r1, 1; call f; st.global.u32 [%rd1], %r1;", "",
             ".func f { .reg .pred %p; .reg .b32 %r; L: ld.global.u32 %r, [16]; setp.eq.u32 %p, %r, 0; "
             "@%p bra L; ret; }");
  std::vector<std::string> live;
  for (const isa::RegId reg : k->live_at_loop_heads.at(k->functions[0].first))
    live.push_back(k->register_names[reg]);
  EXPECT_THAT(live, ::testing::UnorderedElementsAre("%r1", "%rd1", "f:(return pc)"));
}

TEST(PtxDecodeCalls, registers_add_up_along_the_deepest_chain_of_calls) {
  const auto alone = kernel("mov.u32 %r1, 1; st.global.u32 [%rd1], %r1;");
  const auto with_call =
      kernel("mov.u32 %r1, 1; call f; st.global.u32 [%rd1], %r1;", "",
             ".func f { .reg .b32 %r<4>; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; "
             "st.global.u32 [16], %r1; st.global.u32 [16], %r2; st.global.u32 [16], %r3; ret; }");
  EXPECT_EQ(alone->registers_per_thread, 3u);
  EXPECT_EQ(with_call->registers_per_thread, 3u + 3u + 1u);  // the caller's, the callee's, the return PC
}

TEST(PtxDecodeCalls, alloca_takes_from_the_stack_and_a_return_gives_it_back) {
  const auto k =
      kernel("call f; ret;", "",
             ".func f { .reg .b64 %rd<4>; .reg .b32 %r; mov.u64 %rd1, 24; alloca.u64 %rd2, %rd1, 16; "
             "st.local.b32 [%rd2], %r; stacksave.u64 %rd3; stackrestore.u64 %rd3; ret; }");
  EXPECT_TRUE(k->uses_stack);
  const isa::FunctionCode& f = k->functions[0];
  EXPECT_EQ(f.recursion, 0u);
  EXPECT_EQ(name_of(*k, k->code[f.entry].dst[0]), "f:(frame)");
  EXPECT_EQ(name_of(*k, k->code[f.end - 2].dst[0]), "(stack pointer)");
  EXPECT_EQ(name_of(*k, k->code[f.end - 2].src[0]), "f:(frame)");
}

TEST(PtxDecodeCalls, an_alias_calls_what_it_stands_for) {
  const auto k = kernel("call g;", "", ".func f { ret; } .func g; .alias g, f;");
  EXPECT_EQ(k->functions.at(0).name, "f");
}

TEST(PtxDecodeCalls, a_library_provides_functions_and_variables_of_modules_before) {
  Library library;
  std::uint64_t next = isa::kGlobalBase;
  const auto allocate = [&](const std::string&, std::uint64_t bytes, std::uint32_t) {
    return std::exchange(next, next + (bytes + 255) / 256 * 256);
  };
  const auto load = [&](const std::string& text, const std::string& name) {
    return decode(std::make_shared<const Module>(parse_text(std::string(kHeader) + text, name)), allocate,
                  library);
  };
  static_cast<void>(
      load(".visible .global .b32 shared_by_all; .func inner { ret; }\n"
           ".visible .func outer { call inner; ret; } .func hidden { ret; }",
           "lib.ptx"));
  const isa::Module m = load(
      ".extern .func outer; .extern .global .b32 shared_by_all;\n"
      ".entry k() { .reg .b64 %rd; mov.u64 %rd, shared_by_all; call outer; ret; }",
      "main.ptx");
  const isa::Kernel& k = *m.kernels.at(0);
  ASSERT_EQ(k.functions.size(), 2u);
  EXPECT_EQ(constant_of(k, k.code[0].src[0]), isa::kGlobalBase);
  EXPECT_THAT(k.location(Pc(k.functions[0].first)), StartsWith("lib.ptx:"));
  try {
    load(".extern .func hidden; .entry k() { call hidden; ret; }", "third.ptx").require_all();
    FAIL() << "a function without linkage is its module's own";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("function 'hidden' is called but not defined"));
  }
}

struct Refused {
  const char* body;
  const char* functions;
  const char* place_and_message;
  const char* remedy = "";
};
void PrintTo(const Refused& c, std::ostream* out) { *out << as_test_name(c.body); }
class PtxCallRefused : public ::testing::TestWithParam<Refused> {};
TEST_P(PtxCallRefused, by_name_and_place) {
  const Refused& c = GetParam();
  EXPECT_THAT(body_error(c.body, "", c.functions),
              AllOf(StartsWith(std::string("test.ptx:") + c.place_and_message), HasSubstr(c.remedy)));
}
INSTANTIATE_TEST_SUITE_P(
    Calls, PtxCallRefused,
    ::testing::Values(
        Refused{"call fg;", ".func ff { ret; }", "6:6: function 'fg' is not declared", "Did you mean 'ff'?"},
        Refused{"call f;", ".extern .func f;", "6:6: function 'f' is called but not defined",
                "Load the module"},
        Refused{"call;", "", "6:1: call names no function"},
        Refused{"call f, (%r1);", ".func f { ret; }", "6:1: the call has 1 argument, the function 0"},
        Refused{"call (%r1), f;", ".func f { ret; }", "6:1: the call has 1 result, the function 0"},
        Refused{"call f, (%rd1);", ".func f (.param .b32 a) { ret; }",
                "6:10: register '%rd1' is .b64 but call"},
        Refused{"{ .param .b64 a; call f, (a); }", ".func f (.param .b32 a) { ret; }",
                "6:27: argument 1 of the call has 8 bytes, the function's has 4"},
        Refused{"call f, (%r1);", ".func f (.param .b8 a[4]) { ret; }",
                "6:10: argument 1 of the call must be a .param array"},
        Refused{"call f, (nothing);", ".func f (.param .b32 a) { ret; }",
                "6:10: 'nothing' is no .param variable"},
        Refused{"call %rd1;", "", "6:6: an indirect call lacks its .callprototype"},
        Refused{"call %rd1, (%r1), P;", "", "6:19: an indirect call takes the label of a .callprototype"},
        Refused{"P: .callprototype _ (); call %r1, P;", ".func f { ret; }",
                "6:30: register '%r1' is .b32 but call"},
        Refused{"T: .calltargets f, nowhere; call %rd1, T;", ".func f { ret; }",
                "6:20: a list of call targets takes functions that are defined"},
        Refused{"{ .param .b32 n; call malloc, (n); }", ".extern .func malloc (.param .b32 n);",
                "6:18: malloc takes one argument and has one result"},
        Refused{"{ .param .b32 p; call free, (p); }", ".extern .func free (.param .b32 n);",
                "6:18: the argument of free is a 64-bit number"},
        Refused{
            "{ .param .b64 p; .param .b64 s; .param .b32 r; call (r), __cudaCDP2LaunchDeviceV2, (p, s); }",
            ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 p, .param .b64 s);",
            "6:58: '__cudaCDP2LaunchDeviceV2' is not supported", "from the host"},
        Refused{"{ .param .b32 r; call (r), cudaDeviceSynchronize; }",
                ".extern .func (.param .b32 r) cudaDeviceSynchronize;",
                "6:28: 'cudaDeviceSynchronize' is not supported", "from the host"},
        Refused{"ret;", ".func f { ret; } .func f { ret; }", "4:24: function 'f' is defined twice"},
        Refused{"ret;", ".func f (.param .b32 a); .func f (.param .b64 a) { ret; }",
                "4:32: function 'f' is declared with other parameters before"},
        Refused{"ret;", ".func g; .alias g, f;",
                "4:17: alias 'g' stands for 'f', which is no function defined"},
        Refused{"st.param.b32 [k], %r1;", "", "6:14: st.param writes to no parameter of a call"},
        Refused{"{ .param .b32 a; st.param.b64 [a], %rd1; }", "", "6:31: 8 bytes at offset 0 lie outside"},
        Refused{"call f;", ".func f { ld.param.b32 %r1, [x]; ret; }", "4:24: register '%r1' is not declared"},
        Refused{"L: brx.idx %r1, L;", "", "6:17: brx.idx takes the label of a .branchtargets"},
        Refused{"T: .branchtargets NOWHERE; brx.idx %r1, T;", "", "6:19: label 'NOWHERE' is not defined"},
        Refused{"alloca.u64 %rd1, %rd2, 3;", "", "6:24: the alignment of alloca must be a power of two"}));

}  // namespace
}  // namespace heddle::ptx::testing::decode_calls_test
