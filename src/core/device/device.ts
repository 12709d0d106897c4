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
  /** Its part in the energy of the site, where a person has said so: one of `ENERGY_CHOICES`. Otherwise it is guessed. */
  readonly energyRole: string | undefined;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

interface DeviceField {
  /** The column in both databases, and the name in the interface. */
  readonly column: string;
  readonly holds: "text" | "optional text" | "name" | "type" | "time";
  /** How many characters a link lets pass, where nothing else limits it. */
  readonly longest?: number;
  /** A change may set it. */
  readonly canChange?: true;
}

/** All fields. Rows of both databases, changes and what travels over a link follow from them. */
const FIELDS = {
  id: { column: "id", holds: "text" },
  siteId: { column: "site_id", holds: "text" },
  name: { column: "name", holds: "name", canChange: true },
  slug: { column: "slug", holds: "text", canChange: true },
  type: { column: "type", holds: "type" },
  blueprintId: { column: "blueprint_id", holds: "optional text", canChange: true },
  parentId: { column: "parent_id", holds: "optional text", canChange: true },
  childType: { column: "child_type", holds: "optional text", longest: 200, canChange: true },
  energyRole: { column: "energy_role", holds: "optional text", longest: 40, canChange: true },
  createdAt: { column: "created_at", holds: "time" },
  updatedAt: { column: "updated_at", holds: "time" },
} as const satisfies Readonly<Record<keyof Device, DeviceField>>;

type Fields = typeof FIELDS;
type FieldsWith<Trait> = { [Name in keyof Fields]: Fields[Name] extends Trait ? Name : never }[keyof Fields];

export const DEVICE_FIELDS = Object.entries(FIELDS) as readonly (readonly [keyof Device, DeviceField])[];

export type DeviceChange = Partial<Pick<Device, FieldsWith<{ readonly canChange: true }>>>;

/** A device of which nothing optional is known. */
export const UNSET_FIELDS = Object.fromEntries(
  DEVICE_FIELDS.filter(([, { holds }]) => holds === "optional text").map(([name]) => [name, undefined]),
) as Readonly<Record<FieldsWith<{ readonly holds: "optional text" }>, undefined>>;

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

/** Distinguishes one secret of a device from another, without saying anything about either. */
export function credentialKey({ secretHash }: Pick<DeviceCredential, "secretHash">): string {
  return Array.from(secretHash.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A property as the device last sent it. */
export interface PropertyValue {
  readonly name: string;
  readonly value: unknown;
  readonly receivedAt: Instant;
}
