// Names of files: in a backup, and where one is made. Without the code that makes it, which a start does not need.

export const CONFIG_FILE = "busbar.yaml";
export const DATA_PREFIX = "data/";
export const CHANGES_FILE = "telemetry-changes.db";
export const partOf = (target: string) => `${target}.part`;
export const workFolderOf = (target: string) => `${target}.work`;
/** In the data folder, for backups that are sent. */
export const SENT_FOLDER = "backup-work";
