// Runs the script of a rule in virtual time, over the stored past. The same script, site and time give the same answer.

import { LONGEST_RULE_TEXT, MOST_TRACES } from "#core/rule/rule.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { RuleWorld } from "#core/rule/rule-world.ts";
import type { LuaEngine } from "#runtime/lua/lua-engine.ts";
import type { ScriptHost } from "#runtime/lua/script-host.ts";
import type { LuaSimulation } from "#service/rule/lua-dry-run.ts";
import { createPastSite, type PastSource } from "./past-site.ts";
import { type RunningScript, startScriptRun } from "./script-run.ts";

export interface ScriptPast extends RunningScript {
  readonly location: RuleWorld["location"];
  readonly from: number;
  readonly to: number;
  readonly variables: ReadonlyMap<string, string | number | boolean>;
}

export interface SimulationLimits {
  /** Real milliseconds. What is known then is the answer. */
  readonly wallMs: number;
  /** Activities of the script. */
  readonly steps: number;
}

interface SimulationNeeds {
  readonly engine: LuaEngine;
  readonly source: PastSource;
  readonly limits: SimulationLimits;
  readonly wall: () => number;
}

const MOST_PROBLEMS = 50;
const MOST_STORED = 1_048_576;

export async function simulateScript(needs: SimulationNeeds, past: ScriptPast): Promise<LuaSimulation> {
  const { from, to } = past;
  let now = from;
  const problems = new Set<string>();
  const problem = (text: string): void => {
    if (problems.size < MOST_PROBLEMS) problems.add(text.slice(0, LONGEST_RULE_TEXT));
  };
  const traces = new Map<string, RuleTrace>();
  const site = createPastSite({ ...past, source: needs.source, now: () => now, problem });
  const run = startScriptRun({
    ...{ engine: needs.engine, script: past, site, storage: createScriptStorage(), memory: undefined },
    clock: { now: () => now, elapsed: () => now - from },
    trace: (trace) => keepTrace(traces, trace),
    problem,
    log: () => {},
    mayGoOn: limited(needs, problem),
  });
  while ((await run.settle()) === "idle") {
    const next = run.nextDue();
    if (next > to) {
      now = to;
      break;
    }
    now = Math.max(now, next);
    if (run.isTriggerDue()) await run.fire();
  }
  run.close();
  if (run.isDead()) problem("the script ended with an error, and was not started again");
  return {
    started: run.started(),
    bands: site.bands.endAt(now),
    effects: site.effects,
    traces: [...traces.values()],
    simulatedTo: now,
    problems: [...problems],
  };
}

function limited({ limits, wall }: SimulationNeeds, problem: (text: string) => void): (started: number) => boolean {
  const wallEnd = wall() + limits.wallMs;
  return (started) => {
    if (wall() > wallEnd) problem(`it ended early: more than ${limits.wallMs / 1000} s of computing`);
    else if (started > limits.steps) problem(`it ended early: more than ${limits.steps} runs`);
    else return true;
    return false;
  };
}

function keepTrace(traces: Map<string, RuleTrace>, trace: RuleTrace): void {
  traces.set(trace.id, trace);
  const [oldest] = traces.keys();
  if (traces.size > MOST_TRACES && oldest !== undefined) traces.delete(oldest);
}

/** In memory, as large as on a gateway. */
export function createScriptStorage(): ScriptHost["storage"] {
  const storage = new Map<string, string>();
  let bytes = 0;
  return {
    read: (key) => storage.get(key),
    async write(key, text) {
      const grown = bytes + text.length - (storage.get(key)?.length ?? -key.length);
      if (grown > MOST_STORED) return "the storage of the rule is full";
      bytes = grown;
      storage.set(key, text);
      return undefined;
    },
    async remove(key) {
      bytes -= (storage.get(key)?.length ?? -key.length) + key.length;
      storage.delete(key);
      return undefined;
    },
  };
}
