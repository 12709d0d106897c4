// What an owner makes without end: tokens, devices, simulations, webhooks.
import { type Abuse, flood, type World } from "../abuse.ts";
import { connectDevice } from "./mqtt-device.ts";

async function newSimulated(world: World): Promise<string> {
  const body = { name: "Busy", site_id: world.siteId, blueprint_id: world.blueprintId };
  return (await world.ask<{ device_id: string }>("owner", "POST", "/v3/provisioning/simulated_device", body)).device_id;
}

export const OWNER_ABUSES: readonly Abuse[] = [
  {
    name: "tokens that are made and revoked",
    who: "token",
    start: async (world) =>
      flood(world, 16, async (turn) => {
        const body = { name: `t${turn}`, level: "readonly", site_ids: [world.siteId] };
        const made = await world.call("owner", "POST", "/v3/tokens", { body });
        const { id } = JSON.parse(made.text) as { id?: string };
        if (id !== undefined) await world.call("owner", "DELETE", `/v3/tokens/${id}`);
      }),
  },
  {
    name: "devices that are made and deleted",
    who: "token",
    start: async (world) =>
      flood(world, 16, async () => {
        const id = await world.newDevice();
        await world.call("owner", "DELETE", `/v3/devices/${id}`);
      }),
  },
  {
    name: "80 simulated devices at their fastest",
    who: "token",
    start: async (world) => {
      const ids = await Promise.all(Array.from({ length: 80 }, () => newSimulated(world)));
      for (const id of ids) {
        const body = { interval: "100ms", speed: 3_600, telemetry: { text: "t".repeat(1_000) } };
        await world.call("owner", "PATCH", `/v3/devices/${id}/simulation`, { body });
      }
      return async () => {
        await Promise.all(ids.map((id) => world.call("owner", "DELETE", `/v3/devices/${id}`)));
      };
    },
  },
  {
    name: "webhooks to a receiver that never answers, fed by alerts",
    who: "token",
    start: async (world) => {
      const body = {
        url: `${world.silentUrl}/hook`,
        site_ids: [world.siteId],
        kinds: ["alert", "execution", "connectivity"],
      };
      const made = await Promise.all(
        Array.from({ length: 64 }, () => world.call("owner", "POST", "/v3/webhooks", { body })),
      );
      const device = await connectDevice(world, await world.configOf(await world.newDevice()));
      const end = flood(world, 1, async (turn) => {
        const alerts = turn % 2 === 0 ? '"a","b","c"' : "";
        await device.publish("v1/telemetry", `{"timestamp":${Date.now() / 1000},"alerts":[${alerts}]}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      });
      return async () => {
        await end();
        for (const { text } of made) {
          const { webhook } = JSON.parse(text) as { webhook?: { id: string } };
          if (webhook !== undefined) await world.call("owner", "DELETE", `/v3/webhooks/${webhook.id}`);
        }
      };
    },
  },
  {
    name: "names and slugs that change with every call",
    who: "token",
    start: async (world) => {
      const id = await world.newDevice();
      return flood(world, 16, (turn) =>
        world.call("owner", "PATCH", `/v3/devices/${id}`, { body: { name: `${turn}`.padEnd(200, "n") } }),
      );
    },
  },
];
