// What a script of a rule sees and does while it is tried: stored telemetry up to the virtual now, and a record of what it would have
// done.
import { CLAIM_KINDS, type ClaimKind } from "#core/control/claim.ts";
import { createBands } from "#core/rule/claim-bands.ts";
import { lastBefore, samplesBetween } from "#core/rule/replay-gap.ts";
import { SEVERITIES } from "#core/rule/rule.ts";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import type { RuleReads } from "#core/rule/rule-reads.ts";
import type { RuleSample, RuleWorld } from "#core/rule/rule-world.ts";
import { usualInterval } from "#core/rule/simulate-rule.ts";
import type { VariableValue } from "#core/rule/site-rule.ts";
import type { PastColumn, PastColumnName } from "#service/rule/lua-dry-run.ts";
import { nameAt, optionsAt, RuleProblem, textAt, windowOf } from "#service/rule/rule-arguments.ts";
import type { RuleWatch } from "#service/rule/rule-function.ts";
import { isVariableValue, VARIABLE_RULE } from "#service/rule/rule-variables.ts";
import { cronTimes } from "#service/schedule/next-time.ts";

/** What is asked of the gateway. */
export interface PastSource {
  column(name: PastColumnName): Promise<PastColumn>;
  controlProblem(device: string, control: string): Promise<string | undefined>;
  ask(name: string, args: readonly unknown[], at: number): Promise<readonly unknown[]>;
  /** What is known here of what the past does not hold. */
  readonly functions?: Readonly<Record<string, PastFunction>>;
  readonly world?: () => RuleWorld;
}

export type PastFunction = (args: readonly unknown[], watch: RuleWatch) => Answer;

export type PastSite = ReturnType<typeof createPastSite>;

interface PastSiteNeeds {
  readonly source: PastSource;
  readonly timezone: string;
  readonly location: RuleWorld["location"];
  readonly variables: ReadonlyMap<string, VariableValue>;
  readonly now: () => number;
  readonly problem: (text: string) => void;
}

interface Column {
  readonly samples: readonly RuleSample[];
  readonly usualMs: number | undefined;
  readonly type: string;
}

type Answer = readonly unknown[] | Promise<readonly unknown[]>;

const MOST_EFFECTS = 10_000;
/** Characters of all effects, as JSON. Whoever gets them has to hold them. */
const MOST_EFFECT_CHARACTERS = 4_000_000;
const MOST_COLUMNS = 100;
const LEAST_AGE_MS = 30_000;
const USUAL_TIMES = 3;
const USUAL_LEASE_MS = 60_000;
const MOST_POINTS = 1_000;

export function createPastSite(needs: PastSiteNeeds) {
  const { source, now } = needs;
  const columns = new Map<string, Promise<Column | { readonly problem: string }>>();
  const loaded = new Map<string, Column>();
  const variables = new Map([...needs.variables].map(([name, value]) => [name, { value, at: now() }]));
  const bands = createBands();
  const effects: { at: number; effect: RuleEffect }[] = [];
  const controls = new Map<string, Promise<string | undefined>>();
  let changedAt: number | undefined;
  let characters = 0;

  function columnOf(name: PastColumnName): Promise<Column | { readonly problem: string }> {
    const key = keyOf(name);
    const known = columns.get(key);
    if (known !== undefined) return known;
    if (columns.size >= MOST_COLUMNS) throw new RuleProblem(`a dry run reads at most ${MOST_COLUMNS} attributes`);
    const reading = source.column(name).then((found) => {
      if ("problem" in found) return found;
      const column = { ...found, usualMs: found.usualMs ?? usualInterval(found.samples) };
      loaded.set(key, column);
      return column;
    });
    columns.set(key, reading);
    return reading;
  }

  async function attribute(args: readonly unknown[]): Promise<Column> {
    const found = await columnOf({
      device: nameAt(args, 0, "a device"),
      attribute: nameAt(args, 1, "the name of an attribute"),
      unit: undefined,
    });
    if ("problem" in found) throw new RuleProblem(found.problem);
    return found;
  }

  async function newest(args: readonly unknown[]) {
    const column = await attribute(args);
    const sample = lastBefore(column.samples, now());
    if (sample === undefined) throw new RuleProblem(`${String(args[1])} has no value yet`);
    return { ...sample, usualMs: column.usualMs };
  }

  function allowedAge(given: unknown): number | undefined {
    const options = optionsAt([given], 0);
    const chosen =
      options["relevance_interval"] ?? options["max_age"] ?? (typeof given === "object" ? undefined : given);
    return chosen === undefined || chosen === null ? undefined : windowOf(chosen, "relevance_interval");
  }

  async function aggregate(
    args: readonly unknown[],
    fold: (values: readonly number[]) => number,
  ): Promise<readonly unknown[]> {
    const windowMs = windowOf(args[2], "the window");
    const { samples } = await attribute(args);
    const longest = allowedAge(args[3]);
    if (longest !== undefined && now() - (await newest(args)).at > longest) return [null, "stale"];
    const from = now() - windowMs;
    const values = samplesBetween(samples, from, now()).flatMap(({ at, value }) =>
      at >= from && typeof value === "number" ? [value] : [],
    );
    return values.length === 0 ? [null, "no values"] : [fold(values)];
  }

  async function series(args: readonly unknown[]): Promise<readonly unknown[]> {
    const windowMs = windowOf(args[2], "the window");
    const stepMs = args[3] === undefined || args[3] === null ? windowMs / 100 : windowOf(args[3], "the step");
    const granularityMs = Math.max(1000, Math.ceil(stepMs / 1000) * 1000);
    if (windowMs / granularityMs > MOST_POINTS) throw new RuleProblem(`a series has at most ${MOST_POINTS} points`);
    const { samples } = await attribute(args);
    const from = now() - windowMs;
    const buckets = new Map<number, unknown[]>();
    for (const { at, value } of samplesBetween(samples, from, now())) {
      if (at < from) continue;
      const start = Math.floor(at / granularityMs) * granularityMs;
      const values = buckets.get(start) ?? [];
      buckets.set(start, values);
      values.push(value);
    }
    const ofStep = (values: readonly unknown[]) => {
      const numbers = values.filter((value) => typeof value === "number");
      return numbers.length === 0 ? values.at(-1) : average(numbers);
    };
    return [[...buckets].map(([start, values]) => [start / 1000, ofStep(values)])];
  }

  async function claim(args: readonly unknown[], watch: RuleWatch): Promise<readonly unknown[]> {
    const [device, control] = [nameAt(args, 0, "a device"), nameAt(args, 1, "the name of a control")];
    const key = JSON.stringify([device, control]);
    const known = controls.get(key) ?? source.controlProblem(device, control);
    controls.set(key, known);
    const problem = await known;
    if (problem !== undefined) throw new RuleProblem(problem);
    const options = optionsAt(args, 3);
    const kind = CLAIM_KINDS.find((one) => one === (options["kind"] ?? "target"));
    if (kind === undefined) throw new RuleProblem(`kind must be one of ${CLAIM_KINDS.join(", ")}`);
    const value = args[2];
    if (typeof value !== "number" && value !== "unlimited") throw new RuleProblem("a claim is a number or unlimited");
    const leaseMs = options["lease"] === undefined ? USUAL_LEASE_MS : windowOf(options["lease"], "lease");
    if (bands.claimedAt({ device, control, claim: kind }, now()) !== value) {
      watch.acted(`claim ${control}: ${kind} ${value}`);
    }
    const reason = textAt([options["reason"] ?? "rule"], 0, 200);
    const effect = { kind: "claim", device, control, claim: kind, value, leaseUntil: now() + leaseMs, reason } as const;
    bands.take({ ...effect, key: "", causes: [] }, now());
    return [true];
  }

  function release(args: readonly unknown[], watch: RuleWatch): Answer {
    const device = nameAt(args, 0, "a device");
    const [control, kind] = [args[1] ?? undefined, args[2] ?? undefined];
    const ended = bands.release(
      { device, control: control as string | undefined, claim: kind as ClaimKind | undefined },
      now(),
    );
    if (ended > 0) watch.acted(`release ${control === undefined ? "all controls" : String(control)}`);
    return [ended];
  }

  function add(effect: RuleEffect): void {
    characters += JSON.stringify(effect).length;
    if (effects.length < MOST_EFFECTS && characters <= MOST_EFFECT_CHARACTERS) effects.push({ at: now(), effect });
    else needs.problem(`more than ${MOST_EFFECTS} effects, or long ones: the others are not listed`);
  }

  const base = (key: unknown) => ({ key: typeof key === "string" ? key : `${now()}`, causes: [] });

  const functionsOf = (): Readonly<Record<string, PastFunction>> => ({
    online: () => [null, "unknown in a dry run"],
    alerts: () => [null, "unknown in a dry run"],
    async now(args, watch) {
      const { at, value, usualMs = 0 } = await newest(args);
      const age = now() - at;
      watch.saw({ subject: `${String(args[0])}.${String(args[1])}`, value, ageMs: age });
      const longest = allowedAge(args[2]) ?? Math.max(LEAST_AGE_MS, USUAL_TIMES * usualMs);
      return age <= longest ? [value] : [null, "stale"];
    },
    async last(args) {
      const { at, value } = await newest(args);
      return [value, at / 1000];
    },
    age: async (args) => [(now() - (await newest(args)).at) / 1000],
    avg: (args) => aggregate(args, average),
    min: (args) => aggregate(args, (values) => values.reduce((least, value) => Math.min(least, value))),
    max: (args) => aggregate(args, (values) => values.reduce((most, value) => Math.max(most, value))),
    series,
    variable(args) {
      const found = variables.get(nameAt(args, 0, "the name of a variable"));
      if (found === undefined) throw new RuleProblem(`the site has no variable ${String(args[0])}`);
      return [found.value];
    },
    set_variable(args, watch) {
      const name = nameAt(args, 0, "the name of a variable");
      const value = args[1];
      if (!isVariableValue(value)) throw new RuleProblem(VARIABLE_RULE);
      if (variables.get(name)?.value === value) return [true];
      watch.acted(`set ${name} = ${String(value).slice(0, 100)}`);
      variables.set(name, { value, at: now() });
      changedAt ??= now();
      add({ ...base(undefined), kind: "set", variable: name, value });
      return [true];
    },
    execute(args, watch) {
      const [device, command] = [nameAt(args, 0, "a device"), nameAt(args, 1, "the name of a command")];
      watch.acted(`execute ${command} of ${device}`);
      add({ ...base(args[3]), kind: "execute", device, command, arguments: optionsAt(args, 2) });
      needs.problem("commands are taken to succeed, with an empty payload");
      return ["SUCCESS", {}];
    },
    notify(args, watch) {
      const text = textAt(args, 0, 1_000);
      const options = optionsAt(args, 1);
      const severity = SEVERITIES.find((one) => one === (options["severity"] ?? "info")) ?? "info";
      const title = options["title"] === undefined ? undefined : textAt([options["title"]], 0, 200);
      watch.acted(`notify: ${text}`);
      add({ ...base(args[2]), kind: "notify", text, title, severity });
      return [true];
    },
    explain: () => [true],
    claim,
    release,
  });
  const functions = { ...functionsOf(), ...source.functions };

  return {
    effects,
    bands,
    add,
    /** What a script asks for. */
    async ask(name: string, args: readonly unknown[], watch: RuleWatch): Promise<readonly unknown[]> {
      try {
        const own = Object.hasOwn(functions, name) ? functions[name] : undefined;
        return own === undefined ? await source.ask(name, args, now()) : await own(args, watch);
      } catch (error) {
        if (error instanceof RuleProblem) return [null, error.message];
        throw error;
      }
    },
    /** What triggers see. */
    async look({ attributes }: RuleReads): Promise<RuleWorld> {
      for (const { device, attribute: name, unit } of attributes) await columnOf({ device, attribute: name, unit });
      if (source.world !== undefined) return source.world();
      const at = now();
      const column = (device: string, name: string, unit: string | undefined) =>
        loaded.get(keyOf({ device, attribute: name, unit }));
      return {
        now: at,
        timezone: needs.timezone,
        location: needs.location,
        reading(device, name, unit) {
          const found = column(device, name, unit);
          const sample = found && lastBefore(found.samples, at);
          return sample && { ...sample, usualMs: found.usualMs };
        },
        samples(device, name, { unit, from }) {
          const found = column(device, name, unit);
          return found && samplesBetween(found.samples, from, at);
        },
        isOnline: () => undefined,
        alerts: () => undefined,
        variable(name) {
          const found = variables.get(name);
          return found && { ...found, causes: [] };
        },
        control: () => undefined,
        calendar: () => undefined,
        price: () => undefined,
        nextCron: (expression, after) => cronTimes(expression, needs.timezone)(after),
      };
    },
    /** Triggers have seen what was set. */
    seen(): void {
      changedAt = undefined;
    },
    /** When the next value comes that a trigger may see; what is set is seen a second later, as on a gateway. */
    nextSample(): number {
      const at = now();
      if (changedAt !== undefined) return changedAt + 1_000;
      const next = [...loaded.values()].map(({ samples }) => samples[countUntil(samples, at)]?.at);
      return Math.min(...next.map((one) => one ?? Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
    },
  };
}

const keyOf = ({ device, attribute, unit }: PastColumnName): string => JSON.stringify([device, attribute, unit]);

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How many are not later than this. */
function countUntil(samples: readonly { readonly at: number }[], at: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
