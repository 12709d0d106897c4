// Rules of a site: what runs it by itself.
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { addChecking } from "#cli/rule/check-command.ts";
import { addControllerCommands } from "#cli/rule/controller-commands.ts";
import { addDryRun } from "#cli/rule/dry-run-command.ts";
import { readScript, type ScriptFlags } from "#cli/rule/read-script.ts";
import { type SiteFlags, siteCommand, siteOf } from "#cli/rule/site-command.ts";
import { addTesting } from "#cli/rule/test-command.ts";
import { addTracing } from "#cli/rule/trace-command.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import type { Window } from "#client/page.ts";
import type { Rule, RuleLogLine } from "#client/resources.ts";

type NewScriptFlags = SiteFlags & ScriptFlags;

export function addRuleCommands(rule: Command, cli: Cli): void {
  addExamples(
    rule,
    "rule list",
    "rule check surplus.yml",
    "rule dry-run surplus.yml --from -7d --chart",
    "rule test surplus.yml",
    "rule types rules",
    "rule create surplus surplus.yml",
    "rule create night night.lua",
    "rule controllers peak_limit",
    "rule setup peak_limit --param meter=grid-meter --param device=wallbox --param limit=8000",
    "rule logs surplus",
    "rule trace surplus --follow",
    "rule update surplus surplus.lua --exec-interval 1m",
    "rule disable surplus night-tariff",
    "rule suspend",
  );
  addReading(rule, cli);
  addTracing(rule, cli);
  addChecking(rule, cli);
  addTypes(rule, cli);
  addDryRun(rule, cli);
  addTesting(rule, cli);
  addChanging(rule, cli);
  addSwitching(rule, cli);
  addControllerCommands(rule, cli);
}

function addReading(rule: Command, cli: Cli): void {
  addWindowOptions(siteCommand(rule, "list", "List the rules of a site, by slug.")).action(
    async (flags: SiteFlags & WindowFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const list = (window: Window) => session.client.rules.list(site, window);
      await printTable(cli, flags, { ...(await session.wait(fetchList("rules", list, flags))), columns: COLUMNS });
    },
  );
  siteCommand(rule, "show <rule>", "Show a rule: its state, its last error and its code.").action(
    async (name: string, flags: SiteFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.rules.get(await siteOf(session, flags), name));
      await printAnswer(cli, flags, answer, () => describe(answer.rule));
    },
  );
  addWindowOptions(siteCommand(rule, "logs <rule>", "Show what a rule said, newest last.")).action(
    async (name: string, flags: SiteFlags & WindowFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const list = (window: Window) => session.client.rules.logs(site, name, window);
      const { answer, rows } = await session.wait(fetchList("logs", list, flags));
      await printAnswer(cli, flags, answer, () => rows.toReversed().map(renderLine).join("\n"));
    },
  );
}

function addTypes(rule: Command, cli: Cli): void {
  rule
    .command("types [folder]")
    .description("Write type stubs for editors: what scripts of rules find around them.")
    .action(async (folder = ".") => {
      const { writeRuleStubs } = await import("./blueprint/stubs.ts");
      writeRuleStubs(cli, folder);
    });
}

function addChanging(rule: Command, cli: Cli): void {
  const scriptCommand = (usage: string, about: string) =>
    siteCommand(rule, usage, about)
      .option("--exec-interval <duration>", "run the whole script at this interval, such as 1m")
      .addOption(new Option("--runtime-version <version>", "the only one").choices(["V3"]).default("V3"))
      .addOption(new Option("--language <language>", "of the file (default: by its ending)").choices(["lua", "yaml"]));
  scriptCommand("create <slug> <file>", "Create a rule from a file with Lua or YAML.")
    .option("--disable", "do not run it yet")
    .action(async (slug: string, file: string, flags: NewScriptFlags & { readonly disable?: boolean }) => {
      const script = readScript(cli, file, flags);
      const session = await openSession(cli, flags);
      const body = { slug, script, disable: flags.disable === true };
      await print(cli, flags, await session.wait(session.client.rules.create(await siteOf(session, flags), body)));
    });
  scriptCommand("update <rule> <file>", "Replace the script of a rule.").action(
    async (name: string, file: string, flags: NewScriptFlags) => {
      const script = readScript(cli, file, flags);
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      await print(cli, flags, await session.wait(session.client.rules.updateScript(site, name, script)));
    },
  );
  siteCommand(rule, "rename <rule> <slug>", "Give a rule another slug. It keeps running.").action(
    async (name: string, slug: string, flags: SiteFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      await print(cli, flags, await session.wait(session.client.rules.rename(site, name, slug)));
    },
  );
  siteCommand(rule, "delete <rule>", "Delete a rule, with its log and what it stored.")
    .option("-y, --yes", "do not ask")
    .action(async (name: string, flags: SiteFlags & { readonly yes?: boolean }) => {
      await confirm(cli, flags, `Delete the rule ${name}?`);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.rules.delete(await siteOf(session, flags), name));
      await printAnswer(cli, flags, answer, () => `deleted ${name}`);
    });
}

function addSwitching(rule: Command, cli: Cli): void {
  for (const [verb, about] of [
    ["enable", "Enable rules: all that are named, or none."],
    ["disable", "Disable rules: all that are named, or none."],
  ] as const) {
    siteCommand(rule, `${verb} <rules...>`, about).action(async (names: readonly string[], flags: SiteFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const answer = await session.wait(session.client.rules[`${verb}All`](site, names));
      await printTable(cli, flags, { answer, rows: answer.rules, columns: COLUMNS });
    });
  }
  for (const [verb, about] of [
    ["suspend", "Stop all rules of a site. They stay enabled."],
    ["resume", "Start the enabled rules of a site again."],
  ] as const) {
    siteCommand(rule, verb, about).action(async (flags: SiteFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.rules[verb](await siteOf(session, flags)));
      await printAnswer(cli, flags, answer, () => `the rule engine is ${answer.engine.state}`);
    });
  }
}

const print = (cli: Cli, flags: ClientFlags, answer: { readonly rule: Rule }) =>
  printAnswer(cli, flags, answer, () => `${answer.rule.slug} is ${answer.rule.state}`);

const COLUMNS: Columns<Rule> = {
  RULE: ({ slug }) => slug,
  STATE: ({ state }) => state,
  ENABLED: ({ disabled }) => (disabled ? "no" : "yes"),
  LANGUAGE: ({ script }) => script.language,
  INTERVAL: ({ script }) => script.exec_interval ?? "",
  ABOUT: ({ last_error, explanation }) => last_error?.message ?? explanation?.text ?? "",
};

const renderLine = ({ timestamp, severity, message }: RuleLogLine) =>
  `${new Date(timestamp * 1000).toISOString().replace(".000", "")} ${severity} ${message}`;

function describe({ slug, id, disabled, state, script, last_error, restart_at, explanation }: Rule): string {
  return [
    `${slug} (${id}): ${state}${disabled ? ", disabled" : ""}`,
    ...(script.exec_interval === undefined ? [] : [`runs every ${script.exec_interval}`]),
    ...(explanation === null ? [] : [`says: ${explanation.text}`]),
    ...(last_error === null ? [] : [`last error: ${last_error.message}`, last_error.traceback ?? ""]),
    ...(restart_at === null ? [] : [`starts again at ${restart_at}`]),
    "",
    Buffer.from(script.code, "base64").toString("utf8"),
  ].join("\n");
}
