#include "transport/mpi/requests.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <thread>

#include <penstock/error.hpp>

namespace penstock::transport {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  const std::string_view name = std::string_view(call).substr(0, std::string_view(call).find('('));
  throw Error(ErrorCode::environment,
              std::string(name) + " failed: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

std::span<const int> RequestTester::ended(std::span<MPI_Request> requests) {
  places_.resize(std::max(places_.size(), requests.size()));
  statuses_.resize(places_.size());
  int count = 0;
  const int code =
      MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, places_.data(), statuses_.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (int nth = 0; nth < count; ++nth) check_mpi(statuses_[static_cast<std::size_t>(nth)].MPI_ERROR, "MPI_Testsome");
  }
  check_mpi(code, "MPI_Testsome");
  if (count == MPI_UNDEFINED) return {};  // all were null
  return {places_.data(), static_cast<std::size_t>(count)};
}

bool settle(std::span<MPI_Request> requests, std::chrono::steady_clock::time_point deadline) noexcept {
  const auto all_ended = [&] {
    int flag = 0;
    const int code = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE);
    return code == MPI_SUCCESS && flag != 0;
  };
  while (!all_ended()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      for (MPI_Request& request : requests) {
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
      }
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

}  // namespace penstock::transport
