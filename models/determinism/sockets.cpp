// The sockets of this library's protocols, compiled once (HEDDLE_SOCKETS_ELSEWHERE in sim/block_socket.h).
#include "determinism/commit_protocol.h"
#include "determinism/quantum_protocol.h"
#include "determinism/store_buffer_protocol.h"
#include "determinism/z_buffer_unit.h"

HEDDLE_SOCKETS_HERE(heddle::determinism::CommitProtocol);
HEDDLE_SOCKETS_HERE(heddle::determinism::CommitAckProtocol);
HEDDLE_SOCKETS_HERE(heddle::determinism::QuantumProtocol);
HEDDLE_SOCKETS_HERE(heddle::determinism::QuantumReportProtocol);
HEDDLE_SOCKETS_HERE(heddle::determinism::StoreBufferProtocol);
HEDDLE_SOCKETS_HERE(heddle::determinism::StoreBufferEventProtocol);
HEDDLE_SOCKETS_HERE(heddle::determinism::ZControlProtocol);
