// What rules of a gateway do and tell people, as events and webhooks of its cloud.
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { listen } from "../support/listen.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const clocks = createMovableClocks();
const pair = useLinkedPair(["--webhooks-allow-private"], undefined, clocks);
const { cloud, gateway } = pair;

let receiver: Receiver;
let sitePath = "";

beforeAll(async () => {
  sitePath = `/v3/sites/${pair.site.siteId}`;
  receiver = await startReceiver();
  await eventually(async () => expect((await cloud.admin.get(sitePath)).status).toBe(200));
});
afterAll(() => receiver.stop());

const setVariable = async (name: string, value: unknown) =>
  expect((await gateway.admin.put(`${sitePath}/variables/${name}`, { value })).errors).toEqual([]);

async function createRule(slug: string, text: string): Promise<void> {
  const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3", language: "yaml" };
  expect((await gateway.admin.post(`${sitePath}/rule_engine/rules`, { slug, script })).errors).toEqual([]);
}

const textsIn = (all: readonly { readonly event?: string; readonly data?: unknown }[]) =>
  all.filter(({ event }) => event === "notification").map(({ data }) => (data as { text: string }).text);

test("the stream and the webhooks of the cloud have them once, also those of a time without a line", async () => {
  const query = `?kind.in=rule,notification&site_id.in=${pair.site.siteId}`;
  const [here, there] = [
    await listen(cloud.url, cloud.adminToken, { query }),
    await listen(gateway.url, gateway.adminToken, { query }),
  ];
  const hook = { url: `${receiver.url}/hook`, kinds: ["notification"] };
  expect((await cloud.admin.post("/v3/webhooks", hook)).errors).toEqual([]);
  for (const name of ["one", "two"]) await setVariable(name, false);
  await createRule("first", "when: { variable: one, equals: true }\nthen: { notify: One is true., title: First }\n");
  await createRule("second", "when: { variable: two, equals: true }\nthen: { notify: Two is true. }\n");
  await setVariable("one", true);
  await eventually(async () => expect(textsIn(here.seen)).toEqual(["One is true."]));
  const rendered = (stream: typeof here) => stream.seen.find(({ event }) => event === "notification")?.data;
  expect(rendered(here)).toEqual(rendered(there));
  await eventually(async () => {
    const ran = here.seen.filter(({ event }) => event === "rule").map(({ data }) => data);
    expect(ran).toContainEqual(
      expect.objectContaining({
        ...{ site_id: pair.site.siteId, slug: "first", state: "STARTED", disabled: false },
        last_run: expect.objectContaining({ outcome: "ran", why: "it became true" }),
      }),
    );
  });

  pair.line.cut();
  await isLinked(gateway, false);
  await setVariable("two", true);
  await eventually(async () => expect(textsIn(there.seen)).toEqual(["One is true.", "Two is true."]));
  pair.line.heal();
  clocks.advance(60_000);
  await isLinked(gateway, true);
  await eventually(async () => expect(textsIn(here.seen)).toEqual(["One is true.", "Two is true."]));
  await eventually(async () => {
    const texts = receiver.received.map(({ body }) => JSON.stringify(body));
    expect(texts.filter((text) => text.includes("is true."))).toHaveLength(2);
  });

  await gateway.admin.post(`${sitePath}/rule_engine/suspend`, {});
  await eventually(async () => {
    const last = new Map(
      here.seen.filter(({ event }) => event === "rule").map(({ data }) => [(data as { slug: string }).slug, data]),
    );
    for (const slug of ["first", "second"]) expect(last.get(slug)).toMatchObject({ state: "STOPPED" });
  });
  expect(textsIn(here.seen)).toHaveLength(2);
});

test("who sees another site alone hears nothing of it", async () => {
  const { body } = await cloud.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Other", timezone: "UTC" });
  const token = await cloud.token({ level: "owner", site_ids: [body.site.id] });
  const [stranger, witness] = [
    await listen(cloud.url, token, { query: "?kind.in=rule,notification" }),
    await listen(cloud.url, cloud.adminToken, { query: "?kind.in=rule,notification" }),
  ];
  await gateway.admin.post(`${sitePath}/rule_engine/resume`, {});
  await eventually(async () => expect(witness.seen.some(({ event }) => event === "rule")).toBe(true));
  expect(stranger.seen.filter(({ event }) => event !== undefined && event !== "hello")).toEqual([]);
});
