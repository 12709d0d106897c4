// What the words of a status mean for a device.
import { hasWord, wordsOf } from "./words.ts";

const FAULTY = "fault faulty error failure failed alarm emergency critical trip tripped bad leak lost empty hail";
const HEALTHY = "ok normal good running steady producing active online automatic auto on ready high connected none";
const STOPPED = "stopped stop off idle standby disabled shutdown available paused";
const NIGHT = "night sleep sleeping dark";
const APART = "disconnected unplugged islanded islanding island offgrid isolated";
const PASSING =
  "stopping warming ramp ramping balancing preparing finishing maintenance service cleaning calibrating updating drying reversed suspended throttled waiting reserve precharge snow rain unknown";
/** Only at the beginning of its work, and nothing flows meanwhile. */
const STARTING = "starting start booting boot init initializing";
/** Of those that pass, the ones during which nothing flows. */
const RESTING =
  "preparing finishing maintenance service cleaning calibrating updating drying suspended waiting stopping";

export type StatusKind =
  | "healthy"
  | "faulty"
  | "night"
  | "charging"
  | "discharging"
  | "starting"
  | "passing"
  | "stopped"
  | "apart"
  | "usual";

export function kindOf(value: string | number | boolean): StatusKind {
  const words = wordsOf(String(value));
  if (hasWord(words, FAULTY)) return "faulty";
  if (isApart(words)) return "apart";
  if (hasWord(words, NIGHT)) return "night";
  if (hasWord(words, "discharging discharge")) return "discharging";
  if (hasWord(words, "charging charge")) return "charging";
  if (hasWord(words, STARTING)) return "starting";
  if (hasWord(words, PASSING)) return "passing";
  if (hasWord(words, HEALTHY)) return "healthy";
  return hasWord(words, STOPPED) ? "stopped" : "usual";
}

/** Whether nothing flows in a device whose status has this value. */
export function saysIdle(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const kind = kindOf(value);
  if (kind === "passing") return hasWord(wordsOf(value), RESTING);
  return kind === "faulty" || kind === "stopped" || kind === "night" || kind === "starting";
}

/** Whether an attribute with these words says by this value that something is not connected. */
export function saysApart(words: readonly string[], value: unknown): boolean {
  if (typeof value === "boolean") {
    if (hasWord(words, APART)) return value;
    if (hasWord(words, "connected plugged closed coupled")) return !value;
    return hasWord(words, "open opened") && value;
  }
  if (typeof value !== "string") return false;
  const said = wordsOf(value);
  return isApart(said) || (hasWord(words, "contactor breaker relay switch") && hasWord(said, "open opened"));
}

function isApart(words: readonly string[]): boolean {
  return (
    hasWord(words, APART) ||
    (words.includes("off") && words.includes("grid")) ||
    (words.includes("not") && words.includes("connected"))
  );
}
