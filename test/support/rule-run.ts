// A declarative rule in virtual time, without a server: readings are set, time passes, and what the rule does is written down.

import type { CalendarBook } from "#core/calendar/calendar-book.ts";
import type { PriceAt } from "#core/energy/price-book.ts";
import { parseRuleState } from "#core/rule/parse-rule-state.ts";
import { samplesBetween } from "#core/rule/replay-gap.ts";
import type { DeclarativeRule } from "#core/rule/rule.ts";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import { NEW_STATE, type RuleState, renderRuleState } from "#core/rule/rule-state.ts";
import { type RuleTrace, recordTraces } from "#core/rule/rule-trace.ts";
import type { RuleControl, RuleHistory, RuleVariable, RuleWorld } from "#core/rule/rule-world.ts";
import { type RuleEvent, stepRule } from "#core/rule/step-rule.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { cronTimes } from "#service/schedule/next-time.ts";

export function ruleOf(text: string): DeclarativeRule {
  const { rule, issues } = parseRule(text);
  if (rule === undefined) throw new Error(JSON.stringify(issues));
  return rule;
}

export const ms = (text: string): number => {
  const duration = parseDuration(text);
  if (duration === undefined) throw new Error(`${text} is no duration`);
  return toMilliseconds(duration);
};

interface Sample {
  readonly at: number;
  readonly value: unknown;
}

/** What several rules see. */
export class RuleSiteInTime {
  now: number;
  timezone = "UTC";
  location: RuleWorld["location"];
  /** How often telemetry usually comes: values are fresh for three times as long. */
  usualMs: number | undefined = ms("10h");
  readonly stored = new Map<string, Sample[]>();
  readonly online = new Map<string, boolean>();
  readonly active = new Map<string, readonly string[]>();
  readonly variables = new Map<string, RuleVariable>();
  readonly controls = new Map<string, RuleControl>();
  calendars: CalendarBook | undefined;
  priceAt: PriceAt | undefined;

  constructor(start = "2026-06-01T00:00:00Z") {
    this.now = Date.parse(start);
  }

  world(now = this.now): RuleWorld {
    return {
      now,
      timezone: this.timezone,
      location: this.location,
      reading: (device, attribute) => {
        const last = this.stored.get(`${device}.${attribute}`)?.at(-1);
        return last && { ...last, usualMs: this.usualMs };
      },
      samples: (device, attribute, { from }) =>
        samplesBetween(this.stored.get(`${device}.${attribute}`) ?? [], from, now),
      isOnline: (device) => this.online.get(device),
      alerts: (device) => this.active.get(device),
      variable: (name) => this.variables.get(name),
      control: (device, control) => this.controls.get(`${device}.${control}`),
      calendar: (name, at) => this.calendars?.stateAt(name, at),
      price: (of, at) => this.priceAt?.(of, at),
      nextCron: (expression, after) => cronTimes(expression, this.timezone)(after),
    };
  }

  readonly history: RuleHistory = ({ device, attribute }, from, to) =>
    (this.stored.get(`${device}.${attribute}`) ?? []).filter(({ at }) => at >= from && at <= to);

  /** Telemetry arrives, whether a rule runs or not. */
  measure(name: string, value: unknown, at = this.now): void {
    const samples = this.stored.get(name) ?? [];
    samples.push({ at, value });
    this.stored.set(name, samples);
  }
}

export class RuleRun {
  readonly site: RuleSiteInTime;
  readonly id: string;
  readonly begun: number;
  state: RuleState = NEW_STATE;
  traces: readonly RuleTrace[] = [];
  effects: RuleEffect[] = [];
  /** In short: `60s claim charger.power=4000`. */
  log: string[] = [];
  nextDue: number | undefined;
  #rule: DeclarativeRule;
  readonly #claimed = new Set<string>();

  constructor(text: string, site = new RuleSiteInTime(), id = "rule") {
    this.#rule = ruleOf(text);
    this.site = site;
    this.begun = site.now;
    this.id = id;
  }

  step(event: RuleEvent = { kind: "tick" }): readonly RuleEffect[] {
    const found = stepRule({ id: this.id, rule: this.#rule }, this.state, { world: this.site.world(), event });
    this.state = found.state;
    this.nextDue = found.nextDue;
    this.traces = recordTraces(this.traces, found.trace);
    for (const effect of found.effects) this.#take(effect);
    return found.effects;
  }

  start(): this {
    this.step({ kind: "start", history: this.site.history });
    return this;
  }

  set(name: string, value: unknown): this {
    this.site.measure(name, value);
    this.step();
    return this;
  }

  /** Runs until then, and stops at each moment that the rule asks for. */
  pass(duration: string): this {
    const end = this.site.now + ms(duration);
    for (let steps = 0; this.nextDue !== undefined && this.nextDue <= end; steps += 1) {
      if (steps > 100_000) throw new Error("the rule asks for a step again and again");
      this.site.now = Math.max(this.nextDue, this.site.now);
      this.step();
    }
    this.site.now = end;
    this.step();
    return this;
  }

  /** The service is off for so long, and begins again with what was stored. */
  restart(offFor = "0s", whileOff: () => void = () => {}): this {
    const stored = renderRuleState(this.state);
    const back = this.site.now + ms(offFor);
    whileOff();
    this.site.now = back;
    this.state = parseRuleState(stored).state;
    return this.start();
  }

  edit(text: string): this {
    this.#rule = ruleOf(text);
    return this.start();
  }

  /** What was done since the last question. Renewed claims count once. */
  done(): readonly string[] {
    const { log } = this;
    this.log = [];
    return log;
  }

  #take(effect: RuleEffect): void {
    this.effects.push(effect);
    const claimed = effect.kind === "claim" ? `${effect.key} ${effect.value}` : undefined;
    const isRenewed = claimed !== undefined && this.#claimed.has(claimed);
    if (claimed !== undefined) this.#claimed.add(claimed);
    if (!isRenewed) this.log.push(`${(this.site.now - this.begun) / 1000}s ${shortOf(effect)}`);
    if (effect.kind === "set")
      this.site.variables.set(effect.variable, { value: effect.value, at: this.site.now, causes: effect.causes });
  }
}

function shortOf(effect: RuleEffect): string {
  switch (effect.kind) {
    case "claim":
      return `claim ${effect.device}.${effect.control}${effect.claim === "target" ? "" : ` ${effect.claim}`}=${effect.value}`;
    case "release":
      return `release ${effect.device}.${effect.control}`;
    case "execute":
      return `execute ${effect.device}.${effect.command}`;
    case "notify":
      return `notify ${effect.text}`;
    case "set":
      return `set ${effect.variable}=${effect.value}`;
    case "report":
      return `report ${effect.problem}`;
  }
}
