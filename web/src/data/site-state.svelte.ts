import { listAll } from "#client/list-all.ts";
import type { LiveEvent } from "#client/live-event.ts";
import type { Alert, Execution, Site } from "#client/resources.ts";
import { currentTelemetry, deviceTelemetry } from "#client/telemetry-now.ts";
import { hasEnded } from "#core/command/execution.ts";
import { perform, transport } from "./connection.ts";
import { DeviceState } from "./device-state.svelte.ts";
import type { KeptSite } from "./kept-site.ts";
import { keptManifest, manifestOf } from "./manifests.ts";
import { readValues } from "./read-values.ts";
import { session } from "./session.svelte.ts";

export type Phase = "loading" | "ready" | "failed";

type Happening = Extract<LiveEvent, { readonly device_id: string }>;

const EXPAND = ["connectivity", "raised_alert_names", "properties"] as const;

/** A site with its devices, active alerts and open executions; live events keep it true. */
export class SiteState {
  readonly id: string;
  site: Site | undefined = $state.raw();
  phase: Phase = $state("loading");
  error: unknown = $state.raw();
  devices: readonly DeviceState[] = $state.raw([]);
  alerts: readonly Alert[] = $state.raw([]);
  /** Executions that have not ended, newest first. */
  running: readonly Execution[] = $state.raw([]);
  /** Whether manifests and values of the devices were read. */
  hasValues = $state(false);
  /** Unix ms of the visit whose values are shown, until the site is read. */
  keptAt: number | undefined = $state();

  #keptFor: string | undefined;
  #byId = new Map<string, DeviceState>();
  #loading: Promise<void> | undefined;
  /** Events that came while the site was being read; they may be newer than what was read. */
  #waiting: Happening[] | undefined;

  constructor(id: string) {
    this.id = id;
  }

  device(id: string): DeviceState | undefined {
    return this.#byId.get(id) ?? this.devices.find((device) => device.resource.slug === id);
  }

  /** Shows the site as it was on an earlier visit, until it is read. */
  showKept({ session: of, at, site, devices }: KeptSite): void {
    const manifests = devices.map(({ resource }) => keptManifest(of.level, resource.blueprint_id));
    if (!manifests.every((manifest) => manifest !== undefined)) return;
    this.site = site;
    this.#setDevices(
      devices.map(({ resource }) => resource),
      { isSorted: true },
    );
    for (const [index, { resource, values }] of devices.entries()) {
      const [device, manifest] = [this.#byId.get(resource.id), manifests[index]];
      if (device === undefined || manifest === undefined) continue;
      device.setManifest(manifest);
      device.merge(values);
      device.hasValues = true;
    }
    this.keptAt = at;
    this.#keptFor = of.id;
  }

  /** What the next visit can show at once. Undefined while not everything is read. */
  keep(now: number): Pick<KeptSite, "at" | "site" | "devices"> | undefined {
    if (this.phase !== "ready" || !this.hasValues || this.site === undefined) return undefined;
    const devices = this.devices.map(({ resource, values }) => ({ resource, values: Object.fromEntries(values) }));
    return { at: now, site: this.site, devices };
  }

  /** Reads everything, for the first time or again. Several calls at once are one. */
  load(): Promise<void> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Reads the newest values of all devices again: live values are never repeated. */
  async readValues(): Promise<void> {
    const wanted = this.devices.map(({ id, manifest }) => ({
      id,
      names: [...manifest.telemetry.values()].filter(({ type }) => type !== "json").map((attribute) => attribute.id),
    }));
    const values = await readValues((devices) => currentTelemetry(transport, devices), wanted);
    for (const device of this.devices) {
      device.merge(values[device.id] ?? {});
      device.hasValues = true;
    }
    this.hasValues = true;
  }

  apply(event: Happening): void {
    if (this.#waiting !== undefined && event.kind !== "telemetry") this.#waiting.push(event);
    else this.#take(event);
  }

  async #read(): Promise<void> {
    this.#waiting = [];
    const of = { params: { site_id: this.id } };
    try {
      const [{ site }, devices, alerts, running] = await Promise.all([
        perform("getSite", of),
        collect(
          listAll("devices", (window) => perform("listSiteDevices", { ...of, query: { ...window, expand: EXPAND } })),
        ),
        collect(listAll("alerts", (window) => perform("listSiteAlerts", { ...of, query: window }))),
        perform("listSiteCommandExecutions", {
          ...of,
          query: { "state.in": ["NEW", "IN_PROGRESS"], retention: "ALL", limit: 100 },
        }),
      ]);
      // Another session may see other values and other parts of manifests.
      if (this.#keptFor !== undefined && (await session.known()).id !== this.#keptFor) this.#byId = new Map();
      this.#keptFor = undefined;
      this.keptAt = undefined;
      this.site = site;
      this.#setDevices(devices);
      this.alerts = alerts;
      this.running = running.executions;
      this.phase = "ready";
      this.error = undefined;
    } catch (error) {
      this.error = error;
      if (this.phase === "loading") this.phase = "failed";
      throw error;
    } finally {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const event of waiting) this.#take(event);
    }
    await Promise.all(this.devices.map((device) => this.#readManifest(device)));
    await this.readValues();
  }

  #setDevices(resources: readonly DeviceState["resource"][], { isSorted = false } = {}): void {
    const states = resources.map((resource) => {
      const known = this.#byId.get(resource.id);
      if (known === undefined) return new DeviceState(resource);
      if (known.resource.blueprint_id !== resource.blueprint_id) known.hasManifest = false;
      known.resource = resource;
      return known;
    });
    // Those that are kept are in order already, and the first comparison of names costs more than a frame.
    this.devices = isSorted ? states : states.sort((a, b) => a.name.localeCompare(b.name));
    this.#byId = new Map(states.map((device) => [device.id, device]));
  }

  async #readManifest(device: DeviceState): Promise<void> {
    if (!device.hasManifest) device.setManifest(await manifestOf(device.resource));
  }

  #take(event: Happening): void {
    const device = this.#byId.get(event.device_id);
    switch (event.kind) {
      case "telemetry":
        device?.merge(event.telemetry);
        break;
      case "connectivity":
        if (device !== undefined) {
          device.resource = { ...device.resource, connectivity: event.connectivity };
          device.connectivityChangedAt = Date.parse(event.at);
        }
        break;
      case "alert":
        this.alerts = withAlert(this.alerts, event.alert);
        break;
      case "execution":
        this.running = withExecution(this.running, event.execution);
        break;
      case "device":
        void this.#refresh(event).catch(() => {});
        break;
      case "bulk":
      case "configuration":
      case "control":
      case "change":
      case "runtime":
      case "log":
        break;
    }
  }

  async #refresh({ device_id: id, change }: Extract<Happening, { readonly kind: "device" }>): Promise<void> {
    const others = this.devices.filter((device) => device.id !== id).map(({ resource }) => resource);
    if (change === "deleted") {
      this.#setDevices(others);
      return;
    }
    const { device } = await perform("getDevice", { params: { device_id: id }, query: { expand: EXPAND } });
    this.#setDevices([...this.devices.filter((one) => one.id !== id).map(({ resource }) => resource), device]);
    const state = this.#byId.get(id);
    if (state === undefined) return;
    await this.#readManifest(state);
    const { telemetry } = await deviceTelemetry(transport, id);
    state.merge(telemetry);
    state.hasValues = true;
  }
}

const sameAlert = (a: Alert, b: Alert) => a.id === b.id && a.device_id === b.device_id && a.source === b.source;

export function withAlert(alerts: readonly Alert[], alert: Alert): readonly Alert[] {
  const others = alerts.filter((other) => !sameAlert(other, alert));
  if (alert.cleared_at !== undefined) return others;
  // Events do not say what maintenance windows silence.
  const silenced = alerts.find((other) => sameAlert(other, alert))?.silenced_until;
  return [silenced === undefined ? alert : { silenced_until: silenced, ...alert }, ...others];
}

export function withExecution(running: readonly Execution[], execution: Execution): readonly Execution[] {
  if (hasEnded(execution.state)) return running.filter(({ id }) => id !== execution.id);
  const isKnown = running.some(({ id }) => id === execution.id);
  return isKnown ? running.map((one) => (one.id === execution.id ? execution : one)) : [execution, ...running];
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
