// The command line in a cloud and on a gateway: what people read about gateways and about changes that wait.
import { expect, test } from "vitest";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN, type TestServer } from "../support/server.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

const busbar = (server: TestServer, ...words: readonly string[]) =>
  runBusbar(words, { env: { BUSBAR_URL: server.url, BUSBAR_TOKEN: ADMIN_TOKEN } });

test("a gateway is named by its id or its name", async () => {
  const shown = await busbar(cloud, "gateway", "show", "north", "-o", "json");
  expect([shown.code, shown.err]).toEqual([0, ""]);
  const { id } = JSON.parse(shown.out);
  expect((await busbar(cloud, "gateway", "rotate", id)).out).toContain(`${id} replaces its credential`);
  const unknown = await busbar(cloud, "gateway", "rotate", "Nort");
  expect([unknown.code, unknown.err]).toEqual([
    2,
    'busbar: there is no gateway "Nort"; did you mean "North"?\n  busbar gateway list shows them all\n',
  ]);
});

test("a gateway says that lists of gateways and changes are for a cloud", async () => {
  const rule = "this server is a gateway; only a cloud lists the gateways that have joined it";
  for (const words of [["list"], ["overview"], ["show", "North"]]) {
    const refused = await busbar(gateway, "gateway", ...words);
    expect([refused.code, refused.out, refused.err]).toEqual([1, "", expect.stringContaining(rule)]);
  }
  const changes = await busbar(gateway, "gateway", "changes");
  expect([changes.code, changes.err]).toEqual([
    0,
    expect.stringContaining("There are none. Only a cloud lists changes; a gateway makes its changes at once."),
  ]);
});

test("a code comes alone on stdout, and the remark says what to do with it", async () => {
  const { out, err } = await busbar(cloud, "gateway", "code");
  expect(out).toMatch(/^bb_\w+\n$/);
  expect(err).toContain("On the gateway: busbar gateway join URL CODE");
});

test("a change that waits for its gateway is reported as such, and one that is made is not", async () => {
  const id = await pair.site.device("renamed");
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200));
  const made = await busbar(cloud, "device", "update", id, "--name", "First");
  expect([made.code, made.err]).toEqual([0, ""]);
  pair.line.cut();
  await isLinked(gateway, false);
  const waiting = await busbar(cloud, "device", "update", id, "--name", "Second");
  expect([waiting.code, waiting.out]).toEqual([0, expect.stringContaining("First")]);
  expect(waiting.err).toContain("The change waits for its gateway; busbar gateway changes shows what becomes of it.");
  const forPrograms = await busbar(cloud, "site", "update", pair.site.siteId, "--name", "Other", "-o", "json");
  expect([forPrograms.err, JSON.parse(forPrograms.out).pending_change.state]).toEqual(["", "PENDING"]);
});

test("a revoked gateway is named as such", async () => {
  const { code } = (await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", { name: "South" })).body;
  await cloud.admin.post("/v3/gateways/join", { code, name: "South", version: "0.1.0" });
  expect((await busbar(cloud, "gateway", "revoke", "South", "--yes")).code).toBe(0);
  expect((await busbar(cloud, "gateway", "show", "South")).out).toMatch(/state +revoked/);
  for (const command of ["rotate", "revoke"]) {
    const again = await busbar(cloud, "gateway", command, "South", ...(command === "revoke" ? ["--yes"] : []));
    expect([again.code, again.err]).toEqual([4, expect.stringContaining("the gateway South is revoked already")]);
  }
});
