// What this node does when another one has changed something. Events of the outbox tell everything that they can tell;
// messages come sooner, and tell what is no event.
import type { Logger } from "pino";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { Sessions } from "#service/access/sessions.ts";
import type { Background } from "#service/background.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import type { Links } from "#service/link/links.ts";
import type { Carrier } from "#service/ports/carrier.ts";
import type { NodeMessage, Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";

interface JoinNeeds extends Pick<Needs, "devices" | "profiles"> {
  readonly nodes: Nodes;
  readonly events: EventHub;
  readonly authenticator: Authenticator;
  readonly openSessions: Pick<Sessions, "forget" | "reread">;
  readonly background: Background;
  readonly channel: Carrier;
  readonly children: ChildRoutes;
  readonly dispatcher: CommandDispatcher;
  readonly webhookDispatcher: WebhookDispatcher;
  readonly log: Logger;
  /** Undefined where no gateways connect. */
  readonly links: Pick<Links, "leaveTo"> | undefined;
}

/** Returns the function that leaves. Does nothing where one process alone uses the records. */
export function joinNodes(needs: JoinNeeds): () => void {
  const { nodes, events, background } = needs;
  if (!nodes.isShared) return () => {};

  function hear(event: LiveEvent): void {
    if (event.kind === "execution" && "execution" in event) needs.dispatcher.heard(event.execution);
    else if (event.kind === "device" && "change" in event) {
      const { deviceId, change } = event;
      background.run("take over the change of a device", () => deviceChanged(deviceId, change === "deleted"));
    }
  }

  async function deviceChanged(deviceId: string, isDeleted: boolean): Promise<void> {
    if (isDeleted) {
      needs.channel.disconnect(deviceId);
      needs.children.forget(deviceId);
      return;
    }
    const device = await needs.devices.find(deviceId);
    // Its channel may have changed, or the device that carries its messages.
    if (device?.type === "CHILD") await needs.children.place(device);
  }

  function take(message: NodeMessage): void {
    switch (message.kind) {
      case "execution":
        needs.dispatcher.told(message);
        break;
      case "token":
        needs.authenticator.forget(message.id);
        break;
      case "sessions":
        if (message.have === "ended") needs.openSessions.forget(message.ids);
        else needs.openSessions.reread(message.ids);
        break;
      case "credential":
        needs.channel.disconnect(message.deviceId, message.valid);
        break;
      case "gateway":
        needs.links?.leaveTo(message.id);
        break;
      case "webhooks":
        background.run("read the webhooks again", () => needs.webhookDispatcher.refresh());
        break;
      case "profiles":
        background.run("read the profiles again", () => needs.profiles.refresh());
        break;
      case "missed":
        needs.log.warn("this node could not reach the database for a while; what it keeps in memory is read again");
        needs.authenticator.forgetAll();
        background.run("read the webhooks again", () => needs.webhookDispatcher.refresh());
        background.run("read the profiles again", () => needs.profiles.refresh());
        break;
    }
  }

  const leaves = [events.listen(hear), nodes.listen(take)];
  return () => {
    for (const leave of leaves) leave();
  };
}
