/// Results to standard output, so that they can be piped. Called by the main thread of rank 0.
#pragma once

#include <string_view>

namespace penstock::observe {

/// Makes a write to a pipe that nobody reads any more fail instead of ending the process. Programs started by exec get
/// the usual behaviour back. To be called once, before threads exist.
void survive_closed_pipes();

/// Writes all of `text`; blocks as long as the reader does. A reader that went away (`| head`) is no error: the rest is
/// dropped. Throws Error (environment) when it cannot be written for another reason, such as a full disk.
void write_standard_output(std::string_view text);

}  // namespace penstock::observe
