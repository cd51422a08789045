/// Everything a program needs.
#pragma once

#include <penstock/array.hpp>
#include <penstock/error.hpp>
#include <penstock/group.hpp>
#include <penstock/kernel.hpp>
#include <penstock/kernels.hpp>
#include <penstock/request.hpp>
#include <penstock/runtime.hpp>
#include <penstock/typed_kernel.hpp>
#include <penstock/types.hpp>
