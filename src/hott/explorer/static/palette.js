// The colours of topics: the same on every view. Topics that are near each other never share one.

import { getTopics } from "./api.js";
import { colorAt, slots } from "./colors.js";

const slotOfTopic = new Map();

/** Find the colours of the topics of the first model; to be called again when topics were changed. */
export async function loadTopicColors() {
  const { topics, order, distances } = await getTopics();
  const place = new Map(order.map((number, i) => [number, i]));
  const apart = (i, j) => distances[place.get(topics[i].number)][place.get(topics[j].number)];
  slotOfTopic.clear();
  slots(topics.length, apart).forEach((slot, i) => slotOfTopic.set(topics[i].number, slot));
}

export const topicColor = (number) => colorAt(slotOfTopic.get(number) ?? -1);
