// `busbar broker files`: the files with which Mosquitto signs devices in and keeps them apart.
import { randomBytes } from "node:crypto";
import { chownSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "#config";
import { requireBrokerAddress } from "#core/net/broker-address.ts";
import { renderMosquittoAcl, renderMosquittoPassword } from "#mqtt/external/mosquitto-files.ts";
import { BROKER_SALT_BYTES, hashForBroker } from "#service/access/hash-secret.ts";
import { writeSecretFile } from "#store/write-secret-file.ts";

interface BrokerFilesOptions {
  readonly config: Config;
  readonly folder: string;
  /** A file with the process id of Mosquitto, which gets a signal when a file has changed. */
  readonly pidFile: string | undefined;
}

interface BrokerFiles {
  /** Devices that can sign in. */
  readonly devices: number;
  /** Hardware ids whose password is not known in Mosquitto's form: they need a new secret. */
  readonly unknown: readonly string[];
  readonly changed: readonly string[];
}

/** Mosquitto runs as a user of its own; a file that is there keeps its owner and mode. */
const MODE = 0o640;

export async function writeBrokerFiles({ config, folder, pidFile }: BrokerFilesOptions): Promise<BrokerFiles> {
  const database = config.database.url?.reveal();
  if (database === undefined) {
    throw new Error(
      "set database.url (BUSBAR_DATABASE_URL): only installations on PostgreSQL have an outside broker's files",
    );
  }
  const address = config.mqtt.url && requireBrokerAddress(config.mqtt.url.reveal());
  if (address?.protocol === "amqp") throw new Error("these files are for Mosquitto, and mqtt.url names RabbitMQ");
  const { username, password } = new URL(address?.servers[0]?.url ?? "mqtt://");
  if (username === "" || password === "") {
    throw new Error("set mqtt.url (BUSBAR_MQTT_URL) with the user name and the password of Busbar at the broker");
  }
  const service = decodeURIComponent(username);
  const before = readIfThere(join(resolve(folder), "passwords"));
  const lines: string[] = [serviceLine(before, service, decodeURIComponent(password))];
  const unknown: string[] = [];
  const { readBrokerPasswords } = await import("#store/postgres/read-broker-passwords.ts");
  for await (const { hardwareId, password: hashed } of readBrokerPasswords(database)) {
    if (hashed === undefined) unknown.push(hardwareId);
    else lines.push(renderMosquittoPassword(hardwareId, hashed));
  }
  const files = new Map([
    ["passwords", lines.join("")],
    ["acl", renderMosquittoAcl(service)],
  ]);
  const changed = [...files].filter(([name, text]) => write(join(resolve(folder), name), text)).map(([name]) => name);
  if (changed.length > 0 && pidFile !== undefined) process.kill(Number(readFileSync(pidFile, "utf8")), "SIGHUP");
  return { devices: lines.length - 1, unknown, changed };
}

/** The line that is there, if it is for this password: a new salt would change the file each time. */
function serviceLine(before: string, name: string, secret: string): string {
  const line = before.split("\n").find((one) => one.startsWith(`${name}:`));
  const salt = Buffer.from(line?.split("$")[3] ?? "", "base64");
  const again = renderMosquittoPassword(name, hashForBroker(secret, salt));
  return again === `${line}\n`
    ? again
    : renderMosquittoPassword(name, hashForBroker(secret, randomBytes(BROKER_SALT_BYTES)));
}

function write(file: string, text: string): boolean {
  if (readIfThere(file) === text) return false;
  const { mode, uid, gid } = statSync(file, { throwIfNoEntry: false }) ?? {};
  writeSecretFile(file, text, mode === undefined ? MODE : mode & 0o777);
  if (uid !== undefined && gid !== undefined && process.getuid?.() === 0) chownSync(file, uid, gid);
  return true;
}

function readIfThere(file: string): string {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readFileSync(file, "utf8");
}
