// What is measured by `npm run bench -- all`, and the goals of it. A figure is named by its place in the JSON line of its benchmark.

export interface Goal {
  /** Of the benchmark, then of the figure in its answer, joined by dots. */
  readonly figure: string;
  /** A figure of the same run that it is divided by. */
  readonly over?: string;
  readonly label: string;
  readonly unit: string;
  /** Undefined: it is only compared with earlier runs. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number };
}

interface Run {
  readonly name: string;
  /** What keeps it within a few minutes. */
  readonly words: readonly string[];
  /** Instead of these words, only to see that it runs. */
  readonly quick: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** The benchmarks in their order. */
export const RUNS: readonly Run[] = [
  { name: "http", words: [], quick: [] },
  { name: "commands", words: ["throughput", "latency"], quick: ["throughput", "latency"] },
  { name: "control", words: [], quick: [] },
  { name: "rules", words: [], quick: [] },
  { name: "telemetry", words: ["--runs", "200"], quick: ["--scale", "0.02", "--runs", "10"] },
  { name: "energy", words: [], quick: [] },
  { name: "restart", words: [], quick: [] },
  { name: "link", words: ["latency"], quick: ["latency"] },
  { name: "cloud", words: ["--runs", "100"], quick: ["--runs", "10", "--parts", "queries,commands", "--only", "q5"] },
  { name: "lua", words: [], quick: [] },
  { name: "simulator", words: [], quick: [] },
  { name: "blueprint", words: [], quick: [] },
  { name: "web", words: [], quick: ["paint", "energy"], variables: { BENCH_SECONDS: "60" } },
];

/** Sizes of those that take them from here, only to see that all of them run. */
export const QUICK_SIZES = { BENCH_SECONDS: "1", BENCH_ROUNDS: "1", BENCH_DEVICES: "10", BENCH_RULES: "20" };

interface Question {
  readonly label: string;
  /** Times as fast as the fastest peer: the median, the slowest hundredth, and the median with caches of both warm. */
  readonly p50: number;
  readonly p99: number;
  readonly warm: number;
}

/** The questions of bench/telemetry in their order. The goals are those of one machine, as ratios to its fastest peer. */
const QUESTIONS: readonly Question[] = [
  { label: "10 attributes x 24 h by 1 min", p50: 4.2, p99: 3.9, warm: 1.9 },
  { label: "10 devices x 24 h by 5 min", p50: 6.8, p99: 4.3, warm: 1.1 },
  { label: "365 d by 1 d", p50: 1_206, p99: 1_858, warm: 1 },
  { label: "365 d by 1 h", p50: 214, p99: 379, warm: 1.5 },
  { label: "30 d by 10 min", p50: 21, p99: 11.9, warm: 1.1 },
  { label: "sparse text, last + locf", p50: 1.9, p99: 2.05, warm: 1 },
  { label: "1 h by 1 s", p50: 2.05, p99: 2, warm: 1.55 },
];

const questions = QUESTIONS.flatMap(({ label, p50, p99, warm }, n): readonly Goal[] => {
  const place = `telemetry.queries.queries.${n}`;
  const ratio = { unit: "x" } as const;
  return [
    { figure: `${place}.engines.busbar.p50`, label: `${label}, p50`, unit: "ms" },
    { figure: `${place}.engines.busbar.p99`, label: `${label}, p99`, unit: "ms" },
    { figure: `${place}.engines.busbar.warm`, label: `${label}, kept buckets, p50`, unit: "ms" },
    { figure: `${place}.ratio`, label: `${label}, peer / ours`, ...ratio, goal: { atLeast: p50 } },
    { figure: `${place}.p99Ratio`, label: `${label}, peer / ours, p99`, ...ratio, goal: { atLeast: p99 } },
    { figure: `${place}.warmRatio`, label: `${label}, warm peer / ours`, ...ratio, goal: { atLeast: warm } },
  ];
});

/** The questions of bench/cloud are the same. */
const inCloud = QUESTIONS.map(
  ({ label }, n): Goal => ({
    figure: `cloud.ratios.${n}.cloudOverEmbedded`,
    label: `PostgreSQL / embedded, ${label}`,
    unit: "x",
    goal: { atMost: 2.5 },
  }),
);

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
  {
    figure: "telemetry.queries.fourClients.busbar",
    over: "telemetry.queries.fourClients.victoria",
    label: "four clients on the first, ours / peer",
    unit: "x",
    goal: { atLeast: 6.4 },
  },
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
  { figure: "http.fastify.p99Ms", label: "bare Fastify, p99", unit: "ms" },
  { figure: "link.latency.cloud.p50", label: "command of a cloud, p50", unit: "ms", goal: { atMost: 6.5 } },
  { figure: "link.latency.gateway.p50", label: "the same at its gateway, p50", unit: "ms" },
  {
    figure: "link.latency.cloud.p50",
    over: "link.latency.gateway.p50",
    label: "command of a cloud / at its gateway",
    unit: "x",
    goal: { atMost: 1.4 },
  },
  ...inCloud,
  { figure: "cloud.commands.latency.sameNode.p50", label: "PostgreSQL, execution, p50", unit: "ms" },
  {
    figure: "cloud.commands.latency.sameNode.p50",
    over: "cloud.commands.latency.embedded.p50",
    label: "PostgreSQL / embedded, execution, p50",
    unit: "x",
    goal: { atMost: 1.6 },
  },
  { figure: "cloud.commands.perSecond.oneNode", label: "PostgreSQL, executions of one device", unit: "/s" },
  {
    figure: "cloud.commands.perSecond.oneNode",
    over: "cloud.commands.perSecond.embedded",
    label: "PostgreSQL / embedded, executions of one device",
    unit: "x",
    goal: { atLeast: 0.61 },
  },
  { figure: "cloud.ingest.oneOverEmbedded", label: "PostgreSQL / embedded, durable points", unit: "x" },
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
