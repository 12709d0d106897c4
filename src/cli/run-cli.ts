import { Command, CommanderError } from "commander";
import type { Cli } from "./cli.ts";
import { addSiteAliases } from "./client-command.ts";
import { EXIT } from "./exit-code.ts";
import { QuietFailure } from "./quiet-failure.ts";

type AddCommands = (command: Command, cli: Cli) => void;

/** A verb's file is loaded only when the verb is used, so that every start is fast. */
export const VERBS: Readonly<Record<string, readonly [about: string, load: () => Promise<AddCommands>]>> = {
  serve: [
    "Run Busbar here, as a gateway or as the cloud.",
    async () => (await import("#cli/commands/serve.ts")).addServeCommand,
  ],
  migrate: [
    "Move an installation from a data folder to PostgreSQL, or back.",
    async () => (await import("#cli/commands/migrate.ts")).addMigrateCommand,
  ],
  backup: ["Take a backup, or check one.", async () => (await import("#cli/commands/backup.ts")).addBackupCommands],
  restore: [
    "Restore a backup into a new data folder.",
    async () => (await import("#cli/commands/backup.ts")).addRestoreCommand,
  ],
  broker: [
    "The files of an outside MQTT broker.",
    async () => (await import("#cli/commands/broker.ts")).addBrokerCommands,
  ],
  database: [
    "The PostgreSQL of several nodes: spread it over servers.",
    async () => (await import("#cli/commands/database.ts")).addDatabaseCommands,
  ],
  open: [
    "Print a link that opens the web page and signs in.",
    async () => (await import("#cli/commands/open.ts")).addOpenCommand,
  ],
  login: [
    "Sign in to a server, and use it from now on.",
    async () => (await import("#cli/commands/login.ts")).addLoginCommand,
  ],
  logout: ["Forget a server and its token.", async () => (await import("#cli/commands/login.ts")).addLogoutCommand],
  whoami: [
    "Show which server and token commands use.",
    async () => (await import("#cli/commands/login.ts")).addWhoamiCommand,
  ],
  connection: [
    "Servers that you are signed in to: list, use.",
    async () => (await import("#cli/commands/login.ts")).addConnectionCommands,
  ],
  config: [
    "Print each setting and where it came from.",
    async () => (await import("#cli/commands/config.ts")).addConfigCommand,
  ],
  site: [
    "Sites: list, get, create, update, delete.",
    async () => (await import("#cli/commands/site.ts")).addSiteCommands,
  ],
  device: [
    "Devices: list, create, look into, connect.",
    async () => (await import("#cli/commands/device.ts")).addDeviceCommands,
  ],
  run: [
    "Run a command on a device, and wait for its result.",
    async () => (await import("#cli/commands/run.ts")).addRunCommand,
  ],
  command: [
    "The commands that devices offer: list, get.",
    async () => (await import("#cli/commands/command.ts")).addCommandCommands,
  ],
  execution: [
    "Runs of commands: list, get, watch, wait.",
    async () => (await import("#cli/commands/execution.ts")).addExecutionCommands,
  ],
  events: ["Show what happens, as it happens.", async () => (await import("#cli/commands/events.ts")).addEventsCommand],
  energy: [
    "What a site produced, used and took from the grid.",
    async () => (await import("#cli/commands/energy.ts")).addEnergyCommand,
  ],
  tariff: [
    "What energy costs at a site: show, set, check, remove the tariff; import, show and fetch prices.",
    async () => (await import("#cli/commands/tariff.ts")).addTariffCommands,
  ],
  correction: [
    "Doubtful steps of energy counters: create, list, delete corrections.",
    async () => (await import("#cli/commands/correction.ts")).addCorrectionCommands,
  ],
  view: [
    "What people saved on the page: list, show, delete, export, import.",
    async () => (await import("#cli/commands/view.ts")).addViewCommands,
  ],
  bulk: [
    "One command for many devices: run, list, show, devices, watch, cancel.",
    async () => (await import("#cli/commands/bulk.ts")).addBulkCommands,
  ],
  schedule: [
    "Commands that run at a time or by a schedule: add, list, show, runs, enable, disable, remove.",
    async () => (await import("#cli/commands/schedule.ts")).addScheduleCommands,
  ],
  control: [
    "Who controls a device, why and until when: show, claim, release, history.",
    async () => (await import("#cli/commands/control.ts")).addControlCommands,
  ],
  interlock: [
    "Limits that hold whatever anybody claims: list, show, check, apply, remove.",
    async () => (await import("#cli/commands/interlock.ts")).addInterlockCommands,
  ],
  rule: [
    "What runs a site by itself: list, show, create, update, rename, delete, enable, disable, logs, suspend, resume.",
    async () => (await import("#cli/commands/rule.ts")).addRuleCommands,
  ],
  calendar: [
    "When something is on, for rules and schedules: list, show, set, import, delete, next.",
    async () => (await import("#cli/commands/calendar.ts")).addCalendarCommands,
  ],
  now: ["The latest values of devices.", async () => (await import("#cli/commands/now.ts")).addNowCommand],
  telemetry: [
    "Time series: query, chart, export, import.",
    async () => (await import("#cli/commands/telemetry.ts")).addTelemetryCommands,
  ],
  export: [
    "Write every point of devices or of a site into files.",
    async () => (await import("#cli/commands/export.ts")).addExportAllCommand,
  ],
  blueprint: [
    "Blueprints: write, check, compare, list, upload.",
    async () => (await import("#cli/commands/blueprint.ts")).addBlueprintCommands,
  ],
  alerts: [
    "What is wrong with devices, now and in the past.",
    async () => (await import("#cli/commands/alerts.ts")).addAlertsCommand,
  ],
  notifications: [
    "Messages of rules to the people of a site.",
    async () => (await import("#cli/commands/notifications.ts")).addNotificationsCommand,
  ],
  channel: [
    "How the people of a site are reached: list, create, test, delete.",
    async () => (await import("#cli/commands/channel.ts")).addChannelCommands,
  ],
  route: [
    "Who is notified of what: list, create, delete, preview, messages, retry.",
    async () => (await import("#cli/commands/route.ts")).addRouteCommands,
  ],
  maintenance: [
    "Silence a device or a site while people work there: list, start, end.",
    async () => (await import("#cli/commands/maintenance.ts")).addMaintenanceCommands,
  ],
  alert: ["One alert: show, acknowledge.", async () => (await import("#cli/commands/alert.ts")).addAlertCommands],
  simulate: [
    "Simulate a device from a blueprint, here or on a server.",
    async () => (await import("#cli/commands/simulate.ts")).addSimulateCommand,
  ],
  simulation: [
    "Look at a simulated device, and change what it does.",
    async () => (await import("#cli/commands/simulation.ts")).addSimulationCommand,
  ],
  modbus: [
    "Talk to a Modbus device from here: read, scan.",
    async () => (await import("#cli/commands/modbus.ts")).addModbusCommands,
  ],
  dev: [
    "Work on a Lua blueprint: each change is checked, uploaded and run at once.",
    async () => (await import("#cli/commands/dev.ts")).addDevCommand,
  ],
  account: [
    "People: create, list, invite, change, suspend, resume, reset-second-factor, unlink, delete.",
    async () => (await import("#cli/commands/account.ts")).addAccountCommands,
  ],
  token: [
    "Access tokens: create, list, revoke.",
    async () => (await import("#cli/commands/token.ts")).addTokenCommands,
  ],
  webhook: [
    "Webhooks: create, list, delete, look at deliveries.",
    async () => (await import("#cli/commands/webhook.ts")).addWebhookCommands,
  ],
  gateway: [
    "Link a gateway to a cloud: code, join, status, leave, list, show, overview, revoke.",
    async () => (await import("#cli/commands/gateway.ts")).addGatewayCommands,
  ],
  rollout: [
    "Give a blueprint to many devices, in stages.",
    async () => (await import("#cli/commands/rollout.ts")).addRolloutCommands,
  ],
  setting: [
    "Settings that can be changed while Busbar runs: list, set, reset.",
    async () => (await import("#cli/commands/setting.ts")).addSettingCommands,
  ],
  audit: [
    "The audit log: who did or tried what.",
    async () => (await import("#cli/commands/audit.ts")).addAuditCommands,
  ],
  status: [
    "How the sites of a server do: devices, alerts, running commands.",
    async () => (await import("#cli/commands/status.ts")).addStatusCommand,
  ],
  doctor: [
    "Look for what is wrong with the installation of this machine.",
    async () => (await import("#cli/commands/doctor.ts")).addDoctorCommand,
  ],
  health: [
    "Ask a server whether it is ready for work.",
    async () => (await import("#cli/commands/health.ts")).addHealthCommand,
  ],
  api: ["Make any call of the HTTP interface.", async () => (await import("#cli/commands/api.ts")).addApiCommand],
  completion: [
    "Print what makes a shell complete commands, devices and sites.",
    async () => (await import("#cli/commands/completion.ts")).addCompletionCommand,
  ],
  system: [
    "Show how a server does, or the latest lines of its own log.",
    async () => (await import("#cli/commands/system.ts")).addSystemCommand,
  ],
  version: ["Print the version.", async () => (await import("#cli/commands/version.ts")).addVersionCommand],
};

const HELP = `
Examples:
  $ busbar serve --demo                 run a gateway with a demo site
  $ busbar site list                    what is there
  $ busbar run battery-1 stop           run a command of a device
  $ busbar token create ci --level user give someone access
  $ busbar device list -o json          answers for programs

Commands that talk to a server use the local one unless --url or BUSBAR_URL names another, with the token of
BUSBAR_TOKEN, --token-file, or the local data folder. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not allowed,
4 not found, 5 no answer, 6 the device answered with an error, 7 the device did not answer in time,
8 the outcome on the device is unknown.`;

/** Runs one command. Gives the exit code; everything printed goes through `cli`. */
export async function runCli(argv: readonly string[], cli: Cli): Promise<number> {
  try {
    if (argv[0] === "-V" || argv[0] === "--version") {
      cli.stdout.write(`${(await import("#version")).version()}\n`);
      return EXIT.ok;
    }
    const program = await buildProgram(argv, cli);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: "user" });
    return EXIT.ok;
  } catch (error) {
    // Commander has printed its message already, and help that was asked for is no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof QuietFailure) return error.exitCode;
    const { describeFailure } = await import("./describe-failure.ts");
    const { tokenSourceOf } = await import("./session.ts");
    const { exitCode, lines } = describeFailure(error, tokenSourceOf(cli));
    cli.stderr.write(`busbar: ${lines.join("\n")}\n`);
    return exitCode;
  }
}

export async function buildProgram(argv: readonly string[], cli: Cli): Promise<Command> {
  const program = new Command("busbar")
    .description("Busbar runs energy sites: commands, telemetry and blueprints for their devices.")
    .usage("<command> [options]")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.stdout.write(text),
      writeErr: (text) => cli.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, "busbar: ")),
    })
    .showHelpAfterError("Add --help to see what is possible.")
    .addHelpText("after", HELP)
    .option("-V, --version", "print the version");
  const words = argv.filter((word) => !word.startsWith("-"));
  const verb = words[0] === "help" ? words[1] : words[0];
  if (verb === "__complete") {
    const { addCompleteCommand } = await import("#cli/commands/completion.ts");
    const build = (typed: readonly string[]) => buildProgram(typed, cli);
    addCompleteCommand(program.command("__complete", { hidden: true }), cli, build);
  }
  for (const [name, [about, load]] of Object.entries(VERBS)) {
    const command = program.command(name).description(about);
    if (name !== verb) continue;
    (await load())(command, cli);
    addSiteAliases(command);
  }
  return program;
}
