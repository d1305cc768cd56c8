# Finds SentencePiece, which has no CMake package of its own: its reader of models and its trainer.
#
#   SentencePiece::SentencePiece   the target to link
#   SentencePiece_VERSION          from its pkg-config file, where there is one
find_path(SentencePiece_INCLUDE_DIR sentencepiece_trainer.h
          DOC "Directory of sentencepiece_trainer.h")
find_library(SentencePiece_LIBRARY sentencepiece DOC "SentencePiece's reader of models")
find_library(SentencePiece_TRAIN_LIBRARY sentencepiece_train DOC "SentencePiece's trainer")
mark_as_advanced(SentencePiece_INCLUDE_DIR SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY)

set(SentencePiece_VERSION "")
if(SentencePiece_LIBRARY)
  get_filename_component(_sentencepiece_dir "${SentencePiece_LIBRARY}" DIRECTORY)
  if(EXISTS "${_sentencepiece_dir}/pkgconfig/sentencepiece.pc")
    file(STRINGS "${_sentencepiece_dir}/pkgconfig/sentencepiece.pc" _sentencepiece_version
         REGEX "^Version: ")
    string(REGEX REPLACE "^Version: " "" SentencePiece_VERSION "${_sentencepiece_version}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SentencePiece
  REQUIRED_VARS SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY SentencePiece_INCLUDE_DIR
  VERSION_VAR SentencePiece_VERSION)

if(SentencePiece_FOUND AND NOT TARGET SentencePiece::SentencePiece)
  add_library(SentencePiece::Trainer UNKNOWN IMPORTED GLOBAL)
  set_target_properties(SentencePiece::Trainer PROPERTIES
                        IMPORTED_LOCATION "${SentencePiece_TRAIN_LIBRARY}")
  add_library(SentencePiece::SentencePiece UNKNOWN IMPORTED)
  set_target_properties(
    SentencePiece::SentencePiece PROPERTIES
    IMPORTED_LOCATION "${SentencePiece_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SentencePiece_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES SentencePiece::Trainer)
endif()
