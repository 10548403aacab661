// Data instructions that clang emits without the CUDA headers. Compiled to
// clang_data.ptx; the first line there has the command.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
typedef __fp16 Half2 __attribute__((ext_vector_type(2)));

__global__ void halves(__fp16 *a, __fp16 *b, float *f) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  __fp16 x = a[i], y = b[i];
  f[i] = (float)x * (float)y + f[i];
  a[i + 32] = (__fp16)(f[i] - 1.0f);
  b[i + 32] = (float)x < (float)y ? x : y;
}

__global__ void wide(unsigned long long *w, unsigned *u) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  unsigned __int128 a = ((unsigned __int128)w[i] << 64) | w[i + 32];
  unsigned __int128 b = ((unsigned __int128)w[i + 64] << 64) | w[i + 96];
  unsigned __int128 c = a * b + (a << (u[i] & 127)) - (b >> 3);
  w[i + 128] = (unsigned long long)c;
  w[i + 160] = (unsigned long long)(c >> 64);
  w[i + 192] = a < b;
  u[i + 32] = __builtin_popcount(u[i]) + __builtin_clz(u[i] | 1) +
              __builtin_ctzll(w[i] | 1) + __builtin_bitreverse32(u[i]);
  u[i + 64] = __builtin_rotateleft32(u[i], 7) + __builtin_bswap32(u[i]) +
              (unsigned)(w[i] >> (u[i] & 63));
}

__global__ void warp(int *p, unsigned *m, unsigned long long *w) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  m[i] = __nvvm_match_any_sync_i32(0xffffffffu, p[i]);
  int all = 0;
  m[i + 64] = __nvvm_match_all_sync_i32p(0xffffffffu, p[i], &all) + all;
  m[i + 96] =
      __nvvm_vote_ballot_sync(0xffffffffu, p[i] > 0) + __nvvm_fns(m[i], 0, 2);
  m[i + 128] = __nvvm_shfl_sync_bfly_i32(0xffffffffu, p[i], 1, 31);
  __nvvm_bar_warp_sync(0xffffffffu);
  __nvvm_barrier_sync(0);
  __nvvm_barrier_sync_cnt(1, 64);
  m[i + 160] =
      __nvvm_bar0_popc(p[i]) + __nvvm_bar0_and(p[i]) + __nvvm_bar0_or(p[i]);
  p[i + 32] = __nvvm_atom_cta_add_gen_i(p, 1) +
              __nvvm_atom_sys_max_gen_i(p + 1, 3) +
              __nvvm_atom_add_gen_i(p + 2, 4);
  w[i + 32] = __nvvm_atom_cas_gen_ll((long long *)w, 1, 2) +
              __nvvm_atom_xchg_gen_ll((long long *)w + 1, 5);
  m[i + 192] = __nvvm_atom_inc_gen_ui(m, 5) + __nvvm_atom_dec_gen_ui(m + 1, 5);
  m[i + 224] = __nvvm_prmt(m[i], m[i + 1], 0x5140) + __nvvm_mul24_ui(m[i], 3) +
               __nvvm_sad_ui(m[i], 2, 3);
  m[i + 256] = __nvvm_read_ptx_sreg_clock() +
               __nvvm_read_ptx_sreg_lanemask_lt() +
               __nvvm_read_ptx_sreg_nwarpid();
}

__global__ void floats(float *f, double *d) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  float x = f[i], y = f[i + 32];
  f[i + 64] = __nvvm_add_rz_f(x, y) + __nvvm_mul_rp_ftz_f(x, y) +
              __nvvm_fma_rm_f(x, y, x) + __nvvm_div_rn_f(x, y) +
              __nvvm_rcp_rp_f(x);
  f[i + 96] = __nvvm_sqrt_rz_f(x) + __nvvm_sin_approx_f(x) +
              __nvvm_ex2_approx_ftz_f(y) + __nvvm_lg2_approx_f(x) +
              __nvvm_saturate_f(y);
  d[i + 32] = __nvvm_add_rm_d(d[i], 1.0) + __nvvm_fma_rp_d(d[i], d[i], 2.0) +
              __nvvm_rsqrt_approx_d(d[i]) + __nvvm_sqrt_rp_d(d[i]);
  d[i + 64] = (double)__nvvm_d2ll_rm(d[i]) + __nvvm_f2i_rp(x) +
              __nvvm_ui2f_rz(3u) + __nvvm_d2f_rz(d[i]) + __nvvm_lohi_i2d(1, i);
  d[i + 96] = __builtin_trunc(d[i]) + __builtin_copysign(d[i], d[i + 1]) +
              __builtin_rint(d[i]) + __builtin_fmax(d[i], 1.0);
}
