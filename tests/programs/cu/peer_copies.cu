// Copies between "devices" that are one, of pitched boxes, and to and from variables within a stream.
#include "check.h"
__device__ int table[64];
__constant__ int factors[4];
__global__ void scale(int* out) { out[threadIdx.x] = table[threadIdx.x] * factors[threadIdx.x & 3]; }
int main() {
  int host[64], got[64], *a, *b, gives[4] = {1, 2, 3, 4};
  for (int i = 0; i < 64; ++i) host[i] = i * i;
  CHECK(cudaMalloc(&a, sizeof host));
  CHECK(cudaMalloc(&b, sizeof host));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyPeerAsync(b, 0, a, 0, sizeof host, stream));
  CHECK(cudaMemcpyToSymbolAsync(table, b, sizeof host, 0, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaMemcpyToSymbolAsync(factors, gives, sizeof gives, 0, cudaMemcpyHostToDevice, stream));
  scale<<<1, 64, 0, stream>>>(a);
  CHECK(cudaMemcpyPeer(b, 0, a, 0, sizeof host));
  CHECK(cudaMemcpyFromSymbolAsync(got, table, 16, 240, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d %d %d %d\n", got[0], got[1], got[2], got[3]);
  CHECK(cudaMemcpy(got, b, sizeof got, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", got[1], got[62], got[63]);
  // A box of 3 x 2 x 2 ints out of one of 5 x 4 x 3.
  cudaPitchedPtr from, to;
  CHECK(cudaMalloc3D(&from, make_cudaExtent(5 * sizeof(int), 4, 3)));
  CHECK(cudaMalloc3D(&to, make_cudaExtent(3 * sizeof(int), 2, 2)));
  int box[60], part[12];
  for (int i = 0; i < 60; ++i) box[i] = i;
  cudaMemcpy3DParms in = {};
  in.srcPtr = make_cudaPitchedPtr(box, 5 * sizeof(int), 5, 4);
  in.dstPtr = from;
  in.extent = make_cudaExtent(5 * sizeof(int), 4, 3);
  in.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&in));
  cudaMemcpy3DPeerParms peer = {};
  peer.srcPtr = from;
  peer.srcPos = make_cudaPos(2 * sizeof(int), 1, 1);
  peer.dstPtr = to;
  peer.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
  CHECK(cudaMemcpy3DPeer(&peer));
  cudaMemcpy3DParms out = {};
  out.srcPtr = to;
  out.dstPtr = make_cudaPitchedPtr(part, 3 * sizeof(int), 3, 2);
  out.extent = peer.extent;
  out.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&out));
  for (int each : part) std::printf("%d ", each);
  std::printf("\n%s\n", cudaGetErrorName(cudaMemcpyPeer(a, 1, b, 0, 4)));
  return 0;
}
