// Addresses of the host's memory that kernels find in memory: in arrays, in structures, in lists, in variables.
#include <cstdint>
#include <vector>
#include "check.h"
struct Piece {
  int count;
  int* in;
  int* out;
};
struct Item {
  int value;
  Item* next;
};
__managed__ Item first, second;
__managed__ Item* head;
__constant__ Piece constant;
__device__ int* kept;
__global__ void sums(int** rows, int n, int* result) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += rows[threadIdx.x][i];
  result[threadIdx.x] = sum;
}
__global__ void doubled(const Piece* piece) {
  for (int i = threadIdx.x; i < piece->count; i += blockDim.x) piece->out[i] = 2 * piece->in[i];
}
__global__ void of_constant() {
  if (threadIdx.x < constant.count) constant.out[threadIdx.x] = constant.in[threadIdx.x] + 100;
}
__global__ void walk(Item* item, int* sum) {
  for (*sum = 0; item != nullptr; item = item->next) *sum += item->value++;
}
__global__ void walk_head(int* sum) {
  for (Item* item = head; item != nullptr; item = item->next) *sum += item->value++;
}
__global__ void from_one(int* before, int n) { before[threadIdx.x + 1] = n; }
__global__ void keep(int* what) { kept = what; }
__global__ void use_kept() { kept[threadIdx.x] += 1000; }
int main() {
  constexpr int kRows = 8, kColumns = 1000;
  int *rows[kRows], **device_rows, *result, *unused;
  CHECK(cudaMallocHost(&unused, 64 << 20));
  for (int i = 0; i < kRows; ++i) {
    if (i % 2 == 0)
      CHECK(cudaMallocHost(&rows[i], kColumns * sizeof(int)));
    else
      CHECK(cudaHostAlloc(&rows[i], kColumns * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    for (int k = 0; k < kColumns; ++k) rows[i][k] = i + k % 3;
  }
  CHECK(cudaMalloc(&device_rows, sizeof rows));
  CHECK(cudaMallocManaged(&result, kRows * sizeof(int)));
  CHECK(cudaMemcpy(device_rows, rows, sizeof rows, cudaMemcpyHostToDevice));
  sums<<<1, kRows>>>(device_rows, kColumns, result);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", result[0], result[7]);
  for (int k = 0; k < kColumns; ++k) rows[7][k] = 1;  // after the device has seen it
  sums<<<1, kRows>>>(device_rows, kColumns, result);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", result[6], result[7]);

  Piece piece{kColumns, rows[2], rows[3]}, *device_piece;
  CHECK(cudaMalloc(&device_piece, sizeof piece));
  CHECK(cudaMemcpyAsync(device_piece, &piece, sizeof piece, cudaMemcpyDefault));
  doubled<<<1, 64>>>(device_piece);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", rows[3][0], rows[3][kColumns - 1]);
  int *late, *later;
  CHECK(cudaMallocHost(&late, 32 * sizeof(int)));
  CHECK(cudaMallocHost(&later, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) late[i] = i;
  piece = {32, late, later};
  CHECK(cudaMemcpyToSymbol(constant, &piece, sizeof piece));
  of_constant<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", later[0], later[31]);

  Item* items[5];  // each in pinned memory of its own, found through the one before
  for (int i = 4; i >= 0; --i) {
    CHECK(cudaMallocHost(&items[i], sizeof(Item)));
    *items[i] = {1 << i, i < 4 ? items[i + 1] : nullptr};
  }
  walk<<<1, 1>>>(items[0], result);
  walk<<<1, 1>>>(items[0], result);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d, %d %d\n", *result, items[0]->value, items[4]->value);
  first = {10, &second};
  second = {20, nullptr};
  head = &first;
  *result = 0;
  walk_head<<<1, 1>>>(result);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d, %d %d\n", *result, first.value, second.value);

  int* shifted;  // an array that begins at 1
  CHECK(cudaMallocHost(&shifted, 64 * sizeof(int)));
  from_one<<<1, 64>>>(shifted - 1, 42);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", shifted[0], shifted[63]);
  int* remembered;
  CHECK(cudaMallocHost(&remembered, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) remembered[i] = i;
  keep<<<1, 1>>>(remembered);
  use_kept<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", remembered[0], remembered[31]);

  void* seen = nullptr;
  cudaPointerAttributes attributes;
  CHECK(cudaHostGetDevicePointer(&seen, rows[1], 0));
  CHECK(cudaPointerGetAttributes(&attributes, rows[1]));
  std::printf("%d %d %d\n", seen == rows[1], attributes.devicePointer == rows[1], attributes.hostPointer == rows[1]);
  // Registered memory has another address on the device, which an argument and a query give.
  std::vector<int> plain(64, 3);
  CHECK(cudaHostRegister(plain.data(), 64 * sizeof(int), cudaHostRegisterDefault));
  from_one<<<1, 63>>>(plain.data(), 4);
  CHECK(cudaHostGetDevicePointer(&seen, plain.data(), 0));
  piece = {64, static_cast<int*>(seen), rows[0]};
  CHECK(cudaMemcpy(device_piece, &piece, sizeof piece, cudaMemcpyHostToDevice));
  doubled<<<1, 64>>>(device_piece);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d, %d %d\n", plain[0], plain[1], rows[0][0], rows[0][63]);
  CHECK(cudaHostUnregister(plain.data()));
  for (int* each : rows) CHECK(cudaFreeHost(each));
  for (int i = 0; i < 200; ++i) {  // the place of memory that is free
    CHECK(cudaMallocHost(&late, sizeof(int)));
    *late = i;
    keep<<<1, 1>>>(late);
    if (i % 3 != 0) CHECK(cudaFreeHost(late));
  }
  CHECK(cudaDeviceReset());
  // Some of it is still the program's; what comes now has places beside it.
  CHECK(cudaMallocManaged(&result, sizeof(int)));
  CHECK(cudaMallocHost(&later, sizeof(int)));
  *result = 1;
  *later = 2;
  from_one<<<1, 1>>>(result - 1, 5);
  from_one<<<1, 1>>>(later - 1, 6);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d\n", *result, *later);
  return 0;
}
