#include "device/cpu/cgroup.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

namespace penstock::device {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(CpuMax, ReadsQuotaOverPeriod) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
}

TEST(CpuMax, TakesGarbageForNoLimit) {
  for (const char* text :
       {"", "\n", "5", "1 0\n", "-1 100000", "x y", "100000 100000 100000", "99999999999999999999 1"}) {
    EXPECT_EQ(parse_cpu_max(text), std::nullopt) << text;
  }
}

TEST(CfsQuota, ReadsVersionOne) {
  EXPECT_EQ(parse_cfs_quota("400000\n", "100000\n"), 4.0);
  EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("", ""), std::nullopt);
}

TEST(MemoryLimit, TakesTheHugeNumberOfVersionOneForNone) {
  EXPECT_EQ(parse_memory_limit("1073741824\n"), 1 << 30);
  EXPECT_EQ(parse_memory_limit("max\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("12 apples"), std::nullopt);
}

TEST(CoreList, ReadsRangesAndLeavesOutTheRest) {
  EXPECT_THAT(parse_core_list("0-2,8,1\n"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(parse_core_list("3-1,x,-4,5-"), IsEmpty());
  EXPECT_THAT(parse_core_list(""), IsEmpty());
}

TEST(CgroupMemberships, KeepControllersAndPath) {
  const auto memberships = parse_cgroup_memberships("4:cpu,cpuacct:/a:b\n0::/user.slice\nnonsense\n1:\n");

  ASSERT_THAT(memberships, SizeIs(2));
  EXPECT_THAT(memberships[0].controllers, ElementsAre("cpu", "cpuacct"));
  EXPECT_EQ(memberships[0].path, "/a:b");
  EXPECT_THAT(memberships[1].controllers, IsEmpty());
  EXPECT_EQ(memberships[1].path, "/user.slice");
}

TEST(CgroupMounts, KeepOnlyCgroupFileSystems) {
  const auto mounts = parse_cgroup_mounts(
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "32 31 0:29 /box /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "33 31 0:30 / /sys/fs/my\\040cgroup rw shared:4 master:1 - cgroup2 cgroup2 rw,nsdelegate\n"
      "broken line - cgroup\n");

  ASSERT_THAT(mounts, SizeIs(2));
  EXPECT_EQ(mounts[0].root, "/box");
  EXPECT_FALSE(mounts[0].unified);
  EXPECT_THAT(mounts[0].options, ElementsAre("rw", "cpu"));
  EXPECT_EQ(mounts[1].point, "/sys/fs/my cgroup");
  EXPECT_TRUE(mounts[1].unified);
}

CgroupMount mount_of(const std::string& root, const std::string& point) {
  CgroupMount mount;
  mount.root = root;
  mount.point = point;
  return mount;
}

TEST(LimitingFolders, AreTheOwnOneAndAllAboveIt) {
  EXPECT_THAT(limiting_folders(mount_of("/", "/cg"), "/a/b"), ElementsAre("/cg/a/b", "/cg/a", "/cg"));
  EXPECT_THAT(limiting_folders(mount_of("/", "/cg"), "/"), ElementsAre("/cg"));
}

TEST(LimitingFolders, AreRelativeToTheRootOfTheMount) {
  EXPECT_THAT(limiting_folders(mount_of("/docker/1", "/cg"), "/docker/1/x"), ElementsAre("/cg/x", "/cg"));
  EXPECT_THAT(limiting_folders(mount_of("/docker/1", "/cg"), "/docker/12"),
              ElementsAre("/cg/docker/12", "/cg/docker", "/cg"));
}

TEST(LimitingFolders, NeverLeaveTheMount) {
  EXPECT_THAT(limiting_folders(mount_of("/", "/cg"), "/../../other"), ElementsAre("/cg"));
}

/// A tree of files under a temporary folder that stands for "/".
class CgroupTree : public testing::Test {
 protected:
  std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / ("cgroup" + std::to_string(getpid()));

  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
};

TEST_F(CgroupTree, WithoutFilesSetsNoLimit) {
  const CgroupLimits limits = read_cgroup_limits(root_);

  EXPECT_EQ(limits.cores, 0.0);
  EXPECT_EQ(limits.memory_bytes, 0);
}

TEST_F(CgroupTree, OfVersionTwoLimitsByTheSmallestOfAllAncestors) {
  write("proc/self/cgroup", "0::/slurm/job/step\n");
  write("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/slurm/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/slurm/job/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/slurm/job/step/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/slurm/memory.max", "1000000\n");
  write("sys/fs/cgroup/slurm/job/memory.max", "max\n");

  const CgroupLimits limits = read_cgroup_limits(root_);

  EXPECT_EQ(limits.cores, 1.5);
  EXPECT_EQ(limits.memory_bytes, 1'000'000);
}

TEST_F(CgroupTree, OfVersionOneLimitsByEachController) {
  write("proc/self/cgroup", "4:cpu,cpuacct:/box\n3:memory:/box\n0::/\n");
  write(
      "proc/self/mountinfo",
      "31 20 0:26 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n32 20 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n");
  write("cg/cpu/box/cpu.cfs_quota_us", "200000\n");
  write("cg/cpu/box/cpu.cfs_period_us", "100000\n");
  write("cg/cpu/cpu.cfs_quota_us", "-1\n");
  write("cg/cpu/cpu.cfs_period_us", "100000\n");
  write("cg/memory/box/memory.limit_in_bytes", "4096000\n");
  write("cg/memory/memory.limit_in_bytes", "9223372036854771712\n");

  const CgroupLimits limits = read_cgroup_limits(root_);

  EXPECT_EQ(limits.cores, 2.0);
  EXPECT_EQ(limits.memory_bytes, 4'096'000);
}

TEST_F(CgroupTree, InAContainerThatSeesAnotherRootLimitsByTheMountPoint) {
  write("proc/self/cgroup", "0::/machine/container-7\n");
  write("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");

  EXPECT_EQ(read_cgroup_limits(root_).cores, 0.5);
}

}  // namespace
}  // namespace penstock::device
