// C = alpha * A * B + beta * C, row major, A m x k, B k x n: one 16 x 16 CTA per tile of C, tiles of A and B
// in shared memory. Rounding is spelled out (__fmaf_rn), so that every compiler's code gives the same bits.
enum { kTile = 16 };

// {alpha, beta}; written by the host.
__constant__ float sgemm_scale[2];

extern "C" __global__ void sgemm_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0.0f;
  for (int base = 0; base < k; base += kTile) {
    tile_a[y][x] = row < m && base + x < k ? a[row * k + base + x] : 0.0f;
    tile_b[y][x] = base + y < k && col < n ? b[(base + y) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum = __fmaf_rn(tile_a[y][i], tile_b[i][x], sum);
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = __fmaf_rn(sgemm_scale[1], c[row * n + col], sgemm_scale[0] * sum);
}
