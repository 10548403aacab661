// Kernels of tensor cores, one a type: committed as PTX, so that they run without nvcc.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
template <int m, int n, int k, class Fragment, class In, class Out, class LayoutA, class LayoutB>
__device__ void product(const In* a, const In* b, Out* c, wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, m, n, k, Fragment, LayoutA> left;
  wmma::fragment<wmma::matrix_b, m, n, k, Fragment, LayoutB> right;
  wmma::fragment<wmma::accumulator, m, n, k, Out> sum;
  wmma::load_matrix_sync(left, a, 32);
  wmma::load_matrix_sync(right, b, 32);
  wmma::load_matrix_sync(sum, c, 32, layout);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 32, layout);
}
using Row = wmma::row_major;
using Column = wmma::col_major;
extern "C" {
__global__ void f16(const __half* a, const __half* b, float* c) { product<16, 16, 16, __half, __half, float, Row, Column>(a, b, c, wmma::mem_row_major); }
__global__ void f16_in_f16(const __half* a, const __half* b, __half* c) { product<32, 8, 16, __half, __half, __half, Column, Row>(a, b, c, wmma::mem_col_major); }
__global__ void bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) { product<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, Row, Row>(a, b, c, wmma::mem_col_major); }
__global__ void tf32(const float* a, const float* b, float* c) { product<16, 16, 8, wmma::precision::tf32, float, float, Column, Column>(a, b, c, wmma::mem_row_major); }
__global__ void s8(const signed char* a, const signed char* b, int* c) { product<16, 16, 16, signed char, signed char, int, Row, Column>(a, b, c, wmma::mem_row_major); }
__global__ void f64(const double* a, const double* b, double* c) { product<8, 8, 4, double, double, double, Row, Column>(a, b, c, wmma::mem_row_major); }
__global__ void by_hand(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) __half sa[256], sb[128];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) sa[i] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(sa + lane % 16 * 16 + lane / 16 * 8))));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1]) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(sb + lane % 16 * 8))));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[lane]), "+f"(c[lane + 32]), "+f"(c[lane + 64]), "+f"(c[lane + 96])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
}
}
