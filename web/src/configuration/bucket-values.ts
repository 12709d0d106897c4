import { HIDDEN } from "#core/command/plan-command.ts";
import type { FormField } from "#web/forms/form-field.ts";

type Values = Readonly<Record<string, unknown>>;

/** The fields whose secret value is stored: it is read as `***`, and never shown. */
export function storedSecrets(fields: readonly FormField[], values: Values): ReadonlySet<string> {
  return new Set(fields.filter(({ id, sensitive }) => sensitive && values[id] === HIDDEN).map(({ id }) => id));
}

/** What a form shows: all values but the secret ones. */
export function shownValues(fields: readonly FormField[], values: Values): Values {
  return Object.fromEntries(fields.flatMap(({ id, sensitive }) => (sensitive ? [] : [[id, values[id]]])));
}

/** What is written: a secret value that is left out stays as it is, and null deletes it. */
export function writtenValues(values: Values, forgotten: ReadonlySet<string>): Values {
  return { ...values, ...Object.fromEntries([...forgotten].map((id) => [id, null])) };
}
