/// \file
/// Everything a program needs, in one include.
#pragma once
