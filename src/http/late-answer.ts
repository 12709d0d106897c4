// An answer that takes long. Some clients give up when nothing arrives for a few seconds, so after two seconds the headers
// are sent, and then white space every two seconds until the JSON follows. White space before JSON means nothing.
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { sendAnswer } from "#http/send-answer.ts";
import { type LateAnswer, StreamAnswer } from "#service/operation/answer.ts";

const QUIET_MS = 2_000;

/** Holds a few bytes until its end. */
export class SpacedStream extends Readable {
  override _read(): void {}
}

interface LateNeeds {
  /** The body that says what went wrong after the headers were sent. */
  readonly renderFailure: (error: unknown) => object;
  /** The client has this many bytes to read. */
  readonly countUnread: (bytes: number) => void;
  readonly quietMs?: number | undefined;
}

export async function sendLateAnswer(
  needs: LateNeeds,
  reply: FastifyReply,
  { answer }: LateAnswer,
): Promise<FastifyReply> {
  const quietMs = needs.quietMs ?? QUIET_MS;
  const early = await within(quietMs, answer);
  if (early !== undefined) return sendAnswer(reply, 200, early);
  const stream = new SpacedStream();
  const space = () => stream.push(" ");
  const beat = setInterval(space, quietMs);
  stream.once("close", () => clearInterval(beat));
  space();
  void answer.catch(needs.renderFailure).then((body) => {
    clearInterval(beat);
    if (stream.destroyed) return;
    const json = JSON.stringify(body);
    needs.countUnread(json.length);
    stream.push(json);
    stream.push(null);
  });
  // A proxy that gathers the answer would hold the white space back.
  return sendAnswer(reply, 200, new StreamAnswer("application/json", stream, { "x-accel-buffering": "no" }));
}

/** Undefined when it takes longer. */
function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  return new Promise<Value | undefined>((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: Error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
