// Moments in an `<input type="datetime-local">`, by the clock of a time zone.
import { offsetAt } from "./format.ts";

/** `2026-11-16T14:05`; empty when there is no moment. */
export function toLocalInput(moment: string | undefined, zone: string): string {
  const at = Date.parse(moment ?? "");
  if (!Number.isFinite(at)) return "";
  return new Date(at + offsetAt(at, zone)).toISOString().slice(0, 16);
}

/** RFC 3339; undefined when there is none. */
export function fromLocalInput(text: string, zone: string): string | undefined {
  const wall = Date.parse(`${text.length === 16 ? `${text}:00` : text}Z`);
  if (!Number.isFinite(wall)) return undefined;
  // The offset belongs to the moment that is looked for: the second round has it, also beside a change of the clocks.
  const guess = wall - offsetAt(wall, zone);
  return new Date(wall - offsetAt(guess, zone)).toISOString().replace(".000Z", "Z");
}
