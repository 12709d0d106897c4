import { expect, test } from "vitest";
import { refuse } from "#core/app-error.ts";
import { type DownMessage, LINK_PROTOCOL } from "#core/link/messages.ts";
import { createTelemetrySpool } from "#core/link/telemetry-spool.ts";
import { PLAIN_INTAKE, PLAIN_INTAKES } from "../../../test/support/plain-intake.ts";
import { createLinkChannel } from "./link-channel.ts";
import { createUplink, type UplinkNeeds } from "./uplink.ts";

/** A gateway without telemetry. */
const GATEWAY = {
  now: () => 0,
  random: () => 1,
  log: { info: () => {}, warn: () => {} },
  seal: { open: (text: string) => text },
  telemetryLane: {
    spool: { waiting: { messages: 0, hours: 0 }, unconfirmed: { messages: 0 }, oldest: () => undefined },
    history: () => undefined,
  },
  onTurn: () => {},
};

test("a gateway that cannot reach its cloud waits up to twice as long each time, at most a minute", async () => {
  const waits: number[] = [];
  const enough = Promise.withResolvers<void>();
  const needs = {
    linkIntakes: PLAIN_INTAKES,
    ...GATEWAY,
    uplinks: { get: async () => ({ url: "https://cloud.example", credential: "c" }), latest: async () => 0 },
    openLinkSocket: () => Promise.reject(new Error("no route to the cloud")),
    pause: async (ms: number, signal: AbortSignal) => {
      waits.push(ms);
      if (waits.length < 8) return;
      enough.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  } as unknown as UplinkNeeds;
  const uplink = createUplink(needs);
  await uplink.restart();
  await enough.promise;
  expect(await uplink.status()).toMatchObject({ isConnected: false, lastError: "no route to the cloud" });
  await uplink.stop();
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test("without the line a gateway that has started has to send what the cloud had not confirmed before", async () => {
  const needs = {
    linkIntakes: PLAIN_INTAKES,
    ...GATEWAY,
    uplinks: {
      get: async () => ({ url: "https://cloud.example", credential: "c", confirmed: 43 }),
      latest: async () => 44,
    },
    openLinkSocket: () => Promise.reject(new Error("no route to the cloud")),
    pause: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve()))),
  } as unknown as UplinkNeeds;
  const uplink = createUplink(needs);
  await uplink.restart();
  expect((await uplink.status())?.backlog.changes).toBe(1);
  await uplink.stop();
});

test.each([
  ["the cloud refuses the present credential", refuse("unauthorized", "unknown"), ["present", "former"]],
  ["the cloud cannot be reached", new Error("unknown"), ["present"]],
])("a gateway tries the credential before the present one only when %s", async (_when, error, expected) => {
  const tried: string[] = [];
  const enough = Promise.withResolvers<void>();
  const needs = {
    linkIntakes: PLAIN_INTAKES,
    ...GATEWAY,
    uplinks: {
      get: async () => ({ url: "https://cloud.example", credential: "present", formerCredential: "former" }),
      latest: async () => 0,
    },
    openLinkSocket: async (_url: string, credential: string) => {
      tried.push(credential);
      throw credential === "present" ? error : refuse("unauthorized", "unknown, too");
    },
    pause: async (_ms: number, signal: AbortSignal) => {
      enough.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  } as unknown as UplinkNeeds;
  const uplink = createUplink(needs);
  await uplink.restart();
  await enough.promise;
  expect(await uplink.status()).toMatchObject({ lastError: "unknown" });
  await uplink.stop();
  expect(tried).toEqual(expected);
});

const WELCOME = {
  type: "welcome",
  protocol: LINK_PROTOCOL,
  version: "1",
  epoch: "c",
  taken: 0,
  unpacks: false,
  refused: [],
} as const satisfies DownMessage;

/** A connection that the cloud welcomes, and then closes for this reason. Undefined: the line is cut. */
async function closedAfterWelcome(reason: string | undefined) {
  const frames: Uint8Array[] = [];
  const nothing = (async function* (): AsyncIterable<Uint8Array> {})();
  const send = async (frame: Uint8Array) => void frames.push(frame);
  await createLinkChannel(
    { frames: nothing, send, close: () => {} },
    { parse: () => undefined, nonce: 7, intake: PLAIN_INTAKE },
  ).send(WELCOME);
  async function* once(): AsyncIterable<Uint8Array> {
    yield* frames;
  }
  return { frames: once(), send: async () => {}, close: () => {}, reason: () => reason };
}

test.each([
  ["the site is of another gateway", [2, 4, 8, 16]],
  [undefined, [1, 1, 1, 1]],
])(
  "after a welcome a gateway waits ever longer if the cloud sends it away, for the reason %s",
  async (reason, expected) => {
    const waits: number[] = [];
    const enough = Promise.withResolvers<void>();
    const aborted = (signal: AbortSignal) =>
      new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve())));
    const nothing = async () => ({ items: [], total: 0 });
    let now = 0;
    const needs = {
      linkIntakes: PLAIN_INTAKES,
      version: "1",
      now: () => now++,
      random: () => 0.7,
      credentialLifetimeMs: Number.POSITIVE_INFINITY,
      log: { info: () => {}, warn: () => {} },
      seal: { open: (text: string) => text },
      uplinks: {
        get: async () => ({
          url: "https://cloud.example",
          credential: "c",
          cloudEpoch: "c",
          confirmed: 0,
          joinedAt: 0,
        }),
        epoch: async () => "e",
        noteTariffs: async () => {},
        noteControls: async () => {},
        noteInterlocks: async () => {},
        noteRules: async () => {},
        latest: async () => 0,
        changesAfter: async () => ({ keys: [], upTo: 0 }),
      },
      outbox: { latest: async () => 0, watch: () => () => {} },
      devices: { list: nothing },
      offlineAccess: { follow: async () => {} },
      telemetryLane: {
        spool: createTelemetrySpool(1),
        history: () => undefined,
        listen: () => () => {},
        tidy: async () => {},
      },
      onTurn: () => {},
      openLinkSocket: () => closedAfterWelcome(reason),
      pause: async (ms: number, signal: AbortSignal) => {
        // All others are waits of a connection, until it ends.
        const isBetween = ms % 700 === 0;
        if (isBetween) waits.push(ms / 700);
        if (waits.length === expected.length) enough.resolve();
        else if (isBetween) return;
        await aborted(signal);
      },
    } as unknown as UplinkNeeds;
    const uplink = createUplink(needs);
    await uplink.restart();
    await enough.promise;
    const { lastError } = (await uplink.status()) ?? {};
    await uplink.stop();
    expect(waits).toEqual(expected);
    expect(lastError).toBe(reason && `the cloud has ended the connection: ${reason}`);
  },
);

test("of several restarts at once one connection is left, and a stop ends it", async () => {
  const signals: AbortSignal[] = [];
  const needs = {
    linkIntakes: PLAIN_INTAKES,
    now: () => 0,
    random: () => 1,
    log: { info: () => {}, warn: () => {} },
    seal: { open: (text: string) => text },
    uplinks: { get: async () => ({ url: "https://cloud.example", credential: "c" }) },
    onTurn: () => {},
    openLinkSocket: (_url: string, _credential: string, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("the gateway stops"))));
    },
    pause: async () => {},
  } as unknown as UplinkNeeds;
  const uplink = createUplink(needs);
  await Promise.all([uplink.restart(), uplink.restart(), uplink.restart()]);
  await new Promise(setImmediate);
  expect(signals.filter(({ aborted }) => !aborted)).toHaveLength(1);
  await uplink.stop();
  expect(signals.filter(({ aborted }) => !aborted)).toHaveLength(0);
});
