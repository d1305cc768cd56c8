target_link_libraries(${library} PRIVATE SentencePiece::SentencePiece)

# Every source that names a class of CLI11 takes ten seconds, one that converts JSON five.
set(source_dir "${entry}")
function(compile_together name)
  list(TRANSFORM ARGN PREPEND "${source_dir}/")
  tensorette_compile_together(${library} ${name} ${ARGN})
endfunction()
compile_together(arguments command_line.cpp data_arguments.cpp train_arguments.cpp
                 translation_arguments.cpp other_arguments.cpp average_command.cpp
                 number_validators.cpp)
compile_together(saved_state data_options.cpp training_options.cpp training_progress.cpp
                 segmenter.cpp translator.cpp trainer.cpp)
compile_together(results evaluation.cpp evaluate_command.cpp score_commands.cpp train_command.cpp
                 curve_command.cpp run_log.cpp)
