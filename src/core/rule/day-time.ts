// Times of day as people write them: 07:30, sunset, sunrise-30m.
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import type { DayTime } from "./rule.ts";

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;
const SUN = /^(sunrise|sunset)(?: ?([+-]) ?([\d.hms]{1,20}))?$/;
const FARTHEST_MS = 12 * 3_600_000;

export function parseDayTime(text: string): DayTime | undefined {
  const clock = CLOCK.exec(text);
  if (clock !== null) return { kind: "clock", minutes: Number(clock[1]) * 60 + Number(clock[2]) };
  const [, event, sign, offset] = SUN.exec(text) ?? [];
  if (event !== "sunrise" && event !== "sunset") return undefined;
  const duration = offset === undefined ? undefined : parseDuration(offset);
  if (offset !== undefined && duration === undefined) return undefined;
  const ms = duration === undefined ? 0 : toMilliseconds(duration);
  return ms > FARTHEST_MS ? undefined : { kind: "sun", event, offsetMs: sign === "-" ? -ms : ms };
}
