/// \file
/// The whole autograd layer, in one include.
#pragma once

#include <tensorette/autograd/custom_operation.hpp>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/functional.hpp>
#include <tensorette/autograd/grad_mode.hpp>
#include <tensorette/autograd/gradcheck.hpp>
#include <tensorette/autograd/node.hpp>
#include <tensorette/autograd/op_table.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/autograd/recompute.hpp>
#include <tensorette/autograd/variable.hpp>
