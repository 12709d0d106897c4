// Runs the script of a rule in virtual time, over the stored past. The same script, site and time give the same answer.

import type { ScriptProgram } from "#core/lua/script-program.ts";
import { LONGEST_RULE_TEXT, MOST_TRACES } from "#core/rule/rule.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { RuleWorld } from "#core/rule/rule-world.ts";
import type { Drivers } from "#drivers/drivers.ts";
import { bytesOf, luaValueOf, plainOf } from "#drivers/lua-value.ts";
import { createDeviceScript } from "#runtime/lua/device-script.ts";
import type { LuaEngine } from "#runtime/lua/lua-engine.ts";
import { openError } from "#runtime/lua/open-error.ts";
import type { DeviceScript, ScriptHost } from "#runtime/lua/script-host.ts";
import type { LuaSimulation } from "#service/rule/lua-dry-run.ts";
import { createLuaTraces } from "#service/rule/lua-traces.ts";
import { answerTrigger } from "#service/rule/triggers/answer-trigger.ts";
import { createTriggerSet } from "#service/rule/triggers/trigger-set.ts";
import { createPastSite, type PastSource } from "./past-site.ts";

export interface ScriptPast {
  readonly ruleId: string;
  readonly program: ScriptProgram;
  readonly intervalMs: number | undefined;
  readonly timezone: string;
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

const SLICE_MS = 20;
const MOST_PROBLEMS = 50;
/** Virtual time in which a script may go on and on at one moment. */
const MOST_TURNS = 5_000;
const MOST_STORED = 1_048_576;

export async function simulateScript(needs: SimulationNeeds, past: ScriptPast): Promise<LuaSimulation> {
  const { from, to, ruleId } = past;
  let now = from;
  const problems = new Set<string>();
  const problem = (text: string): void => {
    if (problems.size < MOST_PROBLEMS) problems.add(text.slice(0, LONGEST_RULE_TEXT));
  };
  const traces = new Map<string, RuleTrace>();
  const recorder = createLuaTraces({ now: () => now, trace: (_, trace) => keepTrace(traces, trace) });
  const site = createPastSite({ ...past, source: needs.source, now: () => now, problem });
  const triggers = createTriggerSet(
    {
      ...{ ruleId, now: () => now, look: site.look, history: async () => undefined },
      log: (_, message) => problem(message),
    },
    undefined,
  );
  let started = 0;
  let isDead = false;
  let lastFired = Number.NEGATIVE_INFINITY;
  let pending: Promise<unknown> | undefined;
  let script: DeviceScript | undefined;

  const drivers: Drivers = {
    async call(full, args) {
      const name = full.replace(/^rule\./, "");
      const { kind = "job", beganAt = 0, file, line } = script?.activity() ?? {};
      const by = { id: beganAt, kind, beganAt: from + beganAt };
      const watch = recorder.watch(ruleId, by, file === undefined ? undefined : `${file}:${line}`);
      const plain = args.map(plainOf);
      const answering = answerTrigger(triggers, name, plain)
        .then((own) => own ?? site.ask(name, plain, watch))
        .catch((error: unknown) => {
          problem(`the gateway could not answer ${name}: ${String(error)}`);
          return [null, "the gateway could not answer"];
        });
      pending = answering;
      const values = await answering.finally(() => (pending = undefined));
      watch.answered(values);
      return values.map(luaValueOf);
    },
    close() {},
  };
  const host = virtualHost(past, {
    drivers,
    now: () => now,
    problem,
    ended(activity, error) {
      started += 1;
      const by = { id: activity.beganAt, kind: activity.kind, beganAt: from + activity.beganAt };
      recorder.ended(ruleId, by, { at: now, error: error && openError(error).message });
    },
  });
  const playing = createDeviceScript(needs.engine, past.program, host);
  script = playing;
  await play(playing);
  playing.close();
  recorder.stopped(ruleId);
  if (isDead) problem("the script ended with an error, and was not started again");
  return {
    started,
    bands: site.bands.endAt(now),
    effects: site.effects,
    traces: [...traces.values()],
    simulatedTo: now,
    problems: [...problems],
  };

  async function play(playing: DeviceScript): Promise<void> {
    const wallEnd = needs.wall() + needs.limits.wallMs;
    let turns = 0;
    for (;;) {
      const state = playing.run(SLICE_MS);
      turns += 1;
      isDead = state === "dead";
      if (needs.wall() > wallEnd) problem(`it ended early: more than ${needs.limits.wallMs / 1000} s of computing`);
      else if (started > needs.limits.steps) problem(`it ended early: more than ${needs.limits.steps} runs`);
      else if (turns > MOST_TURNS) problem("it ended early: the script goes on and on at one moment");
      else if (!isDead) {
        if (state === "more") continue;
        if (pending !== undefined || (state === "waiting" && playing.nextDue() === undefined)) {
          await pending;
          // The answer arrives after those that wait for the promise.
          await new Promise((resolve) => setImmediate(resolve));
          continue;
        }
        const due = (playing.nextDue() ?? Number.POSITIVE_INFINITY) + from;
        const trigger =
          triggers.size === 0
            ? Number.POSITIVE_INFINITY
            : nextTrigger(Math.min(triggers.nextDue() ?? Number.POSITIVE_INFINITY, site.nextSample()), lastFired, now);
        const next = Math.min(due, trigger);
        if (next <= to) {
          if (next > now) turns = 0;
          now = Math.max(now, next);
          if (trigger <= now) await fire();
          continue;
        }
        now = to;
      }
      break;
    }
  }

  async function fire(): Promise<void> {
    lastFired = now;
    site.seen();
    for (const { id, trigger, branch, at, why, values } of await triggers.step()) {
      const event = luaValueOf({ id, at: at / 1000, why, is_on: branch === "then", values });
      script?.triggered([bytesOf(trigger), bytesOf(branch), event]);
    }
  }
}

/** As on a gateway, at most once a second. */
function nextTrigger(next: number, lastFired: number, now: number): number {
  return Math.max(next, lastFired + 1_000, now + 1);
}

function keepTrace(traces: Map<string, RuleTrace>, trace: RuleTrace): void {
  traces.set(trace.id, trace);
  const [oldest] = traces.keys();
  if (traces.size > MOST_TRACES && oldest !== undefined) traces.delete(oldest);
}

interface HostNeeds extends Pick<ScriptHost, "drivers" | "now"> {
  readonly problem: (text: string) => void;
  readonly ended: NonNullable<ScriptHost["ended"]>;
}

function virtualHost(past: ScriptPast, { drivers, now, problem, ended }: HostNeeds): ScriptHost {
  const storage = new Map<string, string>();
  let bytes = 0;
  const write = async (key: string, text: string): Promise<string | undefined> => {
    const grown = bytes + text.length - (storage.get(key)?.length ?? -key.length);
    if (grown > MOST_STORED) return "the storage of the rule is full";
    bytes = grown;
    storage.set(key, text);
    return undefined;
  };
  return {
    now,
    elapsed: () => now() - past.from,
    drivers,
    telemetry: () => "rules have no telemetry",
    properties: () => "rules have no properties",
    log: () => {},
    respond: () => {},
    fault: (error) => problem(openError(error).message),
    ended,
    isConnected: () => true,
    wake: () => {},
    configuration: { read: () => undefined, isAllRequiredSet: () => false },
    storage: {
      read: (key) => storage.get(key),
      write,
      async remove(key) {
        bytes -= (storage.get(key)?.length ?? -key.length) + key.length;
        storage.delete(key);
        return undefined;
      },
    },
    randomSeed: 1,
    rule: { id: past.ruleId, timezone: past.timezone, intervalMs: past.intervalMs },
  };
}
