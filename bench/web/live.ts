// The overview of a site with 200 simulated devices at 1 Hz: how busy the page's main thread is (goal: under 15 %), and
// whether its memory grows: what scripts use after a collection, twelve times. BENCH_SECONDS sets the length, 120 by default;
// an hour is BENCH_SECONDS=3600. Beside it, the same page of a site without devices.
import { readFileSync } from "node:fs";
import type { Browser, CDPSession } from "playwright-core";
import { type Gateway, startGateway } from "../commands/gateway.ts";
import { openContext, pause, rounded, signIn } from "./browser.ts";

const DEVICES = Number(process.env["BENCH_DEVICES"] ?? 200);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 120);
const SETTLE_MS = 15_000;
const AT_ONCE = 50;
/** The heap is looked at this many times. */
const LOOKS = 12;
const MANIFEST = readFileSync(new URL("../../examples/blueprints/pv-inverter/manifest.yml", import.meta.url), "utf8");

export async function measureLive(folder: string, browser: Browser): Promise<object> {
  const gateway = await startGateway(folder, ["--http-page"]);
  try {
    const [empty, full] = [await newSite(gateway, "Empty"), await newSite(gateway, "Full")];
    await makeDevices(gateway, full);
    const context = await openContext(browser);
    const page = await signIn(context, gateway);
    const tools = await context.newCDPSession(page);
    await tools.send("Performance.enable");
    await page.goto(`${gateway.url}/sites/${empty}`);
    await pause(SETTLE_MS);
    const idle = await busyShare(tools, 10);
    await page.goto(`${gateway.url}/sites/${full}`);
    await pause(SETTLE_MS);
    const heaps = [await heap(tools)];
    const shares: number[] = [];
    while (shares.length < LOOKS) {
      shares.push(await busyShare(tools, SECONDS / LOOKS));
      heaps.push(await heap(tools));
    }
    const busy = shares.reduce((sum, share) => sum + share, 0) / LOOKS;
    const [before = 0, after = 0] = [heaps[0], heaps.at(-1)];
    await page.goto(`${gateway.url}/sites/${full}/devices`);
    await pause(SETTLE_MS);
    const table = await busyShare(tools, Math.min(SECONDS, 30));
    return {
      devices: DEVICES,
      seconds: SECONDS,
      idle_busy_share: rounded(idle, 3),
      busy_share: rounded(busy, 3),
      busy_share_of_table: rounded(table, 3),
      heap_mb: { each: heaps.map((one) => rounded(one)), grown: rounded(after - before) },
      goals: { busy: busy < 0.15, memory: after - before < 5 },
    };
  } finally {
    await gateway.stop();
  }
}

async function newSite({ call }: Gateway, name: string): Promise<string> {
  return (JSON.parse(await call("/v3/sites", { name })) as { site: { id: string } }).site.id;
}

async function makeDevices({ call }: Gateway, site: string): Promise<void> {
  const { blueprint } = JSON.parse(await call("/v3/blueprints/upload", MANIFEST)) as { blueprint: { id: string } };
  for (let made = 0; made < DEVICES; made += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, DEVICES - made) }, (_, at) => `Inverter ${made + at}`);
    await Promise.all(
      names.map((name) =>
        call("/v3/provisioning/simulated_device", { name, site_id: site, blueprint_id: blueprint.id }),
      ),
    );
  }
}

/** Share of the time in which the main thread of the page had a task. */
async function busyShare(tools: CDPSession, seconds: number): Promise<number> {
  const read = async () => {
    const { metrics } = await tools.send("Performance.getMetrics");
    const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0;
    return { at: metric("Timestamp"), busy: metric("TaskDuration") };
  };
  const begin = await read();
  await pause(seconds * 1_000);
  const end = await read();
  return (end.busy - begin.busy) / (end.at - begin.at);
}

/** Megabytes that scripts still use after everything else was collected. */
async function heap(tools: CDPSession): Promise<number> {
  await tools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await tools.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}
