// Runs the enabled rules of sites whose engine is active. Where several nodes share the records, one of them does. Changing one
// rule starts or stops that rule alone.
import { areSame, type RuleModules } from "#core/rule/rule-modules.ts";
import { type Explanation, LONGEST_ERROR, type RuleError, type RuleReport } from "#core/rule/rule-report.ts";
import type { RuntimeVersion, SiteRule } from "#core/rule/site-rule.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Background } from "#service/background.ts";
import type { Claim, Nodes } from "#service/ports/nodes.ts";
import type { ReportedRule } from "#service/ports/rule-store.ts";
import type { Needs } from "#service/ports.ts";
import type { LatestTraces } from "./latest-traces.ts";
import type { RuleLog } from "./rule-log.ts";
import { type KeptTexts, lookForModules } from "./rule-modules.ts";
import type { RuleNews } from "./rule-news.ts";
import { lastRunOf, type RuleReports } from "./rule-reports.ts";
import type { RuleRunner, StartedRule } from "./rule-runner.ts";
import { readLastTraces } from "./rule-traces.ts";

export interface RuleEngineNeeds extends Pick<Needs, "rules" | "now"> {
  readonly nodes: Pick<Nodes, "isShared" | "claim">;
  readonly background: Background;
  readonly ruleLog: Pick<RuleLog, "flush">;
  readonly latestTraces: Pick<LatestTraces, "flush" | "forget" | "of" | "seen">;
  readonly ruleNews: RuleNews;
  readonly ruleReports: Pick<RuleReports, "store">;
  /** Ends the claims of a rule that nobody wants to run any more. */
  readonly releaseAll: (rule: SiteRule) => Promise<void>;
}

export interface RuleEngine {
  /** Starts and stops what changed, and stores what rules said. */
  turn(): Promise<void>;
  /** Something about the rules of a site has changed. */
  changed(): void;
  runnerOf(version: RuntimeVersion): RuleRunner | undefined;
  /** How a rule is doing. Undefined where another node runs it, or nobody does. */
  report(ruleId: string): RuleReport | undefined;
  explained(ruleId: string, text: string): void;
  stop(): Promise<void>;
}

interface Running {
  /** What it was started with: anything else starts it anew. */
  readonly key: string;
  readonly modules: RuleModules | undefined;
  readonly rule: SiteRule;
  readonly runner: RuleRunner;
  /** When it could not be started, such as while the records were away. It is tried again. */
  readonly failedAt?: Instant | undefined;
}

const AGAIN_MS = 10_000;

export function createRuleEngine(needs: RuleEngineNeeds, runners: readonly RuleRunner[]): RuleEngine {
  const running = new Map<string, Running>();
  const explanations = new Map<string, Explanation>();
  let isOutdated = true;
  let isStopped = false;
  let turning: Promise<void> = Promise.resolve();
  /** The turn that has not begun yet. */
  let waiting: Promise<void> | undefined;
  let duty: Claim | undefined;
  let texts: KeptTexts = new Map();

  const runnerOf = (version: RuntimeVersion) => runners.find(({ runtimeVersion }) => runtimeVersion === version);

  async function hasDuty(): Promise<boolean> {
    if (!needs.nodes.isShared) return true;
    if (duty?.lost.aborted !== false) duty = await needs.nodes.claim("run rules");
    return duty !== undefined;
  }

  function reportOf(ruleId: string): RuleReport | undefined {
    const one = running.get(ruleId);
    const status = one?.runner.status(ruleId);
    if (one === undefined || status === undefined) return undefined;
    const { isRunning, lastError, restartAt } = status;
    const explanation = explanations.get(ruleId);
    const trace = needs.latestTraces.of(ruleId);
    return {
      revision: one.rule.revision,
      isRunning,
      ...(lastError !== undefined && { lastError: cut(lastError) }),
      ...(restartAt !== undefined && { restartAt }),
      ...(explanation !== undefined && { explanation }),
      ...(trace !== undefined && { lastRun: lastRunOf(trace) }),
    };
  }

  function* reports(): Iterable<ReportedRule> {
    for (const [id, { rule }] of running) {
      const report = reportOf(id);
      if (report !== undefined) yield { siteId: rule.siteId, id, report };
    }
  }

  async function stopRule(id: string): Promise<void> {
    const one = running.get(id);
    running.delete(id);
    explanations.delete(id);
    needs.latestTraces.forget(id);
    await one?.runner.stop(id);
  }

  /** With what each consists of. */
  async function wantedRules(): Promise<readonly StartedRule[]> {
    const look = lookForModules(needs, texts);
    const wanted: StartedRule[] = [];
    for (const one of await needs.rules.runnable()) wanted.push({ ...one, modules: await look.of(one.rule) });
    texts = look.kept;
    return wanted;
  }

  async function reconcile(wanted: readonly StartedRule[], isElsewhere = false): Promise<void> {
    const keys = new Map(wanted.map((one) => [one.rule.id, keyOf(one)]));
    for (const [id, { rule }] of [...running]) {
      if (keys.has(id)) continue;
      await stopRule(id);
      // Another node that runs the rule from now on renews its claims.
      if (isElsewhere) continue;
      needs.background.run("release the claims of a rule", () => needs.releaseAll(rule));
      await tellEnd(rule);
    }
    const faults: unknown[] = [];
    for (const runnable of wanted) {
      const { id } = runnable.rule;
      const key = keyOf(runnable);
      const before = running.get(id);
      const isSame = before?.key === key && areSame(before.modules, runnable.modules);
      if (isSame) running.set(id, { ...before, rule: runnable.rule });
      if ((isSame && !isToBeTriedAgain(before)) || isStopped) continue;
      // One that cannot be started keeps no other from it.
      await startRule(runnable, key).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  }

  /** Also when the clock was set back. */
  const isToBeTriedAgain = ({ failedAt }: Running): boolean =>
    failedAt !== undefined && Math.abs(needs.now() - failedAt) >= AGAIN_MS;

  async function startRule(runnable: StartedRule, key: string): Promise<void> {
    const { rule, modules } = runnable;
    await stopRule(rule.id);
    const runner = runnerOf(rule.script.runtimeVersion);
    if (runner === undefined) return;
    running.set(rule.id, { key, modules, rule, runner });
    try {
      await runner.start(runnable);
    } catch (error) {
      running.set(rule.id, { key, modules, rule, runner, failedAt: needs.now() });
      throw error;
    }
    const last = await lastTrace(rule);
    if (last !== undefined) needs.latestTraces.seen(rule.id, last);
  }

  async function turn(): Promise<void> {
    if (isStopped) return;
    if (!(await hasDuty())) return await reconcile([], true);
    if (isOutdated || needs.nodes.isShared) {
      isOutdated = false;
      try {
        await reconcile(await wantedRules());
        isOutdated ||= [...running.values()].some(({ failedAt }) => failedAt !== undefined);
      } catch (error) {
        isOutdated = true;
        throw error;
      }
    }
    try {
      for (const runner of runners) await runner.turn?.();
    } finally {
      for (const { rule } of running.values()) needs.ruleNews.publish(rule, { ...knownOf(rule.id), isActive: true });
      await flush();
    }
    await needs.ruleReports.store(reports());
  }

  const knownOf = (id: string) => ({
    status: running.get(id)?.runner.status(id),
    explanation: explanations.get(id),
    lastTrace: needs.latestTraces.of(id),
  });

  /** Of a rule that was disabled or suspended. */
  async function tellEnd({ siteId, id }: SiteRule): Promise<void> {
    const rule = await needs.rules.find(siteId, id);
    const isActive = (await needs.rules.engineState(siteId)) === "ACTIVE";
    if (rule !== undefined)
      needs.ruleNews.publish(rule, { ...knownOf(id), lastTrace: await lastTrace(rule), isActive });
    needs.ruleNews.forget(id);
  }

  const lastTrace = async ({ siteId, id }: SiteRule) => (await readLastTraces(needs.rules, siteId, [id])).get(id);

  async function flush(): Promise<void> {
    try {
      await needs.latestTraces.flush();
    } finally {
      await needs.ruleLog.flush();
    }
  }

  /** One after the other: two would start a rule twice. The one that waits sees all that changes until it begins. */
  function queued(): Promise<void> {
    if (waiting !== undefined) return waiting;
    const next = turning.then(() => {
      waiting = undefined;
      return turn();
    });
    waiting = next;
    turning = next.catch(() => {});
    return next;
  }

  return {
    turn: queued,
    changed() {
      isOutdated = true;
      if (waiting === undefined) needs.background.run("start and stop rules", queued);
    },
    runnerOf,
    report: (ruleId) => reportOf(ruleId),
    explained: (ruleId, text) => explanations.set(ruleId, { text, at: needs.now() }),
    async stop() {
      isStopped = true;
      await turning;
      await Promise.all(runners.map((runner) => runner.close()));
      await flush().catch(() => {});
      await duty?.release();
    },
  };
}

function cut(error: RuleError): RuleError {
  const { message, file, traceback } = error;
  return {
    ...error,
    message: message.slice(0, LONGEST_ERROR),
    file: file?.slice(0, LONGEST_FILE),
    traceback: traceback?.slice(0, LONGEST_ERROR),
  };
}

const LONGEST_FILE = 200;

/** A new slug changes nothing for a rule that runs. */
const keyOf = ({ rule: { script }, timezone }: StartedRule): string => JSON.stringify([script, timezone]);
