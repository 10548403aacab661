// Rows and boxes: pitched memory, copies and fills of two and three dimensions.
#include <vector>
#include "check.h"
__global__ void mark(char* base, std::size_t pitch, std::size_t slice, int w, int h, int d) {
  for (int z = 0; z < d; ++z)
    for (int y = 0; y < h; ++y)
      for (int x = threadIdx.x; x < w; x += blockDim.x) base[z * slice + y * pitch + x] += 100 * z + 10 * y + x;
}
int main() {
  const int w = 7, h = 5, d = 3;
  std::vector<char> host(w * h * d), back(w * h * d, 0);
  char* rows;
  std::size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, w, h));
  CHECK(cudaMemset2D(rows, pitch, 1, w, h));
  mark<<<1, 32>>>(rows, pitch, 0, w, h, 1);
  CHECK(cudaMemcpy2D(back.data(), w, rows, pitch, w, h, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", back[0], back[w], back[w * h - 1]);
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, make_cudaExtent(w, h, d)));
  CHECK(cudaMemset3D(box, 2, make_cudaExtent(w, h, d)));
  mark<<<1, 32>>>(static_cast<char*>(box.ptr), box.pitch, box.pitch * h, w, h, d);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = box;
  copy.srcPos = make_cudaPos(1, 1, 1);
  copy.dstPtr = make_cudaPitchedPtr(host.data(), w, w, h);
  copy.extent = make_cudaExtent(w - 1, h - 1, d - 1);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  std::printf("%d %d %d\n", host[0], host[w * h], host[w * (h - 2) + w - 2]);
  CHECK(cudaMemcpy2D(rows, pitch, host.data(), w, w, h, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2D(static_cast<char*>(box.ptr), box.pitch, rows, pitch, w, h, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(back.data(), static_cast<char*>(box.ptr) + box.pitch, w, cudaMemcpyDefault));
  std::printf("%d %s\n", back[0] == host[w],
              cudaGetErrorName(cudaMemcpy2D(back.data(), 3, rows, pitch, w, h, cudaMemcpyDeviceToHost)));
  std::printf("%s\n", cudaGetErrorName(cudaMemcpy(back.data(), rows, w, cudaMemcpyHostToDevice)));
  return 0;
}
