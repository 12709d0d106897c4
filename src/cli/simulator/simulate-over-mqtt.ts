// The simulated device as a separate program that connects over MQTT like a real one. docs/device-protocol.md describes
// the topics.
import { connectAsync } from "mqtt";
import type { Cli } from "#cli/cli.ts";
import { remark } from "#cli/print.ts";
import { pause } from "#client/pause.ts";
import type { CommunicationConfig } from "#client/resources.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { adjust, simulatedTime, untouched } from "#core/simulator/adjustments.ts";
import { afterSuccess, answerOf, planRun } from "#core/simulator/answer-command.ts";
import { createDeviceModel } from "#core/simulator/device-model.ts";
import { instant } from "#core/time/instant.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { libraryWith } from "#manifest/library-with.ts";
import { parseUnit } from "#manifest/units.ts";

export type MqttOptions = {
  readonly config: CommunicationConfig;
  readonly seed: number;
  readonly speed: number;
  /** Milliseconds between two messages. */
  readonly intervalMs: number;
  readonly offsetMs: number;
  /** How many messages; undefined: until the person ends it. */
  readonly count: number | undefined;
};

/** Resolves when this many messages are acknowledged, or the user has ended it. */
export async function simulateOverMqtt(cli: Cli, blueprint: Blueprint, options: MqttOptions): Promise<void> {
  const { config, seed, speed, intervalMs, offsetMs, count } = options;
  const { username = "", password = "" } = config.mqtt_credentials;
  const host = config.mqtt_host.includes(":") ? `[${config.mqtt_host}]` : config.mqtt_host;
  const client = await connectAsync(`mqtt://${host}:${config.mqtt_port}`, { username, password });
  const address = `${config.hardware_id}/${config.channel_id}`;
  const publish = (topic: string, message: object) =>
    client.publishAsync(`v1/from/${address}/${topic}`, JSON.stringify(message), { qos: 1 });

  const now = () => instant(Date.now());
  const controls = resolveControls(blueprint, libraryWith([]));
  const model = createDeviceModel({ blueprint, controls, seed, offsetMs, readUnit: parseUnit });
  let { adjustments } = adjust({ blueprint, now: now() }, untouched(seed, now()), { speed });
  const ended = new AbortController();
  const stopListening = cli.onInterrupt?.(() => ended.abort());
  /** Commands that have come: the same one may come again, and must not run twice. */
  const seen = new Set<string>();

  async function run(request: Request): Promise<void> {
    const { id } = request;
    const respond = (state: string, payload: object) => publish("v1/command/responses", { id, state, payload });
    const command = blueprint.commands.get(request.name);
    if (command === undefined) return void (await respond("error", { message: `no command ${request.name}` }));
    const call = { id, command, arguments: request.arguments };
    const { lines, endsAfterMs = 0 } = planRun(call, adjustments);
    let passed = 0;
    for (const { afterMs, message } of lines) {
      await pause(afterMs - passed, ended.signal);
      if (ended.signal.aborted) return;
      passed = afterMs;
      await respond("log", { message });
    }
    await pause(endsAfterMs - passed, ended.signal);
    // A device that is switched off says nothing more.
    if (ended.signal.aborted) return;
    const at = simulatedTime(adjustments, now());
    adjustments = afterSuccess(adjustments, call, at, controls);
    remark(cli, `${command.id} done`);
    await respond("completed", answerOf(model, { call, at }, adjustments));
  }

  client.on("message", (_topic, payload) => {
    const request = parseRequest(payload.toString("utf8"));
    if (request === undefined || seen.has(request.id)) return;
    seen.add(request.id);
    run(request).catch((error: unknown) => remark(cli, `${request.name}: ${error}`));
  });
  try {
    await client.subscribeAsync(`v1/to/${address}/v1/command/requests`, { qos: 1 });
    await publish("v1/properties", Object.fromEntries(model.properties(adjustments)));
    for (let sent = 0; sent !== count && !ended.signal.aborted; sent++) {
      if (sent > 0) await pause(intervalMs, ended.signal);
      const at = now();
      const values = model.telemetry(simulatedTime(adjustments, at), adjustments);
      await publish("v1/telemetry", { timestamp: at / 1000, ...Object.fromEntries(values) });
    }
  } finally {
    stopListening?.();
    await client.endAsync();
  }
}

type Request = { readonly id: string; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };

function parseRequest(text: string): Request | undefined {
  try {
    const { id, name, arguments: given } = JSON.parse(text) as Partial<Request>;
    return typeof id === "string" && typeof name === "string" ? { id, name, arguments: given ?? {} } : undefined;
  } catch {
    return undefined;
  }
}
