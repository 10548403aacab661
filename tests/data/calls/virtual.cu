// Objects made on the device, with their tables of virtual functions. Pointers to these tables, between the objects and to
// them stay in memory after the launch, and every device has its own numbers for them.
__device__ inline void* operator new(decltype(sizeof 0), char* where) { return where; }
__device__ inline void operator delete(void*, char*) {}

struct Shape {
  int size;
  __device__ Shape(int size) : size(size) {}
  __device__ virtual int area(int depth) const = 0;
};
struct Square : Shape {
  __device__ Square(int size) : Shape(size) {}
  __device__ int area(int depth) const override { return size * size + depth; }
};
struct Disc : Shape {
  __device__ Disc(int size) : Shape(size) {}
  __device__ int area(int depth) const override {
    int sum = 0;
    for (int i = 0; i < size; ++i) sum += i * depth;
    return sum;
  }
};
struct Framed : Shape {
  const Shape* inner;
  __device__ Framed(int size, const Shape* inner) : Shape(size), inner(inner) {}
  __device__ int area(int depth) const override { return depth > 0 ? size + inner->area(depth - 1) * 2 : size; }
};

alignas(16) __device__ char store[256 * 64];

extern "C" __global__ void objects(Shape** shapes, int* out) {
  int i = threadIdx.x;
  char* where = store + i * 64;
  if (i % 3 == 0)
    shapes[i] = new (where) Square(i);
  else if (i % 3 == 1)
    shapes[i] = new (where) Disc(i % 17);
  else
    shapes[i] = new (where) Framed(i, (const Shape*)(store + (i - 1) * 64));
  __syncthreads();
  out[i] = shapes[(i * 7) % 256]->area(i % 4);
}
