// The packet that devices send all the time, read where it lies: a whole PUBLISH at QoS 0 or 1 on a known topic. Everything else is for
// the broker, also whatever is wrong in any way. Gain: see "A message from the socket to the journal" in docs/benchmarks.md.
import { itemAt } from "#core/item-at.ts";

export interface PlainPublish {
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  /** 0 at QoS 0. */
  readonly id: number;
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

/** Undefined: it is not such a packet, or not all of it is there. */
export function readPlainPublish(chunk: Buffer, { at, size, length }: Place, topic: Buffer): PlainPublish | undefined {
  const begin = at + size;
  const end = begin + length;
  const flags = itemAt(chunk, at) ^ PUBLISH_BITS;
  // Any other bit: another packet, QoS 2, or one to be retained.
  if ((flags & ~(REPEATED | QOS_1)) !== 0 || end > chunk.length) return undefined;
  const qos = (flags & QOS_1) === 0 ? 0 : 1;
  const afterTopic = begin + 2 + topic.length;
  const payload = afterTopic + 2 * qos;
  if (payload >= end || chunk.readUInt16BE(begin) !== topic.length) return undefined;
  if (chunk.compare(topic, 0, topic.length, begin + 2, afterTopic) !== 0) return undefined;
  const id = qos === 0 ? 0 : chunk.readUInt16BE(afterTopic);
  if (qos === 1 && id === 0) return undefined;
  return { payload: chunk.subarray(payload, end), qos, id };
}
