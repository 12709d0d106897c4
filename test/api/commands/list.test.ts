// List Command Executions, of a device and of a site.
import { beforeAll, expect, test } from "vitest";
import type { Execution } from "#core/command/execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { instant } from "#core/time/instant.ts";
import {
  type CommandSite,
  commandManifest,
  commandsOf,
  type ExecutionPage,
  makeCommandSite,
  upload,
} from "../../support/command-site.ts";
import { arrival, asNew, makeExecution, type Place } from "../../support/executions.ts";
import { makeEntry } from "../../support/records.ts";
import { type Session, useServer } from "../../support/server.ts";

const busbar = useServer();
const HOUR = 3_600_000;
/** A whole hour, a while ago; `t(1)` is one hour later. */
const START = Math.floor(Date.now() / HOUR) * HOUR - 12 * HOUR;
const t = (hours: number) => instant(START + hours * HOUR);
const iso = (hours: number, ms = 0) => new Date(t(hours) + ms).toISOString();

/** The same moment with these digits after its milliseconds. */
const finer = (time: string, digits: string) => time.replace("Z", `${digits}Z`);

let site: CommandSite;
let main: string;
let parent: string;
let child: string;
let plain: string;
/** Ids by letter, in the order of creation. */
const ids = new Map<string, string>();

interface Given {
  readonly at: number;
  readonly on?: string;
  readonly name?: readonly [sent: string, manifest: string];
  readonly state?: "SUCCEEDED" | "ERROR" | "IN_PROGRESS" | "TIMEOUT";
  readonly fields?: Partial<Execution>;
}

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Lists");
  main = await site.device("Main");
  parent = await site.device("Parent");
  const child_device = { site_id: site.siteId, parent_id: parent, child_type: "cell", name: "Cell" };
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/child_device", child_device);
  child = made.body.device_id;
  await assign(child, await upload(busbar, commandManifest("Battery", "implements: energy.battery")));
  plain = await site.device("Plain");
  await assign(plain, await upload(busbar, commandManifest("Charge", "implements: energy.battery.state_of_charge")));

  const given: Readonly<Record<string, Given>> = {
    a: { at: 0, state: "SUCCEEDED" },
    b: { at: 1, name: ["go", "start"], state: "ERROR" },
    c: { at: 2, name: ["stop", "stop"], state: "IN_PROGRESS" },
    d: { at: 2, name: ["stop", "stop"], state: "TIMEOUT" },
    e: { at: 3, name: ["launch", "start"] },
    f: { at: 4, fields: { ephemeral: true }, state: "SUCCEEDED" },
    g: { at: 5, fields: { ephemeral: true } },
    h: { at: 6, on: parent, name: ["stop", "stop"], state: "SUCCEEDED" },
    i: { at: 7, on: child, state: "SUCCEEDED" },
    j: { at: 8, on: plain, state: "ERROR" },
    k: { at: 9, fields: { readLevel: "installer" } },
  };
  await busbar.withRecords(async ({ executions }) => {
    for (const [letter, { at, on = main, name = ["start", "start"], state, fields }] of Object.entries(given)) {
      const place: Place = { siteId: site.siteId, deviceId: on };
      const request = { name: name[0], manifestName: name[1], arguments: {} };
      const deadline = instant(Date.now() + HOUR);
      const execution = makeExecution(place, { createdAt: t(at), request, deadline, ...fields });
      ids.set(letter, execution.id);
      await executions.insert(asNew(execution, { attempted: true }), makeEntry());
      if (state === "TIMEOUT") await executions.expire(execution.id, deadline);
      else if (state !== undefined) {
        await executions.record(on, execution.id, { ...arrival(state), patienceMs: 10 * 24 * HOUR * 365 });
      }
    }
  });
});

async function assign(deviceId: string, blueprint_id: string): Promise<void> {
  const { status } = await busbar.admin.post(`/v3/devices/${deviceId}/assign_blueprint`, { blueprint_id });
  expect(status).toBe(200);
}

/** What a list gives, as letters, and its total: `abc 3`. */
async function letters(path: string, session: Session = busbar.admin): Promise<string> {
  const answer = await session.get<ExecutionPage>(path);
  if (answer.status !== 200) return `${answer.status} ${answer.errors.map(({ message }) => message).join("; ")}`;
  const names = new Map([...ids].map(([letter, id]) => [id, letter]));
  return `${answer.body.executions.map(({ id }) => names.get(id) ?? "?").join("")} ${answer.body.total_count}`;
}
const ofMain = (query: string) => letters(`/v3/devices/${main}/commands/executions${query}`);
const ofSite = (query: string) => letters(`/v3/sites/${site.siteId}/commands/executions${query}`);

const QUERIES: readonly (readonly [query: string, expected: string])[] = [
  // By default the persistent ones, oldest first, ties by id.
  ["", "abcdek 6"],
  ["?order=CREATED_AT_ASC", "abcdek 6"],
  ["?order=CREATED_AT_DESC", "kedcba 6"],
  ["?order=created_at_desc", "kedcba 6"],
  // The list is at most limit long; that many are skipped; beyond the total it is empty.
  ["?limit=2", "ab 6"],
  ["?limit=2&offset=1", "bc 6"],
  ["?limit=2&offset=5", "k 6"],
  ["?offset=6", " 6"],
  ["?offset=1000000", " 6"],
  ["?limit=0", " 6"],
  ["?limit=1000000", "abcdek 6"],
  ["?limit=2&offset=3&order=created_at_desc", "cb 6"],
  // Retention.
  ["?retention=PERSISTENT", "abcdek 6"],
  ["?retention=EPHEMERAL", "fg 2"],
  ["?retention=ALL", "abcdefgk 8"],
  ["?retention=all&limit=1&offset=5", "f 8"],
  ["?retention=ephemeral&order=created_at_desc", "gf 2"],
  // The total counts what matches the filters; names are the sent or the manifest name, exactly.
  ["?name.in=start", "abek 4"],
  ["?name.in=go", "b 1"],
  ["?name.in=go,stop", "bcd 3"],
  ["?name.in=%20go%20,", "b 1"],
  ["?name.in=Start", " 0"],
  ["?name.in=sta", " 0"],
  ["?name.in=constructor", " 0"],
  ["?name.in=", "abcdek 6"],
  // States in any case.
  ["?state.in=NEW", "ek 2"],
  ["?state.in=success,Error", "ab 2"],
  ["?state.in=IN_PROGRESS,timeout", "cd 2"],
  ["?state.in=UNSYNC", " 0"],
  ["?state.in=", "abcdek 6"],
  // gte is inclusive, lt exclusive.
  [`?created_at.gte=${iso(2)}`, "cdek 4"],
  [`?created_at.gte=${iso(2, 1)}`, "ek 2"],
  [`?created_at.lt=${iso(2)}`, "ab 2"],
  [`?created_at.lt=${iso(2, 1)}`, "abcd 4"],
  [`?created_at.gte=${iso(1)}&created_at.lt=${iso(3)}`, "bcd 3"],
  [`?created_at.gte=${iso(3)}&created_at.lt=${iso(1)}`, " 0"],
  // A plus that is not encoded arrives as a space.
  [`?created_at.gte=${iso(2).replace("Z", "+00:00")}`, "cdek 4"],
  [`?created_at.gte=${iso(2).replace("Z", "%2B00:00")}`, "cdek 4"],
  // Every digit of a time counts.
  [`?created_at.gte=${finer(iso(2), "0005")}`, "ek 2"],
  [`?created_at.lt=${finer(iso(2), "0005")}`, "abcd 4"],
  [`?created_at.gte=${finer(iso(2), "000000")}`, "cdek 4"],
  [`?created_at.lt=${finer(iso(2), "000000")}`, "ab 2"],
  // Any integer is fine, however large.
  ["?limit=1000000000000000000000000000000", "abcdek 6"],
  ["?offset=1000000000000000000000000000000", " 6"],
  ["?limit=9007199254740993&offset=18446744073709551616&order=created_at_desc", " 6"],
  ["?limit=000000000000000000000002", "ab 6"],
  // All together.
  [`?name.in=start&state.in=new,success&retention=all&created_at.gte=${iso(0)}&order=created_at_desc&limit=2`, "kg 5"],
];

test.each(QUERIES)("the device list with %s gives %s", async (query, expected) => {
  expect(await ofMain(query)).toBe(expected);
});

test("times with any offset are understood", async () => {
  const local = new Date(t(2) + 2 * HOUR).toISOString().replace("Z", "+02:00");
  expect(await ofMain(`?created_at.gte=${encodeURIComponent(local)}`)).toBe("cdek 4");
});

const SITE_QUERIES: readonly (readonly [query: string, expected: string])[] = [
  ["?retention=ALL&offset=1000000000000000000000000000000", " 11"],
  ["", "abcdehijk 9"],
  ["?retention=ALL&order=created_at_desc&limit=3", "kji 11"],
  ["?state.in=error", "bj 2"],
  ["?name.in=stop&limit=2", "cd 3"],
  ["?device_id.in=PARENT,CHILD", "hi 2"],
  ["?device_id.in=parent", "h 1"],
  ["?device_id.in=PARENT&state.in=error", " 0"],
  ["?device_id.in=019a8c00-0000-7000-8000-0000000000ee", " 0"],
  ["?device_id.in=", "abcdehijk 9"],
  ["?device.child_type.in=cell", "i 1"],
  ["?device.child_type.in=cell,module", "i 1"],
  ["?device.child_type.in=Cell", " 0"],
  ["?device.parent_id.in=PARENT", "i 1"],
  ["?device.parent_id.in=parent&device.child_type.in=cell", "i 1"],
  ["?device.parent_id.in=CHILD", " 0"],
  // A battery is by its profile a device and has a state of charge: profiles are looked for all the way down.
  ["?device.profiles.has_all=energy.battery", "i 1"],
  ["?device.profiles.has_all=energy.battery.state_of_charge", "ij 2"],
  ["?device.profiles.has_all=energy.battery.state_of_charge,energy.battery", "i 1"],
  ["?device.profiles.has_all=energy.battery,energy.ac.power", " 0"],
  ["?device.profiles.has_all=unknown.profile", " 0"],
  ["?device.profiles.has_all=energy.battery.state_of_charge&device_id.in=PLAIN&state.in=error", "j 1"],
];

test.each(SITE_QUERIES)("the site list with %s gives %s", async (query, expected) => {
  const named = query.replaceAll("PARENT", parent).replaceAll("CHILD", child).replaceAll("PLAIN", plain);
  expect(await ofSite(named)).toBe(expected);
});

test.each(QUERIES)("the site list of one device with %s gives what the device list gives", async (query, expected) => {
  const more = query === "" ? "?" : `${query}&`;
  expect(await ofSite(`${more}device_id.in=${main}`)).toBe(expected);
});

test("list items have the fields of an execution, and no log", async () => {
  const { body } = await commandsOf(busbar.admin, main).list("?limit=1");
  expect(body.executions[0]).toEqual({
    id: ids.get("a"),
    device_id: main,
    state: "SUCCESS",
    ephemeral: false,
    created_at: iso(0),
    request: { name: "start", manifest_name: "start", arguments: {} },
    response: { state: "SUCCEEDED", received_at: expect.any(String) },
  });
  expect(Object.keys(body).sort()).toEqual(["executions", "total_count"]);
});

test.each([
  ["limit=-1", "limit must be a whole number"],
  ["limit=1.5", "limit must be a whole number"],
  ["limit=ten", "limit must be a whole number"],
  ["offset=-1", "offset must be a whole number"],
  ["retention=FOREVER", "retention must be one of PERSISTENT, EPHEMERAL, ALL"],
  ["order=UP", "order must be one of CREATED_AT_ASC, CREATED_AT_DESC"],
  ["state.in=NEW,DONE", "state.in must be one of"],
  ["created_at.gte=yesterday", "created_at.gte must be an RFC 3339 date-time"],
  ["created_at.lt=1700000000", "created_at.lt must be an RFC 3339 date-time"],
  ["created_at.gt=2026-01-01T00:00:00Z", "there is no query parameter"],
  ["names.in=start", "did you mean name.in?"],
  ["expand=log", "there is no query parameter"],
])("a list refuses %s", async (query, why) => {
  for (const list of [ofMain, ofSite]) {
    const answer = await list(`?${query}`);
    expect(answer).toMatch(/^400 /);
    expect(answer).toContain(why);
  }
});

test("the device list does not know the filters of the site list", async () => {
  expect(await ofMain("?device_id.in=x")).toMatch(/^400 /);
});

test("by default 100 are given, and never more than 1,000", async () => {
  const many = await site.device("Many");
  await busbar.withRecords(async ({ executions }) => {
    const place = { siteId: site.siteId, deviceId: many };
    const deadline = instant(Date.now() + HOUR);
    await Promise.all(
      Array.from({ length: 1_100 }, (_, n) => {
        const execution = makeExecution(place, { createdAt: instant(t(0) + n), deadline });
        return executions.insert(asNew(execution, { attempted: true, maxOpen: 2_000 }), makeEntry());
      }),
    );
  });
  const length = async (query: string) => (await commandsOf(busbar.admin, many).ids(query)).length;
  expect([
    await length(""),
    await length("?limit=1000"),
    await length("?limit=1001"),
    await length("?limit=99"),
  ]).toEqual([100, 1_000, 1_000, 99]);
  expect(await length("?limit=1000&offset=1050")).toBe(50);
});

test("an ephemeral execution is absent from lists and counts as soon as it is a day old, before any sweep", async () => {
  const brief = await site.device("Brief");
  const old = makeExecution(
    { siteId: site.siteId, deviceId: brief },
    {
      createdAt: instant(Date.now() - EPHEMERAL_LIFETIME_MS - 1),
      ephemeral: true,
      deadline: instant(Date.now() + HOUR),
    },
  );
  await busbar.withRecords(async ({ executions }) => {
    await executions.insert(asNew(old, { attempted: true }), makeEntry());
  });
  const { list, get } = commandsOf(busbar.admin, brief);
  expect((await list("?retention=ALL")).body).toEqual({ executions: [], total_count: 0 });
  expect((await get(old.id)).status).toBe(404);
});

test("a site or device that is unknown or invisible is 404, for both lists", async () => {
  const other = await makeCommandSite(busbar, "Other lists");
  const visitor = busbar.as(await busbar.token({ level: "vendor", site_ids: [other.siteId] }));
  for (const path of [`/v3/sites/${site.siteId}/commands/executions`, `/v3/devices/${main}/commands/executions`]) {
    expect(await letters(path, visitor)).toMatch(/^404 /);
  }
  expect(await letters("/v3/sites/nowhere/commands/executions")).toMatch(/^404 /);
  expect(await letters(`/v3/sites/${other.siteId}/commands/executions?device_id.in=${main}`, visitor)).toBe(" 0");
});

test("the slug of a device works in the path", async () => {
  expect(await letters("/v3/devices/main/commands/executions")).toBe("abcdek 6");
});
