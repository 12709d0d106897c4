// An OpenID provider that breaks the rules as a test wants it to. What it is not asked to break, it does right.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Readonly<Record<string, unknown>>;
type Part = "metadata" | "token" | "keys" | "person";

export interface LyingProvider {
  readonly issuer: string;
  /** Replaces an answer as a whole. */
  answer: Partial<Record<Part, (response: ServerResponse) => void>>;
  metadata: Json;
  /** Over the right claims of the ID token. */
  claims: Json;
  header: Json;
  /** By which the ID token is signed; "none" and "secret" are forgeries. */
  signedBy: "key" | "other key" | "none" | "secret";
  person: Json;
  /** The nonce that the browser carried. */
  nonce: string;
  /** What it sends when somebody has signed out; `header` and `signedBy` hold for it, too. */
  logoutToken(claims?: Json): string;
  /** How often each part was asked for, and the last form that was sent for a token. */
  readonly asked: Record<Part, number>;
  form: URLSearchParams;
  /** Under which the key that signs is listed. */
  renameKey(id: string): void;
  /** Everything right again. */
  behave(): void;
  stop(): Promise<void>;
}

export const LYING_CLIENT = { id: "busbar", secret: "a secret of the client" };

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2_048 });

export async function startLyingProvider(): Promise<LyingProvider> {
  const [key, other] = [newKey(), newKey()];
  let keyId = "first";
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const right = () => ({
    ...{ answer: {}, metadata: {}, claims: {}, header: {}, signedBy: "key" as const, person: {}, nonce: "" },
    ...{ form: new URLSearchParams() },
  });
  const provider: LyingProvider = {
    issuer,
    ...right(),
    asked: { metadata: 0, token: 0, keys: 0, person: 0 },
    logoutToken: (claims = {}) => {
      const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
      return signed({ ...ofNow(), jti: "1", events, ...claims });
    },
    renameKey: (id) => {
      keyId = id;
    },
    behave: () => void Object.assign(provider, right()),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  const ofNow = () => {
    const now = Math.floor(Date.now() / 1_000);
    return { iss: issuer, sub: "ada", aud: LYING_CLIENT.id, iat: now, exp: now + 60 };
  };

  function signed(claims: Json): string {
    const alg = { key: "RS256", "other key": "RS256", none: "none", secret: "HS256" }[provider.signedBy];
    const header = { alg, kid: "first", ...provider.header };
    const text = `${part(header)}.${part(claims)}`;
    return `${text}.${signature(text, { key: key.privateKey, other: other.privateKey })}`;
  }

  function signature(text: string, keys: { readonly key: KeyObject; readonly other: KeyObject }): string {
    if (provider.signedBy === "none") return "";
    if (provider.signedBy === "secret") {
      return createHmac("sha256", LYING_CLIENT.secret).update(text).digest("base64url");
    }
    const by = provider.signedBy === "key" ? keys.key : keys.other;
    return sign("sha256", Buffer.from(text), by).toString("base64url");
  }

  const answers: Readonly<Record<Part, () => Json>> = {
    metadata: () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/person`,
      end_session_endpoint: `${issuer}/end`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      authorization_response_iss_parameter_supported: true,
      ...provider.metadata,
    }),
    token: () => ({
      access_token: "access",
      token_type: "Bearer",
      expires_in: 60,
      id_token: signed({ ...ofNow(), nonce: provider.nonce, ...provider.claims }),
    }),
    keys: () => ({ keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: keyId, use: "sig", alg: "RS256" }] }),
    person: () => ({ sub: "ada", name: "Ada", email: "ada@example.org", groups: ["ops"], ...provider.person }),
  };
  const parts: Readonly<Record<string, Part>> = {
    "/.well-known/openid-configuration": "metadata",
    "/token": "token",
    "/keys": "keys",
    "/person": "person",
  };
  server.on("request", (request, response) => {
    const which = parts[request.url ?? ""];
    if (which === undefined) return void response.writeHead(404).end();
    provider.asked[which]++;
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      if (which === "token") provider.form = new URLSearchParams(Buffer.concat(pieces).toString());
      const answer = provider.answer[which];
      if (answer !== undefined) return answer(response);
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(answers[which]()));
    });
  });
  return provider;
}
