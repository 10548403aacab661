// Prices of options, in closed form and by a binomial tree in shared memory.
#include <cmath>
#include <vector>
#include "check.h"
constexpr int kOptions = 256, kSteps = 63;
constexpr float kRate = 0.02f, kVolatility = 0.30f;
__device__ float cumulative(float d) {
  const float k = 1 / (1 + 0.2316419f * fabsf(d));
  const float c = rsqrtf(2 * 3.14159265f) * __expf(-0.5f * d * d) *
                  (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - c : c;
}
__global__ void closed_form(const float3* options, float2* prices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float3 o = options[i];  // price, strike, years
  const float root = sqrtf(o.z), d1 = (__logf(o.x / o.y) + (kRate + 0.5f * kVolatility * kVolatility) * o.z) / (kVolatility * root);
  const float d2 = d1 - kVolatility * root, discount = __expf(-kRate * o.z);
  const float call = o.x * cumulative(d1) - o.y * discount * cumulative(d2);
  prices[i] = make_float2(call, call - o.x + o.y * discount);
}
__global__ void tree(const float3* options, float* calls) {  // a block for each option
  __shared__ float value[kSteps + 1];
  const float3 o = options[blockIdx.x];
  const float dt = o.z / kSteps, up = expf(kVolatility * sqrtf(dt)), grow = expf(kRate * dt);
  const float p = (grow - 1 / up) / (up - 1 / up) / grow, q = 1 / grow - p;
  const int t = threadIdx.x;
  value[t] = fmaxf(o.x * powf(up, 2.f * t - kSteps) - o.y, 0);
  for (int step = kSteps; step > 0; --step) {
    __syncthreads();
    const float next = t < step ? p * value[t + 1] + q * value[t] : 0;
    __syncthreads();
    if (t < step) value[t] = next;
  }
  if (t == 0) calls[blockIdx.x] = value[0];
}
int main() {
  std::vector<float3> options(kOptions);
  for (int i = 0; i < kOptions; ++i) options[i] = {5 + i % 26 * 1.f, 5 + i * 7 % 31 * 1.f, 0.25f + i % 10};
  float3* in;
  float2* prices;
  float* calls;
  CHECK(cudaMalloc(&in, kOptions * sizeof(float3)));
  CHECK(cudaMalloc(&prices, kOptions * sizeof(float2)));
  CHECK(cudaMalloc(&calls, kOptions * sizeof(float)));
  CHECK(cudaMemcpy(in, options.data(), kOptions * sizeof(float3), cudaMemcpyHostToDevice));
  closed_form<<<kOptions / 64, 64>>>(in, prices);
  tree<<<16, kSteps + 1>>>(in, calls);
  std::vector<float2> got(kOptions);
  std::vector<float> by_tree(16);
  CHECK(cudaMemcpy(got.data(), prices, kOptions * sizeof(float2), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(by_tree.data(), calls, 16 * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0, far = 0;
  for (int i = 0; i < kOptions; ++i) {
    const double s = options[i].x, x = options[i].y, t = options[i].z, v = kVolatility, root = std::sqrt(t);
    const auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
    const double d1 = (std::log(s / x) + (kRate + v * v / 2) * t) / (v * root), d2 = d1 - v * root;
    const double call = s * normal(d1) - x * std::exp(-kRate * t) * normal(d2);
    wrong += std::fabs(got[i].x - call) > 1e-3 || std::fabs(got[i].y - (call - s + x * std::exp(-kRate * t))) > 1e-3;
    if (i < 16) far += std::fabs(by_tree[i] - call) > 0.05 + 0.01 * call;
  }
  std::printf("%d wrong, %d far\n", wrong, far);
  return wrong + far;
}
