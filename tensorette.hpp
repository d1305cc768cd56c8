/// \file
/// Everything a program needs, in one include. Only the bridge to xtensor, tensor/xtensor.hpp, is
/// asked for by name: it would bring xtensor's headers along.
#pragma once

#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/dtype.hpp>
#include <tensorette/tensor/elementwise.hpp>
#include <tensorette/tensor/error.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/intrusive_ptr.hpp>
#include <tensorette/tensor/io/atomic_file.hpp>
#include <tensorette/tensor/io/npy.hpp>
#include <tensorette/tensor/io/safetensors.hpp>
#include <tensorette/tensor/matmul.hpp>
#include <tensorette/tensor/memory.hpp>
#include <tensorette/tensor/parallel.hpp>
#include <tensorette/tensor/print.hpp>
#include <tensorette/tensor/random.hpp>
#include <tensorette/tensor/reduce.hpp>
#include <tensorette/tensor/shape.hpp>
#include <tensorette/tensor/shaping.hpp>
#include <tensorette/tensor/storage.hpp>
#include <tensorette/tensor/tensor.hpp>
