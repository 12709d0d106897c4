import type { Readable } from "node:stream";
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
    reply.code(status).headers(answer.headers).header("content-type", answer.contentType);
    return reply.send(endWithConnection(answer.stream, reply));
  }
  return reply.code(status).header("content-type", "application/json").serializer(asItIs).send(JSON.stringify(answer));
}

/** A stream ends with its connection, also with one that has ended already. HEAD wants nothing of it but the headers. */
function endWithConnection(stream: Readable, { raw, request }: FastifyReply): Readable | undefined {
  if (request.method === "HEAD") return stream.destroy();
  if (raw.closed || raw.destroyed) return void stream.destroy();
  raw.once("close", () => stream.destroy());
  return stream;
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
