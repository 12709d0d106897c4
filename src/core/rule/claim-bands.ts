// Claims as bands of time: what a simulated rule claims, from when to when.
import type { ClaimKind } from "#core/control/claim.ts";
import type { RuleEffect } from "./rule-effect.ts";

/** A claim, as long as it had one value. */
export interface ClaimBand {
  readonly device: string;
  readonly control: string;
  readonly claim: ClaimKind;
  readonly value: number | "unlimited";
  readonly from: number;
  readonly to: number;
}

const MOST_BANDS = 20_000;

interface OptionalNames {
  readonly control: string | undefined;
  readonly claim: ClaimKind | undefined;
}

interface OpenBand extends Omit<ClaimBand, "to"> {
  readonly leaseUntil: number;
}

/** Claims as bands of time. */
export function createBands() {
  const open = new Map<string, OpenBand>();
  const closed: ClaimBand[] = [];
  const close = (key: string, at: number) => {
    const band = open.get(key);
    open.delete(key);
    if (band === undefined || closed.length >= MOST_BANDS) return;
    const { leaseUntil, ...known } = band;
    closed.push({ ...known, to: Math.min(at, leaseUntil) });
  };
  type Named = Pick<ClaimBand, "device" | "control" | "claim">;
  return {
    /** What is claimed at this moment. */
    claimedAt: ({ device, control, claim }: Named, at: number) => {
      const band = open.get(JSON.stringify([device, control, claim]));
      return band !== undefined && band.leaseUntil >= at ? band.value : undefined;
    },
    /** All that is claimed at this moment. */
    standing: (at: number): readonly OpenBand[] => [...open.values()].filter(({ leaseUntil }) => leaseUntil >= at),
    /** Undefined: all of them. Answers how many there were. */
    release: ({ device, ...only }: Pick<Named, "device"> & Partial<OptionalNames>, at: number): number => {
      const meant = [...open].filter(
        ([, band]) =>
          band.device === device &&
          (only.control ?? band.control) === band.control &&
          (only.claim ?? band.claim) === band.claim,
      );
      for (const [key] of meant) close(key, at);
      return meant.filter(([, { leaseUntil }]) => leaseUntil >= at).length;
    },
    take: (effect: Extract<RuleEffect, { readonly kind: "claim" | "release" }>, at: number) => {
      const { device, control, claim } = effect;
      const key = JSON.stringify([device, control, claim]);
      if (effect.kind === "release") return close(key, at);
      const { value, leaseUntil } = effect;
      const before = open.get(key);
      const goesOn = before !== undefined && before.value === value && before.leaseUntil >= at;
      if (!goesOn) close(key, at);
      open.set(key, { device, control, claim, value, from: goesOn ? before.from : at, leaseUntil });
      return undefined;
    },
    endAt: (at: number): readonly ClaimBand[] => {
      for (const key of [...open.keys()]) close(key, at);
      return closed.sort((a, b) => a.from - b.from);
    },
  };
}
