// Gaussian elimination of a x = b, two launches a column: the factors of the rows below, then those rows.
extern "C" __global__ void gauss_factors(const float* a, float* factor, int n, int column) {
  int row = column + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) factor[row] = a[row * n + column] / a[column * n + column];
}

extern "C" __global__ void gauss_rows(float* a, float* b, const float* factor, int n, int column) {
  int col = column + blockIdx.x * blockDim.x + threadIdx.x;
  int row = column + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  a[row * n + col] = __fmaf_rn(-factor[row], a[column * n + col], a[row * n + col]);
  if (col == column) b[row] = __fmaf_rn(-factor[row], b[column], b[row]);
}
