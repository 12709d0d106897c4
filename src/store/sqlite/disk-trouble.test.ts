// A disk that fills up, for real: a limit on file sizes, which anyone may set, and a tiny file system where mounting is allowed.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Script, startScript } from "../../../test/support/script.ts";
import { canMount, mountSmallDisk } from "../../../test/support/small-disk.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";

/**
 * Stores sites, sixteen at once, until some are refused; then tries ten batches more and reads. After a word on stdin it
 * goes on until a batch is stored. Prints after each phase: refusal codes, acknowledged sites, sites read, missing ones.
 */
const FILL = `
  const { once } = await import("node:events");
  const { openRecords } = await import("#store/sqlite/open-records.ts");
  const records = await openRecords(process.argv[1], (error) => { throw error; });
  const stored = [];
  let last = 0;
  async function batch() {
    const codes = new Set();
    await Promise.all(Array.from({ length: 16 }, async () => {
      const id = String(++last).padStart(8, "0");
      const site = { id, name: "x".repeat(2000), timezone: "UTC", createdAt: 1, updatedAt: 1 };
      const entry = { id, at: 1, actor: undefined, action: "a", target: {}, outcome: "OK", code: undefined,
        requestId: "r", remoteAddress: "l", details: {}, count: 1, lastAt: 1 };
      try { await records.sites.insert(site, entry); stored.push(id); } catch (error) { codes.add(error.code ?? error.message); }
    }));
    return [...codes];
  }
  async function report(codes) {
    const { items, total } = await records.sites.list("all", { limit: 100000, offset: 0 });
    const audit = await records.audit.list({ reader: { tokenId: "", sites: "all" }, newestFirst: true }, { limit: 0, offset: 0 });
    const found = new Set(items.map((site) => site.id));
    const missing = stored.filter((id) => !found.has(id)).length;
    console.log(JSON.stringify({ codes, stored: stored.length, total, audit: audit.total, missing }));
  }
  let codes = [];
  while (codes.length === 0) codes = await batch();
  for (let i = 0; i < 10; i++) await batch();
  await report(codes);
  await once(process.stdin, "data");
  do codes = await batch(); while (codes.length > 0);
  await report(codes);
  await records.close();
  process.exit(0);
`;

test("files that may not grow refuse writes, keep reads working, and are used again once they may", async () => {
  const script = startScript(FILL, { args: [tempFolder()], maxFileSize: 1_500_000 });
  await expectRecovery(script, "storage_unavailable", () => {
    execFileSync("prlimit", ["--pid", String(script.child.pid), "--fsize=unlimited:unlimited"]);
  });
});

if (canMount()) {
  test("a full disk refuses writes as such, keeps reads working, and is used again once there is room", async () => {
    const folder = mountSmallDisk("4m");
    const filler = join(folder, "filler");
    writeFileSync(filler, new Uint8Array(1_500_000));
    const script = startScript(FILL, { args: [join(folder, "data")] });
    await expectRecovery(script, "storage_full", () => rmSync(filler));
  });
}

async function expectRecovery(script: Script, code: string, relieve: () => void): Promise<void> {
  const refused = JSON.parse(await script.line());
  expect(refused.stored).toBeGreaterThan(0);
  expect(refused).toEqual({
    codes: [code],
    stored: refused.stored,
    total: refused.stored,
    audit: refused.stored,
    missing: 0,
  });
  relieve();
  script.say("go on");
  const recovered = JSON.parse(await script.line());
  expect(recovered.stored).toBeGreaterThan(refused.stored);
  expect(recovered).toMatchObject({ codes: [], total: recovered.stored, audit: recovered.stored, missing: 0 });
  expect(await script.end).toBe(0);
}
