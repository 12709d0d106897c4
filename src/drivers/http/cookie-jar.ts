/** A cookie as an answer sets it. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** As written; empty when it lasts for the session. */
  readonly expires: string;
  /** It is deleted: it expires in the past, or its maximum age is zero. */
  readonly isOver: boolean;
}

const MAX_COOKIES = 64;

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
  readonly #cookies = new Map<string, Map<string, string>>();

  keep(host: string, cookies: readonly SetCookie[]): void {
    const kept = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, kept);
    for (const { name, value, isOver } of cookies) {
      kept.delete(name);
      if (!isOver) kept.set(name, value);
      const [oldest] = kept.keys();
      if (kept.size > MAX_COOKIES && oldest !== undefined) kept.delete(oldest);
    }
  }

  /** The header for a request; undefined when there are no cookies. */
  header(host: string): string | undefined {
    const pairs = [...(this.#cookies.get(host) ?? [])].map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? undefined : pairs.join("; ");
  }
}
