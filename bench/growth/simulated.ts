// Simulated devices, each of which sends a message a second, that the gateway runs itself: processor time and memory for each, and
// the start with so many.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Gateway, startGateway } from "../commands/gateway.ts";
import { cpuSeconds, memoryMiB } from "../commands/machine.ts";
import { significant } from "./cost.ts";
import { type Curve, EXAMPLE_DEVICE, rest } from "./curve.ts";

const AT_ONCE = 50;
const SECONDS = 5;
const SETTLE_S = 5;

export const simulatedCurve: Curve = {
  of: "simulated devices",
  sizes: [10, 100, 1_000, 3_000, 10_000],
  to: 3_000,
  growth: {
    cpu_ms_per_s: { with: "size", noise: 20 },
    memory_mib: { with: "size", noise: 60 },
    start_cpu_s: { with: "nothing", noise: 0.2 },
  },
  async measure(sizes, { folder, point, say }) {
    const data = join(folder, "data");
    let made = 0;
    for (const size of sizes) {
      const first = await startGateway(data);
      await makeSimulated(first, made, size);
      made = size;
      await first.stop();
      say(`${size} devices are there`);
      const began = performance.now();
      const gateway = await startGateway(data);
      const start = { start_cpu_s: cpuSeconds(gateway.pid), start_ms: Math.round(performance.now() - began) };
      try {
        await rest(SETTLE_S);
        const [before, from] = [cpuSeconds(gateway.pid), performance.now()];
        await rest(SECONDS);
        const seconds = (performance.now() - from) / 1_000;
        const perSecond = ((cpuSeconds(gateway.pid) - before) * 1_000) / seconds;
        point(size, {
          ...start,
          cpu_ms_per_s: significant(perSecond),
          device_cpu_us_per_s: significant((perSecond * 1_000) / size),
          memory_mib: memoryMiB(gateway.pid),
        });
      } finally {
        await gateway.stop();
      }
    }
  },
};

async function makeSimulated({ call }: Gateway, from: number, to: number): Promise<void> {
  const uploaded = JSON.parse(await call("/v3/blueprints/upload", readFileSync(EXAMPLE_DEVICE, "utf8"))) as {
    readonly blueprint: { readonly id: string };
  };
  for (let at = from; at < to; at += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, n) => `Device ${at + n}`);
    const body = (name: string) => ({ name, blueprint_id: uploaded.blueprint.id });
    await Promise.all(names.map((name) => call("/v3/provisioning/simulated_device", body(name))));
  }
}
