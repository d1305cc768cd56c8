// Numbers behind the elementary functions, for each floating type: the layout of its bits, the
// limits beyond which a function is constant, and the polynomials (minimax fits by Remez's
// exchange in 160-bit arithmetic, made for this project).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace tensorette::kernels::math {

template <class T>
struct Constants;

template <>
struct Constants<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr Bits mantissa_mask = 0x7fffff;
  static constexpr float exponent_bias = 127;
  static constexpr float round_to_integer = 0x1.8p23F;  // its last bit counts ones
  static constexpr Bits bits_one = std::bit_cast<Bits>(1.0F);
  static constexpr Bits bits_sqrt_half = std::bit_cast<Bits>(0.70710678F);
  static constexpr Bits bits_two_to_mantissa = std::bit_cast<Bits>(0x1p23F);
  static constexpr float denormal_scale = 0x1p24F;
  static constexpr float exponent_of_normal = 0x1p23F + 127;
  static constexpr float exponent_of_denormal = 0x1p23F + 127 + 24;

  // Few bits in the high part, so that its product with an exponent is exact.
  static constexpr float ln_2_high = 0.693359375F;
  static constexpr float ln_2_low = -2.12194440e-4F;
  static constexpr float log2_e = 1.44269504F;

  static constexpr float exp_lowest = -104;  // less than half of the smallest denormal
  static constexpr float exp_is_zero = -88;  // its power of two has the exponent of 0
  static constexpr float exp_highest = 89;   // infinity
  static constexpr float expm1_lowest = -20;
  static constexpr float erf_is_one = 3.95F;
  static constexpr float erf_small_end = 0.925F;

  // (eʳ − 1 − r)/r² for |r| <= ln 2 / 2
  static constexpr std::array exp{0.499999934484F, 0.16666520631F, 0.0416683879302F,
                                  0.00836871694821F, 0.00138146044705F};
  // (2 artanh(s) − 2s)/s³ as a polynomial in s²
  static constexpr std::array log{0.6666666575F, 0.4000031689F, 0.2853825145F, 0.2356706978F};
  // erf(x)/x − 1 as a polynomial in x²
  static constexpr std::array erf_small{0.1283791659F,   -0.3761262622F,  0.1128358826F,
                                        -0.02685391684F, 0.005188500333F, -0.0008011560599F,
                                        7.858031294e-5F};
  // erf(x)/x for |x| < erf_is_one: the ratio of a polynomial in x² and 1 + x² times another
  static constexpr std::array erf_numerator{1.12837900649F,     0.194030739707F,
                                            0.0532064033534F,   0.00391710163683F,
                                            0.000287595106146F, 2.01177352219e-6F};
  static constexpr std::array erf_denominator{0.505286755694F, 0.115588702886F, 0.0152702743553F,
                                              0.00119814692918F, 3.78397391434e-5F};
  // log(1 − erf x)
  static constexpr std::array log_erfc{0.0001746832355F, -1.129514924F,   -0.6333469195F,
                                       -0.108280074F,    0.02511941681F,  -0.004171058763F,
                                       0.0004344616824F, -2.109496474e-5F};
};

template <>
struct Constants<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr Bits mantissa_mask = 0xfffffffffffff;
  static constexpr double exponent_bias = 1023;
  static constexpr double round_to_integer = 0x1.8p52;
  static constexpr Bits bits_one = std::bit_cast<Bits>(1.0);
  static constexpr Bits bits_sqrt_half = std::bit_cast<Bits>(0.70710678118654752);
  static constexpr Bits bits_two_to_mantissa = std::bit_cast<Bits>(0x1p52);
  static constexpr double denormal_scale = 0x1p54;
  static constexpr double exponent_of_normal = 0x1p52 + 1023;
  static constexpr double exponent_of_denormal = 0x1p52 + 1023 + 54;

  static constexpr double ln_2_high = 0x1.62e42feep-1;
  static constexpr double ln_2_low = 1.90821492927058770002e-10;
  static constexpr double log2_e = 1.4426950408889634074;

  static constexpr double exp_lowest = -746;
  static constexpr double exp_is_zero = -709;
  static constexpr double exp_highest = 710;
  static constexpr double expm1_lowest = -40;
  static constexpr double erf_is_one = 5.95;
  static constexpr double erf_small_end = 0.995;

  static constexpr std::array exp{
      0.500000000000000004,     0.166666666666666829,   0.0416666666666661319,
      0.00833333333331735534,   0.00138888888891051588, 0.000198412698957436614,
      0.0000248015869398970497, 2.75572353927059904e-6, 2.75575739832652655e-7,
      2.51118800956092719e-8,   2.08284042868269364e-9};
  static constexpr std::array log{0.666666666666671228, 0.399999999995331835, 0.285714287198796389,
                                  0.222222006089284182, 0.18183469183314062,  0.153162700343382515,
                                  0.147754968843057816};
  static constexpr std::array erf_small{
      0.1283791670955125666,    -0.3761263890318352738,     0.1128379167094438594,
      -0.02686617064313530856,  0.005223977606275595168,    -0.0008548325935647613721,
      0.000120552937409995743,  -0.00001492471509162706408, 1.644716251396019163e-6,
      -1.620652941380748941e-7, 1.371183764742122955e-8,    -7.780950882155964596e-10};
  static constexpr std::array log_erfc{
      -1.395270155864186653e-7,   -1.128377709563483576,     -0.6366268190667669602,
      -0.1027517552771092882,     0.01908649779349847727,    0.0002692390260645731074,
      -0.001757590104295349346,   0.0006323072176384615576,  -0.00003950454112584829796,
      -0.00007282573142270753174, 0.00004590282169737812814, -0.00001673849545221969431,
      4.366763447384854826e-6,    -8.541785788062097493e-7,  1.254643884195283066e-7,
      -1.349527604290170468e-8,   1.006031330237908666e-9,   -4.649126541419034805e-11,
      1.003378214723103478e-12};
};

}  // namespace tensorette::kernels::math
