// Blocks of a commit unit: what goes in is an event, which carries its answer. The unit's model knows them as ports, so that a
// test binds the models themselves; in a GPU they stand behind block sockets (sim/block_socket.h), and hardware that takes the
// same events can take their places.
#pragma once

#include <memory>
#include <systemc>
#include <utility>

#include "core/protocols/protocol_of.h"
#include "sim/block_socket.h"

namespace heddle::tm {

template <class Event>
class EventPort {
 public:
  virtual ~EventPort() = default;
  virtual void serve(Event& event) = 0;
  /// The same of an event that is made for it: ask({...}).answer, within one expression.
  Event&& ask(Event&& event) {
    serve(event);
    return std::move(event);
  }
};

/// The shell of a block's model.
template <class Event>
class EventBlock : public sc_core::sc_module {
  void serve(Event& event) { model_->serve(event); }

 public:
  EventBlock(const sc_core::sc_module_name& name, std::unique_ptr<EventPort<Event>> model)
      : sc_module(name), model_(std::move(model)) {}

  sim::BlockTarget<core::ProtocolOf<Event>, EventBlock, &EventBlock::serve> event_tsock{"event_tsock", this};

 private:
  std::unique_ptr<EventPort<Event>> model_;
};

/// The socket of who calls such a block.
template <class Event>
class EventSocket final : public EventPort<Event> {
 public:
  explicit EventSocket(const char* name) : isock(name) {}
  void serve(Event& event) override { isock.call(event); }
  sim::BlockInitiator<core::ProtocolOf<Event>> isock;
};

}  // namespace heddle::tm
