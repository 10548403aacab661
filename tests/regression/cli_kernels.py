"""Small PTX modules for the tests of the command."""

HEADER = """.version 6.4
.target sm_70
.address_size 64
"""

# y[i] = a * x[i] for i < n
SCALE = HEADER + """
.visible .entry scale(.param .u64 scale_x, .param .u64 scale_y, .param .f32 scale_a, .param .u32 scale_n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [scale_x];
  ld.param.u64 %rd2, [scale_y];
  ld.param.f32 %f1, [scale_a];
  ld.param.u32 %r1, [scale_n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f1, %f2;
  st.global.f32 [%rd5], %f3;
DONE:
  ret;
}
"""

# y[i] += p.a * p.x[i] for i < p.n, with struct { float a; unsigned n; const float* x; } p
AXPY = HEADER + """
.visible .entry axpy(.param .u64 axpy_y, .param .align 8 .b8 axpy_p[16])
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [axpy_y];
  ld.param.f32 %f1, [axpy_p];
  ld.param.u32 %r1, [axpy_p+4];
  ld.param.u64 %rd2, [axpy_p+8];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  add.s64 %rd5, %rd1, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd5], %f4;
DONE:
  ret;
}
"""

# Every thread stores its number at x + offset + 4 * number.
STORE = HEADER + """
.visible .entry store(.param .u64 store_x, .param .u64 store_offset)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [store_x];
  ld.param.u64 %rd2, [store_offset];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd2;
  add.s64 %rd5, %rd4, %rd3;
  st.global.u32 [%rd5], %r1;
  ret;
}
"""

# Counts to n with one lane: long, and certain to end.
COUNT = HEADER + """
.visible .entry count(.param .u64 count_x, .param .u32 count_n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [count_x];
  ld.param.u32 %r1, [count_n];
  mov.u32 %r2, 0;
LOOP:
  add.s32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra LOOP;
  st.global.u32 [%rd1], %r2;
  ret;
}
"""

MALFORMED = HEADER + """
.visible .entry broken(.param .u64 x)
{
  .reg .b32 %r<2>;
  mov.u32 %r1, ;
  ret;
}
"""

UNSUPPORTED = HEADER + """
.visible .entry fancy(.param .u64 x)
{
  .reg .b32 %r<3>;
  frobnicate.u32 %r1, %r2;
  ret;
}
"""
