// Why a document was found for a text, in one line (hott.index.comparing).

/** The words of a query that a text has (hott.lexical.matching): form, words as they are written, match. */
export function wordsIn(model, text, matches) {
  const wanted = new Set(matches.flatMap(({ by }) => by.map(([form]) => form))), written = new Map();
  for (const word of model.tokens(text)) {
    const form = model.form(word);
    if (!wanted.has(form)) continue;
    if (!written.has(form)) written.set(form, new Map());
    written.get(form).set(word, (written.get(form).get(word) ?? 0) + 1);
  }
  return matches.flatMap((match) => match.by.filter(([form]) => written.has(form)).map(([form]) => {
    const own = [...written.get(form)].sort(([a, m], [b, n]) => (a !== match.word) - (b !== match.word) || n - m || (a < b ? -1 : 1));
    return [form, own.map(([word]) => word), match];
  }));
}

/** A word of a document, and which word of the query it stands for where that is another. */
export function saidWord(word, match) {
  const how = { "spelled like": "for", "near in meaning": "near" }[match.how];
  return how ? `${word} ${how} “${match.typed}”` : word;
}

/** A word as a text writes it inside its sentences. */
export function written(word, text) {
  const whole = `${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}_])`;
  if (new RegExp(`(?<![\\p{L}\\p{N}_])${whole}`, "u").test(text)) return word;
  return new RegExp(`(?<=[\\p{L}\\p{N}_,;] )${whole}`, "iu").exec(text)?.[0] ?? word;
}
