// Stems of English words that no document has, as Snowball's stemmer finds them (snowballstem.org/algorithms/english).

const SPECIAL = { skis: "ski", skies: "sky", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli", only: "onli", singly: "singl" };
const UNCHANGED = /^(?:sky|news|howe|atlas|cosmos|bias|andes|(inning|outing|canning|herring|earring|evening|proceed|exceed|succeed)s?)$/;
const LONG_BEGINNING = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/;
const NOUNS = {
  tional: "tion", enci: "ence", anci: "ance", abli: "able", entli: "ent", izer: "ize", ization: "ize", ational: "ate", ation: "ate", ator: "ate", alism: "al",
  aliti: "al", alli: "al", fulness: "ful", ousli: "ous", ousness: "ous", iveness: "ive", iviti: "ive", biliti: "ble", bli: "ble", fulli: "ful", lessli: "less", ogist: "og",
};
const ADJECTIVES = { tional: "tion", ational: "ate", alize: "al", icate: "ic", iciti: "ic", ical: "ic", ful: "", ness: "", ative: "" };
const OTHERS = ["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion"];

const endingOf = (word, endings) => endings.filter((ending) => word.endsWith(ending)).reduce((best, one) => (one.length > best.length ? one : best), "");
const isShort = (word) => /[^aeiouy][aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$|^past$/.test(word);

export function stemEnglish(typed) {
  if (typed.length <= 2) return typed;
  if (Object.hasOwn(SPECIAL, typed)) return SPECIAL[typed];
  const unchanged = UNCHANGED.exec(typed);
  if (unchanged) return unchanged[1] ?? typed;
  let word = typed.replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y"); // a y that is no vowel
  const after = (from) => { const found = /[aeiouy][^aeiouy]/.exec(word.slice(from)); return found ? from + found.index + 2 : word.length; };
  const first = LONG_BEGINNING.exec(word)?.[0].length ?? after(0), second = after(first);
  const isIn = (region, ending) => word.length - ending.length >= region;
  const replace = (ending, other) => { word = word.slice(0, word.length - ending.length) + other; };
  // Plurals, and forms of verbs
  if (word.endsWith("sses")) replace("es", "");
  else if (/ie[ds]$/.test(word)) replace("ies", word.length > 4 ? "i" : "ie");
  else if (/[aeiouy].*[^us]s$/.test(word)) replace("s", "");
  const verb = endingOf(word, ["eedly", "eed", "ingly", "edly", "ing", "ed"]), stem = word.slice(0, word.length - verb.length);
  if (verb.startsWith("eed")) { if (isIn(first, verb)) word = `${stem}ee`; }
  else if (verb === "ing" && /^[^aeiouy]y$/.test(stem)) word = `${stem[0]}ie`;
  else if (verb && /[aeiouy]/.test(stem)) {
    word = stem;
    if (/(?:at|bl|iz)$/.test(word)) word += "e";
    else if (/([bdfgmnprt])\1$/.test(word)) { if (!/^[aeo]..$/.test(word)) replace("x", ""); }
    else if (word.length === first && isShort(word)) word += "e";
  }
  if (/.[^aeiouy][yY]$/.test(word)) replace("y", "i");
  // Endings of nouns and adjectives
  const noun = endingOf(word, [...Object.keys(NOUNS), "ogi", "li"]);
  if (noun && isIn(first, noun)) {
    if (noun in NOUNS) replace(noun, NOUNS[noun]);
    else if (word.endsWith("logi")) replace("i", "");
    else if (/[cdeghkmnrt]li$/.test(word)) replace("li", "");
  }
  const adjective = endingOf(word, Object.keys(ADJECTIVES));
  if (adjective && isIn(adjective === "ative" ? second : first, adjective)) replace(adjective, ADJECTIVES[adjective]);
  const other = endingOf(word, OTHERS);
  if (other && isIn(second, other) && (other !== "ion" || /[st]ion$/.test(word))) replace(other, "");
  if (word.endsWith("e") ? isIn(second, "e") || (isIn(first, "e") && !isShort(word.slice(0, -1))) : word.endsWith("ll") && isIn(second, "l")) replace("e", "");
  return word.toLowerCase();
}
