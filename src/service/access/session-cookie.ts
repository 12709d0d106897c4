// The cookie of a session. Its name ends with a mark of this installation: cookies do not know ports, and two programs
// on one host must not overwrite each other's.
import type { Instant } from "#core/time/instant.ts";
import { RawAnswer } from "#service/operation/answer.ts";

export interface SessionCookie {
  /** Its name without TLS, for the documentation. */
  readonly name: string;
  /** The text in the header Cookie. */
  read(header: string, isSecure: boolean): string | undefined;
  /** The header Set-Cookie that keeps the text for some time. */
  write(text: string, seconds: number, isSecure: boolean): string;
  clear(isSecure: boolean): string;
}

export function createSessionCookie(mark: string): SessionCookie {
  const name = `busbar-${mark}`;
  // A browser takes a name that begins like this only over TLS, for this host alone and for all its paths.
  const nameFor = (isSecure: boolean) => (isSecure ? `__Host-${name}` : name);
  const write = (text: string, seconds: number, isSecure: boolean) =>
    `${nameFor(isSecure)}=${text}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return {
    name,
    read: (header, isSecure) => valueIn(header, nameFor(isSecure)),
    write,
    clear: (isSecure) => write("", 0, isSecure),
  };
}

/** An answer that tells the browser to keep or to forget the cookie. */
export function withCookie(answer: object, cookie: string): RawAnswer {
  return new RawAnswer("application/json", JSON.stringify(answer), { "set-cookie": cookie });
}

export function secondsUntil(end: Instant, now: Instant): number {
  return Math.max(0, Math.floor((end - now) / 1000));
}

function valueIn(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
