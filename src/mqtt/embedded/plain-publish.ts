// The packet that devices send all the time, read where it lies: a whole PUBLISH at QoS 0 or 1 on one of the known topics. Everything else is for
// the broker, also whatever is wrong in any way. Gain: see "A message from the socket to the journal" in docs/benchmarks.md.
import { itemAt } from "#core/item-at.ts";

export interface PlainPublish {
  /** The one of the known topics. */
  readonly topic: Buffer;
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  /** 0 at QoS 0. */
  readonly id: number;
  /** The device says that it may have sent it before. */
  readonly repeated: boolean;
}

interface Place {
  /** Where the packet begins, how long its header is, and what follows. */
  readonly at: number;
  readonly size: number;
  readonly length: number;
}

const PUBLISH_BITS = 0x30;
const REPEATED = 0x08;
const QOS_1 = 0x02;
const PUBACK = 0x40;

/** Undefined: it is not such a packet, or not all of it is there. */
export function readPlainPublish(
  chunk: Buffer,
  { at, size, length }: Place,
  topics: readonly Buffer[],
): PlainPublish | undefined {
  const begin = at + size;
  const end = begin + length;
  const flags = itemAt(chunk, at) ^ PUBLISH_BITS;
  // Any other bit: another packet, QoS 2, or one to be retained.
  if ((flags & ~(REPEATED | QOS_1)) !== 0 || end > chunk.length) return undefined;
  const qos = (flags & QOS_1) === 0 ? 0 : 1;
  if (begin + 2 > end) return undefined;
  const afterTopic = begin + 2 + chunk.readUInt16BE(begin);
  const payload = afterTopic + 2 * qos;
  if (payload >= end) return undefined;
  const topic = topics.find((one) => isAt(chunk, one, begin + 2, afterTopic));
  if (topic === undefined) return undefined;
  const id = qos === 0 ? 0 : chunk.readUInt16BE(afterTopic);
  if (qos === 1 && id === 0) return undefined;
  return { topic, payload: chunk.subarray(payload, end), qos, id, repeated: (flags & REPEATED) !== 0 };
}

function isAt(chunk: Buffer, text: Buffer, from: number, to: number): boolean {
  return to - from === text.length && chunk.compare(text, 0, text.length, from, to) === 0;
}

/** Answers to messages of ours, which are never sent again, mean nothing. Any other byte makes it one for the broker. */
export function isAcknowledgement(chunk: Buffer, { at, size, length }: Place): boolean {
  return itemAt(chunk, at) === PUBACK && size === 2 && length === 2 && at + size + length <= chunk.length;
}
