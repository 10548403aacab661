#include "tm/set_buffers.h"

#include <algorithm>

namespace heddle::tm {

bool SetBuffers::store(Entry& entry, bool write, const LogWord& word) {
  Set& set = entry.sets[write ? 1 : 0];
  const std::uint16_t count = ++set.count[word.lane];
  bool room = buffers_most_ == 0 || count <= words_most_;
  if (scheme_ == BufferScheme::kAccessed && entry.buffers == 0) {
    room = room && !full();
    if (!full()) take(entry, 2);
  } else if (count == 1 && scheme_ != BufferScheme::kAll && scheme_ != BufferScheme::kAccessed) {
    room = room && !full();
    if (!full()) take(entry, 1);
  }
  if (room) set.words.push_back(word);
  return room;
}

void SetBuffers::serve(SetBufferEvent& event) {
  if (event.slot >= entries_.size()) entries_.resize(event.slot + 1);
  Entry& entry = entries_[event.slot];
  std::vector<LogWord>& words = entry.sets[event.write ? 1 : 0].words;
  switch (event.op) {
    case SetBufferEvent::Op::kOpen:
      for (Set& set : entry.sets) {
        set.words.clear();
        set.count.fill(0);
      }
      if (scheme_ == BufferScheme::kAll) take(entry, 2);
      break;
    case SetBufferEvent::Op::kStore:
      event.stored = store(entry, event.write, event.word);
      break;
    case SetBufferEvent::Op::kWords: {
      std::size_t to = event.from;
      while (to < words.size() && to - event.from < event.most && words[to].row == words[event.from].row)
        ++to;
      event.words = std::span<const LogWord>(words).subspan(std::min<std::size_t>(event.from, words.size()),
                                                            to - event.from);
      break;
    }
    case SetBufferEvent::Op::kDecided:
      if (scheme_ == BufferScheme::kNeeded)
        keep(entry, event.needed && !entry.sets[1].words.empty() ? std::min(entry.buffers, 1u) : 0);
      break;
    case SetBufferEvent::Op::kClose:
      keep(entry, 0);
      break;
  }
  event.in_use = in_use_;
}

}  // namespace heddle::tm
