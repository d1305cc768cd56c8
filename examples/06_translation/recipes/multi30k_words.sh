#!/bin/sh
# Trains a translator from German to English on Multi30k in whole words and prints the loss on the
# validation set after each epoch beside what the tutorial it follows reports for PyTorch:
# https://github.com/bentrevett/pytorch-seq2seq, part 6, "Attention is All You Need".
#
#   recipes/multi30k_words.sh CORPUS [OUTPUT]
#
# CORPUS holds train, val and test_2016_flickr, each as .de.gz and .en.gz. PROGRAM names the
# translation program where it is not in build/bin of the working directory.
set -eu

corpus=${1:?usage: multi30k_words.sh CORPUS [OUTPUT]}
output=${2:-build/multi30k_words}
program=${PROGRAM:-build/bin/06_translation}
recipes=$(dirname "$0")

mkdir -p "$output"
for set in train val test_2016_flickr; do
  gzip -dc "$corpus/$set.de.gz" >"$output/$set.de"
  # The tutorial's tokenizer parts English words at their hyphens.
  gzip -dc "$corpus/$set.en.gz" | sed -E 's/([[:alpha:]])-([[:alpha:]])/\1 - \2/g' >"$output/$set.en"
done

"$program" train --config "$recipes/multi30k_words.cfg" --output "$output" \
  --source "$output/train.de" --target "$output/train.en" \
  --valid-source "$output/val.de" --valid-target "$output/val.en" \
  --test-source "$output/test_2016_flickr.de" --test-target "$output/test_2016_flickr.en"

printf '\nepoch  loss   tutorial\n'
sed -n 's/.*"validation_loss":\([0-9.]*\).*/\1/p' "$output/log.jsonl" |
  awk 'BEGIN { split("3.021 2.289 1.981 1.812 1.712 1.649 1.624 1.628 1.613 1.629", published) }
       { printf "%5d  %.3f  %s\n", NR, $1, published[NR] }'
