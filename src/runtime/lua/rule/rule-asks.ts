// Calls of a rule's script to the main thread, within a thread of the pool. A script waits for each answer, so at most one is
// under way. One that asks too often waits longer; what changes something costs more.
import type { SentRequest } from "#core/rule/shown-request.ts";
import type { Drivers } from "#drivers/drivers.ts";
import { type LuaValue, sizeOf } from "#drivers/lua-value.ts";
import type { AskingActivity, ToPool } from "#runtime/lua/pool-messages.ts";
import type { RunningActivity } from "#runtime/lua/script-host.ts";
import { createTokenBucket } from "#runtime/lua/token-bucket.ts";

const ASKS = { perSecond: 100, burst: 500 };
const COSTS: Readonly<Record<string, number>> = {
  execute: 5,
  claim: 5,
  release: 5,
  set_variable: 5,
  notify: 5,
  on: 10,
  schedule: 10,
  tariff_cheapest: 5,
  forecast_pv: 20,
  forecast_load: 20,
  series: 5,
  devices: 5,
};
const PAUSE_MS = 20;
const MAX_BYTES = 65_536;

/** What is wrong with them, also in a dry run. */
export const argumentsProblem = (args: readonly LuaValue[]): string | undefined =>
  sizeOf(args) > MAX_BYTES ? `the arguments of a call have at most ${MAX_BYTES} bytes` : undefined;

export interface RuleAsks extends Drivers {
  /** Resolves when the script may spend so much more: one that asks too often waits longer. */
  spend(cost: number): Promise<void>;
  /** For traces. The answered function is told what came of it. */
  sends(sent: SentRequest): (result: string) => void;
  answered(id: number, values: readonly LuaValue[]): void;
  /** Whether the activity that began at this elapsed time has asked for something. */
  hasAsked(beganAt: number): boolean;
}

export interface RuleAsksNeeds {
  readonly slot: number;
  readonly post: (message: ToPool) => void;
  /** What the script is doing. */
  readonly activity: () => RunningActivity | undefined;
}

/** Of an elapsed time of this thread. */
export function wallTime(elapsed: number): number {
  return Math.round(Date.now() - (performance.now() - elapsed));
}

const PREFIX = "rule.";

export function createRuleAsks({ slot, post, activity }: RuleAsksNeeds): RuleAsks {
  const waiting = new Map<number, (values: readonly LuaValue[]) => void>();
  const bucket = createTokenBucket(ASKS.perSecond, ASKS.burst);
  let last = 0;
  let askedBy: number | undefined;

  function asking(): AskingActivity {
    const { kind = "job", beganAt = 0, file, line } = activity() ?? {};
    askedBy = beganAt;
    return { id: beganAt, kind, beganAt: wallTime(beganAt), place: file === undefined ? undefined : `${file}:${line}` };
  }

  async function spend(cost: number): Promise<void> {
    while (!bucket.take(performance.now(), cost)) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }

  return {
    spend,
    async call(full, args) {
      const name = full.startsWith(PREFIX) ? full.slice(PREFIX.length) : full;
      const problem = argumentsProblem(args);
      if (problem !== undefined) return [undefined, problem];
      const cost = Object.hasOwn(COSTS, name) ? (COSTS[name] ?? 1) : 1;
      await spend(cost);
      const id = ++last;
      post({ kind: "ask", slot, id, name, args, by: asking() });
      return await new Promise((resolve) => waiting.set(id, resolve));
    },
    sends(sent) {
      post({ kind: "request", slot, by: asking(), sent });
      return (result) => post({ kind: "requested", slot, result });
    },
    answered(id, values) {
      waiting.get(id)?.(values);
      waiting.delete(id);
    },
    hasAsked: (beganAt) => beganAt === askedBy,
    close: () => waiting.clear(),
  };
}
