// A converted package of device/1.0 on a whole server: real threads, real storage, simulated ports.
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Execution } from "#client/resources.ts";
import { convertPackage } from "#manifest/v1/convert-package.ts";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { packageOfFiles } from "#service/blueprint/unpack-package.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const relays = [1, 2, 3, 4, 5, 6].map((number) => `relay-${number}=simulated?device=relays`);
const busbar = useServer(["--lua-ports", relays.join(",")]);

async function start(name: string) {
  const { files } = await readPackageFolder(join(import.meta.dirname, "../convert/packages", name));
  const { package: old } = packageOfFiles("folder", files);
  const converted = old && convertPackage(old);
  const bytes = packPackage(converted?.files ?? new Map());
  const { body } = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/lua_device", {
    name,
    slug: name,
    blueprint_id: body.blueprint.id,
  });
  const id = made.body.device_id;
  return {
    now: async (attribute: string) => (await busbar.admin.get(`/telemetry/v1/now?devices[${id}]=${attribute}`)).text,
    run: async (command: string, args = {}) =>
      (
        await busbar.admin.post<{ execution: Execution }>(`/v3/devices/${id}/commands/execute`, {
          name: command,
          arguments: args,
        })
      ).body.execution,
  };
}

test("settings are kept in the storage of the device", async () => {
  const { now, run } = await start("settings-in-storage");
  await vi.waitFor(async () => expect(await now("threshold,failed")).toContain('"value":5.5'), PATIENT);
  expect((await run("write_configuration", { threshold: 7.25 })).state).toBe("SUCCESS");
  expect((await run("read_configuration")).response?.payload).toEqual({ threshold: 7.25 });
  expect((await run("forget")).response?.payload).toMatchObject({ message: expect.stringContaining("64 characters") });
});

test("relays are ports of the gateway", async () => {
  const { now, run } = await start("relays");
  expect((await run("close", { channel: 1 })).state).toBe("SUCCESS");
  await vi.waitFor(async () => expect(await now("pump")).toContain('"value":true'), PATIENT);
  expect((await run("close", { channel: 7 })).response?.payload).toMatchObject({
    message: expect.stringContaining("there is no channel 7"),
  });
});

test("a connector that nobody has configured is a failure with a code, and never a success", async () => {
  await start("setpoints");
  await vi.waitFor(async () => {
    const { text } = await busbar.admin.get("/v3/devices/setpoints/runtime");
    expect(text).toContain('"COMMUNICATION_FAILED"');
    expect(text).toContain("there is no port rs485");
  }, PATIENT);
});
