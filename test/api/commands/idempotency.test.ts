import { beforeAll, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { type CommandSite, commandsOf, makeCommandSite } from "../../support/command-site.ts";
import { arrival, asNew, makeExecution } from "../../support/executions.ts";
import { makeEntry } from "../../support/records.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

let site: CommandSite;
let deviceId: string;

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Idempotency");
  deviceId = await site.device("Once");
});

const commands = () => commandsOf(busbar.admin, deviceId);
const key = (name: string) => ({ "Idempotency-Key": name });
const start = { name: "start", arguments: { power: 5, mode: "boost" } };

test("the same key and body give the same execution, over both calls, and the device gets it once", async () => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.completed({ n: 1 }));
  const executed = await commands().execute(start, { headers: key("a") });
  expect(executed.body.execution.state).toBe("SUCCESS");
  const again = await commands().execute(start, { headers: key("a") });
  expect(again.body).toEqual(executed.body);
  const created = await commands().create(start, key("a"));
  expect(created.body).toEqual({ execution_id: executed.body.execution.id });
  await device.log("still there");
  expect(device.commands).toHaveLength(1);
});

test("the order of fields in the body means nothing", async () => {
  const first = await commands().create(start, key("order"));
  const turned = { ephemeral: false, arguments: { mode: "boost", power: 5.0 }, name: "start" };
  expect((await commands().create(turned, key("order"))).body).toEqual(first.body);
});

test.each([
  [{ name: "start", arguments: { power: 6, mode: "boost" } }],
  [{ name: "start", arguments: { power: 5 } }],
  [{ name: "go", arguments: { power: 5, mode: "boost" } }],
  [{ ...start, ephemeral: true }],
  [{ name: "stop" }],
])("the same key with the body %j is a conflict", async (body) => {
  await commands().create(start, key("conflict"));
  for (const refused of [
    await commands().create(body, key("conflict")),
    await commands().execute(body, { headers: key("conflict") }),
  ]) {
    expect([refused.status, refused.errors[0]?.code]).toEqual([409, "idempotency_conflict"]);
  }
});

test("another key, none, or an empty one makes another execution", async () => {
  const ids = [];
  for (const headers of [key("x"), key("y"), {}, {}, key(""), key("")]) {
    ids.push((await commands().create(start, headers)).body.execution_id);
  }
  expect(new Set(ids).size).toBe(6);
});

test("a key counts per token and per device", async () => {
  const other = await site.device("Other once");
  const token = await busbar.token({ level: "user" });
  const ids = [
    (await commands().create(start, key("shared"))).body.execution_id,
    (await commandsOf(busbar.admin, other).create(start, key("shared"))).body.execution_id,
    (await commandsOf(busbar.as(token), deviceId).create(start, key("shared"))).body.execution_id,
  ];
  expect(new Set(ids).size).toBe(3);
});

test("a hundred calls at once with one key make one execution", async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => commands().create(start, key("race"))));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.execution_id)).size).toBe(1);
});

test("a call that repeats one that still waits, waits for the same end", async () => {
  const waiter = await site.device("Waiter");
  const { execute } = commandsOf(busbar.admin, waiter);
  const device = await site.connect(waiter);
  const headers = key("wait");
  const first = execute(start, { headers });
  const command = await device.nextCommand();
  const second = execute(start, { headers });
  const third = execute(start, { headers: { ...headers, Prefer: "wait=0" } });
  // The start is recorded a moment after the hand-over, to share a commit with a quick answer.
  expect((await third).body.execution).toMatchObject({
    id: command.id,
    state: expect.stringMatching(/^(NEW|IN_PROGRESS)$/),
  });
  await command.completed({ n: 3 });
  for (const { body } of [await first, await second]) {
    expect(body.execution).toMatchObject({ id: command.id, state: "SUCCESS", response: { payload: { n: 3 } } });
  }
});

test("a key outlives a restart", async () => {
  const first = await commands().create(start, key("restart"));
  await busbar.restart();
  expect((await commands().create(start, key("restart"))).body).toEqual(first.body);
});

test("after 24 hours a key is free again, also for another body", async () => {
  const first = await commands().create(start, key("day"));
  const aged = async (ms: number) => {
    await busbar.withRecords(async ({ executions }) => {
      // The sweep of a later moment forgets what is used up by then.
      await executions.sweep(instant(Date.now() + ms));
    });
  };
  await aged(23 * 3_600_000);
  expect((await commands().create(start, key("day"))).body).toEqual(first.body);
  await aged(24 * 3_600_000 + 60_000);
  const next = await commands().create({ name: "stop" }, key("day"));
  expect(next.status).toBe(200);
  expect(next.body).not.toEqual(first.body);
});

test("a key that is used up is free before any sweep", async () => {
  const admin = await busbar.admin.get<{ entries: readonly { actor: { token_id: string } }[] }>("/v3/audit?limit=1");
  const createdAt = instant(Date.now() - 24 * 3_600_000 - 1);
  const old = makeExecution({ siteId: site.siteId, deviceId }, { createdAt });
  await busbar.withRecords(async ({ executions }) => {
    const tokenId = admin.body.entries[0]?.actor.token_id ?? "";
    const expiresAt = instant(createdAt + 24 * 3_600_000);
    const idempotency = { tokenId, key: "old", requestDigest: new Uint8Array(32), expiresAt };
    await executions.insert(asNew(old, { idempotency, attempted: true }), makeEntry());
    await executions.record(deviceId, old.id, arrival("SUCCEEDED"));
  });
  expect((await commands().create(start, key("old"))).status).toBe(200);
});

test.each(["two words", "Größe", "x".repeat(201), "tab\there"])("the key %j is refused", async (name) => {
  const headers = { "Idempotency-Key": Buffer.from(name, "utf8").toString("latin1") };
  const refused = await commands().create(start, headers);
  expect([refused.status, refused.errors[0]?.code]).toEqual([400, "invalid_request"]);
  expect(refused.errors[0]?.details).toEqual({ header: "Idempotency-Key" });
});
