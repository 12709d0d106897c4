// The examples of the OpenAPI document work: the curl of each operation is sent to a real server, and the answer is what
// the document promises. Python is compiled; TypeScript is in test/client.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createClient } from "#client/create-client.ts";
import { EXAMPLE_IDS as ID } from "#http/reference/example-ids.ts";
import { SAMPLE_SETUP } from "#http/reference/render-samples.ts";
import { buildGuide } from "../../scripts/build-guide.ts";
import { createCheckAnswer } from "../support/check-answer.ts";
import { freePort } from "../support/free-port.ts";
import { rawZip } from "../support/raw-zip.ts";
import { startReceiver } from "../support/receiver.ts";
import { useServer } from "../support/server.ts";

const MANIFEST = readFileSync(new URL("../client/project/manifest.yml", import.meta.url), "utf8");
const LUA_MANIFEST = MANIFEST.replace("{ type: embedded }", "{ type: lua, options: { file: main.lua } }");

const busbar = useServer(["--webhooks-allow-private", "--mqtt-port", "0"]);
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "busbar-examples-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Operations that cannot succeed here, and the code of their refusal. */
const REFUSED: Readonly<Record<string, string>> = {
  getNamedBlueprint: "not_found",
  acknowledgeAlert: "not_found",
  unacknowledgeAlert: "not_found",
  endMaintenance: "not_found",
  // No gateway has the site here.
  createGatewaySignInCode: "conflict",
  getNotificationChannel: "not_found",
  putNotificationChannel: "not_found",
  deleteNotificationChannel: "not_found",
  testNotificationChannel: "not_found",
  createNotificationRoute: "not_found",
  putNotificationRoute: "not_found",
  deleteNotificationRoute: "not_found",
  retryNotificationMessage: "not_found",
  endPush: "not_found",
  retryWebhookDelivery: "not_found",
  // The execution of the example has ended.
  cancelCommandExecution: "not_cancellable",
  cancelBulkCommand: "not_cancellable",
  createSession: "foreign_origin",
  getCurrentSession: "not_found",
  acceptInvitation: "foreign_origin",
  getTerminalSignIn: "forbidden",
  approveTerminalSignIn: "forbidden",
  denyTerminalSignIn: "forbidden",
  createProviderSignIn: "foreign_origin",
  finishProviderSignIn: "foreign_origin",
  endSessionsByProvider: "invalid_body",
  revokeOwnToken: "not_found",
  getOwnAccount: "not_found",
  updateOwnAccount: "not_found",
  changeOwnPassword: "not_found",
  listOwnSignIns: "not_found",
  beginProviderLink: "not_found",
  linkProvider: "not_found",
  unlinkProvider: "not_found",
  unlinkAccount: "not_found",
  listPasskeys: "not_found",
  offerPasskey: "not_found",
  addPasskey: "not_found",
  renamePasskey: "not_found",
  deletePasskey: "not_found",
  offerPasskeySignIn: "foreign_origin",
  signInWithPasskey: "foreign_origin",
  getSecondFactor: "not_found",
  offerSecondFactor: "not_found",
  confirmSecondFactor: "not_found",
  replaceRecoveryCodes: "not_found",
  removeSecondFactor: "not_found",
  resetSecondFactor: "not_found",
  finishSignIn: "foreign_origin",
  endCurrentSession: "not_found",
  endSession: "not_found",
  createJoinCode: "not_available",
  listJoinCodes: "not_available",
  withdrawJoinCode: "not_found",
  joinGateway: "not_available",
  listGateways: "not_available",
  getFleet: "not_available",
  getGateway: "not_found",
  revokeGateway: "not_found",
  giveSite: "not_available",
  createCounterCorrection: "not_found",
  deleteCounterCorrection: "not_found",
  rotateGatewayCredential: "not_found",
  getChange: "not_found",
  withdrawChange: "not_found",
  openLink: "invalid_request",
  joinCloud: "cloud_unreachable",
  getUplink: "not_found",
  getRuleTrace: "not_found",
  leaveCloud: "not_found",
};

/** What is only once, and what is gone afterwards. */
const FIRST = [
  "putInterlock",
  "getInterlock",
  "deleteInterlock",
  "getOnlySite",
  "updateOnlySite",
  "renewClaim",
  "releaseClaim",
];
const LAST = [
  "deleteCalendar",
  "deleteRule",
  "deleteVariable",
  "deleteCommandSchedule",
  "deleteView",
  "deleteWebhook",
  "revokeToken",
  "deleteAccount",
  "deleteDevice",
  "deleteSite",
];

/** Ids and addresses of a real installation, by those of the examples. */
const ids = new Map<string, string>();
let luaBlueprint = "";
let nextBlueprint = "";

beforeAll(() => buildGuide());
beforeAll(async () => {
  const client = createClient({ url: busbar.url, token: busbar.adminToken });
  const receiver = await startReceiver();
  afterAll(() => receiver.stop());
  const { sites } = await client.sites.list();
  const site = sites[0] ?? (await client.sites.create({ name: "Plant" })).site;
  const { blueprint } = await client.blueprints.upload(Buffer.from(MANIFEST));
  const zip = rawZip([
    { name: "manifest.yml", content: LUA_MANIFEST },
    { name: "main.lua", content: "enapter.log('started')" },
  ]);
  luaBlueprint = (await client.blueprints.upload(zip)).blueprint.id;
  const fields = { name: "Converter", slug: ID.device_id, blueprint_id: blueprint.id, site_id: site.id };
  await client.provisioning.simulatedDevice(fields);
  nextBlueprint = (await client.blueprints.upload(Buffer.from(MANIFEST.replace("Converter", "Converter 2")))).blueprint
    .id;
  const other = await client.provisioning.simulatedDevice({ ...fields, slug: "other" });
  const devices = { device_ids: [other.device_id] };
  const rollout = await client.rollouts.create({ blueprint_id: nextBlueprint, devices });
  const execution = await client.commands.run(ID.device_id, { name: "read_mode" }).end();
  const { webhook } = await client.webhooks.create({ url: receiver.url });
  const token = await client.tokens.create({ name: "example", level: "readonly" });
  ids.set(ID.site_id, site.id).set(ID.blueprint_id, blueprint.id).set(ID.execution_id, execution.id);
  const shared = { kind: "dashboard", name: "Wall", content: { tiles: [] }, is_shared: true } as const;
  const { view } = await client.views.create(site.id, shared);
  ids.set(ID.view_id, view.id);
  const claim = { kind: "max", value: 9, reason: "test" } as const;
  const { control } = await client.controls.claim(ID.device_id, ID.control, claim);
  ids.set(ID.claim_id, control.limited_by[0]?.id ?? "");
  const bulk = await client.bulk.create({ name: "read_mode", devices: { device_ids: [other.device_id] } });
  await vi.waitFor(async () => expect((await client.bulk.get(bulk.bulk.id)).bulk.ended_at).not.toBeNull(), {
    timeout: 30_000,
  });
  ids.set(ID.bulk_id, bulk.bulk.id);
  const nightly = {
    name: "x",
    cron: "0 3 * * *",
    bulk: { name: "read_mode", devices: { device_ids: [other.device_id] } },
  };
  ids.set(ID.schedule_id, (await client.schedules.create(nightly)).schedule.id);
  await client.rules.create(site.id, { slug: ID.rule, script: { code: "", runtime_version: "V3" }, disable: true });
  await client.rules.putVariable(site.id, ID.variable, 1);
  await client.calendars.put(site.id, ID.calendar, {
    kind: "weekly",
    plan: { mon: [{ from: "06:00", to: "22:00" }] },
  });
  await client.controls.putInterlock(site.id, ID.interlock, {
    kind: "condition",
    when: { device: ID.device_id, attribute: "power", above: 9 },
    limits: [{ device: ID.device_id, control: ID.control, max: 9 }],
  });
  const { account } = await client.accounts.create({ name: "Example", mail: "example@example.org", level: "user" });
  ids.set(ID.account_id, account.id);
  ids.set(ID.webhook_id, webhook.id).set(ID.token_id, token.id).set(ID.rollout_id, rollout.id);
  // Nothing here speaks to another machine.
  ids
    .set("https://example.com/hook", receiver.url)
    .set("https://cloud.example", `http://127.0.0.1:${await freePort()}`);
  writeFileSync(join(folder, "manifest.yml"), MANIFEST);
  writeFileSync(join(folder, "points.csv"), "ts,telemetry=power\n1763121600,1.5\n");
  const profile =
    "blueprint_spec: profile/1.0\ndisplay_name: Example\ndescription: One field\ntelemetry:\n  x: { type: float, display_name: X }\n";
  writeFileSync(join(folder, "profiles.zip"), rawZip([{ name: "example/one.yml", content: profile }]));
});

/** Ids that only this operation uses: what it deletes is made for it, and a simulated device has no credentials. */
async function ownIds(id: string): Promise<ReadonlyMap<string, string>> {
  const client = createClient({ url: busbar.url, token: busbar.adminToken });
  if (id === "createRollout") return new Map([[ID.blueprint_id, nextBlueprint]]);
  if (id === "provisionLuaDevice") return new Map([[ID.blueprint_id, luaBlueprint]]);
  if (id === "deleteSite") return new Map([[ID.site_id, (await client.sites.create({ name: "Gone" })).site.id]]);
  if (id !== "deleteDevice" && id !== "generateConfig") return new Map();
  const fields = { name: "Gone", site_id: ids.get(ID.site_id) ?? "" };
  return new Map([[`/${ID.device_id}`, `/${(await client.provisioning.standalone(fields)).device_id}`]]);
}

interface Sample {
  readonly lang: string;
  readonly source: string;
}

/** Of the operations that are no aliases, in an order in which they can succeed. */
function samples(lang: string): readonly (readonly [id: string, method: string, source: string])[] {
  const rank = (id: string) => (FIRST.includes(id) ? 0 : LAST.includes(id) ? 2 : 1);
  return busbar.operations
    .flatMap(({ method, spec }) => {
      const found = ((spec["x-codeSamples"] ?? []) as readonly Sample[]).find((one) => one.lang === lang);
      return found === undefined ? [] : [[String(spec["operationId"]), method, found.source] as const];
    })
    .sort(([a], [b]) => rank(a) - rank(b));
}

test("the curl of every example is answered as the document says", async () => {
  const check = createCheckAnswer(busbar.document);
  const env = { ...process.env, BUSBAR: busbar.url, TOKEN: busbar.adminToken };
  const outcomes: string[] = [];
  for (const [id, method, source] of samples("curl")) {
    let text = source;
    for (const [example, real] of [...(await ownIds(id)), ...ids]) text = text.replaceAll(example, real);
    // A stream of events has no end of its own.
    const more = id === "listenToEvents" ? " --max-time 1 || true" : "";
    await run("bash", ["-c", `${text} -s -D head -o body${more}`], { cwd: folder, env });
    const [first = "", ...lines] = readFileSync(join(folder, "head"), "utf8").trim().split(/\r?\n/);
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/).slice(0, 2) as [string, string]));
    const status = Number(first.split(" ")[1]);
    const body = readFileSync(join(folder, "body"), "utf8");
    const path = (/"\$BUSBAR([^"]*)"/.exec(text)?.[1] ?? "").toString();
    check({ method, path, status, headers, text: body });
    const code = status === 200 ? undefined : (JSON.parse(body) as { errors: { code: string }[] }).errors[0]?.code;
    if (code !== REFUSED[id]) outcomes.push(`${id}: ${status} ${body.slice(0, 200)}`);
  }
  expect(outcomes).toEqual([]);
});

test("the Python of every example can be compiled", () => {
  const all = [...SAMPLE_SETUP.filter(({ lang }) => lang === "Python").map(({ source }) => source)];
  const source = [...all, ...samples("Python").map(([, , one]) => one)].join("\n");
  execFileSync("python3", ["-c", "import sys; compile(sys.stdin.read(), 'samples', 'exec')"], { input: source });
  expect(samples("Python").length).toBe(samples("curl").length);
});
