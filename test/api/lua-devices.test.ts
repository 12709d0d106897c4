// Devices of type LUA on a whole server: the script is real, and so are its threads.
import { expect, test, vi } from "vitest";
import type { Device } from "#client/resources.ts";
import { newLuaDevice, uploadScript, WITH_REQUIRED } from "../support/lua-device.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

const ECHO = `
enapter.register_command_handler("echo", function(ctx, args)
  ctx.log("working on it")
  return { text = args.text, secret = args.secret }
end)
enapter.register_command_handler("fail", function(ctx)
  ctx.error("no power")
end)
enapter.register_command_handler("slow", function(ctx)
  ctx.error({ code = 7 })
end)
`;

test("a script is running and ONLINE as soon as its device is made, and its commands are answered", async () => {
  const device = await newLuaDevice(busbar, ECHO);
  await vi.waitFor(async () => expect((await device.runtime()).state).toBe("RUNNING"), PATIENT);
  const { body } = await busbar.admin.get<{ device: Device }>(`${device.path}?expand=connectivity`);
  expect(body.device.connectivity).toEqual({ status: "ONLINE" });
  const done = await device.run("echo", { text: "hällo", secret: "s3cret" });
  expect(done).toMatchObject({ state: "SUCCESS", request: { arguments: { text: "hällo", secret: "***" } } });
  expect(done.response?.payload).toMatchObject({ text: "hällo" });
  expect((await device.run("fail")).response).toMatchObject({ state: "ERROR", payload: { message: "no power" } });
  expect((await device.run("slow")).response?.payload).toEqual({ code: 7, message: '{"code":7}' });
  const log = await busbar.admin.get(`${device.path}/commands/executions/${done.id}?expand=log`);
  expect(log.text).toContain("working on it");
});

test("telemetry, properties and logs go the way of every device, and what does not fit is reported in the log", async () => {
  const device = await newLuaDevice(
    busbar,
    `enapter.send_properties({ serial = "A-1" })
     enapter.send_telemetry({ count = 7, text = "a\\u{e4}", alerts = {}, undeclared = 1 })
     enapter.log("ready", "warning", true)`,
  );
  await vi.waitFor(async () => {
    const now = await busbar.admin.get(`/telemetry/v1/now?devices[${device.id}]=count,text,alerts`);
    expect(now.body).toMatchObject({
      devices: { [device.id]: { count: { value: 7 }, text: { value: "aä" }, alerts: { value: [] } } },
    });
  }, PATIENT);
  await vi.waitFor(async () => {
    expect((await busbar.admin.get(`${device.path}/properties`)).body).toEqual({ properties: { serial: "A-1" } });
    expect((await device.logs()).toSorted()).toEqual([
      "ready",
      'telemetry "undeclared" is not declared in the blueprint',
    ]);
  }, PATIENT);
});

test("configuration reaches the script with defaults and secrets, at once and at its next start", async () => {
  const script = `
    local function show() 
      local c = configuration.read("limits")
      enapter.log(json.encode({ c.power or 0, c.mode, c.pin or "-", configuration.is_all_required_set("limits") }))
    end
    configuration.after_write("limits", show)
    show()`;
  const device = await newLuaDevice(busbar, script, WITH_REQUIRED);
  await vi.waitFor(async () => expect(await device.logs()).toEqual(['[0,"eco","-",false]']), PATIENT);
  const put = () =>
    busbar.admin.call("PUT", `${device.path}/configuration/limits`, { json: { power: 2.5, pin: "1234" } });
  await vi.waitFor(async () => expect((await device.runtime()).state).toBe("NOT_CONFIGURED"), PATIENT);
  expect((await put()).status).toBe(200);
  await vi.waitFor(async () => expect((await device.logs()).at(-1)).toBe('[2.5,"eco","1234",true]'), PATIENT);
  await put();
  await vi.waitFor(async () => expect(await device.logs()).toHaveLength(3), PATIENT);
  await busbar.restart();
  await vi.waitFor(async () => expect(await device.logs()).toHaveLength(4), PATIENT);
  expect((await device.logs()).at(-1)).toBe('[2.5,"eco","1234",true]');
});

const STORE = `
enapter.register_command_handler("put", function(ctx, args)
  local err = storage.write("key", args.value)
  if err then ctx.error(err) end
end)
enapter.register_command_handler("get", function() return { value = storage.read("key") } end)
`;

test("what a script stores survives a restart, a new blueprint and a stop of the service, and goes with the device", async () => {
  const device = await newLuaDevice(busbar, STORE);
  const read = async () => (await device.run("get")).response?.payload;
  expect((await device.run("put", { value: "kept" })).state).toBe("SUCCESS");
  expect((await busbar.admin.post(`${device.path}/runtime/restart`, {})).status).toBe(200);
  expect(await read()).toEqual({ value: "kept" });
  await device.assign(`${STORE}-- second`);
  expect(await read()).toEqual({ value: "kept" });
  await busbar.restart();
  expect(await read()).toEqual({ value: "kept" });
  const full = await device.run("put", { value: "x".repeat(70_000) });
  expect(full.response).toMatchObject({ state: "ERROR", payload: { message: "a text has at most 65536 bytes" } });
  expect((await busbar.admin.delete(device.path)).status).toBe(200);
});

test("a new blueprint replaces the script; a command that was running ends as interrupted and is not run again", async () => {
  const slow = `
    enapter.register_command_handler("slow", function(ctx)
      enapter.log("slow begins")
      ctx.log("begun")
      while true do system.delay(50) end
    end)`;
  const device = await newLuaDevice(busbar, slow);
  const running = device.run("slow");
  await vi.waitFor(async () => expect(await device.logs()).toContain("slow begins"), PATIENT);
  await device.assign(slow.replace("begins", "begins anew"));
  const ended = await running;
  expect(ended.response).toMatchObject({
    state: "ERROR",
    payload: { message: "interrupted by restart, outcome unknown" },
  });
  await vi.waitFor(async () => expect((await device.runtime()).start_count).toBe(2), PATIENT);
  const again = device.run("slow");
  await vi.waitFor(async () => expect(await device.logs()).toContain("slow begins anew"), PATIENT);
  await busbar.admin.post(`${device.path}/runtime/restart`, {});
  expect((await again).response?.payload).toEqual({ message: "interrupted by restart, outcome unknown" });
  expect((await device.logs()).filter((line) => line.startsWith("slow"))).toEqual(["slow begins", "slow begins anew"]);
});

test("an error in a job is reported with its file and line, and the script runs on", async () => {
  const device = await newLuaDevice(
    busbar,
    `scheduler.add(100, function()\n  local x = nil\n  return x.y\nend)\n${ECHO}`,
  );
  await vi.waitFor(async () => {
    expect(await device.runtime()).toMatchObject({
      state: "RUNNING",
      last_error: { file: "lua/main.lua", line: 3, message: expect.stringContaining("attempt to index a nil value") },
    });
  }, PATIENT);
  expect((await device.run("echo", { text: "x" })).state).toBe("SUCCESS");
});

test("what a handler failed with is shown to those who may read the command's execution, and to nobody else", async () => {
  const device = await newLuaDevice(
    busbar,
    "enapter.register_command_handler('echo', function(ctx, args)\n  error('no ' .. args.text)\nend)",
  );
  const { response } = await device.run("echo", { text: "hush" });
  expect(response?.payload).toEqual({ message: "lua/main.lua:2: no hush" });
  const message = "lua/main.lua:2: the handler of command echo failed; its execution says why";
  const reader = busbar.as(await busbar.token({ name: "Reader", level: "readonly" }));
  await vi.waitFor(async () => {
    const runtime = await reader.get(`${device.path}/runtime`);
    expect(runtime.body).toMatchObject({ runtime: { last_error: { file: "lua/main.lua", line: 2, message } } });
    const logs = await reader.get<{ readonly logs: readonly object[] }>(`${device.path}/logs`);
    expect(logs.body.logs).toMatchObject([{ severity: "error", message }]);
    expect(`${runtime.text}${logs.text}`).not.toContain("hush");
  }, PATIENT);
});

test("a script that ends with an error is tried again later, and at once when asked", async () => {
  const device = await newLuaDevice(busbar, "\nerror('broken')");
  await vi.waitFor(async () => {
    expect(await device.runtime()).toMatchObject({
      state: "FAILED",
      restart_at: expect.any(String),
      last_error: { file: "lua/main.lua", line: 2 },
    });
  }, PATIENT);
  await busbar.admin.post(`${device.path}/runtime/restart`, {});
  await vi.waitFor(
    async () => expect(await device.runtime()).toMatchObject({ state: "FAILED", start_count: 2 }),
    PATIENT,
  );
  const waiting = device.run("echo", { text: "patient" });
  await device.assign(ECHO);
  expect(await waiting).toMatchObject({ state: "SUCCESS" });
});

test("a script that takes too much is quarantined, and its neighbour answers meanwhile", async () => {
  const hostile = await newLuaDevice(
    busbar,
    "table.insert(setmetatable({}, { __len = function() return 1e9 end }), 1, 'x')",
  );
  const neighbour = await newLuaDevice(busbar, `${ECHO}-- neighbour`);
  await vi.waitFor(async () => {
    expect(await hostile.runtime()).toMatchObject({ state: "QUARANTINED", restart_at: expect.any(String) });
  }, PATIENT);
  expect((await neighbour.run("echo", { text: "x" })).state).toBe("SUCCESS");
  const { text } = await busbar.anonymous.get("/metrics");
  expect(text).toMatch(/busbar_hosted_devices\{state="QUARANTINED"\} [1-9]/);
  expect(text).toMatch(/busbar_hosted_devices\{state="RUNNING"\} [1-9]/);
  const { body } = await busbar.admin.get<{ device: Device }>(`${hostile.path}?expand=connectivity`);
  expect(body.device.connectivity?.status).toBe("OFFLINE");
});

test("a blueprint without its script fails in words, and a deleted device has no runtime", async () => {
  const bare = "blueprint_spec: device/3.0\ndisplay_name: Bare\nruntime: { type: lua, options: { file: x.lua } }\n";
  const { body } = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: bare,
  });
  const made = { name: "Bare", blueprint_id: body.blueprint.id };
  const { device_id } = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/lua_device", made)).body;
  expect((await busbar.admin.get(`/v3/devices/${device_id}/runtime`)).body).toMatchObject({
    runtime: { state: "FAILED", last_error: { message: "the blueprint's package holds no script" } },
  });
  expect((await busbar.admin.delete(`/v3/devices/${device_id}`)).status).toBe(200);
  expect((await busbar.admin.get(`/v3/devices/${device_id}/runtime`)).status).toBe(404);
});

test("each change of a script's state is a live event", async () => {
  const device = await newLuaDevice(busbar, ECHO);
  const stop = new AbortController();
  const response = await fetch(`${busbar.url}/v3/events?kind.in=runtime&device_id.in=${device.id}`, {
    headers: { "X-Service-Auth-Token": busbar.adminToken },
    signal: stop.signal,
  });
  await device.assign(`${ECHO}-- anew ${await uploadScript(busbar, ECHO)}`);
  let text = "";
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    if (/"state":"STARTING"[\s\S]*"state":"RUNNING"/.test(text)) break;
  }
  stop.abort();
  expect(text).toMatch(/event: runtime\ndata: \{"site_id":.*"runtime":\{"state":"STARTING"/);
});
