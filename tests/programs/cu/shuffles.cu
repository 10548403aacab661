// Warp shuffles of all kinds and types, votes, matches, reductions, with parts of a warp.
#include "check.h"
__global__ void scan(const int* in, int* out) {
  int x = in[threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
    const int y = __shfl_up_sync(0xffffffff, x, d);
    if (threadIdx.x % 32 >= d) x += y;
  }
  out[threadIdx.x] = x;
}
__global__ void kinds(double* doubles, long long* wide, unsigned* votes, int* matches) {
  const unsigned lane = threadIdx.x;
  doubles[lane] = __shfl_xor_sync(0xffffffff, lane * 1.5, 5);
  wide[lane] = __shfl_sync(0xffffffff, (1ll << 40) * lane, lane + 3, 8);
  votes[lane] = __ballot_sync(0xffffffff, lane % 3 == 0) + __popc(__activemask()) + __any_sync(0xffffffff, lane == 31) +
                __all_sync(0xffffffff, lane < 32);
  const unsigned same = __match_any_sync(0xffffffff, lane / 5);
  int all = 0;
  __match_all_sync(0xffffffff, 7, &all);
  matches[lane] = __popc(same) * 10 + all;
}
__global__ void parts(int* out) {
  const int lane = threadIdx.x;
  if (lane % 2) {
    int x = lane;
    for (int d = 16; d > 1; d /= 2) x += __shfl_xor_sync(0xaaaaaaaa, x, d);
    out[lane] = x;
  } else {
    out[lane] = __shfl_down_sync(0x55555555, lane, 2);
  }
  __syncwarp();
  out[32 + lane] = out[31 - lane];
}
int main() {
  int in[64], got[64], wrong = 0;
  for (int i = 0; i < 64; ++i) in[i] = i * i % 17;
  int *a, *b;
  CHECK(cudaMalloc(&a, 1024));
  CHECK(cudaMalloc(&b, 1024));
  CHECK(cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice));
  scan<<<1, 64>>>(a, b);
  CHECK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0, sum = 0; i < 64; ++i) {
    sum = i % 32 == 0 ? in[i] : sum + in[i];
    wrong += got[i] != sum;
  }
  double* doubles;
  long long* wide;
  unsigned* votes;
  CHECK(cudaMallocManaged(&doubles, 256));
  CHECK(cudaMallocManaged(&wide, 256));
  CHECK(cudaMallocManaged(&votes, 128));
  kinds<<<1, 32>>>(doubles, wide, votes, b);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(got, b, 128, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) {
    wrong += doubles[i] != (i ^ 5) * 1.5;
    wrong += wide[i] != (1ll << 40) * (i / 8 * 8 + (i + 3) % 8);
    wrong += votes[i] != 0x49249249u + 34;
    wrong += got[i] != (i < 30 ? 51 : 21);
  }
  parts<<<1, 32>>>(a);
  CHECK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) {
    if (i % 2)
      wrong += got[i] != 256;
    else
      wrong += got[i] != (i < 30 ? i + 2 : 30);
    wrong += got[32 + i] != got[31 - i];
  }
  std::printf("%d wrong\n", wrong);
  return wrong;
}
