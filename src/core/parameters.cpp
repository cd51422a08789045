#include "core/parameters.hpp"

#include <string>

#include "core/bytes.hpp"

namespace penstock::core {

void encode_parameters(std::span<const Parameter> parameters, std::vector<std::byte>& out) {
  ByteWriter writer(out);
  for (const Parameter& parameter : parameters) {
    writer.put(static_cast<std::uint8_t>(parameter.index()));
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
            writer.put_text(value);
          else
            writer.put(value);
        },
        parameter);
  }
}

bool decode_parameters(std::span<const std::byte> bytes, std::vector<Parameter>& parameters) {
  parameters.clear();
  ByteReader reader(bytes);
  while (reader.left() > 0 && !reader.bad()) {
    switch (static_cast<ParameterType>(reader.get<std::uint8_t>())) {
      case ParameterType::boolean:
        parameters.emplace_back(reader.get<std::uint8_t>() != 0);
        break;
      case ParameterType::integer:
        parameters.emplace_back(reader.get<std::int64_t>());
        break;
      case ParameterType::real:
        parameters.emplace_back(reader.get<double>());
        break;
      case ParameterType::text:
        parameters.emplace_back(std::string(reader.get_text()));
        break;
      default:
        return false;
    }
  }
  return !reader.bad();
}

}  // namespace penstock::core
