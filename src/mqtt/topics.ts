// The names of the topics. A hardware id and a channel id are each one whole level, so no id can reach another device's
// topics.
import type { SignedIn } from "#service/ports/device-inbox.ts";

export type Address = Pick<SignedIn, "hardwareId" | "channelId">;

export type DeviceTopic = "telemetry" | "register" | "properties" | "log" | "response";

const TELEMETRY = "v1/telemetry";
const RESPONSES = "v1/command/responses";
const KINDS: ReadonlyMap<string, DeviceTopic> = new Map([
  [TELEMETRY, "telemetry"],
  ["v1/register", "register"],
  ["v1/properties", "properties"],
  ["v3/logs", "log"],
  [RESPONSES, "response"],
]);
const COMMANDS = "v1/command/requests";
const CONFIGURATION = "v1/configuration";

/** The kind of message on this topic, by the part below the device's own prefix. */
export function kindOfTopic(rest: string): DeviceTopic | undefined {
  return KINDS.get(rest);
}

/** Splits `v1/from/<hardware_id>/<channel_id>/<rest>`. */
export function parseDeviceTopic(topic: string): (Address & { readonly rest: string }) | undefined {
  const [version, direction, hardwareId, channelId, ...rest] = topic.split("/");
  if (version !== "v1" || direction !== "from" || rest.length === 0) return undefined;
  if (hardwareId === undefined || channelId === undefined || hardwareId === "" || channelId === "") return undefined;
  return { hardwareId, channelId, rest: rest.join("/") };
}

/** The channel and the rest of a topic below the device's hardware id, or undefined when the topic is not the device's. */
export function ownPart(
  { hardwareId }: Pick<Address, "hardwareId">,
  topic: string,
): { readonly channelId: string; readonly rest: string } | undefined {
  const prefix = `v1/from/${hardwareId}/`;
  const end = topic.startsWith(prefix) ? topic.indexOf("/", prefix.length) : -1;
  if (end <= prefix.length) return undefined;
  return { channelId: topic.slice(prefix.length, end), rest: topic.slice(end + 1) };
}

export function telemetryTopic({ hardwareId, channelId }: Address): string {
  return `v1/from/${hardwareId}/${channelId}/${TELEMETRY}`;
}

export function responseTopic({ hardwareId, channelId }: Address): string {
  return `v1/from/${hardwareId}/${channelId}/${RESPONSES}`;
}

export function commandTopic(address: Address): string {
  return `${toPrefix(address)}${COMMANDS}`;
}

export function configurationTopic(address: Address): string {
  return `${toPrefix(address)}${CONFIGURATION}`;
}

/**
 * The channel of a filter below the device's hardware id, `+` and `#` included: both mean the device and its children.
 * Undefined when the filter could match topics of other devices, or matches none.
 */
export function filterChannel({ hardwareId }: Pick<Address, "hardwareId">, filter: string): string | undefined {
  const prefix = `v1/to/${hardwareId}/`;
  if (!filter.startsWith(prefix)) return undefined;
  const [channelId = "", ...rest] = filter.slice(prefix.length).split("/");
  if (channelId === "#") return rest.length === 0 ? channelId : undefined;
  return channelId === "" || rest.join("/") === "" ? undefined : channelId;
}

/** Matching of MQTT 3.1.1, section 4.7. `#` includes the level above it. */
export function filterMatches(filter: string, topic: string): boolean {
  if (filter === topic) return true;
  const wanted = filter.split("/");
  const given = topic.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= given.length || (level !== "+" && level !== given[index])) return false;
  }
  return wanted.length === given.length;
}

/** Whether an id is a single level of a topic and no wildcard. */
export function isTopicLevel(id: string): boolean {
  return id.length > 0 && id.length <= 128 && !/[/+#\p{Cc}]/u.test(id);
}

function toPrefix({ hardwareId, channelId }: Address): string {
  return `v1/to/${hardwareId}/${channelId}/`;
}
