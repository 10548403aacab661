#include "determinism/z_buffer_commit.h"

#include "determinism/color_update.h"

namespace heddle::determinism {

void ZBufferCommit::send(CommitRequest& request) {
  request.accepted = room();
  if (request.accepted)
    put(make_color_update(pool_, map_.partition(request.chunk), request, full_depths_), request.cycle);
}

}  // namespace heddle::determinism
