// Direct Coulomb summation: each thread adds up the potential of all atoms at four points of a plane. The atoms are in
// constant memory and read by all lanes at once.
struct CoulombAtom {
  float x, y, z2, charge;  // z2: square of the distance to the plane
};

__constant__ CoulombAtom coulomb_atoms[1024];

extern "C" __global__ void coulomb_potential(int atoms, float spacing, float* potential, int width) {
  int column = 4 * (blockIdx.x * blockDim.x) + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float y = __fmul_rn((float)row, spacing);
  float x0 = __fmul_rn((float)column, spacing);
  float step = __fmul_rn((float)blockDim.x, spacing);
  float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
  for (int a = 0; a < atoms; a++) {
    float charge = coulomb_atoms[a].charge;
    float dy = y - coulomb_atoms[a].y;
    float across = __fmaf_rn(dy, dy, coulomb_atoms[a].z2);
    float dx0 = x0 - coulomb_atoms[a].x;
    float dx1 = dx0 + step;
    float dx2 = dx1 + step;
    float dx3 = dx2 + step;
    sum0 = __fmaf_rn(charge, rsqrtf(__fmaf_rn(dx0, dx0, across)), sum0);
    sum1 = __fmaf_rn(charge, rsqrtf(__fmaf_rn(dx1, dx1, across)), sum1);
    sum2 = __fmaf_rn(charge, rsqrtf(__fmaf_rn(dx2, dx2, across)), sum2);
    sum3 = __fmaf_rn(charge, rsqrtf(__fmaf_rn(dx3, dx3, across)), sum3);
  }
  float* out = potential + row * width + column;
  out[0] = sum0;
  out[blockDim.x] = sum1;
  out[2 * blockDim.x] = sum2;
  out[3 * blockDim.x] = sum3;
}
