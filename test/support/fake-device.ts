// A small MQTT device for tests and benchmarks, connected by what generate_config answered.
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";

/** The `config` object of generate_config. */
export interface FakeDeviceConfig {
  readonly mqtt_host: string;
  readonly mqtt_port: number;
  readonly mqtt_protocol?: string;
  readonly mqtt_credentials: Readonly<Record<string, string>>;
  readonly hardware_id: string;
  readonly channel_id: string;
}

interface FakeCommand {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Progress; resolves when the service has acknowledged it. */
  log(payload?: object): Promise<void>;
  completed(payload?: object): Promise<void>;
  error(payload?: object): Promise<void>;
  /** Any state, for devices that do not behave. */
  respond(state: unknown, payload?: unknown): Promise<void>;
}

export interface FakeDevice {
  readonly client: MqttClient;
  /** Commands in the order of arrival; `onCommand` sees those that come after it was set. */
  readonly commands: readonly FakeCommand[];
  readonly configurations: readonly unknown[];
  onCommand(handler: (command: FakeCommand) => void | Promise<void>): void;
  /** Resolves with the next command of this name, or the first one that has come and was not waited for. */
  nextCommand(name?: string): Promise<FakeCommand>;
  nextConfiguration(): Promise<unknown>;
  sendTelemetry(values: object): Promise<void>;
  sendProperties(values: object): Promise<void>;
  log(message: string, options?: { severity?: string; persist?: boolean; timestamp?: number }): Promise<void>;
  /** Any bytes on any topic below the device's own prefix, such as `v1/telemetry`. */
  publish(rest: string, payload: string | Buffer): Promise<void>;
  /** Ends the connection politely. */
  close(): Promise<void>;
  /** Cuts the connection without a word. */
  drop(): void;
}

export interface FakeDeviceOptions extends IClientOptions {
  /** Sent with every message; 1 by default. */
  readonly sendQos?: 0 | 1 | 2;
  /** Listens to commands and configuration by default. */
  readonly listen?: boolean;
}

export async function connectFakeDevice(
  config: FakeDeviceConfig,
  { sendQos = 1, listen = true, ...options }: FakeDeviceOptions = {},
): Promise<FakeDevice> {
  const { username, password, private_key, certificate, ca_chain } = config.mqtt_credentials;
  const secure = config.mqtt_protocol === "MQTTS";
  const host = config.mqtt_host.includes(":") ? `[${config.mqtt_host}]` : config.mqtt_host;
  const client = await connectAsync(`${secure ? "mqtts" : "mqtt"}://${host}:${config.mqtt_port}`, {
    clientId: "",
    clean: true,
    reconnectPeriod: 0,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(private_key === undefined ? {} : { key: private_key }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(ca_chain === undefined ? {} : { ca: ca_chain }),
    ...options,
  });
  client.on("error", () => {});
  const from = `v1/from/${config.hardware_id}/${config.channel_id}`;
  const to = `v1/to/${config.hardware_id}/${config.channel_id}`;

  const commands: FakeCommand[] = [];
  const unclaimed: FakeCommand[] = [];
  const configurations: unknown[] = [];
  const newConfigurations = createQueue<unknown>();
  const waiting: { name: string | undefined; resolve: (command: FakeCommand) => void }[] = [];
  let handler: ((command: FakeCommand) => void | Promise<void>) | undefined;

  const publish = async (rest: string, payload: string | Buffer): Promise<void> => {
    await client.publishAsync(`${from}/${rest}`, payload, { qos: sendQos });
  };
  const commandFrom = (request: Pick<FakeCommand, "id" | "name" | "arguments">): FakeCommand => {
    const respond = (state: unknown, payload?: unknown) =>
      publish("v1/command/responses", JSON.stringify({ id: request.id, state, payload }));
    return {
      ...request,
      respond,
      log: (payload) => respond("log", payload),
      completed: (payload) => respond("completed", payload),
      error: (payload) => respond("error", payload),
    };
  };

  client.on("message", (topic, payload) => {
    const content: unknown = JSON.parse(payload.toString("utf8"));
    if (topic === `${to}/v1/configuration`) {
      configurations.push(content);
      newConfigurations.put(content);
    }
    if (topic !== `${to}/v1/command/requests`) return;
    const command = commandFrom(content as FakeCommand);
    commands.push(command);
    const waiter = waiting.findIndex(({ name }) => name === undefined || name === command.name);
    if (waiter >= 0) waiting.splice(waiter, 1)[0]?.resolve(command);
    else unclaimed.push(command);
    // A device that cannot answer because its connection has gone is not a failure of the test.
    if (handler !== undefined) Promise.resolve(handler(command)).catch(() => {});
  });
  if (listen) await client.subscribeAsync([`${to}/v1/command/requests`, `${to}/v1/configuration`], { qos: 1 });

  return {
    client,
    commands,
    configurations,
    onCommand(next) {
      handler = next;
    },
    nextCommand(name) {
      const found = unclaimed.findIndex((command) => name === undefined || command.name === name);
      const [command] = found >= 0 ? unclaimed.splice(found, 1) : [];
      return command === undefined
        ? new Promise((resolve) => waiting.push({ name, resolve }))
        : Promise.resolve(command);
    },
    nextConfiguration: () => newConfigurations.take(),
    sendTelemetry: (values) => publish("v1/telemetry", JSON.stringify(values)),
    sendProperties: (values) => publish("v1/properties", JSON.stringify(values)),
    log: (message, { severity = "info", persist = false, timestamp = Date.now() / 1000 } = {}) =>
      publish("v3/logs", JSON.stringify({ timestamp, message, severity, persist })),
    publish,
    async close() {
      if (client.connected) await client.endAsync();
      else drop(client);
    },
    drop: () => drop(client),
  };
}

function drop(client: MqttClient): void {
  client.options.reconnectPeriod = 0;
  client.stream.destroy();
  client.end(true);
}

function createQueue<Item>(): { put(item: Item): void; take(): Promise<Item> } {
  const items: Item[] = [];
  const takers: ((item: Item) => void)[] = [];
  return {
    put(item) {
      const taker = takers.shift();
      if (taker === undefined) items.push(item);
      else taker(item);
    },
    take() {
      const [item] = items.splice(0, 1);
      return item === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(item);
    },
  };
}
