/// One of each message, for the tests of their form on the wire.
#pragma once

#include <cstddef>
#include <vector>

#include "cluster/messages.hpp"

namespace penstock::cluster::samples {

using Bytes = std::vector<std::byte>;

inline const Bytes some_parameters(13, std::byte{0x5a});

inline TaskCommand a_task() {
  TaskCommand command;
  command.ticket = 7;
  command.task = core::TaskId(1'000'000'000'001);
  command.attempt = core::Attempt(2);
  command.kernel = core::KernelId(300);
  command.cores = 16;
  command.operands = {
      {OperandKind::read, core::DataId(1), core::Version(5), {}, core::RankId(69), {DType::f32, Shape{}}},
      {OperandKind::write, core::DataId(2), {}, core::Version(1), core::no_rank, {DType::i64, Shape{0, 3}}},
      {OperandKind::consume,
       core::DataId(3),
       core::Version(1),
       core::Version(2),
       core::no_rank,
       {DType::f64, Shape{9}}},
      {OperandKind::copy,
       core::DataId(4),
       core::Version(1),
       core::Version(2),
       core::RankId(0),
       {DType::i32, Shape{1, 2, 3, 4, 5, 6, 7, 8}}},
  };
  command.parameters = some_parameters;
  command.name = "row 3";
  return command;
}

inline EndingReport an_ending() {
  return {.ticket = 9,
          .busy_ns = -1,
          .ending = {.task = core::TaskId(4),
                     .attempt = core::Attempt(1),
                     .outcome = core::Outcome::failed,
                     .rank = core::no_rank,
                     .device = core::DeviceId(3),
                     .cause = core::TaskId(2),
                     .message = "no such file"}};
}

inline Hello a_hello() {
  Hello hello;
  hello.build = "build 1";
  hello.cores = {"host", {0, 1, 5}, 2.5};
  hello.cores_reason = "affinity mask";
  hello.gpus = "two of them";
  hello.visible_gpus = {{"GPU-a", {0, 1}, std::int64_t{1} << 37}, {"", {}, 0}};
  hello.memory_bytes = std::int64_t{1} << 40;
  hello.workers_most = 3;
  hello.mpi = "serialized";
  hello.plugin_failure = "no such file";
  hello.kernels = {"add(f32)", "", "gemm(f64)"};
  return hello;
}

inline Welcome a_welcome() {
  return {.cores = {4, 5, 6}, .gpus = {{0, 1}, {3, 2}}, .host_rank = 1, .host_ranks = 2, .checked = true};
}

inline Bye a_bye() {
  return {.host = "host",
          .cores = "0-3",
          .bytes_sent = 1,
          .bytes_received = ~std::uint64_t{0},
          .devices = {{"cpu", "4 cores", 4, 17, 99}, {"cuda", "", 2, 0, 0}}};
}

template <class Item>
Bytes written(const Item& item) {
  Bytes bytes;
  core::ByteWriter writer(bytes);
  write(writer, item);
  return bytes;
}

}  // namespace penstock::cluster::samples
