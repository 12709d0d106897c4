// Which events a client asks for.

export interface Chosen {
  readonly "kind.in": readonly string[] | undefined;
  readonly "site_id.in": readonly string[] | undefined;
  readonly "device_id.in": readonly string[] | undefined;
}

export const EVENT_KINDS = ["execution", "telemetry", "alert", "connectivity", "runtime", "log"] as const;

export interface EventChoice {
  choosesKind(kind: (typeof EVENT_KINDS)[number]): boolean;
  choosesPlace(siteId: string, deviceId: string): boolean;
}

/** Checked for every event and stream, so long lists become sets. */
export function parseChoice(chosen: Chosen): EventChoice {
  const kinds = setOf(chosen["kind.in"]);
  const sites = setOf(chosen["site_id.in"]);
  const devices = setOf(chosen["device_id.in"]);
  return {
    choosesKind: (kind) => kinds?.has(kind) ?? true,
    choosesPlace: (siteId, deviceId) => (sites?.has(siteId) ?? true) && (devices?.has(deviceId) ?? true),
  };
}

function setOf(names: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return names === undefined ? undefined : new Set(names);
}
