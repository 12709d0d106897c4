// Tracks the active alerts of every device: takes in what telemetry lists, and confirms alerts that last.
//
// Invariants: memory equals the store; a change is stored together with its event and its webhook deliveries; the changes
// of one device are stored one after the other. Nearly every report changes nothing, and such a report touches neither
// disk nor queue. After a restart the newest lists are read back from the telemetry, so nothing that a crash interrupted
// is missed.

import { type AlertDetails, NO_DETAILS } from "#core/alert/alert-details.ts";
import { alertListProblem } from "#core/alert/alert-limits.ts";
import {
  type AlertChange,
  type AlertReport,
  type AlertState,
  type FoldedAlerts,
  isDoubted,
  isOwnList,
  NO_ALERTS,
  nextHardening,
  restoreAlerts,
  withDetails,
  withMoment,
  withReport,
  withSources,
  withTelemetry,
} from "#core/alert/alert-state.ts";
import { AppError } from "#core/app-error.ts";
import type { Alert, Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Background } from "#service/background.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { type After, createDeadlines } from "#service/deadlines.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import { type Attribute, attributesOf, listsAlerts } from "#service/telemetry/attributes.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";
import { describeAlert } from "./describe-alert.ts";

export interface AlertTracker {
  /**
   * Must be called before a message is stored as telemetry: the telemetry stored so far shows which list is the newest.
   * Undefined when there is nothing to wait for. Also called for messages without lists, so that none overtakes a
   * waiting one.
   */
  prepare(device: Device): Promise<void> | undefined;
  /** Whether there is nothing to wait for. */
  isPrepared(device: Device): boolean;
  /** Resolves when its changes are durable. Called for messages with values or details, with or without lists. */
  report(device: Device, message: AlertMessage): Promise<void>;
  /** Whether a message without lists must be reported, because a list has not been repeated for too long. */
  isDoubtedBy(device: Device, message: Pick<AlertMessage, "at" | "blueprint">): boolean;
  /** Called after lists were stored as telemetry without a report: the newest of each source counts. */
  reread(device: Device): Promise<void>;
  /** Clears alerts from attributes that the device's blueprint does not have. */
  blueprintChanged(device: Device): Promise<void>;
  forget(deviceId: string): void;
  /** The event of a change, of this node or another one. A soft alert waits to be confirmed. */
  heardOf(deviceId: string, isSoft: boolean): void;
  /** Takes over the alerts that an earlier run left active. */
  recover(): Promise<void>;
  stop(): void;
}

interface AlertMessage {
  readonly at: Instant;
  /** Empty when the message has none. */
  readonly lists: ReadonlyMap<Pick<Attribute, "id" | "accessLevel">, readonly string[]>;
  readonly details: AlertDetails;
  readonly blueprint: Blueprint | undefined;
}

export interface AlertTrackerNeeds extends Pick<Needs, "alerts" | "devices" | "telemetry" | "now"> {
  /** Alerts of a device that a gateway owns are decided there. */
  readonly gateways: Pick<Needs["gateways"], "ownerOf">;
  readonly catalog: BlueprintCatalog;
  readonly prepareEvent: PrepareEvent;
  readonly webhookDispatcher: Pick<WebhookDispatcher, "noticesOf" | "wake">;
  readonly background: Background;
  readonly nodes: Pick<Nodes, "isShared">;
  readonly after: After;
  /** Alerts whose list a device has not repeated for this long, while it sends other telemetry, are unconfirmed. */
  readonly unconfirmedAfterMs: number;
}

interface Entry {
  /** Undefined until it is read. */
  state: AlertState | undefined;
  /** Settles when all work of the device is done; undefined when there is none. */
  tail: Promise<void> | undefined;
}

type Step = (state: AlertState) => FoldedAlerts;

/** Longer timers are checked again in between, because a timer of Node runs for at most 24 days. */
const LONGEST_WAIT_MS = 24 * 3_600_000;
/** A change that could not be stored is tried again after this time. */
const AGAIN_MS = 1_000;
const MAX_TRIES = 5;
const UNDECLARED: ReadonlyMap<string, Alert> = new Map();

export function createAlertTracker(needs: AlertTrackerNeeds): AlertTracker {
  const entries = new Map<string, Entry>();
  /** Events of this node that it has not read back yet, by device. */
  const unread = new Map<string, number>();
  const deadlines = createDeadlines(needs.after, (deviceId, moment) => {
    needs.background.run("harden alerts", async () => {
      const device = await needs.devices.find(deviceId);
      if (device === undefined) return forget(deviceId);
      try {
        await change(device, (state) => withMoment(state, moment));
      } catch (error) {
        deadlines.set(deviceId, moment, AGAIN_MS);
        throw error;
      }
    });
  });

  /** Undefined when it is gone, or when a gateway owns it. */
  async function ownDevice(deviceId: string): Promise<Device | undefined> {
    const device = await needs.devices.find(deviceId);
    if (device === undefined || (await needs.gateways.ownerOf(device.siteId)) !== undefined) return undefined;
    return device;
  }

  function entryOf(deviceId: string): Entry {
    let entry = entries.get(deviceId);
    if (entry === undefined) {
      entry = { state: undefined, tail: undefined };
      entries.set(deviceId, entry);
    }
    return entry;
  }

  /** Runs after all earlier work for the device. */
  function change(device: Device, step: Step): Promise<void> {
    const entry = entryOf(device.id);
    const done = (entry.tail ?? Promise.resolve()).then(() => takeStep(entry, device, step));
    const settled = () => {
      if (entry.tail === tail) entry.tail = undefined;
    };
    const tail = done.then(settled, settled);
    entry.tail = tail;
    return done;
  }

  /**
   * Where several nodes hear a device, each change is decided by what is stored. If another node was first, or an answer of
   * the store was lost, it is decided anew.
   */
  async function takeStep(entry: Entry, device: Device, step: Step): Promise<void> {
    const wouldChange = entry.state !== undefined && step(entry.state).changes.length > 0;
    if (needs.nodes.isShared && wouldChange) entry.state = undefined;
    for (let tries = 1; ; tries++) {
      try {
        return await stepFrom(entry, device, step);
      } catch (error) {
        if (!(error instanceof AppError && error.code === "conflict") || tries === MAX_TRIES) throw error;
        entry.state = undefined;
      }
    }
  }

  async function stepFrom(entry: Entry, device: Device, step: Step): Promise<void> {
    if (entry.state === undefined) {
      const known = restoreAlerts(await needs.alerts.active(device.id));
      await store(entry, device, await newestLists(known, device));
    }
    await store(entry, device, step(entry.state ?? NO_ALERTS));
  }

  async function store(entry: Entry, device: Device, { state, changes }: FoldedAlerts): Promise<void> {
    if (changes.length > 0) {
      const events = await Promise.all(changes.filter(isNews).map((one) => eventOf(device, one)));
      const notices = needs.webhookDispatcher.noticesOf(events);
      if (!(await needs.alerts.record(device.id, changes, { events, notices }))) return forget(device.id);
      if (notices.length > 0) needs.webhookDispatcher.wake();
      if (needs.nodes.isShared) unread.set(device.id, (unread.get(device.id) ?? 0) + events.length);
    }
    entry.state = state;
    arm(device.id, state);
  }

  async function eventOf(device: Device, { kind, at, alert }: AlertNews): Promise<PreparedEvent> {
    const place = { deviceId: device.id, siteId: device.siteId };
    const known = kind === "raised" ? undefined : await needs.alerts.find({ ...alert, deviceId: device.id });
    const { acknowledgement } = known ?? { acknowledgement: undefined };
    const record = { ...alert, ...place, clearedAt: kind === "cleared" ? at : undefined, acknowledgement };
    const described = await describeAlert(needs, record);
    return needs.prepareEvent({ ...place, kind: "alert", change: kind, at, alert: described });
  }

  /** The device's lists in the telemetry, folded into the stored alerts. */
  async function newestLists(known: AlertState, device: Device): Promise<FoldedAlerts> {
    const blueprint = await deviceBlueprint(needs, device);
    const latest = await needs.telemetry.current(device.id);
    const steps: Step[] = [withSourcesOf(blueprint)];
    for (const attribute of new Set(attributesOf(blueprint).values())) {
      const snapshot = listsAlerts(attribute) ? latest.get(attribute.id) : undefined;
      const ids = snapshot && parseList(snapshot.value);
      if (snapshot === undefined || ids === undefined) continue;
      const lists = new Map([[attribute, ids]]);
      steps.push(...listSteps(device, { at: snapshot.at, lists, details: NO_DETAILS, blueprint }));
    }
    return foldAll(known, steps);
  }

  /** A device clock that runs ahead must not hide later reports, so no report counts as newer than now. */
  function momentOf(at: Instant): Instant {
    return instant(Math.min(at, needs.now()));
  }

  function listSteps(device: Device, { at, lists, details, blueprint }: AlertMessage): readonly Step[] {
    const moment = momentOf(at);
    return [...lists].map(([{ id, accessLevel }, alertIds]) => {
      const report: AlertReport = {
        source: id,
        readLevel: accessLevel,
        blueprintId: device.blueprintId,
        at: moment,
        alertIds,
        details,
      };
      return (state) => withReport(state, report, blueprint?.alerts ?? UNDECLARED);
    });
  }

  /** Lists first: what a message lists, it does not leave in doubt. */
  function stepsOf(device: Device, message: AlertMessage): readonly Step[] {
    const { at, details, blueprint } = message;
    const moment = momentOf(at);
    const steps: Step[] = [...listSteps(device, message)];
    if (details.size > 0) steps.push((state) => withDetails(state, details, moment));
    if (repeatsLists(blueprint)) steps.push((state) => withTelemetry(state, moment, needs.unconfirmedAfterMs));
    return steps;
  }

  function withSourcesOf(blueprint: Blueprint | undefined): Step {
    const attributes = attributesOf(blueprint);
    const has = (source: string) => {
      const attribute = attributes.get(source);
      return isOwnList(source) || (attribute?.id === source && listsAlerts(attribute));
    };
    return (state) => withSources(state, has, needs.now());
  }

  function arm(deviceId: string, state: AlertState): void {
    const next = nextHardening(state);
    const now = needs.now();
    if (next === undefined) deadlines.clear(deviceId);
    else if (next - now <= LONGEST_WAIT_MS) deadlines.set(deviceId, next, next - now);
    else deadlines.set(deviceId, instant(now + LONGEST_WAIT_MS), LONGEST_WAIT_MS);
  }

  function forget(deviceId: string): void {
    entries.delete(deviceId);
    deadlines.clear(deviceId);
  }

  const isPrepared = ({ id }: Device) => entries.get(id)?.state !== undefined;

  return {
    isPrepared,
    prepare: (device) => (isPrepared(device) ? undefined : change(device, unchanged)),
    isDoubtedBy({ id }, { at, blueprint }) {
      const entry = entries.get(id);
      if (entry?.state === undefined || entry.state.size === 0 || !repeatsLists(blueprint)) return false;
      return isDoubted(entry.state, momentOf(at), needs.unconfirmedAfterMs);
    },
    async report(device, message) {
      const steps = stepsOf(device, message);
      const entry = entries.get(device.id);
      if (entry?.state !== undefined && entry.tail === undefined) {
        const { state, changes } = foldAll(entry.state, steps);
        if (changes.length === 0) {
          entry.state = state;
          return;
        }
      }
      await change(device, (state) => foldAll(state, steps));
    },
    async reread(device) {
      // Running work depends on the state that is dropped here, so it finishes first.
      for (let tail = entries.get(device.id)?.tail; tail !== undefined; tail = entries.get(device.id)?.tail) await tail;
      forget(device.id);
      await change(device, unchanged);
    },
    async blueprintChanged(device) {
      await change(device, withSourcesOf(await deviceBlueprint(needs, device)));
    },
    forget,
    heardOf(deviceId, isSoft) {
      const own = unread.get(deviceId) ?? 0;
      if (own > 1) unread.set(deviceId, own - 1);
      else unread.delete(deviceId);
      if (own > 0) return;
      needs.background.run("take over a change of alerts", async () => {
        for (let tail = entries.get(deviceId)?.tail; tail !== undefined; tail = entries.get(deviceId)?.tail) await tail;
        forget(deviceId);
        // Whichever node is there when the grace period ends confirms the alert.
        const device = isSoft ? await ownDevice(deviceId) : undefined;
        if (device !== undefined) await change(device, unchanged);
      });
    },
    async recover() {
      const active = await needs.alerts.active();
      for (const deviceId of new Set(active.map((alert) => alert.deviceId))) {
        try {
          const device = await ownDevice(deviceId);
          if (device !== undefined) await change(device, unchanged);
        } catch (error) {
          // The next message of the device tries again.
          needs.background.run("take over the alerts of a device", async () => {
            throw error;
          });
        }
      }
    },
    stop: () => deadlines.stop(),
  };
}

type AlertNews = AlertChange & { readonly kind: Exclude<AlertChange["kind"], "updated"> };

/** New details may come with every message, so they wait until the alert changes in another way. */
function isNews(change: AlertChange): change is AlertNews {
  return change.kind !== "updated";
}

function repeatsLists(blueprint: Blueprint | undefined): boolean {
  return blueprint?.alertLists !== "on_change";
}

const unchanged: Step = (state) => ({ state, changes: [] });

function foldAll(from: AlertState, steps: readonly Step[]): FoldedAlerts {
  return steps.reduce<FoldedAlerts>(
    ({ state, changes }, step) => {
      const folded = step(state);
      return { state: folded.state, changes: [...changes, ...folded.changes] };
    },
    { state: from, changes: [] },
  );
}

/** The telemetry may have been imported, so its lists are checked here again. */
function parseList(value: unknown): readonly string[] | undefined {
  if (typeof value !== "string") return undefined;
  try {
    const ids: unknown = JSON.parse(value);
    if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) return undefined;
    return alertListProblem(ids) === undefined ? ids : undefined;
  } catch {
    return undefined;
  }
}
