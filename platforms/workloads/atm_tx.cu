// Bank transfers, each a transaction: ATM of [KiloTM] Tab 4.3, three reads and two writes.
#include "heddle_tx.h"

struct TxTransfer {
  int from;
  int to;  // never the same account as `from`
  int amount;
};

// As bank_transfer of atm.cu; there are no locks to take.
extern "C" __global__ void bank_transfer_tx(const TxTransfer* transfers, int n, int* balance, int* /*locks*/) {
  int stride = gridDim.x * blockDim.x;
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += stride) {
    int from = transfers[t].from, to = transfers[t].to;
    tx_begin();
    int amount = transfers[t].amount;
    balance[from] = balance[from] - amount;
    balance[to] = balance[to] + amount;
    tx_commit();
  }
}
