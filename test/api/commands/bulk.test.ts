// One command for many devices: a result for each, limits that hold, and nothing said about devices that are not the caller's.
import { beforeAll, expect, test, vi } from "vitest";
import { createClient } from "#client/create-client.ts";
import {
  type CommandSite,
  commandsOf,
  connected,
  makeCommandSite,
  type OneExecution,
} from "../../support/command-site.ts";
import { type Session, useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0", "--commands-response-timeout", "5s"]);

interface Bulk {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly ended_at: string | null;
  readonly arguments: object;
  readonly devices: Readonly<Record<string, number>>;
}
interface Member {
  readonly device: string;
  readonly device_id: string | null;
  readonly state: string;
  readonly execution_id: string | null;
  readonly code: string | null;
}

let site: CommandSite;
let other = "";
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Bulk");
  other = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Elsewhere" })).body.site.id;
});

const create = (body: object, as: Session = busbar.admin, headers = {}) =>
  as.post<{ bulk: Bulk }>("/v3/commands/bulk", body, { headers });
const read = async (id: string) => (await busbar.admin.get<{ bulk: Bulk }>(`/v3/commands/bulk/${id}`)).body.bulk;
const membersOf = async (id: string) =>
  (await busbar.admin.get<{ devices: Member[] }>(`/v3/commands/bulk/${id}/devices?limit=100`)).body.devices;
const ended = (id: string) =>
  vi.waitFor(
    async () => {
      const bulk = await read(id);
      expect(bulk.ended_at).not.toBeNull();
      return bulk;
    },
    { timeout: 40_000, interval: 100 },
  );

/** A device that answers as it is told. */
async function makeDevice(name: string, answer: "completed" | "error" | "nothing" = "completed") {
  const id = await site.device(name);
  const device = await connected(await site.configOf(id));
  device.onCommand(async (command) => {
    if (answer !== "nothing") await command[answer]({ message: "as told" });
  });
  return { id, device };
}

test("each device has its own execution and result, and the audit log one entry", async () => {
  const [good, bad] = [await makeDevice("good"), await makeDevice("bad", "error")];
  const body = { name: "start", arguments: { power: 5 }, devices: { device_ids: [good.id, "bad", good.id, "nobody"] } };
  const made = await create(body);
  expect([made.status, made.body.bulk?.devices], made.text).toMatchObject([200, { total: 3, refused: 1 }]);
  const { id } = made.body.bulk;
  expect(await ended(id)).toMatchObject({ state: "DONE", devices: { success: 1, failed: 1, refused: 1 } });
  const members = await membersOf(id);
  expect(members).toMatchObject([
    { device: good.id, device_id: good.id, state: "SUCCESS" },
    { device: "bad", device_id: bad.id, state: "FAILED", code: "ERROR", message: "as told" },
    { device: "nobody", device_id: null, state: "REFUSED", code: "not_found", execution_id: null },
  ]);
  const execution = (await commandsOf(busbar.admin, good.id).get(members[0]?.execution_id ?? "")).body.execution;
  expect(execution).toMatchObject({ bulk_id: id, request: { arguments: { power: 5, mode: "eco" } } });
  expect([good.device.commands, bad.device.commands].map(({ length }) => length)).toEqual([1, 1]);
  const audit = await busbar.admin.get<{ entries: { action: string; details: { bulk_id?: string } }[] }>(
    "/v3/audit?limit=1000",
  );
  expect(audit.body.entries.filter(({ details }) => details.bulk_id === id).map(({ action }) => action)).toEqual([
    "createBulkCommand",
  ]);
});

test("levels and sites hold for each device, and others are as if they did not exist", async () => {
  const hidden = await site.device("hidden");
  const user = busbar.as(await busbar.token({ level: "user", site_ids: [other] }));
  const far = await create({ name: "start", devices: { device_ids: [hidden, "no-such-device"] } }, user);
  expect(far.body.bulk.devices).toMatchObject({ refused: 2 });
  const seen = await user.get<{ devices: Member[] }>(`/v3/commands/bulk/${far.body.bulk.id}/devices`);
  expect(seen.body.devices.map(({ device_id, code }) => [device_id, code])).toEqual([
    [null, "not_found"],
    [null, "not_found"],
  ]);
  for (const devices of [{ site_ids: [site.siteId] }]) {
    expect((await create({ name: "start", devices }, user)).status).toBe(404);
  }
  const near = busbar.as(await busbar.token({ level: "user", site_ids: [site.siteId] }));
  const low = await create({ name: "service", devices: { device_ids: [hidden] } }, near);
  expect(await ended(low.body.bulk.id)).toMatchObject({ devices: { refused: 1 } });
  expect(await membersOf(low.body.bulk.id)).toMatchObject([
    { state: "REFUSED", code: "forbidden", execution_id: null },
  ]);
  // What somebody else has begun is seen by owners of everything alone.
  expect((await user.get(`/v3/commands/bulk/${low.body.bulk.id}`)).status).toBe(404);
  expect((await user.post(`/v3/commands/bulk/${low.body.bulk.id}/cancel`, undefined)).status).toBe(404);
  expect((await near.get<{ total_count: number }>("/v3/commands/bulk")).body.total_count).toBe(1);
});

test.each([
  [{ name: "start", devices: {} }, "/devices"],
  [{ name: "start", devices: { device_ids: [] } }, "/devices/device_ids"],
  [{ name: "start", devices: { device_ids: ["a"], profiles: ["b"] } }, "/devices"],
  [{ name: "start", devices: { profiles: ["no.such.profile"] } }, "/devices"],
  [{ name: "start", devices: { device_ids: Array.from({ length: 5_001 }, (_, n) => `d${n}`) } }, "/devices/device_ids"],
  [{ name: "start", devices: { device_ids: ["a"] }, rate: 101 }, "/rate"],
  [{ name: "start", devices: { device_ids: ["a"] }, parallel: 0 }, "/parallel"],
  [{ name: "start", devices: { device_ids: ["a"] }, stop_after: 0.5 }, "/stop_after"],
  [{ name: "start" }, "/devices"],
])("what is wrong is refused: %#", async (body, pointer) => {
  const refused = await create(body);
  expect([refused.status, refused.errors[0]?.code, refused.errors[0]?.details?.["pointer"]]).toEqual([
    400,
    "invalid_body",
    pointer,
  ]);
});

test("a filter chooses devices that have the command, and sensitive arguments are hidden", async () => {
  const made = await create({
    name: "unlock",
    arguments: { door: "a", pin: "4711", unheard: 1 },
    devices: { blueprint_ids: [site.blueprintId] },
  });
  expect(made.body.bulk.arguments).toEqual({ door: "a", pin: "***", unheard: "***" });
  expect(made.text).not.toContain("4711");
  const tried = await busbar.admin.post<{ devices: { code: string | null }[] }>("/v3/commands/bulk/dry_run", {
    name: "start",
    arguments: { power: 500 },
    devices: { site_ids: [site.siteId] },
  });
  expect(new Set(tried.body.devices.map(({ code }) => code))).toEqual(new Set(["invalid_arguments"]));
  await ended(made.body.bulk.id);
});

test("it stops after failures, honestly, and cancelling ends what waits and begins nothing more", async () => {
  const failing = await Promise.all(Array.from({ length: 5 }, (_, n) => makeDevice(`failing-${n}`, "error")));
  const device_ids = failing.map(({ id }) => id);
  const stopping = await create({ name: "stop", devices: { device_ids }, parallel: 1, stop_after: 2 });
  expect(await ended(stopping.body.bulk.id)).toMatchObject({
    state: "STOPPED",
    reason: "2 devices have failed",
    devices: { failed: 2, skipped: 3 },
  });
  expect(failing.map(({ device }) => device.commands.length)).toEqual([1, 1, 0, 0, 0]);
  const away = await Promise.all(Array.from({ length: 4 }, (_, n) => site.device(`away-${n}`)));
  const made = await create({ name: "stop", devices: { device_ids: away }, parallel: 2, rate: 100 });
  const { id } = made.body.bulk;
  await vi.waitFor(async () => expect((await read(id)).devices["running"]).toBe(2), { timeout: 20_000 });
  const cancelled = await busbar.admin.post<{ bulk: Bulk }>(`/v3/commands/bulk/${id}/cancel`, undefined);
  expect(cancelled.body.bulk).toMatchObject({ state: "CANCELLED", devices: { skipped: 2 } });
  expect((await busbar.admin.post(`/v3/commands/bulk/${id}/cancel`, undefined)).status).toBe(200);
  expect(await ended(id)).toMatchObject({ state: "CANCELLED", devices: { failed: 2, skipped: 2 } });
  const executions = await Promise.all(away.map((one) => commandsOf(busbar.admin, one).list()));
  const payloads = executions.flatMap(({ body }) => body.executions.map(({ response }) => response?.payload?.["code"]));
  expect(payloads).toEqual(["cancelled", "cancelled"]);
  expect(
    (await busbar.admin.post(`/v3/commands/bulk/${stopping.body.bulk.id}/cancel`, undefined)).errors[0]?.code,
  ).toBe("not_cancellable");
});

test("a token that is revoked in the middle stops it", async () => {
  const away = await Promise.all(Array.from({ length: 3 }, (_, n) => site.device(`revoked-${n}`)));
  const { body: token } = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", {
    name: "short",
    level: "user",
  });
  const made = await create({ name: "stop", devices: { device_ids: away }, parallel: 1 }, busbar.as(token.token));
  const { id } = made.body.bulk;
  await vi.waitFor(async () => expect((await read(id)).devices["running"]).toBe(1), { timeout: 20_000 });
  await busbar.admin.delete(`/v3/tokens/${token.id}`);
  const stopped = await ended(id);
  expect([stopped.state, stopped.reason]).toEqual(["STOPPED", expect.stringContaining("revoked")]);
  expect(stopped.devices).toMatchObject({ skipped: 2 });
});

test("the same key gives the same bulk command; progress is streamed", async () => {
  const { id: deviceId } = await makeDevice("streamed");
  const client = createClient({ url: busbar.url, token: busbar.adminToken });
  const leaving = new AbortController();
  const events = client.events({ "kind.in": ["bulk"] }, { signal: leaving.signal });
  expect((await events.next()).value).toEqual({ kind: "open" });
  const body = { name: "stop", devices: { device_ids: [deviceId] } };
  const key = { "Idempotency-Key": "bulk-1" };
  const [first, again] = await Promise.all([create(body, busbar.admin, key), create(body, busbar.admin, key)]);
  expect(again.body.bulk.id).toBe(first.body.bulk.id);
  expect((await create({ ...body, name: "start" }, busbar.admin, key)).errors[0]?.code).toBe("idempotency_conflict");
  const states: string[] = [];
  for await (const event of events) {
    if (event.kind !== "bulk" || event.bulk.id !== first.body.bulk.id) continue;
    states.push(event.bulk.has_ended ? event.bulk.state : event.device.state);
    if (event.bulk.has_ended) break;
  }
  leaving.abort();
  expect(states).toEqual(["RUNNING", "SUCCESS", "DONE"]);
  const one = (await commandsOf(busbar.admin, deviceId).list()).body.executions as OneExecution["execution"][];
  expect(one).toHaveLength(1);
});
