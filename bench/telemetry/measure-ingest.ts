// Durable ingest through MQTT: on time, with late points, and what small requests feel of it.
import { fileURLToPath } from "node:url";
import { type Busbar, peakMemory, type Site } from "./busbar.ts";
import type { Size } from "./data.ts";
import { questions } from "./engine.ts";
import { finish } from "./process.ts";

const PUBLISHER = fileURLToPath(new URL("./publish.ts", import.meta.url));
const SECONDS = 8;
const WINDOW = 32;
const PROBE_MS = 5;
const MB = 1024 * 1024;

interface Published {
  readonly perSecond: number;
  readonly messages: number;
  readonly ackP50: number;
  readonly ackP99: number;
}

export async function measureIngest(busbar: Busbar, site: Site, size: Size): Promise<object> {
  const publish = async (late: number, seconds: number): Promise<Published> => {
    const credentials = site.credentials.slice(0, size.devices);
    const job = JSON.stringify({ port: busbar.mqttPort, credentials, seconds, late, window: WINDOW });
    return JSON.parse(await finish(process.execPath, ["--disable-warning=ExperimentalWarning", PUBLISHER, job]));
  };
  // The first run warms up.
  await publish(0, 3);
  const onTime = await publish(0, SECONDS);
  const late = await publish(0.1, SECONDS);
  const quiet = await probe(busbar, 1_000);
  const year = questions(size)[3];
  let isOver = false;
  const asking = (async () => {
    while (!isOver && year !== undefined) await busbar.ask(year, false);
  })();
  const [loaded, underLoad] = await Promise.all([publish(0, SECONDS), probe(busbar, (SECONDS - 1) * 1_000)]);
  isOver = true;
  await asking;
  return {
    perSecond: Math.round(onTime.perSecond),
    ackMs: { p50: round(onTime.ackP50), p99: round(onTime.ackP99) },
    late: { perSecond: Math.round(late.perSecond), cost: round(onTime.perSecond / late.perSecond) },
    smallRequest: { quiet, underLoad, meanwhilePerSecond: Math.round(loaded.perSecond) },
    peakMB: Math.round(peakMemory(busbar) / MB),
  };
}

async function probe(busbar: Busbar, ms: number): Promise<{ readonly p50: number; readonly p99: number }> {
  const started = performance.now();
  const times: number[] = [];
  while (performance.now() - started < ms) {
    const before = performance.now();
    await busbar.get("/healthz");
    times.push(performance.now() - before);
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => round(times[Math.floor(times.length * share)] ?? Number.NaN);
  return { p50: at(0.5), p99: at(0.99) };
}

const round = (value: number) => Math.round(value * 100) / 100;
