import type { Cli } from "#cli/cli.ts";
import { findSite } from "#cli/find-site.ts";
import { remark } from "#cli/print.ts";
import { remarkDiagnostics } from "#cli/print-diagnostics.ts";
import { createPrinter } from "#cli/print-stream.ts";
import { readBlueprint } from "#cli/read-blueprint.ts";
import { renderEvent } from "#cli/render-event.ts";
import type { Session } from "#cli/session.ts";
import type { Device } from "#client/resources.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";

export type ServerOptions = {
  readonly path: string;
  /** By id or name; undefined: the only one there is. */
  readonly site: string | undefined;
  readonly name: string;
  readonly slug: string | undefined;
  readonly seed: number | undefined;
  readonly speed: number | undefined;
  readonly count: number | undefined;
  /** Connect as a device of its own over MQTT, instead of leaving the simulation to the server. */
  readonly mqtt: { readonly blueprint: Blueprint; readonly intervalMs: number; readonly offsetMs: number } | undefined;
  /** Delete the device at the end. */
  readonly isTemporary: boolean;
  readonly output: string;
};

/** Uploads the blueprint, makes a simulated device of it, and shows what it sends until the person ends it. */
export async function simulateOnServer(cli: Cli, session: Session, options: ServerOptions): Promise<void> {
  const { client, wait } = session;
  const { content, manifestName } = await readBlueprint(cli, options.path);
  const { blueprint, diagnostics } = await wait(client.blueprints.upload(content));
  remarkDiagnostics(cli, diagnostics, manifestName);
  const fields = {
    name: options.name,
    blueprint_id: blueprint.id,
    ...(options.slug !== undefined && { slug: options.slug }),
    ...(options.site !== undefined && { site_id: await findSite(session, options.site) }),
  };
  const { provisioning } = client;
  const make = options.mqtt === undefined ? provisioning.simulatedDevice : provisioning.standalone;
  const { device } = await wait(client.devices.get((await wait(make(fields))).device_id));
  const { seed, speed, mqtt } = options;
  if (mqtt === undefined && (seed !== undefined || speed !== undefined)) {
    const change = { ...(seed !== undefined && { seed }), ...(speed !== undefined && { speed }) };
    await wait(client.devices.adjustSimulation(device.id, change));
  }
  const how = mqtt === undefined ? `is simulated; busbar simulation ${device.slug} changes it` : "connects over MQTT";
  remark(cli, `${device.slug} (${device.id}) ${how}; Ctrl-C ends this`);
  try {
    if (mqtt === undefined) await follow(cli, session, { device, options });
    else {
      const { config } = await wait(client.devices.generateConfig(device.id, "MQTT"));
      const { simulateOverMqtt } = await import("./simulate-over-mqtt.ts");
      await simulateOverMqtt(cli, mqtt.blueprint, {
        ...mqtt,
        config,
        seed: seed ?? 1,
        speed: speed ?? 1,
        count: options.count,
      });
    }
  } finally {
    if (options.isTemporary) {
      await client.devices.delete(device.id);
      remark(cli, `deleted ${device.slug}`);
    } else
      remark(
        cli,
        `${device.slug} ${mqtt === undefined ? "keeps running" : "stays"}; busbar device delete ${device.slug} ends it`,
      );
  }
}

async function follow(
  cli: Cli,
  { client }: Session,
  { device, options }: { readonly device: Device; readonly options: ServerOptions },
): Promise<void> {
  const print = await createPrinter(cli, options);
  const ended = new AbortController();
  const stopListening = cli.onInterrupt?.(() => ended.abort());
  const query = { "kind.in": ["telemetry", "alert", "execution"] as const, "device_id.in": [device.id] };
  let left = options.count ?? Number.POSITIVE_INFINITY;
  try {
    for await (const event of client.events(query, { signal: ended.signal })) {
      if ("device_id" in event) print(event, (colour) => renderEvent(event, device.slug, colour));
      if (event.kind === "telemetry") left -= 1;
      if (left <= 0) return;
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    stopListening?.();
  }
}
