import { compileManifest } from "#core/blueprint/compile-manifest.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { manifestJson } from "#manifest/manifest-json.ts";
import { checkPackage } from "#service/blueprint/check-package.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";

export interface CompiledPackage {
  /** Undefined for a package with errors. */
  readonly zip: Uint8Array | undefined;
}

/** The files of a package with its manifest compiled, as JSON, which is YAML too. Never throws. */
export function compilePackage(bytes: Uint8Array, profiles: ProfileLibrary): CompiledPackage {
  const { package: unpacked, blueprint, document } = checkPackage(bytes, profiles);
  if (unpacked === undefined || blueprint === undefined) return { zip: undefined };
  const compiled = compileManifest(manifestJson(document).meaning, blueprint, profiles);
  const manifest = Buffer.from(`${JSON.stringify(compiled, undefined, 2)}\n`);
  return { zip: packPackage(new Map([...unpacked.files, [unpacked.manifestPath, manifest]])) };
}
