// Which events a client asks for.

export interface Chosen {
  readonly "kind.in": readonly string[] | undefined;
  readonly "site_id.in": readonly string[] | undefined;
  readonly "device_id.in": readonly string[] | undefined;
}

export const EVENT_KINDS = ["execution", "telemetry", "alert", "connectivity", "runtime", "log"] as const;

interface Choice {
  readonly kind: (typeof EVENT_KINDS)[number];
  readonly siteId: string;
  readonly deviceId: string;
}

export function chooses(chosen: Chosen, { kind, siteId, deviceId }: Choice): boolean {
  return (
    choosesKind(chosen, kind) &&
    (chosen["site_id.in"]?.includes(siteId) ?? true) &&
    (chosen["device_id.in"]?.includes(deviceId) ?? true)
  );
}

export function choosesKind(chosen: Chosen, kind: Choice["kind"]): boolean {
  return chosen["kind.in"]?.includes(kind) ?? true;
}
