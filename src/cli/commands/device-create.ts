import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand, requireId } from "#cli/client-command.ts";
import { findSite } from "#cli/find-site.ts";
import { printDevice } from "#cli/print-device.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { addBlueprintOptions, type BlueprintFlags, findBlueprint, requireBlueprint } from "#cli/upload-blueprint.ts";
import { UsageError } from "#cli/usage-error.ts";

type CreateFlags = ClientFlags &
  BlueprintFlags & {
    readonly siteId?: string;
    readonly deviceName?: string;
    readonly slug?: string;
    readonly parentId?: string;
    readonly childType?: string;
  };

type Fields = { readonly name: string; readonly slug?: string };

export function addDeviceCreateCommands(create: Command, cli: Cli): void {
  addExamples(
    create,
    'device create standalone "Meter 1" --site-id SITE_ID --device-slug meter-1',
    'device create lua "Inverter 1" --site-id SITE_ID --blueprint-path ./blueprint/',
    'device create child "String 1" --parent-id inverter-1 --child-type pv_string',
  );
  /** Declares a kind of device; the created device is fetched and printed. */
  const kind = (
    [usage, about]: readonly [string, string],
    provision: (session: Session, fields: Fields, flags: CreateFlags) => Promise<{ readonly device_id: string }>,
  ): Command =>
    addBlueprintOptions(clientCommand(create, usage, about))
      .option("-n, --device-name <name>", "name of the device, if not given as argument")
      .option("--device-slug, --slug <slug>", "short name for addresses; made from the name if absent")
      .action(async (argument: string | undefined, flags: CreateFlags) => {
        const name = requireId("name", argument, flags.deviceName);
        const session = await openSession(cli, flags);
        const { device_id: id } = await provision(
          session,
          flags.slug === undefined ? { name } : { name, slug: flags.slug },
          flags,
        );
        await printDevice(cli, flags, await session.wait(session.client.devices.get(id)));
      });

  kind(["standalone [name]", "A device that connects by itself over MQTT."], async (session, fields, flags) => {
    const blueprint_id = await findBlueprint(cli, session, flags);
    const device = {
      ...fields,
      ...(await siteOf(session, flags)),
      ...(blueprint_id === undefined ? {} : { blueprint_id }),
    };
    return session.wait(session.client.provisioning.standalone(device));
  }).option("-s, --site-id <site>", "site of the device, by id or name; may be left out when there is only one");

  kind(["lua [name]", "A device that a blueprint's Lua script talks to."], async (session, fields, flags) => {
    const blueprint_id = await requireBlueprint(cli, session, flags);
    return session.wait(
      session.client.provisioning.luaDevice({ ...fields, ...(await siteOf(session, flags)), blueprint_id }),
    );
  })
    .alias("lua-device")
    .option("-s, --site-id <site>", "site of the device, by id or name; may be left out when there is only one");

  kind(["child [name]", "A part of another device."], async (session, fields, flags) => {
    const parent_id = requireId("parent device", undefined, flags.parentId);
    if (flags.childType === undefined) throw new UsageError("what is it to its parent? give --child-type");
    const blueprint_id = await findBlueprint(cli, session, flags);
    const device = {
      ...fields,
      parent_id,
      child_type: flags.childType,
      ...(blueprint_id === undefined ? {} : { blueprint_id }),
    };
    return session.wait(session.client.provisioning.child(device));
  })
    .option("--parent-id <id>", "id or slug of the parent device")
    .option("--child-type <type>", "what it is to its parent");
}

async function siteOf(session: Session, { siteId }: CreateFlags): Promise<{ readonly site_id?: string }> {
  return siteId === undefined ? {} : { site_id: await findSite(session, siteId) };
}
