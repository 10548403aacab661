// arch: 80
// Matrix products: wmma of every type and shape, row- and column-major, and mma.sync with ldmatrix and movmatrix. Small integers, so
// that every sum is exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include "check.h"
using namespace nvcuda;

template <class In> struct Numbers {
  static __host__ __device__ In of(int i) { return static_cast<In>(static_cast<float>(i)); }
};

template <int m, int n, int k, class Fragment, class In, class Out, class LayoutA, class LayoutB>
__global__ void product(const In* a, const In* b, Out* c, bool column_major) {
  wmma::fragment<wmma::matrix_a, m, n, k, Fragment, LayoutA> left;
  wmma::fragment<wmma::matrix_b, m, n, k, Fragment, LayoutB> right;
  wmma::fragment<wmma::accumulator, m, n, k, Out> sum;
  constexpr bool rows_a = std::is_same<LayoutA, wmma::row_major>::value, rows_b = std::is_same<LayoutB, wmma::row_major>::value;
  wmma::load_matrix_sync(left, a, rows_a ? k : m);
  wmma::load_matrix_sync(right, b, rows_b ? n : k);
  wmma::load_matrix_sync(sum, c, column_major ? m : n, column_major ? wmma::mem_col_major : wmma::mem_row_major);
  wmma::mma_sync(sum, left, right, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i];
  wmma::store_matrix_sync(c, sum, column_major ? m : n, column_major ? wmma::mem_col_major : wmma::mem_row_major);
}

template <int m, int n, int k, class Fragment, class In, class Out, class LayoutA, class LayoutB>
int wrong(bool column_major) {
  constexpr bool rows_a = std::is_same<LayoutA, wmma::row_major>::value, rows_b = std::is_same<LayoutB, wmma::row_major>::value;
  static In a[m * k], b[k * n];
  static Out c[m * n];
  static int x[m * k], y[k * n], z[m * n];
  In *da, *db;
  Out* dc;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < k; ++j) x[i * k + j] = (i * 3 + j * 5) % 7 - (sizeof(In) == 1 && In(-1) > In(0) ? 0 : 3), a[rows_a ? i * k + j : j * m + i] = Numbers<In>::of(x[i * k + j]);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < n; ++j) y[i * n + j] = (i * 2 + j * 7) % 5, b[rows_b ? i * n + j : j * k + i] = Numbers<In>::of(y[i * n + j]);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) z[i * n + j] = (i + j * 2) % 11, c[column_major ? j * m + i : i * n + j] = Numbers<Out>::of(z[i * n + j]);
  CHECK(cudaMalloc(&da, sizeof a));
  CHECK(cudaMalloc(&db, sizeof b));
  CHECK(cudaMalloc(&dc, sizeof c));
  CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice));
  product<m, n, k, Fragment, In, Out, LayoutA, LayoutB><<<1, 32>>>(da, db, dc, column_major);
  CHECK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  int bad = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = z[i * n + j];
      for (int l = 0; l < k; ++l) sum += x[i * k + l] * y[l * n + j];
      bad += static_cast<float>(c[column_major ? j * m + i : i * n + j]) != static_cast<float>(2 * sum);
    }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return bad;
}

using Row = wmma::row_major;
using Column = wmma::col_major;

template <int m, int n, int k, class Fragment, class In, class Out>
void layouts(const char* name) {
  std::printf("%s %dx%dx%d: %d %d %d %d wrong\n", name, m, n, k, wrong<m, n, k, Fragment, In, Out, Row, Column>(false),
              wrong<m, n, k, Fragment, In, Out, Row, Row>(true), wrong<m, n, k, Fragment, In, Out, Column, Column>(true),
              wrong<m, n, k, Fragment, In, Out, Column, Row>(false));
}

// D = A x B of 16 x 8 x 16, with fragments that ldmatrix fetches; then D^T by movmatrix.
__global__ void by_hand(const __half* a, const __half* b, float* d, __half* transposed) {
  __shared__ __align__(16) __half sa[16 * 16], sb[16 * 8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) sa[i] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  const unsigned at_a = static_cast<unsigned>(__cvta_generic_to_shared(sa + lane % 16 * 16 + lane / 16 * 8));
  const unsigned at_b = static_cast<unsigned>(__cvta_generic_to_shared(sb + lane % 16 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(at_a));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(at_b));
  float c[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  const int row = lane / 4, column = lane % 4 * 2;
  for (int i = 0; i < 4; ++i) d[(row + i / 2 * 8) * 8 + column + i % 2] = c[i];
  unsigned moved;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(ra[0]));
  reinterpret_cast<unsigned*>(transposed)[lane] = moved;
}

int main() {
  layouts<16, 16, 16, __half, __half, float>("f16");
  layouts<32, 8, 16, __half, __half, float>("f16");
  layouts<8, 32, 16, __half, __half, float>("f16");
  layouts<16, 16, 16, __half, __half, __half>("f16 in f16");
  layouts<8, 32, 16, __half, __half, __half>("f16 in f16");
  layouts<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>("bf16");
  layouts<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float>("bf16");
  layouts<16, 16, 16, signed char, signed char, int>("s8");
  layouts<8, 32, 16, signed char, signed char, int>("s8");
  layouts<32, 8, 16, unsigned char, unsigned char, int>("u8");
  layouts<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
  layouts<8, 8, 4, double, double, double>("f64");

  __half a[256], b[128], moved[64], *da, *db, *dt;
  float d[128], *dd;
  for (int i = 0; i < 256; ++i) a[i] = __float2half(static_cast<float>(i % 9 - 4));
  for (int i = 0; i < 128; ++i) b[i] = __float2half(static_cast<float>(i % 5 - 2));
  CHECK(cudaMalloc(&da, sizeof a));
  CHECK(cudaMalloc(&db, sizeof b));
  CHECK(cudaMalloc(&dt, sizeof moved));
  CHECK(cudaMalloc(&dd, sizeof d));
  CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  by_hand<<<1, 32>>>(da, db, dd, dt);
  CHECK(cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(moved, dt, sizeof moved, cudaMemcpyDeviceToHost));
  int bad = 0, out_of_place = 0;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 0;
      for (int l = 0; l < 16; ++l) sum += __half2float(a[i * 16 + l]) * __half2float(b[l * 8 + j]);
      bad += d[i * 8 + j] != sum;
      if (i < 8) out_of_place += __half2float(moved[j * 8 + i]) != __half2float(a[i * 16 + j]);
    }
  std::printf("by hand: %d wrong, %d out of place\n", bad, out_of_place);
  return 0;
}
