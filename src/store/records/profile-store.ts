import type { ProfileStore } from "#service/ports/profile-store.ts";
import type { Database } from "#store/database.ts";
import { isStoredProfile, parseStoredProfile, renderStoredProfile } from "./profile-row.ts";
import { number, text } from "./row.ts";
import { storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createProfileStore(reader: Database, writer: Writer): ProfileStore {
  return {
    all: async () =>
      (await reader.all("SELECT id, content FROM device_profile ORDER BY id")).flatMap((row) => {
        const stored = storedJson({ database: reader, table: "device_profile", row }, "content", isStoredProfile);
        return stored === undefined ? [] : [parseStoredProfile(text(row, "id"), stored)];
      }),
    revision: async () =>
      number(await reader.one("SELECT coalesce(max(revision), 0) AS latest FROM device_profile"), "latest"),
    put: (profiles, limits, trail) => {
      const rows = profiles.map((profile) => ({
        id: profile.id,
        isDraft: profile.isDraft,
        content: renderStoredProfile(profile),
      }));
      return writer.run("putProfiles", { rows, limits, trail });
    },
  };
}
