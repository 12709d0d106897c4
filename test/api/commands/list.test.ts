// List Command Executions, of a device and of a site.
import { beforeAll, expect, test } from "vitest";
import type { Execution } from "#core/command/execution.ts";
import { instant } from "#core/time/instant.ts";
import type { SentenceId } from "../../interface/register.ts";
import { check } from "../../support/check.ts";
import {
  type CommandSite,
  commandManifest,
  commandsOf,
  type ExecutionPage,
  makeCommandSite,
  upload,
} from "../../support/command-site.ts";
import { arrival, asNew, makeExecution } from "../../support/executions.ts";
import { makeEntry } from "../../support/records.ts";
import type { Session } from "../../support/server.ts";
import { useSite } from "../../support/use-site.ts";

const other = useSite();
const { busbar } = other;
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
let rack: string;
let plain: string;
/** Ids by letter, in the order of creation. */
const ids = new Map<string, string>();

interface Given {
  readonly at: number;
  readonly on?: string;
  readonly siteId?: string;
  readonly name?: readonly [sent: string, manifest: string];
  readonly state?: "SUCCEEDED" | "ERROR" | "IN_PROGRESS" | "TIMEOUT";
  readonly fields?: Partial<Execution>;
}

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Lists");
  main = await site.device("Main");
  parent = await site.device("Parent");
  const childOf = async (parent_id: string, child_type: string) => {
    const fields = { site_id: site.siteId, parent_id, child_type, name: child_type };
    return (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/child_device", fields)).body.device_id;
  };
  child = await childOf(parent, "cell");
  rack = await childOf(main, "rack");
  await assign(child, await upload(busbar, commandManifest("Battery", "implements: energy.battery")));
  const elsewhere = (await other.device()).id;
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
    l: { at: 10, on: rack },
    z: { at: 10, on: elsewhere, siteId: other.siteId },
  };
  await busbar.withRecords(async ({ executions }) => {
    for (const [letter, one] of Object.entries(given)) {
      const { at, on = main, siteId = site.siteId, name = ["start", "start"], state, fields } = one;
      const place = { siteId, deviceId: on };
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
  if (answer.status !== 200) {
    return `${answer.status} ${answer.errors.map(({ code, message }) => `${code}: ${message}`).join("; ")}`;
  }
  const names = new Map([...ids].map(([letter, id]) => [id, letter]));
  return `${answer.body.executions.map(({ id }) => names.get(id) ?? "?").join("")} ${answer.body.total_count}`;
}
const ofMain = (query: string) => letters(`/v3/devices/${main}/commands/executions${query}`);
const ofSite = (query: string) => letters(`/v3/sites/${site.siteId}/commands/executions${query}`);

type Case = readonly [query: string, expected: string];
const cases: Case[] = [];

/** A sentence about the lists of devices, in cases. */
function checkList(id: SentenceId, given: readonly Case[]): void {
  cases.push(...given);
  check(id, () => expectLists(ofMain, given));
}

async function expectLists(list: (query: string) => Promise<string>, given: readonly Case[]): Promise<void> {
  const found: Case[] = [];
  for (const [query] of given) found.push([query, await list(query)]);
  expect(found).toEqual(given);
}

// By default the persistent ones.
checkList("endpoints.list", [["", "abcdek 6"]]);
checkList("endpoints.list-limit", [
  ["?limit=2", "ab 6"],
  ["?limit=1000000", "abcdek 6"],
  ["?limit=000000000000000000000002", "ab 6"],
]);
checkList("endpoints.list-offset", [
  ["?limit=2&offset=1", "bc 6"],
  ["?limit=2&offset=5", "k 6"],
  ["?limit=2&offset=3&order=created_at_desc", "cb 6"],
]);
checkList("endpoints.list-offset-beyond", [
  ["?offset=6", " 6"],
  ["?offset=1000000", " 6"],
  ["?offset=1000000000000000000000000000000", " 6"],
  ["?limit=9007199254740993&offset=18446744073709551616&order=created_at_desc", " 6"],
]);
checkList("commands.list-zero", [["?limit=0", " 6"]]);
checkList("endpoints.list-order", [
  ["?order=CREATED_AT_ASC", "abcdek 6"],
  ["?order=CREATED_AT_DESC", "kedcba 6"],
]);
checkList("endpoints.list-retention", [
  ["?retention=PERSISTENT", "abcdek 6"],
  ["?retention=EPHEMERAL", "fg 2"],
  ["?retention=ALL", "abcdefgk 8"],
]);
checkList("endpoints.list-name-in", [
  ["?name.in=go,stop", "bcd 3"],
  ["?name.in=%20go%20,", "b 1"],
  ["?name.in=", "abcdek 6"],
]);
checkList("commands.list-name-in", [
  ["?name.in=start", "abek 4"],
  ["?name.in=go", "b 1"],
  ["?name.in=Start", " 0"],
  ["?name.in=sta", " 0"],
  ["?name.in=constructor", " 0"],
]);
checkList("endpoints.list-state-in", [
  ["?state.in=NEW", "ek 2"],
  ["?state.in=IN_PROGRESS,TIMEOUT", "cd 2"],
  ["?state.in=UNSYNC", " 0"],
  ["?state.in=", "abcdek 6"],
]);
checkList("commands.list-case", [
  ["?order=created_at_desc", "kedcba 6"],
  ["?retention=all&limit=1&offset=5", "f 8"],
  ["?retention=ephemeral&order=Created_At_Desc", "gf 2"],
  ["?state.in=success,Error", "ab 2"],
]);
checkList("endpoints.list-created-gte", [
  [`?created_at.gte=${iso(2, 1)}`, "ek 2"],
  // A plus that is not encoded arrives as a space.
  [`?created_at.gte=${iso(2).replace("Z", "+00:00")}`, "cdek 4"],
  [`?created_at.gte=${iso(2).replace("Z", "%2B00:00")}`, "cdek 4"],
  [`?created_at.gte=${encodeURIComponent(iso(4).replace("Z", "+02:00"))}`, "cdek 4"],
]);
checkList("endpoints.list-created-lt", [
  [`?created_at.lt=${iso(2, 1)}`, "abcd 4"],
  [`?created_at.gte=${iso(1)}&created_at.lt=${iso(3)}`, "bcd 3"],
  [`?created_at.gte=${iso(3)}&created_at.lt=${iso(1)}`, " 0"],
]);
checkList("commands.list-gte-lt", [
  [`?created_at.gte=${iso(2)}`, "cdek 4"],
  [`?created_at.lt=${iso(2)}`, "ab 2"],
]);
checkList("commands.list-precision", [
  [`?created_at.gte=${finer(iso(2), "0005")}`, "ek 2"],
  [`?created_at.lt=${finer(iso(2), "0005")}`, "abcd 4"],
  [`?created_at.lt=${finer(iso(2), "000001")}`, "abcd 4"],
  [`?created_at.gte=${finer(iso(2), "000000")}`, "cdek 4"],
  [`?created_at.lt=${finer(iso(2), "000000")}`, "ab 2"],
]);
checkList("commands.list-total-count", [
  ["?name.in=stop", "cd 2"],
  ["?name.in=start&limit=1&offset=1", "b 4"],
  [`?name.in=start&state.in=new,success&retention=all&created_at.gte=${iso(0)}&order=created_at_desc&limit=2`, "kg 5"],
]);

check("endpoints.site-list-parameters", () =>
  expectLists((query) => ofSite(`${query === "" ? "?" : `${query}&`}device_id.in=${main}`), cases),
);

/** A sentence about the lists of sites, in cases. */
function checkSiteList(id: SentenceId, given: readonly Case[]): void {
  const names = () => ({ MAIN: main, PARENT: parent, CHILD: child, PLAIN: plain });
  const withIds = (query: string) =>
    Object.entries(names()).reduce((text, [name, deviceId]) => text.replaceAll(name, deviceId), query);
  check(id, () => expectLists((query) => ofSite(withIds(query)), given));
}

checkSiteList("endpoints.site-list", [
  ["", "abcdehijkl 10"],
  ["?retention=ALL&offset=1000000000000000000000000000000", " 12"],
  ["?retention=ALL&order=created_at_desc&limit=3", "lkj 12"],
  ["?state.in=error", "bj 2"],
  ["?name.in=stop&limit=2", "cd 3"],
]);
checkSiteList("endpoints.site-list-device-ids", [
  ["?device_id.in=PARENT,CHILD", "hi 2"],
  ["?device_id.in=PARENT", "h 1"],
  ["?device_id.in=parent", "h 1"],
  ["?device_id.in=PARENT&state.in=error", " 0"],
  ["?device_id.in=019a8c00-0000-7000-8000-0000000000ee", " 0"],
  ["?device_id.in=", "abcdehijkl 10"],
]);
checkSiteList("endpoints.site-list-child-types", [
  ["?device.child_type.in=cell", "i 1"],
  ["?device.child_type.in=cell,rack,module", "il 2"],
  ["?device.child_type.in=Cell", " 0"],
]);
checkSiteList("endpoints.site-list-parents", [
  ["?device.parent_id.in=PARENT", "i 1"],
  ["?device.parent_id.in=PARENT,MAIN", "il 2"],
  ["?device.parent_id.in=parent&device.child_type.in=cell", "i 1"],
  ["?device.parent_id.in=CHILD", " 0"],
]);
checkSiteList("endpoints.site-list-profiles", [
  ["?device.profiles.has_all=energy.battery", "i 1"],
  ["?device.profiles.has_all=energy.battery.state_of_charge,energy.battery", "i 1"],
  ["?device.profiles.has_all=energy.battery,energy.ac.power", " 0"],
  ["?device.profiles.has_all=unknown.profile", " 0"],
  ["?device.profiles.has_all=energy.battery.state_of_charge&device_id.in=PLAIN&state.in=error", "j 1"],
]);
// A battery is by its profile a device with a state of charge.
checkSiteList("commands.list-profiles-recursive", [
  ["?device.profiles.has_all=energy.battery.state_of_charge", "ij 2"],
]);

check("endpoints.list-answer", async () => {
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

check("endpoints.site-list-answer", async () => {
  const { body } = await busbar.admin.get<ExecutionPage>(
    `/v3/sites/${site.siteId}/commands/executions?device_id.in=${main}`,
  );
  expect(body).toEqual((await commandsOf(busbar.admin, main).list()).body);
});

check("commands.list-bad-numbers", async () => {
  for (const list of [ofMain, ofSite]) {
    for (const name of ["limit", "offset"]) {
      for (const number of ["-1", "1.5", "0.5", "ten"]) {
        const query = `?${name}=${number}`;
        expect(`${query} ${await list(query)}`).toContain(`${query} 400 invalid_query: ${name} must be a whole number`);
      }
    }
  }
});

test.each([
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

/** A site of its own, with a device that has 1,100 executions. */
async function withMany() {
  const many = await makeCommandSite(busbar, "Many");
  const deviceId = await many.device("Many");
  await busbar.withRecords(async ({ executions }) => {
    const place = { siteId: many.siteId, deviceId };
    const deadline = instant(Date.now() + HOUR);
    await Promise.all(
      Array.from({ length: 1_100 }, (_, n) => {
        const execution = makeExecution(place, { createdAt: instant(t(0) + n), deadline });
        return executions.insert(asNew(execution, { attempted: true, maxOpen: 2_000 }), makeEntry());
      }),
    );
  });
  const path = { device: `/v3/devices/${deviceId}`, site: `/v3/sites/${many.siteId}` };
  return async (of: "device" | "site", query: string) => {
    const { body } = await busbar.admin.get<ExecutionPage>(`${path[of]}/commands/executions${query}`);
    return [body.executions.length, body.total_count];
  };
}

let ofMany: Awaited<ReturnType<typeof withMany>>;
beforeAll(async () => {
  ofMany = await withMany();
});
const LISTS = ["device", "site"] as const;

check("commands.list-default-limit", async () => {
  for (const of of LISTS) expect(await ofMany(of, "")).toEqual([100, 1_100]);
});

check("commands.list-clamped", async () => {
  for (const of of LISTS) {
    for (const limit of ["1000", "1001", "99999999999999999999"]) {
      expect(await ofMany(of, `?limit=${limit}`), limit).toEqual([1_000, 1_100]);
    }
    expect(await ofMany(of, "?limit=1000&offset=1050")).toEqual([50, 1_100]);
  }
});

check("commands.list-ties", async () => {
  const device = await other.device(commandManifest("Ties"));
  await other.standStill(() => Promise.all(Array.from({ length: 60 }, () => device.started({ name: "start" }))));
  const { executions } = (await device.list()).body;
  expect(new Set(executions.map(({ created_at }) => created_at)).size).toBe(1);
  const sorted = executions.map(({ id }) => id).toSorted();
  expect(executions.map(({ id }) => id)).toEqual(sorted);
  expect(await device.ids("?order=CREATED_AT_DESC")).toEqual(sorted.toReversed());
});

test("a site or device that is unknown or invisible is 404, for both lists", async () => {
  const invisible = await makeCommandSite(busbar, "Other lists");
  const visitor = busbar.as(await busbar.token({ level: "vendor", site_ids: [invisible.siteId] }));
  for (const path of [`/v3/sites/${site.siteId}/commands/executions`, `/v3/devices/${main}/commands/executions`]) {
    expect(await letters(path, visitor)).toMatch(/^404 /);
  }
  expect(await letters("/v3/sites/nowhere/commands/executions")).toMatch(/^404 /);
  expect(await letters(`/v3/sites/${invisible.siteId}/commands/executions?device_id.in=${main}`, visitor)).toBe(" 0");
});

test("the slug of a device works in the path", async () => {
  expect(await letters("/v3/devices/main/commands/executions")).toBe("abcdek 6");
});

// It moves the clock, so it is the last one.
check("commands.ephemeral-gone-exactly", async () => {
  const device = await other.device(commandManifest("Brief"));
  const id = await device.started({ name: "start", ephemeral: true });
  const created = Date.parse((await device.get(id)).body.execution.created_at);
  const reads = async () => [
    (await device.get(id)).status === 200,
    (await device.ids("?retention=ALL")).includes(id),
    (await device.list("?retention=EPHEMERAL&limit=0")).body.total_count === 1,
    (
      await busbar.admin.get(`/v3/sites/${other.siteId}/commands/executions?retention=ALL&device_id.in=${device.id}`)
    ).text.includes(id),
  ];
  other.advance(created + 24 * HOUR - other.now() - 60_000);
  expect(await reads()).toEqual([true, true, true, true]);
  other.advance(Math.max(0, created + 24 * HOUR - other.now()));
  expect(await reads()).toEqual([false, false, false, false]);
});
