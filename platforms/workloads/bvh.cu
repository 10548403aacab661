// Rendering of a triangle mesh by a tree of boxes: a ray a pixel goes down the tree with a stack of its own,
// the nearer box first. Which nodes a ray visits, and how many, differs from lane to lane.
enum { kBvhDepth = 24, kBvhWarps = 8 };  // of the stack; of a persistent CTA, at most

struct BvhNode {
  float low[3], high[3];  // box
  int first;              // of its triangles; if count is 0, of its two children
  int count;              // triangles of a leaf
};

struct BvhTriangle {
  float corner[3], edge1[3], edge2[3];
};

static __device__ __forceinline__ float bvh_dot(const float* a, const float* b) {
  return __fmaf_rn(a[0], b[0], __fmaf_rn(a[1], b[1], __fmul_rn(a[2], b[2])));
}

static __device__ __forceinline__ void bvh_cross(const float* a, const float* b, float* c) {
  c[0] = __fmaf_rn(a[1], b[2], -__fmul_rn(a[2], b[1]));
  c[1] = __fmaf_rn(a[2], b[0], -__fmul_rn(a[0], b[2]));
  c[2] = __fmaf_rn(a[0], b[1], -__fmul_rn(a[1], b[0]));
}

// Distance along the ray at which it meets the triangle, negative if it does not.
static __device__ __forceinline__ float bvh_meets(const BvhTriangle& triangle, const float* origin,
                                                  const float* direction) {
  float across[3], to[3], other[3];
  bvh_cross(direction, triangle.edge2, across);
  float determinant = bvh_dot(triangle.edge1, across);
  if (determinant > -1.0e-6f && determinant < 1.0e-6f) return -1.0f;
  for (int axis = 0; axis < 3; axis++) to[axis] = origin[axis] - triangle.corner[axis];
  float u = bvh_dot(to, across) / determinant;
  if (u < 0.0f || u > 1.0f) return -1.0f;
  bvh_cross(to, triangle.edge1, other);
  float v = bvh_dot(direction, other) / determinant;
  if (v < 0.0f || u + v > 1.0f) return -1.0f;
  return bvh_dot(triangle.edge2, other) / determinant;
}

// Distance at which the ray enters the box, `far` if it meets it no nearer than that.
static __device__ __forceinline__ float bvh_enters(const BvhNode& node, const float* origin,
                                                   const float* inverse, float far) {
  float enter = 0.0f, leave = far;
  for (int axis = 0; axis < 3; axis++) {
    float a = __fmul_rn(node.low[axis] - origin[axis], inverse[axis]);
    float b = __fmul_rn(node.high[axis] - origin[axis], inverse[axis]);
    enter = fmaxf(enter, fminf(a, b));
    leave = fminf(leave, fmaxf(a, b));
  }
  return enter <= leave ? enter : far;
}

// hit, depth: of each pixel, the nearest triangle (-1: none) and its distance. Of equal ones the first.
extern "C" __global__ void bvh_render(const BvhNode* nodes, const BvhTriangle* triangles, int width,
                                      int height, int* hit, float* depth) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float scale = 2.0f / (float)width;
  float origin[3] = {0.0f, 0.0f, -3.0f};
  float direction[3] = {__fmaf_rn((float)px + 0.5f, scale, -1.0f),
                        __fmaf_rn((float)(height / 2 - py) + 0.5f, scale, 0.0f), 2.0f};
  float inverse[3] = {1.0f / direction[0], 1.0f / direction[1], 1.0f / direction[2]};
  const float kFar = 1.0e30f;
  float nearest = kFar;
  int best = -1;
  int stack[kBvhDepth];
  int top = 0;
  int node = bvh_enters(nodes[0], origin, inverse, kFar) < kFar ? 0 : -1;
  while (node >= 0) {
    int first = nodes[node].first, count = nodes[node].count;
    int next = -1;
    if (count > 0) {
      for (int i = first; i < first + count; i++) {
        float t = bvh_meets(triangles[i], origin, direction);
        if (t > 0.0f && (t < nearest || (t == nearest && i < best))) {
          nearest = t;
          best = i;
        }
      }
    } else {
      float left = bvh_enters(nodes[first], origin, inverse, nearest);
      float right = bvh_enters(nodes[first + 1], origin, inverse, nearest);
      if (left < nearest && right < nearest) {
        next = left <= right ? first : first + 1;
        stack[top++] = left <= right ? first + 1 : first;
      } else if (left < nearest) {
        next = first;
      } else if (right < nearest) {
        next = first + 1;
      }
    }
    node = next >= 0 ? next : top > 0 ? stack[--top] : -1;
  }
  hit[py * width + px] = best;
  depth[py * width + px] = nearest;
}

// The child to go to: the nearer of those that the ray enters, the other one goes onto the stack. -1: neither.
static __device__ __forceinline__ int bvh_down(const BvhNode* nodes, int first, const float* origin,
                                               const float* inverse, float nearest, int* stack, int& top) {
  int next = -1;
  float left = bvh_enters(nodes[first], origin, inverse, nearest);
  float right = bvh_enters(nodes[first + 1], origin, inverse, nearest);
  if (left < nearest && right < nearest) {
    next = left <= right ? first : first + 1;
    stack[top++] = left <= right ? first + 1 : first;
  } else if (left < nearest) {
    next = first;
  } else if (right < nearest) {
    next = first + 1;
  }
  return next;
}

// The same by persistent threads (Aila and Laine 2009): the warps of the grid, rows of a CTA, take 32 rays at a time until
// none are left. `taken`: rays that have been, 0 at first. Inner nodes and leaves have a loop each, which a lane leaves
// when it comes to a node of the other kind. `any`: only whether a ray meets a triangle is asked, hit is 0 or 1, and the
// first one ends it: a break out of the middle of a loop.
extern "C" __global__ void bvh_persistent(const BvhNode* nodes, const BvhTriangle* triangles, int width,
                                          int height, int* hit, float* depth, int* taken, int any) {
  __shared__ int batch[kBvhWarps];
  const float kFar = 1.0e30f;
  int rays = width * height;
  while (true) {
    if (threadIdx.x == 0) batch[threadIdx.y] = atomicAdd(taken, 32);
    __syncwarp();
    int begin = batch[threadIdx.y];
    __syncwarp();
    if (begin >= rays) break;
    int ray = begin + threadIdx.x;
    if (ray < rays) {
      float scale = 2.0f / (float)width;
      float origin[3] = {0.0f, 0.0f, -3.0f};
      float direction[3] = {__fmaf_rn((float)(ray % width) + 0.5f, scale, -1.0f),
                            __fmaf_rn((float)(height / 2 - ray / width) + 0.5f, scale, 0.0f), 2.0f};
      float inverse[3] = {1.0f / direction[0], 1.0f / direction[1], 1.0f / direction[2]};
      float nearest = kFar;
      int best = -1;
      int stack[kBvhDepth];
      int top = 0;
      int node = bvh_enters(nodes[0], origin, inverse, kFar) < kFar ? 0 : -1;
      while (node >= 0) {
        while (node >= 0 && nodes[node].count == 0) {
          node = bvh_down(nodes, nodes[node].first, origin, inverse, nearest, stack, top);
          if (node < 0 && top > 0) node = stack[--top];
        }
        while (node >= 0 && nodes[node].count > 0) {
          int first = nodes[node].first, count = nodes[node].count;
          for (int i = first; i < first + count; i++) {
            float t = bvh_meets(triangles[i], origin, direction);
            if (t > 0.0f && (t < nearest || (t == nearest && i < best))) {
              nearest = t;
              best = i;
              if (any) {
                top = 0;
                break;
              }
            }
          }
          node = top > 0 ? stack[--top] : -1;
        }
      }
      hit[ray] = any ? best >= 0 : best;
      if (!any) depth[ray] = nearest;
    }
  }
}
