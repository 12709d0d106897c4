// A restart with many Lua devices: people do not wait for them, and whatever they do meanwhile ends right.
import { expect, test, vi } from "vitest";
import { type LuaDevice, newLuaDevice, uploadScript } from "../support/lua-device.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const MANY = 40;

interface Ready {
  readonly under_way?: readonly { readonly name: string; readonly percent: number }[];
}

async function waiting(): Promise<number | undefined> {
  const { body } = await busbar.anonymous.get<Ready>("/readyz");
  return body.under_way?.find(({ name }) => name === "start of devices")?.percent;
}

const script = (name: string) => `
enapter.log("${name} runs")
enapter.register_command_handler("echo", function(ctx, args)
  enapter.log("${name} echoes " .. args.text)
  return { by = "${name}" }
end)`;

test("the service answers before its Lua devices run, and each of them ends up as it should be", async () => {
  const devices: LuaDevice[] = [];
  // Each has a program of its own, which is put together anew after the restart.
  for (let n = 0; n < MANY; n += 1) devices.push(await newLuaDevice(busbar, script(`old ${n}`)));
  const [deleted, assigned, restarted, commanded] = devices.slice(-4);
  if (!deleted || !assigned || !restarted || !commanded) throw new Error("too few devices");
  const next = await uploadScript(busbar, script("new"));
  await vi.waitFor(async () => {
    for (const device of devices) expect((await device.runtime()).state).toBe("RUNNING");
  }, PATIENT);
  expect(await waiting()).toBeUndefined();

  await busbar.restart();
  expect(await waiting()).toBeLessThan(100);
  expect(await commanded.runtime()).toMatchObject({ state: "STARTING", start_count: 0, last_error: null });
  const asked = commanded.run("echo", { text: "early" });
  const [gone, changed, anew] = await Promise.all([
    busbar.admin.delete(deleted.path),
    busbar.admin.post(`${assigned.path}/assign_blueprint`, { blueprint_id: next }),
    busbar.admin.post(`${restarted.path}/runtime/restart`, {}),
  ]);
  expect([gone.status, changed.status, anew.status]).toEqual([200, 200, 200]);
  const made = await newLuaDevice(busbar, script("made"));

  expect(await asked).toMatchObject({ state: "SUCCESS", response: { payload: { by: `old ${MANY - 1}` } } });
  const there = [...devices.filter((device) => device !== deleted), made];
  await vi.waitFor(async () => {
    for (const device of there) expect((await device.runtime()).state).toBe("RUNNING");
    expect(await waiting()).toBeUndefined();
  }, PATIENT);
  expect((await busbar.admin.get(`${deleted.path}/runtime`)).status).toBe(404);
  expect((await assigned.run("echo", { text: "x" })).response?.payload).toEqual({ by: "new" });
  await vi.waitFor(async () => {
    expect((await assigned.logs()).slice(-2)).toEqual(["new runs", "new echoes x"]);
    expect(await commanded.logs()).toEqual([...Array(2).fill(`old ${MANY - 1} runs`), `old ${MANY - 1} echoes early`]);
  }, PATIENT);
  const { text } = await busbar.anonymous.get("/metrics");
  expect(text).toContain(`busbar_hosted_devices{state="RUNNING"} ${there.length}`);
});

test("a stop does not wait for devices whose turn has not come", async () => {
  await busbar.restart();
  expect(await waiting()).toBeLessThan(100);
  await busbar.stop();
  await busbar.restart();
  await vi.waitFor(async () => expect(await waiting()).toBeUndefined(), PATIENT);
});
