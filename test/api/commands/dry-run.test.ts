// A dry run refuses what an execution refuses, in the same words, and leaves nothing but its audit entry.
import { beforeAll, expect, test } from "vitest";
import { type CommandSite, commandsOf, connected, makeCommandSite, upload } from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const BATTERY = `blueprint_spec: device/3.0
display_name: Battery
runtime: {type: embedded}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: kW, min: -5, max: 5, required: true, display_name: Power}
      ramp: {type: integer, default: 3, display_name: Ramp}
.busbar:
  controls:
    power: {command: set_power, argument: power, unit: W}
`;

interface DryRun {
  readonly dry_run: {
    readonly arguments: object;
    readonly is_reachable: boolean;
    readonly claims: readonly { readonly wins: boolean; readonly control: { readonly value: number } }[];
  };
}

let site: CommandSite;
let blueprintId = "";

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Dry");
  blueprintId = await upload(busbar, BATTERY);
});

const dryRun = (id: string, body: object, as = busbar.admin) =>
  as.post<DryRun>(`/v3/devices/${id}/commands/dry_run`, body);

test.each([
  ["an unknown command", { name: "strat" }],
  ["a wrong argument", { name: "start", arguments: { power: 500, mode: "x" } }],
  ["a level that is too low", { name: "service" }],
  ["a value that its schema refuses", { name: "check", arguments: { flag: true, setup: {} } }],
])("%s is refused in the words of an execution", async (_, body) => {
  const id = await site.device(`refused ${Math.random()}`);
  const user = busbar.as(await busbar.token({ level: "user" }));
  const executed = await user.post(`/v3/devices/${id}/commands/executions`, body);
  const tried = await dryRun(id, body, user);
  expect(tried.status).toBeGreaterThanOrEqual(400);
  expect([tried.status, tried.errors]).toEqual([executed.status, executed.errors]);
});

test("it answers with effective arguments, hides sensitive ones, stores nothing and tells the device nothing", async () => {
  const id = await site.device("tried");
  const device = await connected(await site.configOf(id));
  const unlocked = await dryRun(id, { name: "unlock", arguments: { door: "a", pin: "1234" } });
  expect(unlocked.body.dry_run).toMatchObject({ arguments: { door: "a", pin: "***" }, is_reachable: true, claims: [] });
  expect((await dryRun(id, { name: "go" })).body.dry_run).toMatchObject({
    manifest_name: "start",
    arguments: { mode: "eco" },
  });
  await device.log("still there");
  expect(device.commands).toEqual([]);
  expect((await commandsOf(busbar.admin, id).list()).body.total_count).toBe(0);
  const audit = JSON.stringify((await busbar.admin.get("/v3/audit?action.in=dryRunCommand")).body);
  expect(audit).toContain(id);
  expect(audit).not.toContain("1234");
});

test("it says what would be claimed, who would win and what would limit it, and claims nothing", async () => {
  const id = await site.device("battery", { blueprint_id: blueprintId });
  const path = `/v3/devices/${id}/controls/power`;
  const set = { name: "set_power", arguments: { power: 4 } };
  expect((await dryRun(id, set)).body.dry_run).toMatchObject({
    arguments: { power: 4, ramp: 3 },
    claims: [{ wins: true, claim: { class: "person", value: 4000 }, control: { id: "power", value: 4000 } }],
  });
  await busbar.admin.post(`${path}/claims`, { kind: "max", value: 1000, class: "grid", reason: "grid", lease: "10m" });
  expect((await dryRun(id, set)).body.dry_run.claims).toMatchObject([
    { wins: true, control: { value: 1000, limited_by: [{ reason: "grid" }] } },
  ]);
  const control = await busbar.admin.get<{ control: { winner: unknown } }>(path);
  expect(control.body.control.winner).toBeNull();
});

test("another site's device does not exist for it", async () => {
  const id = await site.device("hidden");
  const other = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Far" })).body.site.id;
  const far = busbar.as(await busbar.token({ level: "owner", site_ids: [other] }));
  expect([(await dryRun(id, { name: "start" }, far)).status]).toEqual([404]);
});
