#include <tensorette_test.hpp>

#include <tensorette/nn/optim/schedule.hpp>
#include <tensorette/tensor/error.hpp>

using namespace tensorette::optim;

TEST_CASE("inverse square root warm-up has its published values", "[nn][optim][field][D19]") {
  const InverseSquareRootSchedule schedule{.dim = 512, .warmup = 4000};
  CHECK(schedule(1) == Catch::Approx(1.746928e-7));
  CHECK(schedule(4000) == Catch::Approx(6.987712e-4));
  CHECK(schedule(8000) == Catch::Approx(4.941059e-4));
  CHECK(schedule(0) == schedule(1));
  const InverseSquareRootSchedule cold{.dim = 4, .warmup = 0};
  CHECK(cold(1) == 0.5);
  CHECK(cold(4) == 0.25);
}

TEST_CASE("cosine, step and linear schedules", "[nn][optim]") {
  const CosineSchedule cosine{.peak = 1.0, .warmup = 10, .total = 110, .floor = 0.1};
  CHECK(cosine(1) == Catch::Approx(0.1));
  CHECK(cosine(10) == Catch::Approx(1.0));
  CHECK(cosine(60) == Catch::Approx(0.55));
  CHECK(cosine(110) == Catch::Approx(0.1));
  CHECK(cosine(500) == Catch::Approx(0.1));

  const CosineSchedule too_long{.warmup = 10, .total = 5};
  CHECK_THROWS_WITH(too_long(1),
                    "cosine schedule: warmup must be in [0, total], got 10 of 5 updates");
  CHECK_THROWS_AS((CosineSchedule{.warmup = -1}(1)), tensorette::Error);

  const StepSchedule step{.initial = 1.0, .interval = 10, .decay = 0.5};
  CHECK(step(1) == 1.0);
  CHECK(step(10) == 1.0);
  CHECK(step(11) == 0.5);
  CHECK(step(21) == 0.25);
  CHECK_THROWS_AS((StepSchedule{.interval = 0}(1)), tensorette::Error);

  const LinearSchedule linear{.first = 1.0, .last = 0.0, .total = 11};
  CHECK(linear(1) == 1.0);
  CHECK(linear(6) == Catch::Approx(0.5));
  CHECK(linear(11) == 0.0);
  CHECK(linear(99) == 0.0);
}

TEST_CASE("the plateau schedule waits, lowers the rate, and can be continued", "[nn][optim]") {
  PlateauSchedule schedule({.initial = 1.0, .decay = 0.5, .patience = 1, .floor = 0.2});
  CHECK(schedule.report(10.0) == 1.0);
  CHECK(schedule.report(9.0) == 1.0);
  CHECK(schedule.report(9.0) == 1.0);
  PlateauSchedule other({.initial = 1.0, .decay = 0.5, .patience = 1, .floor = 0.2});
  other.set_state(schedule.state());
  CHECK(schedule.report(9.5) == 0.5);
  CHECK(other.report(9.5) == 0.5);
  for (int i = 0; i < 20; ++i) (void)schedule.report(std::numeric_limits<double>::quiet_NaN());
  CHECK(schedule.rate() == 0.2);
}
