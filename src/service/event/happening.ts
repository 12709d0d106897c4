// What can happen, with everything that its text needs.

import type { AccessLevel } from "#core/access/level.ts";
import type { AlertChangeKind } from "#core/alert/alert-state.ts";
import type { BulkCommand, BulkMember } from "#core/bulk/bulk-command.ts";
import type { Execution } from "#core/command/execution.ts";
import {
  type BusbarEvent,
  type DeviceChangeKind,
  type EventFacts,
  executionEvent,
  type PreparedEvent,
} from "#core/event/event.ts";
import type { GatewayChange } from "#core/link/asked-change.ts";
import type { Notification } from "#core/notification/notification.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { DescribedAlert } from "#service/alert/describe-alert.ts";
import type { RenderedControl } from "#service/control/control-wire.ts";
import type { HostedStatus } from "#service/ports/device-host.ts";
import type { DeviceLogEntry } from "#service/ports/device-log-store.ts";
import type { RenderedRuleNews } from "#service/rule/rule-news-wire.ts";

export type ConnectivityStatus = "ONLINE" | "OFFLINE" | "UNKNOWN";

interface Place {
  readonly siteId: string;
  readonly deviceId: string;
}

export type Happening = Place &
  (
    | { readonly kind: "execution"; readonly execution: Execution }
    | { readonly kind: "connectivity"; readonly status: ConnectivityStatus; readonly at: Instant }
    | {
        readonly kind: "alert";
        readonly change: AlertChangeKind | "acknowledged" | "unacknowledged";
        readonly at: Instant;
        /** The state after the change. */
        readonly alert: DescribedAlert;
      }
    | { readonly kind: "device"; readonly change: DeviceChangeKind; readonly at: Instant }
    /** The values of a bucket were replaced. */
    | {
        readonly kind: "configuration";
        readonly bucket: string;
        readonly readLevel: AccessLevel;
        readonly at: Instant;
      }
    /** A change that the gateway of the device was asked for is settled. */
    | { readonly kind: "change"; readonly change: GatewayChange; readonly at: Instant }
    /** A device of a bulk command has begun or is done, or all of them are. */
    | { readonly kind: "bulk"; readonly bulk: BulkCommand; readonly member: BulkMember; readonly at: Instant }
    | { readonly kind: "log"; readonly entry: DeviceLogEntry }
    /** A device that runs in this process changed its state, or failed at something. */
    | { readonly kind: "runtime"; readonly status: HostedStatus; readonly at: Instant }
    | { readonly kind: "notification"; readonly notification: Notification }
    /** What a rule does, or how it is, has changed. */
    | { readonly kind: "rule"; readonly rule: RenderedRuleNews; readonly at: Instant }
    /** Who controls a quantity, or whether the device follows, is different. */
    | { readonly kind: "control"; readonly control: RenderedControl; readonly at: Instant }
  );

/** A line of a device's log. It is only sent, and its text is made when somebody listens. */
export interface LogEvent extends EventFacts {
  readonly kind: "log";
  readonly entry: DeviceLogEntry;
}

/** A change of a control. It is only sent, and its text is made when somebody listens. */
interface ControlEvent extends EventFacts {
  readonly kind: "control";
  readonly control: RenderedControl;
  /** Needed to see the measured value. Undefined: nobody sees it. */
  readonly measuredLevel: AccessLevel | undefined;
}

/** What listeners can get. */
export type PublishedEvent = BusbarEvent | LogEvent | ControlEvent;

export function logEvent(place: Place, entry: DeviceLogEntry): LogEvent {
  const at = instant(Math.floor(entry.receivedAt / 1000));
  return { ...place, kind: "log", readLevel: "readonly", at, entry };
}

/** Makes the content of an event, as an object for JSON. */
export type RenderHappening = (happening: Happening) => object;

export type PrepareEvent = (happening: Happening) => PreparedEvent;

export function createPrepareEvent(render: RenderHappening): PrepareEvent {
  return (happening) => ({ ...factsOf(happening), data: JSON.stringify(render(happening)) });
}

function factsOf(happening: Happening): EventFacts {
  const { kind, siteId, deviceId } = happening;
  const facts = (readLevel: AccessLevel, at: Instant) => ({ kind, siteId, deviceId, readLevel, at });
  switch (happening.kind) {
    case "execution": {
      const { readLevel, at } = executionEvent(happening.execution);
      return facts(readLevel, at);
    }
    case "alert":
      return facts(happening.alert.record.readLevel, happening.at);
    case "configuration":
      return facts(happening.readLevel, happening.at);
    case "log":
      return facts("readonly", logEvent(happening, happening.entry).at);
    case "bulk":
      return facts("user", happening.at);
    case "notification":
      return facts("readonly", happening.notification.at);
    case "connectivity":
    case "device":
    case "change":
    case "runtime":
    case "control":
    case "rule":
      return facts("readonly", happening.at);
  }
}
