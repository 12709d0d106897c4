import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { remarkDiagnostics } from "./print-diagnostics.ts";
import type { Session } from "./session.ts";
import { UsageError } from "./usage-error.ts";

export type BlueprintFlags = { readonly blueprintId?: string; readonly blueprintPath?: string };

export function addBlueprintOptions(command: Command): Command {
  return command
    .option("-b, --blueprint-id <id>", "blueprint that is on the server")
    .option("--blueprint-path <path>", "blueprint to upload first: a folder, a zip or a manifest");
}

/** The blueprint that the flags name, uploaded if it is a path; undefined when they name none. */
export async function findBlueprint(
  cli: Cli,
  { client, wait }: Session,
  { blueprintId, blueprintPath }: BlueprintFlags,
): Promise<string | undefined> {
  if (blueprintId !== undefined && blueprintPath !== undefined)
    throw new UsageError("give --blueprint-id or --blueprint-path, not both");
  if (blueprintPath === undefined) return blueprintId;
  const { readBlueprint } = await import("./read-blueprint.ts");
  const { content, manifestName } = await readBlueprint(cli, blueprintPath);
  const { blueprint, diagnostics } = await wait(client.blueprints.upload(content));
  remarkDiagnostics(cli, diagnostics, manifestName);
  return blueprint.id;
}

export async function requireBlueprint(cli: Cli, session: Session, flags: BlueprintFlags): Promise<string> {
  const id = await findBlueprint(cli, session, flags);
  if (id === undefined) throw new UsageError("which blueprint? give --blueprint-id or --blueprint-path");
  return id;
}
