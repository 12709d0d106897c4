// Claims in a scenario: `claim: {battery_power: 2500}`, and how a control is expected to stand.
import { CLAIM_CLASSES, CLAIM_KINDS, type ClaimClass, type ClaimKind } from "#core/control/claim.ts";
import { FOLLOWS } from "#core/control/control-writer.ts";
import type { ExpectedValue } from "#core/scenario/expected-value.ts";
import * as r from "#manifest/reader.ts";
import { expectedValue } from "./expected.ts";
import type { ScenarioContext } from "./scenario-context.ts";

/** What one source wants of one control. */
export interface StepClaim {
  readonly control: string;
  readonly class: ClaimClass;
  readonly values: readonly { readonly kind: ClaimKind; readonly value: number | "unlimited" }[];
  /** Undefined: until it is released. */
  readonly leaseMs: number | undefined;
}

const names = ({ controls }: ScenarioContext) => controls.keys();
const controlKey = r.nameKey("control", names);
const controlName = r.nameIn("control", names);

const limit = r.wordOr("unlimited", "unlimited" as const, r.number);

const FIELDS = {
  target: r.may(r.number, "The wanted value, in the unit of the control."),
  min: r.may(limit, "The lowest value that is allowed, or unlimited."),
  max: r.may(limit, "The highest value that is allowed, or unlimited."),
  class: r.withDefault(r.oneOf(CLAIM_CLASSES), "person", "Whose claim it is. Default: person."),
  lease: r.may(r.duration, "How long it holds. Default: until it is released."),
} satisfies r.Fields;

const forms = r.objectOr("claim", FIELDS, {
  field: "target",
  wanted: "a value, or an object such as {max: 1000, class: grid}",
});

export const claim = r.reader<Omit<StepClaim, "control">>(forms.schema, (context: ScenarioContext, trail) => {
  const given = forms.read(context, trail);
  if (given === undefined) return undefined;
  const values = CLAIM_KINDS.flatMap((kind) => {
    const value = given[kind];
    return value === undefined ? [] : [{ kind, value }];
  });
  const wrong = (message: string) => context.reporter.atValue(trail, { code: "wrong_type", message });
  if (values.length === 0) return wrong("A claim needs a target, a min or a max.");
  const isLimiting = given.class === "interlock" || given.class === "grid";
  if (isLimiting && given.target !== undefined)
    return wrong(`A claim of class ${given.class} only limits: min or max.`);
  const control = context.controls.get(String(trail.step));
  const isOutside = (value: unknown) =>
    control !== undefined && typeof value === "number" && (value < control.min || value > control.max);
  if (values.some(({ value }) => isOutside(value)))
    return wrong(`${control?.id} goes from ${control?.min} to ${control?.max}.`);
  return { class: given.class, leaseMs: given.lease, values };
});

/** By the name of the control. */
export const claims = r.mapped(r.record(controlKey, claim), (given): readonly StepClaim[] =>
  [...given].map(([control, one]) => ({ control, ...one })),
);

export const releases = r.oneOrMore(controlName);

const STANDING = {
  value: r.may(expectedValue, "The value that counts; absent: nobody claims it."),
  written: r.may(expectedValue, "The value that was sent to the device and taken; absent: none."),
  follow: r.may(r.oneOf(FOLLOWS), "Whether the device follows what was sent."),
  lower_bound: r.may(expectedValue, "The lowest value that limits allow; absent: there is no such limit."),
  upper_bound: r.may(expectedValue, "The highest value that limits allow; absent: there is no such limit."),
  limited_by: r.may(expectedValue, "The name of the interlock that sets a bound; absent: none does."),
} satisfies r.Fields;

export type ExpectedControl = r.ReadFields<typeof STANDING>;

const standing = r.byForm<ExpectedControl>({
  scalar: r.mapped(
    r.wordOr("absent", { kind: "absent" } satisfies ExpectedValue, r.oneOf(FOLLOWS)),
    (given): ExpectedControl => (typeof given === "string" ? { follow: given } : { value: given }),
  ),
  map: r.object("expectation of a control", STANDING),
  wanted: "followed, or an object such as {value: 2500, written: 2500}",
});

export const expectedControls = r.record(controlKey, r.placed(standing));
