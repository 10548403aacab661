// Look-up in a key-value store, as a cache server does it for a batch of requests: hash the key, walk the
// bucket's chain, compare lengths, hashes and then bytes, copy the value. Keys, chains and values differ in
// length from lane to lane.
struct KeyValueItem {
  unsigned hash;
  int next;  // index of the next item of the chain plus one; 0: end
  int key, key_bytes;      // where in `bytes`
  int value, value_words;  // where in `words`
};

struct KeyValueRequest {
  int key, key_bytes;  // where in `queries`
};

// heads[b]: index of the chain's first item plus one. found[t]: index of the request's item plus one, 0 if
// there is none. replies: `reply_words` for each request, of which those of the value are written.
extern "C" __global__ void kv_get(const KeyValueRequest* requests, int n, const unsigned char* queries,
                                  const KeyValueItem* items, const int* heads, unsigned mask,
                                  const unsigned char* bytes, const unsigned* words, int reply_words,
                                  int* found, unsigned* replies) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const unsigned char* key = queries + requests[t].key;
  int key_bytes = requests[t].key_bytes;
  unsigned hash = 2166136261u;  // FNV-1a
  for (int i = 0; i < key_bytes; i++) hash = (hash ^ key[i]) * 16777619u;
  int link = heads[hash & mask];
  while (link != 0) {
    const KeyValueItem& item = items[link - 1];
    if (item.hash == hash && item.key_bytes == key_bytes) {
      const unsigned char* other = bytes + item.key;
      int i = 0;
      while (i < key_bytes && key[i] == other[i]) i++;
      if (i == key_bytes) break;
    }
    link = item.next;
  }
  if (link != 0) {
    const KeyValueItem& item = items[link - 1];
    for (int i = 0; i < item.value_words; i++) replies[t * reply_words + i] = words[item.value + i];
  }
  found[t] = link;
}
