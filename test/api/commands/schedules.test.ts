// Scheduled commands: each time once, what was missed is said, and the rights are those of the moment.
import { beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, commandsOf, makeCommandSite } from "../../support/command-site.ts";
import { createMovableClocks } from "../../support/movable-clocks.ts";
import { type Session, useServer } from "../../support/server.ts";

const clocks = createMovableClocks();
const busbar = useServer(["--mqtt-port", "0"], { clocks });

interface Schedule {
  readonly id: string;
  readonly revision: number;
  readonly is_enabled: boolean;
  readonly next_at: string | null;
  readonly timezone: string;
  readonly owner: string;
  readonly bulk: { readonly arguments: object };
}
interface Run {
  readonly outcome: string;
  readonly bulk_id: string | null;
  readonly reason: string | null;
}

let site: CommandSite;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Schedules");
  await busbar.admin.patch(`/v3/sites/${site.siteId}`, { timezone: "Europe/Berlin" });
});

const PATH = "/v3/commands/schedules";
const create = (body: object, as: Session = busbar.admin) => as.post<{ schedule: Schedule }>(PATH, body);
const runsOf = async (id: string) => (await busbar.admin.get<{ runs: Run[] }>(`${PATH}/${id}/runs`)).body.runs;
const soon = (ms: number) => new Date(clocks.now() + ms).toISOString();
const ran = (id: string, count: number) =>
  vi.waitFor(
    async () => {
      const runs = await runsOf(id);
      expect(runs).toHaveLength(count);
      return runs;
    },
    { timeout: 30_000, interval: 100 },
  );

test("once, at its time, it begins a bulk command, and is over", async () => {
  const device = await site.device("once");
  const bulk = { name: "unlock", arguments: { door: "a", pin: "4711" }, devices: { device_ids: [device] } };
  const made = await create({ name: "Once", bulk, at: soon(1_500) });
  expect(made.status, made.text).toBe(200);
  const { id } = made.body.schedule;
  expect(made.body.schedule).toMatchObject({
    timezone: "Europe/Berlin",
    bulk: { arguments: { door: "a", pin: "***" } },
  });
  expect(made.text).not.toContain("4711");
  const [run] = await ran(id, 1);
  expect(run).toMatchObject({ outcome: "RAN", reason: null });
  expect((await busbar.admin.get(`/v3/commands/bulk/${run?.bulk_id}`)).body).toMatchObject({
    bulk: { schedule_id: id, devices: { total: 1 } },
  });
  await vi.waitFor(async () => expect((await commandsOf(busbar.admin, device).ids()).length).toBe(1), {
    timeout: 20_000,
  });
  expect((await busbar.admin.get<{ schedule: Schedule }>(`${PATH}/${id}`)).body.schedule.next_at).toBeNull();
});

test("missed times are skipped or made up for, once, and it is said", async () => {
  const device = await site.device("missed");
  const bulk = { name: "stop", devices: { device_ids: [device] } };
  const skipping = await create({ name: "Skip", bulk, cron: "0 * * * *" });
  const late = await create({ name: "Late", bulk, cron: "0 * * * *", missed: "run_late", late_within: "3h" });
  // A quarter past an hour, some hours later: nothing ran in between.
  const hour = 3_600_000;
  clocks.advance((Math.floor(clocks.now() / hour) + 5) * hour + hour / 4 - clocks.now());
  const [skipped] = await ran(skipping.body.schedule.id, 1);
  expect(skipped).toMatchObject({
    outcome: "SKIPPED",
    bulk_id: null,
    reason: expect.stringMatching(/\d times were missed/),
  });
  const runs = await ran(late.body.schedule.id, 2);
  expect(runs.map(({ outcome }) => outcome)).toEqual(["RAN", "SKIPPED"]);
  expect(runs[0]?.reason).toMatch(/s late/);
  await vi.waitFor(async () => expect((await commandsOf(busbar.admin, device).ids()).length).toBe(1), {
    timeout: 20_000,
  });
  // Others run meanwhile, so the chore has had its turns.
  const other = await create({ name: "Other", bulk, at: soon(1_200) });
  await ran(other.body.schedule.id, 1);
  expect(await runsOf(late.body.schedule.id)).toHaveLength(2);
  for (const { body } of [skipping, late]) await busbar.admin.delete(`${PATH}/${body.schedule.id}`);
});

test("a token that was revoked stops its schedule, and the run says so", async () => {
  const device = await site.device("revoked");
  const { body: token } = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", {
    name: "t",
    level: "user",
  });
  const bulk = { name: "stop", devices: { device_ids: [device] } };
  const made = await create({ name: "Revoked", bulk, at: soon(2_000) }, busbar.as(token.token));
  await busbar.admin.delete(`/v3/tokens/${token.id}`);
  expect(await ran(made.body.schedule.id, 1)).toMatchObject([
    { outcome: "REFUSED", bulk_id: null, reason: expect.stringContaining("revoked") },
  ]);
  const after = await busbar.admin.get<{ schedule: Schedule }>(`${PATH}/${made.body.schedule.id}`);
  expect(after.body.schedule.is_enabled).toBe(false);
  expect(await commandsOf(busbar.admin, device).ids()).toEqual([]);
});

test("who changes it gives it their rights; a revision that is old is refused; others do not see it", async () => {
  const device = await site.device("changed");
  const bulk = { name: "service", devices: { device_ids: [device] } };
  const made = await create({ name: "Mine", bulk, cron: "0 2 * * *", is_enabled: false });
  const { id, revision } = made.body.schedule;
  const owner = busbar.as(await busbar.token({ name: "owner", level: "owner" }));
  const user = busbar.as(await busbar.token({ level: "user" }));
  for (const refused of [
    await user.get(`${PATH}/${id}`),
    await user.patch(`${PATH}/${id}`, { revision, name: "x" }),
    await user.delete(`${PATH}/${id}`),
    await user.get(`${PATH}/${id}/runs`),
  ]) {
    expect([refused.status, refused.errors[0]?.code]).toEqual([404, "not_found"]);
  }
  const changed = await owner.patch<{ schedule: Schedule }>(`${PATH}/${id}`, {
    revision,
    at: soon(1_500),
    is_enabled: true,
  });
  expect(changed.body.schedule, changed.text).toMatchObject({ owner: "owner", revision: revision + 1, cron: null });
  expect((await busbar.admin.patch(`${PATH}/${id}`, { revision, name: "old" })).errors[0]?.code).toBe("conflict");
  // An owner may not run it, so the device is refused: the rights of its first author are gone.
  const [run] = await ran(id, 1);
  await vi.waitFor(
    async () =>
      expect((await busbar.admin.get(`/v3/commands/bulk/${run?.bulk_id}/devices`)).body).toMatchObject({
        devices: [{ state: "REFUSED", code: "forbidden" }],
      }),
    { timeout: 20_000 },
  );
});

test.each([
  [{ cron: "0 2 * * *", at: "2030-01-01T00:00:00Z" }, "/at"],
  [{}, "/at"],
  [{ cron: "61 * * * *" }, "/cron"],
  [{ cron: "* * * * * *" }, "/cron"],
  [{ cron: "0 0 30 2 *" }, "/cron"],
  [{ cron: "x".repeat(101) }, "/cron"],
  [{ at: "2001-01-01T00:00:00Z" }, "/at"],
  [{ cron: "0 2 * * *", timezone: "Mars/Phobos" }, "/timezone"],
  [{ cron: "0 2 * * *", late_within: "8d" }, "/late_within"],
  [{ cron: "0 2 * * *", late_within: "soon" }, "/late_within"],
  [{ cron: "0 2 * * *", missed: "maybe" }, "/missed"],
  [{ cron: "0 2 * * *", bulk: { name: "stop", devices: {} } }, "/devices"],
])("what is wrong is refused: %j", async (fields, pointer) => {
  const device = await site.device(`wrong ${Math.random()}`);
  const refused = await create({ name: "Wrong", bulk: { name: "stop", devices: { device_ids: [device] } }, ...fields });
  expect([refused.status, refused.errors[0]?.code, refused.errors[0]?.details?.["pointer"]]).toEqual([
    400,
    "invalid_body",
    pointer,
  ]);
});
