// A running server with a site of its own, and devices on it that are made in one line.
import { beforeAll, expect } from "vitest";
import { commandsOf, connected } from "./command-site.ts";
import type { FakeDevice, FakeDeviceConfig, FakeDeviceOptions } from "./fake-device.ts";
import { createMovableClocks } from "./movable-clocks.ts";
import { patiently } from "./patiently.ts";
import { type Session, type TestServer, useServer } from "./server.ts";

export interface SiteDevice extends ReturnType<typeof commandsOf> {
  readonly id: string;
  readonly path: string;
  config(protocol?: "MQTT" | "MQTTS"): Promise<FakeDeviceConfig>;
  /** Signs in over MQTT until the check ends. */
  connect(options?: FakeDeviceOptions): Promise<FakeDevice>;
  /** The calls about its executions, by another caller. */
  as(session: Session): ReturnType<typeof commandsOf>;
  /** The device with expanded fields. */
  read(expand?: string): Promise<Readonly<Record<string, unknown>>>;
  /** Messages of its log, oldest first. */
  logs(): Promise<readonly string[]>;
  /** `power=1.5 note=x`: the current values by the names as asked. */
  now(attributes: string): Promise<Readonly<Record<string, { readonly value: unknown; readonly timestamp: number }>>>;
}

export interface Site {
  readonly busbar: TestServer;
  readonly siteId: string;
  /** Moves all clocks of the server forward. */
  advance(ms: number): void;
  /** While the work is done, the wall clock of the server stands still. */
  standStill(work: () => Promise<unknown>): Promise<void>;
  /** The time by the clock of the server. */
  now(): number;
  newSite(name?: string): Promise<string>;
  /** Uploads a manifest or a package and gives its id. */
  blueprint(manifest: string | Uint8Array): Promise<string>;
  /** A new device of the site with this manifest, or without any. */
  device(manifest?: string, fields?: object): Promise<SiteDevice>;
  /** The calls about a device that is there. */
  deviceAt(id: string): SiteDevice;
  /** A session with a new token of this level. */
  user(level: string, more?: object): Promise<Session>;
}

/** One server for all checks of the file. */
export function useSite(flags: readonly string[] = [], options: Parameters<typeof useServer>[1] = {}): Site {
  const clocks = createMovableClocks();
  const busbar = useServer(["--mqtt-port", "0", ...flags], { clocks, ...options });
  const blueprints = new Map<string, Promise<string>>();
  let siteId = "";
  let count = 0;
  const newSite = async (name = "Elsewhere") =>
    (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name })).body.site.id;
  beforeAll(async () => {
    siteId = await newSite("Checks");
  });

  const upload = async (bytes: string | Uint8Array) => {
    const path = "/v3/blueprints/upload";
    const answer = await patiently(() => busbar.admin.call<{ blueprint: { id: string } }>("POST", path, { bytes }));
    expect(answer.status, answer.text).toBe(200);
    return answer.body.blueprint.id;
  };
  const blueprint = (manifest: string | Uint8Array) => {
    if (typeof manifest !== "string") return upload(manifest);
    const id = blueprints.get(manifest) ?? upload(manifest);
    blueprints.set(manifest, id);
    return id;
  };

  function deviceAt(id: string): SiteDevice {
    const path = `/v3/devices/${id}`;
    const config = async (protocol = "MQTT") =>
      (await busbar.admin.post<{ config: FakeDeviceConfig }>(`${path}/generate_config`, { protocol })).body.config;
    return {
      ...commandsOf(busbar.admin, id),
      id,
      path,
      config,
      connect: async (more) => await connected(await config(), more),
      as: (session) => commandsOf(session, id),
      read: async (expand = "") =>
        (await busbar.admin.get<{ device: Record<string, unknown> }>(`${path}?expand=${expand}`)).body.device,
      logs: async () =>
        (await busbar.admin.get<{ logs: { message: string }[] }>(`${path}/logs`)).body.logs.map(
          ({ message }) => message,
        ),
      now: async (attributes) => {
        const { body } = await busbar.admin.get<{ devices: Record<string, Awaited<ReturnType<SiteDevice["now"]>>> }>(
          `/telemetry/v1/now?devices[${id}]=${attributes}`,
        );
        return body.devices[id] ?? {};
      },
    };
  }

  return {
    busbar,
    get siteId() {
      return siteId;
    },
    advance: (ms) => clocks.advance(ms),
    standStill: (work) => clocks.standStill(work),
    now: () => clocks.now(),
    newSite,
    blueprint,
    deviceAt,
    async device(manifest, fields = {}) {
      count += 1;
      const blueprintId = manifest === undefined ? {} : { blueprint_id: await blueprint(manifest) };
      const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
        name: `Device ${count}`,
        site_id: siteId,
        ...blueprintId,
        ...fields,
      });
      expect(made.status, made.text).toBe(200);
      return deviceAt(made.body.device_id);
    },
    async user(level, more = {}) {
      return busbar.as(await busbar.token({ level, ...more }));
    },
  };
}
