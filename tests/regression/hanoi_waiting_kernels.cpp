#include "hanoi_waiting_kernels.h"

namespace heddle {
namespace {

const char* const kLock = R"(
.func lock(.reg .b64 %at)
{
  .reg .b32 %old;
  .reg .pred %p;
AGAIN:
  atom.global.cas.b32 %old, [%at], 0, 1;
  setp.ne.u32 %p, %old, 0; @%p bra AGAIN;
  membar.gl;
  ret;
}
.func unlock(.reg .b64 %at)
{
  .reg .b32 %old;
  membar.gl;
  atom.global.exch.b32 %old, [%at], 0;
  ret;
}
)";

std::vector<WaitingKernel> kernels() {
  return {
      {"AnotherArm", 1, "", R"(
  setp.eq.u32 %p, %me, 5; @%p bra SET;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
  bra END;
SET:
  st.volatile.global.u32 [%at], 7;
END:
)"},
      // Who sets the flag is outside of the region of the inner branch.
      {"AnArmOfABranchAround", 1, "", R"(
  setp.ge.u32 %p, %me, 20; @%p bra OUTER;
  and.b32 %a, %me, 1;
  setp.eq.u32 %q, %a, 0; @%q bra INNER;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
  add.u32 %b, %b, 1;
INNER:
  add.u32 %b, %b, 2;
  bra END;
OUTER:
  setp.ne.u32 %p, %me, 25; @%p bra END;
  st.volatile.global.u32 [%at], 7;
END:
)"},
      // The flag is set behind the place where the arms meet.
      {"BehindTheJoin", 1, "", R"(
  setp.eq.u32 %p, %me, 3; @%p bra JOIN;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
JOIN:
  setp.ne.u32 %p, %me, 3; @%p bra END;
  st.volatile.global.u32 [%at], 7;
END:
)"},
      // Each in turn, four times: the next one's turn comes at the end of an iteration of the loop around.
      {"AnIterationOfALoopAround", 1, "", R"(
NEXT:
  mad.lo.u32 %c, %n, 32, %me;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.ne.u32 %q, %a, %c; @%q bra WAIT;
  mad.lo.u32 %b, %b, 3, %c;
  add.u32 %a, %a, 1;
  st.volatile.global.u32 [%at], %a;
  add.u32 %n, %n, 1;
  setp.lt.u32 %p, %n, 4; @%p bra NEXT;
)"},
      // A barrier of the lanes, made of atomics: odd lanes come to it from another place.
      {"ACounterOfLanes", 2, "", R"(
  and.b32 %a, %me, 1;
  setp.eq.u32 %p, %a, 0; @%p bra EVEN;
  atom.global.add.u32 %a, [%at], 1;
ODD:
  atom.global.add.u32 %a, [%at], 0;
  setp.lt.u32 %q, %a, 32; @%q bra ODD;
  bra END;
EVEN:
  atom.global.add.u32 %a, [%at], 1;
WAIT:
  atom.global.add.u32 %a, [%at], 0;
  setp.lt.u32 %q, %a, 32; @%q bra WAIT;
END:
)"},
      // The release is behind the return.
      {"ALockInAFunction", 1, kLock, R"(
  call lock, (%at);
  ld.volatile.global.u32 %a, [%at + 4];
  add.u32 %a, %a, 1;
  st.volatile.global.u32 [%at + 4], %a;
  call unlock, (%at);
  add.u32 %b, %b, 1;
)"},
      {"ALockInAFunctionInALoop", 1, kLock, R"(
  and.b32 %n, %me, 3;
NEXT:
  call lock, (%at);
  ld.volatile.global.u32 %a, [%at + 4];
  add.u32 %a, %a, 1;
  st.volatile.global.u32 [%at + 4], %a;
  call unlock, (%at);
  setp.eq.u32 %p, %n, 0;
  sub.u32 %n, %n, 1;
  @!%p bra NEXT;
)"},
      // All lanes of a call see the same, so they do not part in the function; the caller's others set the flag.
      {"AWaitInAFunction", 1, R"(
.func await(.reg .b64 %at)
{
  .reg .b32 %seen;
  .reg .pred %p;
AGAIN:
  ld.volatile.global.u32 %seen, [%at];
  setp.eq.u32 %p, %seen, 0; @%p bra AGAIN;
  ret;
}
)",
       R"(
  setp.ge.u32 %p, %me, 16; @%p bra SET;
  call await, (%at);
  bra END;
SET:
  setp.lt.u32 %q, %me, 20; @%q bra SKIP;
  add.u32 %b, %b, 1;
SKIP:
  st.volatile.global.u32 [%at], 7;
END:
)"},
      // The function's lanes meet at a barrier before they return, and others of the warp come to it elsewhere.
      {"AFunctionWithABarrier", 1, R"(
.func part(.reg .b64 %at, .reg .b32 %who)
{
  .reg .b32 %seen;
  .reg .pred %p;
  setp.gt.u32 %p, %who, 8; @%p bra MEET;
AGAIN:
  ld.volatile.global.u32 %seen, [%at];
  setp.eq.u32 %p, %seen, 0; @%p bra AGAIN;
MEET:
  bar.sync 0;
  ret;
}
)",
       R"(
  setp.ge.u32 %p, %me, 20; @%p bra SET;
  call part, (%at, %me);
  bra END;
SET:
  st.volatile.global.u32 [%at], 7;
  bar.sync 0;
END:
)"},
      // Looks in a function, and another one writes.
      {"ALookInAFunction", 1, R"(
.func (.reg .b32 %seen) look(.reg .b64 %at)
{
  ld.volatile.global.u32 %seen, [%at];
  ret;
}
.func show(.reg .b64 %at)
{
  st.volatile.global.u32 [%at], 7;
  ret;
}
)",
       R"(
  setp.eq.u32 %p, %me, 5; @%p bra SET;
WAIT:
  call (%a), look, (%at);
  setp.eq.u32 %q, %a, 0; @%q bra WAIT;
  bra END;
SET:
  call show, (%at); ret;
END:
)"},
      // Lane 0 waits for the other CTA, which waits for lane 1.
      {"ByWayOfAnotherCta", 1, "", R"(
  mov.u32 %cta, %ctaid.x; setp.eq.u32 %u, %cta, 1; @%u bra OTHER;
  setp.eq.u32 %p, %me, 0; @%p bra ZERO;
  setp.ne.u32 %p, %me, 1; @%p bra END;
  st.volatile.global.u32 [%at], 7; bra END;
ZERO: ld.volatile.global.u32 %a, [%at + 8]; setp.eq.u32 %q, %a, 0; @%q bra ZERO;
  bra END;
OTHER: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra OTHER;
  st.volatile.global.u32 [%at + 8], 7;
END:
)",
       32, 0, 2},
      // if (a || b) B: who goes past B sets what lanes wait for on the way to it.
      {"LanesThatLeaveARegion", 1, "", R"(
  setp.lt.u32 %p, %me, 16; @%p bra WAIT;
  setp.lt.u32 %p, %me, 24; @%p bra BODY;
  bra PAST;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
BODY:
  add.u32 %b, %b, 1;
PAST:
  setp.ne.u32 %p, %me, 30; @%p bra END;
  st.volatile.global.u32 [%at], 7;
END:
)"},
      // The other way round: those wait that have left.
      {"LanesThatHaveLeftARegion", 1, "", R"(
  setp.lt.u32 %p, %me, 16; @%p bra BODY;
  setp.lt.u32 %p, %me, 24; @%p bra BODY;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
  bra PAST;
BODY:
  add.u32 %b, %b, 1;
  setp.ne.u32 %p, %me, 2; @%p bra PAST;
  st.volatile.global.u32 [%at], 7;
PAST:
  add.u32 %b, %b, 2;
)"},
      // Between those who wait and who sets the flag are lanes that have left the region and end elsewhere.
      {"OthersBetween", 1, "", R"(
  setp.ge.u32 %p, %me, 28; @%p bra SET;
  setp.ge.u32 %p, %me, 24; @%p bra TAIL;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
  bra END;
TAIL:
  shl.b32 %c, %me, 3;
  cvt.u64.u32 %own, %c;
  add.s64 %own, %at, %own;
  st.global.u32 [%own + 12], %me;
  ret;
SET:
  st.volatile.global.u32 [%at], 7;
END:
  add.u32 %b, %b, 1;
  setp.gt.u32 %p, %me, 20; @%p bra LAST;
  add.u32 %b, %b, 1;
LAST:
)"},
      // While the inner region's lanes are at the barrier, lanes outside wait for others outside.
      {"OutsideOfARegionAtABarrier", 1, "", R"(
  setp.ge.u32 %p, %me, 8; @%p bra OUTSIDE;
  setp.ge.u32 %p, %me, 4; @%p bra UPPER;
  bar.sync 0;
  bra INNER;
UPPER:
  bar.sync 0;
INNER:
  add.u32 %b, %b, 1;
  bra END;
OUTSIDE:
  setp.ge.u32 %p, %me, 16; @%p bra SET;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
  bar.sync 0;
  bra END;
SET:
  setp.ne.u32 %p, %me, 20; @%p bra BAR;
  st.volatile.global.u32 [%at], 7;
BAR:
  bar.sync 0;
END:
)"},
      // Each lets the next one go on. In front of the second loop all have met, and what it waits for is done.
      {"AChainOfLanes", 1, "", R"(
FIRST: ld.volatile.global.u32 %a, [%at]; setp.lt.u32 %p, %a, %me; @%p bra FIRST;
  add.u32 %c, %me, 1;
  atom.global.max.u32 %a, [%at], %c;
SECOND: ld.volatile.global.u32 %a, [%at]; setp.lt.u32 %q, %a, 32; @%q bra SECOND;
)"},
      // The inner loop waits for what lanes do that are still in the outer one, and those may not be in its region.
      {"ALoopWithinALoop", 2, "", R"(
OUTER: ld.volatile.global.u32 %a, [%at]; setp.lt.u32 %p, %a, %me; @%p bra OUTER;
  add.u32 %c, %me, 1;
  atom.global.max.u32 %a, [%at], %c;
  and.b32 %c, %me, 15;
INNER:
  ld.volatile.global.u32 %a, [%at];
  sub.u32 %a, %a, %c;
  setp.lt.u32 %q, %a, 17; @%q bra INNER;
  add.u32 %n, %n, 1;
  setp.lt.u32 %p, %n, 3; @%p bra OUTER;
)"},
      // A weak load, which the fence keeps in the loop.
      {"AWeakLoadBehindAFence", 1, "", R"(
  setp.eq.u32 %p, %me, 5; @%p bra SET;
WAIT:
  membar.gl;
  ld.global.cg.u32 %a, [%at];
  setp.eq.u32 %q, %a, 0; @%q bra WAIT;
  bra END;
SET:
  st.global.u32 [%at], 7;
END:
)"},
      // The loop is left by lanes that end.
      {"LanesThatEndInTheLoop", 1, "", R"(
  setp.eq.u32 %p, %me, 5; @%p bra SET;
WAIT:
  ld.volatile.global.u32 %a, [%at];
  setp.ne.u32 %q, %a, 0; @%q ret;
  bra WAIT;
SET:
  st.volatile.global.u32 [%at], 7;
)"},
      // A cycle that is entered at two places.
      {"ACycleWithTwoEntries", 1, "", R"(
  setp.eq.u32 %p, %me, 5; @%p bra SET;
  setp.lt.u32 %p, %me, 16; @%p bra SECOND;
FIRST:
  add.u32 %b, %b, 0;
SECOND:
  ld.volatile.global.u32 %a, [%at];
  setp.eq.u32 %q, %a, 0; @%q bra FIRST;
  bra END;
SET:
  st.volatile.global.u32 [%at], 7;
END:
)"},
      // Halves of the warp meet each by itself; the flag is set by who was at the meeting.
      {"LanesThatMeetSome", 1, "", R"(
  setp.lt.u32 %p, %me, 16; @%p bra MEET;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
  bra END;
MEET:
  setp.lt.u32 %p, %me, 8; @%p bra TOGETHER;
  add.u32 %b, %b, 1;
TOGETHER:
  bar.warp.sync 0xffff;
  setp.ne.u32 %p, %me, 9; @%p bra END;
  st.volatile.global.u32 [%at], 7;
END:
)"},

      // Lanes part at the .sync instruction only: some wait there for lanes that come to another one.
      {"LanesThatPartAtASyncInstruction", 1, "", R"(
  setp.lt.u32 %p, %me, 4; @%p bra LATE;
  setp.lt.u32 %q, %me, 16;
  @%q bar.warp.sync 0xffff;
  atom.global.add.u32 %a, [%at], 1;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.lt.u32 %q, %a, 28; @%q bra WAIT;
  bra END;
LATE:
  bar.warp.sync 0xffff;
END:
)"},
      // Who sets the flag waits first for lanes that are outside of the region.
      {"SomeAreMissingAtASyncInstruction", 1, "", R"(
  setp.ge.u32 %p, %me, 24; @%p bra LATE;
  setp.lt.u32 %p, %me, 16; @%p bra WAIT;
  bar.warp.sync 0xffff0000;
  st.volatile.global.u32 [%at], 7; bra JOIN;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
JOIN:
  add.u32 %b, %b, 1;
  bra END;
LATE:
  bar.warp.sync 0xffff0000;
END:
)"},
      // While some wait there others open a region, in which they wait for those.
      {"WhoComesBackFromASyncInstruction", 1, "", R"(
  setp.lt.u32 %q, %me, 8;
  @%q bar.warp.sync 0xffff;
  setp.ge.u32 %p, %me, 16; @%p bra WAIT;
  setp.lt.u32 %p, %me, 8; @%p bra SET;
  bar.warp.sync 0xffff;
  bra END;
SET:
  st.volatile.global.u32 [%at], 7; bra END;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
END:
)"},
      // The outer loop waits, the inner one does not: its lanes meet behind it.
      {"ALoopThatWaitsForNobody", 1, "", R"(
NEXT:
  atom.global.cas.b32 %a, [%at], 0, 1; setp.ne.u32 %p, %a, 0; @%p bra NEXT;
  membar.gl;
  atom.global.exch.b32 %a, [%at], 0;
  and.b32 %c, %me, 7;
INNER:
  mad.lo.u32 %b, %b, 3, %c;
  sub.u32 %c, %c, 1; setp.gt.s32 %q, %c, 0; @%q bra INNER;
  add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 3; @%p bra NEXT;
)",
       32, 2},

      // ---- Loops whose lanes find what they wait for without a YIELD

      // Both arms come to as many barriers: nobody goes round alone.
      {"BarriersInBothArms", 0, "", R"(
  setp.ge.u32 %p, %me, 16; @%p bra ARM;
ONE:
  bar.sync 0;
  ld.volatile.global.u32 %a, [%at];
  bar.sync 0;
  setp.lt.u32 %q, %a, 8; @%q bra ONE;
  bra END;
ARM:
  add.u32 %n, %n, 1;
  st.volatile.global.u32 [%at], %n; bar.sync 0; bar.sync 0;
  setp.lt.u32 %p, %n, 8; @%p bra ARM;
END:
)"},

      // The lock is given back in the iteration in which it was taken.
      {"ATryLock", 0, "", R"(
NEXT:
  atom.global.cas.b32 %a, [%at], 0, 1;
  setp.ne.u32 %p, %a, 0; @%p bra MISSED;
  ld.volatile.global.u32 %a, [%at + 4];
  add.u32 %a, %a, 1;
  st.volatile.global.u32 [%at + 4], %a;
  membar.gl;
  atom.global.exch.b32 %a, [%at], 0;
  mov.u32 %n, 1;
MISSED:
  setp.eq.u32 %q, %n, 0; @%q bra NEXT;
)"},
      // Threads take numbers until there are none left.
      {"APool", 0, "", R"(
NEXT:
  atom.global.add.u32 %a, [%at], 1;
  setp.ge.u32 %p, %a, 100; @%p bra END;
  and.b32 %c, %a, 1;
  setp.eq.u32 %q, %c, 0; @%q bra EVEN;
  add.u32 %n, %n, %a;
EVEN: bra NEXT;
END:
)"},
      // All have met behind the write.
      {"AWriteThatComesFirst", 0, "", R"(
  setp.ne.u32 %p, %me, 5; @%p bra WAIT;
  st.volatile.global.u32 [%at], 7;
WAIT: ld.volatile.global.u32 %a, [%at]; setp.eq.u32 %q, %a, 0; @%q bra WAIT;
)"},
      // Every iteration meets at a barrier.
      {"ABarrierInTheLoop", 0, "", R"(
NEXT:
  bar.sync 0;
  setp.ne.u32 %p, %me, %n; @%p bra WAIT;
  add.u32 %c, %n, 1;
  st.volatile.global.u32 [%at], %c;
WAIT:
  bar.sync 0;
  ld.volatile.global.u32 %n, [%at];
  setp.lt.u32 %q, %n, 32; @%q bra NEXT;
)"},
  };
}

}  // namespace

std::string WaitingKernel::module() const {
  return ".version 7.0\n.target sm_75\n.address_size 64\n" + std::string(functions) +
         ".visible .entry k(.param .u64 buffer)\n{\n"
         "  .reg .pred %p, %q, %u;\n  .reg .b32 %me, %cta, %a, %b, %c, %n;\n  .reg .b64 %at, %own;\n"
         "  ld.param.u64 %at, [buffer];\n  mov.u32 %me, %tid.x;\n  mov.u32 %b, 0;\n  mov.u32 %n, 0;\n" +
         body +
         // Never where flags are, at multiples of 8.
         "  shl.b32 %c, %me, 3;\n  cvt.u64.u32 %own, %c;\n  add.s64 %own, %at, %own;\n  st.global.u32 [%own "
         "+ 12], %b;\n  ret;\n}\n";
}

const std::vector<WaitingKernel>& waiting_kernels() {
  static const std::vector<WaitingKernel> all = kernels();
  return all;
}

}  // namespace heddle
