import type { Inspection } from "#service/blueprint/inspect-package.ts";
import type { Needs } from "#service/ports.ts";

/** All there is to say about a package that somebody brings: its manifest, its files, and its scripts with their rocks. */
export async function inspectUpload(
  needs: Pick<Needs, "inspectPackage" | "buildScripts">,
  bytes: Uint8Array,
): Promise<Inspection> {
  const { issues, found } = await needs.inspectPackage(bytes);
  if (found?.blueprint.runtime.type !== "lua") return { issues, found };
  const scripts = await needs.buildScripts(bytes);
  const isSound = scripts.issues.every(({ severity }) => severity !== "error");
  return { issues: [...issues, ...scripts.issues], found: isSound ? found : undefined };
}
