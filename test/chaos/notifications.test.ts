// kill -9 of a gateway, and of the nodes of a cloud, while alerts come and go: each alert and its end is told to everybody once and in
// order. What was on its way to a mail server in the moment of a kill is not sent again, and is shown as UNKNOWN; a webhook may get the same
// message, with its id, twice.
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "#client/create-client.ts";
import type { NotificationMessage } from "#client/resources.ts";
import { manifest } from "../support/blueprints.ts";
import { startMailServer } from "../support/mail-server.ts";
import { NODE_ADMIN_TOKEN } from "../support/nodes.ts";
import { startPostgres } from "../support/postgres.ts";
import { randomFrom } from "../support/random.ts";
import { startReceiver } from "../support/receiver.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { NodeVictim } from "./node-victim.ts";
import { startVictim, type Victim } from "./victim.ts";

const KILLS = roundsOf("kills of notifications");
const BATCHES = IS_LONG ? 100 : 8;
const BATCH = IS_LONG ? 10 : 5;
/** So many batches are active at a time. */
const KEPT = 3;
const PATIENCE = { timeout: 240_000, interval: 100 };
const MANIFEST = manifest("Alerting");

interface Prey {
  /** Where one can ask now. */
  readonly at: () => { readonly url: string; readonly token: string };
  readonly kill: (chance: number) => Promise<void>;
}

/** What came, in order, by the id of the message. */
type Receipts = readonly string[];

async function startReceivers(random: () => number) {
  const [mailServer, receiver] = await Promise.all([startMailServer(), startReceiver()]);
  onTestFinished(async () => {
    await mailServer.stop();
    await receiver.stop();
  });
  // Now and then slow, so that a kill meets a message on its way.
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, random() < 0.5 ? random() * 200 : 0));
  // A server has a mail before it says so.
  const mails: { readonly to: readonly string[]; readonly id: string }[] = [];
  mailServer.onMail = async ({ to, headers }) => {
    mails.push({ to, id: headers.get("x-busbar-message") ?? "?" });
    await pause();
  };
  receiver.answer = (response) => void pause().then(() => response.end());
  const mailsTo = (to: string): Receipts => mails.filter((one) => one.to.includes(to)).map(({ id }) => id);
  const posts = (): Receipts => receiver.received.map(({ headers }) => String(headers["x-busbar-delivery"]));
  return { mailPort: mailServer.port, url: receiver.url, mailsTo, posts };
}

async function tellThrough(prey: Prey, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const receivers = await startReceivers(random);
  const client = () => createClient(prey.at());
  const site = (await client().sites.list()).sites[0]?.id ?? (await client().sites.create({ name: "Plant" })).site.id;
  const { blueprint } = await client().blueprints.upload(Buffer.from(MANIFEST));
  const device = (await client().provisioning.standalone({ name: "D", site_id: site, blueprint_id: blueprint.id }))
    .device_id;
  const mail = (to: string) => {
    const server = { host: "127.0.0.1", port: receivers.mailPort, security: "none" as const };
    return { name: to, mail: { ...server, from: "site@example.com", to }, allow_private: true };
  };
  const bodies = [
    mail("anna@example.com"),
    mail("ben@example.com"),
    { name: "w", webhook: { url: receivers.url }, allow_private: true },
  ];
  const channels: string[] = [];
  for (const body of bodies) channels.push((await client().notifications.createChannel(site, body)).channel.id);
  await client().notifications.createRoute(site, { name: "All", group: "0s", steps: [{ channels }] });

  const newest = async () => (await client().notifications.messages(site, { limit: 200 })).messages;
  const killAfter = new Set(Array.from({ length: KILLS }, (_, n) => Math.floor(((n + 0.5) * BATCHES) / KILLS)));
  const names = (batch: number) => Array.from({ length: BATCH }, (_, n) => `b${batch}-${n}`);
  for (let batch = 0; batch < BATCHES + KEPT; batch++) {
    const active = Array.from({ length: KEPT }, (_, n) => batch - n).filter((one) => one >= 0 && one < BATCHES);
    await report(client, device, active.flatMap(names));
    if (killAfter.has(batch)) {
      await new Promise((resolve) => setTimeout(resolve, random() * 120));
      await prey.kill(random());
    }
    // What is over before anybody could be told is not told.
    const isTold = async () => {
      const told = new Set(alertsOf(await newest().catch(() => []), channels[2], "raised"));
      return active.flatMap(names).every((name) => told.has(name));
    };
    await expect.poll(isTold, PATIENCE).toBe(true);
  }

  const messages = async () => await Array.fromAsync(client().notifications.messages.all(site));
  const all = Array.from({ length: BATCHES }, (_, batch) => names(batch)).flat();
  await expect
    .poll(async () => {
      const found = await messages().catch(() => []);
      const isDone = found.every(({ finished_at }) => finished_at !== null);
      return isDone ? new Set(alertsOf(found, channels[2], "over")).size : -1;
    }, PATIENCE)
    .toBe(all.length);
  const sent = (await messages()).reverse();
  const receipts = [receivers.mailsTo("anna@example.com"), receivers.mailsTo("ben@example.com"), receivers.posts()];
  for (const [n, channel] of channels.entries())
    check(sent, { all, channel, receipts: receipts[n] ?? [], isWebhook: n === 2 });
  const unknown = sent.filter(({ state }) => state === "UNKNOWN").length;
  expect(unknown).toBeLessThanOrEqual(KILLS * 2);
  console.log(
    `seed ${seed}: ${all.length} alerts, ${KILLS} kills, ${sent.length} messages, of ${unknown} nobody knows`,
  );
}

/** The device lists exactly these, and the list has arrived. */
async function report(
  client: () => ReturnType<typeof createClient>,
  device: string,
  alerts: readonly string[],
): Promise<void> {
  await expect
    .poll(async () => {
      const cell = `"${JSON.stringify(alerts).replaceAll('"', '""')}"`;
      const csv = `ts,telemetry=alerts\n${Date.now() / 1_000},${cell}\n`;
      try {
        await client().telemetry.import(device, Buffer.from(csv));
        const listed = await Array.fromAsync(client().alerts.list.all(device));
        return listed.map(({ id }) => id).sort();
      } catch {
        return undefined;
      }
    }, PATIENCE)
    .toEqual([...alerts].sort());
}

const alertsOf = (
  messages: readonly NotificationMessage[],
  channel: string | undefined,
  kind: string,
): readonly string[] =>
  messages
    .filter((one) => one.channel_id === channel && one.kind === kind)
    .flatMap(({ items }) => items.map((item) => item.alert_id ?? "?"));

interface Expected {
  readonly all: readonly string[];
  readonly channel: string;
  readonly receipts: Receipts;
  readonly isWebhook: boolean;
}

function check(messages: readonly NotificationMessage[], { all, channel, receipts, isWebhook }: Expected): void {
  const own = messages.filter((one) => one.channel_id === channel);
  // Decided once for each alert.
  for (const kind of ["raised", "over"]) expect(alertsOf(own, channel, kind).toSorted()).toEqual(all.toSorted());
  const came = new Map<string, number>();
  for (const id of receipts) came.set(id, (came.get(id) ?? 0) + 1);
  for (const { id, state } of own) {
    const times = came.get(id) ?? 0;
    came.delete(id);
    expect(["SENT", "UNKNOWN"]).toContain(state);
    if (isWebhook) expect([state, times >= 1]).toEqual(["SENT", true]);
    else if (state === "SENT") expect([id, times]).toEqual([id, 1]);
    else expect(times).toBeLessThanOrEqual(1);
  }
  expect([...came.keys()]).toEqual([]);
  // In order: the first time that each came.
  const order = [...new Set(receipts)].map((id) => own.findIndex((one) => one.id === id));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
}

const newSeed = () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
  return seed;
};

test("kills of a gateway: everybody is told everything once, in order", { timeout: 900_000 }, async () => {
  const data = tempFolder();
  const start = async (): Promise<Victim> => {
    const victim = await startVictim(data);
    if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
    return victim;
  };
  let victim = await start();
  const prey: Prey = {
    at: () => victim,
    async kill() {
      victim.kill();
      expect(await victim.end).toBe("SIGKILL");
      victim = await start();
    },
  };
  await tellThrough(prey, newSeed());
});

test("kills of the nodes of a cloud: everybody is told everything once, in order", { timeout: 900_000 }, async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const options = { url: await server.database("notifications"), flags: ["--mqtt-port", "off"] };
  const victims = [new NodeVictim(options), new NodeVictim(options)] as const;
  onTestFinished(async () => {
    for (const one of victims) await one.kill();
  });
  for (const one of victims) await one.start();
  const prey: Prey = {
    at: () => ({
      url: victims.find(({ current }) => current !== undefined)?.current?.url ?? "",
      token: NODE_ADMIN_TOKEN,
    }),
    async kill(chance) {
      const one = victims[chance < 0.5 ? 0 : 1];
      await one.kill();
      await one.start();
    },
  };
  await tellThrough(prey, newSeed());
});
