// Ray tracing of mirroring spheres under one light: a ray a pixel, reflected up to `bounces` times, with a
// shadow ray at each hit.
enum { kRaySpheres = 16 };

struct RaySphere {
  float x, y, z, radius;
  float shade, mirror;  // of the light, how much comes back; and how much of that is reflection
};

__constant__ RaySphere ray_spheres[kRaySpheres];
__constant__ float ray_light[3];  // direction to it, of length 1

struct RayVector {
  float x, y, z;
};

static __device__ __forceinline__ float ray_dot(const RayVector& a, const RayVector& b) {
  return __fmaf_rn(a.x, b.x, __fmaf_rn(a.y, b.y, __fmul_rn(a.z, b.z)));
}

// origin + t * direction
static __device__ __forceinline__ RayVector ray_at(const RayVector& origin, const RayVector& direction,
                                                   float t) {
  RayVector p = {__fmaf_rn(t, direction.x, origin.x), __fmaf_rn(t, direction.y, origin.y),
                 __fmaf_rn(t, direction.z, origin.z)};
  return p;
}

// Distance along the ray to the sphere, or -1.
static __device__ __forceinline__ float ray_meets(const RaySphere& s, const RayVector& origin,
                                                  const RayVector& direction) {
  RayVector to = {s.x - origin.x, s.y - origin.y, s.z - origin.z};
  float along = ray_dot(to, direction);
  float root = __fmaf_rn(along, along, __fmaf_rn(s.radius, s.radius, -ray_dot(to, to)));
  if (root <= 0.0f) return -1.0f;
  float half = __fsqrt_rn(root);
  float t = along - half;
  if (t < 0.001f) t = along + half;
  return t < 0.001f ? -1.0f : t;
}

// brightness, rays: of each pixel.
extern "C" __global__ void ray_trace(int width, int height, int spheres, int bounces, float* brightness,
                                     int* rays) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  RayVector light = {ray_light[0], ray_light[1], ray_light[2]};
  RayVector origin = {0.0f, 0.0f, -4.0f};
  float scale = 2.0f / (float)width;
  RayVector direction = {__fmaf_rn((float)px, scale, -1.0f), __fmaf_rn((float)(height / 2 - py), scale, 0.0f),
                         1.5f};
  float length = __fsqrt_rn(ray_dot(direction, direction));
  direction.x = direction.x / length;
  direction.y = direction.y / length;
  direction.z = direction.z / length;
  float sum = 0.0f, weight = 1.0f;
  int used = 0;
  for (int bounce = 0; bounce <= bounces; bounce++) {
    used++;
    float nearest = 1.0e30f;
    int hit = -1;
    for (int s = 0; s < spheres; s++) {
      float t = ray_meets(ray_spheres[s], origin, direction);
      if (t > 0.0f && t < nearest) {
        nearest = t;
        hit = s;
      }
    }
    if (hit < 0) {  // the sky
      sum = __fmaf_rn(weight, __fmaf_rn(0.5f, direction.y, 0.5f), sum);
      break;
    }
    const RaySphere& sphere = ray_spheres[hit];
    RayVector point = ray_at(origin, direction, nearest);
    RayVector normal = {(point.x - sphere.x) / sphere.radius, (point.y - sphere.y) / sphere.radius,
                        (point.z - sphere.z) / sphere.radius};
    float lit = ray_dot(normal, light);
    if (lit > 0.0f) {
      used++;
      for (int s = 0; s < spheres; s++)
        if (ray_meets(ray_spheres[s], point, light) > 0.0f) {
          lit = 0.0f;
          break;
        }
    } else {
      lit = 0.0f;
    }
    float diffuse = __fmul_rn(sphere.shade, 0.1f + lit);
    sum = __fmaf_rn(__fmul_rn(weight, 1.0f - sphere.mirror), diffuse, sum);
    weight = __fmul_rn(weight, sphere.mirror);
    if (weight < 0.05f) break;
    direction = ray_at(direction, normal, __fmul_rn(-2.0f, ray_dot(direction, normal)));
    origin = point;
  }
  brightness[py * width + px] = sum;
  rays[py * width + px] = used;
}
