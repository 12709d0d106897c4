import type { ErrorItem, JsonObject } from "./resources.ts";

/** The server answered, and refused. The first item of its errors gives code, message and details. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: JsonObject | undefined;
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
