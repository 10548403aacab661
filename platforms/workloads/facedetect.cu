// A cascade of classifiers over windows of an image (Viola and Jones 2001): a thread a window, which goes on to the next
// stage if its features vote for it. Most windows are turned down early, so warps hold few lanes in late stages. Windows
// are `step` pixels apart.
enum { kBoxWords = 4 };  // of a box: x, y, width, height

static __device__ __forceinline__ int box_sum(const int* sums, int stride, const int* box, int x, int y) {
  const int* corner = sums + (y + box[1]) * stride + x + box[0];
  int below = box[3] * stride;
  return corner[below + box[2]] - corner[below] - corner[box[2]] + corner[0];
}

// sums: integral image; boxes: two of each feature; cuts, votes: of each feature, what its contrast must exceed and what it
// then gives; stages: first feature of each, and one more; least: votes that a stage asks for; depth: stages passed.
extern "C" __global__ void cascade_detect(const int* sums, int stride, int windows_x, int windows_y, const int* boxes,
                                          const int* cuts, const int* votes, const int* stages, const int* least,
                                          int stage_count, int step, int* depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= windows_x || y >= windows_y) return;
  int left = x * step, top = y * step;
  int stage = 0;
  while (stage < stage_count) {
    int score = 0;
    for (int f = stages[stage]; f < stages[stage + 1]; f++) {
      const int* box = boxes + f * (2 * kBoxWords);
      int contrast =
          box_sum(sums, stride, box, left, top) - box_sum(sums, stride, box + kBoxWords, left, top);
      if (contrast > cuts[f])
        score += votes[f];
      else
        score -= contrast >> 8;
    }
    if (score < least[stage]) break;
    stage++;
  }
  depth[y * windows_x + x] = stage;
}
