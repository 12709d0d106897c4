// One connection of a gateway to this cloud: stores what the gateway sends, asks for what is unknown, and hands over
// commands and changes.

import type { Gateway } from "#core/link/gateway.ts";
import {
  beginProgress,
  hasOtherRecords,
  hasPosition,
  isRestored,
  positionOf,
  requireInTurn,
  withEverythingAnswered,
  withHello,
  withRecords,
} from "#core/link/gateway-progress.ts";
import { type DownMessage, LINK_PROTOCOL, type UpMessage } from "#core/link/messages.ts";
import { requireProtocol } from "#core/link/protocol.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { callOf, forgetOthers } from "#service/link/apply-linked.ts";
import { createDownLane, type DownLaneNeeds } from "#service/link/down-lane.ts";
import { type GatewayIntakeNeeds, openGatewayIntake } from "#service/link/gateway-intake.ts";
import type { GatewayOrders } from "#service/link/gateway-orders.ts";
import type { LinkChannel } from "#service/link/link-channel.ts";
import type { LinkTurns } from "#service/link/link-turns.ts";
import { loseSightOf } from "#service/link/open-elsewhere.ts";
import { hasRoomToUnpack } from "#service/link/take-telemetry.ts";
import type { Needs } from "#service/ports.ts";

export interface SessionNeeds extends GatewayIntakeNeeds, DownLaneNeeds, Pick<Needs, "uplinks"> {
  readonly version: string;
  readonly linkTurns: LinkTurns;
}

export interface GatewaySession {
  /** Resolves when the connection has ended, and throws a LinkMistake when the gateway breaks the protocol. */
  talk(): Promise<void>;
  /** After the connection: what nobody reports any longer is unknown, unless another node may know it. */
  leave(): Promise<void>;
  readonly orders: Pick<GatewayOrders, "give">;
  /** Asks what became of an execution. */
  ask(executionId: string): void;
  /** Asks the gateway to change its credential. */
  rotate(): void;
  close(reason: string): void;
}

type Message<Type extends UpMessage["type"]> = Extract<UpMessage, { type: Type }>;

interface SessionHooks {
  /** Fires when another node may talk to the gateway. From then on nothing is noted here. */
  readonly lost: AbortSignal;
  /** Called with each device that gets commands over this connection from now on. */
  readonly onWay: (deviceId: string) => void;
  /** Called with the gateway whose site this one has taken over. */
  readonly onTakeover: (formerOwner: string) => void;
}

export function createGatewaySession(
  needs: SessionNeeds,
  gateway: Gateway,
  channel: LinkChannel<DownMessage, UpMessage>,
  { lost, onWay, onTakeover }: SessionHooks,
): GatewaySession {
  const gatewayId = gateway.id;
  const inTurn = <Result>(work: () => Promise<Result>) => needs.linkTurns.run(gatewayId, work);
  let progress = beginProgress(gateway);
  /** What a full upload has named so far. */
  let named: Set<string> | undefined;

  function fail(error: unknown, text: string, reason = "the cloud cannot go on"): void {
    needs.log.warn({ gatewayId, err: error }, text);
    channel.close(reason);
  }

  function onDevice(deviceId: string, isThere: boolean): void {
    devices.noteEarly(deviceId);
    if (progress.stage === "ready" && isThere) onWay(deviceId);
  }

  const intake = openGatewayIntake(needs, { gatewayId, channel, onTakeover, onDevice, fail });
  const { devices, refusals, orders, asked, source, records, confirmations, telemetry } = intake;
  const down = createDownLane(needs, { gatewayId, send: channel.send, copy: (items) => records.take(items), fail });

  async function talk(): Promise<void> {
    for await (const message of channel.messages) {
      if (lost.aborted) return;
      requireInTurn(progress, message.type);
      await hear(message);
    }
  }

  async function hear(message: UpMessage): Promise<void> {
    switch (message.type) {
      case "hello":
        return await welcome(message);
      case "records":
        await takeRecords(message);
        return await settle();
      case "executions":
        await takeExecutions(message);
        return await settle();
      case "answer":
        return orders.answered(message.id, message.refused);
      case "changed":
        records.refuseUnreadable(message);
        return await down.settled(message);
      case "reply":
        return down.replied(message);
      case "want":
        return await down.wanted(message.digest);
      case "credential":
        return await takeCredential(message);
      case "leave":
        return await takeLeave();
      case "points":
      case "packed":
      case "history":
        return await telemetry.take(message);
      case "connectivity":
        for (const [deviceId, status] of message.devices) devices.note(deviceId, status);
    }
  }

  async function welcome(hello: Message<"hello">): Promise<void> {
    requireProtocol(hello);
    const epoch = await inTurn(() => prepare(hello));
    const { taken } = progress;
    await channel.send({
      type: "welcome",
      protocol: LINK_PROTOCOL,
      version: needs.version,
      epoch,
      taken: taken > 0 ? taken : null,
      unpacks: hasRoomToUnpack(needs.liveBudget),
      now: needs.now(),
      refused: refusals.all(),
    });
    devices.connected();
    needs.log.info({ gatewayId, version: hello.version }, "a gateway has connected");
  }

  /** Reads what the gateway has here. */
  async function prepare(hello: Message<"hello">): Promise<string> {
    await Promise.all([devices.read(), records.read()]);
    // It was refused a site that it may have now: what was left out has to come again.
    const mustRepeat = await refusals.open();
    progress = withHello(progress, { ...hello, mustRepeat });
    // Also when no epoch is noted: a first upload that broke off may have left revisions of records that were replaced since.
    if (hasOtherRecords(progress)) await forgetRevisions();
    const [epoch] = await Promise.all([needs.uplinks.epoch(), note()]);
    return epoch;
  }

  async function forgetRevisions(): Promise<void> {
    await loseSightOf(needs, gatewayId, lost);
    for (const siteId of await needs.gateways.sites(gatewayId)) await needs.executions.forgetRevisions(siteId);
  }

  async function note(): Promise<void> {
    await needs.gateways.noteTaken(gatewayId, { ...positionOf(progress), at: needs.now() });
  }

  async function takeRecords(message: Message<"records">): Promise<void> {
    const { isWhole, isLast, to } = message;
    const { stage } = progress;
    if (isWhole) named ??= new Set();
    records.refuseUnreadable(message, named);
    await records.take(message.items, named);
    if (isWhole && isLast && named !== undefined) {
      await forgetOthers(needs, source, named);
      named = undefined;
    }
    progress = withRecords(progress, message);
    // The next message is read meanwhile: what it changes shares a commit with the position.
    confirmations.add(hasPosition(message) ? note() : undefined, to);
    await (progress.stage === stage ? confirmations.room() : confirmations.settled());
  }

  async function takeExecutions({ changes, unknown }: Message<"executions">): Promise<void> {
    for (const change of changes) {
      await channel.turn();
      await records.take([{ kind: "execution", key: change.execution.id, value: change }]);
      asked.answered(change.execution.id);
    }
    await asked.unknown(unknown, isRestored(progress));
  }

  /** When nothing is left to ask for, the gateway gets commands and changes. */
  async function settle(): Promise<void> {
    if (progress.stage !== "asked" || (await asked.askNext())) return;
    progress = withEverythingAnswered(progress);
    await inTurn(note);
    const deviceIds = [...devices.sites.keys()];
    for (const deviceId of deviceIds) onWay(deviceId);
    needs.dispatcher.devicesReachable(deviceIds);
    await down.open();
    await inTurn(() => needs.reportedControls.gatewayChanged(gatewayId));
  }

  async function takeCredential({ hash, isUsed }: Message<"credential">): Promise<void> {
    const bytes = Buffer.from(hash, "hex");
    if (isUsed) {
      await needs.gateways.settleCredential(gatewayId, bytes);
      needs.log.info({ gatewayId }, "a gateway has another credential");
    } else {
      await needs.gateways.acceptCredential(gatewayId, bytes);
      await channel.send({ type: "credential", hash });
    }
  }

  /** Its sites stay as they were last reported, as those of a gateway whose access was revoked. */
  async function takeLeave(): Promise<void> {
    const trail = auditTrail(needs, callOf(source, "leaveCloud"), { target: {}, details: { gateway_id: gatewayId } });
    await needs.gateways.revoke(gatewayId, needs.now(), trail);
    needs.log.info({ gatewayId }, "a gateway has left");
    channel.close("the gateway has left");
  }

  return {
    talk,
    async leave() {
      await confirmations.settled();
      await telemetry.end();
      down.close();
      orders.abandon();
      devices.leave(lost.aborted);
      await inTurn(async () => {
        await loseSightOf(needs, gatewayId, lost);
        if (lost.aborted) return;
        await needs.gateways.noteGone(gatewayId, needs.now());
        await needs.reportedControls.gatewayChanged(gatewayId);
      });
      needs.log.info({ gatewayId }, "a gateway has disconnected");
    },
    orders,
    // A line that fails is closed, and what was asked is asked again over the next one.
    ask: (executionId) => void asked.ask([executionId]).catch(() => {}),
    rotate: down.rotate,
    close: channel.close,
  };
}
