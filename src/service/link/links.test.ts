import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import { type Device, UNSET_FIELDS } from "#core/device/device.ts";
import type { Gateway } from "#core/link/gateway.ts";
import { type DownMessage, LINK_PROTOCOL, type LinkedItem, type UpMessage } from "#core/link/messages.ts";
import { parseDownMessage } from "#core/link/parse-message.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import type { Site } from "#core/site/site.ts";
import { instant } from "#core/time/instant.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";
import { type Nodes, oneNode } from "#service/ports/nodes.ts";
import { makeExecution } from "../../../test/support/executions.ts";
import { NO_RULES } from "../../../test/support/no-rules.ts";
import { PLAIN_INTAKE, PLAIN_INTAKES } from "../../../test/support/plain-intake.ts";
import { createLinkChannel } from "./link-channel.ts";
import { createLinkTurns } from "./link-turns.ts";
import { createLinks, type LinkNeeds } from "./links.ts";

const ID = "00000000-0000-7000-8000-00000000000e";
const BAD = "00000000-0000-7000-8000-00000000000b";
const GOOD = "00000000-0000-7000-8000-00000000000a";
const TRACE = { traceId: "1".repeat(32), spanId: "2".repeat(16), isSampled: true, state: undefined };

/** Two ends of one connection in memory. */
function socketPair(): readonly [LinkSocket, LinkSocket] {
  const streams = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()] as const;
  const writers = streams.map(({ writable }) => writable.getWriter());
  const end = (own: number, other: number): LinkSocket => ({
    send: async (frame) => await writers[own]?.write(frame),
    frames: streams[other === 0 ? 0 : 1].readable,
    close: () => {
      for (const writer of writers) void writer.close().catch(() => {});
    },
  });
  return [end(0, 1), end(1, 0)];
}

/** A cloud with the gateway `g`, which has the device `own` and stands for itself as `itself`. */
function connect(
  applyRemote = async (_id: string) => {},
  {
    nodes = oneNode(),
    find = async () => {},
    connected = [] as readonly string[],
    maxSites = 100,
    linkTurns = createLinkTurns(createShares()),
  } = {},
) {
  const heard: string[] = [];
  const copied = { sites: new Set(["s"]), devices: new Set(["own", "itself"]) };
  const forgotten: string[] = [];
  const hear = (what: string) => (id: string) => void heard.push(`${what} ${id}`);
  const nothing = async () => {};
  const needs = {
    version: "1",
    linkTurns,
    now: () => 0,
    nodes,
    gatewayQuestions: { open: () => ({ replied: () => {}, close: () => {} }) },
    gatewayChanges: { open: () => ({ lane: { close: () => {} }, done: Promise.resolve() }) },
    tokenSharing: { open: () => () => {} },
    log: { info: () => {}, warn: () => {} },
    // Only the wait for the end of another connection is short.
    pause: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve());
        if (ms < 1_000) setImmediate(resolve);
      }),
    liveBudget: createByteBudget("link_values", 1_000),
    executionTraces: { of: (id: string) => (id === ID ? TRACE : undefined) },
    uplinks: { epoch: async () => "c" },
    randomBytes: (length: number) => new Uint8Array(length),
    linkIntakes: PLAIN_INTAKES,
    linkedLimits: { sites: maxSites, devices: 10_000, series: 200_000 },
    copies: {
      site: async (_gatewayId: string, { id }: Site) => {
        heard.push(`copied ${id}`);
        copied.sites.add(id);
        return { isRefused: id === BAD };
      },
      device: async (_gatewayId: string, { id }: Device) => {
        heard.push(`copied ${id}`);
        copied.devices.add(id);
      },
      deleteDevice: async (_gatewayId: string, id: string) => void heard.push(`deleted ${id}`),
      deleteSite: async (_gatewayId: string, id: string) => void heard.push(`deleted ${id}`),
    },
    alerts: { active: async () => [] },
    tariffs: { priceDays: async () => [] },
    interlocks: { ofSite: async () => [] },
    rules: NO_RULES,
    telemetry: { deleteDevice: nothing },
    gateways: {
      find,
      devices: async () =>
        [...copied.devices].map((id) => ({ id, siteId: "s", type: id === "itself" ? "GATEWAY" : "STANDALONE" })),
      sites: async () => [...copied.sites],
      refusals: async () => [],
      noteTaken: nothing,
      noteRefusals: nothing,
      connected: async () => connected,
      revokedConnected: async () => ["g"],
      noteGone: async (id: string) => void heard.push(`gone ${id}`),
    },
    reportedRules: { changed: () => {} },
    reportedControls: { changed: nothing, gatewayChanged: nothing },
    executions: {
      ownedElsewhere: async () => [],
      forgetRevisions: async (siteId: string) => void forgotten.push(siteId),
    },
    dispatcher: {
      devicesReachable: (ids: readonly string[]) => void ids.map(hear("reachable")),
      loseSight: nothing,
      applyRemote: async ({ execution }: ExecutionChange) => {
        await applyRemote(execution.id);
        heard.push(`stored ${execution.id}`);
        return { kind: "known" };
      },
    },
    connectivity: {
      connected: hear("connected"),
      gone: hear("gone"),
      absent: hear("absent"),
      forget: hear("forgot"),
      loseSight: (id: string, isKnownElsewhere = false) =>
        heard.push(`out of sight ${id}${isKnownElsewhere ? " of all nodes" : ""}`),
      letGo: hear("let go"),
    },
  } as unknown as LinkNeeds;
  const links = createLinks(needs);
  const open = () => {
    const [cloud, gateway] = socketPair();
    let reason = "";
    const close = (given: string) => {
      reason ||= given;
      cloud.close(given);
    };
    const served = links.serve({ id: "g", epoch: undefined, taken: 0 } as Gateway, { ...cloud, close });
    const channel = createLinkChannel<UpMessage, DownMessage>(gateway, {
      parse: parseDownMessage,
      nonce: 1,
      intake: PLAIN_INTAKE,
    });
    const messages = channel.messages[Symbol.asyncIterator]();
    return { served, reason: () => reason, channel, next: async () => (await messages.next()).value as DownMessage };
  };
  return { links, heard, forgotten, open, ...open() };
}

async function enter(
  { channel, next }: ReturnType<ReturnType<typeof connect>["open"]>,
  protocol = LINK_PROTOCOL,
): Promise<void> {
  await channel.send({ type: "hello", protocol, version: "1", epoch: "e" });
  expect(await next()).toMatchObject({ type: "welcome", taken: null });
  // After the second answer the cloud has caught up, and commands reach the gateway.
  for (const to of [1, 2]) {
    await channel.send({ type: "records", to, isWhole: false, isLast: true, items: [] });
    expect(await next()).toEqual({ type: "ack", to });
  }
}

test("a gateway reports the connectivity of its devices, and neither its own nor that of others", async () => {
  const cloud = connect();
  await enter(cloud);
  const all = ["own", "itself", "foreign"];
  await cloud.channel.send({ type: "connectivity", devices: all.map((id) => [id, "ONLINE"] as const) });
  await cloud.channel.send({ type: "connectivity", devices: all.map((id) => [id, "OFFLINE"] as const) });
  await cloud.channel.send({ type: "records", to: 3, isWhole: false, isLast: true, items: [] });
  expect(await cloud.next()).toEqual({ type: "ack", to: 3 });
  expect(cloud.heard).toEqual(["connected itself", "reachable own", "reachable itself", "connected own", "absent own"]);
  cloud.channel.close("");
  await cloud.served;
  expect(cloud.heard.slice(5)).toEqual(["out of sight own", "absent itself", "gone g"]);
});

test("a gateway is welcomed when it is its turn, and nothing is read for it before", async () => {
  const linkTurns = createLinkTurns(createShares(), { slots: 1, slotsPerKey: 1, waiting: 10, waitingPerKey: 10 });
  const others = Promise.withResolvers<void>();
  const before = linkTurns.run("another gateway", () => others.promise);
  const cloud = connect(undefined, { linkTurns });
  let isWelcome = false;
  const entered = enter(cloud).then(() => (isWelcome = true));
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  expect([isWelcome, cloud.heard, cloud.forgotten]).toEqual([false, [], []]);
  others.resolve();
  await Promise.all([before, entered]);
  expect(cloud.heard).toContain("reachable own");
  cloud.channel.close("");
  await cloud.served;
});

const minorOf = (protocol: string) => Number(protocol.split(".")[1]);

test.each([...Array.from({ length: minorOf(LINK_PROTOCOL) + 1 }, (_, minor) => `1.${minor}`), "1.999"])(
  "a gateway that speaks %s is linked, and reports its devices",
  async (protocol) => {
    const cloud = connect();
    await enter(cloud, protocol);
    await cloud.channel.send({ type: "connectivity", devices: [["own", "ONLINE"]] });
    await cloud.channel.send({ type: "records", to: 3, isWhole: false, isLast: true, items: [] });
    expect(await cloud.next()).toEqual({ type: "ack", to: 3 });
    expect(cloud.heard).toContain("connected own");
    cloud.channel.close("");
    await cloud.served;
  },
);

test.each([
  ["0.9", "update the other side"],
  ["2.0", "update this side"],
])("a gateway that speaks %s is refused: %s", async (protocol, advice) => {
  const cloud = connect();
  await cloud.channel.send({ type: "hello", protocol, version: "7.1", epoch: "e" });
  await cloud.served;
  expect(cloud.reason()).toContain(`the other side runs Busbar 7.1 and speaks version ${protocol} of the link`);
  expect(cloud.reason()).toContain(advice);
  expect(cloud.heard).not.toContain("connected itself");
});

test("of two connections that a gateway opens at the same moment, the latter is served, and the former ends", async () => {
  const cloud = connect();
  await enter(cloud);
  const [second, third] = [cloud.open(), cloud.open()];
  await Promise.all([cloud.served, second.served]);
  await enter(third);
  expect(cloud.heard.at(-1)).toBe("reachable itself");
  third.channel.close("");
  await third.served;
  expect(cloud.heard.at(-1)).toBe("gone g");
});

test("of a gateway whose epoch is not noted, what an upload that broke off has left is not believed", async () => {
  const cloud = connect();
  await enter(cloud);
  expect(cloud.forgotten).toEqual(["s"]);
  cloud.channel.close("");
  await cloud.served;
});

test("a record that cannot be stored ends the session after those that came with it are stored", async () => {
  const cloud = connect(async (id) => {
    if (id === BAD) throw new Error("no");
    for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
  });
  await enter(cloud);
  const items = [BAD, GOOD].map((key) => {
    const execution = makeExecution({ deviceId: "own", siteId: "s" }, { id: key });
    return { kind: "execution" as const, key, value: { execution, responses: [], since: 0, leftOut: undefined } };
  });
  await cloud.channel.send({ type: "records", to: 3, isWhole: false, isLast: true, items });
  await cloud.served;
  const [stored, gone] = [`stored ${GOOD}`, "gone g"].map((what) => cloud.heard.indexOf(what));
  expect(stored).toBeGreaterThan(-1);
  expect(gone).toBeGreaterThan(stored ?? -1);
});

test("a record that breaks a rule is refused alone, and the rest is stored and confirmed", async () => {
  const cloud = connect();
  await enter(cloud);
  const at = instant(0);
  const site = { id: BAD, name: "n".repeat(5_000), timezone: "Mars/Phobos", createdAt: at, updatedAt: at };
  const execution = makeExecution({ deviceId: "own", siteId: "s" }, { id: GOOD });
  const items = [
    { kind: "site" as const, key: BAD, value: site },
    { kind: "site" as const, key: "../../x?y#", value: { ...site, timezone: "UTC", name: "Site" } },
    { kind: "execution" as const, key: GOOD, value: { execution, responses: [], since: 0, leftOut: undefined } },
  ];
  await cloud.channel.send({ type: "records", to: 3, isWhole: false, isLast: true, items });
  const ack = await cloud.next();
  expect(ack).toMatchObject({ type: "ack", to: 3 });
  expect(JSON.stringify(ack)).toContain("there is no time zone");
  expect(cloud.heard).toContain(`stored ${GOOD}`);
  cloud.channel.close("");
  await cloud.served;
});

const TIMES = { createdAt: instant(0), updatedAt: instant(0) };
const siteItem = (id: string, name = "Site"): LinkedItem => ({
  kind: "site",
  key: id,
  value: { id, name, timezone: "UTC", ...TIMES },
});
const deviceItem = (id: string, name = "Device"): LinkedItem => ({
  kind: "device",
  key: id,
  value: {
    ...{ id, siteId: GOOD, name, slug: "device", type: "STANDALONE" },
    ...{ ...UNSET_FIELDS, blueprintDigest: undefined, ...TIMES },
  },
});

test("each record is stored once, and a site of somebody else is none of the gateway's sites", async () => {
  const cloud = connect(undefined, { maxSites: 2 });
  await enter(cloud);
  const items = [siteItem(BAD), siteItem(GOOD), deviceItem(ID)];
  await cloud.channel.send({ type: "records", to: 3, isWhole: false, isLast: true, items });
  const ack = await cloud.next();
  expect(ack).toMatchObject({ refused: [{ kind: "site", key: BAD }] });
  expect(cloud.heard.filter((one) => one.startsWith("copied"))).toEqual([BAD, GOOD, ID].map((id) => `copied ${id}`));
  cloud.channel.close("");
  await cloud.served;
});

test("a record that cannot be read is refused alone, with the reason, and the rest is stored and confirmed", async () => {
  const cloud = connect();
  await enter(cloud);
  const site = siteItem(BAD) as { readonly value: object };
  const items = [
    { ...site, value: { ...site.value, name: 7 } },
    { kind: "wagon", key: "w", value: null },
    7,
    { kind: "device", key: ID, value: [] },
    siteItem(GOOD),
  ] as unknown as readonly LinkedItem[];
  await cloud.channel.send({ type: "records", to: 3, isWhole: false, isLast: true, items });
  expect(await cloud.next()).toEqual({
    type: "ack",
    to: 3,
    refused: [
      { kind: "site", key: BAD, reason: "name is no text" },
      { kind: "wagon", key: "w", reason: "no item has the kind wagon" },
      { kind: "unknown", key: "unknown", reason: "an item is no object" },
      { kind: "device", key: ID, reason: "a device is no object" },
    ],
  });
  expect(cloud.heard).toContain(`copied ${GOOD}`);
  cloud.channel.close("");
  await cloud.served;
});

test("an execution that names another site than its device is refused alone", async () => {
  const cloud = connect();
  await enter(cloud);
  const execution = makeExecution({ deviceId: "own", siteId: "t" }, { id: GOOD });
  const value = { execution, responses: [], since: 0, leftOut: undefined };
  const items = [{ kind: "execution" as const, key: GOOD, value }];
  await cloud.channel.send({ type: "records", to: 3, isWhole: false, isLast: true, items });
  expect(await cloud.next()).toMatchObject({ to: 3, refused: [{ kind: "execution", key: GOOD }] });
  cloud.channel.close("");
  await cloud.served;
});

test("of a record that is refused, what the cloud has taken before stays", async () => {
  const cloud = connect();
  await enter(cloud);
  const send = async (to: number, items: readonly LinkedItem[]) => {
    await cloud.channel.send({ type: "records", to, isWhole: true, isLast: true, items });
    await cloud.next();
  };
  await send(3, [siteItem(GOOD), deviceItem(ID)]);
  const tooLong = "n".repeat(300);
  await send(4, [siteItem(GOOD, tooLong), deviceItem(ID, tooLong)]);
  expect(cloud.heard).not.toContain(`deleted ${ID}`);
  expect(cloud.heard).not.toContain(`deleted ${GOOD}`);
  cloud.channel.close("");
  await cloud.served;
});

const COMMAND = { id: ID, name: "start", arguments: {} };
const EXECUTION = makeExecution({ deviceId: "own", siteId: "s" }, { id: ID });

test.each([
  [null, "accepted"],
  ["no such command", { refused: "no such command" }],
])("the answer %j of a gateway to an order is %j", async (refused, outcome) => {
  const cloud = connect();
  expect(await cloud.links.carrier.send("own", COMMAND as never, EXECUTION)).toBe("not_sent");
  await enter(cloud);
  const sent = cloud.links.carrier.send("own", COMMAND as never, EXECUTION);
  const trace = { traceparent: `00-${TRACE.traceId}-${TRACE.spanId}-01` };
  expect(await cloud.next()).toMatchObject({ type: "execute", order: { id: ID, deviceId: "own", trace } });
  await cloud.channel.send({ type: "answer", id: ID, refused });
  expect(await sent).toEqual(outcome);
  cloud.channel.close("");
  await cloud.served;
});

test("what a gateway reports of an execution before it answers the order is the answer, once it is stored", async () => {
  const cloud = connect();
  await enter(cloud);
  const sent = cloud.links.carrier.send("own", COMMAND as never, EXECUTION);
  await cloud.next();
  const value = { execution: { ...EXECUTION, revision: 2 }, responses: [], since: 0, leftOut: undefined };
  const items = [{ kind: "execution" as const, key: ID, value }];
  await cloud.channel.send({ type: "records", to: 3, isWhole: false, isLast: true, items });
  expect([await sent, cloud.heard.at(-1)]).toEqual(["reported", `stored ${ID}`]);
  expect(await cloud.next()).toEqual({ type: "ack", to: 3 });
  cloud.channel.close("");
  await cloud.served;
});

test("an execution whose time is over is not ordered: it is the cloud's, and becomes TIMEOUT there", async () => {
  const cloud = connect();
  await enter(cloud);
  const expired = { ...EXECUTION, deadline: instant(0) };
  expect(await cloud.links.carrier.send("own", COMMAND as never, expired)).toBe("not_sent");
  cloud.channel.close("");
  await cloud.served;
});

test("an order whose connection ends before the answer is unanswered: it may have reached the gateway", async () => {
  const cloud = connect();
  await enter(cloud);
  const sent = cloud.links.carrier.send("own", COMMAND as never, EXECUTION);
  await cloud.next();
  cloud.channel.close("");
  expect(await sent).toBe("unanswered");
  await cloud.served;
});

test("a connection whose access was revoked elsewhere is ended by the next sweep", async () => {
  const cloud = connect();
  await enter(cloud);
  await cloud.links.sweep();
  await cloud.served;
  expect(cloud.heard.at(-1)).toBe("gone g");
});

/** A node whose claims can be lost, among others. */
function losingNode() {
  const lost = new AbortController();
  const nodes: Nodes = { ...oneNode(), isShared: true };
  const claim: Nodes["claim"] = async (name) => {
    const held = await nodes.claim(name);
    return held && { ...held, lost: lost.signal };
  };
  return { nodes: { ...nodes, claim }, lost };
}

test("a gateway whose records cannot be read is sent away, and is served when it comes again", async () => {
  let fails = true;
  const find = async () => {
    if (fails) throw new Error("connection reset");
  };
  const cloud = connect(undefined, { find });
  await cloud.served;
  expect(cloud.reason()).toBe("the cloud cannot go on");
  fails = false;
  const second = cloud.open();
  await enter(second);
  second.channel.close("");
  await second.served;
});

test("a gateway that cannot be claimed because of an error is sent away", async () => {
  const claim = () => Promise.reject(new Error("no"));
  const cloud = connect(undefined, { nodes: { ...oneNode(), claim } });
  await cloud.served;
  expect(cloud.reason()).toBe("the cloud cannot go on");
});

test("a connection that has ended leaves nothing behind at the signal of its claim", async () => {
  const { nodes, lost } = losingNode();
  const cloud = connect(undefined, { nodes });
  await enter(cloud);
  expect(getEventListeners(lost.signal, "abort")).toHaveLength(1);
  cloud.channel.close("");
  await cloud.served;
  expect(getEventListeners(lost.signal, "abort")).toHaveLength(0);
});

test("a node that has lost its claim notes nothing more of the gateway: another node may talk to it", async () => {
  const { nodes, lost } = losingNode();
  const cloud = connect(undefined, { nodes });
  await enter(cloud);
  const before = cloud.heard.length;
  const late = cloud.channel.send({ type: "connectivity", devices: [["own", "OFFLINE"]] });
  lost.abort();
  await Promise.allSettled([late, cloud.served]);
  expect(cloud.reason()).toBe("this node has lost the database");
  expect(cloud.heard.slice(before)).toEqual(["let go own", "let go itself"]);
});

test("of a gateway whose node has ended, all nodes hear that its devices are unknown and that it is away", async () => {
  const alone = connect(undefined, { connected: ["other"] });
  await alone.links.sweep();
  expect(alone.heard).toEqual(["out of sight own", "absent itself", "gone other"]);
  const oneOfSome = connect(undefined, { connected: ["other"], nodes: losingNode().nodes });
  await oneOfSome.links.sweep();
  expect(oneOfSome.heard).toEqual(["out of sight own of all nodes", "absent itself", "gone other"]);
});
