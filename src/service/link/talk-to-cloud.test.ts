import { expect, test } from "vitest";
import type { DownMessage, UpMessage } from "#core/link/messages.ts";
import { createTelemetrySpool } from "#core/link/telemetry-spool.ts";
import { type TalkNeeds, talkToCloud } from "./talk-to-cloud.ts";

const NOTHING = async () => ({ items: [], total: 0 });

/** Lets the cloud say welcome with this number, and gives what the gateway says until it has told its records. */
async function saidAfter(taken: number | null, latest: number, confirmed = 0): Promise<readonly UpMessage[]> {
  const said: UpMessage[] = [];
  const told = Promise.withResolvers<void>();
  async function* messages(): AsyncIterable<DownMessage> {
    yield { type: "welcome", protocol: "1.7", version: "9", taken };
    await told.promise;
  }
  /** A gateway without telemetry. */
  const telemetryLane = {
    spool: createTelemetrySpool(1_024),
    retell: async () => {},
    history: () => undefined,
    listen: () => () => {},
    tidy: async () => {},
    leave: async () => {},
  };
  const needs = {
    version: "1",
    now: () => 0,
    telemetryLane,
    offlineAccess: { follow: async () => {} },
    credentialLifetimeMs: Number.POSITIVE_INFINITY,
    pause: (_ms: number, signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    connectivity: { status: () => "UNKNOWN" },
    outbox: { latest: async () => 0, watch: () => () => {} },
    sites: { list: NOTHING },
    devices: { list: NOTHING },
    blueprints: { list: NOTHING },
    alerts: { list: NOTHING },
    audit: { list: NOTHING },
    executions: { changesAfter: async (next: number) => ({ changes: [], next, latest: next }) },
    uplinks: {
      epoch: async () => "e",
      get: async () => ({ confirmed, joinedAt: 0 }),
      latest: async () => latest,
      changesAfter: async () => ({ keys: [], upTo: latest }),
      amongChanged: async () => [],
    },
  } as unknown as TalkNeeds;
  const channel = {
    messages: messages(),
    close: () => {},
    send: async (message: UpMessage) => {
      said.push(message);
      if (message.type === "records" && message.isLast) told.resolve();
    },
  };
  await talkToCloud(needs, channel, { onWelcome: () => {}, onTaken: () => {} });
  return said;
}

test.each([
  ["goes on from the number that the cloud has", 5, 5, false],
  ["tells everything to a cloud that has nothing of it", null, 5, true],
  ["tells everything when the cloud has more than there is: the records were replaced by older ones", 9, 5, true],
  ["tells everything to a cloud that has less than it once confirmed: it was replaced by an older one", 3, 5, true],
])("a gateway %s", async (_, taken, latest, isWhole) => {
  const [hello, records] = await saidAfter(taken, latest, 4);
  expect(hello).toEqual({ type: "hello", protocol: "1.1", version: "1", epoch: "e" });
  expect(records).toEqual({ type: "records", to: latest, isWhole, isLast: true, items: [] });
});
