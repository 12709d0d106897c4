// The two files that make Mosquitto isolate devices in the same way as the embedded broker.
import { pbkdf2Sync } from "node:crypto";
import { type Address, isTopicLevel } from "#mqtt/topics.ts";

const ITERATIONS = 1000;
const HASH_BYTES = 64;

/** The ACL file: the service reads what devices send and writes to them; a device uses its own topics only. */
export function renderMosquittoAcl(serviceName: string, devices: readonly Pick<Address, "hardwareId">[]): string {
  const blocks = [
    [`user ${checked(serviceName)}`, "topic read v1/from/#", "topic write v1/to/#"],
    // Every channel below the hardware id: the device's own, and those of its children.
    ...devices.map(({ hardwareId }) => [
      `user ${checked(hardwareId)}`,
      `topic write v1/from/${hardwareId}/#`,
      `topic read v1/to/${hardwareId}/#`,
    ]),
  ];
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** One line of the password file, as mosquitto_passwd writes it. The salt is 12 random bytes. */
export function renderMosquittoPassword(name: string, secret: string, salt: Uint8Array): string {
  const hash = pbkdf2Sync(secret, salt, ITERATIONS, HASH_BYTES, "sha512");
  return `${checked(name)}:$7$${ITERATIONS}$${Buffer.from(salt).toString("base64")}$${hash.toString("base64")}\n`;
}

function checked(name: string): string {
  if (!isTopicLevel(name) || name.includes(":") || name.startsWith("#") || name.trim() !== name) {
    throw new Error(`"${name}" cannot stand in a file of Mosquitto`);
  }
  return name;
}
