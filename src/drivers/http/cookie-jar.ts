/** A cookie as an answer sets it. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** As written; empty when it lasts for the session. */
  readonly expires: string;
  /** It is deleted: it expires in the past, or its maximum age is zero. */
  readonly isOver: boolean;
}

/** Of all hosts together: whoever answers may choose its names, and names of other hosts, too. */
const MAX_COOKIES = 64;
const MAX_COOKIE_CHARACTERS = 4_096;

interface Cookie extends Pick<SetCookie, "name" | "value"> {
  readonly host: string;
}

export function parseSetCookie(text: string, now: number): SetCookie | undefined {
  const [pair = "", ...attributes] = text.split(";").map((part) => part.trim());
  const at = pair.indexOf("=");
  if (at < 1) return undefined;
  const attribute = (name: string) =>
    attributes.find((part) => part.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  const expires = attribute("expires");
  const maxAge = attribute("max-age");
  const isOver = maxAge === "" ? Date.parse(expires) <= now : Number(maxAge) <= 0;
  return { name: pair.slice(0, at), value: pair.slice(at + 1), expires, isOver };
}

/** Keeps cookies by host, for as long as a script runs. Paths are ignored: a script talks to one service. */
export class CookieJar {
  /** The newest last. */
  readonly #cookies: Cookie[] = [];

  keep(host: string, cookies: readonly SetCookie[]): void {
    for (const { name, value, isOver } of cookies) {
      const before = this.#cookies.findIndex((one) => one.host === host && one.name === name);
      if (before >= 0) this.#cookies.splice(before, 1);
      if (!isOver && name.length + value.length <= MAX_COOKIE_CHARACTERS) this.#cookies.push({ host, name, value });
      if (this.#cookies.length > MAX_COOKIES) this.#cookies.shift();
    }
  }

  /** The header for a request; undefined when there are no cookies. */
  header(host: string): string | undefined {
    const pairs = this.#cookies.filter((one) => one.host === host).map(({ name, value }) => `${name}=${value}`);
    return pairs.length === 0 ? undefined : pairs.join("; ");
  }
}
