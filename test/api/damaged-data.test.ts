// Nothing that was stored may stop a start: what cannot be read is set aside and reported, and the rest serves.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../support/server.ts";

const busbar = useServer();

const BLUEPRINT = `blueprint_spec: device/3.0
display_name: Heater to be damaged
runtime: {type: embedded}
implements: []
properties:
  serial_number: {type: string, display_name: Serial number}
  notes: {type: json, display_name: Notes}
telemetry:
  power: {type: float, unit: W, display_name: Power}
command_groups:
  main: {display_name: Main}
commands:
  set_mode:
    group: main
    display_name: Set mode
    arguments:
      mode: {type: string, display_name: Mode}
      pin: {type: string, display_name: PIN, sensitive: true}
configuration:
  heating:
    display_name: Heating
    parameters:
      mode: {type: string, display_name: Mode}
`;

interface Column {
  readonly table: string;
  readonly column: string;
}

let deviceId = "";
const paths: string[] = [];

beforeAll(async () => {
  const { admin } = busbar;
  const site = (
    await admin.post<{ site: { id: string } }>("/v3/sites", { name: "Damaged", location: { name: "Here" } })
  ).body.site.id;
  const { blueprint } = (
    await admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes: BLUEPRINT })
  ).body;
  const provision = { name: "Heater", site_id: site, blueprint_id: blueprint.id };
  deviceId = (await admin.post<{ device_id: string }>("/v3/provisioning/simulated_device", provision)).body.device_id;
  const device = `/v3/devices/${deviceId}`;
  await admin.patch(`${device}/simulation`, { properties: { serial_number: "held" } });
  await admin.call("PUT", `${device}/configuration/heating`, { json: { mode: "eco" } });
  await admin.post(`${device}/commands/execute`, { name: "set_mode", arguments: { mode: "eco", pin: "1234" } });
  await busbar.token({ site_ids: [site] });
  await admin.post("/v3/webhooks", { url: "https://example.com/hook", kinds: ["alert"], site_ids: [site] });
  paths.push(
    "/v3/sites",
    "/v3/devices?expand=properties",
    "/v3/blueprints",
    "/v3/tokens",
    "/v3/audit",
    "/v3/webhooks",
    `${device}/commands/executions`,
    `${device}/configuration`,
    `${device}/simulation`,
    `${device}/logs`,
    `${device}/alerts`,
  );
  for (const path of paths) expect([path, (await admin.get(path)).status]).toEqual([path, 200]);
});

/** Every column that its table says holds JSON, so that a new one is damaged here, too. */
function jsonColumns(database: DatabaseSync): readonly Column[] {
  const tables = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all();
  return tables.flatMap(({ name, sql }) =>
    [...String(sql).matchAll(/^\s*(\w+) TEXT[^\n]*-- JSON/gm)].map(([, column = ""]) => ({
      table: String(name),
      column,
    })),
  );
}

async function restartWith(damage: (database: DatabaseSync) => void): Promise<void> {
  await busbar.stop();
  const database = new DatabaseSync(join(busbar.data, "records.db"));
  damage(database);
  database.close();
  await busbar.restart();
}

async function expectService(): Promise<readonly { readonly part: string }[]> {
  for (const path of paths) expect([path, (await busbar.admin.get(path)).status]).toEqual([path, 200]);
  // What is not damaged works as ever.
  const made = await busbar.admin.post("/v3/sites", { name: "After the damage" });
  expect(made.status).toBe(200);
  const { body } = await busbar.anonymous.get<{ degraded?: readonly { part: string }[] }>("/readyz");
  return body.degraded ?? [];
}

test("the columns with JSON are found", () => {
  const database = new DatabaseSync(join(busbar.data, "records.db"), { readOnly: true });
  const found = jsonColumns(database).map(({ table, column }) => `${table}.${column}`);
  database.close();
  expect(found.length).toBeGreaterThanOrEqual(14);
  expect(found).toContain("simulation.adjustments");
});

test.each([
  ["no JSON", "not json"],
  ["JSON 100,000 deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ["a number", "5"],
  ["a list of the wrong things", "[null, 1, {}]"],
  ["an object of the wrong things", '{"seed":"x","clock":5,"telemetry":{},"name":7}'],
])("a start and every list survive %s in every column", async (_what, text) => {
  await restartWith((database) => {
    for (const { table, column } of jsonColumns(database)) {
      database.prepare(`UPDATE ${table} SET ${column} = ?`).run(text);
    }
  });
  expect(await expectService()).toContainEqual(expect.objectContaining({ part: "records" }));
});

test("a held property nested too deep costs the adjustments and not the device", async () => {
  await busbar.admin.patch(`/v3/devices/${deviceId}/simulation`, { properties: { serial_number: "held" } });
  await restartWith((database) => {
    const row = database.prepare("SELECT adjustments FROM simulation WHERE device_id = ?").get(deviceId);
    const deep = `${"[".repeat(4_000)}${"]".repeat(4_000)}`;
    const text = String(row?.["adjustments"]).replace('"held"', deep);
    expect(text).toContain(deep);
    database.prepare("UPDATE simulation SET adjustments = ? WHERE device_id = ?").run(text, deviceId);
  });
  const shown = await busbar.admin.get<{ simulation: { properties: object } }>(`/v3/devices/${deviceId}/simulation`);
  expect(shown.body.simulation.properties).toEqual({});
  await expectService();
});

test("a time that no clock shows costs its own row only", async () => {
  const tables = ["site", "device", "token", "webhook", "blueprint"];
  await restartWith((database) => {
    database.exec("PRAGMA foreign_keys = OFF");
    for (const table of tables) {
      const row = database.prepare(`SELECT id FROM ${table} ORDER BY id LIMIT 1`).get();
      database.prepare(`UPDATE ${table} SET created_at = ? WHERE id = ?`).run(2n ** 60n, String(row?.["id"]));
    }
  });
  for (const table of tables) {
    const path = `/v3/${table}s`;
    expect([path, (await busbar.admin.get(path)).status]).toEqual([path, 200]);
  }
});
