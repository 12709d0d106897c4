import type { Call, QueryValue } from "./call.ts";
import type { ErrorItem } from "./errors.ts";
import { ApiError, type FailureReason, UnreachableError } from "./errors.ts";
import { callOf, type Perform } from "./perform.ts";

export type ClientOptions = {
  /** Address of the server, with or without a path such as `/api`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** The first of the server's `http.header_prefixes`. */
  readonly headerPrefix?: string | undefined;
  /** What the audit log shall say besides "with a token". Only for the command line. */
  readonly door?: "cli" | undefined;
  /** Milliseconds to wait for an answer to one call. */
  readonly timeout?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
};

export type Transport = {
  /** Any operation that answers with JSON. */
  readonly perform: Perform;
  readonly json: <T>(call: Call) => Promise<T>;
  readonly bytes: (call: Call) => Promise<Uint8Array>;
  /**
   * A long answer, piece by piece. Resolves when it begins. When nothing comes for `silence` ms, one without end ends by itself, and
   * one that has an end has not come to it: that is a failure.
   */
  readonly stream: (call: Call, patience: Patience) => Promise<AsyncGenerator<Uint8Array>>;
  /** The same with the headers of the answer. `ownHeader` gives one that begins with the service's prefix. */
  readonly open: (call: Call, patience: Patience) => Promise<OpenAnswer>;
};

type OpenAnswer = {
  readonly pieces: AsyncGenerator<Uint8Array>;
  readonly ownHeader: (end: string) => string | null;
};

type Patience = { readonly silence: number; readonly isEndless: boolean };

const DEFAULT_TIMEOUT = 75_000;

export function createTransport(options: ClientOptions): Transport {
  const send = options.fetch ?? globalThis.fetch;
  const base = options.url.replace(/\/+$/, "");

  const prefix = options.headerPrefix ?? "X-Service";

  const begin = async (call: Call, signal: AbortSignal): Promise<Response> => {
    const response = await send(`${base}${call.path}${renderQuery(call.query)}`, {
      method: call.method,
      headers: headersOf(call, prefix, options),
      // The type would also allow memory that threads share, which `fetch` refuses and nobody gives.
      body:
        (call.bytes?.content as Uint8Array<ArrayBuffer> | undefined) ??
        (call.body === undefined ? null : JSON.stringify(call.body)),
      // A redirect would carry the token to another server.
      redirect: "manual",
      signal: call.signal === undefined ? signal : AbortSignal.any([signal, call.signal]),
    });
    if (isRedirect(response)) throw new UnreachableError(base, "redirect");
    if (!response.ok) throw await parseFailure(response);
    return response;
  };
  const failure = (error: unknown, call: Call): Error =>
    error instanceof ApiError || error instanceof UnreachableError
      ? error
      : new UnreachableError(base, reasonOf(error, call.signal), error);
  const timeout = options.timeout ?? DEFAULT_TIMEOUT;

  const answer = async <T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> => {
    try {
      return await read(await begin(call, AbortSignal.timeout(timeout)));
    } catch (error) {
      throw failure(error, call);
    }
  };

  const open = async (call: Call, patience: Patience): Promise<OpenAnswer> => {
    const beginning = new AbortController();
    const timer = setTimeout(() => beginning.abort(new DOMException("no answer", "TimeoutError")), timeout);
    try {
      const response = await begin(call, beginning.signal);
      return {
        pieces: readPieces(response, patience, (error) => failure(error, call)),
        ownHeader: (end) => response.headers.get(`${prefix}-${end}`),
      };
    } catch (error) {
      throw failure(error, call);
    } finally {
      clearTimeout(timer);
    }
  };

  const json = <T>(call: Call) => answer(call, (response) => parseAnswer<T>(response));

  return {
    perform: (name, ...input) => json(callOf(name, ...input)),
    json,
    bytes: (call) => answer(call, async (response) => new Uint8Array(await response.arrayBuffer())),
    open,
    stream: async (call, patience) => (await open(call, patience)).pieces,
  };
}

/** Holds the response until the first piece is asked for: Node cancels a body that nobody reads yet when the response is garbage. */
async function* readPieces(
  response: Response,
  { silence, isEndless }: Patience,
  failure: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const hangUp = () => void reader.cancel().catch(() => {});
  let isSilent = false;
  const giveUp = () => {
    isSilent = true;
    hangUp();
  };
  try {
    for (;;) {
      const timer = setTimeout(giveUp, silence);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (isSilent && !isEndless) throw new DOMException("the answer does not go on", "TimeoutError");
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw failure(error);
  } finally {
    hangUp();
  }
}

function headersOf(call: Call, prefix: string, { token, door }: Pick<ClientOptions, "token" | "door">): Headers {
  const headers = new Headers({ Accept: "application/json" });
  if (door !== undefined) headers.set("X-Busbar-Door", door);
  if (token !== undefined) headers.set(`${prefix}-Auth-Token`, token);
  if (call.bytes !== undefined) headers.set("Content-Type", call.bytes.type);
  else if (call.body !== undefined) headers.set("Content-Type", "application/json");
  for (const [name, value] of Object.entries(call.headers ?? {})) if (value !== undefined) headers.set(name, value);
  return headers;
}

function renderQuery(query: Call["query"]): string {
  const parameters = new URLSearchParams();
  const set = (name: string, value: QueryValue) => {
    if (value !== undefined) parameters.set(name, String(value));
  };
  for (const [name, value] of Object.entries(query ?? {})) {
    if (typeof value !== "object" || Array.isArray(value)) set(name, value as QueryValue);
    else for (const [key, inner] of Object.entries(value)) set(`${name}[${key}]`, inner);
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

function isRedirect(response: Response): boolean {
  return response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
}

async function parseAnswer<T>(response: Response): Promise<T> {
  const value = parseObject(await response.text());
  if (value === undefined) throw strange(response);
  return value as T;
}

async function parseFailure(response: Response): Promise<ApiError> {
  const items = parseObject(await response.text())?.["errors"];
  const [first, ...rest] = Array.isArray(items) ? items.flatMap(parseErrorItem) : [];
  return first === undefined ? strange(response) : new ApiError(response.status, [first, ...rest], requestId(response));
}

function parseErrorItem(item: unknown): readonly ErrorItem[] {
  const { code, message, details } = (item ?? {}) as Record<string, unknown>;
  if (typeof message !== "string") return [];
  const known = { code: typeof code === "string" ? code : "unknown", message };
  return [typeof details === "object" && details !== null ? { ...known, details: { ...details } } : known];
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Something answered, but not Busbar: a proxy's error page, or another program on the port. */
function strange(response: Response): ApiError {
  const message = `the answer is not Busbar's (status ${response.status})`;
  return new ApiError(response.status, [{ code: "strange_answer", message }], requestId(response));
}

function requestId(response: Response): string | undefined {
  return response.headers.get("x-request-id") ?? undefined;
}

/** Codes of OpenSSL and of Node. */
const CERTIFICATE = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|CRL_)/;
const NO_TLS = /^(?:EPROTO$|ERR_SSL_)/;

function reasonOf(error: unknown, signal: AbortSignal | undefined): FailureReason {
  if (signal?.aborted === true) return "aborted";
  if (error instanceof Error && error.name === "TimeoutError") return "timeout";
  const codes = [...causes(error)].map((cause) => ("code" in cause ? cause.code : undefined));
  if (codes.includes("ECONNREFUSED")) return "refused";
  if (codes.some((code) => typeof code === "string" && CERTIFICATE.test(code))) return "certificate";
  if (codes.some((code) => typeof code === "string" && NO_TLS.test(code))) return "no tls";
  return codes.includes("ENOTFOUND") || codes.includes("EAI_AGAIN") ? "unknown host" : "connection";
}

/** An error and what lies under it; Node wraps the refusals of several addresses into one. */
function* causes(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  yield* causes(error.cause);
  if (error instanceof AggregateError) for (const inner of error.errors) yield* causes(inner);
}
