# The built-in text, with a fifth of the updates. What it learns is tests/programs' affair.
tensorette_add_example_test(10_character_gpt 10_character_gpt ARGS --steps 300
                            EXPECT "45 different ones" "held out"
                                   "[0-9]+ of its [0-9]+ words are words of the text"
                            TIMEOUT 240)
