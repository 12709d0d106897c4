import { Readable } from "node:stream";
import { type Route, route, StreamAnswer } from "#http/route.ts";
import { type BackupNeeds, createBackup } from "#service/system/create-backup.ts";

const PLAIN = "application/gzip";
const ENCRYPTED = "application/octet-stream";

export function backupRoutes(needs: BackupNeeds): readonly Route[] {
  return [
    route({
      method: "POST",
      path: "/v3/backups",
      operation: "createBackup",
      summary: "Take a backup",
      description:
        "Streams a backup of everything: records, telemetry, keys and the configuration file, as a tar file packed by gzip. It is consistent while the service goes on, and holds everything that was acknowledged before the call. Its last file is SHA256SUMS; without it the backup is not complete. It holds every key: keep it as safe as the gateway itself. With backup.passphrase or backup.recipients it is encrypted by age (application/octet-stream). 409 while another backup is made.",
      tag: "System",
      access: "system",
      answer: { contentType: PLAIN, otherTypes: [ENCRYPTED], description: "The backup." },
      handle: async (call) =>
        new StreamAnswer(
          needs.backups.areEncrypted ? ENCRYPTED : PLAIN,
          Readable.from(await createBackup(needs, call)),
        ),
    }),
  ];
}
