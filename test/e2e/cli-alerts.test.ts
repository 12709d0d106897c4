// Alerts and webhooks from the command line, against a whole Busbar with simulated devices.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--webhooks-allow-private"]);
const EXAMPLES = fileURLToPath(new URL("../../examples/blueprints/", import.meta.url));
const run = (command: string | readonly string[], world: object = {}) =>
  runBusbar(command, { cwd: EXAMPLES, env: { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken }, ...world });

let receiver: Receiver;

/** Every alert of an example held cleared, so that none comes by itself. */
const BATTERY = "too_hot,too_cold,cell_imbalance,communication_lost";
const WEATHER = "storm,hail,sensor_dirty";

beforeAll(async () => {
  receiver = await startReceiver();
  for (const [example, slug, alerts] of [
    ["battery", "rack", BATTERY],
    ["weather-station", "mast", WEATHER],
  ]) {
    expect((await run(`simulate ${example} --site --slug ${slug} --count 1`)).code).toBe(0);
    expect((await run(`simulation ${slug} --interval 100ms --clear ${alerts}`)).code).toBe(0);
  }
});

afterAll(() => receiver.stop());

test("alerts shows what is active, of everything, of a device or of a site", async () => {
  await expect.poll(() => run("alerts")).toMatchObject({ code: 0, out: "", err: "no alert is active\n" });
  await run("simulation rack --raise too_hot,too_cold");
  await run("simulation mast --raise made_up");
  await expect.poll(async () => (await run("alerts")).out.split("\n").length).toBe(5);
  const { out } = await run("alerts");
  expect(out).toMatch(/^RAISED +DEVICE +SEVERITY +STATE +ALERT +ID\n/);
  expect(out).toMatch(/^\S+Z +rack +error +SOFT +Too hot +too_hot$/m);
  expect(out).toMatch(/^\S+Z +mast +error +HARD +made_up +made_up$/m);
  expect((await run("alerts rack")).out).not.toContain("mast");
  const site = await run("alerts --site-id nowhere");
  expect([site.code, site.err]).toEqual([2, expect.stringContaining('there is no site "nowhere"')]);
  expect((await run(["alerts", "--site", "My site", "--severity", "info"])).out).toContain("Too cold");
  expect((await run("alerts --state HARD")).out).not.toContain("too_hot");
});

test("alerts -o json answers as the interface does", async () => {
  const { out } = await run("alerts rack --severity error -o json");
  expect(JSON.parse(out)).toMatchObject({ total_count: 1, alerts: [{ id: "too_hot", state: "SOFT" }] });
});

test("a limit counts over all sites", async () => {
  const other = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Other" });
  const { out, err } = await run("alerts --limit 2 -o json");
  expect([(JSON.parse(out) as { alerts: unknown[] }).alerts.length, err]).toEqual([2, ""]);
  expect((await run("alerts --limit 2")).err).toBe("2 of 3; --limit and --offset show more\n");
  await busbar.admin.delete(`/v3/sites/${other.body.site.id}`);
});

test("alerts --history shows what has ended, and when", async () => {
  await run("simulation mast --clear made_up");
  await expect.poll(async () => (await run("alerts mast")).out).toBe("");
  const { out } = await run("alerts mast --history --since -1h");
  expect(out).toMatch(/^\S+Z +mast +error +HARD +made_up +made_up +\S+Z$/m);
  expect((await run("alerts rack --history --since 2100-01-01T00:00:00Z")).err).toBe("no alert has ended\n");
});

test("alerts --watch goes on with what changes until the person ends it", async () => {
  const [listening, cleared] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const onWrite = (text: string) => {
    if (text.startsWith("listening")) listening.resolve();
    if (text.includes('"change":"cleared"')) cleared.resolve();
  };
  const watching = run("alerts rack --watch -o json", { interrupt: cleared.promise, onWrite });
  await listening.promise;
  await run("simulation rack --clear too_hot");
  const { code, out, err } = await watching;
  const changes = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { change: string; alert: { id: string } })
    .map(({ change, alert }) => `${change} ${alert.id}`);
  expect(code).toBe(0);
  expect(changes.slice(0, 2).sort()).toEqual(["raised too_cold", "raised too_hot"]);
  expect(changes).toContain("cleared too_hot");
  expect(err).toContain("listening; Ctrl-C ends it");
});

test.each([
  ["alerts rack --site x", "give a device or --site, not both"],
  ["alerts --severity bad", '"bad" is not a severity of an alert; they are info, warning, error'],
  ["alerts --state on", '"on" is not a state of an alert; they are SOFT, HARD, UNCONFIRMED'],
  ["alerts --watch --history", "leave --history and --until out"],
  [
    "webhook create https://example.com --kind alarms",
    '"alarms" is not a kind; they are alert, connectivity, execution',
  ],
  ["webhook retry x", "which deliveries? give their ids, or --dead"],
  ["webhook delete x", "--yes"],
])("%s is refused: %s", async (command, message) => {
  expect(await run(command)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

test("a webhook is created, called, looked into and deleted", async () => {
  const created = await run(`webhook create ${receiver.url} --kind alert,execution`);
  expect([created.code, created.out]).toEqual([0, expect.stringMatching(/^\S{20,}\n$/)]);
  const id = /id is (\S+)\.$/m.exec(created.err)?.[1] ?? "";
  expect((await run("webhook list")).out).toMatch(new RegExp(`^${id} +${receiver.url}/ +alert,execution +all +`, "m"));
  await run("simulation mast --raise icing");
  expect((await receiver.next(({ body }) => body["kind"] === "alert")).body).toMatchObject({ change: "raised" });
  await expect.poll(async () => (await run(`webhook deliveries ${id}`)).out).toMatch(/alert +DELIVERED +1/);
  const { out } = await run(`webhook deliveries ${id} --state DELIVERED -o json`);
  const [delivery] = (JSON.parse(out) as { deliveries: { id: string }[] }).deliveries;
  expect(await run(`webhook retry ${id} ${delivery?.id}`)).toMatchObject({
    code: 0,
    out: expect.stringContaining(delivery?.id ?? "?"),
  });
  expect((await receiver.next(({ body }) => body["id"] === delivery?.id)).body).toMatchObject({ id: delivery?.id });
  expect((await run(`webhook retry ${id} --dead -o json`)).out).toBe('{\n  "deliveries": []\n}\n');
  expect((await run(`webhook delete ${id} --yes`)).out).toBe(`deleted ${id}\n`);
  expect((await run(`webhook deliveries ${id}`)).code).toBe(4);
});
