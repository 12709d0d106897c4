// What readers of a rule's scenario know besides its text, and names that all of them read.
import type { Control } from "#core/control/control.ts";
import * as r from "#manifest/reader.ts";

export interface RuleScenarioContext extends r.ReadContext {
  /** Known before anything else is read, so that steps can be checked against them. */
  readonly devices: readonly string[];
  /** For readers that scenarios of blueprints have, too. A rule's scenario does not say how far controls go. */
  readonly controls: ReadonlyMap<string, Control>;
}

const known = ({ devices }: RuleScenarioContext) => devices;

const deviceKey = r.nameKey("device", known);
export const deviceName = r.nameIn("device", known);

/** A text, a number or a boolean, as variables and values of telemetry are. */
export const plainValue = r.scalar<string | number | boolean>(
  { type: ["string", "number", "boolean"] },
  "a number, a text, true or false",
  ({ value }) => (value === null ? undefined : value),
);

/** By device. */
export const byDevice = <T>(one: r.Reader<T>): r.Reader<ReadonlyMap<string, T>> => r.record(deviceKey, one);
