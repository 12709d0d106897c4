// A blueprint of a manifest and a register map, without a script, on a whole server: the example, and the program that
// plays its device.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));
const busbar = useServer(["--lua-allow", "127.0.0.1"]);
const started: ChildProcess[] = [];
afterAll(() => {
  for (const program of started) program.kill("SIGKILL");
});

async function startInverter() {
  const program = spawn(process.execPath, [`${EXAMPLES}devices/sunspec/inverter.mjs`, "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(program);
  const [line] = (await once(createInterface(program.stdout), "line")) as [string];
  return { program, port: Number(/:(\d+)$/.exec(line)?.[1]) };
}

async function upload(files: ReadonlyMap<string, Uint8Array>) {
  return await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: packPackage(files),
  });
}

test("an inverter without a script sends values, runs a command and reports that it is silent", async () => {
  const { program, port } = await startInverter();
  const { admin } = busbar;
  const { files } = await readPackageFolder(`${EXAMPLES}blueprints/sunspec-inverter`);
  const blueprint = (await upload(files)).body.blueprint.id;
  const made = await admin.post<{ device_id: string }>("/v3/provisioning/lua_device", {
    name: "Inverter",
    blueprint_id: blueprint,
  });
  const device = `/v3/devices/${made.body.device_id}`;
  const now = async () => {
    const { body } = await admin.get<{ devices: Record<string, Record<string, { value: unknown }>> }>(
      `/telemetry/v1/now?devices[${made.body.device_id}]=ac_power,status,power_limit,alerts`,
    );
    return Object.fromEntries(
      Object.entries(body.devices[made.body.device_id] ?? {}).map(([name, { value }]) => [name, value]),
    );
  };
  expect(
    (await admin.call("PUT", `${device}/configuration/connection`, { json: { address: "127.0.0.1", port } })).status,
  ).toBe(200);
  await vi.waitFor(async () => {
    expect(await now()).toMatchObject({ ac_power: 20_000, status: "producing", power_limit: 100 });
    const { body } = await admin.get(`${device}?expand=properties`);
    expect(body).toMatchObject({
      device: { properties: { vendor: "Busbar", serial_number: "4711", rated_power: 25_000 } },
    });
  }, PATIENT);

  const command = { name: "set_power_limit", arguments: { power_limit: 40 } };
  const { body } = await admin.post(`${device}/commands/execute`, command);
  expect(body).toMatchObject({ execution: { state: "SUCCESS", response: { payload: { power_limit: 40 } } } });
  await vi.waitFor(async () => expect(await now()).toMatchObject({ ac_power: 10_000, power_limit: 40 }), PATIENT);

  program.kill("SIGKILL");
  await vi.waitFor(async () => expect(await now()).toMatchObject({ alerts: ["communication_failed"] }), PATIENT);
  const failed = await admin.post(`${device}/commands/execute`, command);
  expect(failed.body).toMatchObject({
    execution: { state: "ERROR", response: { payload: { message: expect.stringContaining("cannot write") } } },
  });
});

test("an upload is refused with every mistake of the map, by line and column", async () => {
  const { files } = await readPackageFolder(`${EXAMPLES}blueprints/sunspec-inverter`);
  const map = "telemetry:\n  ac_powr: {address: 0}\n  status: {address: 1}\n";
  const { status, errors } = await upload(new Map([...files, ["modbus.yml", new TextEncoder().encode(map)]]));
  expect(status).toBe(400);
  expect(errors.map(({ details }) => details)).toEqual([
    { issue: "modbus_map", pointer: "modbus.yml", line: 2, column: 3 },
    { issue: "modbus_map", pointer: "modbus.yml", line: 3, column: 3 },
  ]);
});
