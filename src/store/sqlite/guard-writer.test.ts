import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { refuse } from "#core/app-error.ts";
import { WRITES } from "#store/records/writes.ts";
import { guardWriter } from "./guard-writer.ts";
import { type LocalWriter, openWriter } from "./writer.ts";

/** A disk with nothing left but the reserve. */
const FULL = {
  refusal: (fromReserve: boolean) => (fromReserve ? undefined : refuse("storage_full", "the disk is full")),
  noteFailure: () => false,
  makeRoom: () => {},
  look: async () => {},
};

const folder = mkdtempSync(join(tmpdir(), "busbar-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The writing thread says which writes go on. */
const opened = await openWriter(join(folder, "records.db"), (error) => expect.unreachable(error.message));
await opened.close();

/** Writes only get a name here, and do nothing. */
function guardFull(done: (name: string) => void): LocalWriter {
  const run = (async (name: string) => done(name)) as unknown as LocalWriter["run"];
  return guardWriter({ ...opened, run }, FULL);
}

test.each([
  // Commands until they end, created here or in the cloud, and their way over the link.
  ["insertExecution recordResponse markAttempted expireExecution", true],
  ["applyRemoteExecution giveExecutionToOwner takeExecutionFromOwner loseSightOfExecution", true],
  // Without these a connection to the cloud would not begin, or would end.
  ["makeEpoch confirmChanges unmarkHours noteDropped noteHistory noteTaken noteGatewayGone", true],
  ["noteCloud noteContact putCloudTokens endLostExecution forgetRevisions", true],
  ["putNextCredential useNextCredential acceptCredential settleCredential", true],
  // What deletes or takes access away.
  ["revokeToken endSession endSessionsOfToken revokeGateway askRotation withdrawJoinCode withdrawChange", true],
  ["deleteDevice deleteSite deleteWebhook deleteSetting deleteUplink deleteCopiedDevice deleteCopiedSite", true],
  ["removeScriptEntry pruneSessions pruneChanges pruneAlerts pruneAudit pruneDeliveries pruneDeviceLogs", true],
  // History stops first, and then everything else that would be stored.
  ["markHours", false],
  ["insertDevice putProperties appendDeviceLog putConfiguration insertBlueprint", false],
])("on a full disk it is %s that goes on: %s", async (names, goesOn) => {
  const done: string[] = [];
  const guarded = guardFull((name) => done.push(name));
  for (const name of names.split(" ")) {
    const write = guarded.run(name as "makeEpoch", { epoch: "" });
    if (goesOn) await write;
    else await expect(write).rejects.toMatchObject({ code: "storage_full" });
  }
  expect(done.join(" ")).toBe(goesOn ? names : "");
});

test("every write whose name says that it deletes, ends or revokes goes on on a full disk", async () => {
  const guarded = guardFull(() => {});
  const deleting = Object.keys(WRITES).filter((name) =>
    /^(?:delete|end|revoke|withdraw|remove|prune|sweep)/.test(name),
  );
  expect(deleting.length).toBeGreaterThan(20);
  for (const name of deleting) await guarded.run(name as "makeEpoch", { epoch: "" });
});
