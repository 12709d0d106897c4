import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { ConvertFlags } from "./convert.ts";
import type { DiffFlags } from "./diff.ts";
import type { DocsFlags } from "./docs.ts";
import type { InitFlags } from "./init.ts";
import type { LintFlags } from "./lint.ts";
import type { PackFlags } from "./pack.ts";
import type { SchemaFlags } from "./schema.ts";
import type { ShowFlags } from "./show.ts";
import type { BlueprintTestFlags } from "./test.ts";
import type { TypesFlags } from "./types.ts";

const PATH =
  "A PATH is a folder with a manifest, a manifest, a zip, or - for standard input; default is the folder you are in.";
const SCHEMA = "http://127.0.0.1:8080/schemas/device-3.0.json";

/** The verbs for authors. They need no server; each is loaded when it is used. */
export function addOfflineBlueprintCommands(blueprint: Command, cli: Cli): void {
  addInit(blueprint, cli);
  addLint(blueprint, cli);
  addTest(blueprint, cli);
  addShow(blueprint, cli);
  addDiff(blueprint, cli);
  addDocs(blueprint, cli);
  addTypes(blueprint, cli);
  addStubs(blueprint, cli);
  addPack(blueprint, cli);
  addConvert(blueprint, cli);
  blueprint
    .command("schema")
    .description("Print the manifest language as JSON Schema, for editors.")
    .option("--scenario", "the language of test scenarios instead")
    .action(async (flags: SchemaFlags) => (await import("./schema.ts")).schema(cli, flags));
}

function addInit(blueprint: Command, cli: Cli): void {
  const command = blueprint
    .command("init [folder]")
    .description("Write a first manifest with comments. Asks for what no flag gives.")
    .option("--name <name>", "name of the blueprint")
    .option("--kind <kind>", "kind of device: battery, pv-inverter, grid-meter, ev-charger, ... or other")
    .addOption(new Option("--runtime <runtime>", "who talks to the device").choices(["lua", "embedded"]))
    .option("--schema <address>", "JSON Schema that the editor should use", SCHEMA)
    .option("-y, --yes", "ask nothing, take the defaults")
    .option("-f, --force", "replace a manifest that is already there")
    .action(async (folder: string | undefined, flags: InitFlags) =>
      (await import("./init.ts")).init(cli, folder, flags),
    );
  addExamples(
    command,
    "blueprint init my-battery --kind battery",
    "blueprint init my-device --name Pump --runtime lua --yes",
  );
}

function addLint(blueprint: Command, cli: Cli): void {
  const output = new Option("-o, --output <format>", "how to print").choices(["pretty", "json", "github", "sarif"]);
  const command = blueprint
    .command("lint [paths...]")
    .description("Check blueprints. Fails when there is an error.")
    .addOption(output.default("pretty"))
    .option("--fix", "repair what can be repaired")
    .option("--strict", "fail on warnings too")
    .option("-q, --quiet", "do not show warnings")
    .option("--profiles <folder>", "profiles of your own, besides those of Busbar")
    .option("--rocks <folder>", "rocks that the scripts require; without it rocks are not checked")
    .addHelpText("after", `\n${PATH} A folder of blueprints counts as each of them.`)
    .action(async (paths: readonly string[], flags: LintFlags) => (await import("./lint.ts")).lint(cli, paths, flags));
  addExamples(
    command,
    "blueprint lint",
    "blueprint lint --strict blueprints/",
    "blueprint lint -o github */manifest.yml",
  );
}

function addConvert(blueprint: Command, cli: Cli): void {
  const output = new Option("-o, --output <format>", "how to print").choices(["pretty", "json"]);
  const command = blueprint
    .command("convert [path]")
    .description(
      "Make a device/3.0 package of a device/1.0 one. Its Lua stays as it is and runs on the old host's names.",
    )
    .option("--out <folder>", "where to write (default the blueprint's folder with -3.0 appended to its name)")
    .addOption(output.default("pretty"))
    .option("--rocks <folder>", "rocks that the scripts require; without it rocks are not checked")
    .option("-f, --force", "write into a folder that is not empty")
    .addHelpText("after", `\n${PATH} A folder of blueprints counts as each of them.`)
    .action(async (path: string | undefined, flags: ConvertFlags) =>
      (await import("./convert.ts")).convert(cli, path, flags),
    );
  addExamples(
    command,
    "blueprint convert my-inverter",
    "blueprint convert my-inverter --out my-inverter-new",
    "blueprint convert blueprints --out blueprints-new",
  );
}

function addTest(blueprint: Command, cli: Cli): void {
  const output = new Option("-o, --output <format>", "how to print").choices(["pretty", "json", "github", "junit"]);
  const command = blueprint
    .command("test [paths...]")
    .description(
      "Run a blueprint's script in virtual time against scripted peers, by the scenarios in its folder tests.",
    )
    .addOption(output.default("pretty"))
    .option("--scenario <file>", "run this file instead; may be given several times", collect, [])
    .option("--filter <text>", "only scenarios whose file or name contains the text")
    .option("--verbose", "show what happened, call by call")
    .option("--coverage", "list what no scenario used")
    .option("--seed <number>", "seed of random numbers, for scenarios without their own", parseSeed)
    .option("--watch", "run again whenever a file changes")
    .option("--junit <file>", "write the result as JUnit XML too, for build servers")
    .option("--profiles <folder>", "profiles of your own, besides those of Busbar")
    .option("--rocks <folder>", "rocks that the blueprint requires")
    .addHelpText("after", `\n${PATH} A folder of blueprints counts as each of them.`)
    .action(async (paths: readonly string[], flags: BlueprintTestFlags) =>
      (await import("./test.ts")).test(cli, paths, flags),
    );
  addExamples(
    command,
    "blueprint test my-battery",
    "blueprint test my-battery --filter hot --verbose",
    "blueprint test my-battery --watch",
    "blueprint test blueprints/ -o github --junit report.xml",
  );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function parseSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--seed must be a whole number from 0 to 999999999, not "${text}"`);
}

function addShow(blueprint: Command, cli: Cli): void {
  const output = new Option("-o, --output <format>", "how to print").choices(["table", "json", "yaml"]);
  const command = blueprint
    .command("show [path]")
    .description("Show what a blueprint declares.")
    .addOption(output)
    .option("--resolved", "everything as Busbar understands it: defaults, aliases, included profiles")
    .option("--profiles <folder>", "profiles of your own, besides those of Busbar")
    .addHelpText("after", `\n${PATH}`)
    .action(async (path: string | undefined, flags: ShowFlags) => (await import("./show.ts")).show(cli, path, flags));
  addExamples(command, "blueprint show my-battery", "blueprint show my-battery.zip --resolved");
}

function addDiff(blueprint: Command, cli: Cli): void {
  const output = new Option("-o, --output <format>", "how to print").choices(["table", "json", "yaml"]);
  const command = blueprint
    .command("diff <old> <new>")
    .description("Show what changes for a device when a blueprint replaces another, and what that breaks.")
    .addOption(output.default("table"))
    .option("--exit-code", "fail when something breaks")
    .action(async (old: string, next: string, flags: DiffFlags) =>
      (await import("./diff.ts")).diff(cli, [old, next], flags),
    );
  addExamples(command, "blueprint diff released.zip . --exit-code");
}

function addDocs(blueprint: Command, cli: Cli): void {
  const command = fileOptions(blueprint.command("docs [path]").description("Write a Markdown page of a blueprint."))
    .option("--profiles <folder>", "profiles of your own, besides those of Busbar")
    .addHelpText("after", `\n${PATH}`)
    .action(async (path: string | undefined, flags: DocsFlags) => (await import("./docs.ts")).docs(cli, path, flags));
  addExamples(command, "blueprint docs my-battery --output my-battery.md");
}

function addTypes(blueprint: Command, cli: Cli): void {
  const about = "Write TypeScript types of a blueprint's telemetry, properties, commands and configuration.";
  const command = fileOptions(blueprint.command("types [path]").description(about))
    .addHelpText("after", `\n${PATH}`)
    .action(async (path: string | undefined, flags: TypesFlags) =>
      (await import("./types.ts")).types(cli, path, flags),
    );
  addExamples(command, "blueprint types my-battery --output my-battery.d.ts");
}

function addStubs(blueprint: Command, cli: Cli): void {
  const about = "Write type stubs of the Lua host and of the manifest, by which editors with LuaLS complete and check.";
  const command = blueprint
    .command("stubs [folder]")
    .description(about)
    .addHelpText(
      "after",
      "\nThey are written into .lua-stubs, which no package contains; .luarc.json is written if it is missing.",
    )
    .action(async (path: string | undefined) => (await import("./stubs.ts")).stubs(cli, path));
  addExamples(command, "blueprint stubs", "blueprint stubs my-battery");
}

function fileOptions(command: Command): Command {
  return command
    .option("-o, --output <file>", "file to write; default is standard output")
    .option("-f, --force", "replace the file if there is one");
}

function addPack(blueprint: Command, cli: Cli): void {
  const command = blueprint
    .command("pack [folder]")
    .description("Pack a folder into a zip for upload. The same folder always gives the same bytes.")
    .option("-o, --output <file>", "file to write, - for stdout; default is the folder's name with .zip")
    .option("-f, --force", "replace the file if there is one")
    .action(async (path: string | undefined, flags: PackFlags) => (await import("./pack.ts")).pack(cli, path, flags));
  addExamples(command, "blueprint pack my-battery");
}
