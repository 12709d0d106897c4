// An operation as data, declared once. Whoever wants it done, over HTTP, over the link, a roll-out or a rule, goes through
// `perform`. The OpenAPI document and the types of the client are made from it, and the access tests enumerate it.
import type { Readable } from "node:stream";
import type { AccessLevel } from "#core/access/level.ts";
import type { Refusal } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import type { Device } from "#core/device/device.ts";
import type { ComparedRecord } from "#core/link/asked-change.ts";
import type { ParsedQuery, QuerySpec } from "#service/operation/query.ts";
import type { Schema, Static } from "#service/operation/schema.ts";
import type { Call, Needs } from "#service/ports.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What an operation may know about the way on which its call came. A call that did not come over HTTP has the defaults. */
export interface Way {
  /** A request header by its name in small letters. */
  readonly header: (name: string) => string | undefined;
  /** The beginning of the names of the answer's own headers, as the caller uses it. */
  readonly headerPrefix: () => string;
  /** Empty when the client sent none. */
  readonly contentType: string;
  /** The address under which the client reached this server. Undefined when it did not come over HTTP. */
  readonly host: () => { readonly name: string; readonly port: number } | undefined;
  /** The call came over TLS, as far as a trusted proxy says so. */
  readonly isSecure: () => boolean;
  /** The call came over a proxy, whether or not that proxy is trusted. */
  readonly forwarded: () => boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: () => AbortSignal;
  /**
   * Called when the call has stored its input and goes on waiting: its body and its place among the changes are
   * released.
   */
  readonly stored: () => void;
}

/** Everything an operation may look at: already parsed, and the caller already checked for the operation's level. */
export interface OperationCall<Path extends string, Query extends QuerySpec, Body> extends Call, Way {
  readonly params: { readonly [Name in ParamNames<Path>]: string };
  readonly query: ParsedQuery<Query>;
  readonly body: Body;
}

export type AnyCall = OperationCall<string, QuerySpec, unknown>;

interface OperationHead<Path extends string, Query extends QuerySpec> {
  /** Unique: the operationId of the OpenAPI document, and the action in the audit log. */
  readonly name: string;
  readonly method: Method;
  readonly path: Path;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The level every caller needs, checked before anything is read. `public` operations take no token. */
  readonly level: AccessLevel | "public";
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

/** What the OpenAPI document says about an operation. */
export interface OperationDescription extends OperationHead<string, QuerySpec> {
  /** JSON by a schema, or the bytes as they came (then the accepted content types, for the document). */
  readonly body?: Schema | readonly string[];
  /** The operation reads the body as it comes, of any length. */
  readonly streamsBody?: true;
}

export interface Operation extends OperationDescription {
  /** What happens on a cloud if a gateway owns the site. Without it, the cloud itself performs the operation. */
  readonly atGateway?: AtGateway;
  /**
   * Mistakes in a body that its schema refuses, which no schema can find: so all mistakes are reported at once. A field
   * of the wrong type is the schema's business.
   */
  readonly moreMistakes?: (body: unknown) => readonly Refusal[];
  /** Only `perform` calls it. */
  readonly run: (call: AnyCall) => Promise<object>;
  /** The messages for a client that asks for a WebSocket at this path: the answer, as it changes. */
  readonly live?: (call: AnyCall) => Promise<Readable>;
}

/** What a call is about. */
export interface Place {
  readonly siteId: string;
  readonly device?: Device;
}

/** Refuses what does not exist or what the caller may not see. */
export type FindPlace = (needs: Pick<Needs, "sites" | "devices">, call: AnyCall) => Promise<Place>;

interface Common {
  readonly place: FindPlace;
  /** The cloud deletes what a revoked gateway has left behind, because nobody else could. */
  readonly deletesLeftovers?: true;
}

/** Only the gateway itself performs it. */
interface RefusedByCloud extends Common {
  readonly by: "gateway alone";
}

/** The cloud asks the gateway for the change and passes its answer on. */
export interface CarriedChange extends Common {
  readonly by: "gateway";
  /** Whether the change waits for a gateway that is away. Others are refused then. */
  readonly waits: boolean;
  /** What is compared to find out whether the gateway has changed the same thing meanwhile. */
  readonly compares: ComparedRecord;
  /** The operation that the gateway performs, where it has another name. */
  readonly as?: string;
  /** Names by which the gateway knows for sure what is meant: they replace those of the path, or the body. */
  readonly named?: (
    call: AnyCall,
    place: Place,
  ) => Promise<{ readonly params?: Readonly<Record<string, string>>; readonly body?: Payload }>;
  /** Does it here, if the gateway has nothing to do with it yet. Undefined: the gateway has to be asked. */
  readonly here?: (call: AnyCall, place: Place) => Promise<object | undefined>;
  /** Of a claim: how long it holds, in milliseconds from now on. Refuses a wrong duration. */
  readonly lease?: (call: AnyCall, place: Place) => Promise<number>;
  /** It says nothing new and may be made twice, so the audit log has it at neither end. */
  readonly isHeartbeat?: true;
  /** The revision that the caller has read, of what has one. Refuses what is none. */
  readonly expected?: (call: AnyCall) => number | undefined;
  /** What everybody who sees the site may know about the change; without it, the whole body. */
  readonly shown?: (call: AnyCall) => Payload;
  /** Refuses what the cloud knows to be wrong, before a change waits. */
  readonly check?: (call: AnyCall, place: Place) => Promise<void>;
  /** The cloud's copy in the form of the operation's answer, as far as the gateway's answer does not say it here. */
  readonly current?: (call: AnyCall, place: Place, answer: Payload | undefined) => Promise<object>;
}

/** The cloud asks the gateway for the answer, while that is connected. Nothing waits, and nothing is changed. */
export interface CarriedQuestion extends Common {
  readonly by: "question";
  /** How long the cloud waits for the answer, in milliseconds. Without it: PATIENCE_MS. */
  readonly withinMs?: number;
}

export type AtGateway = RefusedByCloud | CarriedChange | CarriedQuestion;

/** An operation with a JSON body or none. */
export function operation<
  const Path extends string,
  Query extends QuerySpec = Record<never, never>,
  Body extends Schema = never,
>(
  definition: OperationHead<Path, Query> & {
    readonly body?: Body;
    readonly atGateway?: AtGateway;
    readonly moreMistakes?: (body: unknown) => readonly Refusal[];
    readonly run: (
      call: OperationCall<Path, Query, [Body] extends [never] ? undefined : Static<Body>>,
    ) => Promise<object>;
    readonly live?: (call: OperationCall<Path, Query, undefined>) => Promise<Readable>;
  },
): Operation {
  return definition as unknown as Operation;
}

/** An operation that takes the body's bytes. */
export function bytesOperation<const Path extends string>(
  definition: OperationHead<Path, Record<never, never>> & {
    readonly body: readonly string[];
    readonly run: (call: OperationCall<Path, Record<never, never>, Uint8Array>) => Promise<object>;
  },
): Operation {
  return definition as unknown as Operation;
}

/** An operation that reads the body's bytes as they come. */
export function streamOperation<const Path extends string>(
  definition: OperationHead<Path, Record<never, never>> & {
    readonly body: readonly string[];
    readonly run: (call: OperationCall<Path, Record<never, never>, AsyncIterable<Uint8Array>>) => Promise<object>;
  },
): Operation {
  return { ...definition, streamsBody: true } as unknown as Operation;
}
