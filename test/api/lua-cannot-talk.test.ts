// A device whose script runs and cannot talk says so in every place, whatever the script makes of it.
import { expect, test, vi } from "vitest";
import { examineDevices } from "#cli/doctor/examine-devices.ts";
import { createClient } from "#client/create-client.ts";
import { type LuaDevice, newLuaDevice, WITH_REQUIRED } from "../support/lua-device.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

async function raised({ path }: LuaDevice): Promise<readonly string[]> {
  const { body } = await busbar.admin.get<{ device: { raised_alert_names: readonly string[] } }>(
    `${path}?expand=raised_alert_names`,
  );
  return body.device.raised_alert_names;
}

test("a port that nobody has configured: no command succeeds, and state, alert, log and doctor say why", async () => {
  const device = await newLuaDevice(
    busbar,
    `local contact, err = relay.new('port://relay-1')
    scheduler.add(50, function() enapter.send_telemetry({ count = 1, alerts = { 'own' } }) end)
    enapter.register_command_handler('slow', function(ctx)
      if contact == nil then ctx.error(err) end
      contact:close()
    end)`,
  );
  const why = "there is no port relay-1: this device has none. The setting lua.ports lists the ports of this machine";
  await vi.waitFor(async () => {
    expect(await device.runtime()).toMatchObject({ state: "COMMUNICATION_FAILED", last_error: { message: why } });
    expect([...(await raised(device))].sort()).toEqual(["communication_failed", "own"]);
  }, PATIENT);
  expect(await device.run("slow")).toMatchObject({ state: "ERROR", response: { payload: { message: why } } });
  expect(await device.logs()).toContain(why);
  const client = createClient({ url: busbar.url, token: busbar.adminToken });
  const findings = await examineDevices(client);
  expect(findings).toContainEqual(
    expect.objectContaining({ result: "failed", found: expect.stringContaining(`is COMMUNICATION_FAILED: ${why}`) }),
  );
});

test("a required value that nobody has configured: the state and an alert say which, until it is there", async () => {
  const device = await newLuaDevice(busbar, "scheduler.add(1000, function() end)", WITH_REQUIRED);
  await vi.waitFor(async () => {
    const last_error = { message: "required configuration is missing: limits.power" };
    expect(await device.runtime()).toMatchObject({ state: "NOT_CONFIGURED", last_error });
    expect(await raised(device)).toEqual(["not_configured"]);
  }, PATIENT);
  const put = await busbar.admin.call("PUT", `${device.path}/configuration/limits`, { json: { power: 5 } });
  expect(put.status).toBe(200);
  await vi.waitFor(async () => {
    expect((await device.runtime()).state).toBe("RUNNING");
    expect(await raised(device)).toEqual([]);
  }, PATIENT);
});

test("an address without tcp://, and a peer that nobody answers for, are reported until there is an answer", async () => {
  const device = await newLuaDevice(
    busbar,
    `local client, err = modbus.new('127.0.0.1:502')
    scheduler.add(1000, function() end)`,
  );
  await vi.waitFor(async () => {
    const message = expect.stringContaining("for Modbus TCP write tcp://127.0.0.1:502");
    expect(await device.runtime()).toMatchObject({ state: "COMMUNICATION_FAILED", last_error: { message } });
  }, PATIENT);
  await device.assign("scheduler.add(1000, function() end)");
  await vi.waitFor(async () => {
    expect(await device.runtime()).toMatchObject({ state: "RUNNING" });
    expect(await raised(device)).toEqual([]);
  }, PATIENT);
});
