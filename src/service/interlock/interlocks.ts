// The interlocks of this gateway's sites: what they demand now. Control asks in every cycle and before every command.
import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { LimitClaim } from "#core/interlock/apply-limits.ts";
import { DAMAGED } from "#core/interlock/evaluate-damaged.ts";
import { evaluateInterlock, type Memory } from "#core/interlock/evaluate-interlock.ts";
import { devicesIn, type Interlock } from "#core/interlock/interlock.ts";
import { interlockClaim } from "#core/interlock/interlock-claim.ts";
import { isWorthStoring, recallMemory, type StoredMemory } from "#core/interlock/interlock-memory.ts";
import { type InterlockReport, isReportDue, reportOf } from "#core/interlock/interlock-report.ts";
import { FIRST_VALUE_MS, type Inputs, type Outcome } from "#core/interlock/outcome.ts";
import { type Resolved, resolveInterlock, type Source } from "#core/interlock/resolve-interlock.ts";
import type { Problem } from "#core/text/document-reader.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { createControlAlerts } from "#service/control/control-alerts.ts";
import { createKnownControls } from "#service/control/known-controls.ts";
import type { DamagedInterlock, StoredInterlock } from "#service/ports/interlock-store.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import { resolveDamaged } from "./resolve-damaged.ts";
import { type KnowledgeNeeds, siteKnowledge } from "./site-knowledge.ts";

export interface InterlocksNeeds extends KnowledgeNeeds, Pick<Needs, "interlocks" | "profiles" | "now"> {
  readonly alertTracker: Pick<AlertTracker, "report">;
  readonly nodes: Pick<Nodes, "isShared">;
}

/** One interlock, as far as it is known now. */
export interface WatchedInterlock {
  readonly stored: StoredInterlock | DamagedInterlock;
  /** What its devices and blueprints do not have any more, and whether its row is damaged. */
  readonly problems: readonly Problem[];
  readonly outcome: Outcome | undefined;
}

export interface NewDocument extends Pick<StoredInterlock, "siteId" | "name" | "document" | "interlock"> {
  readonly expected: number | undefined;
}

export type Interlocks = ReturnType<typeof createInterlocks>;

/** Documents, devices and blueprints are looked up again after this time; sooner where other nodes change them, too. */
const LOOK_UP_MS = 10_000;
const LOOK_UP_SHARED_MS = 1_000;

/** What is remembered is said to be right so often, also if it does not change. */
const CONFIRM_MS = 60_000;

interface Watched extends WatchedInterlock {
  readonly resolved: Resolved;
  memory: Memory | undefined;
  /** What the records have of it. */
  storedMemory: StoredMemory | undefined;
  outcome: Outcome | undefined;
  /** When its devices were created; undefined: what it remembered is damaged, so it waits for no first value. */
  readonly createdAt: ReadonlyMap<string, number> | undefined;
  /** What was last stored for a cloud. */
  reported: { readonly report: InterlockReport; readonly at: number } | undefined;
}

export function createInterlocks(needs: InterlocksNeeds) {
  const controlsOf = createKnownControls(needs.profiles);
  const alerts = createControlAlerts(needs.alertTracker, needs.now, ".interlocks");
  let watched = new Map<string, Watched>();
  let limits = new Map<string, LimitClaim[]>();
  /** Undefined after a start: a device may still have an alert from before. */
  let alerted: ReadonlySet<string> | undefined;
  let looking: Promise<void> | undefined;
  let lookedUpAt = -Infinity;
  let evaluatedAt = -Infinity;
  const startedAt = needs.now();
  let rememberedAt = -Infinity;

  /** Keeps what is remembered of documents that have not changed. */
  async function lookUp(): Promise<void> {
    const next = new Map<string, Watched>();
    for (const found of await needs.interlocks.all()) {
      const key = keyOf(found.siteId, found.name);
      const before = watched.get(key);
      const isSame = before?.stored.revision === found.revision;
      // Of one that is damaged while it is watched, the last good meaning goes on.
      const stored = found.interlock === undefined && isSame ? before.stored : found;
      const { resolved, problems, createdAt } =
        stored.interlock === undefined
          ? { resolved: await resolveDamaged(needs, controlsOf, stored), problems: [], createdAt: undefined }
          : await resolve(stored.siteId, stored.interlock, stored.devices);
      const damage = found.interlock === undefined ? [{ code: "damaged", pointer: "", message: DAMAGED } as const] : [];
      const { memory, storedMemory, outcome } = isSame ? before : recalled(stored, needs.now());
      // Another node may have reported it.
      const reportedAt = (isSame ? before.reported?.at : undefined) ?? needs.now();
      const reported = found.report && { report: found.report, at: reportedAt };
      const all = [...damage, ...problems];
      const known = { stored, resolved, problems: all, memory, storedMemory, outcome, reported };
      next.set(key, { ...known, createdAt: stored.isMemoryDamaged ? undefined : createdAt });
    }
    watched = next;
  }

  /** All is known as of a moment ago. One looks at a time, so that nobody finds it half done. */
  async function ready(): Promise<void> {
    const now = needs.now();
    if (
      looking === undefined &&
      now >= lookedUpAt &&
      now - lookedUpAt < (needs.nodes.isShared ? LOOK_UP_SHARED_MS : LOOK_UP_MS)
    )
      return;
    looking ??= lookUp()
      .then(() => {
        lookedUpAt = now;
      })
      .finally(() => {
        looking = undefined;
      });
    await looking;
  }

  /** This node goes on where another one was: what that one has remembered counts, not what was seen here meanwhile. */
  async function takeOver(): Promise<void> {
    if (watched.size === 0) return;
    await lookAgain();
    for (const one of watched.values()) {
      const { memory, storedMemory } = recalled(one.stored, needs.now());
      if (memory !== undefined) Object.assign(one, { memory, storedMemory });
    }
  }

  /** Something was changed: whoever looks now may have looked before. */
  async function lookAgain(): Promise<void> {
    await looking?.catch(() => undefined);
    lookedUpAt = -Infinity;
    evaluatedAt = -Infinity;
    await ready();
  }

  async function resolve(siteId: string, interlock: Interlock, devices: ReadonlyMap<string, string>) {
    const names = new Map(devicesIn(interlock).map((name) => [name, devices.get(name)]));
    const site = await siteKnowledge(needs, controlsOf, { siteId, names });
    const ids = new Map([...names.keys()].flatMap((name) => pairOf(name, site.device(name)?.id)));
    return { ...resolveInterlock(interlock, site), ids, createdAt: site.createdAt };
  }

  async function reportAlerts(): Promise<void> {
    const all = () => [...watched.values()].flatMap(({ resolved }) => controlled(resolved));
    const before = alerted ?? all().map(({ deviceId }) => deviceId);
    const ids = new Map<string, Set<string>>([...before].map((deviceId) => [deviceId, new Set()]));
    for (const one of watched.values()) {
      for (const [deviceId, id] of alertsIn(one)) ids.set(deviceId, (ids.get(deviceId) ?? new Set()).add(id));
    }
    const next = new Set<string>();
    for (const [deviceId, list] of ids) {
      const device = await needs.devices.find(deviceId);
      if (device === undefined) continue;
      await alerts.report(device, await deviceBlueprint(needs, device), [...list]);
      if (list.size > 0) next.add(deviceId);
    }
    alerted = next;
  }

  /** Stores what has changed of what they remember, and now and then that it is still right. `all`: whatever has changed. */
  async function remember(all = false): Promise<void> {
    const now = needs.now();
    const changed = [...watched.values()].flatMap((one) => {
      const { memory, storedMemory, stored } = one;
      if (memory === undefined || memory.kind === "damaged" || stored.interlock === undefined) return [];
      const isChanged = all ? memory !== storedMemory : isWorthStoring(stored.interlock, storedMemory, memory);
      return isChanged ? [{ one, memory }] : [];
    });
    const isDue = watched.size > 0 && Math.abs(now - rememberedAt) >= CONFIRM_MS;
    if (changed.length === 0 && !isDue) return;
    // Whether that is still right is not known before the first value comes.
    const unsure = [...watched.values()].filter(({ outcome, memory }) => memory && outcome?.state === "waiting");
    await needs.interlocks.remember(
      changed.map(({ one: { stored }, memory }) => ({ ...named(stored), memory })),
      { at: now, unsure: unsure.map(({ stored }) => named(stored)) },
    );
    for (const { one, memory } of changed) one.storedMemory = memory;
    rememberedAt = now;
  }

  /** Stores what has changed, for a cloud. */
  async function storeReports(): Promise<void> {
    const now = needs.now();
    for (const one of watched.values()) {
      if (one.outcome === undefined) continue;
      const report = reportOf(one.outcome, one.problems);
      if (!isReportDue(one.reported, report, now)) continue;
      await needs.interlocks.report({ ...named(one.stored), report });
      one.reported = { report, at: now };
    }
  }

  return {
    remember,
    takeOver,
    /** Asks all of them anew, unless that was done a moment ago. */
    async evaluate(inputs: Omit<Inputs, "now" | "begunAt">, notOlderThanMs: number): Promise<void> {
      await ready();
      const now = needs.now();
      if (now >= evaluatedAt && now - evaluatedAt < notOlderThanMs) return;
      const next = new Map<string, LimitClaim[]>();
      for (const one of watched.values()) {
        const begunAt = (deviceId: string) => begun([startedAt, one.createdAt?.get(deviceId)], one, now);
        Object.assign(one, evaluateInterlock(one.resolved, one.memory, { ...inputs, begunAt, now }));
        const { outcome, stored } = one;
        for (const { control, ...limit } of outcome?.limits ?? []) {
          const key = keyOf(limit.deviceId, control.id);
          const claim = interlockClaim({ why: "", since: 0, ...outcome, ...stored }, { ...limit, control: control.id });
          next.set(key, [...(next.get(key) ?? []), claim]);
        }
      }
      limits = next;
      evaluatedAt = now;
    },
    /** After a cycle: alerts of devices, and what a cloud is to know. */
    async report(): Promise<void> {
      await reportAlerts();
      await storeReports();
    },
    async hasAny(): Promise<boolean> {
      await ready();
      return watched.size > 0;
    },
    /** Those whose telemetry counts. */
    async devices(): Promise<ReadonlySet<string>> {
      await ready();
      return new Set([...watched.values()].flatMap(({ resolved }) => devicesOf(resolved)));
    },
    limitsOf: (deviceId: string, control: string): readonly LimitClaim[] => limits.get(keyOf(deviceId, control)) ?? [],
    /** Controls that have to change because of an interlock. */
    *holding(): Iterable<{ readonly deviceId: string; readonly control: string }> {
      for (const list of limits.values()) {
        const found = list.find(({ isHolding }) => isHolding);
        if (found !== undefined) yield { deviceId: found.claim.deviceId, control: found.claim.control };
      }
    },
    async ofSite(siteId: string): Promise<readonly WatchedInterlock[]> {
      await ready();
      return [...watched.values()].filter(({ stored }) => stored.siteId === siteId);
    },
    /** What is wrong with a document that could be read, by the devices of the site. */
    async problemsOf(siteId: string, interlock: Interlock): Promise<readonly Problem[]> {
      return (await resolve(siteId, interlock, new Map())).problems;
    },
    /** It is stored first; it counts from the next cycle on. */
    async put({ interlock, ...given }: NewDocument, trail: AuditEntry): Promise<void> {
      const { ids } = await resolve(given.siteId, interlock, new Map());
      await needs.interlocks.put({ ...given, updatedAt: needs.now(), devices: ids }, trail);
      await lookAgain();
    },
    async remove(named: Pick<NewDocument, "siteId" | "name" | "expected">, trail: AuditEntry): Promise<boolean> {
      const isRemoved = await needs.interlocks.delete(named, trail);
      await lookAgain();
      return isRemoved;
    },
  };
}

/** The latest of these times, if it was a moment ago. A clock that was set is careful. */
function begun(times: readonly (number | undefined)[], { createdAt }: Watched, now: number): number | undefined {
  if (createdAt === undefined) return undefined;
  const recent = times.filter((at) => at !== undefined && now >= at && now - at < FIRST_VALUE_MS);
  return recent.reduce((last, at) => (last === undefined || (at ?? 0) > last ? at : last), undefined);
}

/** What is known after a start. What is too old is stored anew. */
function recalled({ memory }: StoredInterlock | DamagedInterlock, now: number) {
  const found = memory && recallMemory(memory.value, memory.at, now);
  return { memory: found, storedMemory: found && memory?.value, outcome: undefined };
}

const keyOf = (one: string, other: string): string => JSON.stringify([one, other]);
const named = ({ siteId, name, revision }: StoredInterlock | DamagedInterlock) => ({ siteId, name, revision });
const pairOf = (name: string, id: string | undefined): readonly (readonly [string, string])[] =>
  id === undefined ? [] : [[name, id]];

function devicesOf(resolved: Resolved): readonly string[] {
  return [...sourcesOf(resolved), ...controlled(resolved)].flatMap((one) => (one === undefined ? [] : [one.deviceId]));
}

function sourcesOf(resolved: Resolved): readonly (Source | undefined)[] {
  if (resolved.kind === "connection") return [resolved.meter];
  if (resolved.kind === "circuits") return [...resolved.meters.values()].flat();
  return resolved.kind === "damaged" ? [] : [resolved.source];
}

/** All that it may limit. */
function controlled(resolved: Resolved): readonly { readonly deviceId: string }[] {
  if ("loads" in resolved) return resolved.loads;
  return "failsafe" in resolved ? [...resolved.limits, ...resolved.failsafe] : resolved.limits;
}

/** Devices and the alerts that they have because of it. */
function alertsIn({ outcome, resolved, problems }: Watched): readonly (readonly [string, string])[] {
  const all = controlled(resolved).map(({ deviceId }) => deviceId);
  const isDamaged = problems.some(({ code }) => code === "damaged");
  const damaged = isDamaged ? all.map((deviceId) => [deviceId, "interlock_damaged"] as const) : [];
  const id = outcome && ALERTS[outcome.state];
  if (outcome === undefined || id === undefined) return damaged;
  const limited = outcome.limits.filter(({ isHolding }) => isHolding).map(({ deviceId }) => deviceId);
  const devices = outcome.state === "holding" || outcome.state === "limited" ? limited : all;
  return [...damaged, ...devices.map((deviceId) => [deviceId, id] as const)];
}

const ALERTS: Readonly<Partial<Record<Outcome["state"], string>>> = {
  holding: "interlock_holds",
  blind: "interlock_blind",
  limited: "grid_limited",
  failsafe: "grid_failsafe",
  autonomous: "grid_failsafe",
};
