import { ConnectionError } from "#drivers/connection-error.ts";
import type { HttpAnswer, HttpRequest } from "#drivers/http/http-request.ts";
import { fitsRoute } from "#drivers/http/peer.ts";
import type { RequestAnswer, RequestAnswers } from "#manifest/rule-scenario/http.ts";

/** How a request ends, and after how long. */
export interface RequestEnd {
  readonly afterMs: number;
  readonly answer: HttpAnswer | ConnectionError;
}

/** The servers of a scenario: they answer what it declares. */
export class ScriptedRequests {
  readonly #known = new Map<string, { readonly answers: readonly RequestAnswer[]; given: number }>();

  change(declared: RequestAnswers): void {
    for (const [route, answers] of declared) this.#known.set(route, { answers, given: 0 });
  }

  /** Undefined: the scenario declares no such request. */
  answerTo({ method, url, timeoutMs }: HttpRequest): RequestEnd | undefined {
    const address = withoutLogin(url);
    const fitting = [...this.#known].filter(([route]) => fitsRoute(route, method, address));
    const [, found] = fitting.find(([route]) => !route.includes("*")) ?? fitting[0] ?? [];
    if (found === undefined) return undefined;
    const given = found.answers[Math.min(found.given, found.answers.length - 1)];
    found.given += 1;
    return endOf(given ?? "silent", timeoutMs);
  }
}

function endOf(given: RequestAnswer, timeoutMs: number): RequestEnd {
  const delay = given === "silent" ? Number.POSITIVE_INFINITY : (given.delay ?? 0);
  if (given === "silent" || delay >= timeoutMs)
    return { afterMs: timeoutMs, answer: new ConnectionError("timeout", `no answer within ${timeoutMs} ms`) };
  const { code, headers, body, error } = given;
  if (error !== undefined) return { afterMs: delay, answer: new ConnectionError("connection", error) };
  return { afterMs: delay, answer: { code, headers: [...headers], body: Buffer.from(body, "latin1") } };
}

/** As a scenario writes it down. */
export function withoutLogin(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = "";
  url.password = "";
  url.hash = "";
  // `http://10.0.0.9` and `http://10.0.0.9/` are the same.
  return url.pathname === "/" && url.search === "" && !text.endsWith("/") ? url.href.slice(0, -1) : url.href;
}
