// What people read, in the language they chose. Keys, file formats and the command line stay English: nobody
// installs a language there.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace shardscope {

// Marks a phrase of a table for the translators' catalogue (`./dev translate`) and leaves it as it is.
constexpr const char* phrase(const char* english) { return english; }

// The phrase in the language spoken, {1} to {9} replaced by `parts`; English where the language lacks it.
// A literal given here is in the catalogue too. Whole sentences, never fragments: their order differs.
std::string said(std::string_view phrase, std::initializer_list<std::string_view> parts = {});

using Language = std::function<std::string(std::string_view english)>;  // empty where it lacks the phrase

// The language of all that follows; none is English. Called before other threads begin.
void speak(Language spoken);
// While one of these lives, this thread says everything in English: what is written for other programs.
class InEnglish {
  public:
    InEnglish();
    ~InEnglish();
    InEnglish(const InEnglish&) = delete;
    InEnglish& operator=(const InEnglish&) = delete;
};

// Whether it is English, whose labels lose their capital within a sentence; other languages' nouns may not.
bool speaks_english();

}  // namespace shardscope
