// Transactions in CUDA C++ ([KiloTM] §4.2), for nvcc and clang as they are: calls to functions that are declared and
// never defined, which the GPU executes (tm.enabled).
//
//   tx_begin();            loads and stores of global memory from here on
//   ...                    happen at once, as nobody else sees them,
//   tx_commit();           or not at all: then the thread tries again behind tx_begin
//
// tx_abort() gives the attempt up. A tx_begin has one tx_commit, in the same function, that every path leads to; within it
// there is no barrier, return, printf or assert, and no store to local or shared memory (models/compiler/transactions.h).
#pragma once

extern "C" {
__device__ void tx_begin(void);
__device__ void tx_commit(void);
__device__ void tx_abort(void);
}
