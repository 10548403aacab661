// Attention with an online softmax on tensor cores, a block a tile of queries; a softmax and a layer normalisation by warp.
#include <cuda_fp16.h>
#include <mma.h>
#include <cfloat>
#include <cmath>
#include <vector>
#include "check.h"

constexpr int kTile = 16, kDepth = 64, kTokens = 64;

using Rows = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major>;
using Sums = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;

__global__ void attend(const half* query, const half* key, const half* value, float* out) {
  __shared__ half q[kTile * kDepth], k[kTile * kDepth], v[kTile * kDepth], p[kTile * kTile];
  __shared__ float score[kTile * kTile], sum[kTile * kDepth], most[kTile], total[kTile];
  const int lane = threadIdx.x, first = blockIdx.x * kTile * kDepth;
  for (int i = lane; i < kTile * kDepth; i += 32) {
    q[i] = query[first + i];
    sum[i] = 0;
  }
  if (lane < kTile) {
    most[lane] = -FLT_MAX;
    total[lane] = 0;
  }
  for (int token = 0; token < kTokens; token += kTile) {
    __syncwarp();
    for (int i = lane; i < kTile * kDepth / 8; i += 32) {
      reinterpret_cast<float4*>(k)[i] = reinterpret_cast<const float4*>(key + token * kDepth)[i];
      reinterpret_cast<float4*>(v)[i] = reinterpret_cast<const float4*>(value + token * kDepth)[i];
    }
    __syncwarp();
    Sums s;
    nvcuda::wmma::fill_fragment(s, 0.f);
    for (int d = 0; d < kDepth; d += 16) {
      Rows a;
      nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::col_major> b;
      nvcuda::wmma::load_matrix_sync(a, q + d, kDepth);
      nvcuda::wmma::load_matrix_sync(b, k + d, kDepth);
      nvcuda::wmma::mma_sync(s, a, b, s);
    }
    for (int i = 0; i < s.num_elements; ++i) s.x[i] *= 0.125f;
    nvcuda::wmma::store_matrix_sync(score, s, kTile, nvcuda::wmma::mem_row_major);
    __syncwarp();
    if (lane < kTile) {
      float now = most[lane], added = 0;
      for (int i = 0; i < kTile; ++i) now = fmaxf(now, score[lane * kTile + i]);
      const float scale = expf(most[lane] - now);
      for (int i = 0; i < kTile; ++i) {
        const float e = expf(score[lane * kTile + i] - now);
        p[lane * kTile + i] = __float2half(e);
        added += e;
      }
      total[lane] = total[lane] * scale + added;
      most[lane] = now;
      for (int d = 0; d < kDepth; ++d) sum[lane * kDepth + d] *= scale;
    }
    __syncwarp();
    for (int d = 0; d < kDepth; d += 16) {
      Rows a;
      nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major> b;
      nvcuda::wmma::load_matrix_sync(s, sum + d, kDepth, nvcuda::wmma::mem_row_major);
      nvcuda::wmma::load_matrix_sync(a, p, kTile);
      nvcuda::wmma::load_matrix_sync(b, v + d, kDepth);
      nvcuda::wmma::mma_sync(s, a, b, s);
      nvcuda::wmma::store_matrix_sync(sum + d, s, kDepth, nvcuda::wmma::mem_row_major);
    }
  }
  __syncwarp();
  for (int i = lane; i < kTile * kDepth; i += 32) out[first + i] = sum[i] / total[i / kDepth];
}

__device__ float over_warp(float value) {
  for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(~0u, value, by);
  return value;
}

__global__ void normalise(const float4* in, float4* out, int vectors) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < vectors; i += 32) {
    const float4 x = in[row * vectors + i];
    sum += x.x + x.y + x.z + x.w;
    squares += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
  }
  const float mean = over_warp(sum) / (4 * vectors);
  const float scale = rsqrtf(over_warp(squares) / (4 * vectors) - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < vectors; i += 32) {
    const float4 x = in[row * vectors + i];
    out[row * vectors + i] = make_float4((x.x - mean) * scale, (x.y - mean) * scale, (x.z - mean) * scale, (x.w - mean) * scale);
  }
}

int main() {
  constexpr int kNumbers = kTokens * kDepth;
  half* input;
  float *out, *normal;
  CHECK(cudaMallocManaged(&input, 3 * kNumbers * sizeof(half)));
  CHECK(cudaMallocManaged(&out, kNumbers * sizeof(float)));
  CHECK(cudaMallocManaged(&normal, kNumbers * sizeof(float)));
  std::vector<double> x(3 * kNumbers);
  for (int i = 0; i < 3 * kNumbers; ++i) {
    input[i] = __float2half(i * 37 % 101 / 101.f - 0.5f);
    x[i] = __half2float(input[i]);
  }
  attend<<<kTokens / kTile, 32>>>(input, input + kNumbers, input + 2 * kNumbers, out);
  normalise<<<kTokens / 4, dim3(32, 4)>>>(reinterpret_cast<float4*>(out), reinterpret_cast<float4*>(normal), kDepth / 4);
  CHECK(cudaDeviceSynchronize());
  int wrong = 0, not_normal = 0;
  for (int row = 0; row < kTokens; ++row) {
    std::vector<double> weight(kTokens);
    double total = 0, mean = 0, squares = 0;
    for (int token = 0; token < kTokens; ++token) {
      for (int d = 0; d < kDepth; ++d) weight[token] += x[row * kDepth + d] * x[kNumbers + token * kDepth + d];
      total += weight[token] = std::exp(weight[token] * 0.125);
    }
    for (int d = 0; d < kDepth; ++d) {
      double sum = 0;
      for (int token = 0; token < kTokens; ++token) sum += weight[token] * x[2 * kNumbers + token * kDepth + d];
      wrong += std::fabs(out[row * kDepth + d] - sum / total) > 2e-3;
      mean += normal[row * kDepth + d] / kDepth;
      squares += normal[row * kDepth + d] * normal[row * kDepth + d] / kDepth;
    }
    not_normal += std::fabs(mean) > 1e-4 || squares > 1 || squares < 0.9;
  }
  std::printf("attention: %d wrong, normalised: %d rows wrong\n", wrong, not_normal);
  return wrong;
}
