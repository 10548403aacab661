// Forces between the atoms of two patches of space, as molecular dynamics programs compute them (NAMD): a CTA takes an
// atom of one patch a thread and goes through the other one in shared memory. Only pairs within the cut-off count, and
// of these excluded ones (bonded atoms) do not.
enum { kPatchAtoms = 64 };

// atoms: x, y, z and charge of each; pairs: two patches a CTA; excluded: a bit per atom of the second patch, of atoms with
// the same number in theirs; forces: of each CTA's atoms.
extern "C" __global__ void nonbonded_forces(const float4* atoms, const int* pairs, const unsigned* excluded,
                                            float cutoff2, float switch2, float4* forces) {
  __shared__ float4 other[kPatchAtoms];
  int lane = threadIdx.x;
  int first = pairs[2 * blockIdx.x], second = pairs[2 * blockIdx.x + 1];
  other[lane] = atoms[second * kPatchAtoms + lane];
  float4 own = atoms[first * kPatchAtoms + lane];
  __syncthreads();
  unsigned low = excluded[2 * lane], high = excluded[2 * lane + 1];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
  for (int j = 0; j < kPatchAtoms; j++) {
    float dx = own.x - other[j].x, dy = own.y - other[j].y, dz = own.z - other[j].z;
    float r2 = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, __fmul_rn(dz, dz)));
    if (r2 < cutoff2) {
      unsigned bits = j < 32 ? low : high;
      if ((bits >> (j & 31)) & 1u) continue;
      float inverse = 1.0f / (r2 + 0.01f);
      float six = __fmul_rn(__fmul_rn(inverse, inverse), inverse);
      float strength = __fmul_rn(six, __fmaf_rn(2.0f, six, -1.0f));
      if (r2 > switch2) {
        float fade = (cutoff2 - r2) / (cutoff2 - switch2);
        strength = __fmul_rn(strength, __fmul_rn(fade, __fmaf_rn(-2.0f, fade, 3.0f)));
      }
      float force = __fmaf_rn(__fmul_rn(own.w, other[j].w), inverse, strength);
      energy += force;
      fx = __fmaf_rn(force, dx, fx);
      fy = __fmaf_rn(force, dy, fy);
      fz = __fmaf_rn(force, dz, fz);
    }
  }
  float4 sum = {fx, fy, fz, energy};
  forces[blockIdx.x * kPatchAtoms + lane] = sum;
}
