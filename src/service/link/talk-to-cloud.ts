// One connection of a gateway to its cloud, from hello to its end. The gateway sends what changed and accepts
// executions, both at the same time.

import { type LinkedToken, recordOf } from "#core/link/linked-token.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import { type DownMessage, LINK_PROTOCOL, type UpMessage } from "#core/link/messages.ts";
import { requireProtocol } from "#core/link/protocol.ts";
import type { RefusedRecord } from "#core/link/refused-record.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { type AnswerQuestionsNeeds, answerQuestions } from "#service/link/answer-questions.ts";
import { openLine } from "#service/link/line.ts";
import type { LinkChannel } from "#service/link/link-channel.ts";
import type { OfflineAccess } from "#service/link/offline-access.ts";
import { createRotation, type RotationNeeds } from "#service/link/rotate-credential.ts";
import type { TakeChangeNeeds } from "#service/link/take-change.ts";
import { takeChanges } from "#service/link/take-changes.ts";
import { type TakeOrdersNeeds, takeOrders } from "#service/link/take-orders.ts";
import { type UploadConnectivityNeeds, uploadConnectivity } from "#service/link/upload-connectivity.ts";
import { type UploadRecordsNeeds, uploadRecords } from "#service/link/upload-records.ts";
import { type UploadTelemetryNeeds, uploadTelemetry } from "#service/link/upload-telemetry.ts";
import type { Needs } from "#service/ports.ts";

export interface TalkNeeds
  extends TakeOrdersNeeds,
    UploadRecordsNeeds,
    UploadTelemetryNeeds,
    UploadConnectivityNeeds,
    TakeChangeNeeds,
    AnswerQuestionsNeeds,
    RotationNeeds,
    Pick<Needs, "outbox" | "tokens"> {
  readonly authenticator: Pick<Authenticator, "forget">;
  readonly offlineAccess: Pick<OfflineAccess, "follow">;
  /** Tokens of the cloud are of no use here. */
  readonly takesTokens: boolean;
  readonly version: string;
  /** Milliseconds; never set back. */
  readonly elapsed: () => number;
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

/** The cloud may wait until another of its nodes has left the gateway. */
const WELCOME_WITHIN_MS = 60_000;

/** Resolves when the connection has ended; rejects when the cloud says something that cannot be read. */
export async function talkToCloud(
  needs: TalkNeeds,
  channel: LinkChannel<UpMessage, DownMessage>,
  talk: Talk,
): Promise<void> {
  const line = openLine(channel);
  const telemetry = uploadTelemetry(needs, line);
  const orders = takeOrders(needs, line);
  /** What the clock of the cloud is ahead of the time since this program began. */
  let cloudAhead: number | undefined;
  const changes = takeChanges(needs, line, () => (cloudAhead === undefined ? undefined : needs.elapsed() + cloudAhead));
  const questions = answerQuestions(needs, line);
  const rotation = createRotation(needs, { send: line.send, isFormer: talk.isFormer });
  const changedConnectivity = new Set<string>();
  let isWelcome = false;
  /** Whether the cloud has sent its tokens. */
  let hasTokens = false;
  const records = uploadRecords(needs, line, {
    onTaken: (number) => talk.onTaken(number),
    onExecution: orders.reported,
  });

  async function answer(message: DownMessage): Promise<void> {
    switch (message.type) {
      case "welcome":
        throw new LinkMistake("the cloud said welcome twice");
      case "ack":
        if (message.refused !== undefined) talk.onRefused(message.refused);
        return records.confirmed(message.to);
      case "stored":
        return telemetry.stored(message.number, message.unknown);
      case "packed_stored":
        return telemetry.stored(message.number, []);
      case "execute":
        // At the same time as others: what is stored together shares a commit.
        return line.start(orders.accept(message.order));
      case "ask":
        return await orders.answer(message.executions);
      case "change":
        return line.start(changes.add(message.change, message.isLate));
      case "question":
        return line.start(questions.add(message.question));
      case "package":
        return changes.fetched(message.digest, message.content);
      case "tokens":
        return line.start(takeTokens(message.tokens));
      case "rotate":
        return line.start(rotation.begin());
      case "credential":
        return line.start(rotation.accepted(message.hash));
    }
  }

  async function takeTokens(given: readonly LinkedToken[]): Promise<void> {
    const now = needs.now();
    const tokens = needs.takesTokens ? given.map((token) => recordOf(token, now)) : [];
    for (const id of await needs.tokens.putOfCloud(tokens)) needs.authenticator.forget(id);
    if (hasTokens) return;
    // Before that, a token may have been revoked that this gateway still has.
    hasTokens = true;
    line.start(needs.offlineAccess.follow(line.signal));
  }

  function begin(message: DownMessage): void {
    if (message.type !== "welcome") throw new LinkMistake("the cloud did not say welcome first");
    isWelcome = true;
    requireProtocol(message);
    if (message.now !== undefined) cloudAhead = message.now - needs.elapsed();
    talk.onWelcome();
    talk.onRefused(message.refused);
    // Telemetry follows once the cloud knows the devices.
    line.start(records.run(message, () => line.start(telemetry.run(message.unpacks))));
    line.start(uploadConnectivity(needs, line, changedConnectivity));
    line.start(rotation.follow(line.signal));
  }

  async function requireWelcome(): Promise<void> {
    await needs.pause(WELCOME_WITHIN_MS, line.signal);
    if (!isWelcome && !line.signal.aborted)
      throw new Error(`the cloud has said nothing for ${WELCOME_WITHIN_MS / 1_000} s`);
  }

  const epoch = await needs.uplinks.epoch();
  await line.send({ type: "hello", protocol: LINK_PROTOCOL, version: needs.version, epoch });
  const unwatch = needs.outbox.watch(
    (event) => {
      if (event.kind === "connectivity") changedConnectivity.add(event.deviceId);
      // What becomes of a new execution is reported with its next change, or in a moment.
      if (event.kind !== "execution" || !("execution" in event) || event.execution.state !== "NEW") records.wake();
    },
    await needs.outbox.latest(),
  );
  try {
    line.start(requireWelcome());
    for await (const message of channel.messages) {
      if (isWelcome) await answer(message);
      else begin(message);
      await line.room();
    }
  } finally {
    unwatch();
    line.end();
    for (const part of [records, telemetry, orders, changes]) part.end();
    await line.settled();
  }
  line.throwFailure();
}
