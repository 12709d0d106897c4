// What is measured by `npm run bench -- all`, and the goals of it. A figure is named by its place in the JSON line of its benchmark.

export interface Goal {
  /** Of the benchmark, then of the figure in its answer, joined by dots. */
  readonly figure: string;
  readonly label: string;
  readonly unit: string;
  /** Undefined: it is only compared with earlier runs. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number };
}

/** The benchmarks in their order, with the words that keep each of them within a few minutes. */
export const RUNS: readonly { readonly name: string; readonly words: readonly string[] }[] = [
  { name: "http", words: [] },
  { name: "commands", words: ["throughput", "latency"] },
  { name: "control", words: [] },
  { name: "rules", words: [] },
  { name: "telemetry", words: ["--runs", "200"] },
  { name: "energy", words: [] },
  { name: "restart", words: [] },
  { name: "link", words: ["latency"] },
  { name: "cloud", words: ["--runs", "100"] },
  { name: "lua", words: [] },
  { name: "simulator", words: [] },
  { name: "blueprint", words: [] },
  { name: "web", words: [] },
];

/** The questions of bench/telemetry in their order, with the goal of the ratio to the fastest peer with its cache warm. */
const QUESTIONS = [
  "10 attributes x 24 h by 1 min",
  "10 devices x 24 h by 5 min",
  "365 d by 1 d",
  "365 d by 1 h",
  "30 d by 10 min",
  "sparse text, last + locf",
  "1 h by 1 s",
];

const questions = QUESTIONS.flatMap((label, n): readonly Goal[] => [
  { figure: `telemetry.queries.queries.${n}.engines.busbar.p50`, label: `${label}, p50`, unit: "ms" },
  { figure: `telemetry.queries.queries.${n}.engines.busbar.warm`, label: `${label}, kept buckets, p50`, unit: "ms" },
  { figure: `telemetry.queries.queries.${n}.ratio`, label: `${label}, peer / ours`, unit: "x", goal: { atLeast: 1 } },
  {
    figure: `telemetry.queries.queries.${n}.p99Ratio`,
    label: `${label}, peer / ours, p99`,
    unit: "x",
    goal: { atLeast: 1 },
  },
  {
    figure: `telemetry.queries.queries.${n}.warmRatio`,
    label: `${label}, warm peer / ours`,
    unit: "x",
    goal: { atLeast: 1 },
  },
]);

export const GOALS: readonly Goal[] = [
  ...questions,
  {
    figure: "control.costPercent",
    label: "300 controlled devices, of a core",
    unit: "%",
    goal: { atMost: 10 },
  },
  {
    figure: "rules.costOfMomentsPercent",
    label: "1,000 rules that begin every second, of a core",
    unit: "%",
    goal: { atMost: 50 },
  },
  { figure: "telemetry.queries.fourClients.busbar", label: "four clients on the first, answers", unit: "/s" },
  { figure: "telemetry.bytesPerPoint.used", label: "bytes a point", unit: "B", goal: { atMost: 0.9 } },
  {
    figure: "telemetry.ingest.perSecond",
    label: "durable points through MQTT",
    unit: "/s",
    goal: { atLeast: 500_000 },
  },
  { figure: "telemetry.ingest.ackMs.p50", label: "acknowledgement of points, p50", unit: "ms", goal: { atMost: 40 } },
  { figure: "telemetry.restart.afterKillMs", label: "ready after kill -9", unit: "ms", goal: { atMost: 900 } },
  { figure: "telemetry.restart.emptyMs", label: "ready, empty", unit: "ms", goal: { atMost: 600 } },
  { figure: "commands.executionsPerSecond", label: "executions", unit: "/s", goal: { atLeast: 2_500 } },
  {
    figure: "commands.throughput.0.cpuUs.gateway",
    label: "processor time of an execution",
    unit: "us",
    goal: { atMost: 500 },
  },
  { figure: "commands.latency.execute.p50", label: "execution at 100 a second, p50", unit: "ms" },
  { figure: "http.ratio", label: "read of a device / bare Fastify", unit: "x", goal: { atLeast: 0.6 } },
  { figure: "http.p99Ms", label: "read of a device, p99", unit: "ms", goal: { atMost: 10 } },
  { figure: "link.latency.cloud.p50", label: "command of a cloud, p50", unit: "ms", goal: { atMost: 6.5 } },
  { figure: "link.latency.gateway.p50", label: "the same at its gateway, p50", unit: "ms" },
  {
    figure: "energy.year_by_months.ms",
    label: "year of energy with costs by months",
    unit: "ms",
    goal: { atMost: 300 },
  },
  { figure: "energy.year_by_days.ms", label: "year of energy with costs by days", unit: "ms", goal: { atMost: 300 } },
  {
    figure: "web.energy.year_ms",
    label: "year of energy, from the choice to the bars",
    unit: "ms",
    goal: { atMost: 300 },
  },
  {
    figure: "web.paint.overview_painted_ms.median",
    label: "overview on a slow phone",
    unit: "ms",
    goal: { atMost: 1_000 },
  },
  { figure: "web.paint.first_visit_bytes", label: "first visit", unit: "B", goal: { atMost: 200_000 } },
  { figure: "restart.ready_p95_ms", label: "ready after kill -9 under load, p95", unit: "ms", goal: { atMost: 2_000 } },
  { figure: "lua.share_of_core", label: "300 Lua devices, part of a core", unit: "", goal: { atMost: 0.5 } },
  { figure: "lua.mib_per_device", label: "memory of a Lua device", unit: "MiB", goal: { atMost: 1 } },
  {
    figure: "simulator.share_of_core",
    label: "1,000 simulated devices, part of a core",
    unit: "",
    goal: { atMost: 0.5 },
  },
  { figure: "blueprint.ratio", label: "lint of a manifest / parsing it", unit: "x" },
];
