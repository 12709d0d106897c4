// Where a call carries its token. Several families of clients use the same interface, each with its own beginning of
// header names, and all of them work at once: an answer's own headers begin like the header that carried the token.
import type { IncomingHttpHeaders } from "node:http";

/** The interface's own prefix comes first: it serves every call that names no other. */
const ALWAYS = ["X-Service", "X-Enapter"];
/** RFC 6750. Other schemes are for somebody else, such as a proxy. */
const BEARER = /^bearer +(\S+) *$/i;

export interface TokenHeaders {
  /** Every accepted prefix; the documentation names the first one. */
  readonly prefixes: readonly string[];
  tokenIn(headers: IncomingHttpHeaders): string | undefined;
  /** The beginning of the header names in the answer. */
  prefixOf(headers: IncomingHttpHeaders): string;
}

export function createTokenHeaders(set: readonly string[]): TokenHeaders {
  const known = new Set(set.map((prefix) => prefix.toLowerCase()));
  const prefixes = [...set, ...ALWAYS.filter((prefix) => !known.has(prefix.toLowerCase()))];
  const names = prefixes.map((prefix) => ({ prefix, name: `${prefix}-Auth-Token`.toLowerCase() }));
  /** Programs with several settings send the unset ones as empty headers, so a header with a token wins. */
  const found = (headers: IncomingHttpHeaders) =>
    names.find(({ name }) => typeof headers[name] === "string" && headers[name] !== "");
  return {
    prefixes,
    tokenIn(headers) {
      const header = found(headers);
      if (header !== undefined) return headers[header.name] as string;
      const bearer = BEARER.exec(headers.authorization ?? "")?.[1];
      if (bearer !== undefined) return bearer;
      // A program that has lost its token must not act for the person whose cookie it happens to send.
      return names.some(({ name }) => headers[name] === "") ? "" : undefined;
    },
    prefixOf: (headers) => found(headers)?.prefix ?? "X-Service",
  };
}
