import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { remark } from "#cli/print.ts";
import { saveFile } from "#cli/save-file.ts";
import { UsageError } from "#cli/usage-error.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { DEVICE_KINDS, type DeviceKind } from "#manifest/draft/device-kinds.ts";
import { draftManifest } from "#manifest/draft/draft-manifest.ts";
import { draftScenario, draftScript } from "#manifest/draft/draft-script.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { writeStubs } from "./stubs.ts";

export type InitFlags = {
  readonly name?: string;
  readonly kind?: string;
  readonly runtime?: "lua" | "embedded";
  readonly schema: string;
  readonly yes?: boolean;
  readonly force?: boolean;
};

const SCENARIO_SCHEMA = "http://127.0.0.1:8080/schemas/scenario-1.0.json";

/** Writes a first manifest. What no flag says is asked; without a terminal, or with --yes, the defaults are taken. */
export async function init(cli: Cli, folder: string | undefined, flags: InitFlags): Promise<void> {
  const target = folder ?? ".";
  const manifest = join(target, "manifest.yml");
  if (flags.force !== true && existsSync(resolve(cli.cwd, manifest))) {
    throw new UsageError(`${manifest} is already there: add --force to replace it`);
  }
  const ask = flags.yes === true ? undefined : cli.ask;
  const kind = await chooseKind(ask, flags.kind);
  const suggested = kind.profiles.length > 0 ? kind.about : basename(resolve(cli.cwd, target));
  const displayName = flags.name ?? (await askText(ask, "Name of the blueprint", suggested));
  const runtime = flags.runtime ?? (await chooseRuntime(ask));
  const plan = { displayName, category: kind.category, profiles: kind.profiles, runtime, schema: flags.schema };
  const text = draftManifest(plan, starterLibrary());
  saveFile(cli, { file: manifest, force: flags.force }, text);
  if (runtime === "lua") saveScript(cli, target, text);
  const check = runtime === "lua" ? ` and busbar blueprint test ${target}` : "";
  remark(cli, `Next: edit ${manifest}, then check it with busbar blueprint lint ${target}${check}`);
}

/** A script and a test that somebody wrote are worth more than ours. */
function saveScript(cli: Cli, target: string, manifest: string): void {
  const { blueprint } = parseManifest(manifest);
  const script = join(target, "main.lua");
  if (blueprint === undefined || existsSync(resolve(cli.cwd, script))) return;
  saveFile(cli, { file: script }, draftScript(blueprint));
  writeStubs(cli, target, blueprint);
  if (existsSync(resolve(cli.cwd, target, "tests"))) return;
  saveFile(cli, { file: join(target, "tests", "first.yml") }, draftScenario(blueprint, SCENARIO_SCHEMA));
}

type Ask = Cli["ask"];

async function chooseKind(ask: Ask, given: string | undefined): Promise<DeviceKind> {
  const names = Object.keys(DEVICE_KINDS);
  if (given !== undefined) return kindNamed(given);
  if (ask === undefined) return kindNamed("other");
  const list = Object.entries(DEVICE_KINDS).map(
    ([name, { about }], index) => `  ${index + 1}  ${name.padEnd(20)}${about}`,
  );
  const answer = (await ask(`What kind of device is it?\n${list.join("\n")}\nNumber or name [other]: `)).trim();
  if (answer === "") return kindNamed("other");
  return kindNamed(/^\d+$/.test(answer) ? (names[Number(answer) - 1] ?? answer) : answer);
}

function kindNamed(name: string): DeviceKind {
  const kind = Object.hasOwn(DEVICE_KINDS, name) ? DEVICE_KINDS[name] : undefined;
  if (kind !== undefined) return kind;
  const names = Object.keys(DEVICE_KINDS);
  const nearest = nearestOf(name, names);
  const hint = nearest === undefined ? `Known are ${names.join(", ")}.` : `Did you mean ${nearest}?`;
  throw new UsageError(`there is no kind of device "${name}". ${hint}`);
}

async function chooseRuntime(ask: Ask): Promise<"lua" | "embedded"> {
  const answer = await askText(
    ask,
    "Who talks to the device: a Lua script (lua), or the device itself over MQTT (embedded)",
    "embedded",
  );
  if (answer === "lua" || answer === "embedded") return answer;
  throw new UsageError(`the runtime is lua or embedded, not "${answer}"`);
}

async function askText(ask: Ask, question: string, otherwise: string): Promise<string> {
  if (ask === undefined) return otherwise;
  return (await ask(`${question} [${otherwise}]: `)).trim() || otherwise;
}
