// Alignment of two sequences (Needleman and Wunsch): tiles along the anti-diagonals, one launch each, a wave front in shared memory.
#include <algorithm>
#include <vector>
#include "check.h"
constexpr int kBlock = 16, kSize = 64, kPenalty = 10;
__global__ void diagonal(int* score, const int* match, int first, int d) {
  __shared__ int s[kBlock + 1][kBlock + 1];
  const int t = threadIdx.x, tx = first + blockIdx.x, ty = d - tx, stride = kSize + 1;
  int* const corner = score + ty * kBlock * stride + tx * kBlock;
  s[0][t + 1] = corner[t + 1];
  s[t + 1][0] = corner[(t + 1) * stride];
  if (t == 0) s[0][0] = corner[0];
  __syncthreads();
  for (int step = 0; step < 2 * kBlock - 1; ++step) {
    const int x = t, y = step - t;
    if (y >= 0 && y < kBlock) {
      const int m = match[(ty * kBlock + y) * kSize + tx * kBlock + x];
      s[y + 1][x + 1] = max(s[y][x] + m, max(s[y][x + 1], s[y + 1][x]) - kPenalty);
    }
    __syncthreads();
  }
  for (int y = 0; y < kBlock; ++y) corner[(y + 1) * stride + t + 1] = s[y + 1][t + 1];
}
int main() {
  const int stride = kSize + 1, tiles = kSize / kBlock;
  std::vector<int> score(stride * stride), match(kSize * kSize), got(score.size());
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x) match[y * kSize + x] = (y * 7 % 11) == (x * 5 % 11) ? 6 : -3;
  for (int i = 0; i <= kSize; ++i) score[i] = score[i * stride] = -kPenalty * i;
  int *d_score, *d_match;
  CHECK(cudaMalloc(&d_score, score.size() * 4));
  CHECK(cudaMalloc(&d_match, match.size() * 4));
  CHECK(cudaMemcpy(d_score, score.data(), score.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_match, match.data(), match.size() * 4, cudaMemcpyHostToDevice));
  for (int d = 0; d < 2 * tiles - 1; ++d) {
    const int first = std::max(0, d - tiles + 1), count = std::min(d, tiles - 1) - first + 1;
    diagonal<<<count, kBlock>>>(d_score, d_match, first, d);
  }
  CHECK(cudaMemcpy(got.data(), d_score, got.size() * 4, cudaMemcpyDeviceToHost));
  for (int y = 1; y <= kSize; ++y)
    for (int x = 1; x <= kSize; ++x)
      score[y * stride + x] = std::max({score[(y - 1) * stride + x - 1] + match[(y - 1) * kSize + x - 1],
                                        score[(y - 1) * stride + x] - kPenalty, score[y * stride + x - 1] - kPenalty});
  int wrong = 0;
  for (size_t i = 0; i < score.size(); ++i) wrong += score[i] != got[i];
  std::printf("score %d, %d wrong\n", got.back(), wrong);
  return wrong;
}
