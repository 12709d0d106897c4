import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { collectingPool } from "../support/lua-pool.ts";

// Each script says in its first line how it ends: it runs on within its limits ("done" is logged), it fails by an error
// of its own, it is quarantined by a limit, or it is stopped by either, whichever comes first. None may log ESCAPED, and no thread may die of any of them.
const folder = new URL("./hostile/", import.meta.url);
const scripts = readdirSync(folder).map((file) => {
  const source = readFileSync(new URL(file, folder));
  const ends = /^-- ends: (runs|failed|quarantined|stopped)\n/.exec(source.toString("latin1"))?.[1];
  if (ends === undefined) throw new Error(`${file} does not say how it ends`);
  return { name: file.replace(".lua", ""), source, ends };
});
const subjects = [...new Set(scripts.map(({ name }) => name.split("-")[0] ?? ""))];

const { pool, start, until, output } = collectingPool({
  threads: 2,
  limits: { activityMs: 80, memoryBytes: 4_194_304 },
});
afterAll(() => pool.close());

const NEIGHBOUR = "local n = 0 scheduler.add(20, function() n = n + 1 enapter.send_telemetry({ n = n }) end)";
const neighbours = Array.from({ length: 20 }, (_, index) => `neighbour-${index}`);
/** Writes are slow, 20 a second: so the scripts begin with almost all keys that they may have. */
const FULL_STORAGE = new Map(Array.from({ length: 950 }, (_, n) => [`k${n + 1}`, "x"]));
const PATTERNS: Readonly<Record<string, string>> = {
  runs: "info: done",
  failed: "is FAILED",
  quarantined: "is QUARANTINED",
  stopped: "is (FAILED|QUARANTINED)",
};

test("the corpus has at least 90 scripts", () => {
  expect(scripts.length).toBeGreaterThanOrEqual(90);
});

test("neighbours start on both threads", async () => {
  for (const name of neighbours) await start(name, NEIGHBOUR);
  await Promise.all(neighbours.map((name) => until(new RegExp(`^${name} telemetry`))));
});

test.each(subjects)(
  "scripts about %s are contained",
  async (subject) => {
    const chosen = scripts.filter(({ name }) => name.startsWith(`${subject}-`));
    for (const { name, source } of chosen) await start(name, source, { storage: FULL_STORAGE });
    await Promise.all(chosen.map(({ name, ends }) => until(new RegExp(`^${name} (${PATTERNS[ends]}|.*ESCAPED)`))));
    expect(output.filter((line) => line.includes("ESCAPED"))).toEqual([]);
    // Those that were stopped may have been started again since, after their back-off.
    // One that takes its time overruns, and runs on.
    const isRunning = (name: string) => /^(?:RUNNING|OVERRUNNING)$/.test(pool.status(name)?.state ?? "");
    const wrong = chosen.filter(({ name, ends }) => ends === "runs" && !isRunning(name));
    expect(wrong.map(({ name }) => `${name} is ${pool.status(name)?.state}`)).toEqual([]);
    for (const { name } of chosen) pool.stop(name);
    const from = output.length;
    await Promise.all(neighbours.map((name) => until(new RegExp(`^${name} telemetry`), from)));
    expect(
      output.filter((line) => /^neighbour-\d+ (is|error)/.test(line) && !/is (STARTING|RUNNING)$/.test(line)),
    ).toEqual([]);
  },
  60_000,
);

test("a command that computes for ever ends as an error", async () => {
  await start("spinner", "enapter.register_command_handler('spin', function() while true do end end)");
  await until(/^spinner is RUNNING/);
  pool.command("spinner", { id: "c1", name: "spin", arguments: {} });
  expect(await until(/^spinner c1/)).toBe(
    'spinner c1 ERROR {"message":"computed for more than 80 ms without a pause"}',
  );
  expect(pool.status("spinner")?.state).toBe("QUARANTINED");
});
