// Reads that ask for much: long lists, deep pages, long ranges, large answers that are not read.
import { type Abuse, flood, type World } from "../abuse.ts";
import { hostileManifest } from "../manifest.ts";

const DAY_S = 86_400;

/** Executions of a device that is away, some hundred of 10 KB each. */
async function deviceWithExecutions(world: World): Promise<string> {
  const id = await world.newDevice();
  const body = { name: "free", arguments: { text: "e".repeat(10_000) } };
  const path = `/v3/devices/${id}/commands/executions`;
  await Promise.all(Array.from({ length: 400 }, () => world.ask("user", "POST", path, body)));
  return id;
}

/** Points of one device: a value a second for so long, imported as CSV. */
export async function deviceWithPoints(world: World, seconds: number): Promise<string> {
  const id = await world.newDevice();
  const end = Math.floor(Date.now() / 1000) - DAY_S;
  const rows = Array.from({ length: seconds }, (_, n) => `${end - n},${n % 100}`);
  const path = `/v3/devices/${id}/telemetry/import`;
  for (let at = 0; at < rows.length; at += 40_000) {
    const body = `ts,telemetry=power\n${rows.slice(at, at + 40_000).join("\n")}\n`;
    const { status, text } = await world.as("owner").call("POST", path, {
      body,
      headers: { "Content-Type": "text/csv" },
    });
    if (status !== 200) throw new Error(`the import answered ${status} ${text.slice(0, 300)}`);
  }
  return id;
}

function query(device: string, days: number, granularity: string) {
  const now = Math.floor(Date.now() / 1000);
  return {
    from: now - days * DAY_S,
    to: now,
    granularity,
    aggregation: "avg",
    gap_filling: { method: "locf", look_around: "1d" },
    telemetry: [{ device, attribute: "power" }],
  };
}

const timeseries = (world: World, body: object) =>
  world.call("readonly", "POST", "/telemetry/v1/timeseries", { body, headers: { Accept: "text/csv" } });

export const READ_ABUSES: readonly Abuse[] = [
  {
    name: "lists at offsets of a thousand million",
    who: "token",
    start: async (world) => {
      const id = await deviceWithExecutions(world);
      return flood(world, 32, (turn) => {
        const lists = [`/v3/devices/${id}/commands/executions`, `/v3/sites/${world.siteId}/commands/executions`];
        return world.call("user", "GET", `${lists[turn % 2]}?limit=1000&offset=${10 ** 9 - turn}`);
      });
    },
  },
  {
    name: "lists of executions as long as they may be",
    who: "token",
    start: async (world) => {
      const id = await deviceWithExecutions(world);
      return flood(world, 16, () => world.call("user", "GET", `/v3/devices/${id}/commands/executions?limit=1000`));
    },
  },
  {
    name: "counts of the audit log with filters",
    who: "token",
    start: async (world) =>
      flood(world, 16, (turn) => world.call("owner", "GET", `/v3/audit?limit=1000&offset=${turn % 5_000}`)),
  },
  {
    name: "lists of devices with their manifests",
    who: "token",
    start: async (world) => {
      const large = hostileManifest().replace("properties:", `.note: "${"m".repeat(150_000)}"\nproperties:`);
      const blueprintId = await world.upload(large);
      for (let n = 0; n < 10; n++) await Promise.all(Array.from({ length: 20 }, () => world.newDevice(blueprintId)));
      return flood(world, 8, () => world.call("readonly", "GET", "/v3/devices?expand=manifest&limit=1000"));
    },
  },
  {
    name: "lists of devices with everything else",
    who: "token",
    start: async (world) =>
      flood(world, 16, () =>
        world.call("readonly", "GET", "/v3/devices?expand=connectivity,properties,raised_alert_names&limit=1000"),
      ),
  },
  {
    name: "current values of hundreds of devices in one call",
    who: "token",
    start: async (world) => {
      const ids = await Promise.all(Array.from({ length: 60 }, () => world.newDevice()));
      const wanted = ids.flatMap((id) => [`devices[${id}]=power,counter,text,alerts,a,b,c,d,e,f,g`]).join("&");
      return flood(world, 32, () => world.call("readonly", "GET", `/telemetry/v1/now?${wanted}`));
    },
  },
  {
    name: "time series of a year by the minute",
    who: "token",
    start: async (world) => {
      const id = await deviceWithPoints(world, 40_000);
      return flood(world, 16, () => timeseries(world, query(id, 365, "1m")));
    },
  },
  {
    name: "time series of a million rows",
    who: "token",
    start: async (world) => {
      const id = await deviceWithPoints(world, 40_000);
      return flood(world, 8, () => timeseries(world, query(id, 11, "1s")));
    },
  },
  {
    name: "small time series without end",
    who: "token",
    start: async (world) => {
      const id = await deviceWithPoints(world, 5_000);
      return flood(world, 64, () => timeseries(world, query(id, 2, "1h")));
    },
  },
  {
    name: "large answers that nobody reads",
    who: "token",
    start: async (world) => {
      const id = await deviceWithPoints(world, 40_000);
      const open: { destroy(): void }[] = [];
      const end = flood(world, 16, async () => {
        if (open.length >= 200) await new Promise((resolve) => setTimeout(resolve, 50));
        else {
          const path = "/telemetry/v1/timeseries";
          const answer = await world
            .as("readonly")
            .open("POST", path, { body: query(id, 11, "1s"), onNewConnection: true });
          answer.pause();
          open.push(answer);
          world.count(`${answer.statusCode}`);
        }
      });
      return async () => {
        await end();
        for (const answer of open) answer.destroy();
      };
    },
  },
  {
    name: "HEAD of every list",
    who: "token",
    start: async (world) => {
      const paths = ["/v3/devices?limit=1000", "/v3/sites", "/v3/blueprints", "/openapi.json", "/v3/events"];
      return flood(world, 32, (turn) => world.call("readonly", "HEAD", paths[turn % paths.length] ?? ""));
    },
  },
  {
    name: "imports without end",
    who: "token",
    start: async (world) => {
      const id = await world.newDevice();
      return flood(world, 8, (turn) => {
        const at = Math.floor(Date.now() / 1000) - turn * 20_000;
        const rows = Array.from({ length: 20_000 }, (_, n) => `${at - n},${n}`);
        const body = `ts,telemetry=power\n${rows.join("\n")}\n`;
        const headers = { "Content-Type": "text/csv" };
        return world.call("owner", "POST", `/v3/devices/${id}/telemetry/import`, { body, headers });
      });
    },
  },
  {
    name: "imports in which every line is wrong",
    who: "token",
    start: async (world) => {
      const id = await world.newDevice();
      const body = `ts,telemetry=power\n${'nonsense,"x""y"\n'.repeat(60_000)}`;
      const headers = { "Content-Type": "text/csv" };
      return flood(world, 8, () =>
        world.call("owner", "POST", `/v3/devices/${id}/telemetry/import`, { body, headers }),
      );
    },
  },
];
