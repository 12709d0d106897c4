// The site overview on a slow phone: 4 times slower processor and fast 3G, with the cache of an earlier visit. Goal: the
// energy flow is painted under 1 s, and a first visit loads at most 200 kB, data and all. Beside it, the same visit without slowing down, and what the page's main thread does until
// then, which says the same on a busy machine.
import type { Browser, CDPSession, Page } from "playwright-core";
import { type Gateway, startGateway } from "../commands/gateway.ts";
import { percentile } from "../commands/machine.ts";
import { openContext, pause, signIn } from "./browser.ts";
import { traceMainThread } from "./main-thread.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** As Chromium's own tools define it: 1.6 Mbit/s down, 750 kbit/s up, 150 ms. */
const FAST_3G = { offline: false, downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 };
const NO_LIMIT = { offline: false, downloadThroughput: -1, uploadThroughput: -1, latency: 0 };
const SLOWER = 4;
/** What somebody opens the screen for. */
const FLOW = ".picture";
/** After the flow come the day, the cards and their history. */
const SETTLED_MS = 5_000;
const MOST_BYTES = 200_000;
const PAINTED = "overview painted";

export async function measurePaint(folder: string, browser: Browser): Promise<object> {
  const gateway = await startGateway(folder, ["--http-page", "--demo"]);
  try {
    const { sites } = JSON.parse(await gateway.call("/v3/sites")) as { sites: readonly { id: string }[] };
    const context = await openContext(browser);
    const page = await signIn(context, gateway);
    const address = `${gateway.url}/sites/${sites[0]?.id}`;
    await page.addInitScript({ content: watch(FLOW) });
    // The first visit fills the cache, and the demo sends its first values. Its history takes a whole core until it is there.
    await page.goto(address);
    while ((await gateway.call("/readyz")).includes("under_way")) await pause(1_000);
    await pause(5_000);
    const tools = await context.newCDPSession(page);
    await tools.send("Network.enable");
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    const plain = await visits(page, tools, address, { rate: 1, network: NO_LIMIT });
    const slow = await visits(page, tools, address, { rate: SLOWER, network: FAST_3G });
    await setLimits(tools, { rate: 1, network: NO_LIMIT });
    const byKind = await firstVisit(browser, gateway, address);
    const firstBytes = Object.values(byKind).reduce((sum, bytes) => sum + bytes, 0);
    const work = await traceMainThread(tools, PAINTED, () => visit(page, tools, address));
    const flows = slow.map(({ flow }) => flow);
    return {
      slower_processor: SLOWER,
      network: "fast 3G",
      first_paint_ms: figures(slow.map(({ first }) => first)),
      overview_painted_ms: figures(flows),
      without_slowing_ms: figures(plain.map(({ flow }) => flow)),
      processor_ms: figures(plain.map(({ worked }) => worked)),
      main_thread_ms: work,
      bytes: slow.at(-1)?.bytes,
      first_visit_bytes: firstBytes,
      first_visit_by_kind: byKind,
      goals: { painted: percentile(flows, 0.5) < 1_000, first_visit: firstBytes <= MOST_BYTES },
    };
  } finally {
    await gateway.stop();
  }
}

/** What a browser without a cache takes in until the overview is complete: bytes with their headers, by kind. */
async function firstVisit(browser: Browser, gateway: Gateway, address: string): Promise<Record<string, number>> {
  const context = await openContext(browser);
  const page = await context.newPage();
  const tools = await context.newCDPSession(page);
  await tools.send("Network.enable");
  const byKind: Record<string, number> = {};
  const kinds = new Map<string, string>();
  const count = (requestId: string, bytes: number) => {
    const kind = kinds.get(requestId) ?? "other";
    byKind[kind] = (byKind[kind] ?? 0) + bytes;
  };
  tools.on("Network.responseReceived", ({ requestId, response }) => {
    kinds.set(requestId, kindOf(new URL(response.url).pathname, response.mimeType));
  });
  // Of streams each piece, of everything else the end with all its bytes.
  const isStream = (requestId: string) => kinds.get(requestId) === "events";
  tools.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
    if (isStream(requestId)) count(requestId, encodedDataLength);
  });
  tools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!isStream(requestId)) count(requestId, encodedDataLength);
  });
  // As from another machine: within one, answers are not compressed.
  await context.setExtraHTTPHeaders({ "X-Forwarded-For": "192.0.2.7" });
  await context.addCookies(await (await signIn(await openContext(browser), gateway)).context().cookies());
  await page.goto(address);
  await page.locator(FLOW).first().waitFor();
  await pause(SETTLED_MS);
  await context.close();
  return byKind;
}

function kindOf(path: string, type: string): string {
  if (type === "text/event-stream") return "events";
  if (path.includes("/icons-")) return "icons";
  if (path.endsWith(".js")) return "script";
  if (path.endsWith(".css")) return "style";
  if (path.endsWith(".woff2")) return "font";
  return path.startsWith("/v3/") || path.startsWith("/telemetry/") ? "data" : "other";
}

const figures = (times: readonly number[]) => ({
  median: Math.round(percentile(times, 0.5)),
  worst: Math.round(Math.max(...times)),
});

type Seen = { readonly first: number; readonly flow: number; readonly bytes: number };
type Visit = Seen & { readonly worked: number };
type Limits = { readonly rate: number; readonly network: typeof NO_LIMIT };

async function visits(page: Page, tools: CDPSession, address: string, limits: Limits): Promise<readonly Visit[]> {
  await setLimits(tools, limits);
  const found: Visit[] = [];
  for (let round = 0; round < ROUNDS; round += 1) found.push(await visit(page, tools, address));
  return found;
}

async function setLimits(tools: CDPSession, { rate, network }: Limits): Promise<void> {
  await tools.send("Network.emulateNetworkConditions", network);
  await tools.send("Emulation.setCPUThrottlingRate", { rate });
}

/** The page is not asked for anything before it says that it is done: questions would take their part of its time. */
async function visit(page: Page, tools: CDPSession, address: string): Promise<Visit> {
  const done = page.waitForEvent("console", (message) => message.text() === PAINTED);
  await page.goto(address, { waitUntil: "commit" });
  await done;
  const { metrics } = await tools.send("Performance.getMetrics");
  const seen = await page.evaluate<Seen>(READ_VISIT);
  await page.goto("about:blank");
  return { ...seen, worked: 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) };
}

/** Notes the moment after the frame in which the element is first there. Looks once a frame, which costs nearly nothing. */
const watch = (selector: string) => `
  const look = () => {
    if (document.querySelector(${JSON.stringify(`main ${selector}`)}) === null) requestAnimationFrame(look);
    else setTimeout(() => {
      window.paintedAt = performance.mark(${JSON.stringify(PAINTED)}).startTime;
      console.debug(${JSON.stringify(PAINTED)});
    });
  };
  requestAnimationFrame(look);`;

const READ_VISIT = `(async () => {
  const firstPaint = () => performance.getEntriesByName("first-contentful-paint")[0];
  while (firstPaint() === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
  const bytes = performance.getEntriesByType("resource").reduce((sum, { transferSize }) => sum + transferSize, 0);
  return { first: firstPaint().startTime, flow: window.paintedAt, bytes };
})()`;
