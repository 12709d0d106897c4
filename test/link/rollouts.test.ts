// Roll-outs of a cloud to devices of a gateway, while the line to it is cut.
import { expect, test } from "vitest";
import type { Rollout, RolloutDevice } from "#client/resources.ts";
import { commandManifest, makeCommandSite, upload } from "../support/command-site.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import type { TestServer } from "../support/server.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

let versions = 0;
/** A blueprint that no device has yet. */
const newBlueprint = (server: TestServer) => upload(server, commandManifest(`Version ${++versions}`));

async function blueprintIn({ admin }: TestServer, id: string): Promise<string> {
  return (await admin.get<{ device: { blueprint_id: string } }>(`/v3/devices/${id}`)).body.device.blueprint_id;
}

async function manifestIn({ admin }: TestServer, id: string): Promise<object> {
  return (await admin.get<{ manifest: object }>(`/v3/devices/${id}/manifest`)).body.manifest;
}

/** A device that both sides know. */
async function known(name: string): Promise<string> {
  const id = await pair.site.device(name);
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200));
  return id;
}

async function isInCloud(expected: boolean): Promise<void> {
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ gateways: { connected: boolean }[] }>("/v3/gateways");
    expect(body.gateways[0]?.connected).toBe(expected);
  });
}

async function apart(): Promise<void> {
  pair.line.cut();
  await isLinked(gateway, false);
  await isInCloud(false);
}

async function together(): Promise<void> {
  pair.line.heal();
  await isLinked(gateway, true);
  await isInCloud(true);
}

async function begin(blueprintId: string, ids: readonly string[], more: object = {}): Promise<string> {
  const body = { blueprint_id: blueprintId, devices: { device_ids: ids }, watch: 0, stages: ["100%"], ...more };
  const { status, text, body: answer } = await cloud.admin.post<{ rollout: Rollout }>("/v3/rollouts", body);
  expect(status, text).toBe(200);
  return answer.rollout.id;
}

const rollout = async (id: string) => (await cloud.admin.get<{ rollout: Rollout }>(`/v3/rollouts/${id}`)).body.rollout;
const devicesOf = async (id: string) =>
  (await cloud.admin.get<{ devices: readonly RolloutDevice[] }>(`/v3/rollouts/${id}/devices`)).body.devices;
const turn = async (id: string, name: string) =>
  (await cloud.admin.post<{ rollout: Rollout }>(`/v3/rollouts/${id}/${name}`, {})).body.rollout;

/** Waits until the only device of the roll-out is so. */
const becomes = (id: string, expected: Partial<RolloutDevice>) =>
  eventually(async () => expect(await devicesOf(id)).toMatchObject([expected]));

async function changesOf(deviceId: string): Promise<readonly string[]> {
  const { body } = await cloud.admin.get<{ changes: { state: string }[] }>(`/v3/changes?device_id.in=${deviceId}`);
  return body.changes.map(({ state }) => state);
}

/** Begins a roll-out whose change is on its way and does not arrive. */
async function stuck(deviceId: string, more: object = {}): Promise<{ id: string; blueprintId: string }> {
  const blueprintId = await newBlueprint(cloud);
  pair.line.hold();
  const id = await begin(blueprintId, [deviceId], more);
  await becomes(id, { state: "ASSIGNING" });
  await eventually(async () => expect(await changesOf(deviceId)).toEqual(["PENDING"]));
  return { id, blueprintId };
}

/** Another roll-out reaches a device of the gateway: whatever waited before it has been handed over by now. */
async function isThrough(): Promise<void> {
  const other = await known(`later ${++versions}`);
  await becomes(await begin(await newBlueprint(cloud), [other]), { state: "DONE" });
}

test("a device whose gateway is away waits for it, and gets nothing of a roll-out that was aborted meanwhile", async () => {
  const [waiting, left] = [await known("waiting"), await known("left")];
  await apart();
  const [first, second] = [await newBlueprint(cloud), await newBlueprint(cloud)];
  const [goesOn, aborted] = [await begin(first, [waiting]), await begin(second, [left])];
  for (const id of [goesOn, aborted]) {
    await becomes(id, { state: "WAITING", reason: "its gateway is away" });
    expect(await rollout(id)).toMatchObject({ state: "RUNNING", devices: { waiting: 1, away: 1 } });
  }
  expect(await changesOf(waiting)).toEqual([]);
  expect((await turn(aborted, "abort")).state).toBe("ABORTED");
  await together();
  await becomes(goesOn, { state: "DONE", reason: null });
  expect(await blueprintIn(cloud, waiting)).toBe(first);
  await isThrough();
  expect(await blueprintIn(cloud, left)).not.toBe(second);
  expect(await changesOf(left)).toEqual([]);
});

test.each([
  ["abort", { state: "SKIPPED", reason: "the roll-out was aborted before the device had the blueprint" }],
  ["pause", { state: "WAITING", reason: null }],
] as const)("%s withdraws a change that has not reached the gateway", async (name, expected) => {
  const device = await known(`stuck ${name}`);
  const former = await blueprintIn(cloud, device);
  const { id, blueprintId } = await stuck(device);
  await turn(id, name);
  expect(await changesOf(device)).toEqual(["WITHDRAWN"]);
  expect(await devicesOf(id)).toMatchObject([expected]);
  await apart();
  await together();
  await isThrough();
  expect(await changesOf(device)).toEqual(["WITHDRAWN"]);
  expect(await blueprintIn(cloud, device)).toBe(former);
  if (name === "abort") return;
  await turn(id, "resume");
  await becomes(id, { state: "DONE", former_blueprint_id: former });
  expect(await changesOf(device)).toEqual(["DONE", "WITHDRAWN"]);
  expect(await blueprintIn(cloud, device)).toBe(blueprintId);
});

test("a device that does not get the blueprint in time gets it never", async () => {
  const device = await known("too late");
  const { id } = await stuck(device, { timeout: 5 });
  await becomes(id, { state: "FAILED", reason: "it did not get the blueprint in time" });
  expect(await changesOf(device)).toEqual(["WITHDRAWN"]);
  await eventually(async () => expect((await rollout(id)).state).toBe("HALTED"));
  await apart();
  await together();
  await isThrough();
  expect(await changesOf(device)).toEqual(["WITHDRAWN"]);
});

test("what somebody on the site assigned while the line was cut stays, whether the gateway was asked before or not", async () => {
  const [asked, waiting] = [await known("asked"), await known("not asked")];
  const { id: first } = await stuck(asked);
  await apart();
  await becomes(first, { state: "WAITING", reason: "its gateway is away" });
  const second = await begin(await newBlueprint(cloud), [waiting]);
  const theirs = await newBlueprint(gateway);
  for (const device of [asked, waiting]) {
    const path = `/v3/devices/${device}/assign_blueprint`;
    expect((await gateway.admin.post(path, { blueprint_id: theirs })).status).toBe(200);
  }
  await together();
  for (const id of [first, second]) {
    await becomes(id, { state: "FAILED" });
    await eventually(async () => expect((await rollout(id)).state).toBe("HALTED"));
    const [device] = await devicesOf(id);
    expect(device?.reason).toMatch(
      /^(?:another blueprint was assigned in the meantime|the gateway has changed blueprint meanwhile)$/,
    );
    await turn(id, "resume");
    await eventually(async () => expect((await rollout(id)).state).toBe("DONE"));
  }
  await isThrough();
  for (const device of [asked, waiting]) expect(await blueprintIn(gateway, device)).toBe(theirs);
  expect(await manifestIn(cloud, asked)).toEqual(await manifestIn(gateway, asked));
  // The roll-out withdraws it when it learns of the other blueprint before the gateway has answered.
  expect(await changesOf(asked)).toEqual([expect.stringMatching(/^(?:OVERRULED|WITHDRAWN)$/)]);
});

test("a device is not judged while its gateway is away", async () => {
  const device = await known("watched");
  await pair.site.connect(device);
  await eventually(async () => {
    const path = `/v3/devices/${device}?expand=connectivity`;
    const { body } = await cloud.admin.get<{ device: object }>(path);
    expect(body.device).toMatchObject({ connectivity: { status: "ONLINE" } });
  });
  const id = await begin(await newBlueprint(cloud), [device], { watch: 2 });
  await becomes(id, { state: "WATCHED" });
  await apart();
  const since = Date.parse((await devicesOf(id))[0]?.since ?? "");
  const other = await makeCommandSite(cloud, "of the cloud");
  await eventually(async () => expect(Date.now() - since).toBeGreaterThan(4_000));
  // The next round has passed by then.
  await becomes(await begin(await newBlueprint(cloud), [await other.device("beside")]), { state: "DONE" });
  expect(await rollout(id)).toMatchObject({ state: "RUNNING", devices: { watched: 1 } });
  await together();
  await eventually(async () => expect(await rollout(id)).toMatchObject({ state: "DONE", devices: { done: 1 } }));
});

test("devices of a gateway that is away hold up no others, and can be left out", async () => {
  const away = await Promise.all(Array.from({ length: 21 }, (_, at) => known(`away ${at}`)));
  const here = await (await makeCommandSite(cloud, "own site")).device("here");
  expect([...away, here].sort().at(-1)).toBe(here);
  await apart();
  const blueprintId = await newBlueprint(cloud);
  const id = await begin(blueprintId, [...away, here]);
  await eventually(async () => expect((await rollout(id)).devices).toMatchObject({ waiting: 21, away: 21, done: 1 }));
  expect(await blueprintIn(cloud, here)).toBe(blueprintId);
  expect((await cloud.admin.post(`/v3/rollouts/${id}/resume`, {})).status).toBe(409);
  for (const [name, state] of [
    ["pause", "PAUSED"],
    ["resume", "RUNNING"],
  ] as const) {
    expect(await turn(id, name)).toMatchObject({ state, devices: { waiting: 21, away: 21 } });
  }
  expect((await turn(id, "resume?without_away=true")).devices).toMatchObject({ skipped: 21, away: 0 });
  await eventually(async () => expect((await rollout(id)).state).toBe("DONE"));
  expect((await devicesOf(id))[0]).toMatchObject({ state: "SKIPPED", reason: "its gateway was away" });
  await together();
});
