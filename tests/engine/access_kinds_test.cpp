// What the trace says of how a task got the memory that it writes.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "engine/program.hpp"
#include "trace/reader.hpp"
#include "trace/trace_file.hpp"

namespace penstock::engine {
namespace {

using core::AccessKind;

struct Told {
  AccessKind kind;
  std::uint64_t reads;
  std::uint64_t writes;
  friend bool operator==(const Told&, const Told&) = default;
};

/// The accesses of all tasks, in the order in which they ran.
std::vector<Told> told_by(Configuration configuration, const std::function<void(Program&)>& run) {
  const trace::TraceFile file;
  {
    trace::Recorder recorder(file.options());
    configuration.workers = 1;
    Program program(configuration);
    program.engine().trace(recorder, configuration.all_short);
    run(program);
  }
  std::vector<Told> told;
  const trace::RankTrace trace = trace::read(file.path());
  for (const core::Event& event : trace.lanes.at(configuration.all_short ? 1 : 0).events) {
    if (event.kind != core::EventKind::access) continue;
    const core::AccessEvent access = core::access_of(event);
    told.push_back({access.access, access.reads.value(), access.writes.value()});
  }
  return told;
}

TEST(AccessKinds, APureWriteMakesNewMemory) {
  const std::vector<Told> told = told_by({}, [](Program& program) {
    const core::DataId x = program.add_filled(1);
    program.write(x, 2);
  });

  EXPECT_EQ(told, (std::vector<Told>{{AccessKind::write, 0, 1}, {AccessKind::write, 0, 2}}));
}

TEST(AccessKinds, APureWriteTakesMemoryOverWithoutRenaming) {
  const std::vector<Told> told = told_by({.renames = false}, [](Program& program) {
    const core::DataId x = program.add_filled(1);
    program.write(x, 2);
    const View view(program, x);
    program.write(x, 3);
  });

  EXPECT_EQ(told,
            (std::vector<Told>{{AccessKind::write, 0, 1}, {AccessKind::overwrite, 0, 2}, {AccessKind::write, 0, 3}}));
}

TEST(AccessKinds, AreThoseOfTasksThatRunAtOnceToo) {
  const std::vector<Told> told = told_by({.all_short = true}, [](Program& program) {
    const core::DataId x = program.add_filled(1);
    program.increment(x);
    program.submit({reads(x)}, [](const Arrays& /*arrays*/) {});
    program.write(x, 3);
    program.increment(x);
  });

  EXPECT_EQ(told, (std::vector<Told>{{AccessKind::write, 0, 1},
                                     {AccessKind::consume, 1, 2},
                                     {AccessKind::read, 2, 0},
                                     {AccessKind::write, 0, 3},
                                     {AccessKind::consume, 3, 4}}));
}

TEST(AccessKinds, AnUpdateConsumesOrCopies) {
  const std::vector<Told> told = told_by({}, [](Program& program) {
    const core::DataId x = program.add_filled(1);
    program.increment(x);
    const View view(program, x);
    program.increment(x);
    program.submit({reads(x), updates(x)}, [](const Arrays& /*arrays*/) {});
  });

  EXPECT_EQ(told, (std::vector<Told>{{AccessKind::write, 0, 1},
                                     {AccessKind::consume, 1, 2},
                                     {AccessKind::copy, 2, 3},
                                     {AccessKind::read, 3, 0},
                                     {AccessKind::copy, 3, 4}}));
}

TEST(AccessKinds, ATaskOfSeveralPanelsTellsItsAccessesOnce) {
  const std::vector<Told> told = told_by({}, [](Program& program) {
    program.submit({writes(program.add())}, [](const Arrays& /*arrays*/) {}, {.cores = 5});
  });

  EXPECT_EQ(told, (std::vector<Told>{{AccessKind::write, 0, 1}}));
}

}  // namespace
}  // namespace penstock::engine
