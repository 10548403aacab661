// A small interpreter: each thread runs a program of its own, every operation of which is a function that is
// called through a table. Lanes of a warp call different functions at the same time.
typedef unsigned (*DispatchFunction)(unsigned value, unsigned operand);

__device__ __noinline__ unsigned dispatch_add(unsigned value, unsigned operand) { return value + operand; }

__device__ __noinline__ unsigned dispatch_mix(unsigned value, unsigned operand) {
  return (value ^ operand) * 2654435761u;
}

// A loop of uneven length.
__device__ __noinline__ unsigned dispatch_halve(unsigned value, unsigned operand) {
  unsigned steps = 0;
  while (value > operand) {
    value >>= 1;
    steps++;
  }
  return value + steps;
}

// Recursion of uneven depth: Euclid's algorithm, remembering its way.
__device__ __noinline__ unsigned dispatch_euclid(unsigned value, unsigned operand) {
  return operand == 0 ? value : (dispatch_euclid(operand, value % operand) * 3) ^ value;
}

__device__ DispatchFunction dispatch_table[4] = {dispatch_add, dispatch_mix, dispatch_halve, dispatch_euclid};

// code[i * length + k]: operation k of program i, its function in the two lowest bits, its operand above.
extern "C" __global__ void dispatch_run(const unsigned* code, int n, int length, unsigned* value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = value[i];
  for (int k = 0; k < length; k++) {
    unsigned operation = code[i * length + k];
    v = dispatch_table[operation & 3](v, operation >> 2);
  }
  value[i] = v;
}
