// All places of a pattern in a text after Horspool: compare from the pattern's end; on a mismatch move on by
// what the text's letter under the pattern's last one allows. Each thread scans the starts of one chunk.
enum { kMatchLetters = 256, kMatchPattern = 64 };  // pattern: at most 64 letters

__constant__ unsigned char match_pattern[kMatchPattern];

// matches: one bit for each start, 32 to a word; total: their number.
extern "C" __global__ void match_horspool(const unsigned char* text, int length, int pattern_length,
                                          int chunk, unsigned* matches, int* total) {
  __shared__ int move[kMatchLetters];
  for (int letter = threadIdx.x; letter < kMatchLetters; letter += blockDim.x) move[letter] = pattern_length;
  __syncthreads();
  // The last of equal letters decides, so one thread fills in the pattern.
  if (threadIdx.x == 0)
    for (int i = 0; i + 1 < pattern_length; i++) move[match_pattern[i]] = pattern_length - 1 - i;
  __syncthreads();
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  int end = min(begin + chunk, length - pattern_length + 1);
  int found = 0;
  for (int at = begin; at < end;) {
    int i = pattern_length - 1;
    while (i >= 0 && text[at + i] == match_pattern[i]) i--;
    if (i < 0) {
      found++;
      atomicOr(&matches[at / 32], 1u << (at % 32));
    }
    at += move[text[at + pattern_length - 1]];
  }
  if (found != 0) atomicAdd(total, found);
}
