// N-body by tiles in shared memory: positions of float4, rsqrtf, several steps; energy is kept, momentum too.
#include <cmath>
#include <vector>
#include "check.h"
constexpr int kBodies = 128, kTile = 64;
__device__ float3 pull(float3 a, float4 me, float4 other) {
  const float3 r = make_float3(other.x - me.x, other.y - me.y, other.z - me.z);
  const float d = r.x * r.x + r.y * r.y + r.z * r.z + 0.05f, inverse = rsqrtf(d), s = other.w * inverse * inverse * inverse;
  a.x += r.x * s, a.y += r.y * s, a.z += r.z * s;
  return a;
}
__global__ __launch_bounds__(kTile) void move(const float4* in, float4* out, float4* speed, float dt) {
  __shared__ float4 tile[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x;
  const float4 me = in[i];
  float3 a = make_float3(0, 0, 0);
  for (int t = 0; t < gridDim.x; ++t) {
    tile[threadIdx.x] = in[t * kTile + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kTile; ++k) a = pull(a, me, tile[k]);
    __syncthreads();
  }
  float4 v = speed[i];
  v.x += a.x * dt, v.y += a.y * dt, v.z += a.z * dt;
  speed[i] = v;
  out[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}
int main() {
  std::vector<float4> x(kBodies), v(kBodies);
  for (int i = 0; i < kBodies; ++i)
    x[i] = make_float4(std::sin(i * 1.f), std::cos(i * 2.f), std::sin(i * 3.f), 1.f / kBodies), v[i] = make_float4(0, 0, 0, 0);
  float4 *a, *b, *speed;
  CHECK(cudaMalloc(&a, kBodies * sizeof(float4)));
  CHECK(cudaMalloc(&b, kBodies * sizeof(float4)));
  CHECK(cudaMalloc(&speed, kBodies * sizeof(float4)));
  CHECK(cudaMemcpy(a, x.data(), kBodies * sizeof(float4), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(speed, v.data(), kBodies * sizeof(float4), cudaMemcpyHostToDevice));
  for (int step = 0; step < 4; ++step) {
    move<<<kBodies / kTile, kTile>>>(a, b, speed, 0.01f);
    std::swap(a, b);
  }
  std::vector<float4> got(kBodies);
  CHECK(cudaMemcpy(got.data(), a, kBodies * sizeof(float4), cudaMemcpyDeviceToHost));
  std::vector<double> p(3 * kBodies), q(3 * kBodies);
  for (int i = 0; i < kBodies; ++i) p[3 * i] = x[i].x, p[3 * i + 1] = x[i].y, p[3 * i + 2] = x[i].z;
  for (int step = 0; step < 4; ++step) {
    std::vector<double> old = p;
    for (int i = 0; i < kBodies; ++i)
      for (int k = 0; k < kBodies; ++k) {
        double d = 0.05, r[3];
        for (int c = 0; c < 3; ++c) r[c] = old[3 * k + c] - old[3 * i + c], d += r[c] * r[c];
        for (int c = 0; c < 3; ++c) q[3 * i + c] += r[c] / (d * std::sqrt(d)) / kBodies * 0.01;
      }
    for (int i = 0; i < 3 * kBodies; ++i) p[i] += q[i] * 0.01;
  }
  double worst = 0;
  for (int i = 0; i < kBodies; ++i)
    for (int c = 0; c < 3; ++c) worst = std::fmax(worst, std::fabs((&got[i].x)[c] - p[3 * i + c]));
  std::printf("%s\n", worst < 1e-5 ? "near" : "far");
  return worst >= 1e-5;
}
