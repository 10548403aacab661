// Every intrinsic of CUDA that works within a warp, its value for each lane in a row of 64 64-bit results; the
// host knows all rows (tests/regression/warp_intrinsics_test.cpp). One block of 64 threads.
#define HEDDLE_ROW(row) out[(row)*64 + i]

// Values differ from lane to lane and between the warps.
extern "C" __global__ void shuffles(const int* v, unsigned long long* out) {
  unsigned i = threadIdx.x, all = 0xffffffffu;
  int a = v[i];
  unsigned u = (unsigned)a * 2654435761u;
  long long l = (long long)a * 0x100000001ll;
  unsigned long long w = (unsigned long long)u << 20 | i;
  float f = a * 0.5f;
  double d = a * 0.25;
  // Each function, over the whole warp and within segments of `width` lanes.
  HEDDLE_ROW(0) = (unsigned)__shfl_sync(all, a, 5);
  HEDDLE_ROW(1) = __shfl_sync(all, u, (int)(i * 3), 8);
  HEDDLE_ROW(2) = (unsigned long long)__shfl_sync(all, l, (int)(31 - i % 32));
  HEDDLE_ROW(3) = __shfl_sync(all, w, 3, 16);
  HEDDLE_ROW(4) = (unsigned long long)(int)__shfl_sync(all, f, 7);
  HEDDLE_ROW(5) = (unsigned long long)(int)__shfl_sync(all, d, 2, 4);
  HEDDLE_ROW(6) = (unsigned)__shfl_up_sync(all, a, 3);
  HEDDLE_ROW(7) = __shfl_up_sync(all, u, 1, 8);
  HEDDLE_ROW(8) = (unsigned long long)__shfl_up_sync(all, l, 17);
  HEDDLE_ROW(9) = __shfl_up_sync(all, w, 2, 4);
  HEDDLE_ROW(10) = (unsigned long long)(int)__shfl_up_sync(all, f, 1);
  HEDDLE_ROW(11) = (unsigned long long)(int)__shfl_up_sync(all, d, 5, 16);
  HEDDLE_ROW(12) = (unsigned)__shfl_down_sync(all, a, 16);
  HEDDLE_ROW(13) = __shfl_down_sync(all, u, 2, 8);
  HEDDLE_ROW(14) = (unsigned long long)__shfl_down_sync(all, l, 1);
  HEDDLE_ROW(15) = __shfl_down_sync(all, w, 1, 2);
  HEDDLE_ROW(16) = (unsigned long long)(int)__shfl_down_sync(all, f, 4);
  HEDDLE_ROW(17) = (unsigned long long)(int)__shfl_down_sync(all, d, 3, 16);
  HEDDLE_ROW(18) = (unsigned)__shfl_xor_sync(all, a, 1);
  HEDDLE_ROW(19) = __shfl_xor_sync(all, u, 6, 8);
  HEDDLE_ROW(20) = (unsigned long long)__shfl_xor_sync(all, l, 31);
  HEDDLE_ROW(21) = __shfl_xor_sync(all, w, 16, 16);
  HEDDLE_ROW(22) = (unsigned long long)(int)__shfl_xor_sync(all, f, 2);
  HEDDLE_ROW(23) = (unsigned long long)(int)__shfl_xor_sync(all, d, 9, 32);
  // The sum that every tree reduction begins with; and lanes of one side only.
  int sum = a;
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down_sync(all, sum, step);
  HEDDLE_ROW(24) = (unsigned)__shfl_sync(all, sum, 0);
  unsigned long long odd = 0;
  if (i % 2 != 0) odd = (unsigned)__shfl_xor_sync(0xaaaaaaaau, a, 2);
  HEDDLE_ROW(25) = odd;
}

extern "C" __global__ void votes(const int* v, unsigned long long* out) {
  unsigned i = threadIdx.x, all = 0xffffffffu;
  int a = v[i], same;
  HEDDLE_ROW(0) = __any_sync(all, a == 7);
  HEDDLE_ROW(1) = __any_sync(all, a < 0);
  HEDDLE_ROW(2) = __all_sync(all, a >= 0);
  HEDDLE_ROW(3) = __all_sync(all, a != 7);
  HEDDLE_ROW(4) = __ballot_sync(all, a & 4);
  HEDDLE_ROW(5) = __activemask();
  HEDDLE_ROW(6) = __match_any_sync(all, a % 3);
  HEDDLE_ROW(7) = __match_any_sync(all, (unsigned long long)(a % 5) << 40);
  HEDDLE_ROW(8) = __match_all_sync(all, a / 1000, &same);
  HEDDLE_ROW(9) = same;
  HEDDLE_ROW(10) = __match_all_sync(all, (long long)a, &same);
  HEDDLE_ROW(11) = same;
  unsigned long long low = 0, high = 0;
  if (i % 32 < 16)
    low = __ballot_sync(0x0000ffffu, a & 1);
  else
    high = __any_sync(0xffff0000u, a & 1);
  HEDDLE_ROW(12) = low;
  HEDDLE_ROW(13) = high;
  HEDDLE_ROW(14) = __syncthreads_count(a & 1);
  HEDDLE_ROW(15) = __syncthreads_and(a >= 0) != 0;
  HEDDLE_ROW(16) = __syncthreads_or(a == 7) != 0;
}

// Lanes hand values on through shared memory, ordered by barriers of the warp only; each pair of lanes by one of
// its own. Time passes.
extern "C" __global__ void order(const int* v, unsigned long long* out) {
  __shared__ volatile int box[64];
  unsigned i = threadIdx.x;
  long long began = clock64();
  box[i] = v[i];
  __threadfence_block();
  __syncwarp();
  int other = box[i ^ 1];
  __syncwarp(0xffffffffu);
  box[i] = other + 1;
  __threadfence();
  __syncwarp(3u << (i % 32 / 2 * 2));
  HEDDLE_ROW(0) = (unsigned)box[i ^ 1];
  __threadfence_system();
  int before = clock();
  __nanosleep(200);
  int after = clock();
  HEDDLE_ROW(1) = before != after;
  HEDDLE_ROW(2) = clock64() > began;
}
