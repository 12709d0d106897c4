import { byteString, bytes, type Call, finite, flag, integer, list, text } from "#drivers/arguments.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { parseSetCookie } from "#drivers/http/cookie-jar.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import type { HttpAnswer, HttpRequest } from "./http-request.ts";

const DEFAULT_TIMEOUT_S = 10;
const MAX_TIMEOUT_S = 60;
const MAX_REQUEST_BYTES = 1024 * 1024;
const MAX_HEADERS = 64;
const MAX_URL_BYTES = 8192;
const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/**
 * Set by the connection, not by a script: a script could otherwise build a request that two servers read differently. A
 * script's own are left out, and its request is sent; `set_header` of the prelude, with the same names, says so.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
  "expect",
  "keep-alive",
  "proxy-connection",
]);
/** Headers whose value is a list, with their separator. All others have one value. */
const DIVIDERS: Readonly<Record<string, string>> = {
  "content-type": ";",
  ...Object.fromEntries(
    [
      "accept-ranges",
      "allow",
      "cache-control",
      "content-encoding",
      "content-language",
      "transfer-encoding",
      "vary",
    ].map((name) => [name, ","]),
  ),
};

export function httpCalls(
  send: (request: HttpRequest) => Promise<HttpAnswer>,
  now: () => number,
): Readonly<Record<string, Call>> {
  return {
    "http.send": async ([method, url, headers, body, timeoutS, insecure, jar]) => {
      const answer = await send({
        method: methodOf(method),
        url: text(url, "url", MAX_URL_BYTES),
        headers: headersOf(headers),
        body: body === undefined ? undefined : bytes(body, "body", MAX_REQUEST_BYTES),
        timeoutMs: timeoutOf(timeoutS),
        isInsecure: flag(insecure),
        jar: jar === undefined ? undefined : integer(jar, "jar", [1, 2 ** 31]),
      });
      return [renderAnswer(answer, now())];
    },
  };
}

function methodOf(value: LuaValue): string {
  const method = text(value, "method").toUpperCase();
  if (!METHODS.includes(method))
    throw new ConnectionError("invalid", `method must be one of ${METHODS.join(", ")}, got "${method.slice(0, 40)}"`);
  return method;
}

function timeoutOf(value: LuaValue): number {
  const seconds = value === undefined ? DEFAULT_TIMEOUT_S : finite(value, "timeout");
  if (seconds <= 0) throw new ConnectionError("invalid", `timeout must be longer than 0 s, got ${seconds}`);
  return Math.ceil(Math.min(seconds, MAX_TIMEOUT_S) * 1000);
}

function headersOf(given: LuaValue): readonly (readonly [string, string])[] {
  const headers = list(given ?? [], "headers", MAX_HEADERS)
    .map(headerOf)
    .filter(isOfScript);
  // Two servers on the way could each take another one.
  if (headers.filter(([name]) => name.toLowerCase() === "host").length > 1)
    throw new ConnectionError("invalid", "a request has at most one header Host");
  return headers;
}

function headerOf(pair: LuaValue): readonly [string, string] {
  const [first, second] = list(pair, "a header", 2);
  const name = byteString(first, "a header's name", 256);
  const value = byteString(second, `header ${name}`, 8192).trim();
  if (!TOKEN.test(name)) throw new ConnectionError("invalid", `"${name}" is no name of a header`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break would start another header.
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    throw new ConnectionError("invalid", `the value of header ${name} has characters that no header may have`);
  return [name, value];
}

function isOfScript([name]: readonly [string, string]): boolean {
  return !OWN_HEADERS.has(name.toLowerCase());
}

function renderAnswer({ code, headers, body }: HttpAnswer, now: number): LuaValue {
  const byName = new Map<string, readonly string[]>();
  for (const [name, value] of headers) {
    const key = canonicalName(name);
    const divider = DIVIDERS[name.toLowerCase()];
    const parts = divider === undefined ? [value] : value.split(divider).map((part) => part.trim());
    byName.set(key, [...(byName.get(key) ?? []), ...parts]);
  }
  const cookies = headers
    .filter(([name]) => name.toLowerCase() === "set-cookie")
    .flatMap(([, value]) => parseSetCookie(value, now) ?? [])
    .map(({ name, value, expires }) => new Map(Object.entries({ name, value, expires })));
  return new Map<string, LuaValue>([
    ["code", code],
    ["body", Buffer.from(body).toString("latin1")],
    ["headers", byName],
    ["cookies", cookies],
  ]);
}

/** `content-type` is Content-Type. */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}
