// Unsupported or malformed code is refused by name, with its source location.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "unit/ptx/support.h"

namespace heddle::ptx::testing::decode_refusal_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(PtxRefusal, message_has_place_line_caret_and_remedy) {
  EXPECT_EQ(
      body_error("\tmov.u32 %r1, 1;\n\tistypep.texref %p1, %rd1;"),
      "test.ptx:7:2: instruction 'istypep.texref' is not supported\n"
      "  \tistypep.texref %p1, %rd1;\n"
      "  \t^\n"
      "  It asks whether a handle is a texture's, a sampler's or a surface's: let an argument of the kernel "
      "say so. 'heddle list --ptx' shows what is supported.");
}

/// A body of one line (6) and its expected message after "test.ptx:6:".
struct Case {
  const char* body;
  const char* place_and_message;
  const char* remedy = "";
};
void PrintTo(const Case& c, std::ostream* out) { *out << as_test_name(c.body); }
class PtxRefuses : public ::testing::TestWithParam<Case> {};
TEST_P(PtxRefuses, by_name_and_place) {
  const Case& c = GetParam();
  EXPECT_THAT(
      body_error(c.body, ".param .u64 par, .param .u32 num", ".shared .b32 sh; .extern .global .b32 ext;"),
      AllOf(StartsWith(std::string("test.ptx:6:") + c.place_and_message), HasSubstr(c.remedy)));
}

INSTANTIATE_TEST_SUITE_P(
    Unsupported, PtxRefuses,
    ::testing::Values(
        Case{"tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2}];",
             "1: instruction 'tex.2d.v4.f32.s32' is not"},
        Case{"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
             "1: '.f32' is not supported in 'mma.sync.aligned.m8n8k4.row.col.f32", "m16n8k16"},
        Case{"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2}, %r3, 0;",
             "1: instruction 'mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32' is not", "dense"},
        Case{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2}, {%r1, %r2, %r3, %r4}, {%r5, "
             "%r6}, {%f1, %f2};",
             "51: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 takes a vector of 4 elements here"},
        Case{"mma.sync.aligned.m16n8k16.row.col.f16.f32.f32.f16 {%r1,%r2}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
             "{%r1,%r2};",
             "1: mma.sync.aligned.m16n8k16.row.col.f16.f32.f32.f16 has matrices A or B of .f32",
             "D, A, B, C"},
        Case{"mma.sync.aligned.m16n8k8.row.col.tf32.f32.f32.tf32 {%r1}, {%r1}, {%r5}, {%r1};",
             "1: mma.sync.aligned.m16n8k8.row.col.tf32.f32.f32.tf32 has matrices A or B of .f32"},
        Case{"mma.sync.aligned.m16n8k16.row.col.s8.s32.s32.s8 {%r1}, {%r1}, {%r5}, {%r1};",
             "1: mma.sync.aligned.m16n8k16.row.col.s8.s32.s32.s8 has matrices A or B of .s32"},
        Case{"wmma.mma.sync.aligned.row.col.m16n16k16.bf16.f32.f32.bf16 {%r1}, {%r1}, {%r5}, {%r1};",
             "1: wmma.mma.sync.aligned.row.col.m16n16k16.bf16.f32.f32.bf16 has matrices A or B of .f32"},
        Case{"cp.async.cg.shared.global [%r1], [%rd1], 8;",
             "42: cp.async.cg.shared.global does not copy 8 bytes", "It copies 16 bytes"},
        Case{"cp.async.ca.shared.global [%r1], [%rd1], 12;",
             "42: cp.async.ca.shared.global does not copy 12 bytes", "4, 8 or 16"},
        Case{"cp.async.wait_group %r1;", "21: cp.async.wait_group takes a constant from 0 to"},
        Case{"fma.rn.sat.bf16x2 %r1, %r2, %r3, %r4;", "1: '.bf16x2' is not supported in 'fma.rn.sat.bf16x2'"},
        Case{"add.ftz.bf16 %rs1, %rs2, %rs3;", "1: '.bf16' is not supported in 'add.ftz.bf16'",
             "add{.rn}.(bf16|bf16x2)"},
        Case{"add.rn.f32x2 %rd1, %rd2, %rd3;", "1: '.f32x2' is not supported", "sm_100"},
        Case{"red.shared.add.v2.f32 [%r1], {%f1, %f2};", "1: '.v2' is not supported"},
        Case{"max.u16x2.relu %r1, %r2, %r3;", "1: '.relu' is not supported in 'max.u16x2.relu'"},
        Case{"add.cc.u16 %rs1, %rs2, %rs3;", "1: '.u16' is not supported in 'add.cc.u16'", "add.cc.(u32|"},
        Case{"mul.lo.cc.u32 %r1, %r2, %r3;", "1: '.cc' is not supported"},
        Case{"lop3.b32 %r1, %r2, %r3, %r4, 256;", "30: lop3.b32 takes a constant from 0 to 255 here"},
        Case{"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "30: lop3.b32 takes a constant from 0 to 255 here"},
        Case{"cvt.rna.relu.tf32.f32 %r1, %f1;", "1: cvt.rna.relu.tf32.f32 is not supported"},
        Case{"cvt.rn.e4m3x2.f32 %rs1, %f1, %f2;", "1: 'cvt.rn.e4m3x2.f32' lacks a modifier", "satfinite"},
        Case{"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1}, [%rd1];",
             "51: wmma.load.a.sync.aligned.row.m16n16k16.global.f16 takes a vector of 8 elements here"},
        Case{"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r1}, {%r2}, {%r3}, {%r4};",
             "1: instruction 'wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32' is not", "dense"},
        Case{"wgmma.fence.sync.aligned;", "1: instruction 'wgmma.fence.sync.aligned' is not", "mma.sync"},
        Case{"mbarrier.init.shared.b64 [%r1], 0;", "33: an mbarrier counts from 1 to 1048575"},
        Case{"cp.async.ca.shared.global [%r1], [%rd1], 4, 8;",
             "45: the number of bytes to read of cp.async.ca.shared.global is 8", "from 0 to 4"},
        Case{"cp.async.cg.shared.global [%r1], [%rd1], 16, -1;",
             "46: the number of bytes to read of cp.async.cg.shared.global is -1", "from 0 to 16"},
        Case{"mbarrier.arrive.shared.b64 %rd5, [%r1], 0;",
             "41: the number of arrivals of mbarrier.arrive.shared.b64 is 0", "from 1 to 1048575"},
        Case{"mbarrier.arrive.noComplete.shared.b64 %rd5, [%r1];",
             "1: mbarrier.arrive.noComplete.shared.b64 takes a count"},
        Case{"mbarrier.arrive.release.shared.b64 %rd5, [%r1];",
             "1: mbarrier.arrive.release.shared.b64 has an order without a scope", "neither"},
        Case{"mbarrier.expect_tx.cta.shared.b64 [%r1], 1;",
             "1: mbarrier.expect_tx.cta.shared.b64 has an order without a scope"},
        Case{"mbarrier.test_wait.acquire.shared.b64 %p1, [%r1], %rd5;",
             "1: mbarrier.test_wait.acquire.shared.b64 has an order without a scope"},
        Case{"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd5, %r2;",
             "1: mbarrier.test_wait.shared.b64 takes no time limit", "try_wait"},
        Case{"mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 2;",
             "50: the parity of mbarrier.test_wait.parity.shared.b64 is 2", "from 0 to 1"},
        Case{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [%r2];",
             "42: ldmatrix.sync.aligned.m8n8.x1.shared.b16 takes a register in braces here"},
        Case{"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, %r3, {%r4}, {%r5, %r6};",
             "60: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 takes a register in braces here"},
        Case{"createpolicy.fractional.L2::evict_last.b64 %rd5, 1.5;",
             "50: the fraction of createpolicy.fractional.L2::evict_last.b64 is no number"},
        Case{"createpolicy.fractional.L2::evict_last.b64 %rd5, 0f00000000;",
             "50: the fraction of createpolicy.fractional.L2::evict_last.b64 is no number"},
        Case{"createpolicy.range.global.L2::evict_last.b64 %rd5, [%rd1], 8192, 4096;",
             "60: createpolicy.range.global.L2::evict_last.b64 has a first part of 8192 bytes in a range of "
             "4096"},
        Case{"setmaxnreg.inc.sync.aligned.u32 23;", "33: setmaxnreg.inc.sync.aligned.u32 names 23 registers",
             "multiple of 8"},
        Case{"setmaxnreg.dec.sync.aligned.u32 264;",
             "33: setmaxnreg.dec.sync.aligned.u32 takes a constant from 0 to 256"},
        Case{"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%r1}, {%r2}, {%r3}, {%r4};",
             "1: instruction 'mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32' is not", "dense"},
        Case{"barrier.cluster.sync;", "1: instruction 'barrier.cluster.sync' is not", "Clusters"},
        Case{"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 24;",
             "60: cp.async.bulk.global.shared::cta.bulk_group copies a multiple of 16 bytes"},
        Case{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];",
             "1: instruction 'st.async", "TMA"},
        Case{"suld.b.1d.b32.trap {%r1}, [s, {%r2}];", "1: instruction 'suld.b.1d.b32.trap' is not",
             "Texture references"},
        Case{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 32;",
             "1: instruction 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32' is not", "TMA"},
        Case{"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%r2};", "1: '.m16n8' is not supported"},
        Case{"atom.shared.add.v2.f32 {%f1, %f2}, [%r1], {%f3, %f4};", "1: '.v2' is not supported"},
        Case{"tcgen05.wait::ld.sync.aligned;", "1: instruction 'tcgen05.wait::ld.sync.aligned' is not"},
        Case{"atom.global.cas.b128 %rd1, [%rd1], %rd2, %rd3;",
             "42: atom.global.cas.b128 takes a vector of 2 elements here"},
        Case{"atom.cas.L2::cache_hint.b128 %rd1, [%rd1], %rd2, %rd3, %rd4;", "1: '.b128' is not supported"},
        Case{"atom.global.add.b128 %rd1, [%rd1], %rd2;", "1: '.b128' is not supported"},
        Case{"atom.global.add.f16 %rs1, [%rd1], %rs2;", "1: 'atom.global.add.f16' lacks a modifier", "noftz"},
        Case{"fence.proxy.tensormap::generic.release.gpu;", "1: '.tensormap::generic' is not supported"},
        Case{"ld.global.L2::cache_hint.u32 %r1, [%rd1];",
             "1: ld.global.L2::cache_hint.u32 takes 3 operands, not 2"},
        Case{"ld.relaxed.global.u32 %r1, [%rd1];", "1: 'ld.relaxed.global.u32' lacks a modifier",
             "cta|cluster"},
        Case{"ld.gpu.global.u32 %r1, [%rd1];", "1: 'ld.gpu.global.u32' lacks a modifier"},
        Case{"ld.weak.gpu.global.u32 %r1, [%rd1];", "1: '.gpu' is not supported"},
        Case{"ld.volatile.gpu.u32 %r1, [%rd1];", "1: '.gpu' is not supported"},
        Case{"ld.volatile.global.cg.u32 %r1, [%rd1];", "1: '.cg' is not supported"},
        Case{"ld.acquire.gpu.local.u32 %r1, [%rd1];", "1: '.local' is not supported"},
        Case{"ld.relaxed.gpu.global.ca.u32 %r1, [%rd1];", "1: '.ca' is not supported"},
        Case{"ld.release.gpu.u32 %r1, [%rd1];", "1: '.release' is not supported"},
        Case{"ld.mmio.relaxed.gpu.global.u32 %r1, [%rd1];", "1: '.gpu' is not supported"},
        Case{"ld.mmio.global.u32 %r1, [%rd1];", "1: 'ld.mmio.global.u32' lacks a modifier"},
        Case{"ld.mmio.relaxed.sys.shared.u32 %r1, [%rd1];", "1: '.shared' is not supported"},
        Case{"st.release.u32 [%rd1], %r1;", "1: 'st.release.u32' lacks a modifier"},
        Case{"st.acquire.gpu.u32 [%rd1], %r1;", "1: '.acquire' is not supported"},
        Case{"st.volatile.local.u32 [%rd1], %r1;", "1: '.local' is not supported"},
        Case{"st.relaxed.sys.global.wt.u32 [%rd1], %r1;", "1: '.wt' is not supported"},
        Case{"atom.sc.gpu.global.add.u32 %r1, [%rd1], %r2;", "1: '.sc' is not supported"},
        Case{"red.acquire.gpu.global.add.u32 [%rd1], %r2;", "1: '.acquire' is not supported"},
        Case{"fence.sc;", "1: 'fence.sc' lacks a modifier"},
        Case{"membar.gpu;", "1: '.gpu' is not supported"},
        Case{"mov.b128 %rd1, {%rd2, %rd3};", "10: mov.b128 takes a vector of 2 elements here"},
        Case{"mov.u32 %r1, %pm0;", "14: special register '%pm0' is not supported"},
        Case{"mov.u32 %r1, %envreg32;", "14: special register '%envreg32' is not supported"},
        Case{"mov.u32 %r1, %aggr_smem_size;", "14: special register '%aggr_smem_size' is not supported"},
        Case{"atom.global.add.bf16 %rs1, [%rd1], %rs2;", "1: 'atom.global.add.bf16' lacks a modifier",
             "noftz"},
        Case{"ld.shared.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%r1];", "1: '.v8' is not supported"},
        Case{"add.s32.sat %r1, %r2, 1; add.u32.sat %r1, %r2, 1;", "26: add.u32.sat is not supported",
             "list --ptx"},
        Case{"mov.u32 %r1, %tid;", "14: mov.u32 with 4 elements is not supported"},
        Case{".global .b32 inner;", "14: a .global variable within a kernel is not supported",
             "module scope"},
        Case{"mov.u64 %rd1, ext;", "15: external variable 'ext' is not defined in this module", "-rdc"},
        Case{"ld.global.u32 %r1, [ext];", "20: external variable 'ext' is not defined"},
        Case{"mov.u64 %rd1, k;", "15: the address of kernel 'k' is not supported"},
        Case{"tld4.r.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6,%f7,%f8}];",
             "1: '.cube' is not supported in 'tld4.r"},
        Case{"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5}];",
             "38: tex.2d.v4.f32.f32 takes 2 coordinates, not 1"},
        Case{"tex.2d.v4.f16.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];",
             "1: '.f16' is not supported in 'tex.2d"},
        Case{"sust.p.1d.b32.trap [%rd1, {%r2}], {%r1};", "1: '.p' is not supported in 'sust.p"},
        Case{"suld.b.1d.v4.b64.trap {%rd1,%rd2,%rd3,%rd4}, [%rd5, {%r2}];",
             "1: suld.b.1d.v4.b64.trap accesses more than 16 bytes"},
        Case{"sured.b.add.1d.u32.trap [%rd1, {%r2}], %r1;", "1: instruction 'sured.b.add.1d.u32.trap' is not",
             "atomics on plain memory"},
        Case{"sust.b.1d.b32.trap [s, {%r2}], {%r1};", "1: instruction 'sust.b.1d.b32.trap' is not",
             "Texture references"}));

INSTANTIATE_TEST_SUITE_P(
    Wrong, PtxRefuses,
    ::testing::Values(
        Case{"ad.s32 %r1, %r2, %r3;", "1: unknown instruction 'ad'", "Did you mean 'add'?"},
        Case{"add %r1, %r2, %r3;", "1: 'add' lacks a modifier", "Supported: add{.sat}"},
        Case{"mul.s32 %r1, %r2, %r3;", "1: 'mul.s32' lacks a modifier", "mul.lo."},
        Case{"mov.u32 %r19, 1;", "9: register '%r19' is not declared"},
        Case{".reg .v2 .b32 V; mov.u32 %r1, V.z;", "31: register 'V.z' is not declared"},
        Case{".reg .v2 .b32 V; mov.u32 %r1, V.xy;", "31: register 'V.xy' is not declared"},
        Case{".reg .v2 .b32 V; { .reg .b32 V; mov.u32 %r1, V.x; }", "46: register 'V.x' is not declared"},
        Case{".reg .v2 .b32 V; add.u32 %r1, V, 1;",
             "31: add.u32 takes a register or a number here, not a vector"},
        Case{".reg .v2 .b32 V; ld.global.v4.u32 V, [%rd1];",
             "35: ld.global.v4.u32 takes a vector of 4 elements"},
        Case{".reg .v2 .b32 V; ld.global.v2.u32 {V, %r1}, [%rd1];", "36: 'V' is a whole vector register",
             ".x"},
        Case{".reg .v2 .b32 V; mov.v4.u32 V, V;", "29: mov.v4.u32 takes a vector of 4 elements here"},
        Case{".reg .v2 .b32 V; mov.v2.u32 V, %r1;", "32: mov.v2.u32 takes a vector of 2 elements here"},
        Case{".reg .v4 .b64 V;", "15: a vector register has at most 128 bits"},
        Case{".reg .v2 .pred V;", "16: a predicate register cannot be a vector"},
        Case{"add.s32 %r1, -%r2, 1;", "15: add takes no negated operand", "neg"},
        Case{"setp.eq.f16 %p1|%p2, %rs1, %rs2;", "17: setp.eq.f16 has one destination"},
        Case{"setp.lt.and.ftz.f16 %p1|%p2, %rs1, %rs2, %p3;", "25: setp.lt.and.ftz.f16 has one destination"},
        Case{"cvt.sat.u32.u8 %r1, %rs1;", "1: cvt.sat.u32.u8 cannot saturate: .u32 holds every value of .u8",
             "Leave '.sat' out"},
        Case{"cvt.sat.s64.u32 %rd1, %r1;", "1: cvt.sat.s64.u32 cannot saturate", "Leave '.sat' out"},
        Case{"cvt.sat.s8.s8 %r1, %r2;", "1: cvt.sat.s8.s8 cannot saturate", "Leave '.sat' out"},
        Case{"cvt.sat.u16.u16 %r1, %rd2;", "1: cvt.sat.u16.u16 cannot saturate", "Leave '.sat' out"},
        Case{"vadd4.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;", "1: '.sat' and '.add' exclude each other"},
        Case{"vadd4.u32.u32.u32 %r1.b023, %r2, %r3, %r4;", "19: '.b023' selects nothing", "falling order"},
        Case{"vadd4.u32.u32.u32 %r1, %r2.b0, %r3, %r4;", "24: '.b0' selects nothing", "Four bytes"},
        Case{"vadd4.u32.u32.u32 %r1, %r2.b3218, %r3, %r4;", "24: '.b3218' selects nothing", "Four bytes"},
        Case{"vadd2.u32.u32.u32 %r1, %r2.h4, %r3, %r4;", "24: '.h4' selects nothing", "Two halves"},
        Case{"vadd2.u32.u32.u32 %r1.h01, %r2, %r3, %r4;", "19: '.h01' selects nothing", ".h10"},
        Case{"vadd2.u32.u32.u32 %r1, %r2, %r3;", "1: vadd2.u32.u32.u32 takes 4 operands, not 3"},
        Case{"vadd.u32.u32.u32 %r1, %r2.b4, %r3;", "23: '.b4' selects nothing", ".b3"},
        Case{"vadd.u32.u32.u32.min %r1.b0, %r2, %r3, %r4;", "22: '.b0' selects nothing", "merged"},
        Case{"vadd.u32.u32.u32 %r1.b0, %r2, %r3;", "18: '.b0' selects nothing", "merged"},
        Case{"vadd.u32.u32.u32.add %r1, %r2, %r3;", "1: vadd.u32.u32.u32.add takes 4 operands, not 3"},
        Case{"vadd.u32.u32.u32 %r1, %r2, %r3, %r4.b0;", "33: '.b0' selects nothing", "whole"},
        Case{"vadd.u32.u32.u32 _, %r2, %r3;", "18: the result of vadd.u32.u32.u32 cannot be discarded"},
        Case{"vshl.u32.u32.u32 %r1, %r2, %r3;", "1: 'vshl.u32.u32.u32' lacks a modifier", "clamp"},
        Case{"vshr.s32.s32.s32.clamp %r1, %r2, %r3;", "1: '.s32' is not supported"},
        Case{"vset2.u32.u32.lo %r1, %r2, %r3, %r4;", "1: '.lo' is not supported"},
        Case{"vmad.s32.s32.u32.po %r1, -%r2, %r3, %r4;", "1: vmad.s32.s32.u32.po takes no negated operand"},
        Case{"vmad.s32.s32.u32 %r1, -%r2, %r3, -%r4;", "1: vmad.s32.s32.u32 negates the product or"},
        Case{"vmad.s32.s32.u32 -%r1, %r2, %r3, %r4;", "19: a destination cannot be negated"},
        Case{"mov.u32 %r01, 1;", "9: register '%r01' is not declared"},
        Case{"mov.u32 %q, 1;", "9: register '%q' is not declared"},
        Case{"mov.u32 counter, 1;", "9: the destination of mov.u32 must be a register, not 'counter'"},
        Case{"mov.u32 %tid.x, 1;", "9: special register '%tid.x' cannot be written"},
        Case{"add.u32 %r1, %clock, 1;", "14: '%clock' can only be read with mov"},
        Case{"mov.u32 %r1, %clock64;", "14: this clock register is .u64 but mov.u32 takes .u32 here"},
        Case{"mov.u64 %rd1, %tid.x;", "15: special register '%tid.x' is .u32 but mov.u64 takes .u64 here"},
        Case{"add.s32 %r1, %rd2, 1;", "14: register '%rd2' is .b64 but add.s32 takes .s32 here"},
        Case{"add.f32 %f1, %fd2, %f3;", "14: register '%fd2' is .f64 but add.f32 takes .f32 here"},
        Case{"add.s32 %r1, %f2, 1;", "14: register '%f2' is .f32 but add.s32 takes .s32 here"},
        Case{"add.s32 %r1, %p2, 1;", "14: register '%p2' is .pred but add.s32 takes .s32 here"},
        Case{"mul.wide.s32 %r1, %r2, 4;", "14: register '%r1' is .b32 but mul.wide.s32 takes .s64 here"},
        Case{"@%r1 bra L; L: ret;", "1: register '%r1' is .b32 but bra takes .pred here"},
        Case{"ld.global.u64 %r1, [%rd1];", "15: register '%r1' is .b32 but ld.global.u64 takes .u64 here"},
        Case{"ld.global.u32 %r1, [%rs1];", "20: register '%rs1' is .b16 and cannot hold an address"},
        Case{"ld.global.u32 %r1, %rd1;", "20: ld.global.u32 takes an address in brackets here"},
        Case{"ld.global.u32 %r1, [sh];", "20: 'sh' is in .shared, but ld.global.u32 accesses .global"},
        Case{"ld.global.u32 %r1, [nowhere];", "20: 'nowhere' is not declared"},
        Case{"ld.global.v2.u32 {%r1,%r2,%r3}, [%rd1];",
             "18: ld.global.v2.u32 takes a vector of 2 elements here"},
        Case{"ld.global.v2.u32 %r1, [%rd1];", "18: ld.global.v2.u32 takes a vector of 2 elements here"},
        Case{"ld.global.u32 {%r1,%r2}, [%rd1];", "15: ld.global.u32 takes a single register here"},
        Case{"ld.global.v4.u64 {%rd1, %rd2}, [%rd5];",
             "18: ld.global.v4.u64 takes a vector of 4 elements here"},
        Case{"ld.param.u64 %rd1, [num];", "20: 8 bytes at offset 0 lie outside parameter 'num' of 4 bytes"},
        Case{"ld.param.u32 %r1, [par+-4];",
             "19: 4 bytes at offset -4 lie outside parameter 'par' of 8 bytes"},
        Case{"mov.u32 %r1, par; cvta.global.u64 %rd1, par;", "41: parameter 'par' has no generic address",
             "ld.param"},
        Case{"bra NOWHERE;", "5: label 'NOWHERE' is not defined"},
        Case{"LOOP: bra LOOPS;", "11: label 'LOOPS' is not defined", "Did you mean 'LOOP'?"},
        Case{"bra INNER; { INNER: ret; }", "5: label 'INNER' is not defined"},
        Case{"bra %r1;", "5: bra takes a label"},
        Case{"L: mov.u32 %r1, 1; L: ret;", "20: 'L' is declared twice in this scope"},
        Case{".reg .b32 %r<4>;", "11: '%r' is declared twice in this scope"},
        Case{".reg .b32 %laneid;", "11: '%laneid' is a special register"},
        Case{"add.s32 %r1, %r2;", "1: add.s32 takes 3 operands, not 2"},
        Case{"add.s32 %r1, %r2, %r3, %r4;", "24: add.s32 takes 3 operands, not 4"},
        Case{"exit %r1;", "6: exit takes 0 operands, not 1"},
        Case{"bar.sync;", "1: bar.sync takes 1 to 2 operands, not 0"},
        Case{"bar.sync 16;", "10: there is no barrier 16", "0 to 15"},
        Case{"bar.sync 1, 33;", "13: the number of threads at a barrier must be"},
        Case{"mov.u32 %r1, 4294967296;", "14: the number does not fit in 32 bits"},
        Case{"mov.u16 %rs1, -32769;", "15: the number does not fit in 16 bits"},
        Case{"add.f32 %f1, %f2, 1;", "19: add.f32 takes a floating-point number here, not an integer", "0f"},
        Case{"add.s32 %r1, %r2, 1.5;", "19: add.s32 takes .s32 here, not a floating-point number"},
        Case{"add.s32 %r1, %r2, sh;", "19: add.s32 cannot take 'sh' as an operand", "mov"},
        Case{"add.s32 %r1, %r2, [%rd1];", "19: add.s32 takes a register or a number here, not an address"},
        Case{"add.s32 %r1|%p1, %r2, 1;", "13: add.s32 has one destination"},
        Case{"add.s32 %r1, !%r2, 1;", "15: '!' is for predicates"},
        Case{"add.s32 {%r1,%r2}, %r2, 1;", "9: the destination of add.s32 must be a register, not a vector"},
        Case{"mov.u32 %r1, generic(sh);", "22: the address of 'sh' does not fit in the .u32 of mov.u32"},
        Case{"mov.u32 %r1, %cluster_ctaid.q;", "14: "},
        Case{"mov.b64 {%r1,%r2,%r3}, %rd1;", "9: mov.b64 with 3 elements is not supported",
             "mov.b64 with two"},
        Case{"mov.u64 {%r1,%r2}, %rd1;", "9: mov.u64 with 2 elements is not supported"},
        Case{"atom.global.add.b32 %r1, [%rd1], 1;", "1: '.b32' is not supported in 'atom.global.add.b32'",
             ".add.(u32|s32|u64|f32|f64)"},
        Case{"atom.global.inc.s32 %r1, [%rd1], 1;", "1: '.s32' is not supported in 'atom.global.inc.s32'",
             ".(inc|dec).u32"},
        Case{"atom.global.cas.b32 %r1, [%rd1], 1;", "1: atom.global.cas.b32 takes 4 operands, not 3"},
        Case{"atom.global.add.u32 %r1, [%rd1], 1, 2;", "37: atom.global.add.u32 takes 3 operands, not 4"},
        Case{".shared .b32 x = 3; mov.u32 %r1, x;", "14: .shared variable 'x' cannot have initial values"}));

TEST(PtxRefusal, module_scope) {
  const std::string header = kHeader;
  EXPECT_THAT(error_of(".version 7.0\n.target sm_70\n.address_size 32\n"),
              StartsWith("test.ptx:3:15: .address_size 32 is not supported"));
  EXPECT_THAT(error_of(header + ".entry k() {ret;}\n.entry k() {ret;}"),
              StartsWith("test.ptx:5:8: kernel 'k' is defined twice"));
  EXPECT_THAT(error_of(header + ".global .b32 a; .const .b32 a;"),
              StartsWith("test.ptx:4:29: variable 'a' is declared twice"));
  EXPECT_THAT(error_of(header + ".shared .b32 a; .shared .b32 a;"),
              StartsWith("test.ptx:4:30: variable 'a' is declared twice"));
  EXPECT_THAT(error_of(header + ".global .u64 a = b;"),
              HasSubstr("names 'b', which is no .global or .const variable"));
  EXPECT_THAT(error_of(header + ".global .u8 a = 256;"),
              HasSubstr("an initial value of 'a' does not fit in .u8"));
  EXPECT_THAT(error_of(header + ".global .u16 a = a;"), HasSubstr("the address of 'a' does not fit in .u16"));
  EXPECT_THAT(error_of(header + ".global .f32 a = 3;"),
              HasSubstr("'a' is .f32 but has an integer as initial value"));
  EXPECT_THAT(error_of(header + ".global .u32 a = 3.5;"),
              HasSubstr("has a floating-point number as initial value"));
  EXPECT_THAT(error_of(header + ".global .b8 a[];"), HasSubstr("array 'a' has no size"));
  EXPECT_THAT(error_of(header + ".local .b8 a[4];"), HasSubstr("'a' cannot be .local at module scope"));
  EXPECT_THAT(error_of(header + ".entry k() .reqnctapercluster 2 {ret;}"),
              HasSubstr("kernel 'k' asks for clusters of several CTAs"));
  EXPECT_THAT(error_of(header + ".entry k(.param .b8 a[40000]) {ret;}"),
              HasSubstr("cannot have 40000 elements"));
  EXPECT_THAT(error_of(header + ".shared .b8 s[99999999]; .entry k() {.reg .b32 r; mov.u32 r, s;}"),
              HasSubstr("the kernel's .shared variables take more than"));
  EXPECT_EQ(error_of(header + ".extern .global .b32 a; .global .b32 a; .entry k() {ret;}"), "");
}

TEST(PtxRefusal, more_registers_than_can_be_numbered) {
  std::string body = ".reg .b32 x<70000>;";
  for (int i = 0; i < 66000; ++i) body += "mov.u32 x" + std::to_string(i) + ",0;";
  EXPECT_THAT(body_error(body), HasSubstr("the kernel uses more than 65534 registers"));
}

TEST(PtxRefusal, a_file_that_cannot_be_read) {
  try {
    static_cast<void>(parse_file("no/such/file.ptx"));
    FAIL() << "no error";
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.where(), "no/such/file.ptx");
    EXPECT_THAT(error.what(), HasSubstr("cannot read the PTX file"));
  }
}

}  // namespace
}  // namespace heddle::ptx::testing::decode_refusal_test
