import { ConnectionError } from "#drivers/connection-error.ts";
import {
  addressKey,
  Health,
  nobody,
  type PeerWorld,
  type ScriptedNeeds,
  type ScriptedPeer,
} from "#drivers/scripted-peer.ts";
import type { PeerChange, HttpAnswer as ScriptedAnswer } from "#manifest/scenario/peers.ts";
import { httpCalls } from "./http-calls.ts";
import type { HttpAnswer, HttpRequest } from "./http-request.ts";

/** A web service by its routes. A list of answers is given one after the other, its last for good. */
class ScriptedHttp implements ScriptedPeer {
  readonly health: Health;
  readonly #world: PeerWorld;
  readonly #routes = new Map<string, { readonly answers: readonly ScriptedAnswer[]; given: number }>();

  constructor(world: PeerWorld) {
    this.#world = world;
    this.health = new Health(world);
  }

  change(change: PeerChange): void {
    this.health.change(change);
    for (const [route, answers] of change.routes ?? []) this.#routes.set(route, { answers, given: 0 });
  }

  async request({ method, url, headers, body, timeoutMs }: HttpRequest): Promise<HttpAnswer> {
    const { pathname, search } = new URL(url);
    const path = pathname + search;
    const what = `${method} ${path}`;
    this.#world.happened({
      kind: "request",
      peer: this.#world.name,
      method,
      path,
      headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
      body: body === undefined ? "" : Buffer.from(body).toString("utf8"),
    });
    const answer = await this.health.answer(what, timeoutMs, () => this.#next(method, path));
    const delay = answer?.delay ?? 0;
    await this.health.wait(Math.min(delay, timeoutMs));
    if (delay >= timeoutMs)
      throw this.health.fail(what, new ConnectionError("timeout", `no answer within ${timeoutMs} ms`));
    if (answer?.error !== undefined) throw this.health.fail(what, new ConnectionError("connection", answer.error));
    const code = answer?.code ?? 404;
    this.#world.happened({
      kind: "note",
      text: `${this.#world.name} → ${code}${answer === undefined ? ` (no route ${what})` : ""}`,
    });
    return {
      code,
      headers: [...(answer?.headers ?? [])],
      body: Buffer.from(answer?.body ?? "", "latin1"),
    };
  }

  /** The route that says most about the request: one without wildcards before one with. */
  #next(method: string, path: string): ScriptedAnswer | undefined {
    const fitting = [...this.#routes].filter(([route]) => fitsRoute(route, method, path));
    const [, found] = fitting.find(([route]) => !route.includes("*")) ?? fitting[0] ?? [];
    if (found === undefined) return undefined;
    const answer = found.answers[Math.min(found.given, found.answers.length - 1)];
    found.given += 1;
    return answer;
  }
}

/** `GET /items/*`. A route without a query takes every query. */
export function fitsRoute(route: string, method: string, path: string): boolean {
  const [wantedMethod = "", wantedPath = ""] = route.split(" ");
  if (wantedMethod !== method) return false;
  const given = wantedPath.includes("?") ? path : (path.split("?")[0] ?? "");
  const pattern = wantedPath.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pattern.join(".*")}$`).test(given);
}

export const peers = { http: ScriptedHttp };
export const connect = ({ find, timers, now }: ScriptedNeeds) => {
  const send = (request: HttpRequest) => {
    const key = addressKey("http", request.url);
    return find(ScriptedHttp, key)?.request(request) ?? nobody(timers, request.timeoutMs, key);
  };
  return { calls: httpCalls(send, now), close() {} };
};
