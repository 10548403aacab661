// Temperature of a chip: explicit steps of heat conduction on a grid, one launch a step, a tile with its rim
// in shared memory. Cells on the border have themselves as outer neighbours.
enum { kHotspotTile = 16 };

struct HotspotModel {
  float step_over_capacity, per_x, per_y, per_z, ambient;
};

__constant__ HotspotModel hotspot_model;

extern "C" __global__ void hotspot_step(const float* power, const float* from, float* to, int width,
                                        int height) {
  __shared__ float tile[kHotspotTile + 2][kHotspotTile + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * kHotspotTile + threadIdx.x, y = blockIdx.y * kHotspotTile + threadIdx.y;
  int cx = min(x, width - 1), cy = min(y, height - 1);
  tile[ty][tx] = from[cy * width + cx];
  if (tx == 1) tile[ty][0] = from[cy * width + max(x - 1, 0)];
  if (tx == kHotspotTile) tile[ty][tx + 1] = from[cy * width + min(x + 1, width - 1)];
  if (ty == 1) tile[0][tx] = from[max(y - 1, 0) * width + cx];
  if (ty == kHotspotTile) tile[ty + 1][tx] = from[min(y + 1, height - 1) * width + cx];
  __syncthreads();
  if (x >= width || y >= height) return;
  // Threads beyond the border hold copies of the border cells.
  float here = tile[ty][tx];
  float vertical = __fmaf_rn(-2.0f, here, tile[ty - 1][tx] + tile[ty + 1][tx]);
  float horizontal = __fmaf_rn(-2.0f, here, tile[ty][tx - 1] + tile[ty][tx + 1]);
  float flow = power[y * width + x];
  flow = __fmaf_rn(vertical, hotspot_model.per_y, flow);
  flow = __fmaf_rn(horizontal, hotspot_model.per_x, flow);
  flow = __fmaf_rn(hotspot_model.ambient - here, hotspot_model.per_z, flow);
  to[y * width + x] = __fmaf_rn(hotspot_model.step_over_capacity, flow, here);
}
