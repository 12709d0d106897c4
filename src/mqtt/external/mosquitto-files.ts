// The two files that make Mosquitto isolate devices in the same way as the embedded broker.
import { isTopicLevel } from "#mqtt/topics.ts";

/** The ACL file: the service reads what devices send and writes to them; a device uses its own topics only. */
export function renderMosquittoAcl(serviceName: string): string {
  return `user ${checked(serviceName)}
topic read v1/from/#
topic write v1/to/#

# Every channel below the hardware id, which is the user name: the device's own, and those of its children.
pattern write v1/from/%u/#
pattern read v1/to/%u/#
`;
}

/** One line of the password file, with a password as Mosquitto keeps it. */
export function renderMosquittoPassword(name: string, hashed: string): string {
  return `${checked(name)}:${hashed}\n`;
}

function checked(name: string): string {
  if (!isTopicLevel(name) || name.includes(":") || name.startsWith("#") || name.trim() !== name) {
    throw new Error(`"${name}" cannot stand in a file of Mosquitto`);
  }
  return name;
}
