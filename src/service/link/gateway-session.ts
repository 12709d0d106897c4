// One connection of a gateway to this cloud: stores what the gateway sends, asks for what is unknown, and hands over
// commands and changes.

import type { Gateway } from "#core/link/gateway.ts";
import { parseAlertKey } from "#core/link/linked-key.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import { type DownMessage, LINK_PROTOCOL, type LinkedItem, type UpMessage } from "#core/link/messages.ts";
import { requireProtocol } from "#core/link/protocol.ts";
import { recordProblem } from "#core/link/record-problem.ts";
import { RecordRefused, type RefusedRecord } from "#core/link/refused-record.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { type ApplyNeeds, applyItem, callOf, forgetOthers, type Teller } from "#service/link/apply-linked.ts";
import type { ChangeLane, GatewayChanges } from "#service/link/gateway-changes.ts";
import { createGatewayOrders, type GatewayOrders, type OrderNeeds } from "#service/link/gateway-orders.ts";
import type { LinkChannel } from "#service/link/link-channel.ts";
import { ASKED_AT_ONCE, loseSightOf, openElsewhere } from "#service/link/open-elsewhere.ts";
import { createRefusals } from "#service/link/refusals.ts";
import type { TokenSharing } from "#service/link/share-tokens.ts";
import { hasRoomToUnpack, type TakeTelemetryNeeds, takeTelemetry } from "#service/link/take-telemetry.ts";
import type { Needs } from "#service/ports.ts";

export interface SessionNeeds
  extends Omit<ApplyNeeds, "connectivity" | "dispatcher" | "log">,
    TakeTelemetryNeeds,
    OrderNeeds,
    Pick<Needs, "gateways" | "copies" | "devices" | "executions" | "uplinks"> {
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
  /** After the connection: what nobody tells any longer is unknown, unless another node may know it. */
  leave(): Promise<void>;
  readonly orders: Pick<GatewayOrders, "give">;
  /** Asks what became of an execution. */
  ask(executionId: string): void;
  /** Asks the gateway to change its credential. */
  rotate(): void;
  close(reason: string): void;
}

type Hello = Extract<UpMessage, { type: "hello" }>;

/** Others refer to these. All other records are independent of each other, and those stored together share a commit. */
const FIRST: ReadonlySet<LinkedItem["kind"]> = new Set(["site", "blueprint", "device"]);
const APPLIED_TOGETHER = 256;
/** Each of them takes some ten microseconds of the main thread at least. */
const ITEMS_A_TURN = 32;
/** More than a gateway sends before it waits for a confirmation. */
const MAX_CONFIRMING = 16;
const MAX_EARLY = 10_000;
/** Longer ids and states are none of ours. */
const LONGEST_EARLY = 100;
/** A whole telling deletes those of these kinds that it does not name. */
const NAMED: ReadonlySet<LinkedItem["kind"]> = new Set(["site", "device", "alert"]);

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
  const devices = new Map<string, string>();
  const own = new Set<string>();
  const sites = new Set<string>();
  const refusals = createRefusals(needs, gatewayId);
  const teller: Teller = { gatewayId, devices, own, refusedSites: refusals.sites, onTakeover };
  const orders = createGatewayOrders(needs, channel);
  const applying: ApplyNeeds = {
    ...needs,
    dispatcher: {
      async applyRemote(change) {
        const merge = await needs.dispatcher.applyRemote(change);
        orders.told(change.execution.id);
        return merge;
      },
    },
  };
  const telemetry = takeTelemetry(needs, {
    devices,
    send: channel.send,
    turn: channel.turn,
    maxSeries: needs.linkedLimits.series,
    async refused(deviceId, reason) {
      refusals.add({ kind: "telemetry", key: deviceId }, reason);
      await refusals.store();
    },
    fail(error) {
      needs.log.warn({ gatewayId, err: error }, "telemetry of a gateway cannot be stored");
      channel.close(error instanceof LinkMistake ? error.message : "the cloud cannot store telemetry");
    },
  });
  /** Connectivity of devices that the gateway has not told yet. */
  const early = new Map<string, string>();
  /** Executions that the gateway was asked for. What it says not to know counts only among these. */
  const asked = new Set<string>();
  const open = openElsewhere(needs, gatewayId)[Symbol.asyncIterator]();
  /** It tells what changed, then it is asked for what is open, and then it gets commands. */
  let stage: "telling" | "asked" | "ready" = "telling";
  /** The gateway has replaced its records since it was here last. What it does not know it may have run. */
  let isRestored = false;
  /** Its records up to this one are stored here. */
  let taken = gateway.taken;
  /** Resolves when the position of what was told so far is stored, and confirmed to the gateway. */
  let noted: Promise<void> = Promise.resolve();
  /** Confirmations that have not left. */
  let confirming = 0;
  /** What a whole telling has named so far. */
  let named: Set<string> | undefined;
  /** Hands over changes, once the gateway has told what changed on its side. */
  let changes: ChangeLane | undefined;
  let endTokens = () => {};

  async function talk(): Promise<void> {
    for (const deviceId of await needs.gateways.devices(gatewayId)) {
      const device = await needs.devices.find(deviceId);
      if (device === undefined) continue;
      devices.set(deviceId, device.siteId);
      if (device.type === "GATEWAY") own.add(deviceId);
    }
    for (const siteId of await needs.gateways.sites(gatewayId)) sites.add(siteId);
    let hello: Hello | undefined;
    for await (const message of channel.messages) {
      if (lost.aborted) return;
      if (hello !== undefined) await hear(hello, message);
      else if (message.type !== "hello") throw new LinkMistake("the gateway did not say hello first");
      else {
        hello = message;
        await welcome(hello);
      }
    }
  }

  async function welcome(hello: Hello): Promise<void> {
    requireProtocol(hello);
    const isKnown = gateway.epoch === hello.epoch;
    isRestored = !isKnown && gateway.epoch !== undefined;
    if (!isKnown) taken = 0;
    // It was refused a site that it may have now: what was left out has to come again.
    if (await refusals.open()) taken = 0;
    // Also when no epoch is noted: a first telling that broke off may have left revisions of records that were replaced since.
    if (!isKnown) await forgetRevisions();
    await note(hello);
    await channel.send({
      type: "welcome",
      protocol: LINK_PROTOCOL,
      version: needs.version,
      epoch: await needs.uplinks.epoch(),
      taken: taken > 0 ? taken : null,
      unpacks: hasRoomToUnpack(needs.liveBudget),
      refused: refusals.all(),
    });
    for (const deviceId of own) needs.connectivity.connected(deviceId);
    needs.log.info({ gatewayId, version: hello.version }, "a gateway has connected");
  }

  async function hear(hello: Hello, message: UpMessage): Promise<void> {
    switch (message.type) {
      case "hello":
        throw new LinkMistake("the gateway said hello twice");
      case "records":
        await takeRecords(hello, message);
        return await settle(hello);
      case "told":
        await takeTold(message);
        return await settle(hello);
      case "answer":
        return orders.answered(message.id, message.refused);
      case "changed":
        refuseUnreadable(message);
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
        for (const [deviceId, status] of message.devices) noteConnectivity(deviceId, status);
    }
  }

  /** The new epoch counts once everything is settled that the gateway may have lost. Else a cut would hide the loss. */
  async function note(hello: Hello): Promise<void> {
    const epoch = stage === "ready" ? hello.epoch : gateway.epoch;
    const seen = { version: hello.version, epoch, taken, at: needs.now(), isCaughtUp: stage === "ready" };
    await needs.gateways.noteTaken(gatewayId, seen);
  }

  /** When nothing is left to ask for, the gateway gets commands and changes. */
  async function settle(hello: Hello): Promise<void> {
    if (stage !== "asked" || asked.size > 0 || (await askForOpen())) return;
    stage = "ready";
    await note(hello);
    for (const deviceId of devices.keys()) {
      onWay(deviceId);
      needs.dispatcher.deviceReachable(deviceId);
    }
    await openDown();
  }

  async function takeRecords(hello: Hello, message: Extract<UpMessage, { type: "records" }>): Promise<void> {
    const { isWhole, isLast, to } = message;
    if (isWhole) named ??= new Set();
    refuseUnreadable(message, named);
    await take(message.items, named);
    if (!isWhole || isLast) {
      if (isWhole && named !== undefined) await forgetOthers(needs, teller, named);
      if (isWhole) named = undefined;
      taken = to;
      confirm(note(hello), to);
    } else confirm(undefined, to);
    // One that reads no confirmations is not read either.
    if (confirming >= MAX_CONFIRMING) await noted;
    if (!isLast || stage !== "telling") return;
    await noted;
    stage = "asked";
  }

  /** The next message is read meanwhile: what it changes shares a commit with the position. */
  function confirm(storing: Promise<void> | undefined, to: number): void {
    confirming++;
    noted = Promise.all([noted, storing])
      .then(
        // A line that is gone is noticed where messages are read.
        () => channel.send({ type: "ack", to, ...refusals.news() }).catch(() => {}),
        (error: unknown) => {
          needs.log.warn({ gatewayId, err: error }, "what a gateway has told cannot be confirmed");
          channel.close("the cloud cannot go on");
        },
      )
      .finally(() => confirming--);
  }

  /** What a whole telling names and the cloud does not keep need not be remembered. */
  function isCopied(item: LinkedItem): boolean {
    if (!NAMED.has(item.kind) || item.value === null) return false;
    return (
      item.kind === "site" || devices.has((item.kind === "alert" ? parseAlertKey(item.key)?.deviceId : item.key) ?? "")
    );
  }

  /** What the cloud has of a record that is refused stays as it was taken last. */
  function refuse(record: Pick<RefusedRecord, "kind" | "key">, reason: string, into?: Set<string>): void {
    refusals.add(record, reason);
    if (sites.has(record.key) || devices.has(record.key)) into?.add(`${record.kind} ${record.key}`);
  }

  function refuseUnreadable(
    { unreadable = [] }: { readonly unreadable?: readonly RefusedRecord[] },
    into?: Set<string>,
  ) {
    for (const one of unreadable) refuse(one, one.reason, into);
  }

  function limitProblem(item: LinkedItem): string | undefined {
    if (item.value === null) return undefined;
    const { sites: mostSites, devices: mostDevices } = needs.linkedLimits;
    if (item.kind === "site" && !sites.has(item.key) && sites.size >= mostSites)
      return `a gateway may have ${mostSites} sites here (link.max_sites)`;
    if (item.kind === "device" && !devices.has(item.key) && devices.size >= mostDevices)
      return `a gateway may have ${mostDevices} devices here (link.max_devices)`;
    return undefined;
  }

  async function take(items: readonly LinkedItem[], into?: Set<string>): Promise<void> {
    const missing: string[] = [];
    let together: LinkedItem[] = [];
    const apply = async (item: LinkedItem) => {
      try {
        if ((await applyItem(applying, teller, item)) === "gap") missing.push(item.key);
        refusals.taken(item);
        if (item.kind === "site" && item.value === null) sites.delete(item.key);
        else if (item.kind === "site") sites.add(item.key);
      } catch (error) {
        if (!(error instanceof RecordRefused)) throw error;
        refusals.add(item, error.message);
      }
    };
    const applyTogether = async () => {
      const waiting = together;
      together = [];
      const applied = await Promise.allSettled(waiting.map(apply));
      // Only now: nothing comes into sight after the session has ended because of one that failed.
      for (const one of applied) if (one.status === "rejected") throw one.reason;
    };
    for (const item of items) {
      const problem = recordProblem(item) ?? limitProblem(item);
      if (problem !== undefined) {
        refuse(item, problem, into);
        continue;
      }
      const isFirst = FIRST.has(item.kind);
      if (isFirst || together.length >= APPLIED_TOGETHER) await applyTogether();
      if (isFirst || together.length % ITEMS_A_TURN === 0) await channel.turn();
      if (isFirst) await apply(item);
      else together.push(item);
      if (isCopied(item)) into?.add(`${item.kind} ${item.key}`);
      const status = item.kind === "device" ? early.get(item.key) : undefined;
      if (status !== undefined && early.delete(item.key)) noteConnectivity(item.key, status);
      if (stage === "ready" && item.kind === "device" && item.value !== null) onWay(item.key);
    }
    await applyTogether();
    await refusals.store();
    for (let at = 0; at < missing.length; at += ASKED_AT_ONCE) {
      await ask(missing.slice(at, at + ASKED_AT_ONCE));
    }
  }

  /**
   * The gateway has told what changed. What is still open, or was sent and never answered, is asked for once more. A page
   * at a time: the gateway reads nothing while it waits until an answer has left, and nobody reads that while asking.
   * False when nothing is left.
   */
  async function askForOpen(): Promise<boolean> {
    const page = await open.next();
    if (page.done === true) return false;
    for (const { id, isRemote } of page.value) if (!isRemote) await needs.dispatcher.loseSight(id);
    await ask(page.value.map(({ id }) => id));
    return true;
  }

  async function ask(executions: readonly string[]): Promise<void> {
    for (const id of executions) asked.add(id);
    await channel.send({ type: "ask", executions });
  }

  async function takeTold(message: Extract<UpMessage, { type: "told" }>): Promise<void> {
    for (const change of message.changes) {
      await channel.turn();
      await take([{ kind: "execution", key: change.execution.id, value: change }]);
      asked.delete(change.execution.id);
    }
    for (const id of message.unknown) {
      // An execution of another gateway, for example.
      if (!asked.has(id)) continue;
      if (isRestored || !(await needs.dispatcher.returned(id))) await needs.dispatcher.lost(id, isRestored);
      asked.delete(id);
    }
  }

  /** What goes down the line, beside commands. */
  async function openDown(): Promise<void> {
    const { lane, done } = needs.gatewayChanges.open({ gatewayId, send: channel.send, copy: (items) => take(items) });
    changes = lane;
    done.catch((error: unknown) => {
      needs.log.warn({ gatewayId, err: error }, "changes cannot be handed over to a gateway");
      channel.close("the cloud cannot go on");
    });
    endTokens = needs.tokenSharing.open({ gatewayId, send: channel.send });
    // Read again: it may have been asked for since the gateway signed in.
    const { mustRotate } = (await needs.gateways.find(gatewayId)) ?? {};
    if (mustRotate === true) await channel.send({ type: "rotate" });
  }

  async function takeCredential({ hash, isUsed }: Extract<UpMessage, { type: "credential" }>): Promise<void> {
    const bytes = Buffer.from(hash, "hex");
    if (isUsed) {
      await needs.gateways.settleCredential(gatewayId, bytes);
      needs.log.info({ gatewayId }, "a gateway has another credential");
    } else {
      await needs.gateways.acceptCredential(gatewayId, bytes);
      await channel.send({ type: "credential", hash });
    }
  }

  /** Its sites stay as they were last told, as those of a gateway whose access was revoked. */
  async function takeLeave(): Promise<void> {
    const trail = auditTrail(needs, callOf(teller, "leaveCloud"), { target: {}, details: { gateway_id: gatewayId } });
    await needs.gateways.revoke(gatewayId, needs.now(), trail);
    needs.log.info({ gatewayId }, "a gateway has left");
    channel.close("the gateway has left");
  }

  function noteConnectivity(deviceId: string, status: string): void {
    if (!devices.has(deviceId)) {
      const isShort = deviceId.length + status.length <= LONGEST_EARLY;
      if (isShort && early.size < MAX_EARLY) early.set(deviceId, status);
      return;
    }
    if (own.has(deviceId)) return;
    if (status === "ONLINE") needs.connectivity.connected(deviceId);
    else if (status === "OFFLINE") needs.connectivity.absent(deviceId);
  }

  async function forgetRevisions(): Promise<void> {
    await loseSightOf(needs, gatewayId, lost);
    for (const siteId of await needs.gateways.sites(gatewayId)) await needs.executions.forgetRevisions(siteId);
  }

  return {
    talk,
    async leave() {
      await noted;
      await telemetry.end();
      changes?.close();
      endTokens();
      orders.abandon();
      for (const deviceId of devices.keys()) {
        if (lost.aborted) needs.connectivity.letGo(deviceId);
        else if (own.has(deviceId)) needs.connectivity.absent(deviceId);
        else needs.connectivity.loseSight(deviceId);
      }
      await loseSightOf(needs, gatewayId, lost);
      if (!lost.aborted) await needs.gateways.noteGone(gatewayId);
      needs.log.info({ gatewayId }, "a gateway has disconnected");
    },
    orders,
    // A line that fails is closed, and what was asked is asked again over the next one.
    ask: (executionId) => void ask([executionId]).catch(() => {}),
    rotate: () => {
      if (changes !== undefined) void channel.send({ type: "rotate" }).catch(() => {});
    },
    close: channel.close,
  };
}
