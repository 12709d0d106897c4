// Rules of a gateway that is connected to one node of a cloud, for those who listen and ask at another one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandSite, makeCommandSite } from "../support/command-site.ts";
import { eventually, isLinked } from "../support/linked-pair.ts";
import { listen } from "../support/listen.ts";
import { NODE_ADMIN_TOKEN, type Node, openNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { useServer } from "../support/server.ts";

const gateway = useServer(["--mqtt-port", "off"]);
const nodes: Node[] = [];
let server: Postgres;
let receiver: Receiver;
let site: CommandSite;
let sitePath = "";

beforeAll(async () => {
  server = await startPostgres();
  receiver = await startReceiver();
  const url = await server.prepared("rules_elsewhere");
  const flags = ["--webhooks-allow-private"];
  nodes.push(await openNode({ url, flags }));
  nodes.push(await openNode({ url, like: nodeOf(0), flags }));
  site = await makeCommandSite(gateway, "rules elsewhere");
  sitePath = `/v3/sites/${site.siteId}`;
  const { code } = (await nodeOf(0).admin.post("/v3/gateways/join_codes", { name: "North" })).body;
  expect((await gateway.admin.post("/v3/uplink", { url: nodeOf(1).url, code })).status).toBe(200);
  await isLinked(gateway, true);
  await eventually(async () => expect((await nodeOf(0).admin.get(sitePath)).status).toBe(200));
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await receiver.stop();
  await server.stop();
});

function nodeOf(n: number): Node {
  const node = nodes[n];
  if (node === undefined) throw new Error("the nodes run");
  return node;
}

const encoded = (text: string) => Buffer.from(text).toString("base64");
const script = (text: string, language: "lua" | "yaml" = "yaml") => ({
  ...{ code: encoded(text), runtime_version: "V3", language },
});

test("both nodes tell each run and each message once, and one webhook has each once, whichever node was asked", async () => {
  const query = `?kind.in=rule,notification&site_id.in=${site.siteId}`;
  const streams = await Promise.all(nodes.map(({ url }) => listen(url, NODE_ADMIN_TOKEN, { query })));
  const hook = { url: `${receiver.url}/hook`, kinds: ["notification"] };
  expect((await nodeOf(0).admin.post("/v3/webhooks", hook)).status).toBe(200);
  const set = async (n: number, value: number) =>
    expect((await nodeOf(n).admin.put(`${sitePath}/variables/level`, { value })).status).toBe(200);
  await set(0, 0);
  const text =
    "when: { variable: level, above: 0 }\nthen: { notify: 'It is {n}.', values: { n: { variable: level } } }\n";
  const made = await nodeOf(0).admin.post(`${sitePath}/rule_engine/rules`, { slug: "level", script: script(text) });
  expect([made.status, made.body.errors]).toEqual([200, undefined]);
  const told: string[] = [];
  for (const round of [1, 2, 3, 4]) {
    await set(round % 2, round);
    told.push(`It is ${round}.`);
    for (const { seen } of streams) {
      await eventually(async () => {
        const texts = seen.filter(({ event }) => event === "notification").map(({ data }) => data["text"]);
        expect(texts).toEqual(told);
        const ran = seen.flatMap(({ event, data }) => (event === "rule" ? [data["last_run"]] : []));
        expect(ran.at(-1)).toMatchObject({ outcome: "ran", why: "it became true" });
      });
    }
    await set((round + 1) % 2, 0);
    for (const { seen } of streams) {
      await eventually(async () => {
        const last = seen.findLast(({ event }) => event === "rule")?.data["last_run"];
        expect(last).toMatchObject({ why: "it became false" });
      });
    }
  }
  await eventually(async () => {
    const bodies = receiver.received.map(({ body }) => JSON.stringify(body));
    expect(told.map((one) => bodies.filter((body) => body.includes(one)).length)).toEqual([1, 1, 1, 1]);
  });
  // No state of a rule is told twice in a row, though both nodes hear of it.
  for (const { seen } of streams) {
    const news = seen.filter(({ event }) => event === "rule").map(({ data }) => JSON.stringify(data));
    expect(news).toEqual([...new Set(news)]);
    expect(news.length).toBeGreaterThanOrEqual(8);
  }
});

test("tests that are asked of both nodes at once share the places of the gateway, and others are served after them", async () => {
  const endless = { scenarios: "steps: [{wait: 1s}]", script: script("while true do end", "lua") };
  const path = `${sitePath}/rule_engine/test`;
  const answers = await Promise.all([0, 1, 0, 1].map((n) => nodeOf(n).admin.post(path, endless)));
  const played = answers.filter(({ status }) => status === 200);
  expect(played.length).toBeGreaterThan(0);
  for (const { body } of played) expect(body.test.passed).toBe(false);
  const refused = answers.filter(({ status }) => status !== 200);
  // One token plays one at once, whichever node it asks.
  expect(refused.length).toBeGreaterThan(1);
  for (const { status } of refused) expect([429, 503]).toContain(status);
  const good = {
    scenarios: "steps: [{wait: 1h, expect: {messages: x}}]",
    script: script("when: { every: 1h }\nthen: { notify: x }"),
  };
  for (const n of [0, 1]) {
    await eventually(async () => expect((await nodeOf(n).admin.post(path, good)).body.test?.passed).toBe(true));
  }
});
