// c = a + b; the last CTA is only partly filled.

// One element a thread: 32-bit accesses, one 128-byte line a warp.
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// Four elements a thread: 128-bit accesses, four lines a warp. n counts elements, a multiple of 4.
extern "C" __global__ void vector_add4(const float4* a, const float4* b, float4* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 x = a[i], y = b[i];
  x.x += y.x;
  x.y += y.y;
  x.z += y.z;
  x.w += y.w;
  c[i] = x;
}
