import { renderValue } from "#cli/render-value.ts";
import type { JsonObject } from "#client/resources.ts";

/** A payload in one line: its message, or `key=value` of everything in it. */
export function renderPayload(payload: JsonObject | undefined): string {
  const { message, ...rest } = payload ?? {};
  const others = Object.entries(rest).map(([name, value]) => `${name}=${renderValue(value)}`);
  return [...(message === undefined ? [] : [renderValue(message)]), ...others].join(" ");
}
