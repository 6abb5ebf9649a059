import pytest
import Stemmer

from hott import Corpus
from hott.text.languages import (
    ENGLISH,
    LANGUAGES,
    Detected,
    check_language,
    choose_language,
    detect,
    stemmer,
    stop_words,
)
from hott.text.tokens import tokenize

# The same few sentences, as a speaker of each language might put them.
SAMPLES = {
    "arabic": """ذهبت مع صديقي إلى السوق في الصباح، ثم عدنا إلى البيت لأن المطر كان شديدا. هذا هو ما
        حدث في ذلك اليوم.""",
    "czech": """Ráno jsme šli s přítelem na trh, ale protože pršelo, byli jsme brzy zase doma. To je
        vše, co se stalo.""",
    "danish": """Om morgenen gik jeg ud på torvet med min ven, men da det blev regnvejr, var vi
        hurtigt hjemme igen. Det er alt, hvad jeg kan sige om det, og jeg ved ikke hvorfor
        han ikke kom af sig selv.""",
    "dutch": """In de ochtend ging ik met een vriend naar de markt, maar omdat het regende waren wij
        weer snel thuis.""",
    "english": """In the morning I went to the market with a friend, but because it was raining we
        were soon home.""",
    "finnish": """Aamulla menin ystäväni kanssa torille, mutta koska satoi, olimme pian taas kotona.
        Siinä se oli.""",
    "french": """Le matin je suis allé au marché avec un ami, mais comme il pleuvait nous sommes vite
        rentrés. C'est tout ce qu'il y a à dire de l'affaire.""",
    "german": """Am Morgen ging ich mit einem Freund auf den Markt, aber weil es regnete, waren wir
        bald wieder zu Hause.""",
    "greek": """Το πρωί πήγα με έναν φίλο στην αγορά, αλλά επειδή έβρεχε γυρίσαμε γρήγορα στο σπίτι.
        Αυτό είναι όλο.""",
    "hindi": """सुबह मैं एक मित्र के साथ बाज़ार गया, लेकिन बारिश हो रही थी इसलिए हम जल्दी घर आ गए।""",
    "hungarian": """Reggel elmentem a barátommal a piacra, de mivel esett az eső, hamar otthon voltunk.
        Ez volt az egész.""",
    "indonesian": """Pagi itu saya pergi ke pasar dengan seorang teman, tetapi karena hujan kami segera
        pulang lagi.""",
    "italian": """La mattina sono andato al mercato con un amico, ma poiché pioveva siamo presto
        tornati a casa nostra.""",
    "norwegian": """Om morgenen gikk jeg ut på torget med en venn, men da det ble regn var vi snart
        hjemme igjen. Det er alt jeg vet om det, og jeg kan ikke si hvorfor han ikke kom
        selv, eller hva som var galt med ham.""",
    "polish": """Rano poszedłem z przyjacielem na targ, ale ponieważ padało, szybko byliśmy znowu w
        domu. To jest wszystko.""",
    "portuguese": """De manhã fui ao mercado com um amigo, mas como estava a chover voltámos logo para
        casa. Não há mais.""",
    "romanian": """Dimineața am fost la piață cu un prieten, dar pentru că ploua ne-am întors repede
        acasă. Asta este tot.""",
    "russian": """Утром я пошёл с другом на рынок, но так как шёл дождь, мы скоро были снова дома. Это
        всё, что было.""",
    "spanish": """Por la mañana fui al mercado con un amigo, pero como llovía volvimos pronto a casa.
        No hay más que decir.""",
    "swedish": """På morgonen gick jag till torget med en vän, men eftersom det regnade var vi snart
        hemma igen.""",
    "turkish": """Sabah bir arkadaşım ile pazara gittim ama yağmur olduğu için çok geçmeden yine evde
        idik. Hepsi bu kadar.""",
    "yiddish": """אין דער פֿרי בין איך געגאַנגען מיט אַ פֿרײַנד אויפֿן מאַרק, אָבער ווײַל עס האָט
        גערעגנט זענען מיר באַלד געווען אין דער היים.""",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_language_is_known_by_its_stop_words(language):
    found = detect([SAMPLES[language]])
    assert found.language == language
    assert found.share > found.next_share
    assert found.share == pytest.approx(
        sum(word in stop_words(language) for word in tokenize(SAMPLES[language]))
        / len(tokenize(SAMPLES[language]))
    )


def test_a_corpus_is_in_the_language_of_most_of_its_texts():
    found = detect(Corpus([SAMPLES["german"]] * 3 + [SAMPLES["english"]]))
    assert (found.language, found.next, found.clear, found.others) == (
        "german",
        "english",
        True,
        ("english",),
    )
    assert found.languages == "german,english"
    assert found.note.startswith("most texts are in German, and some in English")


def test_one_german_book_among_english_reports_does_not_make_them_german():
    texts = [SAMPLES["english"]] * 20 + [" ".join([SAMPLES["german"]] * 500)]
    assert detect(texts).languages == "english,german"
    assert detect([SAMPLES["english"]] * 20).languages == "english"


def test_one_word_again_and_again_is_no_language():
    patches = f"{SAMPLES['english']} b src lang items rs a src lang items rs"
    listed = (
        "src lang items, src lang rules, src lang types, src lang traits, src lang names, min for io, min io"
    )
    assert detect([SAMPLES["english"]] * 5 + [listed, patches]).languages == "english"
    assert choose_language(tokenize(listed), "english,german,esperanto") == "english"
    assert choose_language(tokenize("Schnee und Eis im Mai"), "english,german,esperanto") == "german"


def test_a_table_of_places_is_in_no_other_language():
    table = "Games won was as of April: LA 5, VAN 2, QUE 3, MON 1; " + "MON LA, LA VAN, QUE LA, VAN MON, " * 5
    assert detect([SAMPLES["english"]] * 5 + [table]).languages == "english"


def test_a_few_texts_among_thousands_are_not_told_as_a_language():
    many = [SAMPLES["english"]] * 400
    assert detect([*many, SAMPLES["german"]]).note == ""
    assert detect([*many, *[SAMPLES["german"]] * 3]).languages == "english,german"


def test_names_of_languages_are_checked():
    assert check_language("english, german") == "english,german"
    with pytest.raises(ValueError, match="klingon"):
        check_language("english,klingon")


@pytest.mark.parametrize(
    "texts", [[], [""], ["Schrödinger Heisenberg Bohr"], ["我喜欢猫，也喜欢狗。"], ["die"], ["1 2 3"]]
)
def test_without_enough_stop_words_it_is_english_with_a_note(texts):
    found = detect(texts)
    assert (found.language, found.clear) == ("english", False)
    assert found.note.startswith("the language is taken to be English, which is not certain")


def test_where_two_languages_are_as_likely_the_note_names_both():
    even = detect(["der die das und mit the and of with is"])
    assert (even.language, even.next, even.clear) == ("english", "german", False)
    assert "50% of the text are its stop words, and 50% those of German" in even.note
    near = detect(["der die das und mit the and of with is"] * 10 + ["der die das"])
    assert (near.language, near.next, near.clear) == ("english", "german", False)  # 50 against 53
    assert Detected("danish", 0.3, "norwegian", 0.29, False).note.endswith(
        "30% of the text are its stop words, and 29% those of Norwegian. Name the language, such as "
        'language="norwegian", if it is another.'
    )


def test_a_tenth_more_stop_words_are_clear():
    assert detect(["und the"] * 30 + ["und"] * 3).clear
    assert not detect(["und the"] * 30 + ["und"] * 2).clear


class TestStopWords:
    def test_every_language_of_the_stemmers_has_some(self):
        assert set(LANGUAGES) == set(Stemmer.algorithms()) - {"porter", "dutch_porter"}
        for language in LANGUAGES:
            assert len(stop_words(language)) > 25

    def test_are_words_as_the_texts_are_split(self):
        for language in set(LANGUAGES) - {"english"}:  # scikit-learn's list has "a" and "i"
            for word in stop_words(language):
                assert tokenize(word) == [word]

    @pytest.mark.parametrize(
        ("language", "words"),
        [
            ("german", "der die und nicht über würde"),
            ("french", "les dans qu jusqu aujourd hui été"),
            ("italian", "della dell nell perché"),
            ("spanish", "los para según también"),
            ("russian", "что не ещё еще она"),
            ("romanian", "şi și aceşti acești"),
            ("serbian", "да da што što неће neće"),
            ("turkish", "ve için şu"),
        ],
    )
    def test_hold_what_says_nothing(self, language, words):
        assert set(words.split()) <= stop_words(language)

    @pytest.mark.parametrize(
        ("language", "words"),
        [
            ("italian", "città consiglio mondo"),
            ("portuguese", "sistema conselho"),
            ("spanish", "trabajo empleo"),
            ("russian", "жизнь люди"),
            ("czech", "design email"),
        ],
    )
    def test_do_not_hold_what_a_text_is_about(self, language, words):
        assert not set(words.split()) & stop_words(language)

    def test_english_is_the_mended_list_of_scikit_learn(self):
        assert stop_words("english") == ENGLISH
        assert len(ENGLISH) == 317
        assert {"the", "isn", "ll", "do", "does", "did", "doing", "having"} < ENGLISH
        assert not {"interest", "fire", "system"} & ENGLISH

    def test_of_a_language_there_is_not(self):
        with pytest.raises(ValueError, match=r"language must be one of arabic, .*; got 'klingon'"):
            stop_words("klingon")


def test_stemmers():
    assert [stemmer("russian")(word) for word in ("дома", "домов")] == ["дом", "дом"]
    assert [stemmer("french")(word) for word in ("continuellement", "continuelle")] == ["continuel"] * 2
    with pytest.raises(ValueError, match=r"stem must be True, False or one of .*german.*; got 'klingon'"):
        stemmer("klingon")
