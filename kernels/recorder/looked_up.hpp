// SPDX-License-Identifier: MIT
#pragma once

namespace finegrain::recorder {

/// The C library's dlsym(), which knows nothing of the recorder's. RTLD_NEXT means what comes after the
/// recorder.
void* look_up(void* where, const char* name);

}  // namespace finegrain::recorder
