#!/bin/sh
# Trains the Tatoeba translator, English to French, averages its last epochs, translates the test
# set and prints how good that is. Started again with the same OUTPUT it goes on where it stopped.
#
#   recipes/tatoeba.sh fra-eng.zip [OUTPUT [MINUTES]]
#
# The archive holds fra.txt: English, French and attribution, tabs between, from short to long. Of its
# distinct English sentences every 49th is for the test, 2,000 in all, with the first of its French
# ones; others are for validation; the rest is trained on, so that no English sentence is in two
# sets. PROGRAM names the translation program where it is not in build/bin of the working directory.
set -eu

archive=${1:?usage: tatoeba.sh fra-eng.zip [OUTPUT [MINUTES]]}
output=${2:-build/tatoeba}
minutes=${3:-0}
program=${PROGRAM:-build/bin/06_translation}
recipes=$(dirname "$0")

mkdir -p "$output"
if [ ! -e "$output/test.tsv" ]; then
  unzip -p "$archive" fra.txt | awk -F '\t' -v OFS='\t' -v folder="$output" '
    !($1 in place) {
      place[$1] = ++distinct
      part = distinct % 49
      if (part == 7 && tests < 2000) { ++tests; set[$1] = "test" }
      else if (part == 21) set[$1] = "valid"
      else set[$1] = "train"
      if (set[$1] != "train") { print $1, $2 > (folder "/" set[$1] ".part"); next }
    }
    set[$1] == "train" { print $1, $2 > (folder "/train.part") }'
  for set in train valid test; do mv "$output/$set.part" "$output/$set.tsv"; done
fi

if [ -e "$output/model.safetensors" ]; then
  "$program" train --resume "$output/model.safetensors" --minutes "$minutes" --keep-epochs 5 \
    --save-every 120
else
  "$program" train --config "$recipes/tatoeba.cfg" --output "$output" --minutes "$minutes" \
    --pairs "$output/train.tsv" --valid-pairs "$output/valid.tsv" --test-pairs "$output/test.tsv"
fi

models="best"
if ls "$output"/epoch-*.safetensors >/dev/null 2>&1; then
  "$program" average "$output"/epoch-*.safetensors --output "$output/mean.safetensors"
  models="best mean"
fi
for model in $models; do
  [ -e "$output/$model.safetensors" ] || continue
  echo "$model:"
  "$program" evaluate --checkpoint "$output/$model.safetensors" --beam 5 \
    --pairs "$output/test.tsv" --translations "$output/$model.test.txt"
done
