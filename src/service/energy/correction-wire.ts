import { refuse } from "#core/app-error.ts";
import { CORRECTION_KINDS, type CounterCorrection, LONGEST_CORRECTION_NOTE } from "#core/energy/counter-correction.ts";
import { parseInstant, renderInstant } from "#core/time/instant.ts";
import type { AppliedCorrections } from "#service/energy/apply-corrections.ts";
import type { CorrectionInput } from "#service/energy/counter-corrections.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const KIND =
  "counter_replaced: another counter counts from the step on. value_wrong: what the step counted never flowed. " +
  "accept: the step is right.";

export const newCorrectionSchema = strict("NewCounterCorrection", {
  attribute: id("The counter, as the list of doubtful steps names it."),
  at: Type.String({
    minLength: 1,
    maxLength: 40,
    description: "Time of the step, RFC 3339: that of the value after it.",
  }),
  kind: oneOf(CORRECTION_KINDS, { description: KIND }),
  new_start: Type.Optional(
    Type.Number({
      description:
        "counter_replaced: what the new counter showed when it was installed, in the unit of the attribute. Without it, " +
        "it counts from the value after the step.",
    }),
  ),
  note: Type.Optional(name("Why, for people.", LONGEST_CORRECTION_NOTE)),
});

const fields = {
  id: id("Correction identifier."),
  attribute: Type.String(),
  before: Type.Number({ description: "The value before the step, as it was sent." }),
  before_at: timestamp,
  value: Type.Number({ description: "The value after the step." }),
  at: timestamp,
  kind: oneOf(CORRECTION_KINDS, { description: KIND }),
  new_start: nullable(Type.Number()),
  note: nullable(Type.String()),
  author: strict("CorrectionAuthor", { token_id: Type.String(), name: Type.String() }),
  created_at: timestamp,
};

export const correctionSchema = described(
  "CounterCorrection",
  "What somebody said about a doubtful step of a counter.",
  fields,
);

export const appliedCorrectionSchema = strict("AppliedCounterCorrection", {
  device_id: Type.String(),
  slug: Type.String(),
  ...fields,
  adjustment: nullable(
    Type.Number({
      description:
        "Wh that it adds. Null: the points of the step are gone, or have other values now, so it adds nothing.",
    }),
  ),
});

export function parseNewCorrection(device: string, body: Static<typeof newCorrectionSchema>): CorrectionInput {
  const at = parseInstant(body.at);
  if (at === undefined) {
    throw refuse("invalid_body", "at must be a time such as 2026-11-15T12:00:00Z", { pointer: "/at" });
  }
  return { device, attribute: body.attribute, at, kind: body.kind, newStart: body.new_start, note: body.note };
}

export function renderCorrection(correction: CounterCorrection): Static<typeof correctionSchema> {
  const { id, attribute, before, beforeAt, value, at, kind, newStart, note, author, createdAt } = correction;
  return {
    id,
    attribute,
    before,
    before_at: renderInstant(beforeAt),
    value,
    at: renderInstant(at),
    kind,
    new_start: newStart ?? null,
    note: note ?? null,
    author: { token_id: author.tokenId, name: author.name },
    created_at: renderInstant(createdAt),
  };
}

export function renderAppliedCorrection({
  device,
  correction,
  adjustment,
}: AppliedCorrections["corrections"][number]): Static<typeof appliedCorrectionSchema> {
  return { device_id: device.id, slug: device.slug, ...renderCorrection(correction), adjustment: adjustment ?? null };
}
