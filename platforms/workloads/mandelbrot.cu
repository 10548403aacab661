// Iterations that a point of the plane needs to leave the circle of radius 2, `limit` if it never does.
extern "C" __global__ void mandelbrot(int* iterations, int width, int height, float left, float top,
                                      float step, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = __fmaf_rn((float)px, step, left), cy = __fmaf_rn((float)py, step, top);
  float x = 0.0f, y = 0.0f;
  int i = 0;
  while (i < limit) {
    float yy = __fmul_rn(y, y);
    if (__fmaf_rn(x, x, yy) > 4.0f) break;
    float next = __fmaf_rn(x, x, -yy) + cx;
    y = __fmaf_rn(x + x, y, cy);
    x = next;
    i++;
  }
  iterations[py * width + px] = i;
}
