// What scripts reach, on a whole server: the installer's settings decide.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { newLuaDevice } from "../support/lua-device.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const eventually = { timeout: 20_000, interval: 20 };

test("a script reaches its device once the installer has allowed it, and not this server itself", async () => {
  const server = await startModbusServer();
  server.unit(1).holdings.set(0, 42);
  const device = await newLuaDevice(
    busbar,
    `local client = modbus.new('tcp://127.0.0.1:${server.port}')
    local data, err = client:read_holdings(1, 0, 1, 1000)
    if data then enapter.send_telemetry({ count = data[1] }) end
    enapter.log('modbus: ' .. tostring(err))
    local _, refused = http.get('${busbar.url}/healthz')
    enapter.log('http: ' .. tostring(refused))`,
  );
  const refused = (port: number) =>
    `127.0.0.1:${port} is not allowed for this device; the setting lua.allow says what is`;
  await vi.waitFor(
    async () =>
      expect(await device.logs()).toEqual([`modbus: ${refused(server.port)}`, `http: ${refused(busbar.port)}`]),
    eventually,
  );
  expect(server.connections()).toBe(0);
  await busbar.restart(["--lua-allow", `${device.id}=127.0.0.1:${server.port},private,public`]);
  await vi.waitFor(async () => {
    const now = await busbar.admin.get(`/telemetry/v1/now?devices[${device.id}]=count`);
    expect(now.body).toMatchObject({ devices: { [device.id]: { count: { value: 42 } } } });
  }, eventually);
  await vi.waitFor(
    async () =>
      expect((await device.logs()).slice(2)).toEqual(["modbus: nil", expect.stringContaining("is not allowed")]),
    eventually,
  );
});

test("a port that the installer has named is the machine's, any other is simulated", async () => {
  const level = join(busbar.data, "level");
  writeFileSync(level, "0");
  await busbar.restart(["--lua-ports", `do-1=file:${level},do-2=file:${level}-missing`]);
  const device = await newLuaDevice(
    busbar,
    `for _, name in ipairs({ 'do-1', 'do-2', 'do-3' }) do
      local contact = relay.new('port://' .. name)
      enapter.log(name .. ' ' .. tostring(contact:close()) .. ' ' .. tostring(contact:is_closed()))
    end`,
  );
  await vi.waitFor(
    async () =>
      expect(await device.logs()).toEqual([
        "do-1 nil true",
        `do-2 ${level}-missing is not there false`,
        "do-3 nil true",
      ]),
    eventually,
  );
  expect(readFileSync(level, "utf8").trim()).toBe("1");
});
