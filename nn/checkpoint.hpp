/// \file
/// A whole training state in one safetensors file: parameters, optimiser, their moving average,
/// random generators and whatever else a run needs to go on as if it had never stopped.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tensorette/nn/module.hpp>
#include <tensorette/nn/optim/moving_average.hpp>
#include <tensorette/nn/optim/optimizer.hpp>
#include <tensorette/tensor/io/safetensors.hpp>

namespace tensorette::nn {

/// The contents of a checkpoint file.
///
/// Tensors are named "model.<parameter>", "optimizer.<entry>" and "average.<entry>"; generators
/// stand in the metadata under "generators" as JSON, and "format" says what the file is. All other
/// metadata is the program's own (text, usually JSON).
///
///     Checkpoint checkpoint;
///     checkpoint.put(model);
///     checkpoint.put(optimizer);
///     checkpoint.metadata["epoch"] = "3";
///     checkpoint.save("model.safetensors");
class Checkpoint {
 public:
  /// \throws FormatError for a missing, damaged or foreign file
  [[nodiscard]] static Checkpoint load(const std::string& path);
  /// Atomic: an existing file is replaced whole or stays as it was. Weights may be stored narrower
  /// for use without training; they are read back as f32. \throws FormatError
  void save(const std::string& path, StoredType stored = StoredType::as_is) const;

  /// The mean of models of one kind, often the last ones of a run (Vaswani et al. 2017,
  /// section 6.1), computed in f64; everything else is the last one's. \throws FormatError unless
  /// there is one and all parameters have the same names, shapes and dtypes
  [[nodiscard]] static Checkpoint average(std::span<const Checkpoint> checkpoints);

  /// A copy with tensors of its own. What put() takes goes on to be that of the model and the
  /// optimiser, and changes with them.
  [[nodiscard]] Checkpoint clone() const;

  /// Takes the parameters and the generators of a model.
  void put(const Module& model);
  void put(const optim::Optimizer& optimizer);
  void put(const optim::ExponentialMovingAverage& average);
  void put(const std::string& name, const Generator& generator);

  /// Each checks first and changes nothing when it throws. \throws FormatError
  void restore(Module& model) const;
  void restore(optim::Optimizer& optimizer) const;
  void restore(optim::ExponentialMovingAverage& average) const;
  void restore(const std::string& name, Generator& generator) const;

  /// Parameters only, for use without training.
  void drop_training_state();

  /// An entry of the metadata. \throws FormatError naming file and entry
  [[nodiscard]] const std::string& at(const std::string& name) const;

  std::map<std::string, std::string> metadata;

 private:
  StateDict model_;
  std::map<std::string, Tensor> optimizer_;
  std::map<std::string, Tensor> average_;
  std::map<std::string, Generator::State> model_generators_;
  std::map<std::string, Generator::State> generators_;
  std::string path_ = "checkpoint";
};

}  // namespace tensorette::nn
