#include <tensorette/autograd/trace/cost.hpp>

namespace tensorette {
namespace {

double count(const Variable& x) {
  return static_cast<double>(x.element_count());
}

// Each element of the output is the sum of as many products as the last axis of `a` has elements.
double product(const Variable& a, const Variable& output) {
  return 2.0 * static_cast<double>(a.size(-1)) * count(output);
}

double attention(double queries, double keys, double widths, double heads) {
  return heads * queries * keys * (2.0 * widths + 5.0);
}

}  // namespace

double flops_of(Op op, std::span<const Variable* const> inputs, const Variable& output,
                std::span<const Tensor> extra) {
  switch (op) {
    case Op::matmul:
      return product(*inputs[0], output);
    case Op::linear:
      return product(*inputs[0], output) + (inputs[2]->is_defined() ? count(output) : 0.0);
    case Op::attention: {
      const Shape& query = inputs[0]->shape();
      const Shape& value = inputs[2]->shape();
      const Index widths = query[3] + value[3];
      return attention(static_cast<double>(query[2]), static_cast<double>(value[2]),
                       static_cast<double>(widths), static_cast<double>(query[0] * query[1]));
    }
    case Op::packed_attention: {
      // Its extra is the logarithm of the sum behind each softmax: [batch, heads, queries].
      const Shape& packed = inputs[0]->shape();
      const double heads = extra.empty() ? 1.0 : static_cast<double>(extra[0].size(1));
      const auto tokens = static_cast<double>(packed[1]);
      const double widths = 2.0 * static_cast<double>(packed[2]) / 3.0 / heads;
      return attention(tokens, tokens, widths, static_cast<double>(packed[0]) * heads);
    }
    case Op::softmax:
    case Op::log_softmax:
    case Op::cross_entropy:
    case Op::logsumexp:
      return 5.0 * count(*inputs[0]);
    case Op::linear_cross_entropy: {
      const Shape& weight = inputs[1]->shape();
      const auto logits = count(output) * static_cast<double>(weight[0]);
      return logits * (2.0 * static_cast<double>(weight[1]) + 5.0);
    }
    case Op::layer_norm:
    case Op::rms_norm:
      return 8.0 * count(output);
    case Op::dropout:
      return count(output);
    default:
      break;
  }
  if (op >= Op::add && op <= Op::clamp) return count(output);
  if (op >= Op::sum && op <= Op::cumsum) return count(*inputs[0]);
  return 0.0;
}

Index new_bytes_of(std::span<const Variable* const> inputs, const Variable& output) {
  for (const Variable* input : inputs) {
    if (input->is_defined() && input->value().shares_storage_with(output.value())) return 0;
  }
  return output.element_count() * static_cast<Index>(size_of(output.dtype()));
}

}  // namespace tensorette
