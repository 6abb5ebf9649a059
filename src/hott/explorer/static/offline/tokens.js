// Words out of text, as hott.text.tokens cuts them.

const SPACELESS =
  "\\u0e00-\\u0e4e\\u0e80-\\u0eff\\u1000-\\u103f\\u1050-\\u109f\\u1780-\\u17d3\\u3005\\u3007\\u3041-\\u3096\\u309d-\\u309f" +
  "\\u30a1-\\u30fa\\u30fc-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const SPACELESS_RUN = new RegExp(`[${SPACELESS}]+`, "gu");
const MAX_WORD_LENGTH = 64;
const ASCII_WORD = /(?<![a-z0-9])[a-z][a-z0-9]{1,63}(?![a-z0-9])/g;
const ANY_WORD = new RegExp(`(?<![\\p{L}\\p{N}])[\\p{L}\\p{Nl}\\p{No}](?:[\\p{L}\\p{N}${SPACELESS}]|(?=[\\u0300-\\u0dff])\\p{M})+`, "gu");
const LONG_RUN_OF_MARKS = /[^\p{L}\p{N}_\s\x00-\x7f]{64,}/gu;

export function tokenize(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const plain = text.replace(LONG_RUN_OF_MARKS, " ").normalize("NFKC").replaceAll("\u00ad", "").toLowerCase().replaceAll("i\u0307", "i");
  const spaced = plain.replace(SPACELESS_RUN, (run) => {
    const letters = [...run];
    return ` ${letters.slice(1).map((letter, i) => letters[i] + letter).join(" ")} `;
  });
  return (spaced.match(ANY_WORD) ?? []).filter((word) => word.length <= MAX_WORD_LENGTH || [...word].length <= MAX_WORD_LENGTH);
}

// -- passages: hott.lexical.snippets

export function snippetOf(text, wanted, length = 160) {
  const flat = text.replace(/\s+/gu, " ").trim();
  const hits = [];
  for (const match of flat.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const weight = wanted(match[0].toLowerCase());
    if (weight > 0) hits.push([match.index, match.index + match[0].length, weight]);
  }
  let start = bestStart(hits, length);
  if (start > 0) {
    const earliest = Math.max(0, start - Math.floor(length / 3));
    const stop = Math.max(...[". ", "! ", "? "].map((end) => flat.slice(earliest, start).lastIndexOf(end)));
    start = stop >= 0 ? earliest + stop + 2 : flat.slice(0, Math.max(1, start - Math.floor(length / 6))).lastIndexOf(" ") + 1;
  }
  let end = Math.min(flat.length, start + length);
  if (end < flat.length) {
    const space = flat.slice(start, end).lastIndexOf(" ");
    end = Math.max(space < 0 ? -1 : start + space, start + Math.floor(length / 2));
    while (end < flat.length && (/^[\p{Mn}\p{Me}\p{Mc}\p{Cf}\p{Sk}]/u.test(flat.slice(end, end + 2)) || flat[end - 1] === "\u200d")) end += 1;
  }
  const before = start > 0 ? "…" : "";
  const shift = before.length - start;
  const marks = hits.filter(([a, b]) => start <= a && b <= end).map(([a, b]) => [a + shift, b + shift]);
  return { text: before + flat.slice(start, end) + (end < flat.length ? "…" : ""), marks };
}

export function bestStart(hits, length) {
  let best = 0, found = 0, first = 0, total = 0;
  for (const [, end, weight] of hits) {
    total += weight;
    while (end - hits[first][0] > Math.floor((length * 2) / 3)) total -= hits[first++][2];
    if (total > best + 1e-12) [best, found] = [total, hits[first][0]];
  }
  return found;
}
