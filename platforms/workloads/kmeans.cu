// k-means: every point goes to the nearest centre, then every centre to the middle of its points. Coordinates
// are multiples of 2^-8, so that sums of points are exact as integers, in any order.
enum { kKmeansSums = 256 };  // centres times coordinates, at most

// Points that changed their centre in this launch.
__device__ int kmeans_moved;

// coordinate[c * n + i]: coordinate c of point i. sum, count: over the points of each centre.
extern "C" __global__ void kmeans_assign(const float* coordinate, int n, int coordinates, const float* centre,
                                         int centres, int* member, int* sum, int* count) {
  __shared__ int local_sum[kKmeansSums];
  __shared__ int local_count[kKmeansSums];
  for (int i = threadIdx.x; i < centres * coordinates; i += blockDim.x) local_sum[i] = local_count[i] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int nearest = 0;
    float least = 0.0f;
    for (int k = 0; k < centres; k++) {
      float distance = 0.0f;
      for (int c = 0; c < coordinates; c++) {
        float d = coordinate[c * n + i] - centre[k * coordinates + c];
        distance = __fmaf_rn(d, d, distance);
      }
      if (k == 0 || distance < least) {
        least = distance;
        nearest = k;
      }
    }
    if (member[i] != nearest) {
      member[i] = nearest;
      atomicAdd(&kmeans_moved, 1);
    }
    for (int c = 0; c < coordinates; c++)
      atomicAdd(&local_sum[nearest * coordinates + c], (int)__fmul_rn(coordinate[c * n + i], 256.0f));
    atomicAdd(&local_count[nearest], 1);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < centres * coordinates; k += blockDim.x) {
    if (local_sum[k] != 0) atomicAdd(&sum[k], local_sum[k]);
    if (k < centres && local_count[k] != 0) atomicAdd(&count[k], local_count[k]);
  }
}

// One CTA. A centre without points stays where it is.
extern "C" __global__ void kmeans_update(float* centre, int centres, int coordinates, int* sum, int* count) {
  for (int k = threadIdx.x; k < centres; k += blockDim.x) {
    int points = count[k];
    for (int c = k * coordinates; c < (k + 1) * coordinates; c++) {
      if (points > 0) centre[c] = __fmul_rn((float)sum[c] / (float)points, 0.00390625f);
      sum[c] = 0;
    }
    count[k] = 0;
  }
}
