// A server with a folder of profiles besides its own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Validation } from "#client/resources.ts";
import { useServer } from "../support/server.ts";

const SPEC = "blueprint_spec: profile/1.0\ndisplay_name: X\ndescription: Y\n";
const folder = mkdtempSync(join(tmpdir(), "busbar-profiles-"));
for (const [path, text] of Object.entries({
  "README.md": "# Not a profile",
  "energy/battery.yml": `${SPEC}implements: [lib.energy.battery.soc]`,
  "energy/hybrid/3_phase.yml": `${SPEC}implements: [energy.battery]`,
  "lib/energy/battery/soc.yml": `${SPEC}telemetry: {battery_soc: {display_name: Charge, type: float, unit: "%"}}`,
  "lib/broken.yml": "display_nam: X",
})) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
const busbar = useServer(["--blueprints-profiles", folder]);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifest = (...profiles: readonly string[]) =>
  Buffer.from(`blueprint_spec: device/3.0
display_name: B
runtime: {type: embedded}
implements: [${profiles.join(", ")}]
telemetry:
  charge: {type: float, unit: "%", display_name: Charge, implements: energy.battery.battery_soc}
`);

test("profiles of the folder are known to uploads, a broken one costs itself, and filters follow what they include", async () => {
  const bytes = manifest("energy.hybrid.3_phase");
  const checked = await busbar.anonymous.call<Validation>("POST", "/v3/blueprints/validate", { bytes });
  expect(checked.body.diagnostics).toEqual([]);
  const uploaded = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const body = { name: "B", slug: "b", blueprint_id: uploaded.body.blueprint.id };
  expect((await busbar.admin.post("/v3/provisioning/standalone", body)).status).toBe(200);
  const { body: listed } = await busbar.admin.get<{ devices: readonly { slug: string }[] }>(
    "/v3/devices?profiles.has_all=lib.energy.battery.soc",
  );
  expect(listed.devices.map(({ slug }) => slug)).toEqual(["b"]);
});

test("unknown profiles are one warning with their full names", async () => {
  const bytes = manifest("lib.broken", "energy.none.1_phase", "energy.battery");
  const { body } = await busbar.anonymous.call<Validation>("POST", "/v3/blueprints/validate", { bytes });
  expect(body.diagnostics).toMatchObject([
    {
      code: "unknown_profile",
      severity: "warning",
      message: expect.stringContaining("2 profiles are not in the library: lib.broken, energy.none.1_phase."),
    },
  ]);
});
