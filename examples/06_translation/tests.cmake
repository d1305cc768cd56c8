# A short training on a small corpus: the whole path, not the quality (that is what ./dev demo shows).
tensorette_add_example_test(06_translation_train 06_translation
                            ARGS train --epochs 2 --train-pairs 2000 --test-size 60 --output run
                            EXPECT "60 held-out pairs" "written: run/model.safetensors"
                            TIMEOUT 240)
