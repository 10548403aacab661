// Alignment of short reads by a suffix tree of the reference: from every place of a read, the longest stretch
// that occurs in the reference. Lanes walk down the tree edge by edge and letter by letter, each as far as it
// gets.
enum { kSuffixLetters = 4 };

struct SuffixNode {
  int child[kSuffixLetters];  // 0: none; node 0 is the root
  int begin, end;             // of the letters on the edge to this node, in the reference
};

// Read r is letters reads[r * read_length] .. of 0 .. 3. length[], place[]: for each read and each place in it
// the longest match and where in the reference one is (0 if there is none).
extern "C" __global__ void suffix_match(const SuffixNode* nodes, const unsigned char* reference,
                                        const unsigned char* reads, int count, int read_length, int shortest,
                                        int* length, int* place) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  const unsigned char* read = reads + r * read_length;
  for (int start = 0; start + shortest <= read_length; start++) {
    int node = 0, matched = 0, last = 0;  // last: behind the last letter that matched, in the reference
    int next = nodes[0].child[read[start]];
    while (next != 0) {
      node = next;
      int at = nodes[node].begin, end = nodes[node].end;
      do {  // the edge's first letter is the child's
        at++;
        matched++;
      } while (at < end && start + matched < read_length && reference[at] == read[start + matched]);
      last = at;
      next = 0;
      if (at == end && start + matched < read_length) next = nodes[node].child[read[start + matched]];
    }
    length[r * read_length + start] = matched;
    place[r * read_length + start] = last - matched;
  }
}
