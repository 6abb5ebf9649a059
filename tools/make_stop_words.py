"""Make src/hott/text/languages/stop_words.txt: the stop words of each language that has a Snowball stemmer.

    pip download --no-deps -d WHEELS stopwordsiso==0.7.1 stop-words==2025.11.4 spacy==3.8.18
    python tools/make_stop_words.py WHEELS

A word is taken when two of the three packages list it, which leaves out the oddities of each; where only one
or two of them know the language, when any does. English is scikit-learn's list, mended here. The licences of
the packages are in NOTICE.
"""

import argparse
import ast
import json
import zipfile
from collections import Counter
from pathlib import Path

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from hott.text.languages import STOP_WORDS
from hott.text.tokens import tokenize

CODES = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "czech": "cs", "danish": "da",
    "dutch": "nl", "esperanto": "eo", "estonian": "et", "finnish": "fi", "french": "fr", "german": "de",
    "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga", "italian": "it",
    "lithuanian": "lt", "nepali": "ne", "norwegian": "no", "persian": "fa", "polish": "pl",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr", "sesotho": "st", "spanish": "es",
    "swedish": "sv", "tamil": "ta", "turkish": "tr", "yiddish": "yi",
}  # fmt: skip

# Listed, but they say what a text is about.
SUBJECTS = {
    "arabic": "ايار برس زيارة قوة لقاء للامم لوكالة مايو",
    "czech": "clanek clanku clanky design email článek článku články strana tema tipy",
    "esperanto": "doktor doktoro",
    "french": "essai force mine mot parole pièce stop sujet valeur état",
    "hungarian": "cikk cikkek cikkeket",
    "indonesian": "bapak ibu kasus mata",
    "italian": """ansa citta città comprare consiglio cortesia forza futuro gente gruppo inc mondo paese piedi
        press promesso registrazione scola titolo uomo vita""",
    "norwegian": "folk",
    "polish": "pan pana pani",
    "portuguese": """apoio conselho grupo local ponto pontos posição questão sistema trabalhar trabalho valor
        verdade área""",
    "russian": "жизнь люди миллионов мира мор процентов человек",
    "serbian": "видео",
    "spanish": """emplean emplear empleas empleais empleo ampleamos estados habla hablan trabaja trabajais
        trabajamos trabajan trabajar trabajas trabajo valor""",
    "swedish": "beslut beslutat beslutit",
    "turkish": "iş kaynak",
}

# Written by the hott developers: what an apostrophe leaves of a word, and what short lists lack.
OURS = {
    "estonian": """ainult alates all edasi ega ehk enam enne hea ikka iga ise isegi ju juba
        juures kaks ka keda kelle kes kogu koos kuhu kuid kuidas kuigi kuna kuni kus
        küll ligi läbi meie meil meid mille millal millest miks mitte muidugi mõni
        nagu need neid neil nende nendest ning nüüd olema olid olla olnud ole oleks
        palju pärast poolt peaks peab praegu sama samuti sest saab saada sai sellel
        sellele selles sellest sina sind sinu su sul suur teda teid teie teil teine
        tema temal tuleb vaid veel väga või võib vahel ühe üks üle""",
    "french": "aujourd hui jusqu lorsqu presqu puisqu quelqu quoiqu",
    "irish": "agus bhfuil bhí chun dá gach nach níl siad sibh sinn",
    "yiddish": """אַ אַדער אויב אויך אויס אויף אום אונדז אונדזער און אונטער אונז אז אַז איבער
        איז איך אין אינעם איר אירע אל אַלע אַלץ אן אַן אָן אָבער אָדער אט אָט ביי
        בײַ ביז ביסט געווען געוואָרן געהאַט דאָ דאָך דאַן דאַרף דאָס דורך די דיר דין
        דײַן דעם דען דער דערנאָך דעריבער האָב האָבן האָט האָסט הינטער ווי וויל ווײַל
        ווײל וועט וועל וועלן וועלכע וועלכער ווען ווער ווערן ווערט וואָלט וואָס וואו
        וווּ זאָל זאָלן זי זיי זײ זיין זײַן זײַנען זענען זיך זינט זעלבע טאָר יא יאָ
        יעדע יעדער יענע יענער יעצט יעמאָלט יעמער מען מיט מיין מײַן מיך מיר מער מוז
        נאָך נאָר ניט נישט ניטאָ נו סאי עס עטלעכע ער ערשט פאַר פֿאַר פון פֿון פֿונעם
        צו צום צווישן קיין קען קענען שוין ס'איז""",
}

# scikit-learn's list holds words that carry a subject (a bank's interest, a fire, a bill in parliament) and
# lacks what an apostrophe leaves of isn't, we'll and they've, and some forms of words that it has.
_SUBJECTS = """amount bill bottom call computer con cry describe detail empty fill fire front interest mill
    move name part serious show side sincere system thick thin top"""
_CONTRACTIONS = """ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn shouldn ve wasn weren
    wouldn"""
_FORMS = "did does doing having shall theirs"
ENGLISH = ENGLISH_STOP_WORDS - {*_SUBJECTS.split()} | {*_CONTRACTIONS.split(), *_FORMS.split()}

LATIN = "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š"
CYRILLIC = dict(zip("абвгдђежзијклљмнњопрстћуфхцчџш", LATIN.split()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheels", type=Path, help="folder of the downloaded packages")
    wheels = parser.parse_args().wheels
    packages = "stopwordsiso", "stop_words", "spacy"
    iso, plain, spacy = (zipfile.ZipFile(next(wheels.glob(f"{name}-*.whl"))) for name in packages)
    by_code = json.loads(iso.read("stopwordsiso/stopwords-iso.json"))
    lines = [f"english {' '.join(sorted(ENGLISH))}"]
    for language, code in CODES.items():
        lists = [by_code.get(code, ()), plain_list(plain, language), spacy_list(spacy, code)]
        words = agreed([{token for word in listed for token in tokenize(word)} for listed in lists])
        words |= set(tokenize(OURS.get(language, "")))
        words = spellings(language, words - set(tokenize(SUBJECTS.get(language, ""))))
        lines.append(f"{language} {' '.join(sorted(words))}")
        print(f"{language:12}{len(words):5} words")
    STOP_WORDS.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


def agreed(lists: list[set[str]]) -> set[str]:
    """Words that two lists have; any word where fewer than three lists have words at all."""
    votes = Counter(word for words in lists for word in words)
    needed = 2 if all(lists) else 1
    return {word for word, count in votes.items() if count >= needed}


def plain_list(package: zipfile.ZipFile, language: str) -> list[str]:
    name = f"stop_words/stop-words/{language}.txt"
    return package.read(name).decode().split() if name in package.namelist() else []


def spacy_list(package: zipfile.ZipFile, code: str) -> list[str]:
    name = f"spacy/lang/{'nb' if code == 'no' else code}/stop_words.py"
    if name not in package.namelist():
        return []
    texts = (node.value for node in ast.walk(ast.parse(package.read(name))) if isinstance(node, ast.Constant))
    return [word for text in texts if isinstance(text, str) for word in text.split()]


def spellings(language: str, words: set[str]) -> set[str]:
    """The words in every spelling in use, without those in a broken encoding."""
    if language == "serbian":
        words |= {"".join(CYRILLIC.get(letter, letter) for letter in word) for word in words}
    if language == "russian":
        words |= {word.replace("ё", "е") for word in words}
    if language == "romanian":
        words |= {word.translate(str.maketrans("şţ", "șț")) for word in words}
        words |= {word.translate(str.maketrans("șț", "şţ")) for word in words}
    if language == "yiddish":  # often printed without points
        words |= {"".join(filter(str.isalpha, word)) for word in words}
    if language == "turkish":
        words = {word for word in words if not set(word) & set("þýðđ")}
    return {word for word in words if len(word) > 1}


if __name__ == "__main__":
    main()
