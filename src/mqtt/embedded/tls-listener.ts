import { constants } from "node:crypto";
import type { Socket } from "node:net";
import { createServer, type SecureContextOptions, type Server } from "node:tls";
import type { Log } from "#mqtt/mqtt-needs.ts";
import type { SiteAuthority } from "#mqtt/pki/open-site-authority.ts";

export interface TlsSettings {
  readonly port: number;
  /** Host names and addresses by which devices reach this machine. */
  readonly names: readonly string[];
  readonly authority: SiteAuthority;
}

const HANDSHAKE_MS = 10_000;
const RENEWAL_CHECK_MS = 12 * 3600 * 1000;

/** Accepts certificates of the site's own authority. A device without one may still sign in by name and secret. */
export function createTlsListener(log: Log, settings: TlsSettings, accept: (socket: Socket) => void): Server {
  const { authority, names } = settings;
  const identity = (): SecureContextOptions => {
    const { privateKey, certificate } = authority.serverIdentity(names);
    return {
      key: privateKey,
      cert: certificate + authority.certificate,
      ca: authority.certificate,
      minVersion: "TLSv1.2",
      // A resumed session would not show its certificate again.
      secureOptions: constants.SSL_OP_NO_TICKET,
    };
  };
  const server = createServer(
    { ...identity(), requestCert: true, rejectUnauthorized: false, handshakeTimeout: HANDSHAKE_MS },
    accept,
  );
  server.on("tlsClientError", (error) => log.debug({ err: error }, "a TLS handshake failed"));
  const renewal = setInterval(() => {
    try {
      server.setSecureContext(identity());
    } catch (error) {
      log.error({ err: error }, "the certificate of the MQTT listener could not be renewed");
    }
  }, RENEWAL_CHECK_MS);
  renewal.unref();
  server.once("close", () => clearInterval(renewal));
  return server;
}
