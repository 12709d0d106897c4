// Which versions of the link's protocol understand each other: those whose second numbers differ by one at most. So a
// fleet is updated in steps, the cloud first or the gateways first.
import { LinkMistake } from "./message-fields.ts";
import { LINK_PROTOCOL } from "./messages.ts";

export function requireProtocol(said: { readonly protocol: string; readonly version: string }): void {
  const [major, minor] = numbersOf(LINK_PROTOCOL);
  const [theirMajor, theirMinor] = numbersOf(said.protocol);
  if (theirMajor === major && Math.abs(theirMinor - minor) <= 1) return;
  const isOlder = theirMajor < major || (theirMajor === major && theirMinor < minor);
  throw new LinkMistake(
    `the other side runs Busbar ${said.version.slice(0, 40)} and speaks version ${said.protocol.slice(0, 20)} of the link; this side speaks ${LINK_PROTOCOL} and works with ${major}.${Math.max(0, minor - 1)} to ${major}.${minor + 1}: update ${isOlder ? "the other side" : "this side"}`,
  );
}

function numbersOf(protocol: string): readonly [major: number, minor: number] {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})$/.exec(protocol) ?? [];
  return [Number(major ?? 0), Number(minor ?? 0)];
}
