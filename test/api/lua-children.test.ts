// Lua scripts that speak for child devices.
import { expect, test, vi } from "vitest";
import type { Device } from "#client/resources.ts";
import { commandsOf } from "../support/command-site.ts";
import { newLuaDevice, WITH_REQUIRED } from "../support/lua-device.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const registering = useServer(["--devices-register-children"]);
const strict = useServer();

const LUA_PARENT = `
local child, err = enapter.register_child("cell-1", { name = "Cell 1", child_type = "cell" })
if not child then
  enapter.log("refused: " .. err)
  return
end
child:send_properties({ serial = "C-1", undeclared = 1 })
child:send_telemetry({ count = 7 })
child:log("the cell speaks")
child:register_command_handler("echo", function(ctx, args)
  ctx.log("on the way")
  return { text = "cell " .. args.text }
end)
child:register_command_handler("fail", function(ctx) ctx.error("no cell") end)
child:register_command_handler("slow", function() while true do system.delay(1000) end end)
enapter.register_command_handler("echo", function(ctx, args) return { text = "parent " .. args.text } end)
enapter.log("ready")
`;

async function luaSetUp() {
  const parent = await newLuaDevice(registering, LUA_PARENT);
  const parentDevice = (await registering.admin.get<{ device: Device }>(parent.path)).body.device;
  const child = {
    name: "Cell 1",
    slug: "cell-1",
    parent_id: parent.id,
    child_type: "cell",
    blueprint_id: parentDevice.blueprint_id,
  };
  return { parent, child };
}

test("a Lua parent registers its children, speaks for them and gets their commands in its handlers", async () => {
  const { parent, child } = await luaSetUp();
  await vi.waitFor(async () => expect((await parent.logs()).join()).toContain("ready"), PATIENT);
  const list = await registering.admin.get<{ devices: readonly Device[] }>(`/v3/devices?parent_id.in=${parent.id}`);
  expect(list.body.devices).toMatchObject([{ slug: "cell-1", type: "CHILD", name: "Cell 1", child_type: "cell" }]);
  const id = list.body.devices[0]?.id ?? "";
  // It was added without a blueprint. With one, its values and commands count, from the next start of the script on.
  await registering.admin.post(`/v3/devices/${id}/assign_blueprint`, { blueprint_id: child.blueprint_id });
  await registering.admin.post(`${parent.path}/runtime/restart`, {});
  const { execute, get } = commandsOf(registering.admin, id);
  const done = (await execute({ name: "echo", arguments: { text: "hi" } })).body.execution;
  expect(done).toMatchObject({ device_id: id, state: "SUCCESS", response: { payload: { text: "cell hi" } } });
  expect((await get(done.id, "?expand=log")).text).toContain("on the way");
  expect((await execute({ name: "fail" })).body.execution.response).toMatchObject({ payload: { message: "no cell" } });
  expect((await execute({ name: "get" })).body.execution.response).toMatchObject({
    state: "ERROR",
    payload: { message: expect.stringContaining("no handler is registered") },
  });
  expect((await parent.run("echo", { text: "hi" })).response?.payload).toEqual({ text: "parent hi" });
  await vi.waitFor(async () => {
    expect((await registering.admin.get(`/v3/devices/${id}/properties`)).body).toEqual({
      properties: { serial: "C-1" },
    });
    const now = await registering.admin.get(`/telemetry/v1/now?devices[${id}]=count`);
    expect(now.body).toMatchObject({ devices: { [id]: { count: { value: 7 } } } });
    expect((await registering.admin.get(`/v3/devices/${id}/logs`)).text).toContain("the cell speaks");
  }, PATIENT);
  const connectivity = async () =>
    (await registering.admin.get<{ device: Device }>(`/v3/devices/${id}?expand=connectivity`)).body.device.connectivity;
  expect(await connectivity()).toEqual({ status: "ONLINE" });
  // A command of the child that was running ends with its parent's script, like the parent's own.
  const running = execute({ name: "slow" });
  await vi.waitFor(async () => {
    const open = await registering.admin.get(`/v3/devices/${id}/commands/executions?state.in=IN_PROGRESS`);
    expect(open.body).toMatchObject({ total_count: 1 });
  }, PATIENT);
  await registering.admin.post(`${parent.path}/runtime/restart`, {});
  expect((await running).body.execution.response).toMatchObject({
    state: "ERROR",
    payload: { message: "interrupted by restart, outcome unknown" },
  });
});

test("a script cannot speak for a device that is not its child", async () => {
  const parent = await newLuaDevice(strict, LUA_PARENT);
  await vi.waitFor(async () => expect((await parent.logs()).join()).toContain("there is no child"), PATIENT);
});

const CONFIGURED = `
local cell = assert(enapter.register_child("cell-2", { name = "Cell 2" }))
local function show(when)
  local limits, err = cell.configuration.read("limits")
  local own = configuration.read("limits")
  local set = tostring(cell.configuration.is_all_required_set("limits"))
  cell:log(when .. ": " .. (limits and json.encode({ limits.power or 0, limits.mode, limits.pin or "" }) or err)
    .. " " .. set .. ", own " .. tostring(own.power))
end
show("start")
cell.configuration.after_write("limits", function() show("written") end)
configuration.after_write("limits", function() show("own written") end)
enapter.log("no bucket: " .. tostring(select(2, cell.configuration.read("nothing"))))
`;

test("a Lua parent reads the configuration of a child, and learns when it is written", async () => {
  const parent = await newLuaDevice(registering, CONFIGURED, WITH_REQUIRED);
  const { blueprint_id } = (await registering.admin.get<{ device: Device }>(parent.path)).body.device;
  const list = () => registering.admin.get<{ devices: readonly Device[] }>(`/v3/devices?parent_id.in=${parent.id}`);
  const id = await vi.waitFor(async () => {
    const [child] = (await list()).body.devices;
    expect(child?.slug).toBe("cell-2");
    return child?.id ?? "";
  }, PATIENT);
  const lines = async () =>
    (await registering.admin.get<{ logs: readonly { message: string }[] }>(`/v3/devices/${id}/logs`)).body.logs.map(
      ({ message }) => message,
    );
  const next = (line: string) => vi.waitFor(async () => expect((await lines()).at(-1)).toBe(line), PATIENT);
  const write = (path: string, json: object) =>
    registering.admin.call("PUT", `/v3/devices/${path}/configuration/limits`, { json });
  await next("start: there is no configuration bucket 'limits' false, own nil");
  await registering.admin.post(`/v3/devices/${id}/assign_blueprint`, { blueprint_id });
  await registering.admin.post(`${parent.path}/runtime/restart`, {});
  await next('start: [0,"eco",""] false, own nil');
  expect((await write(id, { power: 3, pin: "1234" })).status).toBe(200);
  await next('written: [3,"eco","1234"] true, own nil');
  await write(parent.id, { power: 9 });
  await next('own written: [3,"eco","1234"] true, own 9');
  // The next start has the values at once.
  await registering.admin.post(`${parent.path}/runtime/restart`, {});
  await next('start: [3,"eco","1234"] true, own 9');
  expect((await parent.logs()).join()).toContain("no bucket: there is no configuration bucket 'nothing'");
});
