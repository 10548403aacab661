#include "unit/ssde/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "compiler/pipeline.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/parser.h"
#include "ssde/ssde.h"

namespace heddle::ssde_test {

std::string module_text(const std::string& body, const std::string& globals) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n" + globals +
         "\n"  // line 4
         ".visible .entry k(.param .u64 lock, .param .u64 data, .param .u32 n)\n{\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<20>;\n"
         "ld.param.u64 %rd1, [lock];\nld.param.u64 %rd2, [data];\nld.param.u32 %r1, [n];\n" +
         body + "}\n";
}

const char* const kSpinLock = R"(SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;
mov.u32 %r5, 1;
ret;
)";

const char* const kRetry = R"(mov.u32 %r5, 0;
AGAIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra NEXT;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
mov.u32 %r5, 1;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;
NEXT: setp.eq.u32 %p2, %r5, 0;
@%p2 bra AGAIN;
ret;
)";

const char* const kRetryInGridStride = R"(mov.u32 %r6, %tid.x;
STRIDE: mov.u32 %r5, 0;
AGAIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra NEXT;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
mov.u32 %r5, 1;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;
NEXT: setp.eq.u32 %p2, %r5, 0;
@%p2 bra AGAIN;
add.u32 %r6, %r6, 32;
setp.lt.u32 %p3, %r6, %r1;
@%p3 bra STRIDE;
mov.u32 %r7, 0;
ret;
)";

const char* const kSpinInGridStride = R"(mov.u32 %r6, %tid.x;
STRIDE: mov.u32 %r5, 0;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;
add.u32 %r6, %r6, 32;
setp.lt.u32 %p3, %r6, %r1;
@%p3 bra STRIDE;
mov.u32 %r7, 0;
ret;
)";

const char* const kTwoLocks = R"(mul.wide.u32 %rd5, %r1, 0;
FIRST: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra FIRST;
SECOND: atom.global.cas.b32 %r3, [%rd2], 0, 1;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra SECOND;
ld.volatile.global.u32 %r4, [%rd2+4];
add.u32 %r4, %r4, 1;
st.volatile.global.u32 [%rd2+4], %r4;
membar.gl;
atom.global.exch.b32 %r5, [%rd2], 0;
atom.global.exch.b32 %r6, [%rd1], 0;
mov.u32 %r7, 0;
ret;
)";

// Cell k waits for start[k] and gives start[k+1] its value plus one; %rd2 is start, %r1 the cells.
const char* const kWaitForParent = R"(mov.u32 %r6, %tid.x;
setp.ge.u32 %p1, %r6, %r1;
@%p1 bra DONE;
CELLS: mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
WAIT: ld.volatile.global.u32 %r2, [%rd6];
setp.lt.s32 %p2, %r2, 0;
@%p2 bra WAIT;
and.b32 %r3, %r6, 1;
setp.eq.u32 %p3, %r3, 1;
@%p3 bra ODD;
add.u32 %r4, %r2, 1;
st.volatile.global.u32 [%rd6+4], %r4;
bra JOIN;
ODD: add.u32 %r4, %r2, 1;
st.volatile.global.u32 [%rd6+4], %r4;
JOIN: add.u32 %r6, %r6, 32;
setp.lt.u32 %p4, %r6, %r1;
@%p4 bra CELLS;
mov.u32 %r7, 0;
DONE: ret;
)";

const char* const kPollForParent = R"(mov.u32 %r6, %tid.x;
setp.ge.u32 %p1, %r6, %r1;
@%p1 bra DONE;
CELLS: mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
ld.volatile.global.u32 %r2, [%rd6];
setp.lt.s32 %p2, %r2, 0;
@%p2 bra JOIN;
add.u32 %r4, %r2, 1;
st.volatile.global.u32 [%rd6+4], %r4;
add.u32 %r6, %r6, 32;
JOIN: setp.lt.u32 %p4, %r6, %r1;
@%p4 bra CELLS;
DONE: ret;
)";

const char* const kLaneByLane = R"(mov.u32 %r6, 0;
mov.u32 %r7, %laneid;
LANES: setp.ne.u32 %p1, %r6, %r7;
@%p1 bra NEXT;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra SPIN;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;
NEXT: add.u32 %r6, %r6, 1;
setp.lt.u32 %p3, %r6, 32;
@%p3 bra LANES;
mov.u32 %r8, 0;
ret;
)";

const char* const kNestedRetry = R"(mov.u32 %r5, 0;
AGAIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra NEXT;
atom.global.cas.b32 %r3, [%rd1+4], 0, 1;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra FAILED;
ld.volatile.global.u32 %r4, [%rd2];
add.u32 %r4, %r4, 1;
st.volatile.global.u32 [%rd2], %r4;
membar.gl;
atom.global.exch.b32 %r6, [%rd1+4], 0;
atom.global.exch.b32 %r7, [%rd1], 0;
mov.u32 %r5, 1;
bra NEXT;
FAILED: atom.global.exch.b32 %r8, [%rd1], 0;
NEXT: setp.eq.u32 %p3, %r5, 0;
@%p3 bra AGAIN;
ret;
)";

const char* const kLockWithDelay = R"(mov.u32 %r10, %ctaid.x;
mul.lo.u32 %r10, %r10, 50;
TRY: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.eq.u32 %p1, %r2, 0;
@%p1 bra TAKEN;
mov.u32 %r11, %clock;
DELAY: mov.u32 %r12, %clock;
sub.u32 %r13, %r12, %r11;
setp.lt.u32 %p2, %r13, %r10;
@%p2 bra DELAY;
bra TRY;
TAKEN: ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
membar.gl;
atom.global.cas.b32 %r4, [%rd1], 1, 0;
mov.u32 %r5, 0;
ret;
)";

const char* const kRetryWithDelay = R"(mov.u32 %r5, 0;
mov.u32 %r10, %ctaid.x;
mul.lo.u32 %r10, %r10, 50;
AGAIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra FAILED;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
mov.u32 %r5, 1;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;
bra NEXT;
FAILED: mov.u32 %r11, %clock;
DELAY: mov.u32 %r12, %clock;
sub.u32 %r13, %r12, %r11;
setp.lt.u32 %p2, %r13, %r10;
@%p2 bra DELAY;
NEXT: setp.eq.u32 %p3, %r5, 0;
@%p3 bra AGAIN;
ret;
)";

const char* const kMaximum = R"(mov.u32 %r6, %tid.x;
ld.volatile.global.u32 %r2, [%rd2];
setp.le.u32 %p1, %r6, %r2;
@%p1 bra OUT;
SPIN: atom.global.cas.b32 %r3, [%rd1], 0, 1;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra SPIN;
ld.volatile.global.u32 %r4, [%rd2];
setp.le.u32 %p3, %r6, %r4;
@%p3 bra FREE;
st.volatile.global.u32 [%rd2], %r6;
FREE: membar.gl;
atom.global.exch.b32 %r5, [%rd1], 0;
OUT: mov.u32 %r7, 0;
ret;
)";

const char* const kEarlyRelease = R"(mov.u32 %r6, %tid.x;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
membar.gl;
and.b32 %r7, %r6, 1;
setp.eq.u32 %p2, %r7, 0;
@%p2 bra LATER;
atom.global.exch.b32 %r4, [%rd1], 0;
ret;
LATER: atom.global.exch.b32 %r5, [%rd1], 0;
ret;
)";

const char* const kTwoReleases = R"(mov.u32 %r6, %tid.x;
FIRST: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra FIRST;
SECOND: atom.global.cas.b32 %r3, [%rd1+4], 0, 1;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra SECOND;
ld.volatile.global.u32 %r4, [%rd2];
add.u32 %r4, %r4, 1;
st.volatile.global.u32 [%rd2], %r4;
membar.gl;
and.b32 %r7, %r6, 1;
setp.eq.u32 %p3, %r7, 0;
@%p3 bra OTHER;
atom.global.exch.b32 %r8, [%rd1], 0;
atom.global.exch.b32 %r9, [%rd1+4], 0;
bra OUT;
OTHER: atom.global.exch.b32 %r8, [%rd1], 0;
atom.global.exch.b32 %r9, [%rd1+4], 0;
OUT: mov.u32 %r10, 0;
ret;
)";

// The outer loop's header is the lock loop's, too.
const char* const kBreakWithLock = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 0;
SPIN: atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
add.u32 %r7, %r7, 1;
setp.gt.u32 %p2, %r7, %r6;
@%p2 bra BREAK;
ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;
setp.lt.u32 %p3, %r7, 3;
@%p3 bra SPIN;
bra OUT;
BREAK: ld.volatile.global.u32 %r3, [%rd2];
add.u32 %r3, %r3, 1;
st.volatile.global.u32 [%rd2], %r3;
membar.gl;
atom.global.exch.b32 %r5, [%rd1], 0;
OUT: mov.u32 %r8, 0;
ret;
)";

const char* const kHistogram = R"(mov.u32 %r6, %tid.x;
shl.b32 %r10, %r6, 27;
WORDS: and.b32 %r11, %r6, 31;
mul.wide.u32 %rd5, %r11, 4;
add.u64 %rd6, %rd2, %rd5;
ONE: ld.volatile.global.u32 %r2, [%rd6];
and.b32 %r2, %r2, 0x07FFFFFF;
add.u32 %r2, %r2, 1;
or.b32 %r2, %r2, %r10;
st.volatile.global.u32 [%rd6], %r2;
ld.volatile.global.u32 %r3, [%rd6];
setp.ne.u32 %p1, %r3, %r2;
@%p1 bra ONE;
TWO: ld.volatile.global.u32 %r2, [%rd6];
and.b32 %r2, %r2, 0x07FFFFFF;
add.u32 %r2, %r2, 1;
or.b32 %r2, %r2, %r10;
st.volatile.global.u32 [%rd6], %r2;
ld.volatile.global.u32 %r3, [%rd6];
setp.ne.u32 %p1, %r3, %r2;
@%p1 bra TWO;
THREE: ld.volatile.global.u32 %r2, [%rd6];
and.b32 %r2, %r2, 0x07FFFFFF;
add.u32 %r2, %r2, 1;
or.b32 %r2, %r2, %r10;
st.volatile.global.u32 [%rd6], %r2;
ld.volatile.global.u32 %r3, [%rd6];
setp.ne.u32 %p1, %r3, %r2;
@%p1 bra THREE;
FOUR: ld.volatile.global.u32 %r2, [%rd6];
and.b32 %r2, %r2, 0x07FFFFFF;
add.u32 %r2, %r2, 1;
or.b32 %r2, %r2, %r10;
st.volatile.global.u32 [%rd6], %r2;
ld.volatile.global.u32 %r3, [%rd6];
setp.ne.u32 %p1, %r3, %r2;
@%p1 bra FOUR;
add.u32 %r6, %r6, 32;
setp.lt.u32 %p2, %r6, %r1;
@%p2 bra WORDS;
ret;
)";

const char* const kUnstructured = R"(mov.u32 %r6, %tid.x;
mov.u32 %r7, 0;
A: add.u32 %r7, %r7, 1;
setp.gt.u32 %p1, %r7, %r6;
@%p1 bra B;
add.u32 %r7, %r7, 2;
setp.lt.u32 %p2, %r7, 20;
@%p2 bra A;
bra D;
B: add.u32 %r7, %r7, 100;
D: mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r7;
ret;
)";

const char* const kAllLanesAgree = R"(mov.u32 %r6, %tid.x;
BODIES: mov.u32 %r8, 0;
WALK: ld.global.u32 %r2, [%rd1];
add.u32 %r8, %r8, %r2;
setp.gt.u32 %p1, %r8, %r6;
vote.sync.all.pred %p2, %p1, -1;
@!%p2 bra WALK;
mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd2, %rd5;
st.global.u32 [%rd6], %r8;
add.u32 %r6, %r6, 32;
setp.lt.u32 %p3, %r6, %r1;
@%p3 bra BODIES;
ret;
)";

Analyzed analyze_text(const std::string& text, const analysis::DeadlockOptions& options) {
  Analyzed out;
  out.text = text;
  out.tree = std::make_shared<const ptx::Module>(ptx::parse_text(text, "kernel.ptx"));
  std::uint64_t next = isa::kGlobalBase;
  out.module = ptx::decode(*out.tree, [&](const std::string&, std::uint64_t bytes, std::uint32_t) {
    const std::uint64_t at = next;
    next += (bytes + 255) / 256 * 256;
    return at;
  });
  compiler::Pipeline::standard().run(out.module);
  out.module.require_all();
  out.kernel = out.module.kernels.at(0);
  out.code = std::make_unique<analysis::CodeAnalysis>(*out.kernel);
  out.findings = analysis::find_simt_deadlocks(*out.code, options);
  return out;
}

Analyzed analyze(const std::string& body, const analysis::DeadlockOptions& options,
                 const std::string& globals) {
  return analyze_text(module_text(body, globals), options);
}

std::vector<std::uint32_t> Analyzed::flagged() const {
  std::vector<std::uint32_t> lines;
  for (const analysis::LoopFinding& finding : findings)
    if (finding.flagged())
      lines.push_back(line(code->cfg().block(finding.loop.header).first) - kBodyLine + 1);
  std::sort(lines.begin(), lines.end());
  return lines;
}

const analysis::LoopFinding& Analyzed::loop(std::uint32_t body_line) const {
  const analysis::LoopFinding* found = nullptr;
  for (const analysis::LoopFinding& finding : findings)
    if (line(code->cfg().block(finding.loop.header).first) == body_line + kBodyLine - 1 &&
        (found == nullptr || finding.loop.blocks.count() < found->loop.blocks.count()))
      found = &finding;
  if (found == nullptr)
    throw std::out_of_range("no loop begins at line " + std::to_string(body_line) + " of the body");
  return *found;
}

std::vector<std::uint32_t> Analyzed::writes(std::uint32_t body_line) const {
  std::vector<std::uint32_t> lines;
  for (const auto& write : loop(body_line).writes) lines.push_back(line(write.write) - kBodyLine + 1);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::uint32_t Analyzed::safe(std::uint32_t body_line) const {
  const base::Pc place = loop(body_line).safe;
  return place == base::kNoPc ? 0 : line(place.value()) - kBodyLine + 1;
}

std::string transformed(const Analyzed& kernel, bool keep_lines) {
  ssde::SsdeOptions options;
  options.keep_lines = keep_lines;
  const ssde::SsdeResult result =
      ssde::eliminate_simt_deadlocks(kernel.text, *kernel.tree, kernel.module, options);
  for (const auto& refusal : result.refusals) ADD_FAILURE() << refusal.function << ": " << refusal.reason;
  return result.text;
}

}  // namespace heddle::ssde_test
