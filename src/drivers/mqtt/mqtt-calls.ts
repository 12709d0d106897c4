import { bytes, type Call, flag, integer, table, text, timeout } from "#drivers/arguments.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { bytesOf, type LuaValue } from "#drivers/lua-value.ts";
import type { MqttConnection, MqttTarget } from "#drivers/mqtt/mqtt-client.ts";
import { unescapeLogin } from "#drivers/net/unescape-login.ts";

const MAX_CLIENTS = 4;
const MAX_PAYLOAD_BYTES = 256 * 1024;
const MAX_TOPIC_BYTES = 1024;
const DEFAULT_TIMEOUT_MS = 5000;

/** `connectTo` connects at once; the same address and options give the same connection. */
export function mqttCalls(connectTo: (target: MqttTarget) => MqttConnection): Readonly<Record<string, Call>> {
  const handles = new Map<string, number>();
  const targets: MqttTarget[] = [];
  const drops = new Map<number, number>();

  const at = (handle: LuaValue): number => integer(handle, "handle", [0, targets.length - 1]);
  const wireOf = (handle: LuaValue): MqttConnection => {
    const target = targets[at(handle)];
    if (target === undefined) throw new ConnectionError("closed", "the client is closed");
    return connectTo(target);
  };
  const waitOf = (options: ReadonlyMap<string, LuaValue>) => timeout(options.get("timeout") ?? DEFAULT_TIMEOUT_MS);
  const qosOf = (options: ReadonlyMap<string, LuaValue>) =>
    integer(options.get("qos") ?? 0, "qos", [0, 1]) === 0 ? 0 : 1;

  return {
    "mqtt.open": async ([uri, options]) => {
      const target = parseTarget(text(uri, "address"), table(options, "options"));
      const key = JSON.stringify(target);
      const known = handles.get(key);
      if (known === undefined && targets.length >= MAX_CLIENTS)
        throw new ConnectionError("busy", `a device has ${MAX_CLIENTS} MQTT clients at most`);
      connectTo(target);
      const handle = known ?? targets.push(target) - 1;
      handles.set(key, handle);
      return [handle];
    },
    "mqtt.publish": async ([handle, topic, payload, options]) => {
      const settings = table(options, "options");
      const message = {
        topic: topicOf(topic, false),
        payload: bytes(payload, "payload", MAX_PAYLOAD_BYTES),
        qos: qosOf(settings),
        retain: flag(settings.get("retain")),
      } as const;
      await wireOf(handle).publish(message, waitOf(settings));
      return [];
    },
    "mqtt.subscribe": async ([handle, filter, options]) => {
      const settings = table(options, "options");
      await wireOf(handle).subscribe(topicOf(filter, true), qosOf(settings), waitOf(settings));
      return [];
    },
    "mqtt.unsubscribe": async ([handle, filter, options]) => {
      await wireOf(handle).unsubscribe(topicOf(filter, true), waitOf(table(options, "options")));
      return [];
    },
    "mqtt.take": async ([handle]) => {
      const { messages, dropped } = wireOf(handle).take();
      const index = at(handle);
      drops.set(index, (drops.get(index) ?? 0) + dropped);
      return [
        messages.map(
          ({ topic, payload }) =>
            new Map([
              ["topic", bytesOf(topic)],
              ["payload", Buffer.from(payload).toString("latin1")],
            ]),
        ),
      ];
    },
    "mqtt.drops": async ([handle]) => {
      const count = drops.get(at(handle)) ?? 0;
      drops.delete(at(handle));
      return [count];
    },
    "mqtt.is_connected": async ([handle]) => [wireOf(handle).isConnected()],
  };
}

function parseTarget(text: string, options: ReadonlyMap<string, LuaValue>): MqttTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isTls = url?.protocol === "mqtts:";
  if (url === undefined || url.hostname === "" || (url.protocol !== "mqtt:" && !isTls))
    throw new ConnectionError(
      "invalid",
      `"${text.slice(0, 200)}" is no address such as mqtt://192.168.1.10:1883 or mqtts://host`,
    );
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || (isTls ? 8883 : 1883),
    isTls,
    isInsecure: flag(options.get("insecure_tls")),
    clientId: optional(options, "client_id"),
    username: optional(options, "username") ?? (url.username === "" ? undefined : unescapeLogin(url.username)),
    password: optional(options, "password") ?? (url.password === "" ? undefined : unescapeLogin(url.password)),
  };
}

function optional(options: ReadonlyMap<string, LuaValue>, name: string): string | undefined {
  const value = options.get(name);
  return value === undefined ? undefined : text(value, name, 256);
}

/** Wildcards belong in filters, where `#` comes last. */
function topicOf(value: LuaValue, isFilter: boolean): string {
  const topic = text(value, isFilter ? "filter" : "topic", MAX_TOPIC_BYTES);
  const levels = topic.split("/");
  const isRight = isFilter
    ? levels.every((level, at) => !/[+#]/.test(level) || level === "+" || (level === "#" && at === levels.length - 1))
    : !/[+#]/.test(topic);
  if (topic === "" || topic.includes("\u0000") || !isRight)
    throw new ConnectionError("invalid", `"${topic}" is no ${isFilter ? "topic filter" : "topic to publish to"}`);
  return topic;
}
