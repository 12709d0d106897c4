// What this node does when another one has changed something. Events of the outbox report everything that they can report;
// messages come sooner, and report what is no event.
import type { Logger } from "pino";
import type { Instant } from "#core/time/instant.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { Sessions } from "#service/access/sessions.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import type { Background } from "#service/background.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { CloudControls } from "#service/control/cloud-controls.ts";
import type { Controls } from "#service/control/controls.ts";
import type { ReportedControls } from "#service/control/reported-controls.ts";
import { createChangedDevices } from "#service/device/changed-devices.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import { deviceConfiguration } from "#service/device/configuration.ts";
import { type ConfigurationSender, writtenAt } from "#service/device/configuration-sender.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { HostRouter } from "#service/device/host-router.ts";
import type { Presence } from "#service/device/presence.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import type { ConnectivityStatus } from "#service/event/happening.ts";
import type { GatewayChanges } from "#service/link/gateway-changes.ts";
import type { GatewayQuestions } from "#service/link/gateway-questions.ts";
import type { Links } from "#service/link/links.ts";
import type { TokenSharing } from "#service/link/share-tokens.ts";
import type { Carrier } from "#service/ports/carrier.ts";
import type { LiveSettings } from "#service/ports/live-settings.ts";
import type { NodeMessage, Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import type { ReportedRules } from "#service/rule/reported-rules.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";

type ConfigurationNeeds = Parameters<typeof deviceConfiguration>[0];

interface JoinNeeds extends Pick<Needs, "devices" | "profiles">, ConfigurationNeeds {
  readonly nodes: Nodes;
  readonly gateways: Pick<Needs["gateways"], "ownerOf" | "ownedAmong">;
  readonly events: EventHub;
  readonly authenticator: Authenticator;
  readonly openSessions: Pick<Sessions, "forget" | "reread">;
  readonly background: Background;
  readonly channel: Carrier;
  readonly children: ChildRoutes;
  readonly connectivity: Connectivity;
  readonly presence: Pick<Presence, "take" | "asked">;
  readonly configurationSender: ConfigurationSender;
  readonly hosts: HostRouter;
  readonly alertTracker: AlertTracker;
  readonly dispatcher: CommandDispatcher;
  readonly webhookDispatcher: WebhookDispatcher;
  readonly log: Logger;
  readonly liveSettings: Pick<LiveSettings, "refresh">;
  /** Undefined where no gateways connect. */
  readonly links: Pick<Links, "leaveTo" | "rotate" | "disconnect"> | undefined;
  /** Undefined where no gateways connect. */
  readonly reportedControls: Pick<ReportedControls, "publishGateway"> | undefined;
  readonly reportedRules: Pick<ReportedRules, "heardOf"> | undefined;
  readonly cloudControls: Pick<CloudControls, "heardOf"> | undefined;
  readonly controlling: Pick<Controls, "heardOf">;
  readonly tokenSharing: Pick<TokenSharing, "changed">;
  readonly gatewayChanges: Pick<GatewayChanges, "wake" | "ended"> | undefined;
  readonly gatewayQuestions: Pick<GatewayQuestions, "waits" | "answered"> | undefined;
}

/** Returns the function that leaves. Does nothing where one process alone uses the records. */
export function joinNodes(needs: JoinNeeds): () => void {
  const { nodes, events, background } = needs;
  if (!nodes.isShared) return () => {};

  /** Devices whose configuration was changed, until it is read, and the time of the latest change. */
  const unsent = new Map<string, Instant>();
  const { gateways } = needs;
  const changedDevices = createChangedDevices({ gateways, background, takeOver: deviceChanged });

  function hear(event: LiveEvent): void {
    if (event.kind === "execution" && "execution" in event) needs.dispatcher.heard(event.execution);
    else if (event.kind === "connectivity" && "data" in event) {
      const status = statusOf(event.data);
      if (status !== undefined) needs.connectivity.heardOf(event.deviceId, status);
    } else if (event.kind === "alert" && "data" in event) {
      needs.alertTracker.heardOf(event.deviceId, isSoft(event.data));
    } else if (event.kind === "configuration" && "data" in event) {
      const { deviceId, at } = event;
      const isWaiting = unsent.has(deviceId);
      // Buckets that were written together are sent together. Of several writes the latest counts: it has them all.
      unsent.set(deviceId, at);
      if (!isWaiting) background.run("send a configuration of another node", () => configurationChanged(deviceId));
    } else if (event.kind === "device" && "change" in event) {
      const { deviceId, change } = event;
      if (change === "deleted") background.run("take over the end of a device", () => deviceDeleted(deviceId));
      else changedDevices.add(deviceId);
    }
  }

  async function deviceDeleted(deviceId: string): Promise<void> {
    await needs.hosts.stop(deviceId);
    needs.channel.disconnect(deviceId);
    needs.children.forget(deviceId);
    needs.connectivity.forget(deviceId);
    needs.alertTracker.forget(deviceId);
  }

  async function deviceChanged(deviceId: string, isCopy: boolean): Promise<void> {
    const device = await needs.devices.find(deviceId);
    if (device !== undefined && !isCopy) await needs.hosts.changed(device);
    // Its channel may have changed, or the device that carries its messages.
    if (device?.type === "CHILD") await needs.children.place(device);
  }

  /** Such a device runs on its gateway and gets its configuration from it. Here is a copy. */
  async function isOfGateway(deviceId: string): Promise<boolean> {
    const device = await needs.devices.find(deviceId);
    return device !== undefined && (await needs.gateways.ownerOf(device.siteId)) !== undefined;
  }

  /** A device that is connected here and was configured at any node. */
  async function configurationChanged(deviceId: string): Promise<void> {
    // The events of one write come one after the other.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const at = unsent.get(deviceId);
    unsent.delete(deviceId);
    if (at === undefined || (await isOfGateway(deviceId))) return;
    const send = async () => needs.channel.sendConfiguration(deviceId, await deviceConfiguration(needs, deviceId), []);
    if (needs.channel.isReady(deviceId)) await needs.configurationSender.once(writtenAt(deviceId, at), send);
    else await send();
  }

  function takeChange({ has, gatewayId, id }: Extract<NodeMessage, { kind: "change" }>): void {
    if (has === "waits") needs.gatewayChanges?.wake(gatewayId);
    else needs.gatewayChanges?.ended(id);
  }

  function takeQuestion({ has, gatewayId, id }: Extract<NodeMessage, { kind: "question" }>): void {
    if (has === "ended") needs.gatewayQuestions?.answered(id);
    else background.run("ask a gateway for another node", async () => needs.gatewayQuestions?.waits(gatewayId, id));
  }

  function takeControls(message: Extract<NodeMessage, { kind: "controls" | "gateway_controls" }>): void {
    if (message.kind === "controls") {
      background.run("publish controls of a device", async () =>
        (needs.cloudControls ?? needs.controlling).heardOf(message.deviceId, message.control),
      );
      return;
    }
    background.run("publish controls of a gateway", async () => needs.reportedControls?.publishGateway(message.id));
  }

  function takeLink({ kind, id }: Extract<NodeMessage, { kind: "gateway" | "rotate" | "revoked" }>): void {
    if (kind === "gateway") needs.links?.leaveTo(id);
    else if (kind === "rotate") needs.links?.rotate(id);
    else needs.links?.disconnect(id);
  }

  function takePresence(message: Extract<NodeMessage, { kind: "heard" | "who_hears" | "alive" }>): void {
    if (message.kind === "who_hears") {
      needs.presence.asked(message.node);
      return;
    }
    const { devices, isUnknown } =
      message.kind === "heard" ? needs.presence.take(message) : { devices: message.deviceIds, isUnknown: false };
    for (const deviceId of devices) needs.connectivity.aliveElsewhere(deviceId);
    if (isUnknown && "node" in message) nodes.broadcast({ kind: "who_hears", node: message.node });
  }

  function forgetTokens(ids: readonly string[]): void {
    for (const id of ids) needs.authenticator.forget(id);
    needs.tokenSharing.changed();
  }

  function take(message: NodeMessage): void {
    switch (message.kind) {
      case "execution":
        needs.dispatcher.takeMessage(message);
        break;
      case "token":
      case "tokens":
        forgetTokens("ids" in message ? message.ids : [message.id]);
        break;
      case "sessions":
        if (message.have === "ended") needs.openSessions.forget(message.ids);
        else needs.openSessions.reread(message.ids);
        break;
      case "credential":
        needs.channel.disconnect(message.deviceId, message.valid);
        break;
      case "gateway":
      case "rotate":
      case "revoked":
        takeLink(message);
        break;
      case "change":
        takeChange(message);
        break;
      case "question":
        takeQuestion(message);
        break;
      case "controls":
      case "gateway_controls":
        takeControls(message);
        break;
      case "rules":
        needs.reportedRules?.heardOf(message.siteId, message.ruleIds);
        break;
      case "webhooks":
        background.run("read the webhooks again", () => needs.webhookDispatcher.refresh());
        break;
      case "settings":
        background.run("read the settings again", () => needs.liveSettings.refresh());
        break;
      case "profiles":
        background.run("read the profiles again", () => needs.profiles.refresh());
        break;
      case "heard":
      case "who_hears":
      case "alive":
        takePresence(message);
        break;
      case "missed":
        needs.log.warn("this node could not reach the database for a while; what it keeps in memory is read again");
        needs.authenticator.forgetAll();
        needs.tokenSharing.changed();
        background.run("read the webhooks again", () => needs.webhookDispatcher.refresh());
        background.run("read the profiles again", () => needs.profiles.refresh());
        background.run("read the settings again", () => needs.liveSettings.refresh());
        break;
    }
  }

  const leaves = [events.listen(hear), nodes.listen(take)];
  return () => {
    for (const leave of leaves) leave();
  };
}

function statusOf(data: string): ConnectivityStatus | undefined {
  const status = (JSON.parse(data) as { connectivity?: { status?: unknown } }).connectivity?.status;
  return status === "ONLINE" || status === "OFFLINE" || status === "UNKNOWN" ? status : undefined;
}

function isSoft(data: string): boolean {
  const { change, alert } = JSON.parse(data) as { change?: unknown; alert?: { state?: unknown } };
  return change === "raised" && alert?.state === "SOFT";
}
