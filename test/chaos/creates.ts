// 200 concurrent creates, and what must be true of them after a kill.
import { Agent } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { type Named, send } from "./send.ts";
import type { Victim } from "./victim.ts";

const KINDS = ["site", "device", "token"] as const;
type Kind = (typeof KINDS)[number];

/** What was asked for and what was acknowledged, over all rounds on one folder. */
export class Ledger {
  readonly #asked: Record<Kind, Set<string>> = { site: new Set(), device: new Set(), token: new Set() };
  readonly #acknowledged: Record<Kind, Map<string, string>> = { site: new Map(), device: new Map(), token: new Map() };
  /** Texts of acknowledged tokens. */
  readonly #texts: string[] = [];

  get acknowledged(): number {
    return KINDS.reduce((sum, kind) => sum + this.#acknowledged[kind].size, 0);
  }

  /** Sends them all at once; resolves when each is answered or cut off. `onAnswer` is called after each acknowledgement. */
  async create(victim: Victim, count: number, onAnswer: () => void): Promise<void> {
    const agent = new Agent({ maxSockets: count });
    const first = await send(victim, { method: "GET", path: "/v3/sites?limit=1" }).catch(() => undefined);
    // The kill may come before the first answer: then nothing was asked for and nothing was acknowledged.
    if (first === undefined) return;
    const siteId = first.body.sites?.[0]?.id ?? "";
    const round = this.#asked.site.size;
    await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const kind = KINDS[i % KINDS.length] ?? "site";
        const name = `${kind} ${round}.${i}`;
        this.#asked[kind].add(name);
        const answer = await send(victim, { method: "POST", agent, ...wanted(kind, name, siteId) }).catch(
          () => undefined,
        );
        if (answer === undefined) return;
        expect(answer).toMatchObject({ status: 200 });
        const { id, device_id, site, token } = answer.body;
        this.#acknowledged[kind].set(name, id ?? device_id ?? site?.id ?? "");
        if (token !== undefined) this.#texts.push(token);
        onAnswer();
      }),
    );
    agent.destroy();
  }

  /** Every acknowledged one is there, none is there twice, and nothing is there that was not asked for. */
  async check(victim: Victim, data: string): Promise<{ readonly stored: number }> {
    expect((await send(victim, { method: "GET", path: "/readyz" })).status).toBe(200);
    let stored = 0;
    for (const kind of KINDS) {
      const found = (await list(victim, kind)).filter(({ name }) => name.startsWith(`${kind} `));
      const names = new Map(found.map(({ id, name }) => [name, id]));
      expect(names.size, `each ${kind} is there once`).toBe(found.length);
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
      for (const [name, id] of this.#acknowledged[kind]) expect({ name, id: names.get(name) }).toEqual({ name, id });
      for (const name of names.keys()) expect(this.#asked[kind]).toContain(name);
      stored += found.length;
    }
    for (const text of this.#texts.splice(0)) {
      expect((await send({ ...victim, token: text }, { method: "GET", path: "/v3/site" })).status).not.toBe(401);
    }
    expectSound(join(data, "records.db"));
    return { stored };
  }
}

/** The file has no damage, and every stored thing has exactly one audit entry. */
export function expectSound(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  const counted = "(SELECT count(*) FROM site) + (SELECT count(*) FROM device) + (SELECT count(*) FROM token) - 1";
  const { made, noted } = database
    .prepare(`SELECT ${counted} AS made, (SELECT count(*) FROM audit WHERE outcome = 'OK') AS noted`)
    .get() as { made: number; noted: number };
  database.close();
  expect(noted).toBe(made);
}

function wanted(kind: Kind, name: string, siteId: string): { readonly path: string; readonly body: unknown } {
  switch (kind) {
    case "site":
      return { path: "/v3/sites", body: { name } };
    case "device":
      return { path: "/v3/provisioning/standalone", body: { name, site_id: siteId } };
    case "token":
      return { path: "/v3/tokens", body: { name, level: "readonly" } };
  }
}

async function list(victim: Victim, kind: Kind): Promise<readonly Named[]> {
  const items: Named[] = [];
  for (;;) {
    const path = `/v3/${kind}s?limit=1000&offset=${items.length}`;
    const { status, body } = await send(victim, { method: "GET", path });
    expect(status).toBe(200);
    items.push(...(body[`${kind}s`] ?? []));
    if (items.length >= (body.total_count ?? 0)) return items;
  }
}
