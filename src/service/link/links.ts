// The gateways that are connected to this cloud. Commands to their devices go over their connections.
import type { Execution } from "#core/command/execution.ts";
import type { Gateway } from "#core/link/gateway.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import { type DownMessage, LINK_PROTOCOL, type LinkedItem, type UpMessage } from "#core/link/messages.ts";
import { parseUpMessage } from "#core/link/parse-message.ts";
import type { Background } from "#service/background.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { type ApplyNeeds, applyItem, forgetOthers } from "#service/link/apply-linked.ts";
import type { ChangeLane, GatewayChanges } from "#service/link/gateway-changes.ts";
import { createLinkChannel, type LinkChannel } from "#service/link/link-channel.ts";
import type { TokenSharing } from "#service/link/share-tokens.ts";
import { type TakeTelemetryNeeds, type TelemetryIntake, takeTelemetry } from "#service/link/take-telemetry.ts";
import { requireSameProtocol, speaks } from "#service/link/talk-to-cloud.ts";
import type { Carrier, HandOver, OutgoingCommand } from "#service/ports/carrier.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";
import type { Claim, Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";

export interface LinkNeeds
  extends Omit<ApplyNeeds, "connectivity" | "dispatcher" | "log">,
    TakeTelemetryNeeds,
    Pick<Needs, "gateways" | "copies" | "devices" | "executions" | "uplinks" | "randomBytes"> {
  readonly dispatcher: CommandDispatcher;
  readonly connectivity: Connectivity;
  readonly background: Background;
  readonly version: string;
  readonly nodes: Pick<Nodes, "claim" | "tell">;
  readonly gatewayChanges: Pick<GatewayChanges, "open">;
  readonly tokenSharing: Pick<TokenSharing, "open">;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: { info(about: object, text: string): void; warn(about: object, text: string): void };
}

export interface Links {
  /** The way to the devices of connected gateways. */
  readonly carrier: Carrier;
  /** Talks to a gateway that has signed in, until its connection ends. A former connection of it is closed. */
  serve(gateway: Gateway, socket: LinkSocket): Promise<void>;
  /** Ends the connection, because the gateway has connected to another node. */
  leaveTo(gatewayId: string): void;
  /** Ends the connection, because the gateway may no longer sign in. */
  disconnect(gatewayId: string): void;
  /** Asks the gateway to change its credential, if it is connected here. */
  rotate(gatewayId: string): void;
  /** Finds the gateways whose node has ended. Nothing is known of what they own until they are back. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

interface Session {
  readonly gatewayId: string;
  readonly channel: LinkChannel<DownMessage, UpMessage>;
  /** Site of each device of the gateway. */
  readonly devices: Map<string, string>;
  /** Those that stand for the gateway itself. */
  readonly own: Set<string>;
  /** Connectivity of devices that the gateway has not told yet. */
  readonly early: Map<string, string>;
  readonly telemetry: TelemetryIntake;
  /** Commands whose answer is missing. */
  readonly orders: Map<string, (outcome: HandOver) => void>;
  /** Hands over changes, once the gateway has told what changed on its side. */
  changes: ChangeLane | undefined;
  /** Tokens are told until then. */
  endTokens: () => void;
  /** Executions that the gateway was asked for before it gets commands. */
  readonly asked: Set<string>;
  /** The gateway has replaced its records since it was here last. What it does not know it may have run. */
  isRestored: boolean;
  /** It tells what changed, then it is asked for what is open, and then it gets commands. */
  stage: "telling" | "asked" | "ready";
}

const ASKED_AT_ONCE = 100;
/** Others refer to these. All other records are independent of each other, and those stored together share a commit. */
const FIRST: ReadonlySet<LinkedItem["kind"]> = new Set(["site", "blueprint", "device"]);
const APPLIED_TOGETHER = 256;
const MAX_EARLY = 10_000;
/** A whole telling deletes those of these kinds that it does not name. */
const NAMED: ReadonlySet<LinkedItem["kind"]> = new Set(["site", "device", "alert"]);
/** How long a gateway waits for the node that it was connected to. */
const CLAIM_TRIES = 50;
const CLAIM_EVERY_MS = 200;
/** How long after the deadline of a command its gateway may still answer whether it has accepted it. */
const ANSWER_MS = 5_000;
const NEVER = new AbortController().signal;

export function createLinks(needs: LinkNeeds): Links {
  const sessions = new Map<string, Session>();
  const ends = new Map<string, Promise<void>>();
  /** The session of each device that can be reached. */
  const ways = new Map<string, Session>();
  let isStopping = false;

  const randomNumber = () => Buffer.from(needs.randomBytes(4)).readUInt32LE();

  async function serve(gateway: Gateway, socket: LinkSocket): Promise<void> {
    const former = sessions.get(gateway.id);
    former?.channel.close("the gateway has connected again");
    await ends.get(gateway.id);
    const claim = await claimGateway(gateway.id);
    if (claim === undefined || isStopping) {
      await claim?.release();
      return socket.close(isStopping ? "the cloud stops" : "another node still talks to this gateway");
    }
    const channel: Session["channel"] = createLinkChannel(socket, parseUpMessage, randomNumber());
    const current = (await needs.gateways.find(gateway.id)) ?? gateway;
    const devices = new Map<string, string>();
    const fail = (error: unknown) => {
      needs.log.warn({ gatewayId: gateway.id, err: error }, "telemetry of a gateway cannot be stored");
      channel.close(error instanceof LinkMistake ? error.message : "the cloud cannot store telemetry");
    };
    const session: Session = {
      gatewayId: gateway.id,
      channel,
      devices,
      early: new Map(),
      telemetry: takeTelemetry(needs, { devices, send: channel.send, fail }),
      own: new Set(),
      orders: new Map(),
      changes: undefined,
      endTokens: () => {},
      asked: new Set(),
      isRestored: false,
      stage: "telling",
    };
    sessions.set(gateway.id, session);
    claim.lost.addEventListener("abort", () => session.channel.close("this node has lost the database"));
    const ended = talkUntilEnd(session, current, claim);
    ends.set(
      gateway.id,
      ended.catch(() => {}),
    );
    try {
      await ended;
    } catch (error) {
      const reason = error instanceof LinkMistake ? error.message : "the cloud cannot go on";
      needs.log.warn({ gatewayId: gateway.id, err: error }, "the link to a gateway has failed");
      socket.close(reason);
    }
  }

  async function talkUntilEnd(session: Session, gateway: Gateway, claim: Claim): Promise<void> {
    try {
      await talk(session, gateway);
    } finally {
      await session.telemetry.idle();
      try {
        await leave(session);
      } finally {
        // Only now may another node talk to it: what is unknown here must not hide what it tells there.
        await claim.release();
      }
    }
  }

  /** One node talks to a gateway at a time. A former one is asked to leave. */
  async function claimGateway(gatewayId: string): Promise<Claim | undefined> {
    for (let tries = 0; tries < CLAIM_TRIES && !isStopping; tries++) {
      const claim = await needs.nodes.claim(`gateway ${gatewayId}`);
      if (claim !== undefined) return claim;
      needs.nodes.tell({ kind: "gateway", id: gatewayId });
      await needs.pause(CLAIM_EVERY_MS, NEVER);
    }
    return undefined;
  }

  async function talk(session: Session, gateway: Gateway): Promise<void> {
    const { channel } = session;
    for (const deviceId of await needs.gateways.devices(gateway.id)) {
      const device = await needs.devices.find(deviceId);
      if (device === undefined) continue;
      session.devices.set(deviceId, device.siteId);
      if (device.type === "GATEWAY") session.own.add(deviceId);
    }
    let taken = gateway.taken;
    let hello: Extract<UpMessage, { type: "hello" }> | undefined;
    /** The new epoch counts once everything is settled that the gateway may have lost. Else a cut would hide the loss. */
    const note = async (said: Extract<UpMessage, { type: "hello" }>) => {
      const epoch = session.stage === "ready" ? said.epoch : gateway.epoch;
      await needs.gateways.noteTaken(gateway.id, { version: said.version, epoch, taken, at: needs.now() });
    };
    const settle = async (said: Extract<UpMessage, { type: "hello" }>) => {
      if (session.stage !== "asked" || session.asked.size > 0) return;
      session.stage = "ready";
      await note(said);
      open(session);
      if (speaks(said.protocol, 1)) await openDown(session, gateway);
    };
    /** What a whole telling has named so far. */
    let named: Set<string> | undefined;
    for await (const message of channel.messages) {
      if (hello === undefined) {
        if (message.type !== "hello") throw new LinkMistake("the gateway did not say hello first");
        requireSameProtocol(message);
        hello = message;
        const isKnown = gateway.epoch === hello.epoch;
        session.isRestored = !isKnown && gateway.epoch !== undefined;
        if (!isKnown) taken = 0;
        if (session.isRestored) await forgetRevisions(gateway.id);
        await note(hello);
        await channel.send({
          type: "welcome",
          protocol: LINK_PROTOCOL,
          version: needs.version,
          epoch: await needs.uplinks.epoch(),
          taken: taken > 0 ? taken : null,
        });
        for (const deviceId of session.own) needs.connectivity.connected(deviceId);
        needs.log.info({ gatewayId: gateway.id, version: hello.version }, "a gateway has connected");
        continue;
      }
      switch (message.type) {
        case "hello":
          throw new LinkMistake("the gateway said hello twice");
        case "records": {
          if (message.isWhole) named ??= new Set();
          await take(session, message.items, named);
          if (!message.isWhole || message.isLast) {
            if (message.isWhole && named !== undefined) await forgetOthers(needs, session, named);
            if (message.isWhole) named = undefined;
            taken = message.to;
            await note(hello);
          }
          await channel.send({ type: "ack", to: message.to });
          if (message.isLast && session.stage === "telling") await askForOpen(session);
          await settle(hello);
          break;
        }
        case "answer":
          session.orders.get(message.id)?.(message.refused === null ? "accepted" : { refused: message.refused });
          break;
        case "told":
          for (const change of message.changes) {
            await applyItem(needs, session, executionItem(change));
            session.asked.delete(change.execution.id);
          }
          for (const id of message.unknown) {
            if (session.isRestored || !(await needs.dispatcher.returned(id))) await needs.dispatcher.lost(id);
            session.asked.delete(id);
          }
          await settle(hello);
          break;
        case "changed":
          await session.changes?.settled(message);
          break;
        case "credential":
          await takeCredential(session, message);
          break;
        case "want":
          await session.changes?.wanted(message.digest);
          break;
        case "points":
        case "history":
          await session.telemetry.take(message);
          break;
        case "connectivity":
          for (const [deviceId, status] of message.devices) noteConnectivity(session, deviceId, status);
          break;
      }
    }
  }

  async function take(session: Session, items: readonly LinkedItem[], named: Set<string> | undefined): Promise<void> {
    const missing: string[] = [];
    let together: LinkedItem[] = [];
    const apply = async (item: LinkedItem) => {
      if ((await applyItem(needs, session, item)) === "gap") missing.push(item.key);
    };
    const applyTogether = async () => {
      const waiting = together;
      together = [];
      await Promise.all(waiting.map(apply));
    };
    for (const item of items) {
      if (NAMED.has(item.kind)) named?.add(`${item.kind} ${item.key}`);
      const isFirst = FIRST.has(item.kind);
      if (isFirst || together.length >= APPLIED_TOGETHER) await applyTogether();
      if (isFirst) await apply(item);
      else together.push(item);
      const early = item.kind === "device" ? session.early.get(item.key) : undefined;
      if (early !== undefined && session.early.delete(item.key)) noteConnectivity(session, item.key, early);
      if (session.stage === "ready" && item.kind === "device" && item.value !== null) ways.set(item.key, session);
    }
    await applyTogether();
    for (let at = 0; at < missing.length; at += ASKED_AT_ONCE) {
      await session.channel.send({ type: "ask", executions: missing.slice(at, at + ASKED_AT_ONCE) });
    }
  }

  /** The gateway has told what changed. What is still open, or was sent and never answered, is asked for once more. */
  async function askForOpen(session: Session): Promise<void> {
    session.stage = "asked";
    for await (const open of openElsewhere(session.gatewayId)) {
      for (const { id, isRemote } of open) {
        session.asked.add(id);
        if (!isRemote) await needs.dispatcher.loseSight(id);
      }
      await session.channel.send({ type: "ask", executions: open.map(({ id }) => id) });
    }
  }

  /** What the gateway owns or may own, and has not ended. */
  async function* openElsewhere(gatewayId: string): AsyncIterable<readonly Execution[]> {
    for (const siteId of await needs.gateways.sites(gatewayId)) {
      for (let after = ""; ; ) {
        const open = await needs.executions.ownedElsewhere(siteId, after, ASKED_AT_ONCE);
        if (open.length > 0) yield open;
        after = open.at(-1)?.id ?? after;
        if (open.length < ASKED_AT_ONCE) break;
      }
    }
  }

  /** From now on the gateway gets commands. */
  function open(session: Session): void {
    for (const deviceId of session.devices.keys()) {
      ways.set(deviceId, session);
      needs.dispatcher.deviceReachable(deviceId);
    }
  }

  /** What goes down the line, beside commands. */
  async function openDown(session: Session, gateway: Gateway): Promise<void> {
    openChanges(session);
    session.endTokens = await needs.tokenSharing.open({ gatewayId: gateway.id, send: session.channel.send });
    // Read again: it may have been asked for since the gateway signed in.
    const { mustRotate } = (await needs.gateways.find(gateway.id)) ?? {};
    if (mustRotate === true) await session.channel.send({ type: "rotate" });
  }

  async function takeCredential(
    { gatewayId, channel }: Session,
    { hash, isUsed }: Extract<UpMessage, { type: "credential" }>,
  ): Promise<void> {
    const bytes = Buffer.from(hash, "hex");
    if (isUsed) {
      await needs.gateways.settleCredential(gatewayId, bytes);
      needs.log.info({ gatewayId }, "a gateway has another credential");
    } else {
      await needs.gateways.acceptCredential(gatewayId, bytes);
      await channel.send({ type: "credential", hash });
    }
  }

  function openChanges(session: Session): void {
    const { gatewayId, channel } = session;
    const copy = (items: readonly LinkedItem[]) => take(session, items, undefined);
    const { lane, done } = needs.gatewayChanges.open({ gatewayId, send: channel.send, copy });
    session.changes = lane;
    done.catch((error: unknown) => {
      needs.log.warn({ gatewayId, err: error }, "changes cannot be handed over to a gateway");
      channel.close("the cloud cannot go on");
    });
  }

  function noteConnectivity(session: Session, deviceId: string, status: string): void {
    if (!session.devices.has(deviceId)) {
      if (session.early.size < MAX_EARLY) session.early.set(deviceId, status);
      return;
    }
    if (session.own.has(deviceId)) return;
    if (status === "ONLINE") needs.connectivity.connected(deviceId);
    else if (status === "OFFLINE") needs.connectivity.gone(deviceId);
  }

  async function leave(session: Session): Promise<void> {
    if (sessions.get(session.gatewayId) === session) sessions.delete(session.gatewayId);
    for (const [deviceId, way] of ways) if (way === session) ways.delete(deviceId);
    session.changes?.close();
    session.endTokens();
    for (const settle of session.orders.values()) settle("unanswered");
    for (const deviceId of session.devices.keys()) {
      if (session.own.has(deviceId)) needs.connectivity.absent(deviceId);
      else needs.connectivity.loseSight(deviceId);
    }
    await loseSight(session.gatewayId);
    await needs.gateways.noteGone(session.gatewayId);
    needs.log.info({ gatewayId: session.gatewayId }, "a gateway has disconnected");
  }

  async function loseSight(gatewayId: string): Promise<void> {
    for await (const open of openElsewhere(gatewayId)) {
      for (const { id, state } of open) if (state !== "UNSYNC") await needs.dispatcher.loseSight(id);
    }
  }

  async function forgetRevisions(gatewayId: string): Promise<void> {
    await loseSight(gatewayId);
    for (const siteId of await needs.gateways.sites(gatewayId)) await needs.executions.forgetRevisions(siteId);
  }

  async function order(session: Session, command: OutgoingCommand, execution: Execution): Promise<HandOver> {
    const { promise, resolve: settle } = Promise.withResolvers<HandOver>();
    session.orders.set(command.id, settle);
    const { id, deviceId, createdAt, ephemeral, request } = execution;
    const message = {
      type: "execute" as const,
      order: {
        id,
        deviceId,
        createdAt,
        ephemeral,
        name: request.name,
        arguments: command.arguments,
        patienceMs: Math.max(0, execution.deadline - needs.now()),
        caller: "cloud",
      },
    };
    session.channel.send(message).catch(() => settle("unanswered"));
    const answered = new AbortController();
    const patience = needs.pause(message.order.patienceMs + ANSWER_MS, answered.signal).then(() => {
      // After the next connection it is asked whether it has accepted the order.
      if (!answered.signal.aborted) session.channel.close("the gateway has not answered an order in time");
      return "unanswered" as const;
    });
    try {
      return await Promise.race([promise, patience]);
    } finally {
      answered.abort();
      session.orders.delete(command.id);
    }
  }

  return {
    carrier: {
      isReady: (deviceId) => ways.has(deviceId),
      send: async (deviceId, command, execution) => {
        const session = ways.get(deviceId);
        if (session === undefined || execution === undefined) return "not_sent";
        return await order(session, command, execution);
      },
      ask: (deviceId, id) => {
        ways
          .get(deviceId)
          ?.channel.send({ type: "ask", executions: [id] })
          .catch(() => {});
      },
      sendConfiguration: async () => {},
      disconnect: () => {},
    },
    serve,
    leaveTo: (gatewayId) => sessions.get(gatewayId)?.channel.close("the gateway has connected to another node"),
    disconnect: (gatewayId) => sessions.get(gatewayId)?.channel.close("the gateway's access was revoked"),
    rotate: (gatewayId) => {
      const session = sessions.get(gatewayId);
      // A line that fails is closed, and the next connection is asked again.
      if (session?.changes !== undefined) session.channel.send({ type: "rotate" }).catch(() => {});
    },
    async sweep() {
      for (const gatewayId of await needs.gateways.connected()) {
        if (sessions.has(gatewayId)) continue;
        const claim = await needs.nodes.claim(`gateway ${gatewayId}`);
        if (claim === undefined) continue;
        try {
          for (const deviceId of await needs.gateways.devices(gatewayId)) {
            if ((await needs.devices.find(deviceId))?.type === "GATEWAY") needs.connectivity.absent(deviceId);
          }
          await loseSight(gatewayId);
          await needs.gateways.noteGone(gatewayId);
        } finally {
          await claim.release();
        }
      }
    },
    async stop() {
      isStopping = true;
      for (const { channel } of sessions.values()) channel.close("the cloud stops");
      await Promise.all(ends.values());
    },
  };
}

function executionItem(value: Extract<LinkedItem, { kind: "execution" }>["value"]): LinkedItem {
  return { kind: "execution", key: value.execution.id, value };
}
