target_link_libraries(${library} PRIVATE SentencePiece::SentencePiece)
