// The gateway that all neighbours share: the real program, with a site for the honest one and a site for the abuser.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { FakeDeviceConfig } from "../support/fake-device.ts";
import { type RunningBusbar, startBusbar } from "../support/start-busbar.ts";
import type { HostileSite, Role } from "./abuse.ts";
import { type Client, createClient } from "./client.ts";
import { type HonestNeighbour, openHonestNeighbour } from "./honest-neighbour.ts";
import { hostileManifest } from "./manifest.ts";

const HONEST_ADDRESS = "127.0.0.1";
const HOSTILE_ADDRESS = "127.0.0.66";

export interface Gateway {
  readonly busbar: RunningBusbar;
  readonly honest: HonestNeighbour;
  readonly hostile: HostileSite;
  /** Ends the program with SIGKILL and starts it again on the same data; gives the milliseconds until it was ready. */
  restart(): Promise<number>;
  close(): Promise<void>;
}

/** By role: a cloud speaks HTTPS. */
const FLAGS: Readonly<Record<Role, readonly string[]>> = {
  gateway: [],
  cloud: ["--role", "cloud", "--http-tls", "site"],
};

export async function startGateway(folder: string, role: Role = "gateway"): Promise<Gateway> {
  const silent = await startSilentServer();
  const silentPort = (silent.address() as AddressInfo).port;
  const start = (ports: readonly number[]) =>
    startBusbar(
      folder,
      ...["--port", `${ports[0] ?? 0}`, "--mqtt-port", `${ports[1] ?? 0}`, "--mqtt-tls-port", `${ports[2] ?? 0}`],
      ...FLAGS[role],
      ...["--webhooks-allow-private", "--link-allow-local", "--lua-allow", `127.0.0.1:${silentPort}`],
    );
  let busbar = await start([]);
  const token = readFileSync(join(folder, ".busbar", "admin.token"), "utf8").trim();
  const admin = createClient({ url: busbar.url, token, address: HONEST_ADDRESS });
  const honest = await openHonestNeighbour(admin, {
    url: busbar.url,
    address: HONEST_ADDRESS,
    busbar: () => busbar,
  });
  const port = Number(new URL(busbar.url).port);
  const hostile = await makeHostileSite(admin, token, {
    url: busbar.url,
    port,
    mqttPort: honest.mqttPort,
    address: HOSTILE_ADDRESS,
    silentUrl: `http://127.0.0.1:${silentPort}`,
  });
  return {
    get busbar() {
      return busbar;
    },
    honest,
    hostile,
    async restart() {
      await busbar.stop("SIGKILL");
      const began = performance.now();
      busbar = await start([port, honest.mqttPort, hostile.mqttTlsPort]);
      return performance.now() - began;
    },
    async close() {
      honest.close();
      admin.close();
      silent.closeAllConnections();
      silent.close();
      await busbar.stop("SIGKILL");
    },
  };
}

async function makeHostileSite(
  admin: Client,
  adminToken: string,
  place: Omit<HostileSite, "siteId" | "blueprintId" | "tokens" | "mqttTlsPort">,
): Promise<HostileSite> {
  const { site } = await admin.ask<{ site: { id: string } }>("POST", "/v3/sites", { name: "Hostile" });
  const { blueprint } = await admin.ask<{ blueprint: { id: string } }>(
    "POST",
    "/v3/blueprints/upload",
    hostileManifest(),
  );
  const token = async (level: string) =>
    (await admin.ask<{ token: string }>("POST", "/v3/tokens", { name: level, level, site_ids: [site.id] })).token;
  const { device_id: id } = await admin.ask<{ device_id: string }>("POST", "/v3/provisioning/standalone", {
    name: "Over TLS",
    site_id: site.id,
    blueprint_id: blueprint.id,
  });
  const path = `/v3/devices/${id}/generate_config`;
  const { config } = await admin.ask<{ config: FakeDeviceConfig }>("POST", path, { protocol: "MQTTS" });
  return {
    ...place,
    mqttTlsPort: config.mqtt_port,
    siteId: site.id,
    blueprintId: blueprint.id,
    tokens: {
      readonly: await token("readonly"),
      user: await token("user"),
      owner: await token("owner"),
      installer: await token("installer"),
      vendor: await token("vendor"),
      system: adminToken,
    },
  };
}

async function startSilentServer(): Promise<Server> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
