// One connection of a gateway to its cloud, from hello to its end. The gateway sends what changed and accepts
// executions, both at the same time.

import type { ExecutionChange } from "#core/command/remote-execution.ts";
import type { AskedChange } from "#core/link/asked-change.ts";
import { fitChange, fitOutcome, fitRecord } from "#core/link/fit-record.ts";
import { MAX_CONNECTIVITY } from "#core/link/link-limits.ts";
import { type LinkedToken, recordOf } from "#core/link/linked-token.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import {
  type DownMessage,
  type ExecutionOrder,
  LINK_PROTOCOL,
  type LinkedItem,
  type UpMessage,
} from "#core/link/messages.ts";
import { requireProtocol } from "#core/link/protocol.ts";
import type { RefusedRecord } from "#core/link/refused-record.ts";
import {
  mustWait,
  NOTHING_SENT,
  sendAfter,
  takenByCloud,
  withAck,
  withNoted,
  withSent,
  withSentTo,
  withWhole,
} from "#core/link/sent-changes.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { type AcceptNeeds, acceptOrder } from "#service/link/accept-order.ts";
import { createWake } from "#service/link/create-wake.ts";
import type { LinkChannel } from "#service/link/link-channel.ts";
import type { OfflineAccess } from "#service/link/offline-access.ts";
import { type ReadLinkedNeeds, readEverythingLinked, readLinkedChanges } from "#service/link/read-linked.ts";
import { createRotation, type RotationNeeds } from "#service/link/rotate-credential.ts";
import { LineLost, type TakeChangeNeeds, takeChange } from "#service/link/take-change.ts";
import { type UploadTelemetryNeeds, uploadTelemetry } from "#service/link/upload-telemetry.ts";
import type { Needs } from "#service/ports.ts";

export interface TalkNeeds
  extends AcceptNeeds,
    ReadLinkedNeeds,
    UploadTelemetryNeeds,
    TakeChangeNeeds,
    RotationNeeds,
    Pick<Needs, "outbox" | "tokens"> {
  readonly authenticator: Pick<Authenticator, "forget">;
  readonly offlineAccess: Pick<OfflineAccess, "follow">;
  /** Tokens of the cloud are of no use here. */
  readonly takesTokens: boolean;
  readonly connectivity: Pick<Connectivity, "status">;
  readonly version: string;
}

export interface Talk {
  /** The gateway has signed in with the credential before the present one. */
  readonly isFormer: boolean;
  /** Called once the cloud has accepted the gateway. */
  onWelcome(): void;
  /** Called with all records that the cloud does not take, when that has changed. */
  onRefused(records: readonly RefusedRecord[]): void;
  /** Called when the cloud has stored everything up to this number. */
  onTaken(number: number): void;
}

/** Changes without an event are noticed after this time. */
const LOOK_AGAIN_MS = 500;
/** With this many bytes about, a message has far fewer values than the cloud takes at once. */
const MESSAGE_BYTES = 256 * 1024;
const MAX_ASKED = 100;
/** What the cloud asks for at the same time. More is read when some of it is done. */
const MAX_WORKING = 1_000;
/** Longer than it takes until the start of a command is recorded. */
const ANSWER_WITHIN_MS = 50;
/** The cloud may wait until another of its nodes has left the gateway. */
const WELCOME_WITHIN_MS = 60_000;

/** Resolves when the connection has ended; rejects when the cloud says something that cannot be read. */
export async function talkToCloud(
  needs: TalkNeeds,
  channel: LinkChannel<UpMessage, DownMessage>,
  talk: Talk,
): Promise<void> {
  const end = new AbortController();
  const awake = createWake();
  const confirmed = createWake();
  /** Called when a piece of work has ended. */
  const done = createWake();
  let sentChanges = NOTHING_SENT;
  const working = new Set<Promise<void>>();
  const accepting = new Set<Promise<unknown>>();
  /** Accepted orders whose answer waits until something is reported of them. */
  const unanswered = new Map<string, AbortController>();
  let failure: unknown;
  /** Changes are made one after the other. */
  let lastChange: Promise<void> = Promise.resolve();
  /** Packages that were asked for. */
  const wanted = new Map<string, PromiseWithResolvers<Uint8Array>>();
  const rotation = createRotation(needs, { send: channel.send, isFormer: talk.isFormer });
  /** Whether the cloud has sent its tokens. */
  let hasTokens = false;
  const telemetry = uploadTelemetry(needs, { send: channel.send, signal: end.signal });

  function start(work: Promise<void>): void {
    const supervised = work
      .catch((error: unknown) => {
        if (!end.signal.aborted) failure ??= error;
        channel.close("the gateway cannot go on");
      })
      .finally(() => {
        working.delete(supervised);
        done.call();
      });
    working.add(supervised);
  }

  function reportTaken(): void {
    const taken = takenByCloud(sentChanges);
    if (taken > 0) talk.onTaken(taken);
  }

  function noteConfirmed(number: number | undefined): void {
    if (number !== undefined) start(needs.uplinks.confirm(number));
  }

  async function sendRecords(message: Extract<UpMessage, { type: "records" }>): Promise<void> {
    while (mustWait(sentChanges) && !end.signal.aborted) await confirmed.next();
    sentChanges = withSent(sentChanges);
    await channel.send(message);
  }

  /** A record that is too large for a message is sent as far as it fits. */
  async function* fitting(items: AsyncIterable<LinkedItem> | Iterable<LinkedItem>): AsyncIterable<LinkedItem> {
    for await (const given of items) {
      const { item, leftOut } = fitRecord(given);
      const { kind, key } = given;
      if (leftOut !== undefined)
        needs.log.warn({ kind, key, leftOut }, "a record is too large to be sent to the cloud");
      if (item !== undefined) yield item;
    }
  }

  async function sendEverything(epoch: string): Promise<number> {
    const to = await needs.uplinks.latest();
    // A cloud that knows nothing of these records has none of their telemetry.
    await needs.telemetryLane.uploadAgain();
    for await (const items of inPieces(fitting(readEverythingLinked(needs, to)))) {
      await sendRecords({ type: "records", to: 0, isWhole: true, isLast: false, items });
    }
    sentChanges = withWhole(sentChanges, { to, epoch });
    await sendRecords({ type: "records", to, isWhole: true, isLast: true, items: [] });
    return to;
  }

  async function sendChanges({
    taken,
    epoch,
    unpacks,
  }: Pick<Extract<DownMessage, { type: "welcome" }>, "taken" | "epoch" | "unpacks">): Promise<void> {
    let at = taken ?? (await sendEverything(epoch));
    let isTelemetryStarted = false;
    for (let isFirst = taken !== null; !end.signal.aborted; isFirst = false) {
      const { items, to, isLast } = await readLinkedChanges(needs, at);
      if (items.length > 0 || isFirst) {
        let pieces: LinkedItem[][] = [];
        for await (const piece of inPieces(fitting(items))) pieces.push(piece);
        if (pieces.length === 0) pieces = [[]];
        for (const [place, piece] of pieces.entries()) {
          const isEnd = place === pieces.length - 1;
          await sendRecords({
            type: "records",
            to: isEnd ? to : at,
            isWhole: false,
            isLast: isEnd && isLast,
            items: piece,
          });
          for (const { kind, key } of piece) if (kind === "execution") unanswered.get(key)?.abort("reported");
        }
      }
      at = to;
      sentChanges = withSentTo(sentChanges, to);
      reportTaken();
      // Once the cloud knows the devices.
      if (isLast && !isTelemetryStarted) start(telemetry.run(unpacks));
      isTelemetryStarted ||= isLast;
      if (isLast) await awake.next((over) => needs.pause(LOOK_AGAIN_MS, over));
    }
  }

  async function sendConnectivity(deviceIds: Iterable<string>): Promise<void> {
    const devices = Array.from(deviceIds, (id) => [id, needs.connectivity.status(id)] as const);
    for (let at = 0; at < devices.length; at += MAX_CONNECTIVITY) {
      await channel.send({ type: "connectivity", devices: devices.slice(at, at + MAX_CONNECTIVITY) });
    }
  }

  function takeAck({ to, refused }: Extract<DownMessage, { type: "ack" }>): void {
    const { sent, completed, note } = withAck(sentChanges, to, needs.now());
    sentChanges = sent;
    confirmed.call();
    if (refused !== undefined) talk.onRefused(refused);
    reportTaken();
    if (completed !== undefined) start(needs.uplinks.noteCloud(completed));
    noteConfirmed(note);
  }

  async function answer(message: DownMessage): Promise<void> {
    switch (message.type) {
      case "welcome":
        throw new LinkMistake("the cloud said welcome twice");
      case "ack":
        return takeAck(message);
      case "stored":
        return telemetry.stored(message.number, message.unknown);
      case "packed_stored":
        return telemetry.stored(message.number, []);
      case "execute":
        // At the same time as others: what is stored together shares a commit.
        return start(accept(message.order));
      case "change": {
        const { change, isLate } = message;
        lastChange = lastChange.then(() => makeChange(change, isLate));
        return start(lastChange);
      }
      case "tokens":
        return start(takeTokens(message.tokens));
      case "rotate":
        return start(rotation.begin());
      case "credential":
        return start(rotation.accepted(message.hash));
      case "package":
        return wanted.get(message.digest)?.resolve(message.content);
      case "ask": {
        // An order that came before is known only when it is stored.
        await Promise.allSettled(accepting);
        const unknown: string[] = [];
        for await (const changes of inPieces(wholeOnes(message.executions.slice(0, MAX_ASKED), unknown))) {
          await channel.send({ type: "executions", changes, unknown: [] });
        }
        if (unknown.length > 0) await channel.send({ type: "executions", changes: [], unknown });
        return;
      }
    }
  }

  async function* wholeOnes(ids: readonly string[], unknown: string[]): AsyncIterable<ExecutionChange> {
    for (const id of ids) {
      const change = await needs.executions.whole(id);
      if (change === undefined) unknown.push(id);
      else yield fitChange(change);
    }
  }

  async function accept(order: ExecutionOrder): Promise<void> {
    const accepted = acceptOrder(needs, order);
    accepting.add(accepted);
    const refused = (await accepted.finally(() => accepting.delete(accepted))) ?? null;
    if (refused === null && !end.signal.aborted) await untilReported(order.id);
    await channel.send({ type: "answer", id: order.id, refused });
  }

  /**
   * Most commands end within a moment. The report of the end also says that the order was accepted, so the cloud stores
   * both with one commit. For the cloud the answer is late, as over a slow line.
   */
  async function untilReported(id: string): Promise<void> {
    const reported = new AbortController();
    unanswered.set(id, reported);
    await needs.pause(ANSWER_WITHIN_MS, reported.signal);
    unanswered.delete(id);
  }

  async function takeTokens(given: readonly LinkedToken[]): Promise<void> {
    const now = needs.now();
    const tokens = needs.takesTokens ? given.map((token) => recordOf(token, now)) : [];
    for (const id of await needs.tokens.putOfCloud(tokens)) needs.authenticator.forget(id);
    if (hasTokens) return;
    // Before that, a token may have been revoked that this gateway still has.
    hasTokens = true;
    start(needs.offlineAccess.follow(end.signal));
  }

  async function makeChange(change: AskedChange, isLate: boolean): Promise<void> {
    if (end.signal.aborted) return;
    const { outcome, items } = await takeChange(needs, { change, isLate, fetchPackage });
    const fitted: LinkedItem[] = [];
    for await (const item of fitting(items)) fitted.push(item);
    await channel.send({ type: "changed", id: change.id, outcome: fitOutcome(outcome), items: fitted });
  }

  async function fetchPackage(digest: string): Promise<Uint8Array> {
    const fetched = Promise.withResolvers<Uint8Array>();
    wanted.set(digest, fetched);
    try {
      await channel.send({ type: "want", digest });
      return await fetched.promise;
    } catch (error) {
      throw new LineLost("the connection has ended", { cause: error });
    } finally {
      wanted.delete(digest);
    }
  }

  const epoch = await needs.uplinks.epoch();
  await channel.send({ type: "hello", protocol: LINK_PROTOCOL, version: needs.version, epoch });
  const changedConnectivity = new Set<string>();
  const unwatch = needs.outbox.watch(
    (event) => {
      if (event.kind === "connectivity") changedConnectivity.add(event.deviceId);
      // What becomes of a new execution is reported with its next change, or in a moment.
      if (event.kind !== "execution" || !("execution" in event) || event.execution.state !== "NEW") awake.call();
    },
    await needs.outbox.latest(),
  );
  let isWelcome = false;
  async function requireWelcome(): Promise<void> {
    await needs.pause(WELCOME_WITHIN_MS, end.signal);
    if (!isWelcome && !end.signal.aborted)
      throw new Error(`the cloud has said nothing for ${WELCOME_WITHIN_MS / 1_000} s`);
  }
  try {
    start(requireWelcome());
    for await (const message of channel.messages) {
      if (isWelcome) {
        await answer(message);
        while (working.size > MAX_WORKING) await done.next();
        continue;
      }
      if (message.type !== "welcome") throw new LinkMistake("the cloud did not say welcome first");
      isWelcome = true;
      requireProtocol(message);
      talk.onWelcome();
      talk.onRefused(message.refused);
      const { confirmed: atLeast = 0, cloudEpoch } = (await needs.uplinks.get()) ?? {};
      const own = { confirmed: atLeast, cloudEpoch, latest: await needs.uplinks.latest() };
      start(sendChanges({ ...message, taken: sendAfter(message, own) }));
      start(followConnectivity());
      start(rotation.follow(end.signal));
    }
  } finally {
    unwatch();
    end.abort();
    // A gateway that starts without the line knows by it what is left to send.
    noteConfirmed(withNoted(sentChanges).note);
    awake.call();
    confirmed.call();
    telemetry.end();
    for (const waiting of unanswered.values()) waiting.abort("ended");
    for (const { reject } of wanted.values()) reject(new LineLost("the connection has ended"));
    await Promise.all(working);
  }
  if (failure !== undefined) throw failure;

  async function followConnectivity(): Promise<void> {
    const all: string[] = [];
    for (let offset = 0; ; offset += 1_000) {
      const page = await needs.devices.list({ scope: "all" }, { limit: 1_000, offset });
      all.push(...page.items.map(({ id }) => id));
      if (page.items.length < 1_000) break;
    }
    await sendConnectivity(all);
    while (!end.signal.aborted) {
      await needs.pause(LOOK_AGAIN_MS, end.signal);
      const changed = [...changedConnectivity];
      changedConnectivity.clear();
      await sendConnectivity(changed);
    }
  }
}

async function* inPieces<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterable<Item[]> {
  let piece: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const size = approximateBytes(item);
    if (piece.length > 0 && bytes + size > MESSAGE_BYTES) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}
