import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { parseAddress } from "#core/net/address.ts";
import { addressKind } from "#core/net/address-kind.ts";
import { fingerprintOf } from "#mqtt/pki/fingerprint-of.ts";
import { isTopicLevel } from "#mqtt/topics.ts";
import type { ConnectionKind, DeviceInbox, SignedIn } from "#service/ports/device-inbox.ts";

export interface Login {
  readonly username: string | undefined;
  readonly password: Buffer | undefined;
}

/** The device behind a connection: identified by its certificate if it showed one, otherwise by name and secret. */
export async function signIn(inbox: DeviceInbox, socket: Socket, login: Login): Promise<SignedIn | undefined> {
  const device = await lookUp(inbox, socket, login);
  // Ids become levels of topics. An id with a wildcard in it would reach the topics of other devices.
  return device !== undefined && isTopicLevel(device.hardwareId) && isTopicLevel(device.channelId) ? device : undefined;
}

async function lookUp(
  inbox: DeviceInbox,
  socket: Socket,
  { username, password }: Login,
): Promise<SignedIn | undefined> {
  const remoteAddress = socket.remoteAddress ?? "unknown";
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  if (certificate !== undefined && socket instanceof TLSSocket) {
    // An invalid certificate is refused even when a correct password comes with it.
    if (!socket.authorized) return undefined;
    const hardwareId = /^CN=(.+)$/m.exec(certificate.subject)?.[1];
    return hardwareId === undefined
      ? undefined
      : inbox.signInByCertificate(hardwareId, fingerprintOf(certificate), remoteAddress);
  }
  if (username === undefined || password === undefined) return undefined;
  return await inbox.signIn(username, password.toString("utf8"), remoteAddress);
}

export function connectionKind(socket: Socket): ConnectionKind {
  if (socket instanceof TLSSocket) return "TLS";
  const address = parseAddress(socket.remoteAddress ?? "");
  return address !== undefined && addressKind(address).kind === "loopback" ? "LOCALHOST" : "PLAINTEXT";
}
