// Integers wider than the machine's, as compilers and libraries make them of instructions with carry. nvcc divides 128
// bits by chains in which additions follow subtractions (CC.CF of a subtraction is "not borrow"); field arithmetic
// turns the borrow of a chain into a mask.
using Wide = unsigned __int128;
using SignedWide = __int128;

extern "C" __global__ void divide(const Wide* a, const Wide* b, Wide* quotient, Wide* remainder) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  quotient[i] = a[i] / b[i];
  remainder[i] = a[i] % b[i];
}

extern "C" __global__ void divide_signed(const SignedWide* a, const SignedWide* b, SignedWide* quotient,
                                         SignedWide* remainder) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  quotient[i] = a[i] / b[i];
  remainder[i] = a[i] % b[i];
}

extern "C" __global__ void arithmetic(const Wide* a, const Wide* b, Wide* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const Wide x = a[i], y = b[i];
  Wide* mine = out + 6 * i;
  mine[0] = x + y;
  mine[1] = x - y;
  mine[2] = x * y;
  mine[3] = -x;
  mine[4] = (x < y ? 1 : 0) + ((SignedWide)x < (SignedWide)y ? 2 : 0);
  mine[5] = x << (unsigned)(y & 127) | y >> (unsigned)(x & 127);
}

// (a * b) mod m and (a - b) mod m for 64-bit numbers, a and b below m.
extern "C" __global__ void modular(const unsigned long long* a, const unsigned long long* b,
                                   const unsigned long long* m, unsigned long long* product,
                                   unsigned long long* difference) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  product[i] = (unsigned long long)((Wide)a[i] * b[i] % m[i]);
  const SignedWide d = (SignedWide)a[i] - b[i];
  difference[i] = (unsigned long long)(d < 0 ? d + m[i] : d);
}

// Subtraction in a prime field of 128 bits, words of 32: the mask of "subc x, 0, 0" selects the prime.
extern "C" __global__ void field_subtract(const uint4* a, const uint4* b, uint4* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 r;
  unsigned below_zero;
  asm("sub.cc.u32 %0, %5, %9; subc.cc.u32 %1, %6, %10; subc.cc.u32 %2, %7, %11; subc.cc.u32 %3, %8, %12;"
      "subc.u32 %4, 0, 0;"
      : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w), "=r"(below_zero)
      : "r"(a[i].x), "r"(a[i].y), "r"(a[i].z), "r"(a[i].w), "r"(b[i].x), "r"(b[i].y), "r"(b[i].z), "r"(b[i].w));
  // The prime is 2^128 - 159.
  asm("add.cc.u32 %0, %0, %4; addc.cc.u32 %1, %1, %5; addc.cc.u32 %2, %2, %5; addc.u32 %3, %3, %5;"
      : "+r"(r.x), "+r"(r.y), "+r"(r.z), "+r"(r.w)
      : "r"(below_zero & 0xffffff61u), "r"(below_zero));
  out[i] = r;
}

// An addition right behind a subtraction: 1 where a >= b.
extern "C" __global__ void subtract_then_add(const unsigned long long* a, const unsigned long long* b,
                                             unsigned long long* difference, unsigned long long* flag) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  asm("sub.cc.u64 %0, %2, %3; addc.u64 %1, 0, 0;"
      : "=l"(difference[i]), "=l"(flag[i])
      : "l"(a[i]), "l"(b[i]));
}
