import type { ErrorItem } from "#client/errors.ts";
import { ApiError, type FailureReason, UnreachableError } from "#client/errors.ts";
import { ConfigError } from "#config";
import { AppError } from "#core/app-error.ts";
import { redactText } from "#core/redact.ts";
import { printable } from "#core/text/printable.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { UsageError } from "./usage-error.ts";

type Failure = { readonly exitCode: ExitCode; readonly lines: readonly string[] };

/**
 * What went wrong and what to do next, for a person; the exit code, for a program. `tokenSource` says where the token of
 * the call came from, or where it was looked for.
 */
export function describeFailure(error: unknown, tokenSource?: string): Failure {
  if (error instanceof UsageError) return { exitCode: EXIT.usage, lines: error.message.split("\n") };
  if (error instanceof ConfigError) return { exitCode: EXIT.usage, lines: error.message.split("\n") };
  if (error instanceof ApiError) return describeRefusal(error, tokenSource);
  if (error instanceof AppError) return describeOwnRefusal(error);
  if (error instanceof UnreachableError) {
    return {
      exitCode: EXIT.unreachable,
      lines: [
        `no answer from ${error.url}${WHY[error.reason]}`,
        ...certificateLines(error),
        ...NEXT[error.reason],
        ...(error.reason === "connection" && error.url.startsWith("http:")
          ? ["  if the server speaks TLS, write https:// instead of http://"]
          : []),
      ],
    };
  }
  if (isSystemError(error)) return { exitCode: EXIT.failure, lines: [printable(error.message), ...systemHints(error)] };
  if (isForPeople(error)) return { exitCode: EXIT.failure, lines: redactText(error.message).split("\n") };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    exitCode: EXIT.failure,
    lines: ["this is a bug in Busbar, please report it with the following lines", ...redactText(text).split("\n")],
  };
}

/** Refused here, by the rules that the server would have refused it by. */
function describeOwnRefusal({ code, refusals }: AppError): Failure {
  const hint = code === "command_not_found" ? ["  busbar command list DEVICE shows them all"] : [];
  return {
    exitCode: code.endsWith("not_found") ? EXIT.notFound : EXIT.usage,
    lines: [...refusals.map(({ message }) => printable(message)), ...hint],
  };
}

function describeRefusal(error: ApiError, tokenSource: string | undefined): Failure {
  const [first, ...rest] = error.errors.map(describeItem);
  const lines = [...(first ?? []), ...rest.flatMap(([head = "", ...below]) => [`also: ${head}`, ...below])];
  return {
    exitCode:
      error.status === 401 || error.status === 403
        ? EXIT.notAllowed
        : error.status === 404
          ? EXIT.notFound
          : EXIT.failure,
    lines: [
      ...lines,
      ...(error.status === 401 && tokenSource !== undefined ? [`  ${printable(tokenSource)}`] : []),
      ...hints(error),
      ...(error.requestId === undefined ? [] : [`  request id: ${printable(error.requestId)}`]),
    ],
  };
}

/** The message, and below it where it lies: `pointer: /name, line: 3`. */
function describeItem({ message, details }: ErrorItem): readonly string[] {
  const places = Object.entries(details ?? {})
    .map(([key, value]) => [key, typeof value === "string" ? value : (JSON.stringify(value) ?? "")] as const)
    .filter(([, text]) => text !== "")
    .map(([key, text]) => printable(`${key}: ${text}`));
  return [printable(message), ...(places.length === 0 ? [] : [`  ${places.join(", ")}`])];
}

function hints({ status, code, details }: ApiError): readonly string[] {
  if (code === "strange_answer") return ["  is something else running there? check --url or BUSBAR_URL"];
  if (details?.["pointer"] === "/site_id") return ["  choose one with --site-id; busbar site list shows them"];
  if (status === 401) return ["  set BUSBAR_TOKEN to a valid token, or name a file that holds one with --token-file"];
  if (status === 403) return ["  use a token with a higher level: busbar token create NAME --level LEVEL"];
  return [];
}

const WHY: Readonly<Record<FailureReason, string>> = {
  refused: ": nothing listens there",
  "unknown host": ": there is no such host",
  timeout: " in time",
  redirect: ": it sends elsewhere, and the token is not taken along",
  aborted: ": interrupted",
  certificate: ": its certificate is not accepted, so nothing was sent",
  "no tls": ": it does not speak TLS",
  connection: ": the connection broke",
};

const NEXT: Readonly<Record<FailureReason, readonly string[]>> = {
  refused: ["  is Busbar running? start it with npm start (or busbar serve), or give its address with --url"],
  "unknown host": ["  check --url or BUSBAR_URL"],
  timeout: ["  whether the server did what was asked is not known"],
  redirect: ["  give the final address with --url"],
  aborted: [],
  certificate: [],
  "no tls": ["  write http:// instead of https://, or check the port; nothing was sent"],
  connection: [
    "  whether the server did what was asked is not known; is this a Busbar address? check --url or BUSBAR_URL",
  ],
};

/** What is wrong with the certificate of a server, and what to do about it. */
function certificateLines({ reason, cause }: UnreachableError): readonly string[] {
  if (reason !== "certificate") return [];
  const found = deepest(cause);
  const code = "code" in found ? String(found.code) : "";
  const problem = Object.entries(CERTIFICATE_PROBLEMS).find(([pattern]) => new RegExp(pattern).test(code))?.[1];
  return (problem ?? [printable(found.message)]).map((line) => `  ${line}`);
}

const CERTIFICATE_PROBLEMS: Readonly<Record<string, readonly string[]>> = {
  "^(?:DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO)": [
    "it was signed by itself or by an authority that this machine does not know",
    "if it is yours, name the certificate of its authority with --ca FILE or BUSBAR_CA",
  ],
  "^CERT_HAS_EXPIRED": ["it has expired: renew it on the server, and compare the clock of this machine"],
  "^CERT_NOT_YET_VALID": ["it is not valid yet: compare the clocks of both machines"],
  "^(?:ERR_TLS_CERT_ALTNAME|HOSTNAME)": ["it is for another name: give the name that it is for with --url"],
};

function deepest(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause instanceof Error ? deepest(error.cause) : error;
}

/** A plain `Error` is thrown on purpose, with a message for the user; bugs are `TypeError` and the like. */
function isForPeople(error: unknown): error is Error {
  return error instanceof Error && error.constructor === Error && !("code" in error);
}

/** Node's own errors on files, such as a missing one, already say what happened to what. */
function isSystemError(error: unknown): error is Error & { readonly code: unknown } {
  return error instanceof Error && "syscall" in error && "code" in error;
}

function systemHints({ code }: { readonly code: unknown }): readonly string[] {
  if (code === "EADDRINUSE")
    return ["  something listens there already, perhaps Busbar itself: stop it, or choose another port with --port"];
  if (code === "EACCES") return ["  this user may not do that: change the owner or the mode, or choose another place"];
  return [];
}
