import { expect, test } from "vitest";
import type { DownMessage, UpMessage } from "#core/link/messages.ts";
import { createTelemetrySpool } from "#core/link/telemetry-spool.ts";
import { type TalkNeeds, talkToCloud } from "./talk-to-cloud.ts";

const NOTHING = async () => ({ items: [], total: 0 });

/** Lets the cloud say welcome with this number, and gives what the gateway says until it has told its records. */
async function saidAfter(
  taken: number | null,
  { latest, confirmed, cloudEpoch }: { latest: number; confirmed: number; cloudEpoch: string },
): Promise<readonly UpMessage[]> {
  const said: UpMessage[] = [];
  const told = Promise.withResolvers<void>();
  async function* messages(): AsyncIterable<DownMessage> {
    yield { type: "welcome", protocol: "1.7", version: "9", epoch: cloudEpoch, taken };
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
      get: async () => ({ confirmed, cloudEpoch: "c", joinedAt: 0 }),
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
  ["goes on from the number that the cloud has", 5, "c", false],
  ["tells everything to a cloud that has nothing of it", null, "c", true],
  ["tells everything when the cloud has more than there is: the records were replaced by older ones", 9, "c", true],
  ["tells everything to a cloud that has less than it once confirmed: it was replaced by an older one", 3, "c", true],
  ["tells everything to a cloud whose records are others than those that had everything", 5, "other", true],
])("a gateway %s", async (_, taken, cloudEpoch, isWhole) => {
  const latest = 5;
  const [hello, records] = await saidAfter(taken, { latest, confirmed: 4, cloudEpoch });
  expect(hello).toEqual({ type: "hello", protocol: "1.1", version: "1", epoch: "e" });
  expect(records).toEqual({ type: "records", to: latest, isWhole, isLast: true, items: [] });
});
