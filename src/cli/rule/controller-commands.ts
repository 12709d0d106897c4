// Ready controllers: rules that are set up by parameters.
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { complain, printAnswer, printTable, remark } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { openSession, type Session } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Controller, ControllerParameter } from "#client/resources.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { type SiteFlags, siteCommand, siteOf } from "./site-command.ts";

type SetupFlags = SiteFlags & {
  readonly param?: readonly string[];
  readonly dryRun?: boolean;
  readonly disable?: boolean;
  readonly replace?: boolean;
};

const oneMore = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export function addControllerCommands(rule: Command, cli: Cli): void {
  siteCommand(rule, "controllers [name]", "List the ready controllers, or the parameters of one.").action(
    async (name: string | undefined, flags: SiteFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const answer = await session.wait(session.client.rules.controllers(site));
      if (name === undefined) await printTable(cli, flags, { answer, rows: answer.controllers, columns: COLUMNS });
      else {
        const controller = controllerOf(answer.controllers, name);
        await printAnswer(cli, flags, controller, () => describe(controller));
      }
    },
  );
  siteCommand(rule, "setup <controller> [slug]", "Set up a ready controller as a rule.")
    .option("-p, --param <name=value>", "a parameter; once for each", oneMore)
    .option("--dry-run", "print the rule, and store nothing")
    .option("--disable", "do not run it yet")
    .option("--replace", "give the rule of this slug the new parameters")
    .addHelpText("after", "\nThe parameters of a controller, with their defaults: busbar rule controllers <controller>")
    .action(async (name: string, slug: string | undefined, flags: SetupFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const { controllers } = await session.wait(session.client.rules.controllers(site));
      await setUp(cli, session, { site, controller: controllerOf(controllers, name), slug, flags });
    });
}

interface Setup {
  readonly site: string;
  readonly controller: Controller;
  readonly slug: string | undefined;
  readonly flags: SetupFlags;
}

async function setUp(cli: Cli, session: Session, { site, controller, slug, flags }: Setup): Promise<void> {
  const parameters = Object.fromEntries((flags.param ?? []).map((text) => readParameter(controller, text)));
  const rendered = await session.wait(session.client.rules.renderController(site, controller.id, parameters, slug));
  if (rendered.script === null) {
    complain(cli, [
      ...rendered.diagnostics.map(({ message }) => message),
      `busbar rule controllers ${controller.id} explains the parameters`,
    ]);
    throw new QuietFailure(EXIT.failure);
  }
  if (flags.dryRun === true) {
    await printAnswer(cli, flags, rendered, () => (rendered.script ?? "").trimEnd());
    return;
  }
  const script = {
    code: Buffer.from(rendered.script).toString("base64"),
    runtime_version: "V3" as const,
    language: "yaml" as const,
  };
  const { rules } = session.client;
  const disable = flags.disable === true;
  const answer = await session.wait(
    flags.replace === true
      ? rules.updateScript(site, rendered.slug, script)
      : rules.create(site, { slug: rendered.slug, script, disable }),
  );
  await printAnswer(cli, flags, answer, () => `${answer.rule.slug} is ${answer.rule.state}`);
  if (!answer.rule.disabled) remark(cli, `busbar rule show ${answer.rule.slug} shows the rule that was written`);
}

function controllerOf(controllers: readonly Controller[], given: string): Controller {
  const name = given.replaceAll("-", "_");
  const found = controllers.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const ids = controllers.map(({ id }) => id);
  const meant = nearestOf(name, ids);
  const hint = meant === undefined ? `the controllers are ${ids.join(", ")}` : `did you mean ${meant}?`;
  throw new UsageError(`there is no controller "${given}"; ${hint}`);
}

/** The text of a value means what its parameter says; what does not fit is sent as it is, and refused with the others. */
function readParameter({ parameters }: Controller, given: string): readonly [string, string | number | boolean] {
  const [, name, text] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || text === undefined) throw new UsageError(`"${given}" is not name=value`);
  const kind = parameters.find((one) => one.name === name)?.kind;
  if (kind === "boolean" && (text === "true" || text === "false")) return [name, text === "true"];
  const isNumber = (kind === "number" || kind === "integer") && text.trim() !== "" && Number.isFinite(Number(text));
  return [name, isNumber ? Number(text) : text];
}

const COLUMNS: Columns<Controller> = {
  CONTROLLER: ({ id }) => id,
  NAME: ({ display_name }) => display_name,
  NEEDS: ({ parameters }) =>
    parameters
      .filter(({ required }) => required)
      .map(({ name }) => name)
      .join(", "),
};

function describe({ id, display_name, description, parameters }: Controller): string {
  const needed = parameters.filter(({ required }) => required);
  const example = needed.map(({ name }) => `--param ${name}=...`).join(" ");
  return [
    `${display_name}: ${description}`,
    "",
    ...parameters.flatMap(describeParameter),
    "",
    `busbar rule setup ${id} ${id.replaceAll("_", "-")} ${example}`.trimEnd(),
  ].join("\n");
}

function describeParameter(one: ControllerParameter): readonly string[] {
  const { name, kind, of, unit, min, max, choices, required, description } = one;
  const about = [
    `${kind}${of === null ? "" : ` of ${of}`}${unit === null ? "" : ` in ${unit}`}`,
    ...(choices === null ? [] : [choices.join(" or ")]),
    ...(min !== null && max !== null && max < 1_000_000 ? [`${min} to ${max}`] : []),
    required ? "needed" : one.default === null ? "may be left out" : `default ${one.default}`,
  ];
  return [`  ${name} (${about.join(", ")})`, `      ${description}`];
}
