// The energy screen of the demo site: from choosing a year until its bars are painted. The page asks for the months of the year with
// costs and for the year before. Goal: under 300 ms for a year that was looked at before, whose last answer is shown while it is read
// again. Beside it, until it has been read again, the same for a day, and what the server takes for the same question.
import type { Browser, Page } from "playwright-core";
import { startGateway } from "../commands/gateway.ts";
import { percentile } from "../commands/machine.ts";
import { openContext, pause, signIn } from "./browser.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 7);
const GOAL_MS = 300;

export async function measureEnergy(folder: string, browser: Browser): Promise<object> {
  const gateway = await startGateway(folder, ["--http-page", "--demo"]);
  try {
    const { sites } = JSON.parse(await gateway.call("/v3/sites")) as { sites: readonly { id: string }[] };
    const site = sites[0]?.id ?? "";
    while ((await gateway.call("/readyz")).includes("under_way")) await pause(1_000);
    const page = await signIn(await openContext(browser), gateway);
    await page.goto(`${gateway.url}/sites/${site}/energy?period=today`);
    await page.locator(BARS.Day).first().waitFor();
    const first = await choose(page, "Year");
    const times = { year: [] as number[], read: [] as number[], day: [] as number[], server: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.day.push((await choose(page, "Day")).shown);
      const year = await choose(page, "Year");
      times.year.push(year.shown);
      times.read.push(year.read);
      const begun = performance.now();
      await gateway.call(`/v3/sites/${site}/energy?period=this_year&step=month&before=true&costs=true`);
      times.server.push(performance.now() - begun);
    }
    const year = percentile(times.year, 0.5);
    return {
      first_year_ms: Math.round(first.shown),
      year_ms: Math.round(year),
      year_read_again_ms: Math.round(percentile(times.read, 0.5)),
      day_ms: Math.round(percentile(times.day, 0.5)),
      server_ms: Math.round(percentile(times.server, 0.5)),
      goals: { year: year < GOAL_MS },
    };
  } finally {
    await gateway.stop();
  }
}

const BARS = { Year: "main .bars .bar.month", Day: "main .bars .bar.hour" } as const;

/** From the click until the frame in which the bars of the period are there, and until the answer to this click is. */
async function choose(page: Page, kind: keyof typeof BARS): Promise<{ readonly shown: number; readonly read: number }> {
  return await page.evaluate<{ shown: number; read: number }>(`(async () => {
    const option = [...document.querySelectorAll("main label")].find((one) => one.textContent.trim() === "${kind}");
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const begun = performance.now();
    option.click();
    while (document.querySelector("${BARS[kind]}") === null) await frame();
    await new Promise((resolve) => setTimeout(resolve));
    const shown = performance.now() - begun;
    while (document.querySelector("main .reading") !== null) await frame();
    await new Promise((resolve) => setTimeout(resolve));
    return { shown, read: performance.now() - begun };
  })()`);
}
