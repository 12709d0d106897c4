// What a control shows, and what a person may ask of it. Pure.
import type { Claim, Control } from "#client/resources.ts";
import { startOfDay } from "#web/i18n/format.ts";

export type ClaimClass = Claim["class"];

/** Classes whose limits hold for a person, too. */
const BINDING: ReadonlySet<ClaimClass> = new Set(["interlock", "grid", "person"]);
const HOUR = 3_600_000;
/** As the server allows. */
const LONGEST_LEASE = 7 * 24 * HOUR;

export const controlKey = ({ device_id, id }: Pick<Control, "device_id" | "id">): string => `${device_id} ${id}`;

export const isOwn = ({ source }: Pick<Claim, "source">, tokenId: string | undefined): boolean =>
  tokenId !== undefined && source === `token:${tokenId}`;

/** All claims that hold, each once: what counts comes first. */
function claimsOf({ winner, limited_by, losers }: Control): readonly Claim[] {
  const found = new Map<string, Claim>();
  for (const claim of [...(winner === null ? [] : [winner]), ...limited_by, ...losers]) found.set(claim.id, claim);
  return [...found.values()];
}

export interface Held {
  readonly control: Control;
  readonly claim: Claim;
  /** It decides or limits now. Others wait for it to end. */
  readonly counts: boolean;
}

/** What each source claims. */
export function claimsBySource(controls: Iterable<Control>): ReadonlyMap<string, readonly Held[]> {
  const held = Array.from(controls, (control) => {
    const counting = new Set([control.winner, ...control.limited_by]);
    return claimsOf(control).map((claim): Held => ({ control, claim, counts: counting.has(claim) }));
  });
  return Map.groupBy(held.flat(), ({ claim }) => claim.source);
}

/** Whether somebody claims it. A device that only gets its fallback is free already. */
export const isClaimed = (control: Control): boolean => control.value !== null || claimsOf(control).length > 0;

/** What the person can give back: a target of their own. */
export function ownTarget(control: Control, tokenId: string | undefined): Claim | undefined {
  return claimsOf(control).find(
    (claim) => claim.kind === "target" && claim.class === "person" && isOwn(claim, tokenId),
  );
}

/** Whether an owner can end it: one's own is given back, and limits of an interlock end with the interlock. */
export const mayBeEnded = (claim: Pick<Claim, "class" | "source">, tokenId: string | undefined): boolean =>
  claim.class !== "interlock" && !claim.source.startsWith("interlock:") && !isOwn(claim, tokenId);

/** Others who want a value as persons do: a claim of one's own counts only if theirs end. */
export function rivals(control: Control, tokenId: string | undefined): readonly Claim[] {
  return claimsOf(control).filter(
    (claim) => claim.kind === "target" && claim.class === "person" && !isOwn(claim, tokenId),
  );
}

/** What a claim of a person comes to under the limits that hold for persons. */
export function limited(control: Control, value: number): number {
  let [low, high] = [control.min ?? -Infinity, control.max ?? Infinity];
  for (const claim of control.limited_by) {
    if (!BINDING.has(claim.class) || typeof claim.value !== "number") continue;
    if (claim.kind === "min") low = Math.min(Math.max(low, claim.value), high);
    else if (claim.kind === "max") high = Math.max(Math.min(high, claim.value), low);
  }
  return Math.min(Math.max(value, low), high);
}

/** The ends of a slider and its step; undefined where the control has no end. */
export function sliderOf({ min, max, step }: Control): { min: number; max: number; step: number } | undefined {
  if (min === null || max === null) return undefined;
  const size = step ?? niceStep((max - min) / 200);
  return { min: tidy(Math.ceil(tidy(min / size)) * size), max: tidy(Math.floor(tidy(max / size)) * size), step: size };
}

/** 1, 2 or 5 times a power of ten, not above the given one. */
function niceStep(about: number): number {
  const power = 10 ** Math.floor(Math.log10(about));
  const digit = about / power;
  return tidy((digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power);
}

const tidy = (value: number): number => Number(value.toPrecision(12));

export type ValueProblem = "missing" | "number" | "low" | "high" | "step";

/** The value that somebody typed, or what is wrong with it. */
export function readValue(text: string, { min, max, step }: Control): number | ValueProblem {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  if (plain === "") return "missing";
  const value = Number(plain);
  if (!Number.isFinite(value)) return "number";
  if (min !== null && value < min) return "low";
  if (max !== null && value > max) return "high";
  const steps = step === null ? 0 : value / step;
  return Math.abs(steps - Math.round(steps)) > 1e-9 * Math.max(1, Math.abs(steps)) ? "step" : value;
}

/** What the form begins with: what counts, else what is measured, else nothing. */
export function firstValue(control: Control): number | undefined {
  if (control.value !== null) return control.value;
  const slider = sliderOf(control);
  if (control.measured === null) return undefined;
  if (slider === undefined) return tidy(control.measured);
  const inside = Math.min(Math.max(control.measured, slider.min), slider.max);
  return tidy(Math.round(inside / slider.step) * slider.step);
}

export const UNTILS = ["15m", "1h", "4h", "midnight", "chosen"] as const;
export type Until = (typeof UNTILS)[number];
const LENGTHS = { "15m": HOUR / 4, "1h": HOUR, "4h": 4 * HOUR } as const;

/** Unix ms at which a claim ends. `chosen` is the time that somebody chose. */
export function endOf(until: Until, now: number, { zone, chosen }: { zone: string; chosen: number | undefined }) {
  if (until === "chosen") return chosen;
  // A day has up to 25 hours: six hours into the next one are in it for sure.
  if (until === "midnight") return startOfDay(startOfDay(now, zone) + 30 * HOUR, zone);
  return now + LENGTHS[until];
}

/** The lease for the interface, or what is wrong with the time. */
export function leaseUntil(end: number | undefined, now: number): { lease: string } | { problem: "past" | "late" } {
  if (end === undefined || end < now + 1_000) return { problem: "past" };
  if (end > now + LONGEST_LEASE) return { problem: "late" };
  return { lease: `${Math.floor((end - now) / 1_000)}s` };
}

/** Those that are claimed first, then by name. */
export function orderControls<Item extends { readonly control: Control; readonly name: string }>(
  items: readonly Item[],
): readonly Item[] {
  const rank = ({ control }: Item) => (control.value === null ? 1 : 0);
  const text = ({ name, control }: Item) => `${name} ${control.display_name}`;
  return [...items].sort((a, b) => rank(a) - rank(b) || text(a).localeCompare(text(b)));
}
