// Kernels and copies of several streams. With an argument it also says which of them took place at the same time.
#include "check.h"
__global__ void work(unsigned* cell, unsigned add, int rounds) {
  unsigned value = *cell;
  for (int i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  if (threadIdx.x == 0) *cell = value % 1000u * 3u + add;
}
namespace {
constexpr int kStreams = 4, kRounds = 3000, kWords = 1 << 16;
unsigned* cells;
cudaStream_t streams[kStreams], blocking[2];
cudaEvent_t start, stop, done[kStreams];

template <class Work>
float milliseconds(Work work) {
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventRecord(start, streams[0]));
  for (auto stream : streams) CHECK(cudaStreamWaitEvent(stream, start, 0));
  work();
  for (auto stream : streams) {
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaStreamWaitEvent(streams[0], stop, 0));
  }
  CHECK(cudaEventRecord(stop, streams[0]));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  return ms;
}
void run(int cell, unsigned add, cudaStream_t stream) { work<<<1, 32, 0, stream>>>(cells + cell, add, kRounds); }
}  // namespace
int main(int argc, char**) {
  CHECK(cudaMalloc(&cells, 16 * sizeof(unsigned)));
  CHECK(cudaMemset(cells, 0, 16 * sizeof(unsigned)));
  for (auto& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (auto& stream : blocking) CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  for (auto& event : done) CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  unsigned *host, *device;
  CHECK(cudaMallocHost(&host, kStreams * kWords * sizeof(unsigned)));
  CHECK(cudaMalloc(&device, kStreams * kWords * sizeof(unsigned)));
  const auto say = [&](const char* what, float ms, float one) {
    if (argc > 1) std::printf("%s: %s\n", what, ms < 0.8f * one ? "together" : "one after another");
  };
  const float one = milliseconds([] { run(0, 1, streams[0]); });
  say("four streams", milliseconds([] {
        for (int i = 0; i < kStreams; ++i) run(i, 1, streams[i]);
      }), kStreams * one);
  say("one stream", milliseconds([] {
        for (int i = 0; i < kStreams; ++i) run(4, i, streams[1]);
      }), kStreams * one);
  say("events between", milliseconds([] {
        for (int i = 0; i < kStreams; ++i) {
          if (i != 0) CHECK(cudaStreamWaitEvent(streams[i], done[i - 1], 0));
          run(5, i, streams[i]);
          CHECK(cudaEventRecord(done[i], streams[i]));
        }
      }), kStreams * one);
  // The default stream waits for those that block, and they for it.
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventRecord(start, blocking[0]));
  run(6, 1, blocking[0]);
  run(6, 2, nullptr);
  run(6, 3, blocking[1]);
  CHECK(cudaEventRecord(stop, blocking[1]));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  say("default stream between", ms, 3 * one);
  // Large and small: the second fills the cores that the first leaves.
  const float large = milliseconds([] { work<<<50, 256, 0, streams[0]>>>(cells + 8, 0, 300); });
  say("a grid behind a large one", milliseconds([] {
        work<<<50, 256, 0, streams[0]>>>(cells + 8, 0, 300);
        run(9, 1, streams[1]);
      }), (one + large) * 1.1f);
  for (int i = 0; i < kStreams * kWords; ++i) host[i] = i;
  const auto bytes = kWords * sizeof(unsigned);
  const float copy = milliseconds([&] { CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, streams[0])); });
  say("a copy beside a kernel", milliseconds([&] {
        run(10, 1, streams[0]);
        CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, streams[1]));
      }), one + copy);
  say("copies to the device", milliseconds([&] {
        for (int i = 0; i < 2; ++i) CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, streams[i]));
      }), 2 * copy);
  say("copies both ways", milliseconds([&] {
        CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, streams[0]));
        CHECK(cudaMemcpyAsync(host + kWords, device + kWords, bytes, cudaMemcpyDeviceToHost, streams[1]));
      }), 2 * copy);
  for (int i = 0; i < kStreams * kWords; ++i) host[i] = i;
  say("chunks", milliseconds([&] {
        for (int i = 0; i < kStreams; ++i) {
          unsigned* const to = device + i * kWords;
          CHECK(cudaMemcpyAsync(to, host + i * kWords, bytes, cudaMemcpyHostToDevice, streams[i]));
          work<<<1, 32, 0, streams[i]>>>(to, i, kRounds);
          CHECK(cudaMemcpyAsync(host + i * kWords, to, bytes, cudaMemcpyDeviceToHost, streams[i]));
        }
      }), kStreams * (one + 2 * copy));
  run(11, 1, cudaStreamPerThread);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  unsigned results[16];
  CHECK(cudaMemcpy(results, cells, sizeof results, cudaMemcpyDeviceToHost));
  results[8] = 0;  // of many blocks
  for (unsigned each : results) std::printf("%u ", each);
  for (int i = 0; i < kStreams; ++i) std::printf("%u %u ", host[i * kWords], host[i * kWords + 1]);
  std::printf("\n%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
