// POST /v3/backups and what comes of it: a backup that is taken while the service works holds everything that was
// acknowledged before, and is restored elsewhere.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRecords } from "#store/sqlite/open-records.ts";
import { withBusbarOn } from "../support/busbar-on.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN, readExample, useServer } from "../support/server.ts";

const server = useServer();
const folder = mkdtempSync(join(tmpdir(), "busbar-backup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const inFolder = (name: string) => join(folder, name);
const busbar = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runBusbar(words, { cwd: folder, env: { BUSBAR_URL: server.url, BUSBAR_TOKEN: ADMIN_TOKEN, ...env } });

const MINUTE = 60_000;
const BEGIN = Date.parse("2026-01-01T00:00:00Z");
let device = "";
/** Moments and values that were acknowledged. */
const points = new Map<number, number>();
const sites = new Set<string>();
let batches = 0;

/** A hundred points and a site. */
async function work(): Promise<void> {
  const rows = Array.from(
    { length: 100 },
    (_, i) => [BEGIN + (batches * 100 + i) * MINUTE, batches + i / 128] as const,
  );
  batches++;
  const csv = `ts,telemetry=ac_power\n${rows.map(([at, value]) => `${at / 1000},${value}`).join("\n")}\n`;
  const [answer, site] = await Promise.all([
    server.admin.call("POST", `/v3/devices/${device}/telemetry/import`, {
      bytes: csv,
      headers: { "Content-Type": "text/csv" },
    }),
    server.admin.post<{ site: { id: string } }>("/v3/sites", { name: `Site ${batches}`, timezone: "UTC" }),
  ]);
  expect([answer.status, site.status]).toEqual([200, 200]);
  for (const [at, value] of rows) points.set(at, value);
  sites.add(site.body.site.id);
}

beforeAll(async () => {
  const { body } = await server.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: readExample("pv-inverter"),
    headers: { "Content-Type": "application/yaml" },
  });
  const { body: site } = await server.admin.post<{ site: { id: string } }>("/v3/sites", {
    name: "Plant",
    timezone: "UTC",
  });
  const { body: made } = await server.admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
    name: "Inverter",
    slug: "inverter",
    site_id: site.site.id,
    blueprint_id: body.blueprint.id,
  });
  device = made.device_id;
  for (let i = 0; i < 10; i++) await work();
});

interface Answers {
  readonly points: ReadonlyMap<number, number>;
  readonly sites: ReadonlySet<string>;
  readonly lastBackup: number;
}

/** What a Busbar on this data folder answers. */
async function askRestored(data: string): Promise<Answers> {
  return await withBusbarOn(data, async ({ get }) => {
    const list = JSON.parse(await get("/v3/sites?limit=1000")) as { sites: { id: string }[] };
    const [, ...rows] = (await get("/v3/devices/inverter/telemetry/export?attributes=ac_power")).trimEnd().split("\n");
    const cells = rows.map((row) => row.split(",").map(Number));
    const metric = /^busbar_last_backup_timestamp_seconds (\S+)$/m.exec(await get("/metrics"))?.[1];
    return {
      points: new Map(cells.map(([at = 0, value = 0]) => [Math.round(at * 1000), value])),
      sites: new Set(list.sites.map(({ id }) => id)),
      lastBackup: Number(metric),
    };
  });
}

test("a backup that is taken under load holds everything that was acknowledged before it began", async () => {
  let isWorking = true;
  const working = (async () => {
    while (isWorking) await work();
  })();
  const before = { points: new Map(points), sites: new Set(sites) };
  const taken = await busbar(["backup", "load.tar.gz"]);
  isWorking = false;
  await working;
  expect(taken).toMatchObject({ code: 0, out: "load.tar.gz\n", err: expect.stringContaining("read back") });

  const restored = await busbar(["restore", "load.tar.gz", "--data", inFolder("restored")]);
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.err).toContain("tokens that were revoked since then are valid again");
  const answers = await askRestored(inFolder("restored"));
  expect([...before.points].filter(([at, value]) => answers.points.get(at) !== value)).toEqual([]);
  expect(before.sites.difference(answers.sites)).toEqual(new Set());
  // What came later is there or not, but never with another value.
  expect([...answers.points].filter(([at, value]) => points.get(at) !== value)).toEqual([]);
  expect(points.size).toBeGreaterThan(before.points.size);
  expect(answers.lastBackup).toBe(0);
});

test("the metrics and the audit log show the last backup", async () => {
  const { text } = await server.anonymous.get("/metrics");
  const at = Number(/^busbar_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1]) * 1000;
  expect(Math.abs(at - Date.now())).toBeLessThan(3_600_000);
  expect(Number(/^busbar_last_backup_bytes (\S+)$/m.exec(text)?.[1])).toBe(
    readFileSync(inFolder("load.tar.gz")).length,
  );
  const { body } = await server.admin.get<{ entries: { action: string }[] }>("/v3/audit?action.in=createBackup");
  expect(JSON.stringify(body)).toContain("createBackup");
  expect(readdirSync(join(server.data, "backup-work"))).toEqual([]);
});

test("only the level system takes a backup, and one at a time", async () => {
  const vendor = server.as(await server.token({ level: "vendor" }));
  expect((await vendor.call("POST", "/v3/backups")).status).toBe(403);
  const answers = await Promise.all(["a", "b"].map(() => server.admin.call("POST", "/v3/backups")));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test("a backup whose reader goes away is given up, and the next one is made", async () => {
  const gone = new AbortController();
  const response = await fetch(`${server.url}/v3/backups`, {
    method: "POST",
    headers: { "X-Service-Auth-Token": ADMIN_TOKEN },
    signal: gone.signal,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  gone.abort();
  await expect.poll(async () => (await busbar(["backup", "again.tar.gz"])).code).toBe(0);
  expect((await busbar(["backup", "verify", "again.tar.gz"])).code).toBe(0);
});

test("verify says what a backup is, and refuses a damaged one by its place", async () => {
  const well = await busbar(["backup", "verify", "load.tar.gz", "-o", "json"]);
  expect(JSON.parse(well.out)).toMatchObject({ file: "load.tar.gz", storage: "embedded" });
  const bytes = readFileSync(inFolder("load.tar.gz"));
  for (const place of [0.05, 0.3, 0.6, 0.9]) {
    const damaged = Buffer.from(bytes);
    const at = Math.floor(bytes.length * place);
    damaged.fill(0xa5, at, at + 32);
    writeFileSync(inFolder("damaged.tar.gz"), damaged);
    const found = await busbar(["backup", "verify", "damaged.tar.gz"]);
    expect(found.code, `${place}`).toBe(1);
    expect(found.err).toMatch(
      /damaged\.tar\.gz is damaged: .*(?:data\/|backup\.json|busbar\.yaml|SHA256SUMS|its beginning)/,
    );
    const restored = await busbar(["restore", "damaged.tar.gz", "--data", inFolder("damaged")]);
    expect(restored.code).toBe(1);
    expect(existsSync(inFolder("damaged/records.db"))).toBe(false);
  }
  copyFileSync(inFolder("load.tar.gz"), inFolder("short.tar.gz"));
  truncateSync(inFolder("short.tar.gz"), bytes.length - 100);
  expect((await busbar(["backup", "verify", "short.tar.gz"])).err).toMatch(
    /short\.tar\.gz is damaged: .*unexpected end of file/,
  );
  writeFileSync(inFolder("other.txt"), "hello, this is no backup");
  expect((await busbar(["backup", "verify", "other.txt"])).err).toContain("is not a backup of Busbar");
});

test("a folder that holds an installation is not overwritten, nor is a file", async () => {
  const refused = await busbar(["restore", "load.tar.gz", "--data", server.data]);
  expect(refused.err).toMatch(/already holds .*records\.db/);
  expect((await busbar(["backup", "load.tar.gz"])).err).toContain("load.tar.gz is there already");
});

test("an encrypted backup opens with its passphrase or its identity alone", async () => {
  const identity = await generateIdentity();
  writeFileSync(inFolder("key.txt"), `# a comment\n${identity}\n`);
  const recipient = await identityToRecipient(identity);
  expect((await busbar(["backup", "r.tar.gz.age", "--recipient", recipient])).code).toBe(0);
  expect(readFileSync(inFolder("r.tar.gz.age")).subarray(0, 21).toString()).toBe("age-encryption.org/v1");
  expect((await busbar(["backup", "verify", "r.tar.gz.age", "--identity", "key.txt"])).code).toBe(0);
  expect((await busbar(["backup", "verify", "r.tar.gz.age"])).err).toContain("the backup is encrypted");
  writeFileSync(inFolder("wrong.txt"), await generateIdentity());
  expect((await busbar(["backup", "verify", "r.tar.gz.age", "--identity", "wrong.txt"])).err).toContain(
    "cannot be decrypted",
  );
  const damaged = readFileSync(inFolder("r.tar.gz.age"));
  damaged[damaged.length - 500] = (damaged[damaged.length - 500] ?? 0) ^ 1;
  writeFileSync(inFolder("d.tar.gz.age"), damaged);
  expect((await busbar(["backup", "verify", "d.tar.gz.age", "--identity", "key.txt"])).err).toContain("is damaged");

  const secret = { BUSBAR_BACKUP_PASSPHRASE: "correct horse battery" };
  expect((await busbar(["backup", "p.tar.gz.age", "--passphrase"], secret)).code).toBe(0);
  const restored = await busbar(["restore", "p.tar.gz.age", "--data", inFolder("secret")], secret);
  expect(restored).toMatchObject({ code: 0 });
  expect(readFileSync(inFolder("secret/seal.key"), "utf8")).toBe(readFileSync(join(server.data, "seal.key"), "utf8"));
  expect((await busbar(["backup", "x.tar.gz.age", "--recipient", "age1nonsense"])).err).toContain(
    "not an age recipient",
  );
});

const PASSPHRASE = { BUSBAR_BACKUP_PASSPHRASE: "correct horse battery" };
const AGE = "age-encryption.org/v1";
const headOf = (file: string) => readFileSync(inFolder(file)).subarray(0, AGE.length).toString();
const verified = async (...words: readonly string[]) =>
  JSON.parse((await busbar(["backup", "verify", "-o", "json", ...words], PASSPHRASE)).out) as { encrypted: boolean };

test("a passphrase that is set encrypts every backup of the command line, without a flag", async () => {
  const taken = await busbar(["backup", "env.tar.gz"], PASSPHRASE);
  expect(taken).toMatchObject({
    code: 0,
    err: expect.stringContaining("encrypted by the passphrase, as the settings"),
  });
  expect(headOf("env.tar.gz")).toBe(AGE);
  expect((await busbar(["backup", "--data", server.data, "--folder", "sealed"], PASSPHRASE)).out).toMatch(/\.age\n$/);
  const sent = await busbar(["backup", "-"], PASSPHRASE);
  expect(sent.out.slice(0, AGE.length)).toBe(AGE);
  expect((await busbar(["backup", "verify", "env.tar.gz"], PASSPHRASE)).out).toMatch(
    /encrypted\s+yes, by a passphrase/,
  );
  expect(await verified("load.tar.gz")).toMatchObject({ encrypted: false });
  expect((await busbar(["backup", "plain.tar.gz"])).err).toContain("it is not encrypted and holds every key");
});

test("recipients of the configuration file encrypt too, and flags win over settings", async () => {
  const identity = await generateIdentity();
  writeFileSync(inFolder("own.txt"), identity);
  const recipient = await identityToRecipient(identity);
  writeFileSync(inFolder("own.yaml"), `backup:\n  recipients: ["${recipient}"]\n  keep: 1\n`);
  const own = ["--data", server.data, "--config", "own.yaml"];
  expect((await busbar(["backup", "own.tar.gz", ...own])).err).toContain("encrypted for 1 recipient, as the settings");
  expect(await verified("own.tar.gz", "--identity", "own.txt")).toMatchObject({ encrypted: true });
  mkdirSync(inFolder("kept"));
  writeFileSync(inFolder("kept/busbar-20200101T000000Z-full.tar.gz"), "an old one");
  expect((await busbar(["backup", ...own, "--folder", "kept"])).code).toBe(0);
  expect(readdirSync(inFolder("kept")).filter((name) => !name.endsWith(".index"))).toHaveLength(1);
  expect((await busbar(["backup", "flag.tar.gz", "--recipient", recipient], PASSPHRASE)).code).toBe(0);
  expect(await verified("flag.tar.gz", "--identity", "own.txt")).toMatchObject({ encrypted: true });
});

test("a server whose settings encrypt never sends a plain backup", async () => {
  const identity = await generateIdentity();
  writeFileSync(inFolder("server.txt"), identity);
  await server.restart([], { BUSBAR_BACKUP_RECIPIENTS: await identityToRecipient(identity) });
  const { status, headers, text } = await server.admin.call("POST", "/v3/backups");
  expect([status, headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
  expect(text.slice(0, AGE.length)).toBe(AGE);
  // Not encrypted a second time, also where this machine has a passphrase of its own.
  const taken = await busbar(["backup", "sent.tar.gz"], PASSPHRASE);
  expect(taken).toMatchObject({ code: 0, err: expect.stringMatching(/not read back.*the server encrypted it/s) });
  expect(await verified("sent.tar.gz", "--identity", "server.txt")).toMatchObject({ encrypted: true });
  expect((await busbar(["backup"])).out).toMatch(/\.age\n$/);
  const asked = await busbar(["backup", "asked.tar.gz", "--passphrase"], PASSPHRASE);
  expect(asked).toMatchObject({ code: 1, err: expect.stringContaining("the server encrypts its backups itself") });
  expect(existsSync(inFolder("asked.tar.gz"))).toBe(false);
  await server.restart([], PASSPHRASE);
  const both = await busbar(["backup", "both.tar.gz.age"], PASSPHRASE);
  expect(both.err).toMatch(/, read back.*the server encrypted it/s);
  await server.restart();
});

test("a folder of backups has a full one and then the changes, and restores both", async () => {
  const next = () => busbar(["backup", "--data", server.data, "--folder", "many", "--keep", "2"]);
  const names = () => readdirSync(inFolder("many")).filter((name) => name.endsWith(".tar.gz"));
  const first = await next();
  expect(first.out).toMatch(/many\/busbar-\d{8}T\d{6}Z-full\.tar\.gz\n$/);
  for (let i = 0; i < 3; i++) await work();
  await expect.poll(async () => (await next()).out).toMatch(/-changes\.tar\.gz\n$/);
  const full = names().find((name) => name.includes("-full")) ?? "";
  const changes = names().find((name) => name.includes("-changes")) ?? "";
  expect(readFileSync(inFolder(`many/${changes}`)).length).toBeGreaterThan(0);

  const restored = await busbar(["restore", `many/${changes}`, "--data", inFolder("from-changes")]);
  expect(restored).toMatchObject({ code: 0 });
  const answers = await askRestored(inFolder("from-changes"));
  expect(answers.points).toEqual(points);
  expect(sites.difference(answers.sites)).toEqual(new Set());

  // The full one stays as long as the changes are kept that add to it.
  rmSync(inFolder(`many/${full}`));
  const lonely = await busbar(["backup", "verify", `many/${changes}`]);
  expect(lonely.err).toContain(`adds to ${full}, which is not beside it`);
});

test("nothing that was under way is sent again, and the link starts over", async () => {
  const { url } = server;
  await server.stop();
  const offline = (...words: readonly string[]) => runBusbar(words, { cwd: folder, env: { BUSBAR_URL: url } });
  const open = await openRecords(server.data, () => {});
  const epoch = await open.uplinks.epoch();
  await open.close();
  expect((await offline("backup", "still.tar.gz", "--data", server.data)).code).toBe(0);
  expect((await offline("restore", "still.tar.gz", "--data", inFolder("still"))).code).toBe(0);
  const records = await openRecords(inFolder("still"), () => {});
  expect(await records.uplinks.epoch()).not.toBe(epoch);
  await records.close();
  await server.restart();
});
