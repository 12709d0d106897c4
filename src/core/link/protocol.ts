// Which versions of the link's protocol understand each other: those with the same first number. A higher second number only
// adds, so a fleet is updated in steps, the cloud first or the gateways first.
import { LinkMistake } from "./message-fields.ts";
import { LINK_PROTOCOL } from "./messages.ts";

export function requireProtocol(said: { readonly protocol: string; readonly version: string }): void {
  const [ours, theirs] = [majorOf(LINK_PROTOCOL), majorOf(said.protocol)];
  if (theirs === ours) return;
  throw new LinkMistake(
    `the other side runs Busbar ${said.version.slice(0, 40)} and speaks version ${said.protocol.slice(0, 20)} of the link; this side speaks ${LINK_PROTOCOL} and works with every ${ours}.x: update ${theirs < ours ? "the other side" : "this side"}`,
  );
}

/** Tariffs and prices travel since 1.2. */
export const takesTariffs = (protocol: string): boolean => minorOf(protocol) >= 2;

/** Controls and claims travel since 1.3. */
export const takesControls = (protocol: string): boolean => minorOf(protocol) >= 3;

/** Interlocks travel since 1.4. */
export const takesInterlocks = (protocol: string): boolean => minorOf(protocol) >= 4;

/** Rules travel, and questions are answered, since 1.5. */
export const takesRules = (protocol: string): boolean => minorOf(protocol) >= 5;

/** Notifications travel since 1.6. */
export const takesNotifications = (protocol: string): boolean => minorOf(protocol) >= 6;

/** 0 for what is no version. */
function minorOf(protocol: string): number {
  return Number(/^\d{1,6}\.(\d{1,6})$/.exec(protocol)?.at(1) ?? 0);
}

/** 0 for what is no version. */
function majorOf(protocol: string): number {
  return Number(/^(\d{1,6})\.\d{1,6}$/.exec(protocol)?.at(1) ?? 0);
}
