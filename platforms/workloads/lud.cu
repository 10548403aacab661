// LU decomposition in place, without pivoting, by 16 x 16 blocks: for each block of the diagonal the block
// itself, then those to its right and below it, then all others of its quadrant. Each element gets its
// products subtracted one at a time in the order of the plain algorithm. n is a multiple of 16.
enum { kLudTile = 16 };

// 16 threads: the diagonal block at (at, at).
extern "C" __global__ void lud_diagonal(float* a, int n, int at) {
  __shared__ float tile[kLudTile][kLudTile];
  int t = threadIdx.x;
  for (int i = 0; i < kLudTile; i++) tile[i][t] = a[(at + i) * n + at + t];
  __syncthreads();
  for (int k = 0; k < kLudTile - 1; k++) {
    if (t > k) {
      tile[t][k] = tile[t][k] / tile[k][k];
      for (int j = k + 1; j < kLudTile; j++) tile[t][j] = __fmaf_rn(-tile[t][k], tile[k][j], tile[t][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < kLudTile; i++) a[(at + i) * n + at + t] = tile[i][t];
}

// 32 threads: CTA b does the b-th block to the right with its first 16 threads and the b-th block below with
// the others, so that one warp goes both ways.
extern "C" __global__ void lud_perimeter(float* a, int n, int at) {
  __shared__ float diagonal[kLudTile][kLudTile];
  __shared__ float right[kLudTile][kLudTile];
  __shared__ float below[kLudTile][kLudTile + 1];
  int block = at + (blockIdx.x + 1) * kLudTile;
  int t = threadIdx.x % kLudTile;
  if (threadIdx.x < kLudTile) {
    for (int i = 0; i < kLudTile; i++) {
      diagonal[i][t] = a[(at + i) * n + at + t];
      right[i][t] = a[(at + i) * n + block + t];
    }
  } else {
    for (int i = 0; i < kLudTile; i++) below[i][t] = a[(block + i) * n + at + t];
  }
  __syncthreads();
  if (threadIdx.x < kLudTile) {  // column t of the upper factor
    for (int i = 1; i < kLudTile; i++)
      for (int k = 0; k < i; k++) right[i][t] = __fmaf_rn(-diagonal[i][k], right[k][t], right[i][t]);
  } else {  // row t of the lower factor
    for (int j = 0; j < kLudTile; j++) {
      for (int k = 0; k < j; k++) below[t][j] = __fmaf_rn(-below[t][k], diagonal[k][j], below[t][j]);
      below[t][j] = below[t][j] / diagonal[j][j];
    }
  }
  __syncthreads();
  if (threadIdx.x < kLudTile) {
    for (int i = 0; i < kLudTile; i++) a[(at + i) * n + block + t] = right[i][t];
  } else {
    for (int i = 0; i < kLudTile; i++) a[(block + i) * n + at + t] = below[i][t];
  }
}

// 16 x 16 threads: one block of the rest of the quadrant a CTA.
extern "C" __global__ void lud_internal(float* a, int n, int at) {
  __shared__ float lower[kLudTile][kLudTile];
  __shared__ float upper[kLudTile][kLudTile];
  int x = threadIdx.x, y = threadIdx.y;
  int row = at + (blockIdx.y + 1) * kLudTile + y, col = at + (blockIdx.x + 1) * kLudTile + x;
  lower[y][x] = a[row * n + at + x];
  upper[y][x] = a[(at + y) * n + col];
  __syncthreads();
  float value = a[row * n + col];
  for (int k = 0; k < kLudTile; k++) value = __fmaf_rn(-lower[y][k], upper[k][x], value);
  a[row * n + col] = value;
}
