// All hosts as one: each device is run by the host for its type; other devices are not run.
//
// Invariant: a waiting device is run by nobody, and every request that names it ends its waiting. So its turn never
// replaces an instance that was started meanwhile, and never revives one that was stopped.
import type { Device } from "#core/device/device.ts";
import type { Instant } from "#core/time/instant.ts";
import type { DeviceHost, HostedStatus } from "#service/ports/device-host.ts";

export interface HostRouter extends DeviceHost {
  add(host: DeviceHost): void;
  /** From now on only devices for which this is true are started here: other nodes run the rest. */
  limit(isOwn: (deviceId: string) => boolean): void;
  /** The devices that were started here and not stopped. */
  started(): readonly string[];
  /** Takes over what another node changed: the blueprint of a device that runs here, or a new device. */
  changed(device: Device): Promise<void>;
  /**
   * Starts these devices, none of which runs, one after another and with room for other work in between. Until its turn
   * each counts as STARTING. Resolves when all are handed over; after the signal no more are. Rejects at the end when
   * some of them could not be started.
   */
  startAll(devices: readonly Device[], signal: AbortSignal): Promise<void>;
  /** Starts a waiting device before its turn. If it is being started, waits for that. */
  startNow(deviceId: string): Promise<void>;
  /** How many devices wait for their turn. */
  waiting(): number;
}

interface Waiting {
  readonly device: Device;
  readonly since: Instant;
}

export function createHostRouter(needs: { readonly now: () => Instant }): HostRouter {
  const hosts: DeviceHost[] = [];
  const waiting = new Map<string, Waiting>();
  /** The device whose turn it is. */
  let isOwn = (_deviceId: string) => true;
  /** The blueprints of the devices that were started here. */
  const blueprints = new Map<string, string | undefined>();
  let current: { readonly deviceId: string; readonly started: Promise<void> } | undefined;

  async function start(device: Device): Promise<void> {
    waiting.delete(device.id);
    if (!isOwn(device.id)) return;
    const host = hosts.find((one) => one.hosts(device.type));
    if (host === undefined) return;
    blueprints.set(device.id, device.blueprintId);
    await host.start(device);
  }

  return {
    add: (host) => {
      hosts.push(host);
    },
    limit: (own) => {
      isOwn = own;
    },
    started: () => [...blueprints.keys()],
    async changed(device) {
      const isKnown = blueprints.has(device.id) && blueprints.get(device.id) === device.blueprintId;
      if (!isKnown) await start(device);
    },
    hosts: (type) => hosts.some((host) => host.hosts(type)),
    start,
    async startAll(devices, signal) {
      const since = needs.now();
      for (const device of devices) waiting.set(device.id, { device, since });
      const failures: unknown[] = [];
      for (const { device } of [...waiting.values()]) {
        if (signal.aborted) break;
        if (!waiting.has(device.id)) continue;
        const started = start(device).catch((error: unknown) => void failures.push(error));
        current = { deviceId: device.id, started };
        await started;
        await new Promise((resolve) => setImmediate(resolve));
      }
      current = undefined;
      waiting.clear();
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} devices could not be started`);
    },
    async startNow(deviceId) {
      const one = waiting.get(deviceId);
      if (one !== undefined) await start(one.device);
      else if (current?.deviceId === deviceId) await current.started;
    },
    waiting: () => waiting.size,
    async stop(deviceId) {
      waiting.delete(deviceId);
      blueprints.delete(deviceId);
      for (const host of hosts) await host.stop(deviceId);
    },
    async restart(deviceId) {
      const one = waiting.get(deviceId);
      if (one !== undefined) await start(one.device);
      else for (const host of hosts) await host.restart(deviceId);
    },
    overruns: () => hosts.reduce((sum, host) => sum + host.overruns(), 0),
    states: () => [...Array.from(waiting, () => "STARTING" as const), ...hosts.flatMap((host) => host.states())],
    status(deviceId) {
      const one = waiting.get(deviceId);
      if (one !== undefined) return beforeItsTurn(one);
      return hosts.map((host) => host.status(deviceId)).find((status) => status !== undefined);
    },
  };
}

function beforeItsTurn({ since }: Waiting): HostedStatus {
  const nothing = { lastError: undefined, restartAt: undefined, memoryBytes: undefined, overrun: undefined };
  return { state: "STARTING", since, startCount: 0, ...nothing };
}
