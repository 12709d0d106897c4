// Runs the enabled rules of sites whose engine is active. Where several nodes share the records, one of them does. Changing one
// rule starts or stops that rule alone.
import type { RuntimeVersion, SiteRule } from "#core/rule/site-rule.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Background } from "#service/background.ts";
import type { Claim, Nodes } from "#service/ports/nodes.ts";
import type { RunnableRule } from "#service/ports/rule-store.ts";
import type { Needs } from "#service/ports.ts";
import type { RuleLog } from "./rule-log.ts";
import type { RuleRunner, RuleStatus } from "./rule-runner.ts";

export interface RuleEngineNeeds extends Pick<Needs, "rules" | "now"> {
  readonly nodes: Pick<Nodes, "isShared" | "claim">;
  readonly background: Background;
  readonly ruleLog: Pick<RuleLog, "flush">;
  /** Ends the claims of a rule that nobody wants to run any more. */
  readonly releaseAll: (rule: SiteRule) => Promise<void>;
}

export interface Explanation {
  readonly text: string;
  readonly at: Instant;
}

export interface RuleEngine {
  /** Starts and stops what changed, and stores what rules said. */
  turn(): Promise<void>;
  /** Something about the rules of a site has changed. */
  changed(): void;
  runnerOf(version: RuntimeVersion): RuleRunner | undefined;
  /** Undefined where another node runs it, or nobody does. */
  status(ruleId: string): RuleStatus | undefined;
  explained(ruleId: string, text: string): void;
  explanation(ruleId: string): Explanation | undefined;
  stop(): Promise<void>;
}

interface Running {
  /** What it was started with: anything else starts it anew. */
  readonly key: string;
  readonly rule: SiteRule;
  readonly runner: RuleRunner;
}

export function createRuleEngine(needs: RuleEngineNeeds, runners: readonly RuleRunner[]): RuleEngine {
  const running = new Map<string, Running>();
  const explanations = new Map<string, Explanation>();
  let isOutdated = true;
  let isStopped = false;
  let turning: Promise<void> = Promise.resolve();
  let duty: Claim | undefined;

  const runnerOf = (version: RuntimeVersion) => runners.find(({ runtimeVersion }) => runtimeVersion === version);

  async function hasDuty(): Promise<boolean> {
    if (!needs.nodes.isShared) return true;
    if (duty?.lost.aborted !== false) duty = await needs.nodes.claim("run rules");
    return duty !== undefined;
  }

  async function stopRule(id: string): Promise<void> {
    const one = running.get(id);
    running.delete(id);
    explanations.delete(id);
    await one?.runner.stop(id);
  }

  async function reconcile(wanted: readonly RunnableRule[], isElsewhere = false): Promise<void> {
    const keys = new Map(wanted.map((one) => [one.rule.id, keyOf(one)]));
    for (const [id, { rule }] of [...running]) {
      if (keys.has(id)) continue;
      await stopRule(id);
      // Another node that runs the rule from now on renews its claims.
      if (!isElsewhere) needs.background.run("release the claims of a rule", () => needs.releaseAll(rule));
    }
    for (const runnable of wanted) {
      const { id, script } = runnable.rule;
      const key = keyOf(runnable);
      const runner = runnerOf(script.runtimeVersion);
      if (running.get(id)?.key === key || isStopped) continue;
      await stopRule(id);
      if (runner === undefined) continue;
      running.set(id, { key, rule: runnable.rule, runner });
      await runner.start(runnable);
    }
  }

  async function turn(): Promise<void> {
    if (isStopped) return;
    if (!(await hasDuty())) return await reconcile([], true);
    if (isOutdated || needs.nodes.isShared) {
      isOutdated = false;
      try {
        await reconcile(await needs.rules.runnable());
      } catch (error) {
        isOutdated = true;
        throw error;
      }
    }
    try {
      for (const runner of runners) await runner.turn?.();
    } finally {
      await needs.ruleLog.flush();
    }
  }

  /** One after the other: two would start a rule twice. */
  function queued(): Promise<void> {
    const next = turning.then(turn);
    turning = next.catch(() => {});
    return next;
  }

  return {
    turn: queued,
    changed() {
      isOutdated = true;
      needs.background.run("start and stop rules", queued);
    },
    runnerOf,
    status: (ruleId) => running.get(ruleId)?.runner.status(ruleId),
    explained: (ruleId, text) => explanations.set(ruleId, { text, at: needs.now() }),
    explanation: (ruleId) => explanations.get(ruleId),
    async stop() {
      isStopped = true;
      await turning;
      await Promise.all(runners.map((runner) => runner.close()));
      await needs.ruleLog.flush().catch(() => {});
      await duty?.release();
    },
  };
}

/** A new slug changes nothing for a rule that runs. */
const keyOf = ({ rule: { script }, timezone }: RunnableRule): string => JSON.stringify([script, timezone]);

/** STARTED: it runs or is about to. A rule that failed is stopped until its next start. */
export function stateOf(
  rule: Pick<SiteRule, "disabled">,
  isActive: boolean,
  status: RuleStatus | undefined,
): "STARTED" | "STOPPED" {
  if (rule.disabled || !isActive) return "STOPPED";
  return status === undefined || status.isRunning ? "STARTED" : "STOPPED";
}
