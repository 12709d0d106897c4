// What listeners get: that something changed, where, when, and who may know of it.
import type { AccessLevel } from "#core/access/level.ts";
import type { Execution } from "#core/command/execution.ts";
import type { Device } from "#core/device/device.ts";
import { type Instant, instant } from "#core/time/instant.ts";

/** Kinds of events that are stored together with their change, so that a listener can resume after a restart. */
export const STORED_KINDS = [
  "execution",
  "alert",
  "connectivity",
  "configuration",
  "device",
  "change",
  "bulk",
  "notification",
] as const;
/** Kinds that are only sent. What was missed after a restart is read: the controls of a device, its runtime and its log, and rules. */
export const LIVE_KINDS = ["control", "runtime", "log", "rule"] as const;
/** Telemetry comes as the newest value of each attribute, and nothing of it is repeated. */
export const EVENT_KINDS = [...STORED_KINDS, ...LIVE_KINDS, "telemetry"] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** In place of a device, in events about a site. */
export const NO_DEVICE = "";

export interface EventFacts {
  readonly kind: EventKind;
  readonly siteId: string;
  /** `NO_DEVICE` where the event is about its site. */
  readonly deviceId: string;
  /** Needed to know of it. */
  readonly readLevel: AccessLevel;
  readonly at: Instant;
}

/** An event whose content is known before its change is stored. */
export interface PreparedEvent extends EventFacts {
  /** JSON text of an object, as listeners get it. */
  readonly data: string;
}

/** An event that a store makes from the change itself. Its text is made when somebody listens. */
export interface ExecutionEvent extends EventFacts {
  readonly kind: "execution";
  /** As it is after the change. */
  readonly execution: Execution;
}

export const DEVICE_CHANGES = ["created", "updated", "deleted"] as const;
export type DeviceChangeKind = (typeof DEVICE_CHANGES)[number];

export interface DeviceEvent extends EventFacts {
  readonly kind: "device";
  readonly change: DeviceChangeKind;
}

export type BusbarEvent = PreparedEvent | ExecutionEvent | DeviceEvent;

export function executionEvent(execution: Execution): ExecutionEvent {
  const { siteId, deviceId, readLevel, response, createdAt } = execution;
  const at = response === undefined ? createdAt : instant(Math.floor(response.receivedAt / 1000));
  return { kind: "execution", siteId, deviceId, readLevel, at, execution };
}

export function deviceEvent(device: Pick<Device, "id" | "siteId">, change: DeviceChangeKind, at: Instant): DeviceEvent {
  return { kind: "device", siteId: device.siteId, deviceId: device.id, readLevel: "readonly", at, change };
}
