// Stored executions: lists, filters, one execution, a new one, the file, and the start beside so many.
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Gateway, makeDevices, startGateway } from "../commands/gateway.ts";
import { cpuSeconds, memoryMiB } from "../commands/machine.ts";
import { fillExecutions } from "../executions/fill-executions.ts";
import { costOf } from "./cost.ts";
import { type Curve, EXAMPLE_DEVICE, type Figures, rest, round } from "./curve.ts";

const DEVICES = 40;
const DAYS = 90;
const DAY = 86_400_000;
const FLAGS = ["--mqtt-port", "0"];
/** Seconds in which a gateway shows what it does by itself. */
const SECONDS = 5;

export const executionsCurve: Curve = {
  of: "executions",
  sizes: [1_000, 10_000, 100_000, 1_000_000, 3_000_000, 10_000_000],
  to: 1_000_000,
  growth: {
    file_mib: { with: "size", noise: 2 },
    start_cpu_s: { with: "nothing", noise: 0.2 },
    idle_cpu_ms_per_s: { with: "nothing", noise: 5 },
    memory_mib: { with: "nothing", noise: 40 },
    ...Object.fromEntries(
      ["list", "count", "last_page", "filter", "rare", "day", "site_list", "site_filter", "get", "create"].map(
        (name) => [`${name}_cpu_ms`, { with: "nothing", noise: 0.3 } as const],
      ),
    ),
  },
  async measure(sizes, { folder, point, say }) {
    for (const size of sizes) {
      const data = join(folder, `data-${size}`);
      const first = await startGateway(data, FLAGS);
      const devices = await makeDevices(first, readFileSync(EXAMPLE_DEVICE, "utf8"), DEVICES);
      const { sites } = JSON.parse(await first.call("/v3/sites")) as { sites: readonly { readonly id: string }[] };
      const siteId = sites[0]?.id ?? "";
      await first.stop();
      const now = Date.now();
      const deviceIds = devices.map(({ id }) => id);
      const records = join(data, "records.db");
      fillExecutions(records, { siteId, deviceIds, count: size, days: DAYS, now, withOpen: false });
      say(`${size} executions are stored`);
      const began = performance.now();
      const gateway = await startGateway(data, FLAGS);
      const start = { start_cpu_s: cpuSeconds(gateway.pid), start_ms: Math.round(performance.now() - began) };
      try {
        const file_mib = round(statSync(records).size / 1024 / 1024);
        point(size, { file_mib, ...start, ...(await measureCalls(gateway, { siteId, deviceIds, now })) });
      } finally {
        await gateway.stop();
        rmSync(data, { recursive: true });
      }
    }
  },
};

interface Stored {
  readonly siteId: string;
  readonly deviceIds: readonly string[];
  readonly now: number;
}

async function measureCalls(gateway: Gateway, { siteId, deviceIds, now }: Stored): Promise<Figures> {
  await rest(3);
  const before = cpuSeconds(gateway.pid);
  await rest(SECONDS);
  const idle = ((cpuSeconds(gateway.pid) - before) * 1_000) / SECONDS;
  const ofDevice = `/v3/devices/${deviceIds[0]}/commands/executions`;
  const ofSite = `/v3/sites/${siteId}/commands/executions`;
  const newest = "limit=10&order=created_at_desc";
  const yesterday = new Date(now - DAY).toISOString();
  const found = JSON.parse(await gateway.call(`${ofDevice}?limit=0`)) as { total_count: number };
  const reads = {
    list: `${ofDevice}?${newest}`,
    count: `${ofDevice}?limit=0`,
    last_page: `${ofDevice}?limit=10&offset=${Math.max(0, found.total_count - 10)}`,
    filter: `${ofDevice}?${newest}&state.in=error&name.in=set_power`,
    rare: `${ofDevice}?${newest}&name.in=reboot`,
    day: `${ofDevice}?${newest}&created_at.gte=${yesterday}`,
    site_list: `${ofSite}?${newest}`,
    site_filter: `${ofSite}?${newest}&state.in=error,timeout&retention=all`,
  };
  const costs: Record<string, number> = {};
  for (const [name, path] of Object.entries(reads)) {
    costs[`${name}_cpu_ms`] = (await costOf(gateway, () => gateway.call(path))).cpuMs;
  }
  const middle = JSON.parse(await gateway.call(`${ofDevice}?limit=1&offset=${found.total_count >> 1}`)) as {
    executions: readonly { readonly id: string }[];
  };
  const get = await costOf(gateway, () => gateway.call(`${ofDevice}/${middle.executions[0]?.id}`));
  const create = await costOf(gateway, (call) =>
    gateway.call(`/v3/devices/${deviceIds[call % deviceIds.length]}/commands/executions`, { name: "reset_energy" }),
  );
  return {
    idle_cpu_ms_per_s: round(idle),
    memory_mib: memoryMiB(gateway.pid),
    ...costs,
    get_cpu_ms: get.cpuMs,
    create_cpu_ms: create.cpuMs,
    create_p50_ms: create.p50Ms,
  };
}
