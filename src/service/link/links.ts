// The gateways that are connected to this cloud. Commands to their devices go over their connections.
import { AppError } from "#core/app-error.ts";
import type { Gateway } from "#core/link/gateway.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import type { DownMessage, UpMessage } from "#core/link/messages.ts";
import { parseUpMessage } from "#core/link/parse-message.ts";
import { createDeviceWays } from "#service/link/device-ways.ts";
import { createGatewaySession, type GatewaySession, type SessionNeeds } from "#service/link/gateway-session.ts";
import { createLinkChannel } from "#service/link/link-channel.ts";
import type { LinkIntakes } from "#service/link/link-intake.ts";
import { loseSightOf } from "#service/link/open-elsewhere.ts";
import type { Carrier } from "#service/ports/carrier.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";
import type { Claim, Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";

export interface LinkNeeds extends SessionNeeds, Pick<Needs, "randomBytes"> {
  readonly linkIntakes: LinkIntakes;
  readonly nodes: Pick<Nodes, "isShared" | "claim" | "held" | "broadcast">;
}

export interface Links {
  /** The way to the devices of connected gateways. */
  readonly carrier: Carrier;
  /** Talks to a gateway that has signed in, until its connection ends. A former connection of it is closed. */
  serve(gateway: Gateway, socket: LinkSocket): Promise<void>;
  /** Ends the connection, because the gateway has connected to another node. */
  leaveTo(gatewayId: string): void;
  /** Ends the connection at whichever node, because sites of the gateway have changed their owner, or may. */
  connectAnew(gatewayId: string): void;
  /** Ends the connection, because the gateway may no longer sign in. */
  disconnect(gatewayId: string): void;
  /** Asks the gateway to change its credential, if it is connected here. */
  rotate(gatewayId: string): void;
  /**
   * Finds the gateways whose node has ended: nothing is known of what they own until they are back. Ends connections whose
   * access was revoked at another node, because the message that says so may be lost.
   */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a gateway waits for the node that it was connected to. */
const CLAIM_TRIES = 50;
const CLAIM_EVERY_MS = 200;
const NEVER = new AbortController().signal;

const claimOf = (gatewayId: string) => `gateway ${gatewayId}`;

export function createLinks(needs: LinkNeeds): Links {
  const sessions = new Map<string, GatewaySession>();
  const ends = new Map<string, Promise<void>>();
  const ways = createDeviceWays<GatewaySession>();
  let isStopping = false;

  const randomNumber = () => Buffer.from(needs.randomBytes(4)).readUInt32LE();

  async function serve(gateway: Gateway, socket: LinkSocket): Promise<void> {
    try {
      sessions.get(gateway.id)?.close("the gateway has connected again");
      await ends.get(gateway.id);
      const claim = await claimGateway(gateway.id);
      if (claim === undefined) {
        return socket.close(isStopping ? "the cloud stops" : "another node still talks to this gateway");
      }
      const ended = serveClaimed(gateway, socket, claim);
      ends.set(
        gateway.id,
        ended.catch(() => {}),
      );
      await ended;
    } catch (error) {
      const isExpected = error instanceof LinkMistake || error instanceof AppError;
      const reason = isExpected ? error.message : "the cloud cannot go on";
      needs.log.warn({ gatewayId: gateway.id, err: error }, "the link to a gateway has failed");
      socket.close(reason);
    }
  }

  async function serveClaimed(gateway: Gateway, socket: LinkSocket, claim: Claim): Promise<void> {
    const intake = needs.linkIntakes.open(gateway.id, (reason) => socket.close(reason));
    try {
      const current = (await needs.gateways.find(gateway.id)) ?? gateway;
      if (isStopping) return socket.close("the cloud stops");
      const channel = createLinkChannel<DownMessage, UpMessage>(socket, {
        parse: parseUpMessage,
        nonce: randomNumber(),
        intake,
      });
      const session = createGatewaySession(needs, current, channel, {
        lost: claim.lost,
        onWay: (deviceId) => ways.set(deviceId, session),
        onTakeover: connectAnew,
      });
      await talkUntilEnd(gateway.id, session, claim.lost);
    } finally {
      intake.end();
      // Only now may another node talk to it: what is unknown here must not hide what it reports there.
      await claim.release();
    }
  }

  async function talkUntilEnd(gatewayId: string, session: GatewaySession, lost: AbortSignal): Promise<void> {
    const close = () => session.close("this node has lost the database");
    sessions.set(gatewayId, session);
    lost.addEventListener("abort", close);
    if (lost.aborted) close();
    try {
      await session.talk();
    } finally {
      // The signal may live as long as this node, and would keep the session.
      lost.removeEventListener("abort", close);
      if (sessions.get(gatewayId) === session) sessions.delete(gatewayId);
      ways.end(session);
      await session.leave();
    }
  }

  /** One connection of a gateway at a time, over all nodes. A former one is asked to leave. */
  async function claimGateway(gatewayId: string): Promise<Claim | undefined> {
    for (let tries = 0; tries < CLAIM_TRIES && !isStopping; tries++) {
      const claim = await needs.nodes.claim(claimOf(gatewayId));
      if (claim !== undefined) return claim;
      sessions.get(gatewayId)?.close("the gateway has connected again");
      needs.nodes.broadcast({ kind: "gateway", id: gatewayId });
      await needs.pause(CLAIM_EVERY_MS, NEVER);
    }
    return undefined;
  }

  /** What the gateway owns has changed: it connects again and says what it has. */
  function connectAnew(gatewayId: string): void {
    sessions.get(gatewayId)?.close("the sites of the gateway have changed");
    needs.nodes.broadcast({ kind: "gateway", id: gatewayId });
  }

  function disconnect(gatewayId: string): void {
    sessions.get(gatewayId)?.close("the gateway's access was revoked");
  }

  return {
    carrier: {
      isReady: (deviceId) => ways.of(deviceId) !== undefined,
      send: async (deviceId, command, execution) => {
        const session = ways.of(deviceId);
        if (session === undefined || execution === undefined) return "not_sent";
        return await session.orders.give(command, execution);
      },
      ask: (deviceId, id) => ways.of(deviceId)?.ask(id),
      sendConfiguration: async () => {},
      disconnect: () => {},
    },
    serve,
    connectAnew,
    leaveTo: (gatewayId) => sessions.get(gatewayId)?.close("the gateway has connected to another node"),
    disconnect,
    rotate: (gatewayId) => sessions.get(gatewayId)?.rotate(),
    async sweep() {
      for (const gatewayId of await needs.gateways.revokedConnected()) disconnect(gatewayId);
      const elsewhere = (await needs.gateways.connected()).filter((gatewayId) => !sessions.has(gatewayId));
      // Most are connected to another node: they cost one look together, and no attempt each.
      const held = await needs.nodes.held(elsewhere.map(claimOf));
      for (const gatewayId of elsewhere) {
        if (held.has(claimOf(gatewayId)) || sessions.has(gatewayId)) continue;
        const claim = await needs.nodes.claim(claimOf(gatewayId));
        if (claim === undefined) continue;
        try {
          for (const { id, type } of await needs.gateways.devices(gatewayId)) {
            if (type === "GATEWAY") needs.connectivity.absent(id);
            else needs.connectivity.loseSight(id, needs.nodes.isShared);
          }
          await loseSightOf(needs, gatewayId, claim.lost);
          if (!claim.lost.aborted) {
            await needs.gateways.noteGone(gatewayId);
            await needs.reportedControls.gatewayChanged(gatewayId);
          }
        } finally {
          await claim.release();
        }
      }
    },
    async stop() {
      isStopping = true;
      for (const session of sessions.values()) session.close("the cloud stops");
      await Promise.all(ends.values());
    },
  };
}
