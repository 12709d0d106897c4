// The profiles that count now: those of Busbar, those that were uploaded and those of the operator's folder. Of several
// with one id the folder's counts, then the uploaded one.
import type { Profile, ProfileLibrary } from "#core/blueprint/profile.ts";
import { libraryWith } from "#manifest/library-with.ts";
import type { ProfileStore } from "#service/ports/profile-store.ts";

export interface ProfileCatalog extends ProfileLibrary {
  /** Rises whenever the profiles change. */
  revision(): number;
  /** The operator's profile with this id. */
  inFolder(id: string): Profile | undefined;
  /** Takes over what was uploaded since, here or on another node. */
  refresh(): Promise<void>;
}

interface ProfileCatalogNeeds {
  readonly uploadedProfiles: Pick<ProfileStore, "all" | "revision">;
  /** Those besides Busbar's own, before anybody sees the change. */
  readonly onChange: (profiles: readonly Profile[]) => void;
}

export function createProfileCatalog(
  { uploadedProfiles, onChange }: ProfileCatalogNeeds,
  folder: readonly Profile[],
): ProfileCatalog {
  const ofFolder = new Map(folder.map((profile) => [profile.id, profile]));
  let library = libraryWith(folder);
  let revision = 0;
  /** Of the store, as far as it was taken over. */
  let taken = 0;
  return {
    get: (id) => library.get(id),
    ids: () => library.ids(),
    resolve: (ids) => library.resolve(ids),
    revision: () => revision,
    inFolder: (id) => ofFolder.get(id),
    async refresh() {
      // Read first: what is stored meanwhile is read again next time.
      const latest = await uploadedProfiles.revision();
      if (latest === taken) return;
      const profiles = [...(await uploadedProfiles.all()), ...folder];
      // A refresh that overtook this one has newer profiles.
      if (latest <= taken) return;
      taken = latest;
      library = libraryWith(profiles);
      revision += 1;
      onChange(profiles);
    },
  };
}
