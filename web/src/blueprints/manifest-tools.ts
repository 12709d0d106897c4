// What the page computes about manifests: everything here is what the command line and the service do, too. It runs in a
// worker, so that a large manifest never stops the typing.

import { applyFixes } from "#core/blueprint/apply-fixes.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { BlueprintChange } from "#core/blueprint/blueprint-change.ts";
import { compileManifest } from "#core/blueprint/compile-manifest.ts";
import { diffBlueprints } from "#core/blueprint/diff-blueprints.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import { createProfileLibrary, type Profile, type ProfileLibrary } from "#core/blueprint/profile.ts";
import { untouched } from "#core/simulator/adjustments.ts";
import { createDeviceModel, type DeviceModel } from "#core/simulator/device-model.ts";
import { instant } from "#core/time/instant.ts";
import { DEVICE_KINDS } from "#manifest/draft/device-kinds.ts";
import { draftManifest } from "#manifest/draft/draft-manifest.ts";
import { draftScript } from "#manifest/draft/draft-script.ts";
import type { PackageFiles } from "#manifest/manifest-context.ts";
import { manifestJson } from "#manifest/manifest-json.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseProfiles } from "#manifest/parse-profiles.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { parseUnit } from "#manifest/units.ts";

/** A package as it is sent to the worker: the manifest, and the other files as texts by path. */
export type PackageText = {
  readonly manifest: string;
  /** Undefined for a bare manifest: the files that it names are not asked for. */
  readonly files: Readonly<Record<string, string>> | undefined;
};

export type Json = Readonly<Record<string, unknown>>;

export type Checked = {
  readonly issues: readonly Issue[];
  /** Undefined while there is an error. */
  readonly compiled: Json | undefined;
};

export type Comparison = {
  readonly changes: readonly BlueprintChange[];
  readonly isBreaking: boolean;
};

export type SimulatedDevice = { readonly telemetry: Json; readonly properties: Json };
export type ProfileSummary = { readonly id: string; readonly displayName: string; readonly description: string };
type Draft = {
  readonly kind: string;
  readonly name: string;
  readonly runtime: "lua" | "embedded";
  readonly schema: string;
};

/** The questions that a worker answers. Each is one message, and so is its answer. */
export type ManifestTools = ReturnType<typeof createManifestTools>;

const SEED = 7;

export function createManifestTools() {
  let library: ProfileLibrary = starterLibrary();
  let model: { readonly blueprint: Blueprint; readonly device: DeviceModel } | undefined;

  const parse = (content: PackageText) => parseManifest(content.manifest, contextOf(content, library));

  return {
    /** The profiles that the server knows, as its download has them. Returns what editors offer. */
    setProfiles(files: Readonly<Record<string, string>>): readonly ProfileSummary[] {
      const { profiles } = parseProfiles(new Map(Object.entries(files)));
      if (profiles.length > 0) library = createProfileLibrary(profiles);
      return [...library.ids()].flatMap((id) => summaryOf(library.get(id))).sort((a, b) => (a.id < b.id ? -1 : 1));
    },

    /** Everything that is wrong, and what a device of this blueprint shows. */
    check(content: PackageText): Checked {
      const { blueprint, document, issues } = parse(content);
      if (blueprint === undefined) return { issues, compiled: undefined };
      const device = createDeviceModel({ blueprint, seed: SEED, offsetMs: 0, readUnit: parseUnit });
      model = { blueprint, device };
      return { issues, compiled: plain(compileManifest(manifestJson(document).meaning, blueprint, library)) };
    },

    /** The text with all fixes in it, as `busbar blueprint lint --fix` writes it. */
    fixAll(content: PackageText): { readonly text: string; readonly count: number } {
      return applyFixes(content.manifest, (manifest) => parse({ ...content, manifest }).issues);
    },

    /** What a device of the manifest that was last checked without errors would send now. */
    simulate(at: number): SimulatedDevice | undefined {
      if (model === undefined) return undefined;
      const now = instant(at);
      const adjustments = untouched(SEED, now);
      return {
        telemetry: Object.fromEntries(model.device.telemetry(now, adjustments)),
        properties: Object.fromEntries(model.device.properties(adjustments)),
      };
    },

    /** Undefined when one of the two has errors. */
    compare(old: PackageText, next: PackageText): Comparison | undefined {
      const [before, after] = [parse(old).blueprint, parse(next).blueprint];
      if (before === undefined || after === undefined) return undefined;
      const { changes, isBreaking } = diffBlueprints(before, after);
      return { changes, isBreaking };
    },

    /** A first manifest, as `busbar blueprint init` writes it. */
    draft({ kind, name, runtime, schema }: Draft): PackageText {
      const chosen = (Object.hasOwn(DEVICE_KINDS, kind) ? DEVICE_KINDS[kind] : undefined) ?? {
        category: undefined,
        profiles: [],
      };
      const { category, profiles } = chosen;
      const manifest = draftManifest({ displayName: name, category, profiles, runtime, schema }, library);
      if (runtime === "embedded") return { manifest, files: undefined };
      const { blueprint } = parseManifest(manifest, { profiles: library });
      return { manifest, files: { "main.lua": blueprint === undefined ? "" : draftScript(blueprint) } };
    },
  };
}

function contextOf({ files }: PackageText, profiles: ProfileLibrary) {
  if (files === undefined) return { profiles };
  const read = (path: string): string | undefined => (Object.hasOwn(files, path) ? files[path] : undefined);
  const inPackage: PackageFiles = { has: (path) => read(path) !== undefined, read };
  return { profiles, files: inPackage };
}

function summaryOf(profile: Profile | undefined): readonly ProfileSummary[] {
  if (profile === undefined) return [];
  return [{ id: profile.id, displayName: profile.displayName ?? profile.id, description: profile.description }];
}

/** As it would come over HTTP: objects without a prototype and undefined fields do not travel to the page. */
function plain(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
