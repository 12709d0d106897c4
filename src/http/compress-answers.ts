// Long answers are compressed for clients that ask for it. Only answers to reads: those that show a secret once come from
// calls that change something, and a secret beside text that somebody else chose can be guessed from the length of the
// compressed answer.
import { pipeline, type Readable } from "node:stream";
import { constants, createGzip, gzip, type InputType, zstdCompress } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { SpacedStream } from "#http/late-answer.ts";
import { isLoopback } from "#http/metrics.ts";
import { cameOverProxy } from "#http/proxy-headers.ts";
import type { Route } from "#http/route.ts";

/** Shorter answers fit into one packet as they are. A list of seven devices has 3.9 kB, and 1.1 kB when it is compressed. */
const LEAST_BYTES = 1_400;
/** More at once would wait for a thread with their answers in memory: those are sent as they are. */
const AT_ONCE = 8;
const TYPES: ReadonlySet<unknown> = new Set(["application/json", "text/csv", "application/jsonl"]);
/**
 * Live events: each is sent on at once. The names of attributes come again and again, so 32 kB of a site of six devices become 4 kB, in
 * 0.04 ms of processor time an event. A stream takes 128 KiB of memory; those beyond so many listeners are sent as they are.
 */
const EVENTS = "text/event-stream";
const EVENT_STREAMS_AT_ONCE = 16;
const EVENT_SETTINGS = { level: 3, windowBits: 14, memLevel: 7, flush: constants.Z_SYNC_FLUSH };
/** Queries whose body says what is read. */
const READING_POSTS: ReadonlySet<string> = new Set(["getTimeseries"]);

type Compress = (content: InputType, done: (error: Error | null, bytes: Buffer) => void) => void;
type Encoding = "zstd" | "gzip";

/**
 * Three manifests of 31 kB become 8.1 kB by zstd, in 0.16 ms each, and 9.0 kB by gzip, in 0.14 ms. Level 1 of zstd takes 0.11 ms for 8.9 kB,
 * level 12 takes 0.9 ms for 7.9 kB.
 */
const COMPRESS: Readonly<Record<Encoding, Compress>> = {
  zstd: (content, done) => zstdCompress(content, { params: { [constants.ZSTD_c_compressionLevel]: 5 } }, done),
  gzip: (content, done) => gzip(content, { level: 1 }, done),
};

export type CompressAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
) => void;

/** Whether answers of the route may be compressed. */
export function mayCompress({ name, aliasOf, method, level }: Route): boolean {
  return level !== "public" && (method === "GET" || READING_POSTS.has(aliasOf ?? name));
}

/** Compresses in threads of their own; the one that serves calls only waits. */
export function createCompressAnswer(): CompressAnswer {
  let running = 0;
  const compressEvents = createCompressEvents();
  return (request, reply, payload, done) => {
    const type = reply.getHeader("content-type");
    if (type === EVENTS && isReadable(payload)) return done(null, compressEvents(request, reply, payload));
    if (!isLong(payload) || !TYPES.has(type)) return done(null, payload);
    const varies = reply.getHeader("vary");
    reply.header("vary", varies === undefined ? "Accept-Encoding" : `${varies}, Accept-Encoding`);
    const isStream = isReadable(payload);
    // A stream in gzip needs a tenth of the memory of one in zstd.
    const encoding = encodingOf(request.headers["accept-encoding"], isStream ? ["gzip"] : ["zstd", "gzip"]);
    const isOver = request.method === "HEAD" || isWithinMachine(request) || running >= AT_ONCE;
    if (encoding === undefined || isOver) return done(null, payload);
    running += 1;
    const asEncoded = (content: unknown) => {
      reply.header("content-encoding", encoding).removeHeader("content-length");
      done(null, content);
    };
    const leave = () => {
      running -= 1;
    };
    if (isStream) return asEncoded(pipeline(payload, createGzip({ level: 1 }), leave));
    COMPRESS[encoding](payload, (error, bytes) => {
      leave();
      if (error === null) asEncoded(bytes);
      else done(null, payload);
    });
  };
}

function createCompressEvents(): (request: FastifyRequest, reply: FastifyReply, events: Readable) => Readable {
  let running = 0;
  return (request, reply, events) => {
    reply.header("vary", "Accept-Encoding");
    const isOver = request.method === "HEAD" || isWithinMachine(request) || running >= EVENT_STREAMS_AT_ONCE;
    if (isOver || encodingOf(request.headers["accept-encoding"], ["gzip"]) === undefined) return events;
    running += 1;
    reply.header("content-encoding", "gzip");
    return pipeline(events, createGzip(EVENT_SETTINGS), () => {
      running -= 1;
    });
  };
}

/** There it costs time and saves none. A proxy on the machine may have its clients anywhere. */
function isWithinMachine({ socket, headers }: FastifyRequest): boolean {
  return isLoopback(socket.remoteAddress ?? "") && !cameOverProxy(headers);
}

function isLong(payload: unknown): payload is string | Uint8Array | Readable {
  if (typeof payload === "string" || payload instanceof Uint8Array) return payload.length >= LEAST_BYTES;
  // White space of an answer that takes long has to arrive at once.
  return isReadable(payload) && !(payload instanceof SpacedStream);
}

function isReadable(payload: unknown): payload is Readable {
  return typeof payload === "object" && payload !== null && "pipe" in payload;
}

/** The first that the client accepts. */
function encodingOf(header: string | string[] | undefined, known: readonly Encoding[]): Encoding | undefined {
  const accepted = `${header ?? ""}`
    .split(",")
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.split(";", 1)[0]?.trim().toLowerCase());
  return known.find((one) => accepted.includes(one));
}
