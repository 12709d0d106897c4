// What interlocks allow: in every cycle, and before every command.
import { holds } from "#core/control/claim.ts";
import { commandedValues } from "#core/control/command-claim.ts";
import type { Control } from "#core/control/control.ts";
import { type Resolution, resolveClaims } from "#core/control/resolve-claims.ts";
import { applyLimits, boundsOf, isAllowed, type LimitClaim } from "#core/interlock/apply-limits.ts";
import type { Loading } from "#core/interlock/outcome.ts";
import type { CreateNeeds } from "#service/command/create-execution.ts";
import type { Interlocks } from "#service/interlock/interlocks.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import type { ControlEntries } from "./control-entries.ts";
import type { ControlEntry } from "./control-entry.ts";
import { interlocked } from "./interlocked.ts";
import type { KnownControls } from "./known-controls.ts";
import { type Latest, latestOf, readingIn } from "./read-controls.ts";

export interface LimiterNeeds extends Pick<Needs, "now" | "telemetry"> {
  readonly interlocking: Pick<
    Interlocks,
    "devices" | "evaluate" | "hasAny" | "holding" | "limitsOf" | "remember" | "report" | "takeOver"
  >;
  readonly nodes: Pick<Nodes, "isShared">;
}

type Limited = Pick<ControlEntry, "claims" | "state" | "heldFrom">;
type Standing = Limited & Pick<ControlEntry, "deviceId">;
/** In the unit of the control. */
interface Reading {
  readonly value: number;
  readonly at: number;
}

/** How controls stand. */
interface Known {
  readonly controlsOf: KnownControls;
  readonly entries: Pick<ControlEntries, "find">;
  /** Claims are known. */
  ready(): Promise<void>;
}

type PlannedCommand = Parameters<CreateNeeds["commandGuard"]["permit"]>[0];

/** Limits that are not older are not calculated anew for a command. */
const FRESH_MS = 2_000;
/** An older measurement says nothing about now. */
const STALE_MS = 120_000;
const CLOCK_MS = 5_000;

export function createLimiter(needs: LimiterNeeds, { controlsOf, entries, ready }: Known) {
  const { interlocking, now: clock } = needs;
  async function evaluate(notOlderThanMs: number): Promise<void> {
    const latest = new Map<string, Latest>();
    for (const deviceId of await interlocking.devices()) latest.set(deviceId, await latestOf(needs, deviceId));
    const now = clock();
    await interlocking.evaluate(
      {
        reading: (deviceId, attribute) => latest.get(deviceId)?.get(attribute),
        loading: (deviceId, control) => {
          const reading = readingIn(latest.get(deviceId), control);
          return loadingOf(entries.find(deviceId, control.id), { control, reading, now });
        },
        gridClaims: (deviceId, control) =>
          entries.find(deviceId, control).claims.filter((claim) => claim.class === "grid" && holds(claim, now)),
      },
      notOlderThanMs,
    );
  }

  /** What interlocks demand is known, as of a moment ago. */
  async function knowLimits(): Promise<void> {
    await ready();
    await evaluate(FRESH_MS);
  }

  return {
    knowLimits,
    /** Gives the controls that have to change because of an interlock. */
    async turn() {
      await evaluate(0);
      return interlocking.holding();
    },
    isLimited: ({ deviceId, control }: ControlEntry): boolean => interlocking.limitsOf(deviceId, control).length > 0,
    /** What counts, with the limits of interlocks. Those that change nothing now still say how far one may go. */
    resolve: (entry: Standing, control: Control, moment: Moment) =>
      resolveWithin(interlocking.limitsOf(entry.deviceId, control.id), entry, { ...moment, control }),
    /** Refuses a command that sets a controlled argument to what an interlock does not allow. */
    async permit({ device, blueprint, plan }: PlannedCommand): Promise<void> {
      const set = commandedValues(controlsOf(blueprint), plan);
      if (set.length === 0) return;
      await knowLimits();
      const now = clock();
      for (const { control, value } of set) {
        const limits = interlocking.limitsOf(device.id, control.id);
        if (isAllowed(control, limits, { value, now })) continue;
        throw interlocked(control, value, boundsOf(control, limits, now));
      }
    },
  };
}

interface Moment {
  readonly reading: Reading | undefined;
  readonly now: number;
}

export function resolveWithin(
  limits: readonly LimitClaim[],
  entry: Limited,
  { control, reading, now }: Moment & { readonly control: Control },
): { readonly resolution: Resolution; readonly heldFrom: number | undefined } {
  const current = currentOf(entry, reading, now);
  const { claims, heldFrom } = applyLimits(control, { ...entry, current }, { limits, now });
  const resolution = resolveClaims(control, claims, now);
  if (limits.length === 0 || claims !== entry.claims) return { resolution, heldFrom };
  return { resolution: { ...resolution, bounds: boundsOf(control, limits, now) }, heldFrom };
}

/** How a control stands, for interlocks that share something. */
export function loadingOf(entry: Limited, { control, reading, now }: Moment & { readonly control: Control }): Loading {
  const { winner, value } = resolveClaims(control, entry.claims, now);
  return { current: currentOf(entry, reading, now), wanted: winner === undefined ? entry.heldFrom : value };
}

/** What it measures, or was last told; undefined: nobody knows. */
function currentOf({ state }: Limited, reading: Reading | undefined, now: number): number | undefined {
  const isFresh = reading !== undefined && reading.at <= now + CLOCK_MS && now - reading.at < STALE_MS;
  return isFresh ? reading.value : state.sent;
}
