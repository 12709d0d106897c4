import type { ProfileLibrary } from "#core/blueprint/profile.ts";

/** What is known besides the text of the manifest. */
export interface ManifestContext {
  /** The package that the manifest lies in. Without one the files that it names are not asked for. */
  readonly files?: PackageFiles;
  /** Without one, profiles are not checked. */
  readonly profiles?: ProfileLibrary;
}

/** Paths are relative to the manifest, with `/`, without `.` and `..`. */
export interface PackageFiles {
  has(path: string): boolean;
  read(path: string): string | undefined;
}
