// What others do to the data folder of a running gateway, and what they leave out of it.
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useServer } from "../support/server.ts";
import { startBusbar } from "../support/start-busbar.ts";

const busbar = useServer(["--mqtt-tls-port", "0"], {
  provoked: /the store refused a call|background work failed|a chore failed/,
});

async function degraded(): Promise<readonly string[]> {
  const { body } = await busbar.anonymous.get<{ degraded?: readonly { part: string }[] }>("/readyz");
  return (body.degraded ?? []).map(({ part }) => part);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

test("everything in the data folder is for its owner alone, also the files beside the databases", async () => {
  expect((await busbar.admin.call("POST", "/v3/backups")).status).toBe(200);
  const found = readdirSync(busbar.data, { recursive: true, encoding: "utf8" });
  expect(found).toEqual(expect.arrayContaining(["lock.db", "records.db-wal", "telemetry.db-shm", "installation.json"]));
  // Certificates are public.
  const secret = found.filter((name) => !name.endsWith(".crt"));
  const open = secret.filter((name) => (statSync(join(busbar.data, name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});

test.each(["records.db", "telemetry.db", "records.db-wal"])(
  "%s that is taken away stops writes until it is back",
  async (name) => {
    const file = join(busbar.data, name);
    renameSync(file, `${file}.aside`);
    await until(async () => (await degraded()).includes("storage"));
    const refused = await busbar.admin.post("/v3/sites", { name: "Nowhere" });
    expect([refused.status, refused.errors[0]?.code]).toEqual([503, "storage_unavailable"]);
    expect((await busbar.admin.get("/v3/sites")).status).toBe(200);
    renameSync(`${file}.aside`, file);
    await until(async () => !(await degraded()).includes("storage"));
    expect((await busbar.admin.post("/v3/sites", { name: "Here" })).status).toBe(200);
  },
);

test("a second process does not get in when lock.db was deleted, and that is reported", async () => {
  rmSync(join(busbar.data, "lock.db"));
  await until(async () => (await degraded()).includes("lock"));
  await expect(startBusbar(busbar.data, "--data", busbar.data)).rejects.toThrow("records.db is open elsewhere");
  expect((await busbar.admin.post("/v3/sites", { name: "Still here" })).status).toBe(200);
});

test("a lost seal.key is reported with what to do, and a new one made only when asked for", async () => {
  await busbar.admin.post("/v3/webhooks", { url: "https://example.com/hook", kinds: ["alert"] });
  await busbar.stop();
  const file = join(busbar.data, "seal.key");
  const before = readFileSync(file, "utf8");
  rmSync(file);
  await expect(busbar.restart()).rejects.toThrow(
    /seal\.key is missing.*Restore it from a backup.*--seal-replace-lost-key/s,
  );
  await busbar.restart(["--seal-replace-lost-key"]);
  expect(readFileSync(file, "utf8")).not.toBe(before);
  await busbar.restart();
  expect((await busbar.admin.get("/v3/webhooks")).status).toBe(200);
});
