// Work that exactly one node does at a time, shared among all nodes in about equal parts. When a node leaves or dies,
// the others take its part over.
import type { Logger } from "pino";
import { repeat } from "#role/repeat.ts";
import type { ChoreHealth } from "#service/chore-health.ts";
import type { Claim, Nodes } from "#service/ports/nodes.ts";

/** Begins a part of the work. Returns the function that ends it. */
type BeginDuty = (part: number) => Promise<() => Promise<void>>;

interface DutySettings {
  readonly name: string;
  /** In how many parts the work is shared: more than there are nodes. */
  readonly parts: number;
  readonly begin: BeginDuty;
}

interface DutyNeeds {
  readonly nodes: Nodes;
  readonly log: Logger;
  readonly choreHealth: ChoreHealth;
}

interface Held {
  readonly claim: Claim;
  readonly end: () => Promise<void>;
}

const LOOK_EVERY_MS = 1_000;

export interface Duties {
  /** Ends all parts, and hands them over. */
  stop(): Promise<void>;
}

export async function shareDuties(
  { nodes, log, choreHealth }: DutyNeeds,
  { name, parts, begin }: DutySettings,
): Promise<Duties> {
  const held = new Map<number, Held>();
  const all = Array.from({ length: parts }, (_, part) => part);

  async function give(part: number): Promise<void> {
    const one = held.get(part);
    held.delete(part);
    try {
      await one?.end();
    } finally {
      await one?.claim.release();
    }
  }

  async function take(part: number): Promise<void> {
    const claim = await nodes.claim(`${name} ${part}`);
    if (claim === undefined) return;
    try {
      const end = await begin(part);
      held.set(part, { claim, end });
      const lose = () => {
        if (held.get(part)?.claim !== claim) return;
        log.warn({ duty: name, part }, "the claim to a part of the work is lost; another node may have it");
        give(part).catch((error: unknown) => log.error({ err: error, duty: name, part }, "a part of the work goes on"));
      };
      if (claim.lost.aborted) lose();
      else claim.lost.addEventListener("abort", lose, { once: true });
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  async function look(): Promise<void> {
    const share = Math.ceil(parts / (await nodes.count()));
    for (const part of [...held.keys()].slice(share)) await give(part);
    for (const part of all) {
      if (held.size >= share) return;
      if (!held.has(part)) await take(part);
    }
  }

  await look();
  const looking = repeat({ log, choreHealth }, { name: `share ${name}`, everyMs: LOOK_EVERY_MS, task: look });
  return {
    async stop() {
      await looking.stop();
      for (const part of [...held.keys()]) await give(part);
    },
  };
}
