// Data of older versions is upgraded by a start or by a restored backup. Data of newer versions is refused.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { BACKUP_FORMAT } from "#store/backup/backup-manifest.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { withBusbarOn } from "../support/busbar-on.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** A data folder of the records' migration 5 and the telemetry's schema 1: a site, a device, 400 points, a webhook, a token. */
const OLD = fileURLToPath(new URL("../fixtures/data-folder-migration-5.tar.gz", import.meta.url));
const OLD_TOKEN = "bb_034yRf5lJ6E37ltKGrhDBguYV1hs4BjFxPX3hqJC9ABlQeOgFO7EAXG5S8Y0B0P4l3yAfH9";

function oldFolder(): string {
  const data = join(tempFolder(), "data");
  mkdirSync(data, { mode: 0o700 });
  execFileSync("tar", ["xzf", OLD, "-C", data]);
  return data;
}

/** Everything that the old folder held is there, read with its own tokens. */
async function expectOldContent(data: string): Promise<void> {
  const admin = readFileSync(join(data, "admin.token"), "utf8").trim();
  await withBusbarOn(
    data,
    async ({ get }) => {
      expect(await get("/v3/sites", OLD_TOKEN)).toContain('"name":"Old plant"');
      expect(await get("/v3/devices/old-meter", OLD_TOKEN)).toContain('"name":"Old meter"');
      expect(await get("/v3/webhooks", admin)).toContain("https://example.org/hook");
      const [header, ...rows] = (await get("/v3/devices/old-meter/telemetry/export?attributes=power,energy", admin))
        .trimEnd()
        .split("\n");
      expect(header).toContain("power");
      const expected = Array.from({ length: 200 }, (_, i) => [1_767_225_600 + i * 300, i + 0.5, i * 10]);
      const cells = rows.map((row) => row.split(",").map(Number));
      expect(cells.map(([at, ...values]) => [at, ...values.sort((a, b) => a - b)])).toEqual(
        expected.map(([at, ...values]) => [at, ...values.sort((a, b) => a - b)]),
      );
      expect(await get("/readyz", admin)).toBe('{"status":"ok"}');
    },
    {},
  );
}

test("a data folder of an older version is upgraded by the start", async () => {
  await expectOldContent(oldFolder());
});

test("a backup of an older data folder is restored and upgraded", async () => {
  const data = oldFolder();
  const cwd = tempFolder();
  expect(await runBusbar(["backup", "old.tar.gz", "--data", data], { cwd })).toMatchObject({ code: 0 });
  expect(await runBusbar(["restore", "old.tar.gz", "--data", "new"], { cwd })).toMatchObject({ code: 0 });
  await expectOldContent(join(cwd, "new"));
});

test.each([
  [
    "records",
    "records.db",
    "INSERT INTO migration VALUES (9999, '9999-later.sql', 'x')",
    "the records were last used by a newer Busbar",
  ],
  ["telemetry", "telemetry.db", "PRAGMA user_version = 99", "the telemetry was last used by a newer Busbar"],
])("a downgrade is refused: %s of a newer version neither start nor are restored", async (_, file, change, message) => {
  const data = oldFolder();
  const cwd = tempFolder();
  const database = new Connection(join(data, file), "write");
  database.script(change);
  database.close();
  await expect(withBusbarOn(data, async () => {})).rejects.toThrow(message);
  expect(await runBusbar(["backup", "newer.tar.gz", "--data", data], { cwd })).toMatchObject({ code: 0 });
  const restored = await runBusbar(["restore", "newer.tar.gz", "--data", "new"], { cwd });
  expect(restored).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  expect(() => readFileSync(join(cwd, "new/records.db"))).toThrow("ENOENT");
});

test("a backup in a form of a newer version is refused", async () => {
  const cwd = tempFolder();
  execFileSync(
    "sh",
    [
      "-c",
      `echo '{"format":${BACKUP_FORMAT + 1},"version":"9.0.0"}' > backup.json && tar --format=ustar -czf newer.tar.gz backup.json`,
    ],
    { cwd },
  );
  const { code, err } = await runBusbar(["backup", "verify", "newer.tar.gz"], { cwd });
  expect(code).toBe(1);
  expect(err).toContain("made by a newer Busbar (9.0.0)");
});
