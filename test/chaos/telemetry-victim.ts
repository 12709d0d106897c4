// A telemetry store that takes batches until it is killed. Says on stdout what it sends and what is acknowledged.
// Usage: node telemetry-victim.ts FILE_OR_URL FIRST_BATCH
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { instant } from "#core/time/instant.ts";
import { openSeries } from "#store/series/open-series.ts";
import { chunksAt } from "./chunks-at.ts";
import { batchOf, DEVICES } from "./telemetry-points.ts";

const [place = "", first = "0"] = process.argv.slice(2);
const say = (line: string) => void writeSync(1, `${line}\n`);

const store = await openSeries(chunksAt(place), { graceMs: 0, maxHotPoints: 10_000, readers: 1 }, (error) => {
  throw error;
});
say("ready");
// Node keeps compiled code when a process ends in order, which this one never does.
flushCompileCache();
/** Every fifth batch goes past the journal. */
async function write(index: number): Promise<void> {
  const batch = batchOf(index);
  if (index % 5 !== 4) return await store.append(batch);
  await Promise.all(
    DEVICES.map((device) => {
      const own = batch.filter(({ deviceId }) => deviceId === device);
      const head = { count: own.length, times: Float64Array.from(own, ({ at }) => at) };
      return store.load(device, [
        {
          attribute: "n",
          kind: "number",
          ...head,
          values: Float64Array.from(own, ({ values }) => Number(values.get("n"))),
        },
        { attribute: "text", kind: "text", ...head, values: own.map(({ values }) => String(values.get("text"))) },
      ]);
    }),
  );
}

const IN_FLIGHT = 8;
const running = new Set<Promise<void>>();
const track = (work: Promise<void>) => {
  const tracked: Promise<void> = work.finally(() => running.delete(tracked));
  running.add(tracked);
};
for (let index = Number(first); ; index++) {
  say(`sent ${index}`);
  track(write(index).then(() => say(`acknowledged ${index}`)));
  // What is over is sealed and joined while more is coming in.
  if (index % 25 === 24) track(store.settle(instant(Date.now())));
  while (running.size >= IN_FLIGHT) await Promise.race(running);
}
