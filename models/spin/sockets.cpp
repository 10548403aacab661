// The sockets of this library's protocols, compiled once (HEDDLE_SOCKETS_ELSEWHERE in sim/block_socket.h).
#include "spin/protocols.h"

HEDDLE_SOCKETS_HERE(heddle::spin::HistoryProtocol);
HEDDLE_SOCKETS_HERE(heddle::spin::SibProtocol);
HEDDLE_SOCKETS_HERE(heddle::spin::LookUpProtocol);
HEDDLE_SOCKETS_HERE(heddle::spin::SpinEventProtocol);
HEDDLE_SOCKETS_HERE(heddle::spin::WindowProtocol);
