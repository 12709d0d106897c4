// Devices of a person that take web push: browsers and installed pages. What they gave us to reach them is kept as one sealed
// secret of the channel; the channel itself says only which devices there are.
import type { Instant } from "#core/time/instant.ts";
import type { MessageContent } from "./message.ts";

/** As the channel shows it. */
export interface PushDeviceName {
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Host of the push service. */
  readonly service: string;
  readonly createdAt: Instant;
}

/** What a browser gave. Whoever knows the endpoint can send something there. */
export interface PushSubscription {
  readonly endpoint: string;
  /** Uncompressed point of P-256, base64url. */
  readonly p256dh: string;
  /** 16 bytes, base64url. */
  readonly auth: string;
}

/** By id of the device. */
export type PushSubscriptions = ReadonlyMap<string, PushSubscription>;

/** Of a person on a site. */
export const MOST_PUSH_DEVICES = 10;
export const LONGEST_ENDPOINT = 1_000;
export const LONGEST_DEVICE_NAME = 100;

export const renderSubscriptions = (subscriptions: PushSubscriptions): string =>
  JSON.stringify(Object.fromEntries(subscriptions));

/** Of what this program has sealed itself. */
export const parseSubscriptions = (text: string): PushSubscriptions =>
  new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, PushSubscription>>));

/** The screen of the page that a message is about. */
export function screenOf({ kind, items }: Pick<MessageContent, "kind" | "items">, siteId: string): string {
  const site = `/sites/${encodeURIComponent(siteId)}`;
  if (kind === "rule") return `${site}/notifications`;
  const [only, ...others] = items;
  if (only?.deviceId === undefined || only.alertId === undefined || others.length > 0) return `${site}/alerts`;
  const query = `alert=${encodeURIComponent(only.alertId)}&alert_device=${encodeURIComponent(only.deviceId)}`;
  return `${site}/alerts?${query}${kind === "over" ? "&active=false" : ""}`;
}
