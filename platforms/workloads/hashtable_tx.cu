// Insertion into a chained hash table, each insertion a transaction: HT of [KiloTM] Tab 4.3, one read and four writes.
#include "heddle_tx.h"

struct TxEntry {
  unsigned key;
  unsigned value;
  unsigned next;  // index of the next entry of the chain plus one; 0: end
};

// As hash_insert of hashtable.cu; there are no locks to take.
extern "C" __global__ void hash_insert_tx(const unsigned* keys, unsigned n, TxEntry* pool, unsigned* heads,
                                          int* /*locks*/, unsigned hash_shift) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    unsigned key = keys[t];
    unsigned bucket = (key * 2654435761u) >> hash_shift;
    tx_begin();
    pool[t].key = key;
    pool[t].value = ~key;
    pool[t].next = heads[bucket];
    heads[bucket] = t + 1;
    tx_commit();
  }
}
