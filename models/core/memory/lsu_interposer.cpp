#include "core/memory/lsu_interposer.h"

#include "core/memory/load_store_unit.h"

namespace heddle::core {

void LsuInterposer::bind_unit(LoadStoreUnit& unit) {
  lsu_isock.bind(unit.lsu_tsock);
  unit.completion_isock.bind(completion_tsock);
  unit.wake_isock.bind(wake_tsock);
  add_clients(unit);
}

}  // namespace heddle::core
