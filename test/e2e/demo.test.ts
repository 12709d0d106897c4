// The demo site as a newcomer meets it: every line that the README and the start itself ask to type, in their order.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TRY_DEMO } from "#role/serve.ts";
import { type RunningBusbar, startBusbar } from "../support/start-busbar.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Shell lines of the README's five minutes, without prompts; a line that ends with a backslash goes on. */
function readmeLines(): readonly string[] {
  const [, section = ""] =
    /^## Try it in five minutes\n([\s\S]*?)^## /m.exec(readFileSync(`${ROOT}README.md`, "utf8")) ?? [];
  const blocks = [...section.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => {
    const whole = block.replaceAll(/\\\n\s*/g, "").split("\n");
    const prompted = whole.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
    return prompted.length > 0 ? prompted : whole.filter((line) => line !== "");
  });
}

/** What a line must print, where that is more than nothing wrong. */
const PRINTS: readonly (readonly [RegExp, RegExp])[] = [
  [/^\.\/bin\/busbar device list/, /^roof-inverter .*LUA[\s\S]*^weather-station .*LUA/m],
  [/^\.\/bin\/busbar now/, /battery_soc +[\d.]+ +%/],
  [/--chart/, /┤.*[⠁-⣿]/],
  [/busbar alerts/, /battery-rack-a +warning +SOFT .*cell_imbalance/],
  [/heat_sensors/, /IN_PROGRESS +heads [\d.]+ K[\s\S]*SUCCEEDED/],
  [/fsat/, /did you mean fast\?/],
  [/set_power power=40/, /IN_PROGRESS[\s\S]*SUCCEEDED +power=40/],
];

let busbar: RunningBusbar;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "busbar-demo-"));
  for (const name of ["bin", "examples", "node_modules"]) symlinkSync(join(ROOT, name), join(folder, name));
  // Each day of history takes two seconds of processor time, and no line asks for more than three.
  busbar = await startBusbar(folder, "--demo", "--demo-history", "3d", "--mqtt-port", "0");
});

afterAll(async () => {
  for (const child of children) child.kill();
  expect(await busbar.stop()).toBe(0);
  rmSync(folder, { recursive: true });
});

function type(line: string): ChildProcess {
  // The README is about the port that a newcomer has; here it is another one.
  const child = spawn("sh", ["-c", `exec ${line.replaceAll("http://127.0.0.1:8080", busbar.url)}`], {
    cwd: folder,
    env: { ...process.env, BUSBAR_URL: busbar.url },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  return child;
}

/** Types a line and waits for its end; of one that never ends by itself, until it has shown what it should. */
async function typed(line: string, prints: RegExp | undefined) {
  const child = type(line);
  let out = "";
  let isInterrupted = false;
  const ended = once(child, "close");
  const isEndless = line.includes("--watch");
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      out = stripVTControlCharacters(out + text);
      if (isEndless && !isInterrupted && prints?.test(out) === true) isInterrupted = child.kill("SIGINT");
    });
  }
  await ended;
  return { code: isInterrupted && child.signalCode === "SIGINT" ? 0 : child.exitCode, out };
}

test("the README has every line that the start asks to type", () => {
  expect(readmeLines()).toEqual(expect.arrayContaining([...TRY_DEMO]));
});

test("every line of the README's five minutes works as it is written", async () => {
  let isRemote = false;
  for (const line of readmeLines()) {
    if (line.endsWith("&")) {
      type(line.slice(0, -1));
      continue;
    }
    const prints = PRINTS.find(([pattern]) => pattern.test(line))?.[1];
    // The one that fails, until somebody does what it says.
    const isRefused = line.includes("set_battery_power") && !isRemote;
    isRemote ||= line.includes("set_mode mode=remote");
    let ran = await typed(line, isRefused ? /run set_mode with mode=remote first/ : prints);
    // A person types slower than a device measures for the first time.
    while (/telemetry query/.test(line) && /^nothing known/.test(ran.out)) ran = await typed(line, prints);
    expect({ line, ...ran }).toMatchObject({ line, code: isRefused ? 6 : 0 });
    if (prints !== undefined) expect(ran.out, line).toMatch(prints);
  }
});
