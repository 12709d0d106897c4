// Everything that a rule did in one scenario, with the time since its start.
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { RequestOfRule, RuleSink } from "./tested-rule.ts";

type EffectOf<K extends RuleEffect["kind"]> = Extract<RuleEffect, { readonly kind: K }>;
export type RunOfRule = Pick<RuleTrace, "id" | "outcome" | "branch" | "trigger" | "why">;

export type RuleHappening = { readonly at: number } & (
  | { readonly kind: "execute"; readonly effect: EffectOf<"execute"> }
  | { readonly kind: "notify"; readonly effect: EffectOf<"notify"> }
  | { readonly kind: "set"; readonly effect: EffectOf<"set"> }
  | { readonly kind: "run"; run: RunOfRule }
  | { readonly kind: "log"; readonly severity: string; readonly text: string }
  | { readonly kind: "request"; readonly request: RequestOfRule }
  | { readonly kind: "error"; readonly message: string; isWanted: boolean }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "step"; readonly text: string }
);

export type HappeningOf<K extends RuleHappening["kind"]> = Extract<RuleHappening, { readonly kind: K }>;

const MOST_HAPPENINGS = 50_000;

export class RuleRecord {
  readonly all: RuleHappening[] = [];
  explanation: string | undefined;
  readonly #now: () => number;
  readonly #runs = new Map<string, HappeningOf<"run">>();

  constructor(now: () => number) {
    this.#now = now;
  }

  since<K extends RuleHappening["kind"]>(from: number, kind: K): readonly HappeningOf<K>[] {
    return this.all.slice(from).filter((one): one is HappeningOf<K> => one.kind === kind);
  }

  note(text: string): void {
    this.#add({ kind: "note", text, at: this.#now() });
  }

  step(text: string): void {
    this.#add({ kind: "step", text, at: this.#now() });
  }

  /** What the rule does goes here. */
  readonly sink: RuleSink = {
    effect: (effect) => {
      const at = this.#now();
      if (effect.kind === "execute") this.#add({ kind: "execute", effect, at });
      else if (effect.kind === "notify") this.#add({ kind: "notify", effect, at });
      else if (effect.kind === "set") this.#add({ kind: "set", effect, at });
      else if (effect.kind === "report") this.#add({ kind: "error", message: effect.message, isWanted: false, at });
    },
    run: ({ id, outcome, branch, trigger, why }) => {
      const run = { id, outcome, branch, trigger, why };
      const known = this.#runs.get(id);
      if (known !== undefined) {
        known.run = run;
        return;
      }
      const happening: HappeningOf<"run"> = { kind: "run", run, at: this.#now() };
      this.#runs.set(id, happening);
      this.#add(happening);
    },
    request: (request) => this.#add({ kind: "request", request, at: this.#now() }),
    log: (severity, text) => this.#add({ kind: "log", severity, text, at: this.#now() }),
    explain: (text) => {
      this.explanation = text;
    },
    error: (message) => this.#add({ kind: "error", message, isWanted: false, at: this.#now() }),
  };

  #add(happening: RuleHappening): void {
    if (this.all.length < MOST_HAPPENINGS) this.all.push(happening);
  }
}

/** One line of a timeline. */
export function describeHappening(one: RuleHappening): string {
  switch (one.kind) {
    case "execute":
      return `executes ${one.effect.command} of ${one.effect.device} ${JSON.stringify(one.effect.arguments)}`;
    case "notify":
      return `sends ${one.effect.severity}: ${one.effect.text}`;
    case "set":
      return `sets ${one.effect.variable} = ${JSON.stringify(one.effect.value)}`;
    case "run":
      return `run by ${one.run.trigger}: ${one.run.outcome === "ran" ? one.run.branch : one.run.outcome} (${one.run.why})`;
    case "log":
      return `${one.severity}: ${one.text}`;
    case "request":
      return `asks ${one.request.method} ${one.request.url}`;
    case "error":
      return `error: ${one.message}`;
    case "note":
    case "step":
      return one.text;
  }
}
