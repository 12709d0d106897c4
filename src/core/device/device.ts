import type { Instant } from "#core/time/instant.ts";

export const DEVICE_TYPES = [
  "LUA",
  "STANDALONE",
  "GATEWAY",
  "CHILD",
  "NATIVE",
  "SIMULATED",
  "VIRTUAL_UCM",
  "HARDWARE_UCM",
  "EMBEDDED_UCM",
  "LINK_MASTER_UCM",
  "LINK_SLAVE_UCM",
] as const;

export type DeviceType = (typeof DEVICE_TYPES)[number];

/** The channel of a device that connects by itself. Its children have channels of their own. */
export const CHANNEL_ID = "main";

export interface Device {
  readonly id: string;
  readonly siteId: string;
  readonly name: string;
  /** Unique within the site; never looks like an id. */
  readonly slug: string;
  readonly type: DeviceType;
  readonly blueprintId: string | undefined;
  readonly parentId: string | undefined;
  /** What kind of child this is to its parent; only devices with a parent have one. */
  readonly childType: string | undefined;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type DeviceChange = Partial<Pick<Device, "name" | "slug" | "parentId" | "childType" | "blueprintId">>;

export const MQTT_PROTOCOLS = ["MQTT", "MQTTS"] as const;
export type MqttProtocol = (typeof MQTT_PROTOCOLS)[number];

/** How a device signs in. The secret itself is shown once and never stored. */
export interface DeviceCredential {
  readonly deviceId: string;
  readonly hardwareId: string;
  readonly channelId: string;
  readonly secretHash: Uint8Array;
  /** A password as Mosquitto keeps it, salted and hashed; undefined for a certificate. */
  readonly brokerPassword?: string | undefined;
  /** What its settings were generated for. */
  readonly protocol: MqttProtocol;
  readonly issuedAt: Instant;
}

/** Tells one secret of a device from another, without saying anything about either. */
export function credentialKey({ secretHash }: Pick<DeviceCredential, "secretHash">): string {
  return Array.from(secretHash.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A property as the device last sent it. */
export interface PropertyValue {
  readonly name: string;
  readonly value: unknown;
  readonly receivedAt: Instant;
}
