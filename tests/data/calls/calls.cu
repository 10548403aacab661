// Functions as compilers emit them: recursion, function pointers, virtual functions, structures by value, jump
// tables, divergent returns, barriers in functions. tests/regression/calls_test.cpp has the references.
// Compiled by tests/data/compile.sh.

#define NOINLINE __attribute__((noinline)) __device__
#define KERNEL extern "C" __global__ void

NOINLINE unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

KERNEL fibonacci(const unsigned* in, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned n = in[i];
  out[i] = (i % 3 == 0) ? fib(n) + 1000 : 2 * fib(n / 2);
}

NOINLINE void quicksort(int* a, int low, int high) {
  while (low < high) {
    const int pivot = a[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (a[i] < pivot) ++i;
      while (a[j] > pivot) --j;
      if (i <= j) {
        const int t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    if (j - low < high - i) {
      quicksort(a, low, j);
      low = i;
    } else {
      quicksort(a, i, high);
      high = j;
    }
  }
}

KERNEL sort_segments(int* data, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  quicksort(data + i * length, 0, length - 1 - i % 5);
}

struct Node {
  int left, right, value;
};

NOINLINE int walk(const Node* nodes, int at, int depth) {
  if (at < 0) return 0;
  const Node node = nodes[at];
  int sum = node.value * depth;
  if (node.left >= 0) sum += walk(nodes, node.left, depth + 1);
  if (node.value % 7 == 3) return sum - 1;
  return sum + walk(nodes, node.right, depth + 1);
}

KERNEL tree_sums(const Node* nodes, int count, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = walk(nodes, i % count, 1);
}

NOINLINE bool is_odd(unsigned n);
NOINLINE bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
NOINLINE bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }
NOINLINE unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

KERNEL mutual(unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = (is_even(i % 13) ? 1u : 0u) + 2 * ackermann(i % 3, i % 4) + (is_odd(i % 7) ? 4096u : 0u);
}

NOINLINE float op_add(float a, float b) { return a + b; }
NOINLINE float op_sub(float a, float b) { return a - b; }
NOINLINE float op_mul(float a, float b) { return a * b; }
NOINLINE float op_max(float a, float b) { return a > b ? a : b; }
typedef float (*Op)(float, float);
__device__ Op operations[4] = {op_add, op_sub, op_mul, op_max};

KERNEL pointers(const int* which, float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = values[i];
  for (int k = 0; k < 3; ++k) v = operations[(which[i] + k) & 3](v, 1.5f + i);
  values[i] = v;
}

NOINLINE int dispatch(int kind, int x) {
  switch (kind) {
    case 0: return x + 17;
    case 1: return x * 3 - 1;
    case 2: return x ^ 0x5555;
    case 3: { int s = 0; for (int k = 0; k < (x & 7); ++k) s += k * x; return s; }
    case 4: return -x;
    case 5: return x / 3;
    case 6: return x << 2;
    case 7: return (x & 1) ? x + 1 : x - 1;
    case 8: return 99;
    default: return 7 * x;
  }
}

KERNEL switches(const int* kinds, int* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = values[i];
  for (int k = 0; k < 4; ++k) v = dispatch(kinds[i] + k, v);
  values[i] = v;
}

struct Big {
  double weight;
  int count[3];
  short tag;
  char flag;
};
struct Small {
  int a;
  float b;
};

NOINLINE Big change(Big big, Small small, int scale) {
  if (small.a > 3) big.count[small.a % 3] += scale;
  big.weight = big.weight * 2 + small.b;
  big.tag = static_cast<short>(big.tag - scale);
  if (big.flag > 5) return big;
  big.flag = static_cast<char>(big.flag + 1);
  return big;
}

KERNEL structures(double* weights, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Big big;
  big.weight = weights[i];
  for (int k = 0; k < 3; ++k) big.count[k] = k * i;
  big.tag = static_cast<short>(i);
  big.flag = static_cast<char>(i % 9);
  Small small;
  small.a = i % 8;
  small.b = 0.25f * i;
  for (int k = 0; k < 3; ++k) big = change(big, small, k + 1);
  weights[i] = big.weight + big.tag;
  counts[i] = big.count[0] + 100 * big.count[1] + 10000 * big.count[2] + big.flag;
}

NOINLINE int find(const int* data, int length, int wanted) {
  for (int k = 0; k < length; ++k) {
    if (data[k] == wanted) return k;
    if (data[k] < 0) return -2;
  }
  return -1;
}

KERNEL searches(const int* data, int length, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 6; ++k) {
    const int at = find(data + k, length - k, i + k);
    if (at == -2) break;
    if (at < 0) continue;
    sum += at * (k + 1);
  }
  out[i] = sum;
}

NOINLINE int block_sum(int* scratch, int value) {
  const int t = threadIdx.x;
  scratch[t] = value;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) scratch[t] += scratch[t + step];
    __syncthreads();
  }
  const int sum = scratch[0];
  __syncthreads();
  return sum;
}

KERNEL block_sums(const int* in, int* out) {
  __shared__ int scratch[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = block_sum(scratch, in[i]);
  out[i] = block_sum(scratch, in[i] * (static_cast<int>(threadIdx.x) & 3)) - first;
}

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual int scaled(int by) const { return area() * by; }
};
struct Square : Shape {
  int side;
  __device__ Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Box : Shape {
  int a, b;
  __device__ Box(int x, int y) : a(x), b(y) {}
  __device__ int area() const override { return a * b; }
  __device__ int scaled(int by) const override { return area() + by; }
};
struct Nested : Shape {
  const Shape* inner;
  __device__ Nested(const Shape* s) : inner(s) {}
  __device__ int area() const override { return inner->area() + 1; }
};
NOINLINE int measure(const Shape* shape, int by) { return shape->scaled(by); }

KERNEL shapes(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Square square(i);
  Box box(i, 3);
  Nested nested(i % 2 ? static_cast<const Shape*>(&square) : static_cast<const Shape*>(&box));
  const Shape* all[3] = {&square, &box, &nested};
  int sum = 0;
  for (int k = 0; k < 3; ++k) sum = sum * 10 + measure(all[(i + k) % 3], k + 2);
  out[i] = sum;
}

NOINLINE int place_queens(int n, int row, const int* columns) {
  if (row == n) return 1;
  int mine[8];
  for (int k = 0; k < row; ++k) mine[k] = columns[k];
  int found = 0;
  for (int c = 0; c < n; ++c) {
    bool free = true;
    for (int k = 0; k < row && free; ++k)
      free = mine[k] != c && mine[k] - c != row - k && c - mine[k] != row - k;
    if (!free) continue;
    mine[row] = c;
    found += place_queens(n, row + 1, mine);
  }
  return found;
}

KERNEL queens(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int none[1] = {0};
  out[i] = place_queens(1 + i % 5, 0, none);
}
