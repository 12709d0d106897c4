// What PostgreSQL's errors mean for callers.
import { type AppError, refuse } from "#core/app-error.ts";

const DISK_FULL = "53100";
/** All connections are in use, or all that this user or this database may have. */
const NO_CONNECTION = "53300";
const ABORTED = "25P02";
/** Two transactions waited for each other, or one saw a state that another changed: running it again is right. */
const AGAIN: ReadonlySet<string> = new Set(["40001", "40P01"]);
/**
 * Connection lost, server starting or stopping, too many connections, a wait that took too long, or a server that only
 * reads because another one is the primary now.
 */
const PASSING = /^(?:08|53|57P|57014|55P03|25006|25P0[123])/;
const NETWORK: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** Undefined for an error that is not about the server: a constraint, or a fault of ours. */
export function serverTrouble(error: unknown): AppError | undefined {
  const code = codeOf(error);
  if (code === DISK_FULL) return withCause(refuse("storage_full", "the disk of the database is full"), error);
  if (code === NO_CONNECTION) {
    return withCause(
      refuse("storage_unavailable", "the database accepts no more connections now (max_connections)"),
      error,
    );
  }
  if (isPassing(error, code)) {
    return withCause(refuse("storage_unavailable", "the database cannot be reached or does not answer now"), error);
  }
  return undefined;
}

export function isWorthRepeating(error: unknown): boolean {
  return AGAIN.has(codeOf(error));
}

/** After the first error PostgreSQL refuses all other statements of the transaction, which says nothing about them. */
export function isAftermath(error: unknown): boolean {
  return codeOf(error) === ABORTED || (error instanceof Error && codeOf(error.cause) === ABORTED);
}

function isPassing(error: unknown, code: string): boolean {
  return PASSING.test(code) || NETWORK.has(code) || isLostMessage(error);
}

/** The library reports these without a code, and Citus those of its other servers as a fault. */
function isLostMessage(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Connection terminated|Client (?:was closed|has encountered)|timeout e(?:xpired|xceeded)|Query read timeout|server closed the connection|connection (?:not open|to the remote node)|could not (?:receive|send) data)/.test(
      error.message,
    )
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function withCause(refusal: AppError, cause: unknown): AppError {
  // For the log only: the messages name hosts and tables.
  refusal.cause = cause;
  return refusal;
}
