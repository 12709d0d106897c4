// One start of a rule's script in virtual time, from its first line to its end. Whoever plays it has the clock: it lets the script do
// all that is due at one moment, and goes on to the next one.

import type { ScriptProgram } from "#core/lua/script-program.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { RuleHistory } from "#core/rule/rule-world.ts";
import { sentRequest } from "#core/rule/shown-request.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { createDrivers } from "#drivers/create-drivers.ts";
import { httpCalls } from "#drivers/http/http-calls.ts";
import type { HttpAnswer, HttpRequest } from "#drivers/http/http-request.ts";
import { bytesOf, type LuaValue, luaValueOf, plainOf, textOf } from "#drivers/lua-value.ts";
import { createDeviceScript } from "#runtime/lua/device-script.ts";
import type { LuaEngine } from "#runtime/lua/lua-engine.ts";
import { openError } from "#runtime/lua/open-error.ts";
import { argumentsProblem } from "#runtime/lua/rule/rule-asks.ts";
import { resultOf } from "#runtime/lua/rule/rule-drivers.ts";
import type { DeviceScript, ScriptHost } from "#runtime/lua/script-host.ts";
import { createLuaTraces } from "#service/rule/lua-traces.ts";
import { answerTrigger } from "#service/rule/triggers/answer-trigger.ts";
import { createTriggerSet } from "#service/rule/triggers/trigger-set.ts";
import type { PastSite } from "./past-site.ts";

export interface RunningScript {
  readonly ruleId: string;
  readonly program: ScriptProgram;
  /** Undefined: it runs once. */
  readonly intervalMs: number | undefined;
  readonly timezone: string;
}

interface ScriptRunNeeds {
  readonly engine: LuaEngine;
  readonly script: RunningScript;
  readonly site: PastSite;
  readonly clock: { now(): number; elapsed(): number };
  readonly storage: ScriptHost["storage"];
  /** What triggers remember from the start before. */
  readonly memory: string | undefined;
  /** What a server answers, and after how long. Undefined: there is no network. */
  readonly http?: (request: HttpRequest) => { readonly afterMs: number; readonly answer: HttpAnswer | ConnectionError };
  /** What is stored of the time before a restart. */
  readonly history?: () => RuleHistory;
  /** It comes again with the same id when it has changed. */
  readonly trace: (trace: RuleTrace) => void;
  readonly problem: (text: string) => void;
  readonly log: (severity: string, text: string) => void;
  /** An error that nothing catches. Default: a problem. */
  readonly failed?: (message: string) => void;
  /** Asked after each turn, by how many activities have ended. */
  readonly mayGoOn: (started: number) => boolean;
}

const SLICE_MS = 20;
/** What a request answers. */
const NO_NETWORK = "there is no network in a dry run or a test";
/** At one moment. */
const MOST_TURNS = 5_000;

export type ScriptRun = ReturnType<typeof startScriptRun>;

export function startScriptRun(needs: ScriptRunNeeds) {
  const { script, site, clock, problem } = needs;
  const { ruleId, program } = script;
  const { now, elapsed } = clock;
  const recorder = createLuaTraces({ now, trace: (_, trace) => needs.trace(trace) });
  const look = { look: site.look, history: async () => needs.history?.() };
  const log = (_: string, message: string) => problem(message);
  const triggers = createTriggerSet({ ruleId, now, ...look, log }, needs.memory);
  const wallAt = (beganAt: number) => beganAt + now() - elapsed();
  let [started, isDead, lastFired, triggerDue] = [0, false, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  let pending: Promise<unknown> | undefined;
  let running: string | undefined;
  const began = (firing: { readonly id: string } | undefined) => {
    running = firing?.id;
  };

  /** A request is answered later. */
  let sleeping: { readonly at: number; readonly wake: () => void } | undefined;
  async function send(request: HttpRequest): Promise<HttpAnswer> {
    const { afterMs, answer } = needs.http?.(request) ?? {
      afterMs: 0,
      answer: new ConnectionError("refused", NO_NETWORK),
    };
    if (afterMs > 0) await new Promise<void>((wake) => (sleeping = { at: elapsed() + afterMs, wake }));
    if (answer instanceof ConnectionError) throw answer;
    return answer;
  }
  const http = createDrivers([{ calls: httpCalls(send, now), close() {} }]);

  function asking() {
    const { kind = "job", beganAt = 0, file, line } = playing.activity() ?? {};
    const place = file === undefined ? undefined : `${file}:${line}`;
    return { id: beganAt, kind, beganAt: wallAt(beganAt), place };
  }

  async function request(args: readonly LuaValue[]): Promise<readonly LuaValue[]> {
    const began = elapsed();
    const ended = recorder.requested(ruleId, asking(), sentRequest(textOf(String(args[0])), textOf(String(args[1]))));
    const answering = http.call("http.send", args);
    pending = answering;
    const values = await answering.finally(() => (pending = undefined));
    ended(resultOf(values, elapsed() - began));
    return values;
  }

  async function call(full: string, args: readonly LuaValue[]): Promise<readonly LuaValue[]> {
    if (full.startsWith("http.")) return await request(args);
    const tooLong = argumentsProblem(args);
    if (tooLong !== undefined) return [undefined, tooLong];
    const name = full.replace(/^rule\./, "");
    const { place, ...by } = asking();
    const watch = recorder.watch(ruleId, by, place);
    const plain = args.map(plainOf);
    const answering = answerTrigger(triggers, name, plain, { began })
      .then((own) => own ?? site.ask(name, plain, watch))
      .catch((error: unknown) => {
        problem(`the gateway could not answer ${name}: ${String(error)}`);
        return [null, "the gateway could not answer"];
      });
    pending = answering;
    const values = await answering.finally(() => (pending = undefined));
    watch.answered(values);
    return values.map(luaValueOf);
  }

  const playing: DeviceScript = createDeviceScript(
    needs.engine,
    program,
    virtualHost(needs, {
      drivers: { call, close() {} },
      ended(activity, error) {
        started += 1;
        if (activity.kind === "trigger" && running !== undefined) triggers.ended(running);
        const by = { id: activity.beganAt, kind: activity.kind, beganAt: wallAt(activity.beganAt) };
        recorder.ended(ruleId, by, { at: now(), error: error && openError(error).message });
      },
    }),
  );

  /** As on a gateway, at most once a second. */
  function nextTrigger(): number {
    if (triggers.size === 0) return Number.POSITIVE_INFINITY;
    const next = Math.min(triggers.nextDue() ?? Number.POSITIVE_INFINITY, site.nextSample());
    return Math.max(next, lastFired + 1_000, now() + 1);
  }

  return {
    /** Everything that is due at this moment. "over": it may not go on, or does not come to an end. */
    async settle(): Promise<"idle" | "dead" | "over"> {
      for (let turns = 0; turns < MOST_TURNS; turns += 1) {
        const state = playing.run(SLICE_MS);
        isDead = state === "dead";
        if (!needs.mayGoOn(started)) return "over";
        if (isDead) return "dead";
        if (state === "more") continue;
        if (sleeping !== undefined) {
          if (sleeping.at > elapsed()) return "idle";
          sleeping.wake();
          sleeping = undefined;
        }
        if (pending === undefined && !(state === "waiting" && playing.nextDue() === undefined)) {
          if ((playing.nextDue() ?? Number.POSITIVE_INFINITY) <= elapsed()) continue;
          return "idle";
        }
        await pending;
        // The answer arrives after those that wait for the promise.
        await new Promise((resolve) => setImmediate(resolve));
      }
      problem("it ended early: the script goes on and on at one moment");
      return "over";
    },
    /** On the wall. */
    nextDue(): number {
      triggerDue = nextTrigger();
      const due = Math.min(playing.nextDue() ?? Number.POSITIVE_INFINITY, sleeping?.at ?? Number.POSITIVE_INFINITY);
      return Math.min(wallAt(due), triggerDue);
    },
    isTriggerDue: (): boolean => triggerDue <= now(),
    /** Triggers look at the site. */
    async fire(): Promise<void> {
      lastFired = now();
      site.seen();
      for (const { id, trigger, branch, at, why, values } of await triggers.step()) {
        const event = luaValueOf({ id, at: at / 1000, why, is_on: branch === "then", values });
        playing.triggered([bytesOf(trigger), bytesOf(branch), event]);
      }
    },
    hear: triggers.hear,
    hasTriggers: (): boolean => triggers.size > 0,
    started: (): number => started,
    isDead: (): boolean => isDead,
    memory: triggers.memory,
    close(): void {
      playing.close();
      recorder.stopped(ruleId);
    },
  };
}

function virtualHost(
  { script, clock, storage, problem, log, failed = problem }: ScriptRunNeeds,
  own: Pick<ScriptHost, "drivers"> & { readonly ended: NonNullable<ScriptHost["ended"]> },
): ScriptHost {
  return {
    ...clock,
    ...own,
    telemetry: () => "rules have no telemetry",
    properties: () => "rules have no properties",
    log: (text, severity) => log(severity, text),
    respond: () => {},
    fault: (error) => failed(openError(error).message),
    isConnected: () => true,
    wake: () => {},
    configuration: { read: () => undefined, isAllRequiredSet: () => false },
    storage,
    randomSeed: 1,
    rule: { id: script.ruleId, timezone: script.timezone, intervalMs: script.intervalMs },
  };
}
