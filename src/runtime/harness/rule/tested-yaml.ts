// A rule in YAML under test: stepped by the machine that runs it on a gateway.
import { playRule } from "#core/rule/play-rule.ts";
import type { DeclarativeRule } from "#core/rule/rule.ts";
import type { RuleEvent } from "#core/rule/step-rule.ts";
import type { ScenarioClock } from "./scenario-clock.ts";
import type { ScenarioSite } from "./scenario-site.ts";
import type { RuleSink, TestedRule } from "./tested-rule.ts";

interface TestedYamlNeeds {
  readonly rule: DeclarativeRule;
  readonly clock: ScenarioClock;
  readonly site: () => ScenarioSite;
  readonly sink: RuleSink;
}

export function testedYaml({ rule, clock, site, sink }: TestedYamlNeeds): TestedRule {
  const play = playRule({ id: "rule", rule });
  let due: number | undefined;
  let isRunning = false;

  function step(event: RuleEvent): void {
    const found = play.step(site().world(), event);
    // What a rule sets may start it again.
    const isAgain = found.effects.some(({ kind }) => kind === "set");
    due = isAgain ? clock.now() + 1 : found.nextDue;
    for (const update of found.trace) if (update.kind === "begin") sink.run(update.trace);
    for (const effect of found.effects) {
      if (effect.kind === "set") site().setVariable(effect.variable, effect.value, effect.causes);
      sink.effect(effect);
    }
  }

  return {
    async begin() {
      if (isRunning) return;
      isRunning = true;
      step({ kind: "start", history: site().history });
    },
    end() {
      isRunning = false;
      due = undefined;
      play.restart();
    },
    async tick() {
      if (isRunning) step({ kind: "tick" });
    },
    nextDue: () => due,
    async ended({ device, ...given }) {
      if (isRunning) step({ kind: "ended", device: [device], ...given });
    },
    claimed: (now) => play.bands.standing(now),
    isOn: () => (rule.level === undefined ? undefined : play.isOn()),
    stored: () => undefined,
  };
}
