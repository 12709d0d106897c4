// Runs the claims of the devices that are connected here: resolves them every second, tells the devices, and looks whether they follow. Where
// several nodes share the records, one of them does it for all; the others read what it stored.

import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Execution } from "#core/command/execution.ts";
import { type Claim, holds } from "#core/control/claim.ts";
import { claimOfCommand, commandedValues, isEndedBy } from "#core/control/command-claim.ts";
import type { Control } from "#core/control/control.ts";
import {
  isIgnoring,
  planWrite,
  startedAnew,
  type Write,
  writeEnded,
  writtenByOthers,
} from "#core/control/control-writer.ts";
import type { Resolution } from "#core/control/resolve-claims.ts";
import type { Device } from "#core/device/device.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import type { Background } from "#service/background.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { BegunCommand, CreateNeeds } from "#service/command/create-execution.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { Claim as NodeClaim, Nodes } from "#service/ports/nodes.ts";
import type { Call, Needs } from "#service/ports.ts";
import { createControlAlerts } from "./control-alerts.ts";
import { ControlEntries } from "./control-entries.ts";
import { beginTurn, type ControlEntry, changeState, endTurn, isDone, isNews, recordOf } from "./control-entry.ts";
import type { ControlView } from "./control-view.ts";
import { createDirectCommands, type DirectCommand } from "./direct-commands.ts";
import { createHeardControls } from "./heard-controls.ts";
import { createKnownControls } from "./known-controls.ts";
import { createLimiter, type LimiterNeeds } from "./limiter.ts";
import { publishControls, publishView } from "./publish-controls.ts";
import {
  isDeviceReachable,
  type ReadControlsNeeds,
  readingOf,
  storedDevices,
  storedView,
  viewOf,
} from "./read-controls.ts";
import { writeControl } from "./write-control.ts";

export interface ControlsNeeds
  extends Omit<CreateNeeds, "directCommands" | "commandGuard">,
    ReadControlsNeeds,
    LimiterNeeds,
    Pick<Needs, "profiles" | "tokens" | "rules" | "gateways"> {
  readonly background: Background;
  readonly alertTracker: Pick<AlertTracker, "report">;
  readonly events: Pick<EventHub, "publish">;
  readonly nodes: Pick<Nodes, "isShared" | "claim" | "broadcast">;
}

export type Controls = ReturnType<typeof createControls>;

const WRITE_MS = 15_000;

export function createControls(needs: ControlsNeeds) {
  const controlsOf = createKnownControls(needs.profiles);
  const entries = new ControlEntries();
  const alerts = createControlAlerts(needs.alertTracker, needs.now);
  const stopping = new AbortController();
  const { isShared } = needs.nodes;
  let loading: Promise<void> | undefined;
  let isRunning = false;
  let duty: NodeClaim | undefined;
  const heard = createHeardControls((controls) => publishControls(needs, { controlsOf, view }, controls));
  const limiter = createLimiter(needs, { controlsOf, entries, ready });
  const viewing = { ...needs, limiter };

  /** Whether this node runs the cycle, where several share the records. One that takes it over begins with what is stored, as after a start. */
  async function hasDuty(): Promise<boolean> {
    if (!isShared || duty?.lost.aborted === false) return true;
    entries.clear();
    loading = undefined;
    const claimed = await needs.nodes.claim("control devices");
    if (claimed === undefined) return false;
    try {
      await needs.interlocking.takeOver();
    } catch (error) {
      await claimed.release();
      throw error;
    }
    duty = claimed;
    return true;
  }

  async function controlsOfDevice(device: Pick<Device, "blueprintId">): Promise<ReadonlyMap<string, Control>> {
    const blueprint = await deviceBlueprint(needs, device);
    return blueprint === undefined ? new Map() : controlsOf(blueprint);
  }

  async function runEntry(entry: ControlEntry): Promise<void> {
    const device = await needs.devices.find(entry.deviceId);
    const control = device && (await controlsOfDevice(device)).get(entry.control);
    const now = needs.now();
    if (device === undefined || control === undefined) {
      // The device is gone, or its blueprint is another one: nobody knows any more how to tell it anything.
      if (device === undefined || !entry.claims.some((claim) => holds(claim, now))) entries.delete(entry);
      return;
    }
    const isReachable = isDeviceReachable(needs, entry.deviceId);
    const isBack = isReachable && !entry.wasReachable;
    const reading = await readingOf(needs, entry.deviceId, control);
    const { resolution, heldFrom } = limiter.resolve(entry, control, { reading, now });
    entry.heldFrom = heldFrom;
    const known = beginTurn(entry);
    const before = isBack ? startedAnew(known) : known;
    // The end of a write that was on its way to it does not count any more.
    if (isBack) entry.writes += 1;
    const situation = { now, value: resolution.value, bounds: resolution.bounds, reading, isReachable };
    const { state, write } = planWrite(control, before, situation);
    const record = recordOf(entry, { now, resolution, state, measured: reading?.value });
    const isNews = record !== undefined || state.follow !== known.follow;
    if (write !== undefined || isNews || entry.isDirty || isBack) {
      await needs.controls.save({ deviceId: entry.deviceId, control: entry.control, state }, record, now, isNews);
    }
    endTurn(entry, state);
    entry.wasReachable = isReachable;
    entry.claims = entry.claims.filter((claim) => holds(claim, now));
    entry.alerts = [
      ...(isIgnoring(state) ? ["control_not_followed"] : []),
      ...(resolution.isContradicted ? ["control_contradicted"] : []),
    ];
    if (write !== undefined) send(entry, control, { write, resolution, isRefresh: isSame(write, before.sent) });
    await announce(device, entry, await viewOf(viewing, { ...entry, control }, now));
    const ids = alertsToReport(entry, entries.ofDevice(device.id));
    if (ids !== undefined) await alerts.report(device, await deviceBlueprint(needs, device), ids);
    if (isDone(entry, now) && !limiter.isLimited(entry)) entries.delete(entry);
  }

  /** Listeners at all nodes hear of it. */
  async function announce(device: Device, entry: ControlEntry, now: ControlView): Promise<void> {
    if (!isNews(entry, now)) return;
    await publishView(needs, device, now);
    needs.nodes.broadcast({ kind: "controls", deviceId: device.id, control: entry.control });
  }

  function send(
    entry: ControlEntry,
    control: Control,
    { write, resolution, isRefresh }: { write: Write; resolution: Resolution; isRefresh: boolean },
  ): void {
    entry.writes += 1;
    const { writes, deviceId } = entry;
    const left = write.kind === "value" && resolution.until !== undefined ? resolution.until - needs.now() : WRITE_MS;
    const withinMs = Math.max(1, Math.min(WRITE_MS, left));
    const claimId = resolution.winner?.id;
    needs.background.run("write to a controlled device", async () => {
      let isDone = false;
      try {
        const given = { deviceId, control, write, claimId, withinMs, isRefresh };
        isDone = await writeControl(
          { ...needs, directCommands: undefined, commandGuard: limiter },
          given,
          stopping.signal,
        );
      } finally {
        if (entry.writes === writes) changeState(entry, (state) => writeEnded(state, isDone));
      }
    });
  }

  /** The claim that stands for a command that somebody executed, and has been carried out. */
  async function adopt(execution: Execution, { source: by, control, value }: DirectCommand): Promise<void> {
    // Its gateway makes the claim.
    if (await isOfGateway(needs, execution.siteId)) return;
    const now = needs.now();
    const { id, deviceId, request } = execution;
    const source = { id: needs.newId(), deviceId, command: request.manifestName, cause: `execution:${id}` };
    const claim = claimOfCommand({ ...source, ...by, control, value, now });
    await place(claim, { takesOver: true, trail: undefined });
    // The node that runs the cycle says it to the device once more.
    if (isShared && duty === undefined) return;
    const entry = entries.of(execution.deviceId, control);
    entry.writes += 1;
    changeState(entry, (state) => writtenByOthers(state, value, now));
  }

  async function place(claim: Claim, { takesOver, trail }: { takesOver: boolean; trail: AuditEntry | undefined }) {
    if (!isShared) await ready();
    const ended = new Set(await needs.controls.claim({ claim, takesOver, trail }));
    // What is stored counts: the cycle reads it.
    if (isShared) return;
    const entry = entries.of(claim.deviceId, claim.control);
    entry.claims = [...entry.claims.filter(({ id }) => !ended.has(id) && id !== claim.id), claim];
  }

  /** What is stored is known. A failed start is tried again. */
  async function ready(): Promise<void> {
    const load = async () => entries.load(await needs.controls.load());
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    await loading;
  }

  /** How it stands, also if nobody claims it. */
  async function view(deviceId: string, control: Control): Promise<ControlView> {
    if (isShared) return await storedView(viewing, deviceId, control);
    await ready();
    return await viewOf(viewing, { ...entries.find(deviceId, control.id), control }, needs.now());
  }

  needs.dispatcher.onReachable((deviceId) => {
    for (const entry of entries.ofDevice(deviceId)) {
      entry.writes += 1;
      changeState(entry, startedAnew);
    }
  });
  const directCommands = createDirectCommands(needs, controlsOf, adopt);

  return {
    /** One cycle. A device whose turn fails does not hold up the others. */
    async turn(): Promise<void> {
      isRunning = true;
      const isOnDuty = await hasDuty();
      if (!isOnDuty && !(await needs.interlocking.hasAny())) return await heard.publish();
      await ready();
      if (isShared && isOnDuty) entries.putClaims((await needs.controls.load()).claims);
      // Before anything is told to anybody: if nobody knows what is allowed, nothing is told. Commands may come to any node.
      const holding = await limiter.turn();
      if (!isOnDuty) return await heard.publish();
      heard.clear();
      for (const { deviceId, control } of holding) entries.of(deviceId, control);
      const failures: unknown[] = [];
      // Stored before it is told to anybody. If that fails, it limits all the same.
      await needs.interlocking.remember().catch((error: unknown) => failures.push(error));
      for (const entry of entries.all()) {
        try {
          await runEntry(entry);
        } catch (error) {
          failures.push(error);
        }
      }
      await needs.interlocking.report();
      if (failures.length > 0) throw failures[0];
    },
    /** Listeners of this node hear of it with the next cycle, when this node knows as much as the one that has said it. */
    heardOf: heard.add,
    permit: limiter.permit,
    knowLimits: limiter.knowLimits,
    async stop(): Promise<void> {
      stopping.abort();
      if (isRunning && (!isShared || duty?.lost.aborted === false))
        await needs.interlocking.remember(true).catch(() => undefined);
      await duty?.release();
    },
    place,
    async release(claim: Claim, trail: AuditEntry): Promise<boolean> {
      const isReleased = await needs.controls.release(claim.deviceId, claim.id, trail);
      const entry = entries.of(claim.deviceId, claim.control);
      entry.claims = entry.claims.filter(({ id }) => id !== claim.id);
      return isReleased;
    },
    controlsOfDevice,
    view,
    /** Devices that somebody controls now. */
    async controlled(): Promise<ReadonlySet<string>> {
      if (isShared) return await storedDevices(needs);
      await ready();
      return new Set(entries.all().map(({ deviceId }) => deviceId));
    },
    /** The controls as they would be if the command succeeded now, each with the claim that it would be. */
    async foresee(deviceId: string, { blueprint, plan }: Omit<BegunCommand, "id">, { caller }: Pick<Call, "caller">) {
      const device = await needs.devices.find(deviceId);
      const isHere = device !== undefined && !(await isOfGateway(needs, device.siteId));
      const commanded = isHere ? commandedValues(controlsOf(blueprint), plan) : [];
      return await Promise.all(
        commanded.map(async ({ control, value }) => {
          const source = { id: "new", deviceId, command: plan.command.id, cause: undefined };
          const by = { tokenId: caller.tokenId, scheduleId: undefined };
          const given = { ...source, ...by, control: control.id, value, now: needs.now() };
          const claim = claimOfCommand(given);
          const before = await view(deviceId, control);
          const claims = [...before.claims.filter((one) => !isEndedBy(one, claim)), claim];
          const entry = { deviceId, state: before.state, heldFrom: undefined, claims };
          const { resolution } = limiter.resolve(entry, control, { reading: before.measured, now: given.now });
          const after = { ...before, claims, resolution };
          return { claim, view: after, wins: after.resolution.winner === claim };
        }),
      );
    },
    /** Before a command of a caller is stored: if it sets a controlled argument, its success is a claim. */
    began(command: BegunCommand, call: Pick<Call, "caller" | "scheduleId">): void {
      directCommands.began(command, call);
    },
  };
}

/** The alerts of a device are those of all its controls. Undefined: there are none, and there were none. */
function alertsToReport(entry: ControlEntry, ofDevice: Iterable<ControlEntry>): readonly string[] | undefined {
  const ids = new Set<string>();
  for (const one of ofDevice) for (const id of one.alerts) ids.add(id);
  const isNothing = ids.size === 0 && !entry.hasAlerted;
  entry.hasAlerted = ids.size > 0;
  return isNothing ? undefined : [...ids];
}

/** Then this is a cloud, which has a copy of the site. */
const isOfGateway = async ({ gateways }: Pick<Needs, "gateways">, siteId: string): Promise<boolean> =>
  (await gateways.ownerOf(siteId)) !== undefined;

const isSame = (write: Write, sent: number | undefined): boolean => write.kind === "value" && write.value === sent;
