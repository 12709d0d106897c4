// A blueprint for many devices, in stages, over HTTP.
import { beforeAll, expect, test, vi } from "vitest";
import type { Rollout, RolloutDevice } from "#client/resources.ts";
import { type CommandSite, commandManifest, makeCommandSite, upload } from "../support/command-site.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
let site: CommandSite;
let versions = 0;
/** A blueprint that no device has yet. */
const newBlueprint = (more = "") => upload(busbar, commandManifest(`Version ${++versions}`, more));

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Roll-outs");
});

async function create(body: object): Promise<Rollout> {
  const answer = await busbar.admin.post<{ rollout: Rollout }>("/v3/rollouts", body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.rollout;
}

const get = async (id: string) => (await busbar.admin.get<{ rollout: Rollout }>(`/v3/rollouts/${id}`)).body.rollout;
const turn = async (id: string, name: string) =>
  await busbar.admin.post<{ rollout: Rollout }>(`/v3/rollouts/${id}/${name}`, {});
const devicesOf = async (id: string, query = "") =>
  (await busbar.admin.get<{ devices: readonly RolloutDevice[] }>(`/v3/rollouts/${id}/devices${query}`)).body.devices;
const blueprintOf = async (id: string) =>
  (await busbar.admin.get<{ device: { blueprint_id: string } }>(`/v3/devices/${id}`)).body.device.blueprint_id;

async function becomes(id: string, state: Rollout["state"]): Promise<Rollout> {
  return await vi.waitFor(async () => {
    const rollout = await get(id);
    expect(rollout.state, JSON.stringify(rollout)).toBe(state);
    return rollout;
  }, PATIENT);
}

const devices = (count: number, name: string) =>
  Promise.all(Array.from({ length: count }, (_, at) => site.device(`${name} ${at}`)));

test("all devices get the blueprint, stage by stage, and a gateway itself is left out", async () => {
  const ids = await devices(5, "plain");
  const blueprintId = await newBlueprint();
  const rollout = await create({
    blueprint_id: blueprintId,
    devices: { device_ids: ids },
    stages: ["1", "60%", "100%"],
    watch: 0,
  });
  expect(rollout).toMatchObject({ state: "RUNNING", stage: 1, stages: [1, 3, 5], devices: { total: 5 } });
  expect(await becomes(rollout.id, "DONE")).toMatchObject({ stage: 3, devices: { done: 5, failed: 0 } });
  for (const id of ids) expect(await blueprintOf(id)).toBe(blueprintId);
  const listed = await devicesOf(rollout.id);
  expect(listed.map(({ stage }) => stage)).toEqual([1, 2, 2, 3, 3]);
  expect(listed.every(({ former_blueprint_id: former }) => former === site.blueprintId)).toBe(true);
  const again = await busbar.admin.post("/v3/rollouts", {
    blueprint_id: blueprintId,
    devices: { device_ids: ids, types: ["STANDALONE", "GATEWAY"] },
  });
  expect([again.status, again.errors[0]?.message]).toEqual([
    400,
    "every matching device already has this blueprint, or no device matches",
  ]);
});

test("it stops by itself when a device fails, goes on when it is resumed, and the next stage waits", async () => {
  const ids = await devices(3, "failing");
  const blueprintId = await newBlueprint(
    "telemetry:\n  alerts: {type: alerts, display_name: Alerts}\nalerts:\n  hot: {display_name: Hot, severity: error}\n",
  );
  const [first = "", second = ""] = [...ids].sort();
  const device = await site.connect(first);
  const rollout = await create({
    blueprint_id: blueprintId,
    devices: { device_ids: ids },
    stages: ["1", "100%"],
    watch: "1h",
  });
  await vi.waitFor(async () => expect((await devicesOf(rollout.id))[0]?.state).toBe("WATCHED"), PATIENT);
  expect(await blueprintOf(first)).toBe(blueprintId);
  await device.sendTelemetry({ alerts: ["hot"] });
  const halted = await becomes(rollout.id, "HALTED");
  expect(halted.reason).toBe(`1 devices have failed, such as ${first}: alert hot`);
  expect(await devicesOf(rollout.id, "?state.in=FAILED")).toMatchObject([{ device_id: first, reason: "alert hot" }]);
  expect(await blueprintOf(second)).toBe(site.blueprintId);
  expect((await turn(rollout.id, "pause")).status).toBe(409);
  expect((await turn(rollout.id, "resume")).body.rollout.state).toBe("RUNNING");
  await vi.waitFor(async () => expect(await blueprintOf(second)).toBe(blueprintId), PATIENT);
  expect((await turn(rollout.id, "pause")).body.rollout.state).toBe("PAUSED");
  expect((await turn(rollout.id, "abort")).body.rollout.state).toBe("ABORTED");
  expect((await turn(rollout.id, "resume")).status).toBe(409);
});

test("it goes on where it was after a restart, and a device that was deleted is skipped", async () => {
  const ids = await devices(2, "kept");
  const [first = "", second = ""] = [...ids].sort();
  const blueprintId = await newBlueprint();
  const { id } = await create({ blueprint_id: blueprintId, devices: { device_ids: ids }, stages: ["1"], watch: "1h" });
  await vi.waitFor(async () => expect((await devicesOf(id))[0]?.state).toBe("WATCHED"), PATIENT);
  await turn(id, "pause");
  await busbar.restart();
  expect(await get(id)).toMatchObject({ state: "PAUSED", stage: 1, devices: { watched: 1, waiting: 1 } });
  await busbar.admin.delete(`/v3/devices/${first}`);
  await turn(id, "resume");
  await vi.waitFor(async () => expect(await blueprintOf(second)).toBe(blueprintId), PATIENT);
  expect(await devicesOf(id, "?state.in=skipped")).toMatchObject([
    { device_id: first, reason: "the device was deleted" },
  ]);
  await turn(id, "abort");
});

test.each([
  [{ devices: {} }, "/devices", "name at least one of device_ids, site_ids, blueprint_ids and types"],
  [{ stages: ["x"] }, "/stages", 'a stage is a number of devices such as 5, or a part of them such as 10%, not "x"'],
  [{ watch: "soon" }, "/watch", "watch must be a duration up to 30d, such as 10m, or seconds"],
])("a roll-out with %j is refused at %s", async (wrong, pointer, message) => {
  const body = { blueprint_id: await newBlueprint(), devices: { types: ["STANDALONE"] }, ...wrong };
  const answer = await busbar.admin.post("/v3/rollouts", body);
  expect([answer.status, answer.errors[0]]).toMatchObject([400, { message, details: { pointer } }]);
});

test("an unknown blueprint and an unknown roll-out are not found", async () => {
  const body = { blueprint_id: "nothing", devices: { types: ["STANDALONE"] } };
  expect((await busbar.admin.post("/v3/rollouts", body)).status).toBe(404);
  expect((await busbar.admin.get("/v3/rollouts/nothing")).status).toBe(404);
  const listed = await busbar.admin.get<{ rollouts: readonly Rollout[] }>("/v3/rollouts?limit=2");
  expect(listed.body.rollouts).toHaveLength(2);
});
