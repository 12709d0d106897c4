import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { disposePieces, disposeWhenSent } from "#http/dispose-bytes.ts";
import { DisposableAnswer, DisposableStream, RawAnswer, StreamAnswer } from "#service/operation/answer.ts";
import { type ListAnswer, openList } from "#service/operation/list-answer.ts";

/** A list is sent in pieces if it is long, and `nextTurn` lets others have their turn between two of them. */
export function sendList(reply: FastifyReply, answer: ListAnswer, nextTurn: () => Promise<void>): FastifyReply {
  const list = openList(answer, nextTurn);
  if (typeof list === "string") return sendJson(reply, 200, list);
  return sendAnswer(reply, 200, new StreamAnswer("application/json", list));
}

export function sendAnswer(reply: FastifyReply, status: number, answer: object): FastifyReply {
  if (answer instanceof RawAnswer) {
    if (answer instanceof DisposableAnswer) disposeWhenSent(reply.raw, answer.content);
    return reply
      .code(status)
      .headers(answer.headers)
      .header("content-type", answer.contentType)
      .send(typeof answer.content === "string" ? Buffer.from(answer.content) : viewOf(answer.content));
  }
  if (answer instanceof StreamAnswer) {
    if (answer instanceof DisposableStream) disposePieces(reply.raw);
    reply.code(status).headers(answer.headers).header("content-type", answer.contentType);
    return reply.send(endWithConnection(answer.stream, reply));
  }
  return sendJson(reply, status, JSON.stringify(answer));
}

function sendJson(reply: FastifyReply, status: number, json: string): FastifyReply {
  return reply.code(status).header("content-type", "application/json").serializer(asItIs).send(json);
}

/** A stream ends with its connection, even if the connection has already ended. HEAD needs only the headers. */
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
 * With our own serializer Fastify leaves the content type alone; otherwise it adds a charset, which some clients
 * refuse. Text is sent in one write together with the headers, where bytes would take two: that halves the cost of a
 * small answer.
 */
const asItIs = (text: unknown) => text as string;
