// A blueprint's pattern may take for ever. It is stopped, and meanwhile the thread that answers everybody does other things.
import { beforeAll, expect, test } from "vitest";
import { commandsOf } from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer();
const CHECKS = 10;
/** What each of them takes until it is stopped. */
const CHECK_MS = 100;
const SLOW = JSON.stringify({ type: "string", pattern: "^(a+)+$" });
const MANIFEST = `blueprint_spec: device/3.0
display_name: Slow
runtime: {type: embedded}
command_groups: {main: {display_name: Main}}
commands:
  go: {group: main, display_name: Go, arguments: {text: {type: json, display_name: Text, json_schema: '${SLOW}'}}}
`;

let deviceId: string;

beforeAll(async () => {
  const upload = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: MANIFEST,
  });
  const body = { name: "Slow", blueprint_id: upload.body.blueprint.id };
  deviceId = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/simulated_device", body)).body.device_id;
});

const go = (text: unknown) => commandsOf(busbar.admin, deviceId).create({ name: "go", arguments: { text } });

test("values are held against their schema", async () => {
  expect((await go("aaa")).status).toBe(200);
  const refused = await go("b");
  expect([refused.status, refused.errors[0]?.code]).toEqual([400, "invalid_arguments"]);
  expect(refused.errors[0]?.message).toContain("text does not fit its schema: it must match pattern");
});

test("slow patterns are stopped and refused, and take no time of the main thread", async () => {
  const before = process.threadCpuUsage();
  const answers = await Promise.all(Array.from({ length: CHECKS }, () => go(`${"a".repeat(60)}!`)));
  const { user, system } = process.threadCpuUsage(before);
  for (const { status, errors } of answers) {
    expect([status, errors[0]?.code]).toEqual([400, "invalid_arguments"]);
    expect(errors[0]?.message).toContain("could not be checked against its schema within 100 ms");
  }
  expect((user + system) / 1_000).toBeLessThan((CHECKS * CHECK_MS) / 2);
});
