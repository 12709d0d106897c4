// What a device may do on the embedded broker: sign in, publish to the inbox under its own topics, listen to its own.
import type { Aedes, AedesOptions, AuthenticateError, Client } from "aedes";
import { addressBlock } from "#core/net/address-block.ts";
import { EVENT_LOOP } from "#event-loop";
import { createAdapter } from "#mqtt/adapter.ts";
import type { MqttNeeds } from "#mqtt/mqtt-needs.ts";
import { commandTopic, configurationTopic, filterChannel, filterMatches } from "#mqtt/topics.ts";
import type { ChildChannel, CommandChannel } from "#service/ports/carrier.ts";
import type { Child, SignedIn } from "#service/ports/device-inbox.ts";
import type { SignInCounts } from "#service/ports/figures.ts";
import type { Connection, Connections } from "./connections.ts";
import { Filters } from "./filters.ts";
import type { FrameGuard } from "./frame-guard.ts";
import { createPlainLane } from "./plain-lane.ts";
import { connectionKind, signIn } from "./sign-in.ts";
import { createSignInPace } from "./sign-in-pace.ts";
import { createTokenBucket, type TokenBucket } from "./token-bucket.ts";

/** How long a connection may take until it has signed in. */
export const SIGN_IN_MS = 10_000;
const SERVER_UNAVAILABLE = 3;
const BAD_LOGIN = 4;

export interface PolicySettings {
  readonly messageRate: number;
  readonly signInRate: number;
  readonly subscriptionsPerConnection: number;
}

interface PolicyNeeds extends MqttNeeds {
  readonly connections: Connections;
  readonly channel: CommandChannel & { readonly children: ChildChannel };
}

type Handlers = Required<
  Pick<AedesOptions, "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe" | "authorizeForward">
>;

export interface DevicePolicy {
  readonly handlers: Handlers;
  readonly signIns: SignInCounts;
  /** Hears what the broker reports about its clients. */
  watch(aedes: Aedes): void;
  /** The device showed a sign of life on a connection. */
  notice(client: Client): void;
}

export function createDevicePolicy(
  needs: PolicyNeeds,
  settings: PolicySettings,
  guardOf: (client: Client) => FrameGuard | undefined,
): DevicePolicy {
  const { inbox, log, connections, channel } = needs;
  const adapter = createAdapter(inbox);
  const signedIn = new WeakMap<Client, SignedIn>();
  const byClient = new WeakMap<Client, Connection>();
  const signIns = { accepted: 0, refused: 0 };
  const pace = createSignInPace(settings.signInRate, EVENT_LOOP.elapsed);
  /** One bucket per device, kept while it is away: a reconnect does not refill it. */
  const buckets = new Map<string, TokenBucket>();

  const bucketOf = (deviceId: string): TokenBucket => {
    const bucket = buckets.get(deviceId) ?? createTokenBucket(settings.messageRate, needs.now);
    buckets.set(deviceId, bucket);
    return bucket;
  };

  /** Whether the device may listen: to its own topics, and to those of its children. */
  const mayListen = async ({ device }: Connection, filter: string): Promise<boolean> => {
    const channelId = filterChannel(device, filter);
    if (channelId === undefined) return false;
    if (channelId === device.channelId || channelId === "+" || channelId === "#") return true;
    return (await inbox.child(device.deviceId, channelId)) !== undefined;
  };

  /** The connection listens to these topics from now on: what waits for the children among them is sent. */
  const welcomeChildren = async ({ device, guard }: Connection, hears: (topic: string) => boolean): Promise<void> => {
    for (const { deviceId, channelId } of await childrenHeard(device, hears)) {
      if (guard.destroyed) return;
      const { hardwareId, deviceId: carrierId } = device;
      if (hears(configurationTopic({ hardwareId, channelId }))) {
        const configuration = await needs.configurationOf(deviceId);
        const child = { childId: deviceId, carrierId, channelId };
        if (configuration !== undefined) await channel.children.sendConfiguration(child, configuration, []);
      }
      if (!hears(commandTopic({ hardwareId, channelId }))) continue;
      inbox.connected(deviceId);
      inbox.reachable(deviceId);
    }
  };

  const childrenHeard = async (
    { deviceId, hardwareId }: SignedIn,
    hears: (topic: string) => boolean,
  ): Promise<readonly Child[]> =>
    (await inbox.children(deviceId)).filter(
      ({ channelId }) =>
        hears(commandTopic({ hardwareId, channelId })) || hears(configurationTopic({ hardwareId, channelId })),
    );

  const sendConfiguration = async ({ device, guard }: Connection): Promise<void> => {
    const configuration = await needs.configurationOf(device.deviceId);
    if (configuration !== undefined && !guard.destroyed)
      await channel.sendConfiguration(device.deviceId, configuration, []);
  };

  /** Messages are acknowledged in the order of arrival, and only when they are durable. */
  const acknowledge = (
    connection: Connection,
    { received, qos }: { readonly received: Promise<void>; readonly qos: number },
    done: (error?: Error | null) => void,
  ): void => {
    received.catch(() => {});
    const turn = connection.tail.then(() => received);
    // At QoS 0 the device cannot send again, so closing the connection would not help.
    connection.tail = qos === 0 ? turn.catch(() => {}) : turn;
    turn.then(
      () => done(null),
      (error: unknown) => {
        log.warn({ err: error, device: connection.device.deviceId }, "a message of a device could not be stored");
        done(qos === 0 ? null : new Error("the message could not be stored"));
      },
    );
  };

  const handlers: Handlers = {
    preConnect(client, packet, done) {
      // The guard watches it: the broker does not see every packet.
      const guard = guardOf(client);
      if (guard !== undefined) guard.keepAlive = packet.keepalive ?? 0;
      packet.keepalive = 0;
      // Every session is clean: what a device missed while it was away is stale when it returns.
      packet.clean = true;
      done(null, true);
    },

    authenticate(client, username, password, done) {
      const guard = guardOf(client);
      if (guard === undefined) return done(refusal(SERVER_UNAVAILABLE), false);
      const late = setTimeout(() => guard.destroy(), SIGN_IN_MS);
      const answer = async (): Promise<number | SignedIn> => {
        try {
          const check = () => signIn(inbox, guard.socket, { username, password });
          const device = await check();
          // A refused one counts for its address: it must not delay the device that it names.
          const address = addressBlock(guard.socket.remoteAddress ?? "");
          const waitMs = pace.wait(device === undefined ? `address ${address}` : `device ${device.deviceId}`);
          if (waitMs === undefined) return SERVER_UNAVAILABLE;
          if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
          // The secret may have changed meanwhile.
          return (waitMs > 0 && device !== undefined ? await check() : device) ?? BAD_LOGIN;
        } catch (error) {
          log.error({ err: error }, "a device could not be signed in");
          return SERVER_UNAVAILABLE;
        } finally {
          clearTimeout(late);
        }
      };
      void answer().then((device) => {
        if (typeof device === "number") {
          if (device === BAD_LOGIN) signIns.refused++;
          return done(refusal(device), false);
        }
        signIns.accepted++;
        // The same client id used by another device must not end this connection.
        client.id = `${device.deviceId}/${client.id}`;
        signedIn.set(client, device);
        return done(null, true);
      });
    },

    authorizePublish(client, packet, done) {
      packet.retain = false;
      const connection = client === null ? undefined : byClient.get(client);
      if (connection === undefined) return done(new Error("not signed in"));
      const { topic, dup, qos } = packet;
      const payload = typeof packet.payload === "string" ? Buffer.from(packet.payload) : packet.payload;
      const received = adapter.receive(connection.device, { topic, payload, repeated: dup });
      acknowledge(connection, { received, qos }, (error) => {
        connection.guard.acknowledge();
        done(error);
      });
    },

    authorizeSubscribe(client, subscription, done) {
      const connection = byClient.get(client);
      if (connection === undefined) return done(null, null);
      const decide = async (): Promise<typeof subscription | null> => {
        if (!(await mayListen(connection, subscription.topic))) return null;
        const { filters } = connection;
        const isNew = !filters.has(subscription.topic);
        if (isNew && filters.size >= settings.subscriptionsPerConnection) return null;
        filters.set(subscription.topic, subscription.qos === 0 ? 0 : 1);
        return subscription;
      };
      decide().then(
        (granted) => done(null, granted),
        (error: unknown) => {
          log.error({ err: error, device: connection.device.deviceId }, "a subscription could not be checked");
          done(null, null);
        },
      );
    },

    // Only our own messages come this way: nothing is routed between clients.
    authorizeForward: (_client, packet) => packet,
  };

  const watch = (aedes: Aedes): void => {
    aedes.on("clientReady", (client) => {
      const device = signedIn.get(client);
      const guard = guardOf(client);
      if (device === undefined || guard === undefined || guard.destroyed) return;
      const commands = commandTopic(device);
      const filters = new Filters();
      const connection: Connection = { device, client, guard, filters, commands, tail: Promise.resolve() };
      byClient.set(client, connection);
      connections.add(connection);
      guard.once("close", () => connections.remove(connection));
      inbox.connected(device.deviceId, connectionKind(guard.socket));
      const plain = createPlainLane(connection, adapter, acknowledge);
      guard.open(device.deviceId, bucketOf(device.deviceId), plain);
    });

    aedes.on("subscribe", (subscriptions, client) => {
      const connection = byClient.get(client);
      if (connection === undefined || client.closed) return;
      const { device, filters } = connection;
      const granted = subscriptions.map(({ topic }) => topic).filter((topic) => filters.has(topic));
      const hears = (topic: string) => granted.some((filter) => filterMatches(filter, topic));
      if (hears(configurationTopic(device))) {
        sendConfiguration(connection).catch((error: unknown) =>
          log.error({ err: error, device: device.deviceId }, "the configuration could not be sent to a device"),
        );
      }
      if (hears(commandTopic(device))) inbox.reachable(device.deviceId);
      if (granted.some((filter) => filterChannel(device, filter) !== device.channelId)) {
        welcomeChildren(connection, hears).catch((error: unknown) =>
          log.error({ err: error, device: device.deviceId }, "children of a device could not be welcomed"),
        );
      }
    });

    aedes.on("unsubscribe", (filters, client) => {
      for (const filter of filters) byClient.get(client)?.filters.delete(filter);
    });
    aedes.on("clientError", (client, error) =>
      log.debug({ err: error, device: signedIn.get(client)?.deviceId }, "a connection of a device failed"),
    );
    aedes.on("connectionError", (_client, error) => log.debug({ err: error }, "a connection failed"));
    // An "error" without a listener would end the process.
    aedes.addListener("error", (error: unknown) => log.error({ err: error }, "the MQTT broker has a fault"));
  };

  return {
    handlers,
    signIns,
    watch,
    notice(client) {
      const device = signedIn.get(client);
      if (device !== undefined) inbox.alive(device.deviceId);
    },
  };
}

function refusal(returnCode: number): AuthenticateError {
  return Object.assign(new Error(returnCode === BAD_LOGIN ? "bad user name or password" : "not available now"), {
    returnCode,
  });
}
