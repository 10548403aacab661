// The device runtime's functions in PTX (device_runtime.h).
#pragma once

namespace heddle::runtime {

/// Behind variables: $pool, $pool_used, $pool_end and $attributes. Their parameters are those of cuda_device_runtime_api.h.
/// A thread's last error lies in $errors by its number in the grid, modulo 65536.
inline constexpr const char* kDeviceRuntimeText = R"(
.global .align 4 .b8 $errors[262144];
.global .align 8 .u64 $next_handle = 4096;
.global .align 1 .b8 $texts[32] = {110, 111, 32, 101, 114, 114, 111, 114, 0, 0, 0, 0, 0, 0, 0, 0, 101, 114, 114, 111, 114, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

.func (.param .b64 r) $my_error()
{
  .reg .b32 %n, %a, %b; .reg .b64 %c, %d;
  mov.u32 %n, %ctaid.z; mov.u32 %a, %nctaid.y; mov.u32 %b, %ctaid.y; mad.lo.u32 %n, %n, %a, %b;
  mov.u32 %a, %nctaid.x; mov.u32 %b, %ctaid.x; mad.lo.u32 %n, %n, %a, %b;
  mov.u32 %a, %ntid.z; mov.u32 %b, %tid.z; mad.lo.u32 %n, %n, %a, %b;
  mov.u32 %a, %ntid.y; mov.u32 %b, %tid.y; mad.lo.u32 %n, %n, %a, %b;
  mov.u32 %a, %ntid.x; mov.u32 %b, %tid.x; mad.lo.u32 %n, %n, %a, %b;
  and.b32 %n, %n, 65535; mul.wide.u32 %d, %n, 4; mov.u64 %c, $errors; add.u64 %c, %c, %d;
  st.param.b64 [r], %c; ret;
}
.func (.param .b32 r) $fail(.param .b32 code)
{
  .reg .b32 %e; .reg .b64 %c;
  ld.param.u32 %e, [code]; { .param .b64 q; call (q), $my_error; ld.param.b64 %c, [q]; } st.global.u32 [%c], %e;
  st.param.b32 [r], %e; ret;
}
.func (.param .b64 r) $new_record(.param .b64 n)
{
  .reg .b64 %n, %at, %end, %most, %c; .reg .pred %full; .reg .b32 %e;
  ld.param.u64 %n, [n]; add.u64 %n, %n, 79; and.b64 %n, %n, -16;
  mov.u64 %c, $pool_used; atom.global.add.u64 %at, [%c], %n;
  mov.u64 %c, $pool_most; ld.global.u64 %most, [%c];
  add.u64 %end, %at, %n; setp.gt.u64 %full, %end, %most; @%full bra full;
  mov.u64 %c, $pool; add.u64 %c, %c, %at;
  st.global.u64 [%c], %n; st.global.u32 [%c+24], 0;
  st.param.b64 [r], %c; ret;
full:
  mov.u64 %c, $pool_end; red.global.min.u64 [%c], %at;
  { .param .b32 x; .param .b32 y; st.param.b32 [x], 69; call (y), $fail, (x); }
  st.param.b64 [r], 0; ret;
}
// Whether no device takes the shape: then it is this thread's error. What is 0 wraps, and is too large.
.func (.param .b32 r) $wrong_shape(.param .align 4 .b8 g[12], .param .align 4 .b8 b[12])
{
  .reg .b32 %e<7>; .reg .pred %bad;
  ld.param.u32 %e1, [g]; ld.param.u32 %e2, [g+4]; ld.param.u32 %e3, [g+8];
  ld.param.u32 %e4, [b]; ld.param.u32 %e5, [b+4]; ld.param.u32 %e6, [b+8];
  mul.lo.u32 %e0, %e4, %e5; mul.lo.u32 %e0, %e0, %e6; setp.gt.u32 %bad, %e0, 1024;
  sub.u32 %e1, %e1, 1; setp.ge.or.u32 %bad, %e1, 2147483647, %bad; sub.u32 %e2, %e2, 1; setp.ge.or.u32 %bad, %e2, 65535, %bad;
  sub.u32 %e3, %e3, 1; setp.ge.or.u32 %bad, %e3, 65535, %bad; sub.u32 %e4, %e4, 1; setp.ge.or.u32 %bad, %e4, 1024, %bad;
  sub.u32 %e5, %e5, 1; setp.ge.or.u32 %bad, %e5, 1024, %bad; sub.u32 %e6, %e6, 1; setp.ge.or.u32 %bad, %e6, 64, %bad;
  selp.u32 %e0, 9, 0, %bad; @!%bad bra done;
  { .param .b32 x; .param .b32 y; st.param.b32 [x], 9; call (y), $fail, (x); }
done:
  st.param.b32 [r], %e0; ret;
}
.func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 m)
{
  .reg .b64 %f, %n, %a; .reg .b32 %e<7>; .reg .pred %none, %bad;
  ld.param.u32 %e1, [g]; ld.param.u32 %e2, [g+4]; ld.param.u32 %e3, [g+8];
  ld.param.u32 %e4, [b]; ld.param.u32 %e5, [b+4]; ld.param.u32 %e6, [b+8];
  { .param .align 4 .b8 x[12]; .param .align 4 .b8 y[12]; .param .b32 q; st.param.b32 [x], %e1; st.param.b32 [x+4], %e2; st.param.b32 [x+8], %e3;
    st.param.b32 [y], %e4; st.param.b32 [y+4], %e5; st.param.b32 [y+8], %e6; call (q), $wrong_shape, (x, y); ld.param.b32 %e0, [q]; }
  setp.ne.u32 %bad, %e0, 0; @%bad bra bad;
  ld.param.u64 %f, [f]; ld.global.u32 %e0, [%f]; cvt.u64.u32 %n, %e0;
  { .param .b64 p; .param .b64 q; st.param.b64 [p], %n; call (q), $new_record, (p); ld.param.b64 %a, [q]; }
  setp.eq.u64 %none, %a, 0; @%none bra none;
  st.global.u64 [%a+8], %f;
  ld.param.u32 %e0, [m];
  st.global.u32 [%a+28], %e0; st.global.u32 [%a+32], %e1; st.global.u32 [%a+36], %e2; st.global.u32 [%a+40], %e3;
  st.global.u32 [%a+44], %e4; st.global.u32 [%a+48], %e5; st.global.u32 [%a+52], %e6;
  add.u64 %a, %a, 64;
none:
  st.param.b64 [r], %a; ret;
bad:
  st.param.b64 [r], 0; ret;
}
.func (.param .b64 r) __cudaCDP2GetParameterBuffer(.param .b64 align, .param .b64 n)
{
  .reg .b64 %n, %a; .reg .pred %none;
  ld.param.u64 %n, [n];
  { .param .b64 p; .param .b64 q; st.param.b64 [p], %n; call (q), $new_record, (p); ld.param.b64 %a, [q]; }
  setp.eq.u64 %none, %a, 0; @%none bra none;
  add.u64 %a, %a, 64;
none:
  st.param.b64 [r], %a; ret;
}
.func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 s)
{
  .reg .b64 %a, %s; .reg .pred %none;
  ld.param.u64 %a, [a]; ld.param.u64 %s, [s]; setp.eq.u64 %none, %a, 0; @%none bra none;
  st.global.u64 [%a+-48], %s; st.global.u32 [%a+-40], 1;
  st.param.b32 [r], 0; ret;
none:
  st.param.b32 [r], 69; ret;
}
.func (.param .b32 r) __cudaCDP2LaunchDevice(.param .b64 f, .param .b64 a, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 m, .param .b64 s)
{
  .reg .b64 %f, %a, %s; .reg .b32 %e<7>; .reg .pred %none, %bad;
  ld.param.u64 %a, [a]; ld.param.u64 %s, [s]; setp.eq.u64 %none, %a, 0; @%none bra none;
  ld.param.u32 %e1, [g]; ld.param.u32 %e2, [g+4]; ld.param.u32 %e3, [g+8];
  ld.param.u32 %e4, [b]; ld.param.u32 %e5, [b+4]; ld.param.u32 %e6, [b+8];
  { .param .align 4 .b8 x[12]; .param .align 4 .b8 y[12]; .param .b32 q; st.param.b32 [x], %e1; st.param.b32 [x+4], %e2; st.param.b32 [x+8], %e3;
    st.param.b32 [y], %e4; st.param.b32 [y+4], %e5; st.param.b32 [y+8], %e6; call (q), $wrong_shape, (x, y); ld.param.b32 %e0, [q]; }
  setp.ne.u32 %bad, %e0, 0; @%bad bra bad;
  ld.param.u64 %f, [f]; sub.u64 %a, %a, 64; st.global.u64 [%a+8], %f;
  ld.param.u32 %e0, [m];
  st.global.u32 [%a+28], %e0; st.global.u32 [%a+32], %e1; st.global.u32 [%a+36], %e2; st.global.u32 [%a+40], %e3;
  st.global.u32 [%a+44], %e4; st.global.u32 [%a+48], %e5; st.global.u32 [%a+52], %e6;
  st.global.u64 [%a+16], %s; st.global.u32 [%a+24], 1;
  st.param.b32 [r], 0; ret;
bad:
  st.param.b32 [r], %e0; ret;
none:
  st.param.b32 [r], 69; ret;
}
.func (.param .b32 r) $transfer(.param .b64 kind, .param .b64 to, .param .b64 v, .param .b64 n, .param .b64 s)
{
  .reg .b64 %a, %k, %to, %v, %n, %s; .reg .pred %none;
  mov.u64 %n, 24;
  { .param .b64 p; .param .b64 q; st.param.b64 [p], %n; call (q), $new_record, (p); ld.param.b64 %a, [q]; }
  setp.eq.u64 %none, %a, 0; @%none bra none;
  ld.param.u64 %k, [kind]; ld.param.u64 %to, [to]; ld.param.u64 %v, [v]; ld.param.u64 %n, [n]; ld.param.u64 %s, [s];
  st.global.u64 [%a+8], %k; st.global.u64 [%a+16], %s;
  st.global.u64 [%a+64], %to; st.global.u64 [%a+72], %v; st.global.u64 [%a+80], %n;
  st.global.u32 [%a+24], 1;
  st.param.b32 [r], 0; ret;
none:
  st.param.b32 [r], 69; ret;
}
.func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 to, .param .b64 from, .param .b64 n, .param .b32 kind, .param .b64 s)
{
  .reg .b64 %to, %v, %n, %s; .reg .b32 %e;
  ld.param.u64 %to, [to]; ld.param.u64 %v, [from]; ld.param.u64 %n, [n]; ld.param.u64 %s, [s];
  { .param .b64 p0; .param .b64 p1; .param .b64 p2; .param .b64 p3; .param .b64 p4; .param .b32 q;
    st.param.b64 [p0], 1; st.param.b64 [p1], %to; st.param.b64 [p2], %v; st.param.b64 [p3], %n; st.param.b64 [p4], %s;
    call (q), $transfer, (p0, p1, p2, p3, p4); ld.param.b32 %e, [q]; }
  st.param.b32 [r], %e; ret;
}
.func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 to, .param .b32 value, .param .b64 n, .param .b64 s)
{
  .reg .b64 %to, %v, %n, %s; .reg .b32 %e;
  ld.param.u64 %to, [to]; ld.param.u32 %e, [value]; cvt.u64.u32 %v, %e; ld.param.u64 %n, [n]; ld.param.u64 %s, [s];
  { .param .b64 p0; .param .b64 p1; .param .b64 p2; .param .b64 p3; .param .b64 p4; .param .b32 q;
    st.param.b64 [p0], 2; st.param.b64 [p1], %to; st.param.b64 [p2], %v; st.param.b64 [p3], %n; st.param.b64 [p4], %s;
    call (q), $transfer, (p0, p1, p2, p3, p4); ld.param.b32 %e, [q]; }
  st.param.b32 [r], %e; ret;
}
.func (.param .b32 r) __cudaCDP2Malloc(.param .b64 p, .param .b64 n)
{
  .reg .b64 %p, %n, %a; .reg .b32 %e; .reg .pred %none;
  ld.param.u64 %n, [n];
  { .param .b64 x; .param .b64 y; st.param.b64 [x], %n; call (y), malloc, (x); ld.param.b64 %a, [y]; }
  setp.eq.u64 %none, %a, 0; @%none bra none;
  ld.param.u64 %p, [p]; st.u64 [%p], %a; st.param.b32 [r], 0; ret;
none:
  { .param .b32 x; .param .b32 y; st.param.b32 [x], 2; call (y), $fail, (x); ld.param.b32 %e, [y]; }
  st.param.b32 [r], %e; ret;
}
.func (.param .b32 r) __cudaCDP2Free(.param .b64 p)
{
  .reg .b64 %a;
  ld.param.u64 %a, [p]; { .param .b64 x; st.param.b64 [x], %a; call free, (x); }
  st.param.b32 [r], 0; ret;
}
.func (.param .b32 r) __cudaCDP2GetLastError()
{
  .reg .b64 %c; .reg .b32 %e;
  { .param .b64 q; call (q), $my_error; ld.param.b64 %c, [q]; }
  ld.global.u32 %e, [%c]; st.global.u32 [%c], 0; st.param.b32 [r], %e; ret;
}
.func (.param .b32 r) __cudaCDP2PeekAtLastError()
{
  .reg .b64 %c; .reg .b32 %e;
  { .param .b64 q; call (q), $my_error; ld.param.b64 %c, [q]; }
  ld.global.u32 %e, [%c]; st.param.b32 [r], %e; ret;
}
.func (.param .b64 r) __cudaCDP2GetErrorString(.param .b32 code)
{
  .reg .b64 %c; .reg .b32 %e; .reg .pred %ok;
  ld.param.u32 %e, [code]; mov.u64 %c, $texts; setp.eq.u32 %ok, %e, 0; @!%ok add.u64 %c, %c, 16; cvta.global.u64 %c, %c;
  st.param.b64 [r], %c; ret;
}
.func (.param .b32 r) __cudaCDP2GetDevice(.param .b64 p)
{
  .reg .b64 %p;
  ld.param.u64 %p, [p]; st.u32 [%p], 0; st.param.b32 [r], 0; ret;
}
.func (.param .b32 r) __cudaCDP2GetDeviceCount(.param .b64 p)
{
  .reg .b64 %p;
  ld.param.u64 %p, [p]; st.u32 [%p], 1; st.param.b32 [r], 0; ret;
}
.func (.param .b32 r) __cudaCDP2DeviceGetAttribute(.param .b64 p, .param .b32 which, .param .b32 device)
{
  .reg .b64 %p, %c; .reg .b32 %e; .reg .pred %none;
  ld.param.u32 %e, [which]; setp.ge.u32 %none, %e, 128; @%none bra none;
  mov.u64 %c, $attributes; mul.wide.u32 %p, %e, 4; add.u64 %c, %c, %p; ld.global.u32 %e, [%c];
  setp.lt.s32 %none, %e, 0; @%none bra none;
  ld.param.u64 %p, [p]; st.u32 [%p], %e; st.param.b32 [r], 0; ret;
none:
  { .param .b32 x; .param .b32 y; st.param.b32 [x], 1; call (y), $fail, (x); ld.param.b32 %e, [y]; }
  st.param.b32 [r], %e; ret;
}
.func (.param .b32 r) $new_handle(.param .b64 p)
{
  .reg .b64 %p, %c, %h;
  ld.param.u64 %p, [p]; mov.u64 %c, $next_handle; atom.global.add.u64 %h, [%c], 16; st.u64 [%p], %h;
  st.param.b32 [r], 0; ret;
}
.func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 p, .param .b32 flags)
{
  .reg .b64 %p;
  ld.param.u64 %p, [p]; { .param .b64 x; .param .b32 y; st.param.b64 [x], %p; call (y), $new_handle, (x); }
  st.param.b32 [r], 0; ret;
}
.func (.param .b32 r) __cudaCDP2EventCreateWithFlags(.param .b64 p, .param .b32 flags)
{
  .reg .b64 %p;
  ld.param.u64 %p, [p]; { .param .b64 x; .param .b32 y; st.param.b64 [x], %p; call (y), $new_handle, (x); }
  st.param.b32 [r], 0; ret;
}
.func (.param .b32 r) __cudaCDP2StreamDestroy(.param .b64 s) { st.param.b32 [r], 0; ret; }
.func (.param .b32 r) __cudaCDP2StreamWaitEvent(.param .b64 s, .param .b64 e, .param .b32 f) { st.param.b32 [r], 0; ret; }
.func (.param .b32 r) __cudaCDP2EventRecord(.param .b64 e, .param .b64 s) { st.param.b32 [r], 0; ret; }
.func (.param .b32 r) __cudaCDP2EventRecordWithFlags(.param .b64 e, .param .b64 s, .param .b32 f) { st.param.b32 [r], 0; ret; }
.func (.param .b32 r) __cudaCDP2EventDestroy(.param .b64 e) { st.param.b32 [r], 0; ret; }
)";

}  // namespace heddle::runtime
