import { requesterOf } from "#core/share/requester.ts";
import type { Inspection } from "#service/blueprint/inspect-package.ts";
import type { Call, Needs } from "#service/ports.ts";

/** All checks of an uploaded package: its manifest, its files, and its scripts with their rocks. */
export async function inspectUpload(
  needs: Pick<Needs, "inspectPackage" | "buildScripts">,
  call: Pick<Call, "caller" | "remoteAddress">,
  bytes: Uint8Array,
): Promise<Inspection> {
  const requester = requesterOf(call.caller, call.remoteAddress);
  const { issues, found } = await needs.inspectPackage(bytes, requester);
  if (found?.blueprint.runtime.type !== "lua") return { issues, found };
  const scripts = await needs.buildScripts(bytes, requester);
  const isSound = scripts.issues.every(({ severity }) => severity !== "error");
  return { issues: [...issues, ...scripts.issues], found: isSound ? found : undefined };
}
