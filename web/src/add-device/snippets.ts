// Programs that send the first message of a device over MQTT. Pure.
import type { CommunicationConfig } from "#client/resources.ts";
import type { Attribute, Manifest } from "#web/data/manifest.ts";

export const LANGUAGES = ["mosquitto", "python", "node"] as const;
export type Language = (typeof LANGUAGES)[number];

type Message = Readonly<Record<string, unknown>>;

/** The files that a device with TLS needs beside its program. */
export const FILES = { private_key: "device.key", certificate: "device.crt", ca_chain: "ca.crt" } as const;

const MOST_VALUES = 3;

/** A first message that fits the blueprint; without one, any name will do to be seen. */
export function exampleMessage(manifest: Manifest | undefined): Message {
  const fitting = [...(manifest?.telemetry.values() ?? [])].flatMap((attribute) => {
    const value = exampleValue(attribute);
    return value === undefined ? [] : [[attribute.id, value] as const];
  });
  // Numbers say most, and a status says what the device does.
  const numbers = fitting.filter(([, value]) => typeof value === "number").slice(0, MOST_VALUES - 1);
  const others = fitting.filter((one) => !numbers.includes(one));
  const chosen = [...numbers, ...others].slice(0, MOST_VALUES);
  return chosen.length === 0 ? { power: 1500 } : Object.fromEntries(chosen);
}

function exampleValue({ type, enum: values }: Attribute): unknown {
  if (values !== undefined) return type === "array_of_strings" ? [] : values[0]?.value;
  switch (type) {
    case "float":
      return 21.5;
    case "integer":
      return 21;
    case "boolean":
      return true;
    case "string":
      return "ok";
    default:
      return undefined;
  }
}

export function topicOf({ hardware_id: hardware, channel_id: channel }: CommunicationConfig): string {
  return `v1/from/${hardware}/${channel}/v1/telemetry`;
}

export function snippetOf(language: Language, config: CommunicationConfig, message: Message): string {
  switch (language) {
    case "mosquitto":
      return mosquitto(config, message);
    case "python":
      return python(config, message);
    case "node":
      return node(config, message);
  }
}

function isSecure(config: CommunicationConfig): boolean {
  return config.mqtt_protocol === "MQTTS";
}

function mosquitto(config: CommunicationConfig, message: Message): string {
  const { username = "", password = "" } = config.mqtt_credentials;
  const proof = isSecure(config)
    ? `--cafile ${FILES.ca_chain} --cert ${FILES.certificate} --key ${FILES.private_key}`
    : `-u ${shell(username)} -P ${shell(password)}`;
  return [
    `mosquitto_pub -h ${shell(config.mqtt_host)} -p ${config.mqtt_port} \\`,
    `  ${proof} \\`,
    `  -q 1 -t ${shell(topicOf(config))} \\`,
    `  -m ${shell(JSON.stringify(message))}`,
  ].join("\n");
}

function python(config: CommunicationConfig, message: Message): string {
  const { username = "", password = "" } = config.mqtt_credentials;
  const proof = isSecure(config)
    ? `client.tls_set("${FILES.ca_chain}", "${FILES.certificate}", "${FILES.private_key}")`
    : `client.username_pw_set(${JSON.stringify(username)}, ${JSON.stringify(password)})`;
  return `# pip install paho-mqtt
import json
import time

import paho.mqtt.client as mqtt

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
${proof}
client.connect(${JSON.stringify(config.mqtt_host)}, ${config.mqtt_port})
client.loop_start()

while True:
    values = ${pythonValue(message)}
    client.publish(${JSON.stringify(topicOf(config))}, json.dumps(values), qos=1)
    time.sleep(1)
`;
}

function node(config: CommunicationConfig, message: Message): string {
  const { username = "", password = "" } = config.mqtt_credentials;
  const host = config.mqtt_host.includes(":") ? `[${config.mqtt_host}]` : config.mqtt_host;
  const url = JSON.stringify(`${isSecure(config) ? "mqtts" : "mqtt"}://${host}:${config.mqtt_port}`);
  const options = isSecure(config)
    ? `{
  ca: readFileSync("${FILES.ca_chain}"),
  cert: readFileSync("${FILES.certificate}"),
  key: readFileSync("${FILES.private_key}"),
}`
    : `{
  username: ${JSON.stringify(username)},
  password: ${JSON.stringify(password)},
}`;
  return `// npm install mqtt
${isSecure(config) ? 'import { readFileSync } from "node:fs";\n' : ""}import mqtt from "mqtt";

const client = mqtt.connect(${url}, ${options});
const topic = ${JSON.stringify(topicOf(config))};

setInterval(() => {
  const values = ${JSON.stringify(message)};
  client.publish(topic, JSON.stringify(values), { qos: 1 });
}, 1000);
`;
}

/** For a POSIX shell. */
function shell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** JSON with Python's words for yes, no and nothing. */
function pythonValue(value: unknown): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value === "object") {
    const fields = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonValue(one)}`);
    return `{${fields.join(", ")}}`;
  }
  return JSON.stringify(value);
}
