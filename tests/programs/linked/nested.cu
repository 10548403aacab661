// Dynamic parallelism: what kernels launch, copy and fill, in which order, and what they are told.
#include <cstdio>

__device__ int log_of[64];
__device__ int logged;
__device__ void say(int what) { log_of[atomicAdd(&logged, 1)] = what; }

struct Pair {
  char tag;
  double value;
};

__global__ void leaf(int what, Pair pair) {
  extern __shared__ int words[];
  words[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0) say(what + int(pair.value) + (pair.tag == 'x' ? 0 : 1000) + int(blockDim.x * blockDim.y * gridDim.x));
}

__global__ void level(int depth) {
  if (threadIdx.x != 0) return;
  say(depth);
  if (depth == 3) return;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  leaf<<<1, 1, 64, cudaStreamTailLaunch>>>(900 + depth, Pair{'x', 0.5});
  level<<<1, 32, 0, stream>>>(depth + 1);
  leaf<<<2, dim3(8, 4), 128, cudaStreamFireAndForget>>>(100 * depth, Pair{'x', 2.5});
  cudaStreamDestroy(stream);
}

/// The second kernel of a stream sees what the copy has left.
__global__ void follow(const int* from, int* to) { to[1] = from[0] + 1; }
__global__ void in_order(int* data) {
  cudaMemsetAsync(data, 1, sizeof(int), 0);
  cudaMemcpyAsync(data + 2, data, sizeof(int), cudaMemcpyDeviceToDevice, 0);
  follow<<<1, 1>>>(data + 2, data + 2);
  data[4] = data[3];  // nothing yet
}

__global__ void each_thread(int* sums, int rows) {
  if (threadIdx.x < rows) {
    int device = 7, threads = 0, nothing = 0;
    if (cudaGetDevice(&device) == cudaSuccess && device == 0) atomicAdd(sums, 1);
    cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0);
    if (threads == 1024) atomicAdd(sums + 1, 1);
    if (cudaDeviceGetAttribute(&nothing, cudaDeviceAttr(127), 0) == cudaErrorInvalidValue) atomicAdd(sums + 2, 1);
    void* memory = nullptr;
    if (cudaMalloc(&memory, 16) == cudaSuccess) cudaFree(memory);
    follow<<<1, 1>>>(sums + 8 + threadIdx.x, sums + 64 + 2 * threadIdx.x);
  }
}

/// A shape that no device takes is an error of the thread that launches; a fill reaches memory that the host has as well.
__global__ void wrong_shapes(int* shared) {
  int wrong = 0;
  follow<<<0, 1>>>(shared, shared);
  shared[0] = cudaGetLastError();
  follow<<<1, dim3(64, 32)>>>(shared, shared);
  shared[1] = cudaGetLastError();
  const dim3 threads[] = {dim3(1, 1, 128), dim3(65536, 65536), dim3(1, 2048), dim3(2048, 0)},
             blocks[] = {dim3(1, 65536), dim3(1, 1, 65536), dim3(0x80000000u)};
  for (const dim3& each : threads) {
    follow<<<1, each>>>(shared, shared);
    wrong += cudaGetLastError() == cudaErrorInvalidConfiguration;
  }
  for (const dim3& each : blocks) {
    follow<<<each, 1>>>(shared, shared);
    wrong += cudaGetLastError() == cudaErrorInvalidConfiguration;
  }
  shared[2] = 10 * wrong + cudaGetLastError();
  cudaMemsetAsync(shared + 3, 1, sizeof(int), 0);
}

__global__ void endless(int* depths) {
  atomicMax(depths, ++depths[1]);
  endless<<<1, 1>>>(depths);
}

__global__ void too_many(int* failed) {
  follow<<<1, 1>>>(failed, failed + 2);
  if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded) atomicAdd(failed, 1);
}

int main() {
  level<<<1, 32>>>(0);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int log[64], count = 0;
  cudaMemcpyFromSymbol(&count, logged, sizeof count);
  cudaMemcpyFromSymbol(log, log_of, sizeof log);
  for (int i = 0; i < count; ++i) std::printf("%d ", log[i]);
  int* data;
  cudaMalloc(&data, 1024);
  cudaMemset(data, 0, 1024);
  in_order<<<1, 1>>>(data);
  int values[64];
  cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost);
  std::printf("\n%x %x %x %x\n", values[0], values[2], values[3], values[4]);
  cudaMemset(data, 0, 1024);
  each_thread<<<1, 32>>>(data, 20);
  int sums[128];
  cudaMemcpy(sums, data, sizeof sums, cudaMemcpyDeviceToHost);
  int followed = 0;
  for (int i = 0; i < 32; ++i) followed += sums[64 + 2 * i + 1];
  std::printf("%d %d %d %d\n", sums[0], sums[1], sums[2], followed);
  int* shared;
  cudaMallocManaged(&shared, 16);
  wrong_shapes<<<1, 1>>>(shared);
  const cudaError_t shapes = cudaDeviceSynchronize();
  std::printf("%d: %d %d %d %x\n", shapes, shared[0], shared[1], shared[2], shared[3]);
  cudaMemset(data, 0, 1024);
  endless<<<1, 1>>>(data);
  const cudaError_t deep = cudaGetLastError();
  cudaMemcpy(values, data, 4, cudaMemcpyDeviceToHost);
  std::printf("%d deep, %s\n", values[0], deep == cudaSuccess ? "all of them" : "refused");
  cudaMemset(data, 0, 1024);
  too_many<<<64, 1024>>>(data);
  const cudaError_t many = cudaGetLastError();
  cudaMemcpy(values, data, 4, cudaMemcpyDeviceToHost);
  std::printf("%d without room, %s\n", values[0], many == cudaSuccess ? "accepted" : "refused");
  return 0;
}
