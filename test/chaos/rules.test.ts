// kill -9 while a rule runs: what it wanted is done once, nothing that was due is forgotten, and each run left its trace.
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { createClient } from "#client/create-client.ts";
import { MOST_TRACES } from "#core/rule/rule.ts";
import { readTraces } from "#service/rule/rule-traces.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import { randomFrom } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { startVictim, type Victim } from "./victim.ts";

const MANIFEST = readFileSync(new URL("../client/project/manifest.yml", import.meta.url));
const PATIENCE = { timeout: 120_000, interval: 50 };
const RULE = "when:\n  - every: 2s\nmissed: run_late\nlate: 1h\nthen:\n  - execute: read_mode\n    device: c0\n";
const EVERY_MS = 2_000;
const EXECUTED = "execute read_mode of c0";
/** So long a run of kills comes to the limit of what a rule may execute. */
const LEFT_OUT = "left out: read_mode of c0: more than 12 in a minute";

test("kills under a running rule repeat no command, forget none, and lose no trace", { timeout: 600_000 }, async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
  const random = randomFrom(seed);
  const data = tempFolder();
  let victim = await start(data);
  const open = () => createClient({ url: victim.url, token: victim.token });
  const { blueprint } = await open().blueprints.upload(MANIFEST);
  const fields = { name: "Converter", slug: "c0", blueprint_id: blueprint.id };
  const device = (await open().provisioning.simulatedDevice(fields)).device_id;
  const site = (await open().sites.list()).sites[0]?.id ?? "";
  const script = { code: Buffer.from(RULE).toString("base64"), runtime_version: "V3", language: "yaml" } as const;
  const { rule } = await open().rules.create(site, { slug: "every", script });
  const executions = async () => (await open().commands.list(device, { limit: 1000 })).executions;
  for (let kill = 0; kill < roundsOf("kills of rules"); kill++) {
    const before = (await executions()).length;
    await vi.waitFor(async () => expect((await executions()).length).toBeGreaterThan(before), PATIENCE);
    await new Promise((resolve) => setTimeout(resolve, random() * 2_500));
    victim.kill();
    expect(await victim.end).toBe("SIGKILL");
    victim = await start(data);
  }
  const before = (await executions()).length;
  await vi.waitFor(async () => expect((await executions()).length).toBeGreaterThan(before), PATIENCE);
  await open().rules.disable(site, "every");
  await vi.waitFor(async () => expect((await executions()).map(({ state }) => state)).not.toContain("NEW"), PATIENCE);
  const stored = await executions();
  victim.kill();
  await victim.end;

  const records = await openRecords(data, (error) => {
    throw error;
  });
  const traces = await readTraces(records.rules, rule.id);
  await records.close();
  const ran = traces.filter(({ outcome }) => outcome === "ran");
  // The key of a run has its due time: no moment is there twice, and each has its own execution, unless it came too fast for one.
  expect(new Set(ran.map(({ id }) => id)).size).toBe(ran.length);
  const did = ran.map(({ steps }) => steps.map(({ what }) => what).join());
  expect(new Set(did).isSubsetOf(new Set([EXECUTED, LEFT_OUT]))).toBe(true);
  const executed = did.filter((what) => what === EXECUTED);
  const others = traces.filter(({ outcome }) => outcome !== "ran");
  expect(others.map(({ outcome }) => outcome)).toEqual(others.map(() => "skipped"));
  // The oldest traces are deleted after a while; commands stay.
  if (traces.length >= MOST_TRACES) return;
  expect(stored.length).toBe(executed.length);
  // Each moment from the first to the last ran, or is said to be missed, alone or with others of the same stop.
  const due = ran.map(({ id }) => Number(/@(\d+)/.exec(id)?.[1]));
  const missed = others.map(({ ended }) => Number(/^(\d+) times were missed/.exec(ended ?? "")?.[1] ?? 1));
  const moments = (Math.max(...due) - Math.min(...due)) / EVERY_MS + 1;
  expect(missed.reduce((sum, count) => sum + count, ran.length)).toBe(moments);
});

const SCRIPT = `
local device = enapter.device('c0')
schedule('2s', function(event)
  if variables.get('stop') then
    variables.set('stopped', true)
    return
  end
  storage.write('begun ' .. event.id, '')
  device.commands.execute('read_mode')
  notify(event.id)
  system.delay(300)
  device.commands.execute('read_mode')
  storage.write('ended ' .. event.id, '')
end, { missed = 'run_late', late = '1h' })
`;

test("kills under a script: each function ends, no effect comes twice, and what was cut says so", {
  timeout: 600_000,
}, async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
  const random = randomFrom(seed);
  const data = tempFolder();
  let victim = await start(data);
  const open = () => createClient({ url: victim.url, token: victim.token });
  const { blueprint } = await open().blueprints.upload(MANIFEST);
  const fields = { name: "Converter", slug: "c0", blueprint_id: blueprint.id };
  const device = (await open().provisioning.simulatedDevice(fields)).device_id;
  const site = (await open().sites.list()).sites[0]?.id ?? "";
  const script = { code: Buffer.from(SCRIPT).toString("base64"), runtime_version: "V3" } as const;
  const { rule } = await open().rules.create(site, { slug: "script", script });
  const executions = async () => (await open().commands.list(device, { limit: 1000 })).executions;
  const goesOn = async () => {
    const before = (await executions()).length;
    await vi.waitFor(async () => expect((await executions()).length).toBeGreaterThan(before), PATIENCE);
  };
  for (let kill = 0; kill < roundsOf("kills of scripts of rules"); kill++) {
    await goesOn();
    // Often in the middle of a function.
    await new Promise((resolve) => setTimeout(resolve, random() * 700));
    victim.kill();
    expect(await victim.end).toBe("SIGKILL");
    victim = await start(data);
  }
  await goesOn();
  // Functions run one after the other: the one that hears of it is the last.
  await open().rules.putVariable(site, "stop", true);
  await vi.waitFor(async () => {
    expect((await open().rules.variables(site)).variables.map(({ name }) => name)).toContain("stopped");
    const { traces } = await open().rules.traces(site, "script", { limit: 100 });
    expect(traces.filter(({ ended_at }) => ended_at === null)).toEqual([]);
    // Traces are stored together: with that of the last function, those of all before it.
    const last = traces.find(({ steps }) => steps.some(({ what }) => what === "set stopped = true"));
    expect(last?.ended).toBe("it ended");
  }, PATIENCE);
  const done = await executions();
  const { notifications } = await open().notifications.list(site, { limit: 1000 });
  victim.kill();
  await victim.end;

  const records = await openRecords(data, (error) => {
    throw error;
  });
  const traces = await readTraces(records.rules, rule.id);
  const kept = [...(await records.rules.storage(rule.id)).keys()];
  await records.close();
  const idsOf = (what: string) => kept.flatMap((key) => (key.startsWith(what) ? key.slice(what.length) : [])).sort();
  const begun = idsOf("begun ");
  // Nothing that began is forgotten, and no effect comes twice: not its two commands, and not its message.
  expect(idsOf("ended ")).toEqual(begun);
  expect(done.length).toBe(2 * begun.length);
  const texts = notifications.map(({ text }) => text);
  expect(texts.filter((text) => !begun.includes(text))).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
  const ends = traces.map(({ ended }) => ended ?? "");
  expect(ends.filter((text) => !text.startsWith("it ended") && !text.startsWith("it was cut"))).toEqual([]);
  // A function that was called again has more than one.
  if (traces.length < MOST_TRACES)
    expect(ends.filter((text) => text === "it ended").length).toBeGreaterThanOrEqual(begun.length);
});

async function start(data: string): Promise<Victim> {
  const victim = await startVictim(data);
  if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
  return victim;
}
