/** An address of an outside broker. It may name several servers of one cluster. */
export interface BrokerAddress {
  /** How Busbar itself speaks to it. Devices speak MQTT in any case. */
  readonly protocol: "mqtt" | "amqp";
  readonly isSecure: boolean;
  /** The address of each server, as if it were alone. */
  readonly servers: readonly BrokerServer[];
  /** Without name, password and parameters. */
  readonly shown: string;
}

export interface BrokerServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

const FORM = /^(mqtts?|amqps?):\/\/([^/?#]*@)?([^/?#@]+)(\/[^?#]*)?(\?[^#]*)?$/;
const PORTS: Readonly<Record<string, number>> = { mqtt: 1883, mqtts: 8883, amqp: 5672, amqps: 5671 };
const MAX_SERVERS = 16;

/** The problem does not repeat the text, which may hold a password. */
export function parseBrokerAddress(text: string): { readonly value: BrokerAddress } | { readonly problem: string } {
  const [, scheme, login = "", hosts = "", path = "", query = ""] = FORM.exec(text) ?? [];
  if (scheme === undefined) {
    return { problem: "must be an address that starts with mqtt://, mqtts://, amqp:// or amqps://" };
  }
  const named = hosts.split(",");
  if (named.length > MAX_SERVERS) {
    return { problem: `names ${named.length} servers, and at most ${MAX_SERVERS} are possible` };
  }
  const servers: BrokerServer[] = [];
  for (const host of named) {
    const url = `${scheme}://${login}${host}${path}${query}`;
    const found = URL.canParse(url) ? new URL(url) : undefined;
    if (found === undefined || found.hostname === "") {
      return { problem: "has a server that is no address or host name with or without a port" };
    }
    servers.push({
      url,
      host: found.hostname.replaceAll(/[[\]]/g, ""),
      port: Number(found.port || PORTS[scheme]),
    });
  }
  if (new Set(servers.map(({ host, port }) => `${host}:${port}`)).size < servers.length) {
    return { problem: "names a server twice" };
  }
  return {
    value: {
      protocol: scheme.startsWith("amqp") ? "amqp" : "mqtt",
      isSecure: scheme.endsWith("s"),
      servers,
      shown: `${scheme}://${login === "" ? "" : "***@"}${hosts}${path}${query === "" ? "" : "?***"}`,
    },
  };
}

/** For an address that was parsed before. */
export function requireBrokerAddress(text: string): BrokerAddress {
  const parsed = parseBrokerAddress(text);
  if ("problem" in parsed) throw new Error(`the address of the broker ${parsed.problem}`);
  return parsed.value;
}
