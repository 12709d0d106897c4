// Calendars over HTTP, and what schedules and rules do with them.
import { beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, makeCommandSite } from "../../support/command-site.ts";
import { createMovableClocks } from "../../support/movable-clocks.ts";
import { useServer } from "../../support/server.ts";

const clocks = createMovableClocks();
const busbar = useServer(["--mqtt-port", "0"], { clocks });

let site: CommandSite;
let base = "";
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Calendars");
  await busbar.admin.patch(`/v3/sites/${site.siteId}`, {
    timezone: "Europe/Berlin",
    location: { name: "Berlin", latitude: 52.5, longitude: 13.4 },
  });
  base = `/v3/sites/${site.siteId}/calendars`;
});

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const always = Object.fromEntries(DAYS.map((day) => [day, [{ from: "00:00", to: "24:00" }]]));
const HOLIDAYS = [
  "BEGIN:VCALENDAR",
  "BEGIN:VEVENT",
  "DTSTART;VALUE=DATE:20241225",
  "DTEND;VALUE=DATE:20241227",
  "RRULE:FREQ=YEARLY",
  "SUMMARY:Christmas",
  "END:VEVENT",
  "END:VCALENDAR",
].join("\r\n");

interface Shown {
  readonly calendar: { readonly revision: number; readonly state: { readonly on: boolean } | null };
}

test("a weekly plan is stored, says what it says now, and comes back as it was", async () => {
  const plan = { mon: [{ from: "22:00", to: "06:00", value: 18 }], sun: [{ from: "23:00", to: "24:00", value: 21 }] };
  const put = await busbar.admin.put<Shown>(`${base}/heating`, { kind: "weekly", plan });
  expect(put.status, put.text).toBe(200);
  const { body } = await busbar.admin.get<Shown>(`${base}/heating`);
  expect(body.calendar).toMatchObject({ name: "heating", plan: { ...plan, tue: [] }, timezone: null, revision: 1 });
  expect(body.calendar.state).toMatchObject({ on: expect.any(Boolean) });
  const entries = await busbar.admin.get(`${base}/heating/entries?from=2026-11-16T00:00:00Z&limit=2`);
  expect(entries.body).toEqual({
    entries: [
      { from: "2026-11-16T21:00:00.000Z", to: "2026-11-17T05:00:00.000Z", value: 18, title: null },
      { from: "2026-11-22T22:00:00.000Z", to: "2026-11-22T23:00:00.000Z", value: 21, title: null },
    ],
  });
});

test("a file is read off the main thread, and its holidays are those of the site's clock", async () => {
  const put = await busbar.admin.put(`${base}/holidays`, { kind: "ical", text: HOLIDAYS });
  expect(put.status, put.text).toBe(200);
  const { body } = await busbar.admin.get(`${base}/holidays/entries?from=2026-01-01T00:00:00Z`);
  expect(body).toEqual({
    entries: [{ from: "2026-12-24T23:00:00.000Z", to: "2026-12-26T23:00:00.000Z", value: null, title: "Christmas" }],
  });
  const list = await busbar.admin.get(`${base}?limit=10`);
  expect(list.text).not.toContain("VEVENT");
});

test("all mistakes are reported at once: of a plan by pointer, of a file by line", async () => {
  const plan = {
    mon: [
      { from: "08:00", to: "12:00" },
      { from: "11:00", to: "13:00", value: 5 },
    ],
    tue: [{ from: "01:00", to: "01:00", value: "x" }],
  };
  const wrong = await busbar.admin.put<{ errors: { details: { pointer: string } }[] }>(`${base}/wrong`, {
    kind: "weekly",
    timezone: "Mars/Base",
    plan,
    except: ["holidais"],
  });
  expect(wrong.status).toBe(400);
  expect(wrong.body.errors.map(({ details }) => details.pointer)).toEqual([
    "/timezone",
    "/plan/tue/0",
    "/plan/tue/0",
    "/plan/mon/1",
    "/except/0",
  ]);
  expect(wrong.text).toContain("did you mean holidays?");
  const text = HOLIDAYS.replace("20241225", "20240230").replace("YEARLY", "SECONDLY");
  const file = await busbar.admin.put<{ errors: { details: object }[] }>(`${base}/wrong`, { kind: "ical", text });
  expect(file.body.errors.map(({ details }) => details)).toEqual([{ pointer: "/text", line: 3 }]);
  const preview = await busbar.admin.post(`${base}/preview`, { kind: "ical", text });
  expect(preview.body).toMatchObject({ problems: [{ pointer: "/text", line: 3 }], entries: [] });
  expect((await busbar.admin.get(`${base}/wrong`)).status).toBe(404);
  const fine = await busbar.admin.post(`${base}/preview`, { kind: "ical", text: HOLIDAYS });
  expect(fine.body).toMatchObject({ problems: [], entries: [{ title: "Christmas" }] });
});

test.each(["Upper", "1st", "a".repeat(65), "a b"])("no calendar is called %s", async (name) => {
  expect((await busbar.admin.put(`${base}/${encodeURIComponent(name)}`, { kind: "weekly", plan: {} })).status).toBe(
    400,
  );
});

test("a file that is larger than 256 KiB, in characters or in bytes, is refused", async () => {
  for (const text of ["A".repeat(262_145), "\u20ac".repeat(200_000)])
    expect((await busbar.admin.put(`${base}/large`, { kind: "ical", text })).status).toBe(400);
});

test("another revision is refused, and so is the end of an exception that is used", async () => {
  const weekly = { kind: "weekly", plan: {}, except: ["holidays"] };
  const headers = { "If-Match": '"0"' };
  expect((await busbar.admin.put(`${base}/shift`, weekly, { headers })).status).toBe(200);
  expect((await busbar.admin.put(`${base}/shift`, weekly, { headers })).status).toBe(409);
  expect((await busbar.admin.delete(`${base}/holidays`)).status).toBe(409);
  expect((await busbar.admin.delete(`${base}/shift`)).status).toBe(200);
});

const PATH = "/v3/commands/schedules";

interface Made {
  readonly schedule: { readonly id: string; readonly next_at: string };
}
interface Runs {
  readonly runs: readonly { readonly outcome: string; readonly reason: string | null }[];
}

test("a schedule runs each day by the sun, on its days", async () => {
  const device = await site.device("blinds");
  const bulk = { name: "stop", devices: { device_ids: [device] } };
  const daily = { at: "sunset-30m", days: ["sat", "sun"] };
  const made = await busbar.admin.post<Made>(PATH, { name: "Blinds", bulk, daily });
  expect(made.status, made.text).toBe(200);
  expect(made.body.schedule).toMatchObject({ site_id: site.siteId, daily, at: null, cron: null, except: [], only: [] });
  const preview = await busbar.admin.post<{ times: string[] }>(`${PATH}/preview`, {
    site_id: site.siteId,
    daily,
    count: 3,
  });
  expect(preview.body.times).toHaveLength(3);
  expect(preview.body.times[0]).toBe(made.body.schedule.next_at);
  expect(preview.body.times.every((time) => [0, 6].includes(new Date(time).getUTCDay()))).toBe(true);
});

test.each([
  [{ daily: { at: "noon" } }, "/daily/at"],
  [{ daily: { at: "08:00" }, cron: "0 8 * * *" }, "/at"],
  [{ cron: "0 8 * * *", except: ["holidais"] }, "/except/0"],
  [{ cron: "0 8 * * *", only: ["none"] }, "/only/0"],
])("a schedule with %j is refused at %s", async (times, pointer) => {
  const device = await site.device(`wrong ${pointer}${JSON.stringify(times).length}`);
  const bulk = { name: "stop", devices: { device_ids: [device] } };
  const made = await busbar.admin.post<{ errors: { details: object }[] }>(PATH, { name: "Wrong", bulk, ...times });
  expect([made.status, made.body.errors[0]?.details]).toEqual([400, { pointer }]);
});

test("while an exception is on, a time is skipped, and with a calendar that is gone it is refused, and it is said", async () => {
  await busbar.admin.put(`${base}/closed`, { kind: "weekly", plan: always });
  const device = await site.device("closed");
  const bulk = { name: "stop", devices: { device_ids: [device] } };
  const made = await busbar.admin.post<Made>(PATH, { name: "Closed", bulk, cron: "* * * * *", except: ["closed"] });
  expect(made.status, made.text).toBe(200);
  const path = `${PATH}/${made.body.schedule.id}/runs`;
  const reason = async (words: string) => {
    clocks.advance(60_000);
    await vi.waitFor(
      async () => expect((await busbar.admin.get<Runs>(path)).body.runs.map((run) => run.reason)).toContain(words),
      { timeout: 30_000, interval: 200 },
    );
  };
  await reason("the calendar closed is on");
  expect((await busbar.admin.delete(`${base}/closed`)).status).toBe(200);
  await reason("nobody knows whether the calendar closed is on");
  expect((await busbar.admin.get<Runs>(path)).body.runs.every(({ outcome }) => outcome !== "RAN")).toBe(true);
});

test("a dry run knows the calendars of the site, as they are now", async () => {
  await busbar.admin.put(`${base}/mondays`, {
    kind: "weekly",
    timezone: "UTC",
    plan: { mon: [{ from: "08:00", to: "12:00" }] },
  });
  const text = "when: { calendar: mondays }\nthen: [{ notify: Monday }]\n";
  const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3", language: "yaml" };
  const day = 86_400_000;
  const from = Math.floor(clocks.now() / day) * day - 8 * day;
  const span = { from: new Date(from).toISOString(), to: new Date(from + 7 * day).toISOString() };
  const { body, text: raw } = await busbar.admin.post<{
    dry_run: { started: number; problems: string[]; on_seconds: number };
  }>(`/v3/sites/${site.siteId}/rule_engine/dry_run`, { script, ...span });
  expect([body.dry_run?.started, body.dry_run?.on_seconds], raw).toEqual([1, 4 * 3_600]);
  expect(body.dry_run.problems).toContain("calendars count as they are now: mondays");
});

test("a rule names calendars that are there, and hears at once when one is edited", async () => {
  await busbar.admin.put(`${base}/shift`, { kind: "weekly", plan: {} });
  const rule = (text: string) => ({
    code: Buffer.from(text).toString("base64"),
    runtime_version: "V3",
    language: "yaml",
  });
  const rules = `/v3/sites/${site.siteId}/rule_engine/rules`;
  const wrong = await busbar.admin.post(rules, {
    slug: "wrong",
    script: rule("when: { calendar: shfit }\nthen: [{ notify: now }]"),
  });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("Did you mean shift?")]);
  const script = rule("when: { calendar: shift }\nthen: [{ set: at_work, to: true }]");
  const made = await busbar.admin.post(rules, { slug: "shift", script });
  expect(made.status, made.text).toBe(200);
  await busbar.admin.put(`${base}/shift`, { kind: "weekly", plan: always });
  const variables = async () => (await busbar.admin.get(`/v3/sites/${site.siteId}/variables`)).text;
  await vi.waitFor(async () => expect(await variables()).toContain("at_work"), { timeout: 30_000, interval: 200 });
});

test("a script asks what a calendar says, and gets the reason if nobody knows", async () => {
  const lua =
    "local c = calendar.now('holidays'); enapter.log('title ' .. calendar.next('holidays').title .. ' ' .. tostring(c.on)); local a, e = calendar.now('none'); enapter.log(tostring(a) .. ' ' .. e)";
  const rules = `/v3/sites/${site.siteId}/rule_engine/rules`;
  const script = { code: Buffer.from(lua).toString("base64"), runtime_version: "V3" };
  const made = await busbar.admin.post(rules, { slug: "asks", script });
  expect(made.status, made.text).toBe(200);
  const log = async () => (await busbar.admin.get(`${rules}/asks/logs`)).text;
  await vi.waitFor(async () => expect(await log()).toContain("nil the site has no calendar none"), {
    timeout: 30_000,
    interval: 200,
  });
  expect(await log()).toContain("title Christmas ");
});
