// `busbar rule test`: scenarios of rules in virtual time, without a server.
import { type Command, Option } from "commander";
import type { TestFlags } from "#cli/blueprint/run-tests.ts";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";

const ABOUT = `
A file with scenarios stands beside its rule: surplus.test.yml tests surplus.yml or surplus.lua. Name either of them, or a folder
for all *.test.yml in it (default: the current one). \`rule:\` in the file names another rule, \`controller:\` a ready controller:

  devices:
    meter: {telemetry: {power: 400}}
    charger: {controls: {power: W}}
  steps:
    - name: the sun gives more than the house takes
      set: {meter: {telemetry: {power: -3000}}}
      wait: 3m
      expect: {claims: {charger: {power: 3000}}, messages: The car charges, runs: then}
    - restart: 5m
      expect: {messages: none}

Nothing is sent to a server, and no time passes. It fails with 1 if a scenario fails, and with 2 if there was nothing to run.`;

export function addTesting(rule: Command, cli: Cli): void {
  const output = new Option("-o, --output <format>", "how to print").choices(["pretty", "json", "github", "junit"]);
  const command = rule
    .command("test [paths...]")
    .description("Play scenarios of a rule in virtual time, and check what it claims, executes and sends.")
    .addOption(output.default("pretty"))
    .option("--filter <text>", "only scenarios whose file or name contains the text")
    .option("--verbose", "show what happened, run by run")
    .option("--watch", "run again whenever a file changes")
    .option("--junit <file>", "write the result as JUnit XML too, for build servers")
    .addHelpText("after", ABOUT)
    .action(async (paths: readonly string[], flags: TestFlags) => {
      await (await import("./test-rules.ts")).testRules(cli, paths, flags);
    });
  addExamples(
    command,
    "rule test surplus.yml",
    "rule test rules/ --filter night --verbose",
    "rule test surplus.test.yml --watch",
    "rule test rules/ -o github --junit report.xml",
  );
  rule
    .command("schema")
    .description("Print the JSON Schema of test scenarios of rules, for editors.")
    .action(async () => {
      const { renderRuleScenarioSchema } = await import("#manifest/rule-scenario/parse-rule-scenarios.ts");
      cli.stdout.write(`${JSON.stringify(renderRuleScenarioSchema(), null, 2)}\n`);
    });
}
