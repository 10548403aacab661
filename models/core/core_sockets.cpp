// The sockets of this library's protocols, compiled once (HEDDLE_SOCKETS_ELSEWHERE in sim/block_socket.h).
#include "core/memory/l1_data_cache.h"
#include "core/memory/shared_memory.h"
#include "core/protocols/barrier_protocol.h"
#include "core/protocols/constant_protocol.h"
#include "core/protocols/cta_protocol.h"
#include "core/protocols/fetch_protocol.h"
#include "core/protocols/issue_gate_protocol.h"
#include "core/protocols/issue_tap_protocol.h"
#include "core/protocols/launch_protocol.h"
#include "core/protocols/lsu_protocol.h"
#include "core/protocols/pipes_protocol.h"
#include "core/protocols/port_protocol.h"
#include "core/protocols/register_file_protocol.h"
#include "core/protocols/release_protocol.h"
#include "core/protocols/scheduler_protocol.h"
#include "core/protocols/scoreboard_protocol.h"
#include "core/protocols/table_traffic_protocol.h"
#include "core/protocols/transaction_protocol.h"

HEDDLE_SOCKETS_HERE(heddle::core::ConstantProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::ConstantValueProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::L1dProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::SharedMemoryProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::BarrierProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::CtaProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::CtaDoneProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::FetchProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::L1iProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::L1iRefillProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::IssueGateProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::GateControlProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::IssueTapProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::LaunchProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::LsuProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::LsuCompletionProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::LsuWakeProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::PipesProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::WritebackProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::PortProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::PortResponseProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::RegisterFileProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::ReleaseProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::ReleaseControlProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::SchedulerProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::ScoreboardProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::TableTrafficProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::TableMovedProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::TransactionProtocol);
HEDDLE_SOCKETS_HERE(heddle::core::TransactionControlProtocol);
