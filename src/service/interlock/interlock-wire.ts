import { allows } from "#core/access/level.ts";
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import {
  AFTER_FAILSAFE,
  EFFECTS,
  INTERLOCK_KINDS,
  INTERLOCK_NAME,
  LARGEST_LIMIT,
  LONGEST_INTERLOCK_TEXT,
  MOST_CIRCUITS,
  MOST_LIMITS,
  MOST_LOADS,
  SHARINGS,
  WHEN_UNKNOWN,
} from "#core/interlock/interlock.ts";
import { INTERLOCK_STATES } from "#core/interlock/outcome.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { PROBLEM_CODES, type Problem } from "#core/text/document-reader.ts";
import { fineTime, instant, renderInstant } from "#core/time/instant.ts";
import { Type } from "#service/operation/schema.ts";
import { described, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { Call } from "#service/ports.ts";
import type { ShownInterlock } from "./shown-interlock.ts";

const text = (description: string) => name(description, LONGEST_INTERLOCK_TEXT);
const duration = (description: string) => Type.Optional(Type.String({ maxLength: 50, description }));
const amount = (description: string) => Type.Number({ minimum: 0, maximum: LARGEST_LIMIT, description });
const any = (description: string) => Type.Number({ minimum: -LARGEST_LIMIT, maximum: LARGEST_LIMIT, description });
const device = text("Id or slug of a device of the site.");
const control = text("A control of the device.");
const attribute = text("A telemetry attribute of the device.");

const scalar = Type.Unsafe<string | number | boolean>({
  anyOf: [{ type: "string", maxLength: LONGEST_INTERLOCK_TEXT }, { type: "number" }, { type: "boolean" }],
});

const limit = strict("InterlockLimit", {
  device,
  control,
  min: Type.Optional(any("In the unit of the control.")),
  max: Type.Optional(any("In the unit of the control.")),
});
const limits = Type.Array(limit, { minItems: 1, maxItems: MOST_LIMITS });

const load = strict("InterlockLoad", {
  device,
  control,
  effect: Type.Optional(oneOf(EFFECTS, { description: "What a rising value does. Default: consumes." })),
  per_unit: Type.Optional(amount("How many W or A one unit of the control is. Default: by its unit.")),
  draws: Type.Optional(
    text("An attribute of the device that measures what it draws. Default: what the control reads."),
  ),
  safe: Type.Optional(any("Its value while nothing is known. Default: the one nearest to 0.")),
  least: Type.Optional(amount("Below this value it has to be 0, such as 6 A of a charger.")),
  circuit: Type.Optional(text("circuits: the one that it hangs on.")),
  phases: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 3 }), { minItems: 1, maxItems: 3 })),
});

const circuit = strict("InterlockCircuit", {
  name: Type.String({ pattern: INTERLOCK_NAME.source }),
  parent: Type.Optional(text("Name of the circuit above it.")),
  max_current: amount("A, on each phase."),
  meter: Type.Optional(
    strict("InterlockCircuitMeter", {
      device,
      attributes: Type.Array(attribute, {
        minItems: 1,
        maxItems: 3,
        description: "One for each phase, or one for all.",
      }),
    }),
  ),
  unmeasured: Type.Optional(amount("Without a meter: A that others than the loads may draw on each phase.")),
});

const when = strict("InterlockCondition", {
  device,
  attribute,
  unit: Type.Optional(text("Unit of the threshold. Default: that of the attribute.")),
  above: Type.Optional(any("It holds above this value.")),
  below: Type.Optional(any("It holds below this value.")),
  hysteresis: Type.Optional(amount("How far the value has to come back.")),
  equals: Type.Optional({ ...scalar, description: "It holds at this value." }),
});

const from = Type.Unsafe<"claims" | { device: string; attribute: string; active?: boolean }>({
  anyOf: [
    { type: "string", enum: ["claims"] },
    strict("GridContact", {
      device,
      attribute,
      active: Type.Optional(Type.Boolean({ description: "Default: true." })),
    }),
  ],
  description: "grid_signal: a contact, or claims of class grid on the controls of failsafe.",
});

export const newInterlockSchema = described(
  "NewInterlock",
  "connection: meter, max_import, max_export, loads. circuits: circuits, loads. condition: when, limits. grid_signal: from, limits, failsafe.",
  {
    kind: oneOf(INTERLOCK_KINDS),
    display_name: Type.Optional(text("For people.")),
    stale_after: duration("Older measurements are unknown. Default: 30s."),
    when_unknown: Type.Optional(
      oneOf(WHEN_UNKNOWN, {
        description:
          "limit: the limit holds and loads have their safe values. keep: what was known counts for keep_for.",
      }),
    ),
    keep_for: duration("Default: 5m."),
    unit: Type.Optional(text("connection: of max_import, max_export and per_unit. Default: W.")),
    meter: Type.Optional(
      strict("InterlockMeter", {
        device,
        attribute,
        positive: Type.Optional(
          oneOf(["import", "export"], { description: "What positive values are. Default: import." }),
        ),
      }),
    ),
    max_import: Type.Optional(amount("connection")),
    max_export: Type.Optional(amount("connection")),
    sharing: Type.Optional(oneOf(SHARINGS, { description: "How loads share what there is. Default: order." })),
    release_after: duration("More must be free for so long before a limit rises. Default: 1m."),
    margin: Type.Optional(
      Type.Number({ minimum: 0, maximum: 0.5, description: "How much more, as a part of the maximum. Default: 0.02." }),
    ),
    loads: Type.Optional(Type.Array(load, { minItems: 1, maxItems: MOST_LOADS })),
    circuits: Type.Optional(Type.Array(circuit, { minItems: 1, maxItems: MOST_CIRCUITS })),
    when: Type.Optional(when),
    hold_for: duration("condition: it holds for so long at least. Default: 0s."),
    limits: Type.Optional(limits),
    from: Type.Optional(from),
    heartbeat: duration("grid_signal: silence of this length leads to failsafe. Default: 120s."),
    failsafe_for: duration("grid_signal: the failsafe lasts so long at least. Default: 2h."),
    after_failsafe: Type.Optional(
      oneOf(AFTER_FAILSAFE, {
        description: "stay: until the signal is back, the default. release: it ends by itself.",
      }),
    ),
    failsafe: Type.Optional(limits),
  },
);

const problem = strict("InterlockProblem", {
  code: oneOf(PROBLEM_CODES),
  pointer: Type.String({ description: "JSON pointer into the document." }),
  message: Type.String({ description: "What would be right." }),
});

export const interlockSchema = described("Interlock", "A limit of a site, and what it demands now.", {
  name: Type.String(),
  site_id: Type.String(),
  revision: Type.Integer({ description: "Rises with each change; for the header If-Match." }),
  updated_at: timestamp,
  document: { ...nullable(newInterlockSchema), description: "null: what is stored is damaged." },
  state: oneOf([...INTERLOCK_STATES, "unknown"], {
    description:
      "idle: it changes nothing. holding: it limits. waiting: the first measurement after a start has not come yet. blind: a measurement is missing. damaged: its document cannot be read, and the " +
      "controls that it may have limited have their safe values. Of a grid signal: init and failsafe " +
      "(its failsafe values count), limited, unlimited, autonomous (the failsafe has ended by itself). In a cloud: " +
      "unknown while the gateway is away; limits are then those that it last reported.",
  }),
  since: timestamp,
  why: Type.String(),
  limits: Type.Array(
    strict("InterlockDemand", {
      device_id: Type.String(),
      control: Type.String(),
      unit: nullable(Type.String()),
      kind: oneOf(["min", "max"]),
      value: Type.Number(),
      is_holding: Type.Boolean({ description: "It changes what the device does or what somebody wants." }),
    }),
  ),
  measured: Type.Array(
    strict("InterlockMeasurement", {
      device_id: Type.String(),
      attribute: Type.String(),
      unit: nullable(Type.String()),
      value: {
        ...nullable(scalar),
        description: "null: missing, too old, or not for the caller.",
      },
      at: nullable(timestamp),
    }),
  ),
  problems: Type.Array(problem, { description: "What the devices of the site do not have any more, and damage." }),
  reported_by: {
    ...nullable(Type.String()),
    description: "In a cloud: the gateway that evaluates it and reported this. null: it is evaluated here.",
  },
  not_confirmed_since: {
    ...nullable(timestamp),
    description: "In a cloud: the gateway has been offline since then.",
  },
});

export const checkSchema = strict("InterlockCheck", { is_valid: Type.Boolean(), problems: Type.Array(problem) });

export function renderInterlock(shown: ShownInterlock, { caller }: Pick<Call, "caller">) {
  const { stored, state, since, why, limits, measured, problems, reportedBy, unconfirmedSince } = shown;
  return {
    name: stored.name,
    site_id: stored.siteId,
    revision: stored.revision,
    updated_at: renderInstant(stored.updatedAt),
    document: stored.document ?? null,
    state,
    since: renderInstant(instant(since)),
    why,
    limits: limits.map((one) => ({
      device_id: one.deviceId,
      control: one.control,
      unit: one.unit ?? null,
      kind: one.kind,
      value: one.value,
      is_holding: one.isHolding,
    })),
    measured: measured.map(({ source, value, at }) => {
      const mayRead = allows(caller.level, source.accessLevel);
      return {
        device_id: source.deviceId,
        attribute: source.attribute,
        unit: source.unit ?? null,
        value: mayRead ? (value ?? null) : null,
        at: mayRead && at !== undefined ? renderInstant(fineTime(at)) : null,
      };
    }),
    problems,
    reported_by: reportedBy ?? null,
    not_confirmed_since: unconfirmedSince === undefined ? null : renderInstant(instant(unconfirmedSince)),
  };
}

/** What no schema can find: which fields go together, names that are there twice, circuits that are their own parents. */
export function interlockMistakes(document: unknown): readonly Refusal[] {
  return parseInterlock(document).problems.map(mistake);
}

export function requireNoProblems(problems: readonly Problem[]): void {
  const [first, ...others] = problems.map(mistake);
  if (first !== undefined) throw new AppError([first, ...others]);
}

const mistake = ({ code, pointer, message }: Problem): Refusal => ({
  code: "invalid_body",
  message: `${pointer === "" ? "the interlock" : pointer} ${message}`,
  details: { pointer, problem: code },
});

export function parseInterlockName(given: string): string {
  if (INTERLOCK_NAME.test(given)) return given;
  const message = "the name of an interlock has 1 to 60 of the letters a to z, digits, _ and -";
  throw refuse("invalid_request", message, { parameter: "interlock" });
}

export const IF_MATCH = {
  "If-Match": {
    description: "The revision that was read; 0: there is none yet. 409 if it is another one now.",
    schema: { type: "string" },
  },
};

/** Undefined: whatever there is. */
export function expectedRevision({ header }: { readonly header: (name: string) => string | undefined }) {
  const given = header("if-match");
  if (given === undefined || given === "*") return undefined;
  const [, digits] = /^(?:W\/)?"?(\d{1,15})"?$/.exec(given) ?? [];
  if (digits !== undefined) return Number(digits);
  throw refuse("invalid_request", 'If-Match must be a revision such as "3"', { header: "If-Match" });
}
