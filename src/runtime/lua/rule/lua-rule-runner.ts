// Rules of runtime version V3: Lua in threads of their own, apart from the scripts of devices. Each has the limits of a device's
// script; the rules of a site share a number of calls.
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { instant } from "#core/time/instant.ts";
import { type LuaValue, luaValueOf, plainOf } from "#drivers/lua-value.ts";
import { createLuaPool, type LuaPoolSettings, type ScriptStatus } from "#runtime/lua/lua-pool.ts";
import type { ScriptContext } from "#runtime/lua/pool-messages.ts";
import { createTokenBucket, type TokenBucket } from "#runtime/lua/token-bucket.ts";
import type { RunnableRule } from "#service/ports/rule-store.ts";
import type { Needs } from "#service/ports.ts";
import type { CodeProblem, RuleHost, RuleRunner, RuleStatus } from "#service/rule/rule-runner.ts";

export interface LuaRuleNeeds extends Pick<Needs, "rules" | "now" | "randomBytes"> {
  readonly after: (ms: number, task: () => void) => () => void;
  readonly host: RuleHost;
  readonly log: { error(about: object, text: string): void };
}

export interface LuaRuleRunner extends RuleRunner {
  /** Of all rules together. */
  readonly memory: BufferUse;
}

/** Calls of all rules of a site together. A site that asks more waits for its own sake. */
const SITE_ASKS = { perSecond: 1_000, burst: 3_000 };
const PAUSE_MS = 50;
const STORAGE = { entries: 1_000, bytes: 1_048_576 };
const PROBLEM = { full: "the storage of the rule is full", gone: "the rule is deleted" } as const;
/** A command that a rule executes may last this long. */
const OVERRUN_MS = 75_000;

export function createLuaRuleRunner(needs: LuaRuleNeeds, settings: LuaPoolSettings = {}): LuaRuleRunner {
  const started = new Map<string, SiteRule>();
  const budgets = new Map<string, TokenBucket>();
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

  async function ask(ruleId: string, name: string, args: readonly LuaValue[]): Promise<readonly LuaValue[]> {
    const rule = started.get(ruleId);
    if (rule === undefined) return [undefined, PROBLEM.gone];
    const budget = budgets.get(rule.siteId) ?? createTokenBucket(SITE_ASKS.perSecond, SITE_ASKS.burst);
    budgets.set(rule.siteId, budget);
    while (!budget.take(needs.now())) await new Promise<void>((resolve) => needs.after(PAUSE_MS, resolve));
    try {
      return (await needs.host.ask(rule, name, args.map(plainOf))).map(luaValueOf);
    } catch (error) {
      needs.log.error({ err: error, ruleId }, "a function of a rule failed");
      return [undefined, "a fault in Busbar; its log has the details"];
    }
  }

  async function contextOf({ rule, timezone }: RunnableRule): Promise<ScriptContext> {
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
    check: async (_slug, code) => problemsOf(code),
    async start(runnable) {
      const { rule } = runnable;
      started.set(rule.id, rule);
      const entry = `${rule.slug}.lua`;
      const modules = new Map([[entry, new Uint8Array(Buffer.from(rule.script.code, "base64"))]]);
      await pool.start(rule.id, { entry, modules, nodebug: false, host: "rule" }, () => contextOf(runnable));
    },
    async stop(ruleId) {
      started.delete(ruleId);
      pool.stop(ruleId);
    },
    status(ruleId) {
      const status = pool.status(ruleId);
      return status && statusOf(status);
    },
    close: () => pool.close(),
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

/** Whether it is Lua is found out by its first run, in containment. */
function problemsOf(code: Uint8Array): readonly CodeProblem[] {
  if (code[0] === 0x1b) return [{ message: "this is compiled Lua; only its text is taken", line: undefined }];
  return code.includes(0) ? [{ message: "this is no text", line: undefined }] : [];
}
