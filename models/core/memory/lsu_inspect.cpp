// Questions to the load/store unit: for the watchdog, and for what reads memory without taking time.
#include "core/memory/load_store_unit.h"

namespace heddle::core {

void LoadStoreUnit::inspect(LsuRequest& request) {
  using Ask = LsuInspection::Ask;
  LsuInspection& look = *request.look;
  const auto ask_l1 = [&](L1dRequest::Op op) {
    const L1dRequest answer = l1d_isock.ask(op, look.address);
    look.yes = answer.result == L1dRequest::Result::kHit;
    if (look.yes && answer.line_data != nullptr) look.value = static_cast<std::byte>(*answer.line_data);
  };
  switch (look.ask) {
    case Ask::kPendingLoads:
      requests_.pending_loads(look.warp, *look.pending);
      break;
    case Ask::kOldWrites:
      look.yes = !writes_.all_performed(watched_);
      break;
    case Ask::kPerformed:
      look.yes = writes_.all_performed(look.mark);
      break;
    case Ask::kBypassesL1:
      look.yes = lines_.bypasses_l1(*look.instruction);
      break;
    case Ask::kSharedByte:
      look.value = shared_isock.byte_at(static_cast<std::uint32_t>(look.address));
      look.yes = true;
      break;
    case Ask::kHeldByte:
      ask_l1(L1dRequest::Op::kHeld);
      break;
    case Ask::kUnwrittenByte:
      ask_l1(L1dRequest::Op::kUnwritten);
      break;
    case Ask::kDisplacedByte:
      look.yes = lines_.displaced_byte(look.address, look.value);
      break;
    case Ask::kFetched:
      ask_l1(L1dRequest::Op::kFetched);
      break;
    case Ask::kForeignLine: {
      const L1dRequest data = l1d_isock.foreign(*request.own);
      look.yes = data.result == L1dRequest::Result::kHit;
      look.address = data.line;
      if (look.yes || !look.constants) break;
      const std::optional<std::uint64_t> constants = constant_isock.any_line();
      look.yes = constants.has_value();
      look.address = constants.value_or(0);
      break;
    }
  }
}

}  // namespace heddle::core
