// Development of a Lua blueprint: each change is checked, uploaded and run at once, and the device's output is shown.
import { basename, relative, resolve } from "node:path";
import type { Command } from "commander";
import { renderReport } from "#cli/blueprint/lint-report.ts";
import { countIssues } from "#cli/blueprint/lint-result.ts";
import { lintSource } from "#cli/blueprint/lint-source.ts";
import { readSource } from "#cli/blueprint/read-source.ts";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { describeFailure } from "#cli/describe-failure.ts";
import { findSite } from "#cli/find-site.ts";
import { remark } from "#cli/print.ts";
import { remarkDiagnostics } from "#cli/print-diagnostics.ts";
import { readBlueprint } from "#cli/read-blueprint.ts";
import { type Happening, missed, renderEvent } from "#cli/render-event.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import { watchPaths } from "#cli/watch-paths.ts";
import { ApiError } from "#client/errors.ts";
import type { Blueprint, Device } from "#client/resources.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";

type DevFlags = ClientFlags & { readonly deviceId?: string; readonly siteId?: string };

interface Workbench {
  readonly cli: Cli;
  readonly session: Session;
  readonly folder: string;
  readonly flags: DevFlags;
}

export function addDevCommand(dev: Command, cli: Cli): void {
  addConnectionOptions(dev.argument("[folder]", "folder of the blueprint; the one you are in if absent"))
    .option("--device, --device-id <device>", "the device to run it on, by id or slug; it must be of type LUA")
    .option("--site, --site-id <site>", "without --device: the site of the device that is made for this folder")
    .action(async (folder: string | undefined, flags: DevFlags) => {
      if (flags.deviceId !== undefined && flags.siteId !== undefined) {
        throw new UsageError("give --device or --site, not both");
      }
      const session = await openSession(cli, flags);
      await develop({ cli, session, folder: resolve(cli.cwd, folder ?? "."), flags });
    });
  addExamples(dev, "dev my-blueprint --device battery-1", 'dev . --site "Plant 1"');
}

async function develop(bench: Workbench): Promise<void> {
  const { cli, session, flags, folder } = bench;
  const stop = new AbortController();
  const unlisten = cli.onInterrupt?.(() => stop.abort());
  let device = flags.deviceId === undefined ? undefined : await findLuaDevice(session, flags.deviceId);
  const events = createEventView(bench, device);
  try {
    // Listened to and watched before anything is run or read, so that nothing falls between.
    const changes = watchPaths([folder], stop.signal);
    let next = changes.next();
    await events.open(stop.signal);
    remark(cli, `watching ${folder}; Ctrl-C ends it`);
    for (;;) {
      device = await tryToRun(bench, device);
      if (device !== undefined) events.show(device);
      const change = await next;
      if (change.done === true) break;
      next = changes.next();
      remark(cli, `changed: ${change.value.map((path) => relative(folder, path)).join(", ")}`);
    }
  } finally {
    stop.abort();
    unlisten?.();
    await events.ended();
  }
  if (device !== undefined && flags.deviceId === undefined) {
    remark(cli, `${device.slug} stays as it is; busbar device delete ${device.slug} removes it`);
  }
}

const profiles = starterLibrary();

/** One round. Failures are printed, and the next change tries again; the device keeps running as before. */
async function tryToRun(bench: Workbench, device: Device | undefined): Promise<Device | undefined> {
  const { cli, session, folder } = bench;
  const started = performance.now();
  try {
    const result = lintSource(await readSource(cli, folder), { profiles, rocks: undefined });
    const { errors, warnings } = countIssues([result]);
    if (errors + warnings > 0) cli.stderr.write(`${renderReport([result], cli.stderr.hasColors?.() === true)}\n`);
    if (errors > 0) return device;
    const { content, manifestName } = await readBlueprint(cli, folder);
    const { blueprint, diagnostics = [] } = await session.client.blueprints.upload(content);
    if (warnings === 0) remarkDiagnostics(cli, diagnostics, manifestName);
    const running = await assign(bench, device, blueprint);
    const took = Math.round(performance.now() - started);
    remark(cli, `version ${blueprint.version} of ${blueprint.display_name} runs on ${running.slug} (${took} ms)`);
    return running;
  } catch (error) {
    for (const line of describeFailure(error).lines) remark(cli, line);
    return device;
  }
}

async function assign(bench: Workbench, device: Device | undefined, blueprint: Blueprint): Promise<Device> {
  const { client } = bench.session;
  const target = device ?? (await findOwnDevice(bench));
  if (target !== undefined) return (await client.devices.assignBlueprint(target.id, blueprint.id)).device;
  const site = bench.flags.siteId === undefined ? {} : { site_id: await findSite(bench.session, bench.flags.siteId) };
  const { device_id } = await client.provisioning.luaDevice({
    name: `${blueprint.display_name} (dev)`.slice(0, 200),
    slug: ownSlug(bench.folder),
    blueprint_id: blueprint.id,
    ...site,
  });
  return (await client.devices.get(device_id)).device;
}

/** The device that an earlier run made for this folder. */
async function findOwnDevice({ session, folder }: Workbench): Promise<Device | undefined> {
  try {
    return await findLuaDevice(session, ownSlug(folder));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function ownSlug(folder: string): string {
  const words = basename(folder)
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return ["dev", ...words.filter((word) => word !== "")].join("-").slice(0, 60).replace(/-+$/, "");
}

async function findLuaDevice({ client, wait }: Session, idOrSlug: string): Promise<Device> {
  const { device } = await wait(client.devices.get(idOrSlug));
  if (device.type !== "LUA")
    throw new UsageError(`${device.slug} is of type ${device.type}; only one of type LUA runs a script`);
  return device;
}

/** Events that come before it is known which device they have to be of. */
const MOST_KEPT = 1_000;

interface EventView {
  /** Resolves when it is connected, or cannot be. */
  open(signal: AbortSignal): Promise<void>;
  /** From now on the events of this device are shown, with those that came before. */
  show(device: Device): void;
  /** Never rejects. */
  ended(): Promise<void>;
}

/** What happens to the device, also while it is being made: then everything is listened to. */
function createEventView({ cli, session }: Workbench, known: Device | undefined): EventView {
  const colour = cli.stdout.hasColors?.() === true;
  const kept: Happening[] = [];
  let device = known;
  let listening: Promise<void> | undefined;

  function take(event: Happening): void {
    if (device === undefined) {
      if (kept.length < MOST_KEPT) kept.push(event);
    } else if ("device_id" in event && event.device_id === device.id)
      cli.stdout.write(`${renderEvent(event, device.slug, colour)}\n`);
  }

  async function listen(signal: AbortSignal, onOpen: () => void): Promise<void> {
    const query = known === undefined ? {} : { "device_id.in": [known.id] };
    try {
      for await (const event of session.client.events(query, { signal })) {
        if (event.kind === "open") onOpen();
        else if (event.kind === "lost") remark(cli, "the connection is lost; trying again");
        else if (event.kind === "gap") remark(cli, missed(event));
        else take(event);
      }
    } catch (error) {
      if (!signal.aborted) for (const line of describeFailure(error).lines) remark(cli, line);
    } finally {
      onOpen();
    }
  }

  return {
    async open(signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      listening = listen(signal, resolve);
      await promise;
    },
    show(one) {
      device = one;
      for (const event of kept.splice(0)) take(event);
    },
    ended: async () => await listening,
  };
}
