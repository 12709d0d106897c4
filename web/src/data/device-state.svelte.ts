import type { LiveEvent } from "#client/live-event.ts";
import type { Device, Snapshot } from "#client/resources.ts";
import { type Manifest, readManifest } from "./manifest.ts";

export type Values = ReadonlyMap<string, Snapshot>;
export type Connectivity = "ONLINE" | "OFFLINE" | "UNKNOWN";
type Telemetry = Extract<LiveEvent, { readonly kind: "telemetry" }>["telemetry"];

const EMPTY = readManifest({});

/** A device as the page knows it now: each signal changes on its own, so a new value redraws only what shows it. */
export class DeviceState {
  readonly id: string;
  resource: Device = $state.raw() as Device;
  manifest: Manifest = $state.raw(EMPTY);
  /** Whether the manifest above is the device's, or not read yet. */
  hasManifest = $state(false);
  values: Values = $state.raw(new Map());
  /** Whether the values were read once: before, a missing value means "not read yet", afterwards "never seen". */
  hasValues = $state(false);
  /** Unix ms of the newest value; undefined while there is none. */
  readonly lastSeen: number | undefined = $derived(newest(this.values));
  /** Unix ms of the last change of the connection, if it happened while the page was open. */
  connectivityChangedAt: number | undefined = $state();

  constructor(resource: Device) {
    this.id = resource.id;
    this.resource = resource;
  }

  get name(): string {
    return this.resource.name;
  }

  get connectivity(): Connectivity {
    return this.resource.connectivity?.status ?? "UNKNOWN";
  }

  setManifest(manifest: Manifest): void {
    this.manifest = manifest;
    this.hasManifest = true;
  }

  /** Takes over what is newer than what is known. */
  merge(telemetry: Telemetry): void {
    let values: Map<string, Snapshot> | undefined;
    for (const [name, snapshot] of Object.entries(telemetry)) {
      const known = this.values.get(name);
      if (known !== undefined && known.timestamp > snapshot.timestamp) continue;
      values ??= new Map(this.values);
      values.set(name, snapshot);
    }
    if (values !== undefined) this.values = values;
  }
}

function newest(values: Values): number | undefined {
  let latest: number | undefined;
  for (const { timestamp } of values.values()) latest = Math.max(latest ?? 0, timestamp * 1000);
  return latest;
}
