/// \file
/// All differentiable operations, in one include.
#pragma once

#include <tensorette/autograd/ops/arithmetic.hpp>
#include <tensorette/autograd/ops/basic.hpp>
#include <tensorette/autograd/ops/elementwise.hpp>
#include <tensorette/autograd/ops/index.hpp>
#include <tensorette/autograd/ops/matmul.hpp>
#include <tensorette/autograd/ops/reduce.hpp>
#include <tensorette/autograd/ops/shaping.hpp>
