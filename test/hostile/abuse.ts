// An abuse is data: a name, who does it, and a function that starts it. It runs in a process of its own until it is stopped.
import type { AccessLevel } from "#core/access/level.ts";
import type { FakeDeviceConfig } from "../support/fake-device.ts";
import { type Answer, type CallOptions, type Client, createClient } from "./client.ts";

export type Role = "gateway" | "cloud";

/** Ends the abuse and removes what would go on without its process, such as scripts. */
export type Stop = () => void | Promise<void>;

export interface Abuse {
  /** What it does, as the title of its test. */
  readonly name: string;
  readonly who: "token" | "address" | "device" | "script" | "gateway" | "cloud";
  /** Of what is abused; a gateway unless it says so. A cloud speaks HTTPS. */
  readonly role?: Role;
  /** Resolves when the abuse is under way; what it needs is made before. */
  start(world: World): Promise<Stop>;
}

/** Plain data about the abuser's own site, the only thing of the server that it may reach. */
export interface HostileSite {
  readonly url: string;
  readonly port: number;
  readonly mqttPort: number;
  readonly mqttTlsPort: number;
  /** Address that the abuse comes from. */
  readonly address: string;
  readonly siteId: string;
  /** Of `manifest.ts`. */
  readonly blueprintId: string;
  /** All are for the abuser's site, except `system`, the admin token: it may do everything, and has a share like others. */
  readonly tokens: Readonly<Record<"readonly" | "user" | "owner" | "installer" | "vendor" | "system", string>>;
  /** A server that accepts connections and never answers; scripts and webhooks may reach it. */
  readonly silentUrl: string;
}

type Level = Extract<AccessLevel, keyof HostileSite["tokens"]>;

/** What an abuse works with. Every answer is counted by its status. */
export interface World extends HostileSite {
  /** Calls with the token of that level, or without one. */
  call(level: Level | "nobody", method: string, path: string, options?: CallOptions): Promise<Answer>;
  ask<Body>(level: Level, method: string, path: string, body?: unknown): Promise<Body>;
  as(level: Level | "nobody"): Client;
  /** A device of this blueprint, or of the common one. */
  newDevice(blueprintId?: string): Promise<string>;
  configOf(deviceId: string): Promise<FakeDeviceConfig>;
  upload(bytes: string | Uint8Array): Promise<string>;
  /** Counts what was done, so that an abuse that does nothing is noticed. */
  count(what: string): void;
  readonly counts: ReadonlyMap<string, number>;
  /** Closes the connections of all calls. */
  close(): void;
}

const SOCKETS = 256;

export function createWorld(site: HostileSite): World {
  const counts = new Map<string, number>();
  const clients = new Map<string, Client>();
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const as = (level: Level | "nobody"): Client => {
    const { url, address, tokens } = site;
    const known = clients.get(level);
    if (known !== undefined) return known;
    const token = level === "nobody" ? {} : { token: tokens[level] };
    const client = createClient({ url, address, maxSockets: SOCKETS, ...token });
    clients.set(level, client);
    return client;
  };
  const ask = <Body>(level: Level, method: string, path: string, body?: unknown) =>
    as(level).ask<Body>(method, path, body);
  return {
    ...site,
    as,
    ask,
    count,
    counts,
    close() {
      for (const client of clients.values()) client.close();
    },
    async call(level, method, path, options) {
      count("calls");
      const answer = await as(level).call(method, path, options);
      count(`${answer.status}`);
      return answer;
    },
    async newDevice(blueprintId = site.blueprintId) {
      const body = { name: "Hostile", site_id: site.siteId, blueprint_id: blueprintId };
      return (await ask<{ device_id: string }>("owner", "POST", "/v3/provisioning/standalone", body)).device_id;
    },
    async configOf(deviceId) {
      const path = `/v3/devices/${deviceId}/generate_config`;
      return (await ask<{ config: FakeDeviceConfig }>("owner", "POST", path, { protocol: "MQTT" })).config;
    },
    upload: async (bytes) =>
      (await ask<{ blueprint: { id: string } }>("owner", "POST", "/v3/blueprints/upload", bytes)).blueprint.id,
  };
}

/** Does the same again and again, so many at once, until it is stopped. What fails is counted and tried again. */
export function flood(world: World, atOnce: number, act: (turn: number) => Promise<unknown>): Stop {
  let isStopped = false;
  let turn = 0;
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
  const loop = async () => {
    while (!isStopped) {
      turn += 1;
      await act(turn).catch((error: Error & { code?: string }) => {
        world.count(error.code ?? error.message.slice(0, 40));
        return pause();
      });
    }
  };
  for (let n = 0; n < atOnce; n++) void loop();
  return () => {
    isStopped = true;
  };
}
