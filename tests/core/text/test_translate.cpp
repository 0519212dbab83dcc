#include "text/translate.h"

#include <catch2/catch.hpp>
#include <map>

#include "explain/output.h"
#include "explore/difference.h"
#include "parameters/parameter.h"

using namespace shardscope;

namespace {

// Installs a language for its lifetime.
class LanguageGuard {
  public:
    explicit LanguageGuard(std::map<std::string, std::string, std::less<>> words) {
        set_translation([words = std::move(words)](std::string_view english) {
            const auto found = words.find(english);
            return found == words.end() ? std::string() : found->second;
        });
    }
    ~LanguageGuard() { set_translation({}); }
    LanguageGuard(const LanguageGuard&) = delete;
    LanguageGuard& operator=(const LanguageGuard&) = delete;
};

}  // namespace

TEST_CASE("translate: texts are English without an installed language", "[translate]") {
    CHECK(is_english());
    CHECK(translate("does not fit") == "does not fit");
    CHECK(translate("") == "");
    CHECK(translate("{1} of {2}", {"a", "b"}) == "a of b");
    CHECK(label_of(P::gpus) == "GPUs");
    CHECK(help_of(P::layers) == "Transformer layers.");
    CHECK(label_of(Output::peak_memory) == "Peak memory");
}

TEST_CASE("translate: each placeholder is filled once", "[translate]") {
    CHECK(translate("{2} {1} {2}", {"a", "b"}) == "b a b");
    CHECK(translate("{1}{2}{3}{4}{5}{6}{7}{8}{9}", {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) ==
          "123456789");
    CHECK(translate("{1} and {2}", {"{2}", "{1}"}) == "{2} and {1}");
    CHECK(translate("{ {1 {a} {0} {3} {", {"x", "y"}) == "{ {1 {a} {0} {3} {");
    CHECK(translate("{1", {"x"}) == "{1");
    CHECK(translate("{1}{", {"x"}) == "x{");
}

TEST_CASE("translate: texts are in the installed language", "[translate]") {
    const LanguageGuard german({{"GPUs", "GPUs im Verbund"},
                                {"{1} of {2}", "von {2} sind es {1}"},
                                {"Intra-node bandwidth", "Verbindung im Knoten"},
                                {"{1} GPUs", "{1} GPUs zusammen"},
                                {"same settings", "gleiche Einstellungen"}});
    CHECK_FALSE(is_english());
    CHECK(translate("{1} of {2}", {"a", "b"}) == "von b sind es a");
    // A text without a translation stays English.
    CHECK(translate("{1} takes over", {"a"}) == "a takes over");
    CHECK(label_of(P::gpus) == "GPUs im Verbund");
    CHECK(label_of(P::micro_batch) == "Micro-batch");
    // Keys and names are not translated.
    CHECK(written(P::sharding, 3) == "zero3");
    CHECK(find_parameter("gpus") == P::gpus);

    Scenario from = Scenario::first_launch(Catalogue::shipped());
    Scenario to = from;
    CHECK(in_words(differences(answer(from), answer(to))) == "gleiche Einstellungen");
    to.give(P::gpus, 128);
    to.give(P::intra_node_bandwidth, 300e9);
    // German nouns keep their capitals.
    CHECK(in_words(differences(answer(from), answer(to))) ==
          "128 GPUs zusammen · Verbindung im Knoten 300 GB/s");
}

TEST_CASE("translate: a whole sentence is translated", "[translate]") {
    Scenario scenario = Scenario::first_launch(Catalogue::shipped());
    scenario.give(P::gpus, 1);
    const std::string english = wall_sentence(answer(scenario));
    {
        const LanguageGuard german({{"Memory is the wall: {1} too much.", "Grenze: Speicher, {1} zu viel."},
                                    {"Optimizer state", "Zustand des Optimierers"},
                                    {"{1} alone needs {2} of {3}.", "{1} braucht {2} von {3}."}});
        CHECK(wall_sentence(answer(scenario)).starts_with("Grenze: Speicher, "));
        CHECK(wall_sentence(answer(scenario)).find("Zustand des Optimierers braucht ") != std::string::npos);
    }
    CHECK(wall_sentence(answer(scenario)) == english);
    CHECK(english.starts_with("Memory is the wall: "));
    CHECK(english.find("Optimizer state alone needs ") != std::string::npos);
}

TEST_CASE("translate: a parameter is found by its English words and by those of the language",
          "[translate]") {
    const std::string english = synonyms_of(P::gpus);
    CHECK(english == parameter(P::gpus).synonyms);
    CHECK(synonyms_of(P::bias).empty());
    const LanguageGuard german({{english, "Karten, Beschleuniger"}});
    CHECK(synonyms_of(P::gpus) == english + ", Karten, Beschleuniger");
}
