import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import {
  addExamples,
  addWindowOptions,
  clientCommand,
  collect,
  requireId,
  type WindowFlags,
} from "#cli/client-command.ts";
import { addDeviceConfigCommands } from "#cli/commands/device-config.ts";
import { addDeviceCreateCommands } from "#cli/commands/device-create.ts";
import { addLogOptions, type LogFlags, showLogs } from "#cli/commands/device-logs.ts";
import { confirm } from "#cli/confirm.ts";
import { describeRuntime } from "#cli/describe-runtime.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { findSite } from "#cli/find-site.ts";
import { isForPeople } from "#cli/output-format.ts";
import { printAnswer, printRecord, printTable, remark } from "#cli/print.ts";
import { printDevice } from "#cli/print-device.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { suggestDevice } from "#cli/suggest-device.ts";
import { addBlueprintOptions, type BlueprintFlags, requireBlueprint } from "#cli/upload-blueprint.ts";
import { UsageError } from "#cli/usage-error.ts";
import { hasOwnBlueprint } from "#client/built-in-blueprints.ts";
import type { CommunicationConfig, Device, Expansion, MqttProtocol } from "#client/resources.ts";

type ExpandFlags = ClientFlags & { readonly expand?: readonly Expansion[] };
type DeviceFlags = ClientFlags & { readonly deviceId?: string };

export function addDeviceCommands(device: Command, cli: Cli): void {
  addExamples(
    device,
    "device list",
    'device create standalone "Meter 1" --site-id SITE_ID --slug meter-1',
    "device get meter-1",
    "device generate-config meter-1 --protocol MQTT",
    "device logs meter-1 -f",
  );
  const onDevice = deviceCommands(device, cli);
  addListCommand(device, cli);
  onDevice<DeviceFlags & ExpandFlags>(["get [device]", "Show one device."], async ({ client, wait }, id, flags) => {
    const expand = withConnectivity(flags);
    await printDevice(cli, flags, await wait(suggestDevice(client, id, client.devices.get(id, { expand }))));
  }).addOption(expandOption());
  addDeviceCreateCommands(device.command("create").description("Create a device."), cli);
  addChangeCommands(onDevice, cli);
  addReadCommands(onDevice, cli);
  addScriptCommands(onDevice, cli);
  addDeviceConfigCommands(device.command("config").description("The configuration of a device: get, set."), cli);
  addConnectionCommands(onDevice, cli);
}

/** Declares a command on one device: it is found by id or slug, as argument or behind -d. */
type OnDevice = <Flags extends DeviceFlags>(
  usage: readonly [usage: string, about: string],
  run: (session: Session, id: string, flags: Flags) => Promise<void>,
) => Command;

const deviceCommands =
  (device: Command, cli: Cli): OnDevice =>
  ([usage, about], run) =>
    clientCommand(device, usage, about)
      .option("-d, --device-id <id>", "the device, if not given as argument")
      .action(async (argument: string | undefined, flags: Parameters<typeof run>[2]) => {
        const id = requireId("device", argument, flags.deviceId);
        await run(await openSession(cli, flags), id, flags);
      });

type Change = {
  readonly name?: string;
  readonly slug?: string;
  /** False: none. */
  readonly parent?: boolean;
  readonly parentId?: string;
  readonly childType?: string;
  readonly energyRole?: Device["energy_role"];
};

function addChangeCommands(onDevice: OnDevice, cli: Cli): void {
  onDevice<DeviceFlags & Change>(
    ["update [device]", "Change a device's name, slug, parent or part in the site's energy."],
    async ({ client, wait }, id, flags) => {
      const { name, slug, parent, parentId, childType, energyRole } = flags;
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(slug === undefined ? {} : { slug }),
        ...(parent === false ? { parent_id: null } : parentId === undefined ? {} : { parent_id: parentId }),
        ...(childType === undefined ? {} : { child_type: childType }),
        ...(energyRole === undefined ? {} : { energy_role: energyRole }),
      };
      if (Object.keys(change).length === 0)
        throw new UsageError(
          "nothing to change: give --name, --slug, --parent-id, --no-parent, --child-type or --energy-role",
        );
      await printDevice(cli, flags, await wait(client.devices.update(id, change)));
    },
  )
    .option("-n, --name <name>", "new name")
    .option("--slug <slug>", "new slug, a short name for addresses")
    .option("--parent-id <id>", "new parent")
    .option("--no-parent", "detach it from its parent")
    .option("--child-type <type>", "what it is to its parent")
    .addOption(
      new Option(
        "--energy-role <role>",
        "its part in the energy of the site; auto: guessed from its blueprint",
      ).choices([...["auto", "grid", "production", "battery", "load", "none"]]),
    );

  onDevice<DeviceFlags & { yes?: boolean }>(
    ["delete [device]", "Delete a device."],
    async ({ client, wait }, id, flags) => {
      const found = await wait(client.devices.get(id));
      await confirm(cli, flags, `Delete the device "${found.device.name}" (${found.device.id})?`);
      await printAnswer(cli, flags, await wait(client.devices.delete(id)), () => `deleted ${found.device.id}`);
    },
  ).option("-y, --yes", "do not ask");
}

function addReadCommands(onDevice: OnDevice, cli: Cli): void {
  onDevice(
    ["properties [device]", "Show a device's properties as it last sent them."],
    async ({ client, wait }, id, flags) => {
      const answer = await wait(client.devices.properties(id));
      const rows = Object.entries(answer.properties);
      const columns = {
        PROPERTY: ([name]: [string, unknown]) => name,
        VALUE: ([, value]: [string, unknown]) => renderValue(value),
      };
      await printTable(cli, flags, { answer, rows, columns });
    },
  );

  onDevice(
    ["manifest [device]", "Show the manifest of a device's blueprint, as YAML or with -o json."],
    async ({ client, wait }, id, flags) => {
      const answer = await wait(client.devices.manifest(id, "ORIGINAL"));
      const yaml = (await import("yaml")).stringify(answer.manifest, { lineWidth: 0 }).trimEnd();
      await printAnswer(cli, flags, answer, () => yaml);
    },
  );

  addLogOptions(
    onDevice<DeviceFlags & LogFlags>(
      ["logs [device]", "Show what a device wrote, and what was wrong with its messages."],
      (session, id, flags) => showLogs(cli, session, { id, flags }),
    ),
  );
}

function addScriptCommands(onDevice: OnDevice, cli: Cli): void {
  onDevice(["status [device]", "Show how a device's script does."], async ({ client, wait }, id, flags) => {
    const answer = await wait(client.devices.runtime(id));
    await printAnswer(cli, flags, answer, () =>
      answer.runtime === null ? "it connects by itself: nothing of it runs here" : describeRuntime(answer.runtime),
    );
  });

  onDevice(
    ["restart [device]", "Start a device's script anew, also out of a quarantine."],
    async ({ client, wait }, id, flags) => {
      const answer = await wait(client.devices.restart(id));
      await printAnswer(cli, flags, answer, () => describeRuntime(answer.runtime));
    },
  );
}

function addConnectionCommands(onDevice: OnDevice, cli: Cli): void {
  const assign = onDevice<DeviceFlags & BlueprintFlags>(
    ["assign-blueprint [device]", "Give a device another blueprint."],
    async (session, id, flags) => {
      const blueprint = await requireBlueprint(cli, session, flags);
      const answer = await session.wait(session.client.devices.assignBlueprint(id, blueprint));
      await printDevice(cli, flags, answer);
      for (const { breaking, message } of answer.changes ?? []) remark(cli, `${breaking ? "BREAKING " : ""}${message}`);
    },
  );
  addBlueprintOptions(assign).alias("change-blueprint");

  onDevice<DeviceFlags & { protocol: MqttProtocol }>(
    ["generate-config [device]", "Make new credentials for a device; those before stop working."],
    async ({ client, wait }, id, flags) => {
      const answer = await wait(client.devices.generateConfig(id, flags.protocol));
      await printRecord(cli, flags, { answer, fields: configFields(answer.config) });
      remark(cli, "The credentials are shown this once. Give them to the device, or store them safely.");
    },
  ).addOption(
    new Option("--protocol <protocol>", "how the device connects").choices(["MQTT", "MQTTS"]).default("MQTT"),
  );
}

function addListCommand(device: Command, cli: Cli): void {
  type ListFlags = ExpandFlags & WindowFlags & { readonly siteId?: string };
  addWindowOptions(clientCommand(device, "list", "List the devices you can see."))
    .option("-s, --site-id <site>", "only those of this site, by id or name")
    .addOption(expandOption())
    .action(async (flags: ListFlags) => {
      const session = await openSession(cli, flags);
      const { client, wait } = session;
      const siteId = flags.siteId === undefined ? undefined : await findSite(session, flags.siteId);
      const expand = withConnectivity(flags);
      const list = await wait(
        fetchList(
          "devices",
          (window) =>
            siteId === undefined
              ? client.devices.list({ ...window, expand })
              : client.devices.listBySite(siteId, { ...window, expand }),
          flags,
        ),
      );
      await printTable(cli, flags, { ...list, columns: COLUMNS, wide: WIDE });
    });
}

const COLUMNS = {
  // What a person types to name it.
  DEVICE: (device: Device) => device.slug || device.id,
  NAME: (device: Device) => device.name,
  TYPE: (device: Device) => device.type,
  STATUS: (device: Device) => device.connectivity?.status,
};

const WIDE = {
  ID: (device: Device) => device.id,
  SLUG: (device: Device) => device.slug,
  "SITE ID": (device: Device) => device.site_id,
  "BLUEPRINT ID": (device: Device) => (hasOwnBlueprint(device) ? device.blueprint_id : "none"),
  "PARENT ID": (device: Device) => device.parent_id,
};

/** People always see whether a device is there; programs get what they ask for. */
function withConnectivity({ output, expand }: ExpandFlags): readonly Expansion[] | undefined {
  return isForPeople(output) || output === "csv" ? [...new Set([...(expand ?? []), "connectivity" as const])] : expand;
}

function expandOption(): Option {
  return new Option(
    "--expand <parts>",
    "also fetch manifest, properties, connectivity, communication, raised_alert_names or site",
  ).argParser(collect);
}

function configFields(config: CommunicationConfig): Readonly<Record<string, string | number>> {
  const { mqtt_credentials: credentials, ...rest } = config;
  return { ...rest, ...credentials };
}
