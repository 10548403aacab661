#include "hanoi_recursion_kernels.h"

namespace heddle {
namespace {

/// f returns at the end of the recursion, and early from its middle.
const char* const kEarlyReturn = R"(
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %below, %m;
  .reg .pred %p, %q;
  mov.u32 %out, 5;
  setp.eq.u32 %p, %n, 0;
  @%p ret;
  sub.u32 %m, %n, 1;
  call (%below), f, (%m);
  setp.gt.u32 %q, %below, 60;
  @%q bra BIG;
  mad.lo.u32 %out, %below, 5, %n;
  ret;
BIG:
  shr.u32 %out, %below, 1;
  ret;
}
)";

constexpr const char* kCount = R"(
  and.b32 %r2, %me, 7;
  call (%r1), f, (%r2);
)";

const RecursiveKernel kKernels[] = {
    // sum over k < n of f(k), each iteration of a loop a call: depth and number of calls differ by lane.
    {"Tree", true, R"(
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %k, %part;
  .reg .pred %p;
  mov.u32 %out, 1;
  mov.u32 %k, 0;
NEXT:
  setp.ge.u32 %p, %k, %n;
  @%p bra DONE;
  call (%part), f, (%k);
  mad.lo.u32 %out, %part, 3, %out;
  add.u32 %k, %k, 1;
  bra NEXT;
DONE:
  ret;
}
)",
     kCount},
    // The case that ends the recursion returns early, from the middle of the function.
    {"EarlyReturn", true, kEarlyReturn, kCount},
    // Two functions that call each other, on both sides of branches.
    {"Mutual", true, R"(
.func (.reg .b32 %out) g(.reg .b32 %n);
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %m, %a;
  .reg .pred %p, %q;
  mov.u32 %out, 1;
  setp.eq.u32 %p, %n, 0;
  @%p bra DONE;
  and.b32 %a, %n, 1;
  setp.eq.u32 %q, %a, 0;
  shr.u32 %m, %n, 1;
  @%q bra EVEN;
  call (%out), g, (%m);
  add.u32 %out, %out, %n;
  bra DONE;
EVEN:
  sub.u32 %m, %n, 1;
  call (%out), f, (%m);
  mul.lo.u32 %out, %out, 3;
DONE:
  xor.b32 %out, %out, %n;
  ret;
}
.func (.reg .b32 %out) g(.reg .b32 %n)
{
  .reg .b32 %m;
  .reg .pred %p;
  setp.gt.u32 %p, %n, 3;
  mov.u32 %out, %n;
  @!%p bra DONE;
  sub.u32 %m, %n, 3;
  call (%out), f, (%m);
  add.u32 %out, %out, 7;
  sub.u32 %m, %n, 4;
  call (%m), g, (%m);
  add.u32 %out, %out, %m;
DONE:
  ret;
}
)",
     R"(
  call (%r1), f, (%me);
)"},
    // Three times as deep as REC: lanes stop one by one, and meet again on the way back.
    {"DeeperThanRec", true, R"(
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %m, %a;
  .reg .pred %p, %q;
  mov.u32 %out, 1;
  setp.eq.u32 %p, %n, 0;
  @%p bra DONE;
  sub.u32 %m, %n, 1;
  call (%out), f, (%m);
  and.b32 %a, %out, 1;
  setp.eq.u32 %q, %a, 0;
  @%q bra EVEN;
  mad.lo.u32 %out, %out, 5, %n;
  bra DONE;
EVEN:
  add.u32 %out, %out, 3;
DONE:
  ret;
}
)",
     R"(
  mad.lo.u32 %r2, %me, 3, 1;
  call (%r1), f, (%r2);
)"},
    // A recursion within another one, and a function that is none within both, whose registers must differ.
    {"Nested", true, R"(
.func (.reg .b32 %out) h(.reg .b32 %n)
{
  .reg .b32 %a;
  .reg .pred %p;
  and.b32 %a, %n, 2;
  setp.eq.u32 %p, %a, 0;
  mul.lo.u32 %out, %n, 7;
  @%p bra DONE;
  add.u32 %out, %out, 1;
DONE:
  ret;
}
.func (.reg .b32 %out) g(.reg .b32 %n)
{
  .reg .b32 %m, %a;
  .reg .pred %p;
  call (%out), h, (%n);
  setp.lt.u32 %p, %n, 2;
  @%p bra DONE;
  shr.u32 %m, %n, 1;
  call (%a), g, (%m);
  add.u32 %out, %out, %a;
DONE:
  ret;
}
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %m, %a;
  .reg .pred %p, %q;
  setp.eq.u32 %p, %n, 0;
  mov.u32 %out, 2;
  @%p bra DONE;
  sub.u32 %m, %n, 1;
  call (%out), f, (%m);
  and.b32 %a, %n, 1;
  setp.eq.u32 %q, %a, 0;
  @%q bra DONE;
  call (%a), g, (%n);
  xor.b32 %out, %out, %a;
DONE:
  ret;
}
)",
     R"(
  and.b32 %r2, %me, 15;
  setp.lt.u32 %p1, %me, 9;
  mov.u32 %r1, 0;
  @%p1 bra NOT;
  call (%r1), f, (%r2);
NOT:
  add.u32 %r1, %r1, %me;
)"},
    // Called through a table whose other functions are no part of the recursion.
    {"Indirect", true, R"(
.func (.reg .b32 %out) f(.reg .b32 %n);
.func (.reg .b32 %out) g(.reg .b32 %n);
.global .align 8 .u64 functions[2] = {f, g};
.func (.reg .b32 %out) g(.reg .b32 %n)
{
  mul.lo.u32 %out, %n, 11;
  ret;
}
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %m, %a;
  .reg .b64 %t, %o;
  .reg .pred %p;
  setp.eq.u32 %p, %n, 0;
  mov.u32 %out, 4;
  @%p bra DONE;
  sub.u32 %m, %n, 1;
  and.b32 %a, %m, 7;
  setp.eq.u32 %p, %a, 7;
  selp.u32 %a, 1, 0, %p;
  mul.wide.u32 %o, %a, 8;
  mov.u64 %t, functions;
  add.u64 %t, %t, %o;
  ld.global.u64 %t, [%t];
TABLE: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  call (%out), %t, (%m), TABLE;
  add.u32 %out, %out, %n;
DONE:
  ret;
}
)",
     R"(
  and.b32 %r2, %me, 1;
  mul.wide.u32 %off, %r2, 8;
  mov.u64 %f, functions;
  add.u64 %f, %f, %off;
  ld.global.u64 %f, [%f];
TABLE: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  call (%r1), %f, (%me), TABLE;
)"},
    // A loop that is left by a branch out of its middle, around the call: BREAK.
    {"LeftEarly", true, R"(
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %k, %part, %a;
  .reg .pred %p, %q;
  mov.u32 %out, 1;
  mov.u32 %k, 0;
NEXT:
  setp.ge.u32 %p, %k, %n;
  @%p bra DONE;
  call (%part), f, (%k);
  add.u32 %out, %out, %part;
  and.b32 %a, %out, 15;
  setp.eq.u32 %q, %a, 9;
  @%q bra FOUND;
  add.u32 %k, %k, 1;
  bra NEXT;
FOUND:
  add.u32 %out, %out, 100;
  setp.lt.u32 %q, %n, 3;
  @%q bra SMALL;
  mul.lo.u32 %out, %out, 3;
SMALL:
  add.u32 %out, %out, 1;
DONE:
  ret;
}
)",
     kCount},
    // The upper half of a warp waits for the lower one, which is in the recursion; in a region of the caller.
    {"OthersWaitForItsLanes", true, kEarlyReturn,
     R"(
  setp.lt.u32 %p1, %me, 16;
  and.b32 %r2, %me, 7;
  setp.lt.u32 %p2, %me, 28;
  mov.u32 %r1, %n;
  @!%p2 bra LATE;
  @%p1 bra LOW;
  bar.warp.sync -1;
  add.u32 %r1, %r1, 100;
  bra JOIN;
LOW:
  call (%r1), f, (%r2);
  bar.warp.sync -1;
  bra JOIN;
LATE:
  call (%r1), f, (%r2);
  add.u32 %r1, %r1, 7;
  bar.warp.sync -1;
JOIN:
  add.u32 %r1, %r1, %me;
)"},
    // The upper halves of both warps meet and go on while the lower ones are in the recursion.
    {"OthersComeBackMeanwhile", true, kEarlyReturn,
     R"(
  setp.lt.u32 %p1, %me, 16;
  and.b32 %r2, %me, 7;
  mov.u32 %r1, %n;
  @%p1 bra LOW;
  bar.sync 1, 32;
  setp.lt.u32 %p2, %me, 24;
  @%p2 bra JOIN;
  call (%r1), f, (%r2);
  bra JOIN;
LOW:
  setp.gt.u32 %p2, %n, 32;
  @%p2 bra LONG;
  call (%r1), f, (%r2);
  bra JOIN;
LONG:
  call (%r1), f, (%me);
  call (%r3), f, (%r2);
  add.u32 %r1, %r1, %r3;
JOIN:
  add.u32 %r1, %r1, %me;
)",
     true},
    // Some exit at the bottom: nobody would restore the registers that others wait at.
    {"WithExits", false, R"(
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %m;
  .reg .pred %p;
  setp.eq.u32 %p, %n, 3;
  @%p exit;
  setp.lt.u32 %p, %n, 2;
  mov.u32 %out, 9;
  @%p bra DONE;
  sub.u32 %m, %n, 2;
  call (%out), f, (%m);
  add.u32 %out, %out, 1;
DONE:
  ret;
}
)",
     kCount},
    // Lanes meet at different depths: none of them may wait in a region for those of its own.
    {"WithSync", false, R"(
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %m;
  .reg .pred %p;
  setp.eq.u32 %p, %n, 0;
  mov.u32 %out, 1;
  @%p bra BOTTOM;
  sub.u32 %m, %n, 1;
  call (%out), f, (%m);
  add.u32 %out, %out, 2;
  bra DONE;
BOTTOM:
  bar.warp.sync -1;
DONE:
  ret;
}
)",
     kCount},
    // Lanes give way to each other: a lock is taken at the bottom.
    {"WithLock", false, R"(
.global .u32 lock = 0;
.func (.reg .b32 %out) f(.reg .b32 %n)
{
  .reg .b32 %m;
  .reg .b64 %l;
  .reg .pred %p;
  setp.eq.u32 %p, %n, 0;
  @%p bra BOTTOM;
  sub.u32 %m, %n, 1;
  call (%out), f, (%m);
  add.u32 %out, %out, 2;
  bra DONE;
BOTTOM:
  mov.u64 %l, lock;
TRY:
  atom.global.cas.b32 %m, [%l], 0, 1;
  setp.ne.u32 %p, %m, 0;
  @%p bra TRY;
  mov.u32 %out, 6;
  membar.gl;
  atom.global.exch.b32 %m, [%l], 0;
DONE:
  ret;
}
)",
     kCount},
};

}  // namespace

std::span<const RecursiveKernel> recursive_kernels() { return kKernels; }

/// `k(out)`: thread i has 4 bytes at %at; %me is its lane. Stores %r1.
std::string RecursiveKernel::module() const {
  return ".version 7.5\n.target sm_75\n.address_size 64\n" + std::string(functions) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %me, %n, %r<9>;
  .reg .b64 %at, %off, %f;
  .reg .pred %p<5>;
  ld.param.u64 %at, [out];
  mov.u32 %n, %tid.x;
  mul.wide.u32 %off, %n, 4;
  add.u64 %at, %at, %off;
  mov.u32 %me, %laneid;
)" + body +
         R"(
  st.global.u32 [%at], %r1;
  ret;
}
)";
}

}  // namespace heddle
