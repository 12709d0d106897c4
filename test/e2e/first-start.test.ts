// The first start makes a site with the time zone of the machine, and asks for name and time zone without waiting.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Site } from "#client/resources.ts";
import { isTimezone } from "#core/site/timezone.ts";
import { callBusbar } from "../support/start-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** Real processes start several times, which takes long on a busy machine. */
const PATIENCE = 120_000;
const PROGRAM = fileURLToPath(new URL("../../bin/busbar", import.meta.url));

/** `busbar serve` up to the end of what it prints when it is ready. */
async function serve(folder: string, zone: string) {
  const child = spawn(PROGRAM, ["serve", "--port", "0", "--mqtt-port", "off"], {
    cwd: folder,
    env: { ...process.env, TZ: zone },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  onTestFinished(stop);
  let printed = "";
  for await (const piece of child.stdout.setEncoding("utf8")) {
    printed += piece;
    if (printed.includes("Stop with Ctrl-C.")) break;
  }
  const url = /http:\/\/[\d.:]+/.exec(printed)?.[0] ?? "";
  const call = (...words: readonly string[]) => callBusbar(folder, words, { BUSBAR_URL: url });
  const sites = async () => (JSON.parse((await call("site", "list", "-o", "json")).out) as { sites: Site[] }).sites;
  return { url, printed, stop, call, sites };
}

test("the site has the zone of the machine, and the start prints the command that confirms it", {
  timeout: PATIENCE,
}, async () => {
  const folder = join(tempFolder());
  const first = await serve(folder, "Australia/Adelaide");
  expect(await first.sites()).toMatchObject([
    { name: "My site", timezone: "Australia/Adelaide", timezone_assumed: true },
  ]);
  expect(first.printed).toContain('time zone of "My site": Australia/Adelaide');
  const [, command = ""] = /busbar (site update .*)/.exec(first.printed) ?? [];
  expect(command).toBe('site update "My site" --name "Plant 1" --timezone Australia/Adelaide');
  const got = await first.call("site", "get", "My site");
  expect(got.out).toContain("Australia/Adelaide (nobody has confirmed it)");
  expect(got.err).toContain('busbar site update "My site" --timezone Australia/Adelaide');
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  expect(await first.call(...words)).toMatchObject({ code: 0, err: "" });
  await first.stop();
  const second = await serve(folder, "Europe/Berlin");
  expect(second.printed).not.toContain("confirmed");
  const [site] = await second.sites();
  expect(site).toMatchObject({ name: "Plant 1", timezone: "Australia/Adelaide" });
  expect(site).not.toHaveProperty("timezone_assumed");
});

test.each(["Mars/Phobos", ""])(
  "a TZ of %j is no reason to have no site, or one in no zone",
  { timeout: PATIENCE },
  async (zone) => {
    const { url, sites } = await serve(tempFolder(), zone);
    const [site] = await sites();
    expect(isTimezone(site?.timezone ?? ""), site?.timezone).toBe(true);
    const ready = (await (await fetch(`${url}/readyz`)).json()) as object;
    expect(ready).not.toHaveProperty("degraded");
  },
);
