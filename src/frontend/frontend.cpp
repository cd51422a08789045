#include "frontend/frontend.hpp"

namespace penstock::frontend {

namespace {

/// A pin that lasts as long as this.
class Hold {
 public:
  Hold(Frontend& frontend, core::DataId data, bool for_view)
      : frontend_(frontend), pinned_(frontend.pin(data, for_view)) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() {
    if (!kept_) frontend_.unpin(pinned_);
  }
  [[nodiscard]] Pinned& pinned() { return pinned_; }
  [[nodiscard]] Pinned keep() {
    kept_ = true;
    return pinned_;
  }

 private:
  Frontend& frontend_;
  Pinned pinned_;
  bool kept_ = false;
};

}  // namespace

bool Frontend::wait_for(std::span<const core::DataId> data, const Deadline& deadline) {
  if (data.empty()) return true;
  Hold first(*this, data.front(), false);  // all are pinned before the first wait: as of now
  return wait_for(data.subspan(1), deadline) && wait_for(first.pinned(), deadline);
}

Pinned Frontend::bring(core::DataId data) {
  Hold hold(*this, data, true);
  wait_for(hold.pinned(), std::nullopt);
  fetch(hold.pinned());
  return hold.keep();
}

}  // namespace penstock::frontend
