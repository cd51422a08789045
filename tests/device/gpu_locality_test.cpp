#include "device/cuda/gpu_locality.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "support/sanitizers.hpp"

#ifdef PENSTOCK_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace penstock::device {
namespace {

/// What the library with which hwloc reads the PCI bus keeps, a kilobyte, is not looked for when the process ends.
struct OthersLeaks {
#ifdef PENSTOCK_ADDRESS_SANITIZER
  __lsan::ScopedDisabler not_looked_for;
#endif
};

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// Two sockets of two cores. On the first a GPU and a bridge, on the second a GPU; another GPU belongs to none of them.
constexpr std::string_view two_sockets = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" allowed_cpuset="0xf" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0xf" complete_cpuset="0xf" nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1073741824"/>
    <object type="Package" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="3">
      <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="4"/>
      <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="5"/>
      <object type="Bridge" gp_index="6" bridge_type="0-1" depth="0" bridge_pci="0000:[17-17]">
        <object type="PCIDev" gp_index="7" pci_busid="0000:17:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1" pci_link_speed="0.000000"/>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0xc" complete_cpuset="0xc" nodeset="0x1" complete_nodeset="0x1" gp_index="8">
      <object type="PU" os_index="2" cpuset="0x4" complete_cpuset="0x4" nodeset="0x1" complete_nodeset="0x1" gp_index="9"/>
      <object type="PU" os_index="3" cpuset="0x8" complete_cpuset="0x8" nodeset="0x1" complete_nodeset="0x1" gp_index="10"/>
      <object type="PCIDev" gp_index="11" pci_busid="0000:65:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1" pci_link_speed="0.000000"/>
    </object>
    <object type="PCIDev" gp_index="12" pci_busid="0000:ca:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1" pci_link_speed="0.000000"/>
  </object>
</topology>
)";

/// hwloc sees the machine that `text` describes.
class CoresNear : public testing::Test {
 protected:
  void describe_machine(std::string_view text) {
    std::ofstream(file_) << text;
    setenv("HWLOC_XMLFILE", file_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HWLOC_XMLFILE");
    std::filesystem::remove(file_);
  }

 private:
  const std::filesystem::path file_ = testing::TempDir() + "penstock-topology-" + std::to_string(getpid()) + ".xml";
};

std::vector<GpuDescription> gpus_at(std::initializer_list<const char*> pci_bus_ids) {
  std::vector<GpuDescription> gpus;
  for (const char* const id : pci_bus_ids) gpus.push_back({.name = "GPU", .uuid = id, .pci_bus_id = id});
  return gpus;
}

TEST_F(CoresNear, AreThoseOfTheSocket) {
  describe_machine(two_sockets);

  EXPECT_THAT(cores_near(gpus_at({"0000:65:00.0", "0000:17:00.0", "0000:CA:00.0"})),
              ElementsAre(ElementsAre(2, 3), ElementsAre(0, 1), ElementsAre(0, 1, 2, 3)));
}

TEST_F(CoresNear, AreNoneForADeviceThatIsNotThere) {
  describe_machine(two_sockets);

  EXPECT_THAT(cores_near(gpus_at({"0000:18:00.0", "", "GPU", "0000:17:00.0"})),
              ElementsAre(IsEmpty(), IsEmpty(), IsEmpty(), ElementsAre(0, 1)));
}

TEST_F(CoresNear, AreNoneWhereHwlocRefuses) {
  describe_machine(R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" gp_index="1"/>
</topology>
)");

  EXPECT_THAT(cores_near(gpus_at({"0000:17:00.0"})), Each(IsEmpty()));
}

TEST_F(CoresNear, OfThisMachineAreAskedForWithoutFailing) {
  [[maybe_unused]] const OthersLeaks leaks;
  EXPECT_THAT(cores_near(gpus_at({"e0e0:00:00.0"})), ElementsAre(IsEmpty()));
  EXPECT_THAT(cores_near({}), IsEmpty());
}

}  // namespace
}  // namespace penstock::device
