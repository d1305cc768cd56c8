#include <tensorette/autograd/detail/recorded_call.hpp>
#include <tensorette/autograd/functional.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/detail/require.hpp>

namespace tensorette {
namespace {

using detail::RecordedCall;
using detail::require;

FunctionsOfMany as_list(const FunctionOfMany& f) {
  return [&f](std::span<const Variable> inputs) { return std::vector<Variable>{f(inputs)}; };
}

FunctionOfMany of_one(const Function& f) {
  return [&f](std::span<const Variable> inputs) { return f(inputs[0]); };
}

void check_only_input(const char* operation, const Variable& x) {
  require<Error>(x.is_defined(), "{}: the input is undefined", operation);
  require<DTypeError>(is_floating(x.dtype()), "{}: the input is {}; derivatives need f32 or f64",
                      operation, x.dtype());
}

void check_only_output(const char* operation, const Variable& output) {
  require<Error>(output.is_defined(), "{}: the function gave an undefined Variable", operation);
  require<DTypeError>(is_floating(output.dtype()),
                      "{}: the function gave {}; derivatives need f32 or f64", operation,
                      output.dtype());
}

// A call of a function of many variables to one.
RecordedCall call(const char* operation, const FunctionOfMany& f,
                  std::span<const Variable> inputs) {
  RecordedCall recorded(operation, as_list(f), inputs);
  check_only_output(operation, recorded.outputs()[0]);
  return recorded;
}

ValueAndGradients value_and_gradients(const char* operation, const FunctionOfMany& f,
                                      std::span<const Variable> inputs) {
  const RecordedCall recorded = call(operation, f, inputs);
  const Variable& output = recorded.outputs()[0];
  require(output.element_count() == 1,
          "{}: the function must give one number, it gave shape {}; use vjp() or jacobian()",
          operation, output.shape());
  const Variable one = ones(output.shape(), output.dtype());
  return {recorded.values()[0], recorded.pull_back({&one, 1})};
}

// The functions of one variable that follow are those of many with one input.
FunctionsOfMany named_grad(const char* operation, FunctionOfMany f) {
  return [operation, f = std::move(f)](std::span<const Variable> inputs) {
    return value_and_gradients(operation, f, inputs).gradients;
  };
}

}  // namespace

FunctionsOfMany grad(FunctionOfMany f) {
  return named_grad("grad", std::move(f));
}

FunctionOfMany grad(FunctionOfMany f, std::size_t input) {
  return [f = std::move(f), input](std::span<const Variable> inputs) {
    require<IndexError>(input < inputs.size(), "grad: input {} was asked for, there are {}", input,
                        inputs.size());
    require<DTypeError>(!inputs[input].is_defined() || is_floating(inputs[input].dtype()),
                        "grad: input {} is {}; derivatives need f32 or f64", input,
                        inputs[input].dtype());
    // The others are constants of this derivative, and stay what they are.
    std::vector<Variable> all(inputs.begin(), inputs.end());
    const FunctionOfMany of_that = [&](std::span<const Variable> own) {
      all[input] = own[0];
      return f(all);
    };
    return value_and_gradients("grad", of_that, inputs.subspan(input, 1)).gradients[0];
  };
}

Function grad(Function f) {
  return [f = std::move(f)](const Variable& x) {
    check_only_input("grad", x);
    return value_and_gradients("grad", of_one(f), {&x, 1}).gradients[0];
  };
}

std::function<ValueAndGradients(std::span<const Variable>)> value_and_grad(FunctionOfMany f) {
  return [f = std::move(f)](std::span<const Variable> inputs) {
    return value_and_gradients("value_and_grad", f, inputs);
  };
}

std::function<ValueAndGradient(const Variable&)> value_and_grad(Function f) {
  return [f = std::move(f)](const Variable& x) {
    check_only_input("value_and_grad", x);
    ValueAndGradients found = value_and_gradients("value_and_grad", of_one(f), {&x, 1});
    return ValueAndGradient{std::move(found.value), std::move(found.gradients[0])};
  };
}

ValuesAndGradients vjp(const FunctionsOfMany& f, const std::vector<Variable>& inputs,
                       const std::vector<Variable>& cotangents) {
  const RecordedCall recorded("vjp", f, inputs);
  return {recorded.values(), recorded.pull_back(cotangents)};
}

ValueAndGradients vjp(const FunctionOfMany& f, const std::vector<Variable>& inputs,
                      const Variable& cotangent) {
  const RecordedCall recorded = call("vjp", f, inputs);
  return {recorded.values()[0], recorded.pull_back({&cotangent, 1})};
}

ValueAndGradient vjp(const Function& f, const Variable& x, const Variable& cotangent) {
  check_only_input("vjp", x);
  ValueAndGradients found = vjp(of_one(f), {x}, cotangent);
  return {std::move(found.value), std::move(found.gradients[0])};
}

ValuesAndTangents jvp(const FunctionsOfMany& f, const std::vector<Variable>& inputs,
                      const std::vector<Variable>& tangents) {
  const RecordedCall recorded("jvp", f, inputs);
  return {recorded.values(), recorded.push_forward(recorded.linearized(), tangents)};
}

ValueAndTangent jvp(const FunctionOfMany& f, const std::vector<Variable>& inputs,
                    const std::vector<Variable>& tangents) {
  const RecordedCall recorded = call("jvp", f, inputs);
  return {recorded.values()[0], recorded.push_forward(recorded.linearized(), tangents)[0]};
}

ValueAndTangent jvp(const Function& f, const Variable& x, const Variable& tangent) {
  check_only_input("jvp", x);
  return jvp(of_one(f), {x}, {tangent});
}

std::vector<Variable> hvp(const FunctionOfMany& f, const std::vector<Variable>& inputs,
                          const std::vector<Variable>& vectors) {
  const RecordedCall recorded("hvp", named_grad("hvp", f), inputs);
  return recorded.push_forward(recorded.linearized(), vectors);
}

Variable hvp(const Function& f, const Variable& x, const Variable& vector) {
  check_only_input("hvp", x);
  return hvp(of_one(f), {x}, {vector})[0];
}

std::vector<Variable> vhp(const FunctionOfMany& f, const std::vector<Variable>& inputs,
                          const std::vector<Variable>& vectors) {
  const RecordedCall recorded("vhp", named_grad("vhp", f), inputs);
  return recorded.pull_back(vectors);
}

Variable vhp(const Function& f, const Variable& x, const Variable& vector) {
  check_only_input("vhp", x);
  return vhp(of_one(f), {x}, {vector})[0];
}

}  // namespace tensorette
