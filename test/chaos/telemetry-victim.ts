// A telemetry store that takes batches until it is killed. Says on stdout what it sends and what is acknowledged.
// Usage: node telemetry-victim.ts FILE FIRST_BATCH
import { writeSync } from "node:fs";
import { instant } from "#core/time/instant.ts";
import { openSeries } from "#store/series/open-series.ts";
import { batchOf } from "./telemetry-points.ts";

const [file = "", first = "0"] = process.argv.slice(2);
const say = (line: string) => void writeSync(1, `${line}\n`);

const store = await openSeries(file, { graceMs: 0, maxHotPoints: 10_000, readers: 1 }, (error) => {
  throw error;
});
say("ready");
const IN_FLIGHT = 8;
const running = new Set<Promise<void>>();
const track = (work: Promise<void>) => {
  const tracked: Promise<void> = work.finally(() => running.delete(tracked));
  running.add(tracked);
};
for (let index = Number(first); ; index++) {
  say(`sent ${index}`);
  track(store.append(batchOf(index)).then(() => say(`acknowledged ${index}`)));
  // What is over is sealed and joined while more is coming in.
  if (index % 25 === 24) track(store.settle(instant(Date.now())));
  while (running.size >= IN_FLIGHT) await Promise.race(running);
}
