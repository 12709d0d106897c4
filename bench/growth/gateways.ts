// Gateways of one cloud node, as bench/fleet measures them in steps.
import { fileURLToPath } from "node:url";
import { finish } from "../telemetry/process.ts";
import type { Curve } from "./curve.ts";

const FLEET = fileURLToPath(new URL("../fleet.ts", import.meta.url));
const WORDS = ["--seconds", "5", "--runs", "50"];

interface Step {
  readonly gateways: number;
  readonly bytes_per_gateway: number;
  readonly resident_growth_mib: number;
  readonly join_ms: number;
  readonly storm_ms: number;
  readonly idle: { readonly nodes_cores: number };
  readonly reporting: { readonly nodes_cores: number };
  readonly command_ms: {
    readonly beside_idle: { readonly p50: number };
    readonly beside_reporting: { readonly p50: number };
  };
}

export const gatewaysCurve: Curve = {
  of: "gateways of a cloud node",
  sizes: [10, 100, 500, 1_000, 2_000],
  to: 500,
  growth: {
    heap_kib_per_gateway: { with: "nothing", noise: 5 },
    memory_mib: { with: "size", noise: 40 },
    idle_cpu_ms_per_s: { with: "size", noise: 20 },
    reporting_cpu_ms_per_s: { with: "size", noise: 20 },
    storm_ms: { with: "size", noise: 500 },
    command_p50_ms: { with: "nothing", noise: 2 },
  },
  async measure(sizes, { point }) {
    const words = [...WORDS, "--steps", sizes.join(",")];
    const output = await finish(process.execPath, [...process.execArgv, FLEET, ...words]);
    const line = JSON.parse(output.trim().split("\n").at(-1) ?? "") as Step & { readonly steps?: readonly Step[] };
    for (const step of line.steps ?? [line]) {
      point(step.gateways, {
        heap_kib_per_gateway: Math.round(step.bytes_per_gateway / 1024),
        memory_mib: step.resident_growth_mib,
        idle_cpu_ms_per_s: Math.round(step.idle.nodes_cores * 1_000),
        reporting_cpu_ms_per_s: Math.round(step.reporting.nodes_cores * 1_000),
        join_ms: step.join_ms,
        storm_ms: step.storm_ms,
        command_p50_ms: step.command_ms.beside_idle.p50,
        reporting_command_p50_ms: step.command_ms.beside_reporting.p50,
      });
    }
  },
};
