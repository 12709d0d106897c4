import type { ErrorCode, JsonObject } from "./resources.ts";

/** One mistake, or one reason to refuse. */
export type ErrorItem = {
  /** A newer server may know more codes. `strange_answer`: something else than Busbar answered. */
  readonly code: ErrorCode | "strange_answer" | (string & {});
  readonly message: string;
  readonly details?: ErrorDetails;
};

/** Where the mistake is, as far as it has a place. */
export type ErrorDetails = JsonObject & {
  /** JSON pointer into the body, such as `/arguments/power`. */
  readonly pointer?: string;
  /** A query parameter. */
  readonly parameter?: string;
};

/** The server answered, and refused. The first item of its errors gives code, message and details. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorItem["code"];
  readonly details: ErrorDetails | undefined;
  readonly errors: readonly ErrorItem[];
  /** Names this call in the server's log. */
  readonly requestId: string | undefined;

  constructor(status: number, errors: readonly [ErrorItem, ...ErrorItem[]], requestId?: string) {
    super(errors[0].message);
    this.name = "ApiError";
    this.status = status;
    this.code = errors[0].code;
    this.details = errors[0].details;
    this.errors = errors;
    this.requestId = requestId;
  }
}

/** Why no answer came. `aborted`: the caller's own signal. `no tls`: the server speaks plain HTTP, or something else. */
export type FailureReason =
  | "refused"
  | "unknown host"
  | "timeout"
  | "redirect"
  | "aborted"
  | "certificate"
  | "no tls"
  | "connection";

/** No answer came: whether the server did what was asked is not known, except for `refused` and `unknown host`. */
export class UnreachableError extends Error {
  readonly url: string;
  readonly reason: FailureReason;

  constructor(url: string, reason: FailureReason, cause?: unknown) {
    super(`no answer from ${url}: ${reason}`, { cause });
    this.name = "UnreachableError";
    this.url = url;
    this.reason = reason;
  }
}

const FOR_GOOD: readonly FailureReason[] = ["aborted", "redirect", "certificate", "no tls"];

/** Whether another try may succeed: the server is away or overloaded, and the caller has not given up. */
export function mayPass(error: unknown): boolean {
  if (error instanceof UnreachableError) return !FOR_GOOD.includes(error.reason);
  return error instanceof ApiError && (error.status >= 500 || error.status === 429);
}

export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ApiError | UnreachableError };

/** The answer or the failure as a value: `const found = await outcome(client.devices.get("pcs"))`. Bugs are still thrown. */
export async function outcome<Value>(call: PromiseLike<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await call };
  } catch (error) {
    if (error instanceof ApiError || error instanceof UnreachableError) return { ok: false, error };
    throw error;
  }
}
