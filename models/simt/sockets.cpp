// The sockets of this library's protocols, compiled once (HEDDLE_SOCKETS_ELSEWHERE in sim/block_socket.h).
#include "simt/control_flow_protocol.h"
#include "simt/hanoi/unit.h"
#include "simt/reconvergence_table.h"
#include "simt/split_fifo.h"
#include "simt/split_table.h"

HEDDLE_SOCKETS_HERE(heddle::simt::TableMemoryProtocol);
HEDDLE_SOCKETS_HERE(heddle::simt::GroupProgressProtocol);
HEDDLE_SOCKETS_HERE(heddle::simt::ControlFlowProtocol);
HEDDLE_SOCKETS_HERE(heddle::simt::HanoiProtocol);
HEDDLE_SOCKETS_HERE(heddle::simt::ReconvergenceTableProtocol);
HEDDLE_SOCKETS_HERE(heddle::simt::SplitFifoProtocol);
HEDDLE_SOCKETS_HERE(heddle::simt::SplitTableProtocol);
