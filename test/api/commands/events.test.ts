// Live events: what is sent, to whom, and what happens to those who listen badly.
import { connect } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { type CommandSite, commandsOf, makeCommandSite } from "../../support/command-site.ts";
import { listen } from "../../support/listen.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0", "--devices-silence", "1s"]);

let site: CommandSite;
let other: CommandSite;
let deviceId: string;

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Events");
  other = await makeCommandSite(busbar, "Other events");
  deviceId = await site.device("Source");
});

const hear = (options: Parameters<typeof listen>[2] = {}, token = busbar.adminToken) =>
  listen(busbar.url, token, options);

test("an execution is sent with every change, as get shows it", async () => {
  const events = await hear({ query: "?kind.in=execution" });
  expect([events.status, events.contentType?.split(";")[0]]).toEqual([200, "text/event-stream"]);
  const device = await site.connect(deviceId);
  const { started, get } = commandsOf(busbar.admin, deviceId);
  const id = await started({ name: "unlock", arguments: { pin: "4711" } });
  const command = await device.nextCommand();
  await command.log({ percent: 50 });
  await command.completed();
  const last = await events.next(({ data }) => data.execution?.state === "SUCCESS");
  const sent = events.seen.filter(({ data }) => data.execution?.id === id);
  expect(sent.map(({ event, data }) => [event, data.execution?.state])).toEqual([
    ["execution", "NEW"],
    ["execution", "IN_PROGRESS"],
    ["execution", "IN_PROGRESS"],
    ["execution", "SUCCESS"],
  ]);
  expect(last.data).toEqual({ site_id: site.siteId, device_id: deviceId, execution: (await get(id)).body.execution });
  expect(events.text()).not.toContain("4711");
});

test("connectivity is sent when a device comes and goes", async () => {
  const quiet = await site.device("Quiet");
  const events = await hear({ query: `?kind.in=connectivity&device_id.in=${quiet}` });
  const status = async () => (await events.next(() => true)).data.connectivity?.status;
  const shown = async () => {
    const path = `/v3/devices/${quiet}?expand=connectivity`;
    return (await busbar.admin.get<{ device: { connectivity: { status: string } } }>(path)).body.device.connectivity
      .status;
  };
  expect(await shown()).toBe("UNKNOWN");
  const device = await site.connect(quiet);
  expect([await status(), await shown()]).toEqual(["ONLINE", "ONLINE"]);
  device.drop();
  expect([await status(), await shown()]).toEqual(["OFFLINE", "OFFLINE"]);
});

test("log lines of devices are sent", async () => {
  const events = await hear({ query: `?kind.in=log&device_id.in=${deviceId}` });
  const device = await site.connect(deviceId);
  await device.log("pump runs dry", { severity: "warning", timestamp: 1_700_000_000.5 });
  const { data } = await events.next(() => true);
  expect(data).toEqual({
    site_id: site.siteId,
    device_id: deviceId,
    log: { severity: "warning", message: "pump runs dry" },
    timestamp: "2023-11-14T22:13:20.500Z",
    received_at: expect.stringMatching(/\.\d{6}Z$/),
  });
});

test("a listener hears only its sites and what its level may read", async () => {
  const [far, near] = [await other.device("Far"), deviceId];
  const local = await hear({}, await busbar.token({ level: "user", site_ids: [site.siteId] }));
  const global = await hear({});
  await commandsOf(busbar.admin, far).started({ name: "stop" });
  // Reading executions of `audit` takes an installer.
  await commandsOf(busbar.admin, near).started({ name: "audit" });
  const last = await commandsOf(busbar.admin, near).started({ name: "stop" });
  await local.next(({ data }) => data.execution?.id === last);
  await global.next(({ data }) => data.execution?.id === last);
  const names = (events: typeof local) =>
    events.seen.flatMap(({ data }) => (data.execution === undefined ? [] : [data.device_id, data.execution.request]));
  expect(local.seen.filter(({ data }) => data.execution !== undefined)).toHaveLength(1);
  expect(local.seen.every(({ data }) => data.site_id === site.siteId)).toBe(true);
  expect(JSON.stringify(names(global))).toContain("audit");
  expect(JSON.stringify(names(global))).toContain(far);
});

test("filters choose kinds, sites and devices; other words are refused", async () => {
  const events = await hear({ query: `?kind.in=EXECUTION,log&site_id.in=${site.siteId}` });
  const device = await site.connect(deviceId);
  await commandsOf(busbar.admin, await other.device("Filtered")).started({ name: "stop" });
  await commandsOf(busbar.admin, deviceId).started({ name: "stop" });
  await device.log("last");
  await events.next(({ event }) => event === "log");
  expect(new Set(events.seen.map(({ event }) => event))).toEqual(new Set(["execution", "log"]));
  expect(events.seen.every(({ data }) => data.site_id === site.siteId)).toBe(true);
  for (const query of ["?kind.in=weather", "?kinds=log"]) {
    expect((await busbar.admin.get(`/v3/events${query}`)).status).toBe(400);
  }
});

test("without a token nobody listens", async () => {
  expect((await busbar.anonymous.get("/v3/events")).status).toBe(401);
});

test("Last-Event-ID goes on where it stopped, without a loss or a repetition", async () => {
  const { started } = commandsOf(busbar.admin, deviceId);
  const query = `?kind.in=execution&device_id.in=${deviceId}`;
  const first = await hear({ query });
  const seenId = await started({ name: "stop" });
  const { id: lastEventId } = await first.next(({ data }) => data.execution?.id === seenId);
  first.close();
  const missed = [await started({ name: "stop" }), await started({ name: "stop" })];
  const second = await hear({ query, lastEventId });
  const live = await started({ name: "stop" });
  await second.next(({ data }) => data.execution?.id === live);
  const ids = second.seen.flatMap(({ data }) => (data.execution?.state === "NEW" ? [data.execution.id] : []));
  expect(ids).toEqual([...missed, live]);
});

test.each(["", "nonsense", "nonsense:1", "1", ":", "RUN:x", "RUN:-1", "RUN:999999999"])(
  "Last-Event-ID %j that leads nowhere is answered with a gap, and the stream goes on",
  async (text) => {
    const probe = await hear({ query: "?kind.in=execution" });
    const { started } = commandsOf(busbar.admin, deviceId);
    await started({ name: "stop" });
    const run = (await probe.next(() => true)).id?.split(":")[0] ?? "";
    const events = await hear({ query: "?kind.in=execution", lastEventId: text.replace("RUN", run) });
    const id = await started({ name: "stop" });
    await events.next(({ data }) => data.execution?.id === id);
    expect(events.seen.filter(({ event }) => event === "gap")).toHaveLength(text === "" ? 0 : 1);
  },
);

test("a restart is a gap: sequence numbers start anew", async () => {
  const before = await hear({});
  await commandsOf(busbar.admin, deviceId).started({ name: "stop" });
  const { id: lastEventId } = await before.next(() => true);
  await busbar.restart();
  expect(await before.end).toBe("ended");
  const after = await hear({ lastEventId });
  expect((await after.next(() => true)).event).toBe("gap");
});

test("a token that is revoked ends its streams at once, and no other", async () => {
  const made = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", { name: "brief", level: "user" });
  const [mine, others] = [await hear({}, made.body.token), await hear({})];
  await busbar.admin.delete(`/v3/tokens/${made.body.id}`);
  expect(await mine.end).toBe("ended");
  const id = await commandsOf(busbar.admin, deviceId).started({ name: "stop" });
  await others.next(({ data }) => data.execution?.id === id);
  expect(mine.seen.some(({ data }) => data.execution?.id === id)).toBe(false);
});

/** Of 4 KB each: a device may log 4 MiB an hour. */
const [TALKERS, LINES] = [8, 900];

test("a reader that does not read gets a notice and is dropped, and those who read notice nothing", async () => {
  const stalled = connect(busbar.port, "127.0.0.1");
  stalled.write(`GET /v3/events HTTP/1.1\r\nHost: x\r\nX-Service-Auth-Token: ${busbar.adminToken}\r\n\r\n`);
  const { promise: began, resolve } = Promise.withResolvers<void>();
  stalled.once("data", () => {
    stalled.pause();
    resolve();
  });
  await began;
  const reader = await hear({ query: "?kind.in=log" });
  const talkers = [];
  for (let n = 0; n < TALKERS; n++) talkers.push(await site.connect(await site.device(`Talker ${n}`)));
  // More than the sockets between hold and more than the hub keeps.
  const line = "x".repeat(4_000);
  for (let batch = 0; batch < LINES; batch += 100) {
    await Promise.all(
      talkers.flatMap((device) => Array.from({ length: 100 }, (_, n) => device.log(`${batch + n} ${line}`))),
    );
  }
  const dropped = new Promise<void>((done) => {
    let end = "";
    stalled.on("data", (text) => {
      end = end.slice(-100) + String(text);
      if (/event: dropped\ndata: .*\n\n\r\n0\r\n\r\n$/.test(end)) done();
    });
  });
  stalled.resume();
  await dropped;
  stalled.destroy();
  await Promise.all(
    talkers.map(() => reader.next(({ data }) => data.log?.message.startsWith(`${LINES - 1} `) === true)),
  );
  expect(reader.seen.filter(({ event }) => event === "log")).toHaveLength(TALKERS * LINES);
});

test("a stop of the service ends every stream promptly", async () => {
  const streams = await Promise.all(Array.from({ length: 12 }, () => hear({})));
  const ends = Promise.all(streams.map((stream) => stream.end));
  const stopped = busbar.stop();
  // Ended, not cut off as those that outlast a stop are.
  expect(new Set(await ends)).toEqual(new Set(["ended"]));
  await stopped;
  await busbar.restart();
  expect(busbar.log).not.toContain("MaxListeners");
});
