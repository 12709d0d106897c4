import { Readable } from "node:stream";
import { StreamAnswer } from "#service/operation/answer.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type BackupNeeds, createBackup } from "#service/system/create-backup.ts";

const PLAIN = "application/gzip";
const ENCRYPTED = "application/octet-stream";

export function backupOperations(needs: BackupNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/backups",
      name: "createBackup",
      summary: "Take a backup",
      description:
        "Streams a backup of everything: records, telemetry, keys and the configuration file, as a tar file packed by gzip. It is consistent while the service goes on, and holds everything that was acknowledged before the call. Its last file is SHA256SUMS; without it the backup is not complete. It holds every key: keep it as safe as the gateway itself. With backup.passphrase or backup.recipients it is encrypted by age (application/octet-stream). 409 while another backup is made.",
      tag: "System",
      level: "system",
      answer: { contentType: PLAIN, otherTypes: [ENCRYPTED], description: "The backup." },
      run: async (call) =>
        new StreamAnswer(
          needs.backups.areEncrypted ? ENCRYPTED : PLAIN,
          Readable.from(await createBackup(needs, call)),
        ),
    }),
  ];
}
