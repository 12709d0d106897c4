// Bodies with tens of thousands of mistakes: the answer stays small, and words are found for the first few only.
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const NAMES = Array.from({ length: 300 }, (_, n) => `a_number_${n}`);
const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a_nomber_${n}`, n]));
const declared = (type: string) => NAMES.map((name) => `${name}: {type: ${type}, display_name: N}`).join(", ");
const MANIFEST = `blueprint_spec: device/3.0
display_name: Many
category: loads
runtime: {type: embedded}
properties: {${declared("float")}}
command_groups: {main: {display_name: Main}}
commands:
  go: {group: main, display_name: Go, arguments: {${declared("float")}}}
configuration:
  big: {display_name: Big, parameters: {${declared("float")}}}
`;

let path: string;

beforeAll(async () => {
  const bytes = MANIFEST;
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const body = { name: "Many", blueprint_id: made.body.blueprint.id };
  const device = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/simulated_device", body);
  path = `/v3/devices/${device.body.device_id}`;
});

test.each([
  ["arguments", "POST", "/commands/executions", { name: "go", arguments: unknown(15_000) }, 14_980],
  ["parameters", "PUT", "/configuration", { big: unknown(15_000) }, 14_980],
  ["held properties", "PATCH", "/simulation", { properties: unknown(900) }, 880],
  ["held telemetry", "PATCH", "/simulation", { telemetry: unknown(900) }, 880],
])("of many unknown %s 20 are reported and the rest is counted", async (_, method, below, json, more) => {
  const answer = await busbar.admin.call(method, path + below, { json });
  expect([answer.status, answer.errors.length]).toEqual([400, 20]);
  expect(answer.errors.at(-1)?.message).toContain(` (and ${more} more)`);
  expect(answer.text.length).toBeLessThan(100_000);
});

test("of 1,000 unknown query parameters 20 are reported and the rest is counted", async () => {
  const query = Array.from({ length: 1_000 }, (_, n) => `limot${n}=1`).join("&");
  const { status, errors } = await busbar.admin.get(`/v3/sites?${query}`);
  expect([status, errors.length]).toEqual([400, 20]);
  expect(errors.at(-1)?.message).toMatch(/ \(and 980 more\)$/);
});
