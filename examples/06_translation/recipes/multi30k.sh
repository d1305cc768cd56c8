#!/bin/sh
# Trains the Multi30k translator, averages its last epochs, translates the test sets and prints how
# good that is. Started again with the same OUTPUT it goes on where it stopped.
#
#   recipes/multi30k.sh CORPUS [OUTPUT [MINUTES]]
#
# CORPUS holds train, valid, test.2016, test.2017 and test.coco, each as .en and .de. PROGRAM names
# the translation program where it is not in build/bin of the working directory.
set -eu

corpus=${1:?usage: multi30k.sh CORPUS [OUTPUT [MINUTES]]}
output=${2:-build/multi30k}
minutes=${3:-0}
program=${PROGRAM:-build/bin/06_translation}
recipes=$(dirname "$0")

if [ -e "$output/model.safetensors" ]; then
  "$program" train --resume "$output/model.safetensors" --minutes "$minutes" --keep-epochs 10 \
    --save-every 120
else
  "$program" train --config "$recipes/multi30k.cfg" --output "$output" --minutes "$minutes" \
    --source "$corpus/train.en" --target "$corpus/train.de" \
    --valid-source "$corpus/valid.en" --valid-target "$corpus/valid.de" \
    --test-source "$corpus/test.2016.en" --test-target "$corpus/test.2016.de"
fi

models="best"
if ls "$output"/epoch-*.safetensors >/dev/null 2>&1; then
  "$program" average "$output"/epoch-*.safetensors --output "$output/mean.safetensors"
  models="best mean"
fi
printf '%-6s %-10s %s\n' model test BLEU
for model in $models; do
  [ -e "$output/$model.safetensors" ] || continue
  for test in test.2016 test.2017 test.coco; do
    [ -e "$corpus/$test.en" ] || continue
    "$program" evaluate --checkpoint "$output/$model.safetensors" --beam 5 --bleu-tokenizer none \
      --source "$corpus/$test.en" --target "$corpus/$test.de" --json \
      --translations "$output/$model.$test.txt" >"$output/$model.$test.json"
    printf '%-6s %-10s %s\n' "$model" "$test" \
      "$(sed -n 's/^ *"bleu": \([0-9.]*\).*/\1/p' "$output/$model.$test.json")"
  done
done
