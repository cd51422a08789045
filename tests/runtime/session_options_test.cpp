#include <gtest/gtest.h>

#include "runtime/options.hpp"

namespace penstock::runtime {
namespace {

TEST(SessionOptions, AreThoseOfTheProgram) {
  const SessionOptions session = session_options({.workers = 3,
                                                  .window_tasks = 10,
                                                  .window_bytes = 1000,
                                                  .checked = true,
                                                  .serial = true,
                                                  .schedule_seed = 7,
                                                  .use_cpu = false,
                                                  .use_cuda = false,
                                                  .gpu_bytes = 100,
                                                  .pinned_bytes = 0,
                                                  .placement = "locality"});

  EXPECT_EQ(session.workers, 3);
  EXPECT_EQ(session.window.tasks, 10U);
  EXPECT_EQ(session.window.bytes, 1000);
  EXPECT_TRUE(session.checked && session.serial);
  EXPECT_EQ(session.schedule_seed, 7U);
  EXPECT_FALSE(session.use_cpu || session.use_cuda);
  EXPECT_EQ(session.gpu_bytes, 100);
  EXPECT_EQ(session.pinned_bytes, 0);
  EXPECT_EQ(session.placement, "locality");
}

}  // namespace
}  // namespace penstock::runtime
