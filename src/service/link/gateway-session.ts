// One connection of a gateway to this cloud: stores what the gateway sends, asks for what is unknown, and hands over
// commands and changes.

import type { ExecutionChange, Merge } from "#core/command/remote-execution.ts";
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
import { LinkMistake } from "#core/link/message-fields.ts";
import { type DownMessage, LINK_PROTOCOL, type LinkedItem, type UpMessage } from "#core/link/messages.ts";
import { requireProtocol } from "#core/link/protocol.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { callOf, forgetOthers, type SourceGateway } from "#service/link/apply-linked.ts";
import { createAskedExecutions } from "#service/link/asked-executions.ts";
import { createConfirmations } from "#service/link/confirmations.ts";
import type { ChangeLane, GatewayChanges } from "#service/link/gateway-changes.ts";
import { createGatewayDevices } from "#service/link/gateway-devices.ts";
import { createGatewayOrders, type GatewayOrders, type OrderNeeds } from "#service/link/gateway-orders.ts";
import type { LinkChannel } from "#service/link/link-channel.ts";
import { loseSightOf } from "#service/link/open-elsewhere.ts";
import { createRefusals } from "#service/link/refusals.ts";
import type { TokenSharing } from "#service/link/share-tokens.ts";
import { createRecordIntake, type TakeRecordsNeeds } from "#service/link/take-records.ts";
import { hasRoomToUnpack, type TakeTelemetryNeeds, takeTelemetry } from "#service/link/take-telemetry.ts";
import type { Needs } from "#service/ports.ts";

export interface SessionNeeds
  extends Omit<TakeRecordsNeeds, "connectivity" | "dispatcher" | "log">,
    TakeTelemetryNeeds,
    OrderNeeds,
    Pick<Needs, "uplinks"> {
  readonly dispatcher: CommandDispatcher;
  readonly connectivity: Connectivity;
  readonly version: string;
  /** What one gateway may have here. */
  readonly linkedLimits: { readonly sites: number; readonly devices: number; readonly series: number };
  readonly gatewayChanges: Pick<GatewayChanges, "open">;
  readonly tokenSharing: Pick<TokenSharing, "open">;
  readonly log: { info(about: object, text: string): void; warn(about: object, text: string): void };
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

export function createGatewaySession(
  needs: SessionNeeds,
  gateway: Gateway,
  channel: LinkChannel<DownMessage, UpMessage>,
  {
    lost,
    onWay,
    onTakeover,
  }: {
    /** Fires when another node may talk to the gateway. From then on nothing is noted here. */
    readonly lost: AbortSignal;
    /** Called with each device that gets commands over this connection from now on. */
    readonly onWay: (deviceId: string) => void;
    /** Called with the gateway whose site this one has taken over. */
    readonly onTakeover: (formerOwner: string) => void;
  },
): GatewaySession {
  const gatewayId = gateway.id;
  let progress = beginProgress(gateway);
  /** What a full upload has named so far. */
  let named: Set<string> | undefined;
  /** Hands over changes, once the gateway is ready. */
  let changes: ChangeLane | undefined;
  let endTokens = () => {};

  const devices = createGatewayDevices(needs, gatewayId);
  const refusals = createRefusals(needs, gatewayId);
  const orders = createGatewayOrders(needs, channel);
  const asked = createAskedExecutions(needs, gatewayId, channel.send);
  const source: SourceGateway = {
    gatewayId,
    devices: devices.sites,
    own: devices.own,
    refusedSites: refusals.sites,
    onTakeover,
  };
  const applying = { ...needs, dispatcher: { applyRemote } };
  const records = createRecordIntake(applying, source, { refusals, turn: channel.turn, ask: asked.ask, onDevice });
  const confirmations = createConfirmations(
    // A line that is gone is noticed where messages are read.
    (to) => channel.send({ type: "ack", to, ...refusals.news() }).catch(() => {}),
    (error) => fail(error, "what a gateway has sent cannot be confirmed"),
  );
  const telemetry = takeTelemetry(needs, {
    devices: devices.sites,
    send: channel.send,
    turn: channel.turn,
    maxSeries: needs.linkedLimits.series,
    async refused(deviceId, reason) {
      refusals.add({ kind: "telemetry", key: deviceId }, reason);
      await refusals.store();
    },
    fail(error) {
      const reason = error instanceof LinkMistake ? error.message : "the cloud cannot store telemetry";
      fail(error, "telemetry of a gateway cannot be stored", reason);
    },
  });

  function fail(error: unknown, text: string, reason = "the cloud cannot go on"): void {
    needs.log.warn({ gatewayId, err: error }, text);
    channel.close(reason);
  }

  async function applyRemote(change: ExecutionChange): Promise<Merge> {
    const merge = await needs.dispatcher.applyRemote(change);
    orders.reported(change.execution.id);
    return merge;
  }

  function onDevice(deviceId: string, isThere: boolean): void {
    devices.noteEarly(deviceId);
    if (progress.stage === "ready" && isThere) onWay(deviceId);
  }

  async function talk(): Promise<void> {
    await devices.read();
    await records.read();
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
        return await changes?.settled(message);
      case "want":
        return await changes?.wanted(message.digest);
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
    // It was refused a site that it may have now: what was left out has to come again.
    const mustRepeat = await refusals.open();
    progress = withHello(progress, { ...hello, mustRepeat });
    // Also when no epoch is noted: a first upload that broke off may have left revisions of records that were replaced since.
    if (hasOtherRecords(progress)) await forgetRevisions();
    await note();
    const { taken } = progress;
    await channel.send({
      type: "welcome",
      protocol: LINK_PROTOCOL,
      version: needs.version,
      epoch: await needs.uplinks.epoch(),
      taken: taken > 0 ? taken : null,
      unpacks: hasRoomToUnpack(needs.liveBudget),
      refused: refusals.all(),
    });
    devices.connected();
    needs.log.info({ gatewayId, version: hello.version }, "a gateway has connected");
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
    await note();
    for (const deviceId of devices.sites.keys()) {
      onWay(deviceId);
      needs.dispatcher.deviceReachable(deviceId);
    }
    await openDown();
  }

  /** What goes down the line, beside commands. */
  async function openDown(): Promise<void> {
    const copy = (items: readonly LinkedItem[]) => records.take(items);
    const { lane, done } = needs.gatewayChanges.open({ gatewayId, send: channel.send, copy });
    changes = lane;
    done.catch((error: unknown) => fail(error, "changes cannot be handed over to a gateway"));
    endTokens = needs.tokenSharing.open({ gatewayId, send: channel.send });
    // Read again: it may have been asked for since the gateway signed in.
    const { mustRotate } = (await needs.gateways.find(gatewayId)) ?? {};
    if (mustRotate === true) await channel.send({ type: "rotate" });
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
      changes?.close();
      endTokens();
      orders.abandon();
      devices.leave(lost.aborted);
      await loseSightOf(needs, gatewayId, lost);
      if (!lost.aborted) await needs.gateways.noteGone(gatewayId);
      needs.log.info({ gatewayId }, "a gateway has disconnected");
    },
    orders,
    // A line that fails is closed, and what was asked is asked again over the next one.
    ask: (executionId) => void asked.ask([executionId]).catch(() => {}),
    rotate: () => {
      if (changes !== undefined) void channel.send({ type: "rotate" }).catch(() => {});
    },
    close: channel.close,
  };
}
