import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import { renderProfile } from "#core/blueprint/render-profile.ts";
import { diagnosticSchema } from "#service/blueprint/blueprint-wire.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { packageBytes } from "#service/blueprint/package-bytes.ts";
import type { ProfileCatalog } from "#service/blueprint/profile-catalog.ts";
import { type UploadProfilesNeeds, uploadProfiles } from "#service/blueprint/upload-profiles.ts";
import { RawAnswer } from "#service/operation/answer.ts";
import { bytesOperation, type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";

const tag = "Blueprints";

export function profileOperations(needs: UploadProfilesNeeds): readonly Operation[] {
  let packed: { readonly revision: number; readonly zip: Uint8Array } | undefined;
  return [
    operation({
      method: "GET",
      path: "/v3/blueprints/device_profiles/download",
      name: "downloadProfiles",
      summary: "Download the profiles that this installation knows",
      description: "A zip with one file for each profile; the path of a file is the id of its profile.",
      tag,
      level: "readonly",
      answer: { contentType: "application/zip", description: "The profiles." },
      run: async () => {
        const revision = needs.profiles.revision();
        if (packed?.revision !== revision) packed = { revision, zip: packPackage(profileFiles(needs.profiles)) };
        const headers = { "content-disposition": 'attachment; filename="profiles.zip"' };
        return new RawAnswer("application/zip", packed.zip, headers);
      },
    }),
    bytesOperation({
      method: "POST",
      path: "/v3/blueprints/upload_device_profiles",
      name: "uploadProfiles",
      summary: "Upload profiles",
      description:
        "A zip with one YAML file for each profile; the path of a file is the id of its profile. All are stored or none, and they count at once, on all sites. A profile that is no draft never changes.",
      tag,
      level: "vendor",
      body: ["application/zip", "multipart/form-data"],
      answer: Type.Object(
        {
          profiles: Type.Array(Type.String(), { description: "The ids of all profiles of the zip." }),
          diagnostics: Type.Array(diagnosticSchema, { description: "Warnings. The path is that of the file." }),
        },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const { ids, issues } = await uploadProfiles(needs, call, packageBytes(call));
        const diagnostics = issues.map((issue) => renderDiagnostic({ ...issue, path: issue.file }));
        return { profiles: ids, diagnostics };
      },
    }),
  ];
}

/** JSON is YAML, too. */
function profileFiles(profiles: ProfileCatalog): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const id of profiles.ids()) {
    const profile = profiles.get(id);
    const text = profile && `${JSON.stringify(renderProfile(profile), null, 2)}\n`;
    if (text !== undefined) files.set(`${id.replaceAll(".", "/")}.yml`, new TextEncoder().encode(text));
  }
  return files;
}
