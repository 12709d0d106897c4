// What rules cost: 1,000 rules of a site that are looked at every second, beside 100 devices that measure a value a second. First no
// rules, then rules in YAML with a condition, then rules in YAML whose moment comes every second and finds its `if` false, then rules
// that begin every second and claim a control. Gateway and devices are processes of their own. The cost of rules is the processor time
// of the whole gateway beyond that of the first part, as a share of one core; `begunPerSecond` says how often a rule began, by its
// traces. Prints one JSON line. Goal: below half of a core. Usage: node bench/rules.ts; BENCH_SECONDS is the length of each part, BENCH_RULES their number.
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { order, round, sharesWhile } from "./commands/device-orders.ts";
import { runDevices } from "./commands/device-process.ts";
import type { BenchDevice, Gateway } from "./commands/gateway.ts";
import { benchWithDevices } from "./commands/gateway-with-devices.ts";

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 20);
const RULES = Number(process.env["BENCH_RULES"] ?? 1_000);
const SETTLE_S = 10;
const DEVICES = 100;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Device
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: W, display_name: Power}
  energy: {type: float, unit: W.h, display_name: Energy}
command_groups: {main: {display_name: Main}}
commands:
  stop: {group: main, display_name: Stop}
  set_power:
    group: main
    display_name: Set the power
    arguments: {power: {type: float, unit: W, min: 0, max: 100000, required: true, display_name: Power}}
.busbar:
  controls:
    power: {command: set_power, argument: power, reads: power, tolerance: 1000000, refresh: 60s, fallback: {value: 0}}
`;

const BASE = "/v3/site/rule_engine/rules";
const self = fileURLToPath(import.meta.url);

if (process.argv[2] === "devices") runDevices();
else await benchWithDevices({ name: "rules", self, manifest: MANIFEST, count: DEVICES, measure });

/** What the bench says is never true: the cost is that of looking. */
function conditionOn(device: string): string {
  return `when:\n  - { device: ${device}, attribute: power, above: 1e9 }\nthen:\n  - execute: stop\n    device: ${device}\n`;
}

function momentOn(device: string): string {
  return `when:\n  - every: 1s\nif:\n  - { device: ${device}, attribute: power, above: 1e9 }\nthen:\n  - execute: stop\n    device: ${device}\n`;
}

/** Each of them claims the same all the time: what it costs is to begin, to claim and to leave a trace. */
function runOn(device: string): string {
  return `when:\n  - every: 1s\nthen:\n  - claim: power\n    device: ${device}\n    target: 1000\n    hold: 30s\n`;
}

async function measure(gateway: Gateway, devices: ChildProcess, made: readonly BenchDevice[]) {
  const settle = () => order(devices, { do: "telemetry", active: DEVICES, seconds: SETTLE_S });
  const measured = async (text: Written["text"] | undefined, isNew = false) => {
    if (text !== undefined) await writeRules(gateway, made, { text, isNew });
    await settle();
    return await part(gateway, devices);
  };
  const idle = await measured(undefined);
  const conditions = await measured(conditionOn, true);
  const moments = await measured(momentOn);
  const runs = await measured(runOn);
  return {
    rules: RULES,
    parts: { idle, conditions, moments, runs },
    costOfConditionsPercent: round(conditions.corePercent - idle.corePercent),
    costOfMomentsPercent: round(moments.corePercent - idle.corePercent),
    costOfRunsPercent: round(runs.corePercent - idle.corePercent),
    begunPerSecond: await begun(gateway),
  };
}

/** How often each rule began in a second of the last part, of a tenth of the rules: the least, and on average. */
async function begun(gateway: Gateway) {
  const counts: number[] = [];
  for (let n = 0; n < RULES; n += 10) {
    const answer = await gateway.call(`${BASE}/rule-${n}/traces`);
    const { traces } = JSON.parse(answer) as { traces: readonly { at: string; outcome: string }[] };
    const times = traces.filter(({ outcome }) => outcome === "ran").map(({ at }) => Date.parse(at));
    const newest = Math.max(...times);
    counts.push(times.filter((at) => at > newest - SECONDS * 1_000).length / SECONDS);
  }
  return {
    least: round(Math.min(...counts)),
    average: round(counts.reduce((sum, one) => sum + one, 0) / counts.length),
  };
}

interface Written {
  readonly text: (device: string) => string;
  readonly isNew: boolean;
}

async function writeRules(gateway: Gateway, devices: readonly BenchDevice[], { text, isNew }: Written): Promise<void> {
  for (let n = 0; n < RULES; n++) {
    const device = devices[n % devices.length]?.id ?? "";
    const script = { code: Buffer.from(text(device)).toString("base64"), runtime_version: "V3", language: "yaml" };
    if (isNew) await gateway.call(BASE, { slug: `rule-${n}`, script });
    else await gateway.call(`${BASE}/rule-${n}/update_script`, { script });
  }
}

function part(gateway: Gateway, devices: ChildProcess) {
  return sharesWhile(gateway.pid, () => order(devices, { do: "telemetry", active: DEVICES, seconds: SECONDS }));
}
