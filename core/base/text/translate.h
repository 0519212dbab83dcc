// Translates the texts that people read into the language they chose. Keys, file formats and the command line
// stay English, because no language is set there.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace shardscope {

// Marks a literal, such as one in a table, for the translation catalogue (`./dev translate`) and returns it
// unchanged.
constexpr const char* translatable(const char* english) { return english; }

// Returns the text in the current language, or in English if there is no translation, with {1} to {9}
// replaced by `parts`. Literal arguments are collected for the catalogue too. Pass whole sentences, never
// fragments, because word order differs between languages.
std::string translate(std::string_view phrase, std::initializer_list<std::string_view> parts = {});

// Returns the translation of an English text, or an empty string if there is none.
using Translation = std::function<std::string(std::string_view english)>;

// Sets the language of all texts; an empty function means English. Call this before other threads start.
void set_translation(Translation translation);
// While an object of this class exists, its thread produces English texts, as in output for other programs.
class EnglishScope {
  public:
    EnglishScope();
    ~EnglishScope();
    EnglishScope(const EnglishScope&) = delete;
    EnglishScope& operator=(const EnglishScope&) = delete;
};

// Returns whether the current language is English. English labels are written in lower case within a
// sentence; nouns of other languages may have to keep their capital.
bool is_english();

}  // namespace shardscope
