// cp.async.bulk of bytes, both ways, and what a cluster of one CTA has: the CTA's own memory, and a barrier
__device__ unsigned shared_address(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

// Two phases of one mbarrier: the second copy's size is known at run time.
__global__ void in_and_out(const int* in, int* out, unsigned bytes) {
  __shared__ alignas(16) int data[512];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned at = shared_address(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  for (unsigned phase = 0; phase < 2; ++phase) {
    if (threadIdx.x == 0) {
      const unsigned size = phase == 0 ? 1024 : bytes;
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(size) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       shared_address(data + phase * 256)),
                   "l"(__cvta_generic_to_global(in + phase * 256)), "r"(size), "r"(at)
                   : "memory");
    }
    unsigned done = 0;
    while (done == 0)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(at), "r"(phase)
          : "memory");
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) data[phase * 256 + i] *= 3;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 33) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(out)),
                 "r"(shared_address(data)), "r"(1024 + bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

__global__ void cluster(int* out) {
  __shared__ int cells[64];
  cells[threadIdx.x] = threadIdx.x * 5;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  unsigned there, rank, value;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(shared_address(cells + (threadIdx.x ^ 63))));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(there));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
  out[threadIdx.x] = value + rank;
}
