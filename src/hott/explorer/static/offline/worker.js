// Answers the page from a thread of its own, so that the page stays quick.

import { OfflineAnswers } from "./answers.js";

let opening;

onmessage = async ({ data: { number, packed, later, path, parameters, body } }) => {
  try {
    if (packed) opening = OfflineAnswers.of(packed);
    const answers = await opening;
    if (later) await answers.learn(later);
    postMessage({ number, found: packed || later ? null : answers.answer(path, parameters, body) });
  } catch (error) {
    postMessage({ number, message: error.message });
  }
};
