// TLS in front of the HTTP server. A connection is counted and waits for its turn before its handshake, like one without
// TLS. What it says afterwards is served by the same HTTP server.
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Logger } from "pino";

export interface TlsIdentity {
  /** The server's own certificate, and those that lead to its authority (PEM). */
  readonly certificate: string;
  readonly privateKey: string;
}

/** The certificate in use. It may change while the server runs. */
export interface ServerCertificate {
  readonly identity: TlsIdentity;
  /** Calls the listener with each new one. */
  listen(listener: (identity: TlsIdentity) => void): void;
}

export interface TlsDoor {
  begin(connection: Socket): void;
}

const HANDSHAKE_MS = 10_000;

/** `serve` gets the stream over the connection when its handshake is done. */
export function openTlsDoor(
  log: Logger,
  certificate: ServerCertificate,
  serve: (secure: TLSSocket, connection: Socket) => void,
): TlsDoor {
  const settings = ({ certificate: cert, privateKey: key }: TlsIdentity) =>
    ({ cert, key, minVersion: "TLSv1.2" }) as const;
  /** Connections whose handshake is not done. */
  const opening = new Map<string, Socket>();
  // It never listens: connections are handed to it.
  const server = createServer({
    ...settings(certificate.identity),
    ALPNProtocols: ["http/1.1"],
    handshakeTimeout: HANDSHAKE_MS,
  });
  server.on("secureConnection", (secure) => {
    const key = ends(secure);
    const connection = opening.get(key);
    opening.delete(key);
    if (connection === undefined) secure.destroy();
    else serve(secure, connection);
  });
  server.on("tlsClientError", (error, secure) => {
    log.debug({ err: error }, "a TLS handshake failed");
    secure.destroy();
  });
  certificate.listen((identity) => server.setSecureContext(settings(identity)));
  return {
    begin(connection) {
      const key = ends(connection);
      // TLS has no end of one direction alone: a client that leaves during the handshake is gone.
      connection.allowHalfOpen = false;
      opening.set(key, connection);
      connection.once("close", () => {
        if (opening.get(key) === connection) opening.delete(key);
      });
      server.emit("connection", connection);
    },
  };
}

/** A connection and the stream over it have the same ends. */
function ends({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
