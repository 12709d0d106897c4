// Answers of operations that are not plain JSON objects.
import type { Readable } from "node:stream";

/** Several values are as many header lines. */
type AnswerHeaders = Readonly<Record<string, string | string[]>>;

/** An answer that is not JSON. */
export class RawAnswer {
  readonly contentType: string;
  readonly content: Uint8Array | string;
  readonly headers: AnswerHeaders;

  constructor(contentType: string, content: Uint8Array | string, headers: AnswerHeaders = {}) {
    this.contentType = contentType;
    this.content = content;
    this.headers = headers;
  }
}

/** Bytes that nothing else holds: their memory is given back when they are sent. */
export class DisposableAnswer extends RawAnswer {
  declare readonly content: Uint8Array;
}

/** An answer that continues until either side ends it. */
export class StreamAnswer {
  readonly contentType: string;
  readonly stream: Readable;
  readonly headers: AnswerHeaders;

  constructor(contentType: string, stream: Readable, headers: AnswerHeaders = {}) {
    this.contentType = contentType;
    this.stream = stream;
    this.headers = headers;
  }
}

/** A stream of bytes that nothing else holds. */
export class DisposableStream extends StreamAnswer {}

/** An answer that takes long. */
export class LateAnswer {
  readonly answer: Promise<object>;

  /** Once this exists, the operation has succeeded so far: refusals come before it. */
  constructor(answer: Promise<object>) {
    this.answer = answer;
  }
}
