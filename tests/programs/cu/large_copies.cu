// Copies of many bytes, there, across and back.
#include <cstring>
#include <vector>
#include "check.h"
int main(int argc, char** argv) {
  const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000'001;
  std::vector<unsigned char> host(bytes), back(bytes);
  for (std::size_t i = 0; i < bytes; ++i) host[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
  unsigned char *a, *b;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemset(a, 0, bytes));
  CHECK(cudaMemcpy(back.data(), b, bytes, cudaMemcpyDeviceToHost));
  std::printf("%s\n", std::memcmp(host.data(), back.data(), bytes) == 0 ? "equal" : "different");
  return host != back;
}
