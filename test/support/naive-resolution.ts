import { CLAIM_CLASSES, type Claim } from "#core/control/claim.ts";
import type { Control } from "#core/control/control.ts";

type Limits = Pick<Control, "min" | "max" | "safe" | "step" | "fallback">;

/** The rules of claims, said as plainly as possible: by sorting and by trying. */
export function naiveResolution(control: Limits, all: readonly Claim[], now: number) {
  const claims = all.filter((claim) => claim.leaseUntil > now);
  const targets = claims
    .filter((claim) => claim.kind === "target" && typeof claim.value === "number")
    .sort((a, b) => place(a) - place(b) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  const winner = targets[0];
  const binding = claims.filter((claim) => winner === undefined || place(claim) <= place(winner));
  const { range, isContradicted, isBound } = rangeOf(control, binding);
  const [low, high] = range;
  let value: number | undefined;
  if (winner !== undefined) value = Number(winner.value);
  else if (isBound) value = restValue(control);
  if (value !== undefined) value = stepped(control.step, range, value < low ? low : value > high ? high : value);
  return { value, winner: winner?.id, isContradicted, min: low, max: high };
}

const place = (claim: Claim): number => CLAIM_CLASSES.indexOf(claim.class);

function rangeOf(control: Limits, binding: readonly Claim[]) {
  let range: readonly [number, number] = [control.min, control.max];
  let isContradicted = false;
  let isBound = false;
  for (const name of CLAIM_CLASSES) {
    const values = (kind: string) =>
      binding
        .filter((claim) => claim.class === name && claim.kind === kind)
        .map(({ value }) => value)
        .filter((value) => typeof value === "number")
        .sort((a, b) => a - b);
    const min = values("min").at(-1);
    const max = values("max").at(0);
    const into = (value: number) => [range[0], value, range[1]].sort((a, b) => a - b)[1] ?? value;
    if (min !== undefined && max !== undefined && min > max) {
      isContradicted = true;
      isBound = true;
      const middle = [max, 0, min].sort((a, b) => a - b)[1] ?? 0;
      const value = into(control.safe === "min" ? max : control.safe === "max" ? min : middle);
      range = [value, value];
      continue;
    }
    if (min !== undefined && min > range[0]) {
      isBound = true;
      range = [into(min), range[1]];
    }
    if (max !== undefined && max < range[1]) {
      isBound = true;
      range = [range[0], into(max)];
    }
  }
  return { range, isContradicted, isBound };
}

function restValue({ fallback, safe, min, max }: Limits): number {
  if (fallback !== undefined && fallback.value !== undefined) return fallback.value;
  const end = safe === "min" ? min : safe === "max" ? max : 0;
  return Number.isFinite(end) ? Math.min(Math.max(end, min), max) : 0;
}

/** The allowed multiple that is nearest; of two equally near ones the higher. */
function stepped(step: number | undefined, [low, high]: readonly [number, number], value: number): number {
  if (step === undefined) return value;
  const first = Math.floor(value / step);
  const allowed = [first + 1, first]
    .map((count) => count * step)
    .filter((one) => one >= low && one <= high)
    .sort((a, b) => Math.abs(a - value) - Math.abs(b - value));
  return allowed[0] ?? value;
}
