// What scripts reach, on a whole server: the installer's settings decide.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { newLuaDevice } from "../support/lua-device.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

/** Another address of this machine, so that the server's own stays forbidden. */
const PEER = "127.0.0.2";
const folder = mkdtempSync(join(tmpdir(), "busbar-levels-"));
const level = join(folder, "level");
const busbar = useServer([
  ...["--lua-allow", `${PEER},private,public`],
  ...["--lua-ports", `do-1=file:${level},do-2=file:${level}-missing`],
]);
afterAll(() => rmSync(folder, { recursive: true }));

test("a script reaches its device, which the installer has allowed, and not this server", async () => {
  const server = await startModbusServer(PEER);
  server.unit(1).holdings.set(0, 42);
  const device = await newLuaDevice(
    busbar,
    `local data, err = modbus.new('tcp://${PEER}:${server.port}'):read_holdings(1, 0, 1, 5000)
    enapter.send_telemetry({ count = data and data[1] })
    enapter.log('modbus ' .. tostring(err))
    local _, refused = http.get('${busbar.url}/healthz')
    enapter.log('http ' .. tostring(refused))`,
  );
  const refused = `127.0.0.1:${busbar.port} is not allowed for this device; the setting lua.allow says what is`;
  await vi.waitFor(async () => {
    expect(await device.logs()).toEqual(expect.arrayContaining(["modbus nil", refused, `http ${refused}`]));
    const now = await busbar.admin.get(`/telemetry/v1/now?devices[${device.id}]=count`);
    expect(now.body).toMatchObject({ devices: { [device.id]: { count: { value: 42 } } } });
  }, PATIENT);
});

test("a port that the installer has named is the machine's, and there is no other", async () => {
  writeFileSync(level, "0");
  const device = await newLuaDevice(
    busbar,
    `for _, name in ipairs({ 'do-1', 'do-2', 'do-3' }) do
      local contact, err = relay.new('port://' .. name)
      if contact == nil then
        enapter.log(name .. ' ' .. err)
      else
        enapter.log(name .. ' ' .. tostring(contact:close()) .. ' ' .. tostring(contact:is_closed()))
      end
    end`,
  );
  const logs = [
    "do-1 nil true",
    `do-2 ${level}-missing is not there false`,
    expect.stringMatching(/^do-3 there is no port do-3: this device has do-1, do-2\. /),
  ];
  await vi.waitFor(async () => expect(await device.logs()).toEqual(expect.arrayContaining(logs)), PATIENT);
  expect(readFileSync(level, "utf8").trim()).toBe("1");
});
