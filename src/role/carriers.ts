// How devices reach us: through the embedded broker, with TLS on request, or through an external broker.

import { X509Certificate } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "#config";
import { type BrokerAddress, requireBrokerAddress } from "#core/net/broker-address.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { createEmbeddedBroker, EMBEDDED_DEFAULTS } from "#mqtt/embedded/create-embedded-broker.ts";
import type { ExternalNeeds } from "#mqtt/external/receive-message.ts";
import type { SharedSessions } from "#mqtt/external/shared-sessions.ts";
import type { Broker, MqttNeeds } from "#mqtt/mqtt-needs.ts";
import type { SiteAuthority } from "#mqtt/pki/open-site-authority.ts";
import { shareDuties } from "#role/duties.ts";
import { ownNames } from "#role/own-names.ts";
import type { ChoreHealth } from "#service/chore-health.ts";
import type { ChannelRouter } from "#service/device/channel-router.ts";
import { type ConfigurationSender, returned } from "#service/device/configuration-sender.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { Carrier, IssueCertificate } from "#service/ports/carrier.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";
import type { SignInCounts } from "#service/ports/figures.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Troubles } from "#service/troubles.ts";

export interface Carriers {
  /** Where devices connect to; host undefined means the name under which the client reached us. */
  readonly endpoints: {
    readonly mqtt: { readonly host: string | undefined; readonly port: number } | undefined;
    readonly mqtts: { readonly host: string | undefined; readonly port: number } | undefined;
  };
  /** How many devices are connected; undefined with an outside broker, which does not report it. */
  readonly connections: (() => number) | undefined;
  /** Undefined with an outside broker, which does not report it. */
  readonly signIns: (() => SignInCounts) | undefined;
  /** Of the server for MQTT over TLS; undefined without one. */
  readonly certificateExpiresAt: (() => Instant) | undefined;
  /** Undefined where no certificate would be accepted. */
  readonly issueCertificate: IssueCertificate | undefined;
  stop(): Promise<void>;
}

interface CarrierNeeds extends MqttNeeds {
  readonly devices: DeviceStore;
  /** Receives the carrier before the first device can connect. */
  readonly channel: ChannelRouter;
  readonly troubles: Pick<Troubles, "report">;
  readonly nodes: Nodes;
  readonly connectivity: Pick<Connectivity, "status">;
  readonly configurationSender: ConfigurationSender;
  readonly choreHealth: ChoreHealth;
  readonly log: Logger;
}

export async function startCarriers(needs: CarrierNeeds, config: Config): Promise<Carriers> {
  return config.mqtt.url === undefined
    ? await startEmbedded(needs, config)
    : await startExternal(needs, config, config.mqtt.url.reveal());
}

async function startEmbedded(needs: CarrierNeeds, config: Config): Promise<Carriers> {
  const tlsPort = config.mqtt.tlsPort;
  const authority = tlsPort === "off" ? undefined : await openAuthority(needs, join(config.data, "pki"));
  const names = [...config.mqtt.names, ...ownNames(config.host)];
  const broker = await createEmbeddedBroker(needs, {
    ...EMBEDDED_DEFAULTS,
    messageRate: config.mqtt.messageRate,
    host: config.host,
    port: config.mqtt.port,
    ...(authority !== undefined &&
      tlsPort !== "off" && {
        tls: { port: tlsPort, authority, names },
      }),
  });
  needs.channel.add(carrierOf(broker));
  const open = await broker.listen();
  const host = config.mqtt.names[0];
  return {
    endpoints: {
      mqtt: open.port === undefined ? undefined : { host, port: open.port },
      mqtts: open.tlsPort === undefined ? undefined : { host, port: open.tlsPort },
    },
    connections: () => broker.count(),
    signIns: () => broker.signIns,
    certificateExpiresAt: authority && (() => endOf(authority.serverIdentity(names).certificate)),
    issueCertificate: authority && ((hardwareId) => authority.issueDeviceCertificate(hardwareId)),
    stop: () => broker.stop(),
  };
}

/** Undefined when its files cannot be used: a new authority would lock out every device that trusts the old one. */
async function openAuthority(needs: CarrierNeeds, folder: string): Promise<SiteAuthority | undefined> {
  // Without TLS it is not loaded, so that a start is shorter.
  const { openSiteAuthority } = await import("#mqtt/pki/open-site-authority.ts");
  try {
    return openSiteAuthority(folder, needs.now);
  } catch (error) {
    const message =
      "MQTT over TLS is off: the site's certificates cannot be read; restore the folder pki from a backup";
    needs.troubles.report({ part: "mqtt", message }, { err: error, place: folder });
    return undefined;
  }
}

async function startExternal(needs: CarrierNeeds, config: Config, url: string): Promise<Carriers> {
  const address = requireBrokerAddress(url);
  const externalNeeds = {
    ...needs,
    identify: async (hardwareId: string) => {
      const credential = await needs.devices.findCredentialByHardwareId(hardwareId);
      return credential && { deviceId: credential.deviceId, hardwareId, channelId: credential.channelId };
    },
    ...(needs.nodes.isShared && {
      isHeardElsewhere: (deviceId: string) => needs.connectivity.status(deviceId) === "ONLINE",
      configureOnce: (deviceId: string, send: () => Promise<void>) =>
        needs.configurationSender.once(returned(deviceId), send),
    }),
  };
  const start = address.protocol === "amqp" ? startAmqp : startMqttClient;
  return {
    endpoints: address.protocol === "amqp" ? pluginEndpoints(config, address) : brokerEndpoints(address),
    connections: undefined,
    signIns: undefined,
    certificateExpiresAt: undefined,
    issueCertificate: undefined,
    stop: await start(needs, config, externalNeeds),
  };
}

type StartClient = (needs: CarrierNeeds, config: Config, external: ExternalNeeds) => Promise<() => Promise<void>>;

const startMqttClient: StartClient = async (needs, config, external) => {
  const { createExternalBroker, EXTERNAL_DEFAULTS } = await import("#mqtt/external/create-external-broker.ts");
  const url = config.mqtt.url?.reveal() ?? "";
  const settings = { ...EXTERNAL_DEFAULTS, url, aliveForMs: toMilliseconds(config.devices.silence) };
  if (needs.nodes.isShared) {
    const { createSharedSessions } = await import("#mqtt/external/shared-sessions.ts");
    const clientId = config.mqtt.clientId ?? `busbar-${config.role}`;
    const sessions = createSharedSessions(external, { ...settings, clientId });
    return await shareSessions(needs, sessions, config.mqtt.sessions);
  }
  const clientId = config.mqtt.clientId ?? `busbar-${config.role}-${hostname()}`;
  const broker = createExternalBroker(external, { ...settings, clientId });
  needs.channel.add(carrierOf(broker));
  broker.start();
  return () => broker.stop();
};

const startAmqp: StartClient = async (needs, config, external) => {
  const { createAmqpBroker } = await import("#mqtt/amqp/create-amqp-broker.ts");
  const { QUEUES } = await import("#mqtt/amqp/queues.ts");
  const { isShared } = needs.nodes;
  const broker = createAmqpBroker(external, {
    url: config.mqtt.url?.reveal() ?? "",
    installation: config.mqtt.clientId ?? (isShared ? `busbar-${config.role}` : `busbar-${config.role}-${hostname()}`),
    aliveForMs: toMilliseconds(config.devices.silence),
    isShared,
  });
  return await shareSessions(needs, broker, QUEUES);
};

/** A node alone has all of them. */
async function shareSessions(
  needs: CarrierNeeds,
  sessions: SharedSessions,
  parts: number,
): Promise<() => Promise<void>> {
  needs.channel.add(carrierOf(sessions));
  const duties = await shareDuties(needs, { name: "mqtt session", parts, begin: sessions.use });
  return async () => {
    await duties.stop();
    await sessions.stop();
  };
}

function brokerEndpoints({ servers: [first], isSecure }: BrokerAddress): Carriers["endpoints"] {
  const endpoint = first && { host: first.host, port: first.port };
  return { mqtt: isSecure ? undefined : endpoint, mqtts: isSecure ? endpoint : undefined };
}

/** Where the MQTT plugin listens does not follow from the address that nodes use. */
function pluginEndpoints({ mqtt }: Config, { servers: [first] }: BrokerAddress): Carriers["endpoints"] {
  const host = mqtt.names[0] ?? first?.host;
  const at = (port: number | "off") => (port === "off" ? undefined : { host, port });
  return { mqtt: at(mqtt.port), mqtts: at(mqtt.tlsPort) };
}

function endOf(certificate: string): Instant {
  return instant(new X509Certificate(certificate).validToDate.getTime());
}

function carrierOf(broker: Broker): Carrier {
  return { ...broker.channel, disconnect: (deviceId, valid) => broker.disconnect(deviceId, valid) };
}
