#include "support/event_queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace penstock::support {
namespace {

TEST(EventQueue, RunsByTimeThenByEntry) {
  EventQueue events;
  std::string order;
  events.at(5, [&] { order += 'c'; });
  events.at(2, [&] { order += 'a'; });
  events.at(2, [&] { order += 'b'; });

  while (events.run_one()) {
  }

  EXPECT_EQ(order, "abc");
  EXPECT_EQ(events.now(), 5u);
}

TEST(EventQueue, LetsActionsEnterActionsButNoneInThePast) {
  EventQueue events;
  std::string order;
  events.at(10, [&] { events.at(3, [&] { order += std::to_string(events.now()); }); });

  while (events.run_one()) {
  }

  EXPECT_EQ(order, "10");
}

}  // namespace
}  // namespace penstock::support
