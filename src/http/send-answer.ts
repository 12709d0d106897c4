import type { FastifyReply } from "fastify";
import { RawAnswer, StreamAnswer } from "#http/route.ts";

export function sendAnswer(reply: FastifyReply, status: number, answer: object): FastifyReply {
  if (answer instanceof RawAnswer) {
    return reply
      .code(status)
      .headers(answer.headers)
      .header("content-type", answer.contentType)
      .send(typeof answer.content === "string" ? Buffer.from(answer.content) : viewOf(answer.content));
  }
  if (answer instanceof StreamAnswer) {
    return reply.code(status).headers(answer.headers).header("content-type", answer.contentType).send(answer.stream);
  }
  return reply.code(status).header("content-type", "application/json").serializer(asItIs).send(JSON.stringify(answer));
}

/** Whoever asks for a long answer and does not read it would hold its place for ever. A server that takes its time is no stall. */
export function cutWhenStalled({ raw }: FastifyReply, stallMs: number): void {
  raw.setTimeout(stallMs, () => {
    if (raw.writableNeedDrain) raw.destroy();
    else raw.setTimeout(stallMs);
  });
}

/** The same bytes, not a copy of them. */
function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/**
 * With a serializer of our own Fastify leaves the content type alone; else it adds a charset, which some clients refuse.
 * And text leaves in one write together with the headers, where bytes would take two: half the cost of a small answer.
 */
const asItIs = (text: unknown) => text as string;
