// The demo site as a newcomer meets it: every line that the README and the start itself tell to type, in their order.
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

/** What a line must end with and print, where that is more than success. */
const SPECIAL: readonly (readonly [RegExp, { readonly code?: number; readonly prints: RegExp }])[] = [
  [/^\.\/bin\/busbar device list/, { prints: /roof-inverter +LUA[\s\S]*weather-station +LUA/ }],
  [/^\.\/bin\/busbar now/, { prints: /battery_soc +[\d.]+ +%/ }],
  [/--chart/, { prints: /│|┤|\|/ }],
  [/heat_sensors/, { prints: /IN_PROGRESS +message=heads [\s\S]*SUCCEEDED/ }],
  [/set_battery_power/, { prints: /run set_mode with mode=remote first|SUCCEEDED/ }],
  [/alerts/, { prints: /"cell_imbalance"/ }],
  [/"mode": "fsat"/, { prints: /did you mean fast\?/ }],
];

let busbar: RunningBusbar;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "busbar-demo-"));
  for (const name of ["bin", "examples", "node_modules"]) symlinkSync(join(ROOT, name), join(folder, name));
  busbar = await startBusbar(folder, "--demo", "--mqtt-port", "0");
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
  const ended = once(child, "close");
  const isEndless = line.includes("--watch");
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      out = stripVTControlCharacters(out + text);
      if (isEndless && prints?.test(out) === true) child.kill("SIGINT");
    });
  }
  await ended;
  return { code: child.exitCode, out };
}

test("the history fills in the background, and readyz tells how far it is", async () => {
  const underWay = async () =>
    ((await (await fetch(`${busbar.url}/readyz`)).json()) as { readonly under_way?: readonly object[] }).under_way;
  await expect.poll(underWay, { timeout: 60_000, interval: 250 }).toBeUndefined();
  expect(busbar.log.filter((line) => line.includes("the demo's history is complete"))).toHaveLength(1);
}, 70_000);

test("the README has every line that the start tells to type", () => {
  expect(readmeLines()).toEqual(expect.arrayContaining([...TRY_DEMO]));
});

test("every line of the README's five minutes works as it is written", async () => {
  for (const line of readmeLines()) {
    if (line.endsWith("&")) {
      type(line.slice(0, -1));
      continue;
    }
    const { code = 0, prints } = SPECIAL.find(([pattern]) => pattern.test(line))?.[1] ?? {};
    const ran = await typed(line, prints);
    expect({ line, code: ran.code, out: ran.out }).toMatchObject({ line, code });
    if (prints !== undefined) expect(ran.out, line).toMatch(prints);
  }
}, 120_000);
