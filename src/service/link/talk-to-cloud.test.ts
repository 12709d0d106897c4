import { expect, test } from "vitest";
import type { Execution } from "#core/command/execution.ts";
import { type DownMessage, type ExecutionOrder, LINK_PROTOCOL, type UpMessage } from "#core/link/messages.ts";
import { createTelemetrySpool } from "#core/link/telemetry-spool.ts";
import type { Site } from "#core/site/site.ts";
import { makeExecution } from "../../../test/support/executions.ts";
import { NO_RULES } from "../../../test/support/no-rules.ts";
import { PLAIN_INTAKE } from "../../../test/support/plain-intake.ts";
import { makeSite } from "../../../test/support/records.ts";
import { type TalkNeeds, talkToCloud } from "./talk-to-cloud.ts";

/** A log of half a megabyte. */
const LONG = [{ state: "IN_PROGRESS", payload: { text: "x".repeat(512 * 1024) }, receivedAt: 1 }];
const NOTHING = async () => ({ items: [], total: 0 });

interface Situation {
  readonly latest: number;
  readonly confirmed: number;
  readonly cloudEpoch: string;
  /** An execution that the cloud orders. It is stored already, and its end is reported next. */
  readonly ordered?: Execution;
  /** Executions that the cloud asks for. Each has a long log. */
  readonly asked?: readonly string[];
  /** Whether the cloud sends its tokens. */
  readonly hasTokens?: boolean;
  /** Of the cloud. */
  readonly protocol?: string;
  /** Those of the gateway. */
  readonly sites?: readonly Site[];
}

/**
 * Lets the cloud say welcome with this number, and gives what the gateway says until it has sent its records. Then the cloud
 * confirms them, and something happens that is not sent.
 */
async function saidAfter(
  taken: number | null,
  { latest, confirmed, cloudEpoch, ordered, asked = [], hasTokens = false, protocol, sites = [] }: Situation,
): Promise<{
  readonly said: readonly UpMessage[];
  readonly taken: readonly number[];
  readonly stored: readonly string[];
  readonly noted: readonly number[];
  readonly tariffsFor: readonly string[];
  readonly controlsFor: readonly string[];
  readonly interlocksFor: readonly string[];
  readonly rulesFor: readonly string[];
}> {
  const tariffsFor: string[] = [];
  const controlsFor: string[] = [];
  const interlocksFor: string[] = [];
  const rulesFor: string[] = [];
  const stored: string[] = [];
  const said: UpMessage[] = [];
  const noted: number[] = [];
  const numbers: number[] = [];
  const sent = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  let wake: () => void = () => {};
  let upTo = latest;
  async function* messages(): AsyncIterable<DownMessage> {
    yield {
      type: "welcome",
      protocol: protocol ?? LINK_PROTOCOL,
      version: "9",
      epoch: cloudEpoch,
      taken,
      unpacks: false,
      refused: [],
    };
    await sent.promise;
    if (hasTokens) yield { type: "tokens", tokens: [] };
    // Of the message with the records of the sites.
    if (sites.length > 0) yield { type: "ack", to: 0 };
    yield { type: "ack", to: latest };
    if (ordered !== undefined) yield { type: "execute", order: orderOf(ordered) };
    if (asked.length > 0) yield { type: "ask", executions: asked };
    // Later: the order is stored by then.
    setImmediate(() => {
      upTo++;
      wake();
    });
    await seen.promise;
    yield { type: "ack", to: latest + 1 };
  }
  /** A gateway without telemetry. */
  const telemetryLane = {
    spool: createTelemetrySpool(1_024),
    uploadAgain: async () => {},
    history: () => undefined,
    listen: () => () => {},
    tidy: async () => {},
    leave: async () => {},
  };
  const needs = {
    version: "1",
    now: () => 0,
    elapsed: () => 0,
    telemetryLane,
    offlineAccess: { follow: async () => void stored.push("contact") },
    tokens: {
      putOfCloud: async () => {
        stored.push("tokens");
        return [];
      },
    },
    credentialLifetimeMs: Number.POSITIVE_INFINITY,
    pause: (_ms: number, signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    connectivity: { status: () => "UNKNOWN" },
    outbox: {
      latest: async () => 0,
      watch: (listener: (event: object) => void) => {
        wake = () => listener({});
        return () => {};
      },
    },
    sites: { list: async () => ({ items: sites, total: sites.length }) },
    tariffs: {
      find: async () => ({ document: {}, updatedAt: 0 }),
      priceDays: async () => [{ kind: "import", day: 1 }],
      prices: async () => new Map([[1, []]]),
    },
    priceSources: { ofSite: async () => [] },
    rules: NO_RULES,
    interlocks: {
      ofSite: async (siteId: string) => [{ siteId, name: "hot", revision: 1, updatedAt: 0, document: {} }],
    },
    devices: { list: NOTHING },
    blueprints: { list: NOTHING },
    alerts: { list: NOTHING },
    audit: { list: NOTHING },
    notifications: { list: NOTHING },
    executions: {
      find: async () => ordered,
      whole: async (id: string) => ({
        execution: makeExecution({ deviceId: "d", siteId: "s" }, { id }),
        responses: LONG,
      }),
      changesAfter: async (after: number, _limit: number, to = after) => ({
        changes: to > latest && ordered !== undefined ? [{ execution: ordered, responses: [], since: 0 }] : [],
        next: to,
        latest: to,
      }),
    },
    uplinks: {
      epoch: async () => "e",
      get: async () => ({ confirmed, cloudEpoch: "c", joinedAt: 0 }),
      latest: async () => latest,
      changesAfter: async () => ({ keys: [], upTo }),
      confirm: async (number: number) => void noted.push(number),
      noteCloud: async () => {},
      noteTariffs: async (epoch: string) => void tariffsFor.push(epoch),
      noteControls: async (epoch: string) => void controlsFor.push(epoch),
      noteRules: async (epoch: string) => void rulesFor.push(epoch),
      noteInterlocks: async (epoch: string) => void interlocksFor.push(epoch),
      amongChanged: async () => [],
    },
  } as unknown as TalkNeeds;
  const channel = {
    messages: messages(),
    turn: PLAIN_INTAKE.turn,
    close: () => {},
    send: async (message: UpMessage) => {
      said.push(message);
      if (message.type === "records" && message.isLast) sent.resolve();
      if (message.type === "answer") seen.resolve();
    },
  };
  const onTaken = (number: number) => {
    numbers.push(number);
    if (number === latest + 1 && ordered === undefined) seen.resolve();
  };
  await talkToCloud(needs, channel, { isFormer: false, onWelcome: () => {}, onRefused: () => {}, onTaken });
  return { said, taken: numbers, stored, noted, tariffsFor, controlsFor, interlocksFor, rulesFor };
}

test.each([
  ["goes on from the number that the cloud has", 5, "c", false],
  ["sends everything to a cloud that has nothing of it", null, "c", true],
  ["sends everything when the cloud has more than there is: the records were replaced by older ones", 9, "c", true],
  ["sends everything to a cloud that has less than it once confirmed: it was replaced by an older one", 3, "c", true],
  ["sends everything to a cloud whose records are others than those that had everything", 5, "other", true],
])("a gateway %s", async (_, taken, cloudEpoch, isWhole) => {
  const latest = 5;
  const { said, taken: numbers } = await saidAfter(taken, { latest, confirmed: 4, cloudEpoch });
  const [hello, records] = said;
  expect(hello).toEqual({ type: "hello", protocol: LINK_PROTOCOL, version: "1", epoch: "e" });
  expect(records).toEqual({ type: "records", to: latest, isWhole, isLast: true, items: [] });
  // Also what is never sent counts as confirmed, once everything before it is.
  expect([numbers[0], numbers.at(-1)]).toEqual([latest, latest + 1]);
});

test("access by tokens of the cloud is prolonged once the cloud has sent them, not by a connection alone", async () => {
  const situation = { latest: 5, confirmed: 4, cloudEpoch: "c" };
  expect((await saidAfter(5, situation)).stored).toEqual([]);
  expect((await saidAfter(5, { ...situation, hasTokens: true })).stored).toEqual(["tokens", "contact"]);
});

test("a cloud of an earlier version is not sent tariffs, prices, controls, interlocks and rules, and a later one gets all of them", async () => {
  const situation = { latest: 5, confirmed: 4, cloudEpoch: "c", sites: [makeSite()] };
  const sentTo = async (protocol: string) => {
    const { said, tariffsFor, controlsFor, interlocksFor, rulesFor } = await saidAfter(null, {
      ...situation,
      protocol,
    });
    const kinds = said.flatMap((message) => (message.type === "records" ? message.items.map(({ kind }) => kind) : []));
    return { kinds, tariffsFor, controlsFor, interlocksFor, rulesFor };
  };
  const later = ["site", "tariff", "prices"];
  const none = { tariffsFor: [], controlsFor: [], interlocksFor: [], rulesFor: [] };
  expect(await sentTo("1.1")).toEqual({ ...none, kinds: ["site"] });
  expect(await sentTo("1.2")).toEqual({ ...none, kinds: later, tariffsFor: ["c"] });
  expect(await sentTo("1.3")).toEqual({ ...none, kinds: later, tariffsFor: ["c"], controlsFor: ["c"] });
  const all = { ...none, tariffsFor: ["c"], controlsFor: ["c"], interlocksFor: ["c"] };
  expect(await sentTo("1.4")).toEqual({ ...all, kinds: ["site", "interlock", "tariff", "prices"] });
  const withRules = ["site", "interlock", "rule_engine", "tariff", "prices"];
  expect(await sentTo("1.5")).toEqual({ ...all, kinds: withRules, rulesFor: ["c"] });
});

test("what the cloud has confirmed is noted at once, then now and then, and when the connection ends", async () => {
  const { noted } = await saidAfter(5, { latest: 5, confirmed: 4, cloudEpoch: "c" });
  expect(noted).toEqual([5, 6]);
});

test("an order is answered after its execution was reported, and the cloud stores both at once", async () => {
  const ordered = makeExecution({ deviceId: "d", siteId: "s" }, { id: "ordered" });
  const { said } = await saidAfter(5, { latest: 5, confirmed: 4, cloudEpoch: "c", ordered });
  const about = said.flatMap((message) => {
    if (message.type === "records") return message.items.map(({ kind, key }) => `${kind} ${key}`);
    return message.type === "answer" ? [`answer ${message.id} ${message.refused}`] : [];
  });
  expect(about).toEqual(["execution ordered", "answer ordered null"]);
});

test("executions with long logs are sent in several messages: the cloud takes no message of any size", async () => {
  const asked = Array.from({ length: 100 }, (_, n) => `e${n}`);
  const { said } = await saidAfter(5, { latest: 5, confirmed: 4, cloudEpoch: "c", asked });
  const sent = said.filter((message) => message.type === "executions");
  expect(sent.flatMap(({ changes }) => changes.map(({ execution }) => execution.id))).toEqual(asked);
  expect(Math.max(...sent.map((message) => JSON.stringify(message).length))).toBeLessThan(8 * 1024 * 1024);
});

test("a cloud that reads no answers is not read any further", async () => {
  const order = { ...orderOf(makeExecution({ deviceId: "d", siteId: "s" }, { id: "e" })), patienceMs: 0 };
  let read = 0;
  async function* messages(): AsyncIterable<DownMessage> {
    yield {
      type: "welcome",
      protocol: LINK_PROTOCOL,
      version: "9",
      epoch: "c",
      taken: null,
      unpacks: false,
      refused: [],
    };
    for (; read < 5_000; read++) yield { type: "execute", order };
  }
  const never = new Promise<never>(() => {});
  const needs = {
    now: () => 0,
    pause: () => never,
    offlineAccess: { follow: () => never },
    telemetryLane: { spool: createTelemetrySpool(1), uploadAgain: () => never },
    devices: { list: () => never },
    executions: { find: async () => undefined },
    outbox: { latest: async () => 0, watch: () => () => {} },
    uplinks: { epoch: async () => "e", get: async () => undefined, latest: async () => 0 },
  } as unknown as TalkNeeds;
  const send = async ({ type }: UpMessage) => (type === "hello" ? undefined : await never);
  const talk = { isFormer: false, onWelcome: () => {}, onRefused: () => {}, onTaken: () => {} };
  void talkToCloud(needs, { messages: messages(), send, turn: PLAIN_INTAKE.turn, close: () => {} }, talk);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(read).toBeGreaterThan(500);
  expect(read).toBeLessThan(2_000);
});

test("a cloud that does not say welcome within a minute is left", async () => {
  const closed = Promise.withResolvers<void>();
  async function* messages(): AsyncIterable<DownMessage> {
    await closed.promise;
    yield* [];
  }
  const waits: number[] = [];
  const needs = {
    pause: async (ms: number) => void waits.push(ms),
    telemetryLane: { spool: createTelemetrySpool(1) },
    outbox: { latest: async () => 0, watch: () => () => {} },
    uplinks: { epoch: async () => "e" },
  } as unknown as TalkNeeds;
  const channel = {
    messages: messages(),
    send: async () => {},
    turn: PLAIN_INTAKE.turn,
    close: () => closed.resolve(),
  };
  const talking = talkToCloud(needs, channel, {
    isFormer: false,
    onWelcome: () => {},
    onRefused: () => {},
    onTaken: () => {},
  });
  await expect(talking).rejects.toThrow("the cloud has said nothing for 60 s");
  expect(waits).toEqual([60_000]);
});

function orderOf({ id, deviceId, createdAt, ephemeral, request }: Execution): ExecutionOrder {
  const { name, arguments: given } = request;
  return {
    id,
    deviceId,
    createdAt,
    ephemeral,
    name,
    arguments: given,
    patienceMs: 1_000,
    caller: "cloud",
    trace: undefined,
  };
}
