// Rules of runtime version V3: Lua in threads of their own, apart from the scripts of devices. Each has the limits of a device's
// script; the rules of a site share a number of calls.
import type { Position } from "#core/blueprint/issue.ts";
import { lintRule } from "#core/lua/lint/lint-scripts.ts";
import { NO_MODULES, type RuleModules } from "#core/rule/rule-modules.ts";
import type { RuleSite } from "#core/rule/rule-site.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { instant } from "#core/time/instant.ts";
import { bytesOf, type LuaValue, luaValueOf, plainOf } from "#drivers/lua-value.ts";
import { type AskedOfPool, createLuaPool, type LuaPoolSettings, type ScriptStatus } from "#runtime/lua/lua-pool.ts";
import { openError } from "#runtime/lua/open-error.ts";
import type { ScriptContext } from "#runtime/lua/pool-messages.ts";
import { createTokenBucket, type TokenBucket } from "#runtime/lua/token-bucket.ts";
import type { RunnableRule } from "#service/ports/rule-store.ts";
import type { Needs } from "#service/ports.ts";
import { createLuaTraces } from "#service/rule/lua-traces.ts";
import type { RequiringRule } from "#service/rule/rule-modules.ts";
import type { CodeProblem, RuleHost, RuleRunner, RuleStatus } from "#service/rule/rule-runner.ts";
import { readTraces } from "#service/rule/rule-traces.ts";
import type { LuaTriggers } from "#service/rule/triggers/lua-triggers.ts";
import { ruleProgram } from "./rule-program.ts";

export interface LuaRuleNeeds extends Pick<Needs, "rules" | "now" | "randomBytes"> {
  readonly after: (ms: number, task: () => void) => () => void;
  readonly host: RuleHost;
  readonly triggers: LuaTriggers;
  readonly knownSite: (siteId: string) => Promise<RuleSite | undefined>;
  readonly modulesOf: (rule: RequiringRule) => Promise<RuleModules>;
  readonly log: { error(about: object, text: string): void };
}

export interface LuaRuleRunner extends RuleRunner {
  /** Of all rules together. */
  readonly memory: BufferUse;
}

/** Calls of all rules of a site together. A site that asks more waits for its own sake. */
const SITE_ASKS = { perSecond: 1_000, burst: 3_000 };
const PAUSE_MS = 50;
/** Few enough that the writing thread soon comes to what others wait for. */
const RULES_IN_A_WRITE = 250;
const STORAGE = { entries: 1_000, bytes: 1_048_576 };
const PROBLEM = { full: "the storage of the rule is full", gone: "the rule is deleted" } as const;
/** A command that a rule executes may last this long. */
const OVERRUN_MS = 75_000;

export function createLuaRuleRunner(needs: LuaRuleNeeds, settings: LuaPoolSettings = {}): LuaRuleRunner {
  const started = new Map<string, SiteRule>();
  /** Rules that have been started here: what was stored before has been looked at. */
  const known = new Set<string>();
  /** A script waits for each answer, so at most one is under way. */
  const requests = new Map<string, (result: string) => void>();
  const budgets = new Map<string, TokenBucket>();
  const traces = createLuaTraces({ now: needs.now, trace: needs.host.trace });
  const pool = createLuaPool(
    {
      now: needs.now,
      telemetry: () => {},
      properties: () => {},
      respond: () => {},
      registerChild: async () => "rules have no child devices",
      log: (ruleId, { severity, text }) => needs.host.log(ruleId, severity, text),
      store,
      ask,
      requests: (ruleId, by, sent) => void requests.set(ruleId, traces.requested(ruleId, by, sent)),
      requested(ruleId, result) {
        requests.get(ruleId)?.(result);
        requests.delete(ruleId);
      },
      ended(ruleId, { error, endedAt, ...by }) {
        needs.triggers.ended(ruleId, by.kind);
        traces.ended(ruleId, by, { at: endedAt, error: error && openError(error).message });
      },
      statusChanged: () => {},
    },
    { ...settings, limits: { overrunMs: OVERRUN_MS, ...settings.limits } },
  );

  async function store(ruleId: string, key: string, text: string | undefined): Promise<string | undefined> {
    if (text === undefined) {
      await needs.rules.removeStored(ruleId, key);
      return undefined;
    }
    const outcome = await needs.rules.putStored(ruleId, { key, value: text }, STORAGE);
    return outcome === "stored" ? undefined : PROBLEM[outcome];
  }

  async function ask(ruleId: string, { name, args, by }: AskedOfPool): Promise<readonly LuaValue[]> {
    const rule = started.get(ruleId);
    if (rule === undefined) return [undefined, PROBLEM.gone];
    const budget = budgets.get(rule.siteId) ?? createTokenBucket(SITE_ASKS.perSecond, SITE_ASKS.burst);
    budgets.set(rule.siteId, budget);
    while (!budget.take(needs.now())) await new Promise<void>((resolve) => needs.after(PAUSE_MS, resolve));
    try {
      const plain = args.map(plainOf);
      const triggered = await needs.triggers.ask(ruleId, name, plain);
      if (triggered !== undefined) return triggered.map(luaValueOf);
      const watch = traces.watch(ruleId, by, by.place, needs.triggers.isCalledAgain(ruleId));
      const values = await needs.host.ask(rule, name, plain, { watch, causes: needs.triggers.causesOf(ruleId) });
      watch.answered(values);
      return values.map(luaValueOf);
    } catch (error) {
      needs.log.error({ err: error, ruleId }, "a function of a rule failed");
      return [undefined, "a fault in Busbar; its log has the details"];
    }
  }

  async function storeRecords(): Promise<void> {
    const records = needs.triggers.records();
    for (let from = 0; from < records.length; from += RULES_IN_A_WRITE) {
      await needs.rules.remember(records.slice(from, from + RULES_IN_A_WRITE));
    }
    needs.triggers.stored(records);
  }

  async function turn(): Promise<void> {
    const firings = await needs.triggers.step();
    await storeRecords();
    for (const [ruleId, { id, trigger, branch, at, why, values }] of firings) {
      const event = luaValueOf({ id, at: at / 1000, why, is_on: branch === "then", values });
      // A script that does not run now gets it when it runs again.
      pool.trigger(ruleId, [bytesOf(trigger), bytesOf(branch), event]);
    }
  }

  /** What went on when the script ended, or the gateway before this one. */
  async function noteCut(ruleId: string): Promise<void> {
    const isFirst = !known.has(ruleId);
    known.add(ruleId);
    traces.cut(ruleId, isFirst ? await readTraces(needs.rules, ruleId) : []);
  }

  async function contextOf({ rule, timezone }: RunnableRule): Promise<ScriptContext> {
    await noteCut(rule.id);
    await needs.triggers.begun(rule, timezone);
    const interval = rule.script.execInterval === undefined ? undefined : parseDuration(rule.script.execInterval);
    return {
      deviceId: rule.id,
      slug: rule.slug,
      siteId: rule.siteId,
      configuration: new Map(),
      storage: await needs.rules.storage(rule.id),
      isConnected: true,
      randomSeed: new DataView(needs.randomBytes(4).slice().buffer).getUint32(0),
      rule: { timezone, intervalMs: interval === undefined ? undefined : toMilliseconds(interval) },
    };
  }

  return {
    runtimeVersion: "V3",
    memory: { ...pool.memory, name: "rule_scripts" },
    async check(siteId, code) {
      const script = {
        code: Buffer.from(code).toString("base64"),
        runtimeVersion: "V3",
        execInterval: undefined,
      } as const;
      const modules = await needs.modulesOf({ siteId, slug: "", script });
      return problemsOf(code, await needs.knownSite(siteId), modules);
    },
    async start(runnable) {
      const { rule, modules = NO_MODULES } = runnable;
      started.set(rule.id, rule);
      const program = ruleProgram(`${rule.slug}.lua`, Buffer.from(rule.script.code, "base64"), modules);
      await pool.start(rule.id, program, () => contextOf(runnable));
    },
    async stop(ruleId) {
      started.delete(ruleId);
      needs.triggers.stopped(ruleId);
      pool.stop(ruleId);
      known.delete(ruleId);
      requests.delete(ruleId);
      traces.stopped(ruleId);
    },
    turn,
    status(ruleId) {
      const status = pool.status(ruleId);
      return status && statusOf(status);
    },
    async close() {
      await pool.close();
      for (const ruleId of started.keys()) traces.stopped(ruleId);
      await storeRecords().catch(() => {});
      needs.triggers.close();
    },
  };
}

const RUNS: readonly ScriptStatus["state"][] = ["STARTING", "RUNNING", "OVERRUNNING"];

function statusOf({ state, lastError, restartAt }: ScriptStatus): RuleStatus {
  return {
    isRunning: RUNS.includes(state),
    restartAt: restartAt === undefined ? undefined : instant(restartAt),
    lastError: lastError && {
      message: lastError.message,
      file: lastError.file,
      line: lastError.line,
      traceback: lastError.traceback,
      at: instant(lastError.at),
    },
  };
}

/** What the interpreter would not take, and names that the site does not have. */
function problemsOf(code: Uint8Array, site: RuleSite | undefined, modules: RuleModules): readonly CodeProblem[] {
  if (code[0] === 0x1b) return [problem({ line: 1, column: 1 }, "this is compiled Lua; only its text is taken")];
  if (code.includes(0)) return [problem({ line: 1, column: 1 }, "this is no text")];
  return lintRule({ file: "", text: Buffer.from(code).toString("utf8"), site, modules });
}

const problem = (start: Position, message: string): CodeProblem => ({
  severity: "error",
  code: "lua_syntax",
  message,
  path: "",
  range: { start, end: start },
});
