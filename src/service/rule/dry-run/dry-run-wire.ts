import { CLAIM_KINDS } from "#core/control/claim.ts";
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import { LONGEST_VARIABLE, MOST_VARIABLES } from "#core/rule/site-rule.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import { newScriptSchema } from "#service/rule/rule-wire.ts";
import { renderTrace, traceSchema } from "#service/rule/trace-wire.ts";
import type { DryRun } from "./dry-run-rule.ts";

const value = Type.Unsafe<string | number | boolean>({
  anyOf: [{ type: "string", minLength: 1, maxLength: LONGEST_VARIABLE }, { type: "number" }, { type: "boolean" }],
});

export const newDryRunSchema = strict("NewRuleDryRun", {
  script: Type.Optional(newScriptSchema),
  rule: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "Id or slug of a stored rule, instead of a script." }),
  ),
  from: timestamp,
  to: { ...timestamp, description: "At most 31 days later." },
  variables: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string | number | boolean>>>({
      type: "object",
      additionalProperties: value,
      maxProperties: MOST_VARIABLES,
      description: "Their values at the beginning, instead of those of now.",
    }),
  ),
});

const claimed = {
  device_id: Type.String({ description: "As the rule names it, if the site has no such device." }),
  control: Type.String(),
};

const seconds = Type.Number({ minimum: 0 });

export const dryRunSchema = described("RuleDryRun", "What a rule would have done with the stored past.", {
  from: timestamp,
  simulated_to: { ...timestamp, description: "Earlier than asked for if there was too much to simulate." },
  started: Type.Integer({ description: "How many times it started." }),
  on_seconds: nullable({ ...seconds, description: "How long its conditions were true. null: it has none." }),
  claims: Type.Array(
    strict("RuleDryRunClaim", {
      ...claimed,
      unit: nullable(Type.String()),
      count: Type.Integer(),
      seconds,
      energy_wh: nullable(
        Type.Number({ description: "The claimed power over time. null: the control is no power, or unlimited." }),
      ),
    }),
  ),
  bands: Type.Array(
    strict("RuleDryRunBand", {
      ...claimed,
      kind: oneOf(CLAIM_KINDS),
      value: nullable(Type.Number({ description: "null: unlimited." })),
      from: timestamp,
      to: timestamp,
    }),
  ),
  effects: Type.Array(
    strict("RuleDryRunEffect", {
      at: timestamp,
      kind: oneOf(["execute", "notify", "set", "report", "log"]),
      text: Type.String(),
      key: Type.Optional(Type.String()),
    }),
  ),
  traces: Type.Array(traceSchema, { description: "The last ones, newest first." }),
  problems: Type.Array(Type.String(), { description: "What was simplified or is unknown." }),
});

/** What is known of a control that the rule claims. */
export interface ClaimedControl {
  readonly deviceId: string;
  readonly unit: string | undefined;
}

const MOST_BANDS = 5_000;
const MOST_EFFECTS = 2_000;
const HOUR_MS = 3_600_000;

export function renderDryRun(
  run: DryRun & { readonly from: number },
  controlOf: (device: string, control: string) => ClaimedControl | undefined,
): Static<typeof dryRunSchema> {
  const { from, simulatedTo, started, hasLevel, onMs, bands, effects, traces } = run;
  const deviceOf = (device: string, control: string) => controlOf(device, control)?.deviceId ?? device;
  const others = effects.filter(({ effect }) => effect.kind !== "claim" && effect.kind !== "release");
  return {
    from: timeOf(from),
    simulated_to: timeOf(simulatedTo),
    started,
    on_seconds: hasLevel ? onMs / 1_000 : null,
    claims: claimsOf(run, controlOf),
    bands: bands.slice(0, MOST_BANDS).map(({ device, control, claim, value, from: begin, to }) => ({
      ...{ device_id: deviceOf(device, control), control, kind: claim },
      ...{ value: value === "unlimited" ? null : value, from: timeOf(begin), to: timeOf(to) },
    })),
    effects: others.slice(0, MOST_EFFECTS).map(({ at, effect }) => ({ at: timeOf(at), ...renderEffect(effect) })),
    traces: traces.toReversed().map((trace) => renderTrace(trace, () => true)),
    problems: [
      ...run.problems,
      ...(bands.length > MOST_BANDS ? [`only the first ${MOST_BANDS} of ${bands.length} claims are listed`] : []),
      ...(others.length > MOST_EFFECTS
        ? [`only the first ${MOST_EFFECTS} of ${others.length} effects are listed`]
        : []),
    ],
  };
}

const timeOf = (at: number) => renderInstant(instant(Math.round(at)));

function claimsOf({ bands }: DryRun, controlOf: (device: string, control: string) => ClaimedControl | undefined) {
  const groups = Map.groupBy(bands, ({ device, control }) => JSON.stringify([device, control]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { device, control } = first;
    const known = controlOf(device, control);
    const lasting = group.reduce((sum, { from, to }) => sum + to - from, 0);
    return {
      ...{ device_id: known?.deviceId ?? device, control, unit: known?.unit ?? null, count: group.length },
      ...{ seconds: lasting / 1_000, energy_wh: energyOf(group, known?.unit) },
    };
  });
}

/** Of wanted power; limits want none. */
function energyOf(bands: DryRun["bands"], unit: string | undefined): number | null {
  const toWatts = unit === undefined ? undefined : conversionOf(unit, "W");
  const targets = bands.filter(({ claim }) => claim === "target");
  if (toWatts === undefined || targets.length === 0) return null;
  let wattMs = 0;
  for (const { value, from, to } of targets) {
    if (value === "unlimited") return null;
    wattMs += (value * toWatts.factor + toWatts.offset) * (to - from);
  }
  return Number((wattMs / HOUR_MS).toPrecision(12));
}

function renderEffect(
  effect: RuleEffect,
): Pick<Static<typeof dryRunSchema>["effects"][number], "kind" | "text" | "key"> {
  const { key } = effect;
  switch (effect.kind) {
    case "execute":
      return {
        kind: "execute",
        key,
        text: `${effect.command} of ${effect.device} ${JSON.stringify(effect.arguments)}`,
      };
    case "notify":
      return {
        kind: "notify",
        key,
        text: effect.title === undefined ? effect.text : `${effect.title}: ${effect.text}`,
      };
    case "set":
      return { kind: "set", key, text: `${effect.variable} = ${JSON.stringify(effect.value)}` };
    case "report":
      return { kind: "report", key, text: effect.message };
    case "claim":
    case "release":
      return { kind: "log", key, text: `${effect.kind} ${effect.control} of ${effect.device}` };
  }
}
