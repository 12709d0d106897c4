// The site overview on a slow phone: 4 times slower processor and fast 3G, with the cache of an earlier visit. Goal: the
// energy flow is painted under 1 s. Beside it, the same visit without slowing down, and the processor time of the page's main
// thread until then, which says the same on a busy machine.
import type { Browser, CDPSession, Page } from "playwright-core";
import { startGateway } from "../commands/gateway.ts";
import { percentile } from "../commands/machine.ts";
import { pause, signIn } from "./browser.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** As Chromium's own tools define it: 1.6 Mbit/s down, 750 kbit/s up, 150 ms. */
const FAST_3G = { offline: false, downloadThroughput: 200_000, uploadThroughput: 93_750, latency: 150 };
const NO_LIMIT = { offline: false, downloadThroughput: -1, uploadThroughput: -1, latency: 0 };
const SLOWER = 4;
/** What somebody opens the screen for. */
const FLOW = ".picture";

export async function measurePaint(folder: string, browser: Browser): Promise<object> {
  const gateway = await startGateway(folder, ["--http-page", "--demo"]);
  try {
    const { sites } = JSON.parse(await gateway.call("/v3/sites")) as { sites: readonly { id: string }[] };
    const { page, context } = await signIn(browser, gateway);
    const address = `${gateway.url}/sites/${sites[0]?.id}`;
    await page.addInitScript({ content: watch(FLOW) });
    // The first visit fills the cache, and the demo sends its first values.
    await page.goto(address);
    await pause(10_000);
    const tools = await context.newCDPSession(page);
    await tools.send("Network.enable");
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    const plain = await visits(page, tools, address, { rate: 1, network: NO_LIMIT });
    const slow = await visits(page, tools, address, { rate: SLOWER, network: FAST_3G });
    const median = percentile(
      slow.map(({ flow }) => flow),
      0.5,
    );
    return {
      slower_processor: SLOWER,
      network: "fast 3G",
      first_paint_ms: figures(slow.map(({ first }) => first)),
      overview_painted_ms: figures(slow.map(({ flow }) => flow)),
      without_slowing_ms: figures(plain.map(({ flow }) => flow)),
      processor_ms: figures(plain.map(({ worked }) => worked)),
      bytes: slow.at(-1)?.bytes,
      goals: { painted: median < 1_000 },
    };
  } finally {
    await gateway.stop();
  }
}

const figures = (times: readonly number[]) => ({
  median: Math.round(percentile(times, 0.5)),
  worst: Math.round(Math.max(...times)),
});

type Seen = { readonly first: number; readonly flow: number; readonly bytes: number };
type Visit = Seen & { readonly worked: number };

async function visits(
  page: Page,
  tools: CDPSession,
  address: string,
  { rate, network }: { readonly rate: number; readonly network: typeof NO_LIMIT },
): Promise<readonly Visit[]> {
  await tools.send("Network.emulateNetworkConditions", network);
  await tools.send("Emulation.setCPUThrottlingRate", { rate });
  const found: Visit[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(address, { waitUntil: "commit" });
    const seen = await page.evaluate<Seen>(READ_VISIT);
    const { metrics } = await tools.send("Performance.getMetrics");
    found.push({ ...seen, worked: 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) });
    await page.goto("about:blank");
  }
  await tools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  return found;
}

/** Notes the moment after the frame in which the element is first there. */
const watch = (selector: string) => `
  const seen = new MutationObserver(() => {
    if (document.querySelector(${JSON.stringify(`main :is(${selector})`)}) === null) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.paintedAt = performance.now(); }));
  });
  seen.observe(document, { childList: true, subtree: true });`;

const READ_VISIT = `(async () => {
  const firstPaint = () => performance.getEntriesByName("first-contentful-paint")[0];
  while (window.paintedAt === undefined || firstPaint() === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
  const first = firstPaint();
  const bytes = performance.getEntriesByType("resource").reduce((sum, { transferSize }) => sum + transferSize, 0);
  return { first: first.startTime, flow: window.paintedAt, bytes };
})()`;
