// The Transformer and its parts: independence of samples, padding and later tokens; caches; ties.
#include <cmath>
#include <set>
#include <tensorette/autograd/engine.hpp>
#include <tensorette/autograd/ops.hpp>
#include <tensorette/nn/transformer.hpp>
#include <tensorette/tensor/arithmetic.hpp>
#include <tensorette/tensor/create.hpp>
#include <tensorette/tensor/index.hpp>
#include <tensorette/tensor/shaping.hpp>

#include "compare.hpp"
#include "tensorette_test.hpp"

using namespace tensorette;
using namespace tensorette::nn;
using namespace tensorette::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

TransformerOptions small_options() {
  return {.source_vocabulary = 11,
          .target_vocabulary = 9,
          .dim = 8,
          .heads = 2,
          .qkv_dim = 12,
          .hidden = 16,
          .dropout = 0.0,
          .max_length = 20};
}

Transformer make(const TransformerOptions& options, DType dtype = DType::f64) {
  Generator generator(41);
  Transformer model(options, generator);
  model.to(dtype);
  model.eval();
  return model;
}

Tensor ids(std::initializer_list<detail::Nested> values) {
  return tensor(values, DType::i64);
}

Tensor rows(const Tensor& x, Index first, Index count) {
  return narrow(x, 0, first, count);
}

const TransformerLayerOptions layer_options{
    .dim = 6, .heads = 2, .qkv_dim = 8, .hidden = 10, .dropout = 0.0};

}  // namespace

TEST_CASE("an encoder layer is the published sum of its parts", "[transformer]") {
  for (const bool norm_first : {false, true}) {
    Generator generator(42);
    TransformerLayerOptions options = layer_options;
    options.norm_first = norm_first;
    TransformerEncoderLayer layer(options, generator);
    layer.to(DType::f64);
    randomize(layer, generator);
    const Variable x = generator.normal({2, 4, 6}, 0, 1, DType::f64);
    const auto mask = AttentionMask::key_lengths({3, 4}, 4);
    Variable expected;
    if (norm_first) {
      const Variable a = x + layer.self_attention.steps(layer.norm1.forward(x), mask).output;
      expected = a + layer.feed_forward.forward(layer.norm2.forward(a));
    } else {
      const Variable a = layer.norm1.forward(x + layer.self_attention.steps(x, mask).output);
      expected = layer.norm2.forward(a + layer.feed_forward.forward(a));
    }
    Variable scores;
    CHECK(distance(layer.forward(x, mask, &scores).value(), expected.value()) < 1e-12);
    CHECK(scores.shape() == Shape{2, 2, 4, 4});
    const auto& f = layer.feed_forward;
    const Variable spelled = f.second.forward(relu(f.first.forward(x)));
    CHECK(distance(f.forward(x).value(), spelled.value()) < 1e-13);
  }
}

TEST_CASE("a decoder layer is the published sum of its parts", "[transformer]") {
  for (const bool norm_first : {false, true}) {
    Generator generator(43);
    TransformerLayerOptions options = layer_options;
    options.norm_first = norm_first;
    TransformerDecoderLayer layer(options, generator);
    layer.to(DType::f64);
    randomize(layer, generator);
    const Variable x = generator.normal({2, 3, 6}, 0, 1, DType::f64);
    const Variable memory = generator.normal({2, 5, 6}, 0, 1, DType::f64);
    const auto causal = AttentionMask::causal();
    const auto padding = AttentionMask::key_lengths({5, 2}, 5);
    const auto self = [&](const Variable& y) {
      return layer.self_attention.steps(y, causal).output;
    };
    const auto cross = [&](const Variable& y) {
      return layer.cross_attention.steps(y, memory, memory, padding).output;
    };
    Variable y = x;
    if (norm_first) {
      y = y + self(layer.norm1.forward(y));
      y = y + cross(layer.norm2.forward(y));
      y = y + layer.feed_forward.forward(layer.norm3.forward(y));
    } else {
      y = layer.norm1.forward(y + self(y));
      y = layer.norm2.forward(y + cross(y));
      y = layer.norm3.forward(y + layer.feed_forward.forward(y));
    }
    DecoderLayerScores scores;
    CHECK(distance(layer.forward(x, memory, causal, padding, &scores).value(), y.value()) < 1e-12);
    CHECK(scores.self.shape() == Shape{2, 2, 3, 3});
    CHECK(scores.cross.shape() == Shape{2, 2, 3, 5});
    CHECK(scores.cross.value().at<double>(1, 0, 0, 2) == 0.0);
  }
}

TEST_CASE("a batch padded everywhere keeps its shape in both modes", "[transformer][field][A10]") {
  Generator generator(44);
  TransformerEncoder encoder(2, {.dim = 4, .heads = 2, .hidden = 8, .dropout = 0.0}, false,
                             generator);
  const Tensor x = generator.normal({3, 6, 4});
  const auto mask = AttentionMask::key_lengths({1, 1, 1}, 6);
  const Tensor training = encoder.forward(x, mask).value();
  encoder.eval();
  const Tensor evaluation = encoder.forward(x, mask).value();
  CHECK(training.shape() == Shape{3, 6, 4});
  CHECK(same_bits(training, evaluation));
}

TEST_CASE("what stands at padded positions changes nothing else", "[transformer][field][A26]") {
  for (const bool norm_first : {false, true}) {
    Generator generator(45);
    TransformerLayerOptions options = layer_options;
    options.norm_first = norm_first;
    const TransformerEncoder encoder(3, options, norm_first, generator);
    const TransformerDecoder decoder(2, options, norm_first, generator);
    const Tensor target = generator.normal({1, 2, 6});
    const auto padding = AttentionMask::key_lengths({2}, 3);
    Tensor zero = generator.normal({1, 3, 6});
    Tensor huge = zero.clone();
    Tensor third_of_zero = narrow(zero, 1, 2, 1), third_of_huge = narrow(huge, 1, 2, 1);
    fill_(third_of_zero, 0);
    fill_(third_of_huge, 1e6);
    for (const TransformerEncoderLayer& layer : encoder.layers) {
      CHECK(same_bits(narrow(layer.forward(zero, padding).value(), 1, 0, 2),
                      narrow(layer.forward(huge, padding).value(), 1, 0, 2)));
    }
    const Variable of_zero = encoder.forward(zero, padding),
                   of_huge = encoder.forward(huge, padding);
    CHECK(same_bits(narrow(of_zero.value(), 1, 0, 2), narrow(of_huge.value(), 1, 0, 2)));
    CHECK(same_bits(decoder.forward(target, zero, AttentionMask::causal(), padding).value(),
                    decoder.forward(target, huge, AttentionMask::causal(), padding).value()));
  }
}

TEST_CASE("cross-attention hides the padding of the source", "[transformer][field][A34]") {
  const Transformer model = make(small_options(), DType::f32);
  const Tensor target = ids({{1, 5}});
  const Tensor source = ids({{3, 4, 0}});
  const Tensor reference = model.forward(source, target).value();
  CHECK(reference.shape() == Shape{1, 2, 9});
  // The encoder's output at the hidden place is whatever: decoding does not look.
  Tensor memory = model.encode(source).value().clone();
  const Tensor before = model.decode(target, memory, model.source_mask(source)).value();
  Tensor hidden = narrow(memory, 1, 2, 1);
  fill_(hidden, -33);
  CHECK(same_bits(model.decode(target, memory, model.source_mask(source)).value(), before));
  // A source without the padding gives the same.
  CHECK(distance(model.forward(ids({{3, 4}}), target).value(), reference) < 1e-5);
}

TEST_CASE("stacked layers are different and independent", "[transformer][field][A27]") {
  Generator generator(46);
  TransformerEncoder encoder(3, layer_options, false, generator);
  CHECK(encoder.parameter_count() == 3 * encoder.layers[0].parameter_count());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      CHECK_FALSE(same_bits(encoder.layers[i].self_attention.qkv_projection.weight.value(),
                            encoder.layers[j].self_attention.qkv_projection.weight.value()));
      CHECK_FALSE(same_bits(encoder.layers[i].feed_forward.first.weight.value(),
                            encoder.layers[j].feed_forward.first.weight.value()));
    }
  }
  const Tensor other = encoder.layers[1].feed_forward.first.weight.value().clone();
  Tensor changed = encoder.layers[0].feed_forward.first.weight.value();
  fill_(changed, 1);
  CHECK(same_bits(encoder.layers[1].feed_forward.first.weight.value(), other));
}

TEST_CASE("the residual gain scales what writes to the stream, and nothing else", "[transformer]") {
  TransformerOptions options = small_options();
  Transformer whole = make(options);
  options.residual_gain = 0.5;
  Transformer half = make(options);
  const std::vector<nn::NamedParameter> originals = whole.named_parameters();
  const std::vector<nn::NamedParameter> parameters = half.named_parameters();
  int scaled = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const nn::NamedParameter& original = originals[i];
    CAPTURE(original.name);
    const bool writes = original.name.ends_with("attention.output_projection.weight") ||
                        original.name.ends_with("feed_forward.second.weight");
    scaled += writes ? 1 : 0;
    CHECK(same_bits(parameters[i].parameter.value(),
                    original.parameter.value() * (writes ? 0.5 : 1.0)));
  }
  CHECK(scaled == 2 * 2 + 2 * 3);
  for (const double wrong :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    options.residual_gain = wrong;
    CHECK_THAT(error_text<Error>([&] { (void)make(options); }),
               ContainsSubstring("residual_gain must be finite and not negative"));
  }
}

TEST_CASE("the mode of the model reaches every dropout", "[transformer][field][A09]") {
  TransformerOptions options = small_options();
  options.dropout = options.attention_dropout = options.activation_dropout = 0.5;
  Generator first(47), second(47);
  Transformer dropping(options, first);
  Transformer plain(small_options(), second);
  plain.load_state_dict(dropping.state_dict());
  const Tensor source = ids({{3, 4, 5}}), target = ids({{1, 2}});
  CHECK_FALSE(same_bits(dropping.forward(source, target).value(),
                        dropping.forward(source, target).value()));
  dropping.eval();
  CHECK(same_bits(dropping.forward(source, target).value(), plain.forward(source, target).value()));
}

TEST_CASE("sentences do not depend on their batch mates", "[transformer][field][A23]") {
  for (const bool norm_first : {false, true}) {
    TransformerOptions options = small_options();
    options.norm_first = norm_first;
    const Transformer model = make(options);
    const Tensor source = ids({{3, 4, 5, 6}, {7, 8, 0, 0}, {9, 10, 1, 0}});
    const Tensor target = ids({{1, 3, 4}, {1, 5, 0}, {1, 6, 7}});
    const Tensor together = model.forward(source, target).value();
    for (Index i = 0; i < 3; ++i) {
      CHECK(distance(model.forward(rows(source, i, 1), rows(target, i, 1)).value(),
                     rows(together, i, 1)) < 1e-12);
    }
    const std::vector<Index> order{2, 0, 1};
    const Tensor shuffled = model
                                .forward(index_select(source, 0, from_vector(order)),
                                         index_select(target, 0, from_vector(order)))
                                .value();
    CHECK(distance(shuffled, index_select(together, 0, from_vector(order))) < 1e-12);
  }
}

TEST_CASE("no gradient flows from a token to earlier ones", "[transformer]") {
  Generator generator(48);
  TransformerLayerOptions options = layer_options;
  options.norm_first = true;
  TransformerDecoder decoder(2, options, true, generator);
  decoder.to(DType::f64);
  const Variable memory = generator.normal({2, 4, 6}, 0, 1, DType::f64);
  const Variable x = parameter(generator.normal({2, 5, 6}, 0, 1, DType::f64));
  for (Index token = 0; token < 5; ++token) {
    const Variable y = decoder.forward(x, memory);
    const Variable of_token = sum(square(narrow(y, 1, token, 1)));
    const Tensor gradient = grad(of_token, x).value();
    const Tensor later = narrow(gradient, 1, token + 1, 4 - token);
    CHECK(distance(later, zeros(later.shape(), DType::f64)) == 0.0);
    const Tensor own = narrow(gradient, 1, 0, token + 1);
    CHECK(distance(own, zeros(own.shape(), DType::f64)) > 1e-6);
  }
}

TEST_CASE("decoding with a cache gives what the whole forward gives", "[transformer]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const bool norm_first : {false, true}) {
      for (const Positions positions : {Positions::sinusoidal, Positions::learned}) {
        TransformerOptions options = small_options();
        options.norm_first = norm_first;
        options.positions = positions;
        const Transformer model = make(options, dtype);
        const Tensor source = ids({{3, 4, 5, 6}, {7, 8, 0, 0}});
        const Tensor target = ids({{1, 3, 4, 7, 2, 8}, {1, 5, 6, 2, 2, 3}});
        const Tensor whole = model.forward(source, target).value();
        DecoderCache cache = model.start_decoding(source, model.encode(source));
        CHECK(cache.length() == 0);
        for (Index token = 0; token < 6; ++token) {
          const Variable logits = model.decode_cached(narrow(target, 1, token, 1), cache);
          CHECK(distance(logits.value(), narrow(whole, 1, token, 1)) <
                (dtype == DType::f32 ? 1e-5 : 1e-12));
          CHECK_FALSE(logits.requires_grad());
          CHECK(cache.length() == token + 1);
        }
        // Several tokens at once are the same as one by one.
        DecoderCache other = model.start_decoding(source, model.encode(source));
        const Tensor first = model.decode_cached(narrow(target, 1, 0, 4), other).value();
        const Tensor rest = model.decode_cached(narrow(target, 1, 4, 2), other).value();
        CHECK(distance(concat(std::vector{first, rest}, 1), whole) <
              (dtype == DType::f32 ? 1e-5 : 1e-12));
      }
    }
  }
}

TEST_CASE("a reordered cache goes on with the rows asked for", "[transformer]") {
  const Transformer model = make(small_options());
  const Tensor source = ids({{3, 4, 5}, {7, 8, 0}, {9, 0, 0}});
  const Tensor begin = ids({{1, 3}, {1, 4}, {1, 5}});
  const Tensor next = ids({{6}, {7}, {8}, {3}});
  const Tensor picked = ids({2, 0, 0, 1});
  DecoderCache cache = model.start_decoding(source, model.encode(source));
  (void)model.decode_cached(begin, cache);
  cache.reorder(picked);
  const Tensor got = model.decode_cached(next, cache).value();

  const Tensor whole = model
                           .forward(index_select(source, 0, picked),
                                    concat(std::vector{index_select(begin, 0, picked), next}, 1))
                           .value();
  CHECK(distance(got, narrow(whole, 1, 2, 1)) < 1e-12);
  CHECK(cache.sources == std::vector<Index>{2, 0, 0, 1});
  CHECK_THAT(error_text<IndexError>([&] { cache.reorder(ids({1, 4})); }), ContainsSubstring("4"));
}

TEST_CASE("tied matrices are one parameter", "[transformer]") {
  TransformerOptions options = small_options();
  options.source_vocabulary = options.target_vocabulary = 9;
  const auto count = [&](TiedEmbeddings tied) {
    options.tied = tied;
    return make(options).parameter_count();
  };
  const Index matrix = 9 * 8;
  CHECK(count(TiedEmbeddings::none) - count(TiedEmbeddings::output) == matrix);
  CHECK(count(TiedEmbeddings::none) - count(TiedEmbeddings::all) == 2 * matrix);

  options.tied = TiedEmbeddings::all;
  Transformer model = make(options);
  std::set<std::string> names;
  for (const NamedParameter& entry : model.named_parameters()) names.insert(entry.name);
  CHECK(names.count("source_embedding.weight") == 1);
  CHECK(names.count("target_embedding.weight") == 0);
  CHECK(names.count("output.weight") == 0);
  CHECK(model.state_dict().size() == names.size());
  // Tied they stay: after a conversion, after loading, and one gradient collects from all places.
  model.to(DType::f32);
  model.load_state_dict(model.state_dict());
  CHECK(model.source_embedding.weight.value().shares_storage_with(model.output.weight.value()));
  sum(model.forward(ids({{3, 4}}), ids({{1}}))).backward();
  CHECK(model.target_embedding.weight.grad().is_defined());
  CHECK(
      same_bits(model.target_embedding.weight.grad().value(), model.output.weight.grad().value()));

  options.source_vocabulary = 10;
  CHECK_THAT(error_text<Error>([&] { (void)make(options); }),
             ContainsSubstring("10") && ContainsSubstring("9"));
}

TEST_CASE("every parameter of a Transformer gets a gradient", "[transformer]") {
  for (const Positions positions : {Positions::sinusoidal, Positions::learned}) {
    TransformerOptions options = small_options();
    options.positions = positions;
    options.tied = TiedEmbeddings::none;
    const Transformer model = make(options);
    sum(square(model.forward(ids({{3, 4, 5}}), ids({{1, 6}})))).backward();
    for (const NamedParameter& entry : model.named_parameters()) {
      INFO(entry.name);
      REQUIRE(entry.parameter.grad().is_defined());
      CHECK(is_finite(entry.parameter.grad().value()));
    }
  }
}

TEST_CASE("scores of every layer come on request", "[transformer]") {
  const Transformer model = make(small_options());
  TransformerScores scores;
  const Tensor source = ids({{3, 4, 0}}), target = ids({{1, 5}});
  const Tensor with = model.forward(source, target, &scores).value();
  CHECK(same_bits(with, model.forward(source, target).value()));
  REQUIRE(scores.encoder.size() == 2);
  REQUIRE(scores.decoder.size() == 2);
  for (const Variable& layer : scores.encoder) CHECK(layer.shape() == Shape{1, 2, 3, 3});
  for (const DecoderLayerScores& layer : scores.decoder) {
    CHECK(layer.self.shape() == Shape{1, 2, 2, 2});
    CHECK(layer.cross.shape() == Shape{1, 2, 2, 3});
    CHECK(layer.self.value().at<double>(0, 0, 0, 1) == 0.0);
    CHECK(layer.cross.value().at<double>(0, 1, 1, 2) == 0.0);
    CHECK(distance(sum(layer.cross, -1).value(), ones({1, 2, 2}, DType::f64)) < 1e-12);
  }
}

TEST_CASE("wrong input to a Transformer is named with its place", "[transformer]") {
  const Transformer model = make(small_options());
  CHECK_THAT(error_text<IndexError>([&] {
               (void)model.forward(ids({{3, 11}}), ids({{1}}));
             }),
             ContainsSubstring("11") && ContainsSubstring("source_embedding"));
  CHECK_THAT(error_text<ShapeError>([&] {
               (void)model.forward(ids({{3}, {4}}), ids({{1}}));
             }),
             ContainsSubstring("[2, 1]") && ContainsSubstring("[1, 1]"));
  CHECK_THAT(error_text<ShapeError>([&] {
               (void)model.forward(ids({3, 4}), ids({{1}}));
             }),
             ContainsSubstring("[2]"));
  CHECK_THAT(error_text<ShapeError>([&] {
               (void)model.forward(ones({1, 21}, DType::i64), ids({{1}}));
             }),
             ContainsSubstring("21") && ContainsSubstring("20"));
  TransformerOptions wrong = small_options();
  wrong.heads = 5;
  CHECK_THAT(error_text<Error>([&] { (void)make(wrong); }),
             ContainsSubstring("5") && ContainsSubstring("12"));
  wrong = small_options();
  wrong.encoder_layers = -1;
  CHECK_THAT(error_text<Error>([&] { (void)make(wrong); }), ContainsSubstring("-1"));
}
