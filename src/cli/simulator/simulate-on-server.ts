import type { Cli } from "#cli/cli.ts";
import { findSite } from "#cli/find-site.ts";
import { remark } from "#cli/print.ts";
import { createPrinter } from "#cli/print-stream.ts";
import { readBlueprint } from "#cli/read-blueprint.ts";
import { remarkDiagnostics } from "#cli/remark-diagnostics.ts";
import type { Session } from "#cli/session.ts";
import type { LiveEvent } from "#client/resources.ts";
import { printable } from "#core/text/printable.ts";

export type ServerOptions = {
  readonly path: string;
  /** By id or name; undefined: the only one there is. */
  readonly site: string | undefined;
  readonly name: string;
  readonly slug: string | undefined;
  readonly seed: number | undefined;
  readonly speed: number | undefined;
  readonly count: number | undefined;
  /** Delete the device at the end. */
  readonly isTemporary: boolean;
  readonly output: string;
};

/** Uploads the blueprint, makes a simulated device of it, and shows what it sends until the person ends it. */
export async function simulateOnServer(cli: Cli, session: Session, options: ServerOptions): Promise<void> {
  const { client, wait } = session;
  const { blueprint, diagnostics } = await wait(client.blueprints.upload(await readBlueprint(options.path)));
  remarkDiagnostics(cli, diagnostics);
  const made = await wait(
    client.provisioning.simulatedDevice({
      name: options.name,
      blueprint_id: blueprint.id,
      ...(options.slug !== undefined && { slug: options.slug }),
      ...(options.site !== undefined && { site_id: await findSite(session, options.site) }),
    }),
  );
  const { device } = await wait(client.devices.get(made.device_id));
  const { seed, speed } = options;
  if (seed !== undefined || speed !== undefined) {
    const change = { ...(seed !== undefined && { seed }), ...(speed !== undefined && { speed }) };
    await wait(client.devices.adjustSimulation(device.id, change));
  }
  remark(
    cli,
    `${device.slug} (${device.id}) is simulated; busbar simulation ${device.slug} changes it, Ctrl-C ends this`,
  );
  try {
    await follow(cli, session, { deviceId: device.id, options });
  } finally {
    if (options.isTemporary) {
      await client.devices.delete(device.id);
      remark(cli, `deleted ${device.slug}`);
    } else remark(cli, `${device.slug} goes on; busbar device delete ${device.slug} ends it`);
  }
}

async function follow(
  cli: Cli,
  { client }: Session,
  { deviceId, options }: { readonly deviceId: string; readonly options: ServerOptions },
): Promise<void> {
  const print = await createPrinter(cli, options);
  const ended = new AbortController();
  const stopListening = cli.onInterrupt?.(() => ended.abort());
  const query = { "kind.in": ["telemetry", "alert", "execution"] as const, "device_id.in": [deviceId] };
  let left = options.count ?? Number.POSITIVE_INFINITY;
  try {
    for await (const event of client.events(query, { signal: ended.signal })) {
      const text = textOf(event);
      if (text !== undefined) print(event, () => printable(text));
      if (event.kind === "telemetry") left -= 1;
      if (left <= 0) return;
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    stopListening?.();
  }
}

function textOf(event: LiveEvent): string | undefined {
  if (event.kind === "telemetry") {
    const words = Object.entries(event.telemetry).map(([name, { value }]) => `${name}=${value}`);
    const newest = Math.max(0, ...Object.values(event.telemetry).map(({ timestamp }) => timestamp));
    return `${new Date(newest * 1000).toISOString()}  ${words.join(" ")}`;
  }
  if (event.kind === "alert") return `${event.at}  ${event.change} ${event.alert.severity} ${event.alert.id}`;
  if (event.kind !== "execution") return undefined;
  const { request, state, created_at } = event.execution;
  return `${event.execution.response?.received_at ?? created_at}  ${request.name} ${state}`;
}
