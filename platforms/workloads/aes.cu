// AES-128 encryption (FIPS 197), a block of 16 bytes a thread, by the table that joins SubBytes and
// MixColumns; the three other tables are its rotations. Words are columns, first byte uppermost.
enum { kAesRounds = 10 };

__constant__ unsigned aes_round_keys[4 * (kAesRounds + 1)];

static __device__ __forceinline__ unsigned aes_rotate(unsigned word, int bits) {
  return (word >> bits) | (word << (32 - bits));
}

static __device__ __forceinline__ unsigned aes_column(const unsigned* table, unsigned a, unsigned b,
                                                      unsigned c, unsigned d) {
  return table[a >> 24] ^ aes_rotate(table[(b >> 16) & 0xff], 8) ^ aes_rotate(table[(c >> 8) & 0xff], 16) ^
         aes_rotate(table[d & 0xff], 24);
}

// The last round has no MixColumns: the substituted byte alone, which is the table's second byte.
static __device__ __forceinline__ unsigned aes_last(const unsigned* table, unsigned a, unsigned b, unsigned c,
                                                    unsigned d) {
  return ((table[a >> 24] << 8) & 0xff000000u) | (table[(b >> 16) & 0xff] & 0x00ff0000u) |
         (table[(c >> 8) & 0xff] & 0x0000ff00u) | ((table[d & 0xff] >> 8) & 0x000000ffu);
}

// table[x]: the column 2 S(x), S(x), S(x), 3 S(x).
extern "C" __global__ void aes_encrypt(const unsigned* table, const unsigned* in, unsigned* out, int blocks) {
  __shared__ unsigned shared[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) shared[i] = table[i];
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int block = blockIdx.x * blockDim.x + threadIdx.x; block < blocks; block += stride) {
    unsigned a = in[4 * block] ^ aes_round_keys[0], b = in[4 * block + 1] ^ aes_round_keys[1],
             c = in[4 * block + 2] ^ aes_round_keys[2], d = in[4 * block + 3] ^ aes_round_keys[3];
    for (int round = 1; round < kAesRounds; round++) {
      unsigned p = aes_column(shared, a, b, c, d) ^ aes_round_keys[4 * round];
      unsigned q = aes_column(shared, b, c, d, a) ^ aes_round_keys[4 * round + 1];
      unsigned r = aes_column(shared, c, d, a, b) ^ aes_round_keys[4 * round + 2];
      unsigned s = aes_column(shared, d, a, b, c) ^ aes_round_keys[4 * round + 3];
      a = p;
      b = q;
      c = r;
      d = s;
    }
    out[4 * block] = aes_last(shared, a, b, c, d) ^ aes_round_keys[4 * kAesRounds];
    out[4 * block + 1] = aes_last(shared, b, c, d, a) ^ aes_round_keys[4 * kAesRounds + 1];
    out[4 * block + 2] = aes_last(shared, c, d, a, b) ^ aes_round_keys[4 * kAesRounds + 2];
    out[4 * block + 3] = aes_last(shared, d, a, b, c) ^ aes_round_keys[4 * kAesRounds + 3];
  }
}

// The same, a column of a block a thread: the four of a block exchange their columns through shared memory, with a barrier a
// round. CTAs of at most 256 threads, a multiple of four; a thread a word.
extern "C" __global__ void aes_encrypt_columns(const unsigned* table, const unsigned* in, unsigned* out, int words) {
  __shared__ unsigned shared[256];
  __shared__ unsigned state[2][256];  // of rounds in turns, so that a barrier between two writes is enough
  for (int i = threadIdx.x; i < 256; i += blockDim.x) shared[i] = table[i];
  int word = blockIdx.x * blockDim.x + threadIdx.x;
  int column = threadIdx.x & 3, block = threadIdx.x & ~3;
  unsigned mine = word < words ? in[word] ^ aes_round_keys[column] : 0;
  for (int round = 1; round < kAesRounds; round++) {
    unsigned* columns = state[round & 1];
    columns[threadIdx.x] = mine;
    __syncthreads();
    mine = aes_column(shared, columns[block + column], columns[block + ((column + 1) & 3)],
                      columns[block + ((column + 2) & 3)], columns[block + ((column + 3) & 3)]) ^
           aes_round_keys[4 * round + column];
  }
  state[0][threadIdx.x] = mine;
  __syncthreads();
  if (word < words)
    out[word] = aes_last(shared, state[0][block + column], state[0][block + ((column + 1) & 3)],
                         state[0][block + ((column + 2) & 3)], state[0][block + ((column + 3) & 3)]) ^
                aes_round_keys[4 * kAesRounds + column];
}
