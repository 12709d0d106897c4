// What the main thread of a page did, from a trace of Chromium: processor time by kind of work, in ms, up to a mark that the page
// itself sets. BENCH_TRACE=file keeps the trace, with a profile of the scripts in it; chrome://tracing and Chromium's tools show it.
import { writeFileSync } from "node:fs";
import type { CDPSession } from "playwright-core";
import { rounded } from "./browser.ts";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  /** Of which the thread had the processor. */
  readonly tdur?: number;
}

const TRACE_FILE = process.env["BENCH_TRACE"];
const CATEGORIES = ["devtools.timeline", "v8", "v8.execute", "blink.user_timing", "loading"];
const PROFILE = ["disabled-by-default-v8.cpu_profiler"];

/** The first that fits counts; what fits none counts as the work around it. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ["collecting garbage", /GC|Scaveng/],
  ["compiling", /^v8\.(compile|parse|produce)|V8\.(Compile|Deserialize)/],
  ["style and layout", /^(UpdateLayoutTree|Layout|PrePaint|ParseAuthorStyleSheet|RecalculateStyles)$/],
  ["painting", /^(Paint|Layerize|Commit|UpdateLayer|CompositeLayers)$|BeginMainFrame/],
  [
    "scripts",
    /^(FunctionCall|RunMicrotasks|EvaluateScript|TimerFire|FireAnimationFrame|EventDispatch)$|^v8\.(evaluate|call|run)/,
  ],
  [
    "loading",
    /^(ParseHTML|DocumentLoader|NavigationBodyLoader|LocalWindowProxy|HTMLDocumentParser)|Resource|URLLoader/,
  ],
  ["other", /^RunTask$/],
];

/** Runs the task while a trace is made. The page calls `performance.mark(mark)` when it is done. */
export async function traceMainThread(
  tools: CDPSession,
  mark: string,
  task: () => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const categories = [...CATEGORIES, ...(TRACE_FILE === undefined ? [] : PROFILE)].join(",");
  const events: TraceEvent[] = [];
  const collect = ({ value }: { readonly value: readonly object[] }) =>
    events.push(...(value as readonly TraceEvent[]));
  tools.on("Tracing.dataCollected", collect);
  await tools.send("Tracing.start", { categories, transferMode: "ReportEvents" });
  await task();
  const complete = new Promise((resolve) => tools.once("Tracing.tracingComplete", resolve));
  await tools.send("Tracing.end");
  await complete;
  tools.off("Tracing.dataCollected", collect);
  if (TRACE_FILE !== undefined) writeFileSync(TRACE_FILE, JSON.stringify({ traceEvents: events }));
  return workUntil(events, mark);
}

function workUntil(events: readonly TraceEvent[], mark: string): Readonly<Record<string, number>> {
  const end = events.find(({ name }) => name === mark);
  if (end === undefined) throw new Error(`the trace has no mark ${mark}`);
  const own = events
    .filter(({ ph, pid, tid, ts }) => ph === "X" && pid === end.pid && tid === end.tid && ts < end.ts)
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const sums = new Map<string, number>();
  const around: { readonly kind: string; readonly until: number }[] = [];
  const add = (kind: string, us: number) => sums.set(kind, (sums.get(kind) ?? 0) + us / 1_000);
  for (const { name, ts, dur = 0, tdur = dur } of own) {
    while ((around.at(-1)?.until ?? Number.POSITIVE_INFINITY) <= ts) around.pop();
    const outer = around.at(-1)?.kind;
    const kind = KINDS.find(([, names]) => names.test(name))?.[0] ?? outer ?? "other";
    if (outer !== undefined) add(outer, -tdur);
    add(kind, tdur);
    around.push({ kind, until: ts + dur });
  }
  return Object.fromEntries([...sums].map(([kind, ms]) => [kind, rounded(ms)]));
}
