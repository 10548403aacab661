// Speckle-reducing anisotropic diffusion of an image: each step takes the mean and the variance of the image
// (two reductions), from them a diffusion coefficient for each pixel, and moves the image by the differences
// to the neighbours. Pixels beyond the border are those of the border.
enum { kSradBlock = 128 };

// Pixels to intensities and back: e^(pixel / 255) and 255 ln(intensity), by the base-2 units.
extern "C" __global__ void srad_extract(const float* pixel, float* image, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] = exp2f(__fmul_rn(pixel[i], 0.0056576275f));
}

extern "C" __global__ void srad_compress(const float* image, float* pixel, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pixel[i] = __fmul_rn(__log2f(image[i]), 176.75253f);
}

// CTAs of 128 threads: the sum and the sum of squares of each CTA's pixels, side by side in cta_sums.
extern "C" __global__ void srad_sums(const float* image, int n, float* cta_sums) {
  __shared__ float sum[kSradBlock];
  __shared__ float square[kSradBlock];
  int t = threadIdx.x;
  float s = 0.0f, q = 0.0f;
  for (int i = blockIdx.x * kSradBlock + t; i < n; i += gridDim.x * kSradBlock) {
    s += image[i];
    q = __fmaf_rn(image[i], image[i], q);
  }
  sum[t] = s;
  square[t] = q;
  __syncthreads();
  for (int half = kSradBlock / 2; half > 0; half /= 2) {
    if (t < half) {
      sum[t] += sum[t + half];
      square[t] += square[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    cta_sums[2 * blockIdx.x] = sum[0];
    cta_sums[2 * blockIdx.x + 1] = square[0];
  }
}

// coefficient: of each pixel, 0 to 1. Every thread adds the few sums up for itself.
extern "C" __global__ void srad_coefficients(const float* image, int width, int height, const float* cta_sums,
                                             int ctas, float* coefficient) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f, square = 0.0f;
  for (int i = 0; i < ctas; i++) {
    sum += cta_sums[2 * i];
    square += cta_sums[2 * i + 1];
  }
  float pixels = (float)(width * height);
  float mean = sum / pixels;
  float variance = __fmaf_rn(-mean, mean, square / pixels);
  float speckle = variance / __fmul_rn(mean, mean);

  float here = image[y * width + x];
  float north = image[max(y - 1, 0) * width + x] - here;
  float south = image[min(y + 1, height - 1) * width + x] - here;
  float west = image[y * width + max(x - 1, 0)] - here;
  float east = image[y * width + min(x + 1, width - 1)] - here;
  float squares =
      __fmaf_rn(north, north, __fmaf_rn(south, south, __fmaf_rn(west, west, __fmul_rn(east, east))));
  float gradient = squares / __fmul_rn(here, here);
  float laplacian = (north + south + west + east) / here;
  float top = __fmaf_rn(0.5f, gradient, -__fmul_rn(0.0625f, __fmul_rn(laplacian, laplacian)));
  float bottom = __fmaf_rn(0.25f, laplacian, 1.0f);
  float local = top / __fmul_rn(bottom, bottom);
  float c = 1.0f / (1.0f + (local - speckle) / __fmul_rn(speckle, 1.0f + speckle));
  coefficient[y * width + x] = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}

extern "C" __global__ void srad_move(const float* image, const float* coefficient, int width, int height,
                                     float rate, float* moved) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int below = min(y + 1, height - 1) * width + x, beside = y * width + min(x + 1, width - 1);
  float here = image[y * width + x], c = coefficient[y * width + x];
  float divergence = __fmul_rn(c, image[max(y - 1, 0) * width + x] - here);
  divergence = __fmaf_rn(coefficient[below], image[below] - here, divergence);
  divergence = __fmaf_rn(c, image[y * width + max(x - 1, 0)] - here, divergence);
  divergence = __fmaf_rn(coefficient[beside], image[beside] - here, divergence);
  moved[y * width + x] = __fmaf_rn(rate, divergence, here);
}
