#include "core/schedule/scheduler_interposer.h"

namespace heddle::core {

SchedulerInterposer::SchedulerInterposer(const sc_core::sc_module_name& name, std::uint32_t schedulers,
                                         std::string cause)
    : sc_module(name), cause_(std::move(cause)) {
  for (std::uint32_t s = 0; s < schedulers; ++s) ports_.push_back(std::make_unique<Port>(*this, s));
}

}  // namespace heddle::core
