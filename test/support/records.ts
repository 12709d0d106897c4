// Records to store in tests. Ids rise with every call, as those of the program do, so the order of making is the order of ids.
import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Session } from "#core/access/session.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import { type DeviceCredential, type PropertyValue, UNSET_FIELDS } from "#core/device/device.ts";
import type { Site } from "#core/site/site.ts";
import { instant } from "#core/time/instant.ts";
import type { NewDevice } from "#service/ports/device-store.ts";

/** Names that every plain object already has. */
export const OBJECT_PROPERTY_NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "prototype"] as const;

/** Texts that a careless store changes. */
export const UNUSUAL = [
  "Größe",
  "电池 1",
  "🔋🏭",
  "e\u0301 is not \u00e9",
  " padded ",
  'it\'s "quoted" \\ % _ ; --',
  "line\nbreak",
] as const;

export const NOON = instant(Date.UTC(2026, 10, 14, 12));

let lastId = 0x1000;

export function newId(): string {
  return `00000000-0000-7000-8000-${(++lastId).toString(16).padStart(12, "0")}`;
}

export function makeSite(fields: Partial<Site> = {}): Site {
  return { id: newId(), name: "North field", timezone: "Europe/Berlin", createdAt: NOON, updatedAt: NOON, ...fields };
}

export function makeDevice(siteId: string, fields: Partial<NewDevice> = {}): NewDevice {
  return {
    ...UNSET_FIELDS,
    id: newId(),
    siteId,
    name: "Roof inverter",
    slug: undefined,
    type: "STANDALONE",
    createdAt: NOON,
    updatedAt: NOON,
    ...fields,
  };
}

export function makeBlueprint(fields: Partial<StoredBlueprint> = {}): Omit<StoredBlueprint, "version"> {
  const id = newId();
  return { id, displayName: "Battery", digest: `digest of ${id}`, size: 3, implements: [], createdAt: NOON, ...fields };
}

export function makeToken(fields: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id: newId(),
    name: "dashboard",
    level: "user",
    sites: "all",
    hash: new Uint8Array(32).fill(7),
    createdAt: NOON,
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedAt: undefined,
    ...fields,
  };
}

export function makeSession(fields: Partial<Session> = {}): Session {
  return {
    id: newId(),
    tokenId: newId(),
    tokenHash: new Uint8Array(32).fill(7),
    hash: new Uint8Array(32).fill(8),
    previousHash: undefined,
    renewedAt: NOON,
    createdAt: NOON,
    expiresAt: instant(NOON + 30 * 86_400_000),
    lastUsedAt: NOON,
    remoteAddress: "127.0.0.1",
    userAgent: "a browser",
    providerSession: undefined,
    ...fields,
  };
}

export function makeCredential(deviceId: string, fields: Partial<DeviceCredential> = {}): DeviceCredential {
  return {
    deviceId,
    hardwareId: `V${newId()}`,
    channelId: "main",
    secretHash: new Uint8Array(32).fill(9),
    protocol: "MQTT",
    issuedAt: NOON,
    ...fields,
  };
}

export function makeEntry(fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: newId(),
    at: NOON,
    actor: { tokenId: "token-1", name: "operator" },
    action: "test.write",
    target: {},
    outcome: "OK",
    code: undefined,
    requestId: "request-1",
    remoteAddress: "127.0.0.1",
    details: {},
    count: 1,
    lastAt: fields.at ?? NOON,
    ...fields,
  };
}

/** `property("firmware", "1.2", 5)` arrived five milliseconds after noon. */
export function property(name: string, value: unknown, afterNoon = 0): PropertyValue {
  return { name, value, receivedAt: instant(NOON + afterNoon) };
}
