// A route as data: the server registers it, the OpenAPI document lists it, the access tests enumerate it.
import type { Readable } from "node:stream";
import type { AccessLevel } from "#core/access/level.ts";
import type { Refusal } from "#core/app-error.ts";
import type { ParsedQuery, QuerySpec } from "#http/query.ts";
import type { Schema, Static } from "#http/schema.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";
import type { Call } from "#service/ports.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Everything a handler may look at: already parsed, and the caller already checked for the route's level. */
export interface RouteCall<Path extends string, Query extends QuerySpec, Body> extends Call {
  readonly params: { readonly [Name in ParamNames<Path>]: string };
  readonly query: ParsedQuery<Query>;
  readonly body: Body;
  /** A request header by its name in small letters. */
  readonly header: (name: string) => string | undefined;
  /** The beginning of the names of the answer's own headers, as the caller uses it. */
  readonly headerPrefix: () => string;
  /** Empty when the client sent none. */
  readonly contentType: string;
  /** The address under which the client reached this server. */
  readonly host: () => { readonly name: string; readonly port: number };
  /** The call came over TLS, as far as a trusted proxy says so. */
  readonly isSecure: () => boolean;
  /** The call came over a proxy, whether or not that proxy is trusted. */
  readonly forwarded: () => boolean;
  /** Aborted when the client has gone or the server stops. */
  readonly signal: () => AbortSignal;
  /**
   * Called when the call has stored its input and goes on waiting: its body and its place among the changes are
   * released.
   */
  readonly stored: () => void;
}

interface RouteHead<Path extends string, Query extends QuerySpec> {
  readonly method: Method;
  readonly path: Path;
  /** Unique name: the operationId of the OpenAPI document. */
  readonly operation: string;
  /** The operation that this path is an alias of. Its name appears in the audit log and the metrics. */
  readonly aliasOf?: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The level every caller needs, checked before anything is read. `public` routes take no token. */
  readonly access: AccessLevel | "public";
  /** Only pages of this server may call it, and the browser has to say that they do. */
  readonly ownPageOnly?: true;
  readonly query?: Query;
  /** Headers that the operation looks at, besides the token. */
  readonly headers?: Readonly<Record<string, HeaderDescription>>;
  /** Schema of the JSON answer, or what a RawAnswer may be. */
  readonly answer: Schema | RawAnswers;
}

interface HeaderDescription {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface RawAnswers {
  readonly contentType: string;
  /** Content types that the client can ask for instead. */
  readonly otherTypes?: readonly string[];
  readonly description: string;
  /** Of each piece, where the answer consists of JSON pieces such as events. */
  readonly schema?: Schema;
  /** Headers of the answer. `{prefix}` stands for the beginning of the service's own headers. */
  readonly headers?: Readonly<Record<string, HeaderDescription>>;
}

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

/** What the OpenAPI document says about a route. */
export interface RouteDescription extends RouteHead<string, QuerySpec> {
  /** JSON by a schema, or the bytes as they came (then the accepted content types, for the document). */
  readonly body?: Schema | readonly string[];
  /** The handler reads the body as it comes, of any length. */
  readonly streamsBody?: true;
}

export interface Route extends RouteDescription {
  /**
   * Mistakes in a body that its schema refuses, which no schema can find: so all mistakes are told at once. A field of
   * the wrong type is the schema's business.
   */
  readonly moreMistakes?: (body: unknown) => readonly Refusal[];
  readonly handle: (call: RouteCall<string, QuerySpec, unknown>) => Promise<object>;
  /** The messages for a client that asks for a WebSocket at this path: what the answer tells, as it changes. */
  readonly live?: (call: RouteCall<string, QuerySpec, unknown>) => Promise<Readable>;
  /** For a WebSocket on which both sides speak. It is opened after this call. */
  readonly link?: (call: RouteCall<string, QuerySpec, unknown>) => Promise<LinkServer>;
}

export interface LinkServer {
  /** Who has signed in. */
  readonly who: string;
  serve(socket: LinkSocket): void;
}

/** A route with a JSON body or none. */
export function route<
  const Path extends string,
  Query extends QuerySpec = Record<never, never>,
  Body extends Schema = never,
>(
  definition: RouteHead<Path, Query> & {
    readonly body?: Body;
    readonly moreMistakes?: (body: unknown) => readonly Refusal[];
    readonly handle: (
      call: RouteCall<Path, Query, [Body] extends [never] ? undefined : Static<Body>>,
    ) => Promise<object>;
    readonly live?: (call: RouteCall<Path, Query, undefined>) => Promise<Readable>;
    readonly link?: (call: RouteCall<Path, Query, undefined>) => Promise<LinkServer>;
  },
): Route {
  return definition as unknown as Route;
}

/** A route that takes the body's bytes. */
export function bytesRoute<const Path extends string>(
  definition: RouteHead<Path, Record<never, never>> & {
    readonly body: readonly string[];
    readonly handle: (call: RouteCall<Path, Record<never, never>, Uint8Array>) => Promise<object>;
  },
): Route {
  return definition as unknown as Route;
}

/** A route that reads the body's bytes as they come. */
export function streamRoute<const Path extends string>(
  definition: RouteHead<Path, Record<never, never>> & {
    readonly body: readonly string[];
    readonly handle: (call: RouteCall<Path, Record<never, never>, AsyncIterable<Uint8Array>>) => Promise<object>;
  },
): Route {
  return { ...definition, streamsBody: true } as unknown as Route;
}
