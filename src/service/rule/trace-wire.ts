import type { Evidence } from "#core/rule/evaluate-rule-condition.ts";
import { type RuleTrace, TRACE_OUTCOMES } from "#core/rule/rule-trace.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, timestamp } from "#service/operation/wire.ts";

const place = Type.String({
  description: "JSON pointer into the text of a rule in YAML, or the function that a script called.",
});

const evidenceSchema = described("RuleEvidence", "Something that a rule looked at.", {
  place,
  what: Type.String({ description: "Such as meter.power." }),
  outcome: nullable(Type.Boolean({ description: "null: unknown." })),
  value: Type.Optional(
    Type.Unsafe<string | number | boolean>({
      anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }],
      description: "Missing: unknown, or the token may not read it.",
    }),
  ),
  age_seconds: Type.Optional(Type.Number()),
});

const stepSchema = described("RuleStep", "Something that a run did.", {
  place,
  at: timestamp,
  what: Type.String(),
  result: nullable(Type.String({ description: "null: not known yet, or there is none." })),
});

export const traceSchema = described("RuleTrace", "What a rule did at a moment, and why.", {
  id: Type.String(),
  at: timestamp,
  trigger: Type.String({
    description: "JSON pointer of the trigger, /when for the conditions, or what started a script.",
  }),
  outcome: oneOf(TRACE_OUTCOMES, {
    description:
      "not_met: if was false. unknown: nobody knows whether if is true. loop: rules start each other in a circle. failed: the script ended with an error.",
  }),
  why: Type.String(),
  branch: oneOf(["then", "else"]),
  causes: Type.Array(Type.String(), { description: "Ids of the traces that led to it, this one last." }),
  evidence: Type.Array(evidenceSchema),
  steps: Type.Array(stepSchema),
  ended_at: nullable({ ...timestamp, description: "null: it goes on." }),
  ended: nullable(Type.String({ description: "Why it ended." })),
});

export const lastRunSchema = described("RuleRun", "The newest trace of a rule, in short.", {
  at: timestamp,
  outcome: oneOf(TRACE_OUTCOMES),
  why: Type.String(),
});

const timeOf = (at: number) => renderInstant(instant(Math.round(at)));

/** `mayRead` says whether the caller may know the value of an attribute. */
export function renderTrace(
  trace: RuleTrace,
  mayRead: (attribute: NonNullable<Evidence["attribute"]>) => boolean,
): Static<typeof traceSchema> {
  const { id, at, trigger, outcome, why, branch, causes, evidence, steps, endedAt, ended } = trace;
  return {
    ...{ id, at: timeOf(at), trigger, outcome, why, branch, causes: [...causes] },
    evidence: evidence.map(({ place, subject, value, ageMs, truth, attribute }) => ({
      place,
      what: subject,
      outcome: truth ?? null,
      ...(value === undefined || (attribute !== undefined && !mayRead(attribute)) ? {} : { value }),
      ...(typeof ageMs === "number" ? { age_seconds: ageMs / 1000 } : {}),
    })),
    steps: steps.map((step) => ({
      place: step.place,
      at: timeOf(step.at),
      what: step.what,
      result: step.result ?? null,
    })),
    ended_at: endedAt === undefined ? null : timeOf(endedAt),
    ended: ended ?? null,
  };
}

export const renderLastRun = ({
  at,
  outcome,
  why,
}: Pick<RuleTrace, "at" | "outcome" | "why">): Static<typeof lastRunSchema> => ({
  at: timeOf(at),
  outcome,
  why,
});
