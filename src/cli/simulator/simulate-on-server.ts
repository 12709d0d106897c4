import type { Cli } from "#cli/cli.ts";
import { findSite } from "#cli/find-site.ts";
import { remark } from "#cli/print.ts";
import { createPrinter } from "#cli/print-stream.ts";
import { readBlueprint } from "#cli/read-blueprint.ts";
import { remarkDiagnostics } from "#cli/remark-diagnostics.ts";
import { renderEvent } from "#cli/render-event.ts";
import type { Session } from "#cli/session.ts";
import type { Device } from "#client/resources.ts";

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
    await follow(cli, session, { device, options });
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
