// A real OpenID provider in a process of its own, and a browser that is sent there, signs in and comes back.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const SCRIPT = fileURLToPath(new URL("run-identity-provider.mjs", import.meta.url));
const CLIENT_ID = "busbar";
export const CLIENT_SECRET = "a secret of the client, for tests";

export interface IdentityProviderProcess {
  readonly issuer: string;
  /** Flags and variables with which Busbar uses it. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the provider says about a person from now on. */
  person(id: string, claims: object): Promise<void>;
  stop(): Promise<void>;
}

/** For a Busbar that people reach under the address. `tells`: where the provider says that somebody has signed out. */
export async function startIdentityProvider(address: string, tells?: string): Promise<IdentityProviderProcess> {
  const client = {
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    redirect_uris: [`${address}/sign-in/return`],
    post_logout_redirect_uris: [`${address}/sign-in`],
    ...(tells !== undefined && { backchannel_logout_uri: tells, backchannel_logout_session_required: true }),
  };
  const child = fork(SCRIPT, [JSON.stringify({ client })], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [{ issuer }] = (await once(child, "message")) as [{ readonly issuer: string }];
  return {
    issuer,
    flags: [
      ...["--oidc-issuer", issuer, "--oidc-client-id", CLIENT_ID, "--oidc-address", address],
      ...["--oidc-scopes", "openid profile email groups", "--oidc-name", "Example Works"],
    ],
    env: { BUSBAR_OIDC_CLIENT_SECRET: CLIENT_SECRET },
    async person(id, claims) {
      const known = once(child, "message");
      child.send({ id, claims });
      await known;
    },
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

/** A browser at the provider, with the provider's cookies. */
export function createProviderVisitor() {
  const cookies = new Map<string, string>();

  async function open(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const header = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { Cookie: header },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const at = pair.indexOf("=");
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  return {
    /** Follows the provider until it sends the browser back; the answer is where it sends it. */
    async signIn(url: string, id: string): Promise<URL> {
      const { origin } = new URL(url);
      let at = new URL(url);
      let isTyped = false;
      for (let step = 0; step < 12; step++) {
        const isForm = at.pathname.startsWith("/interaction/");
        expect(isForm && isTyped, "the provider asks a second time").toBe(false);
        const response = await open(at.href, isForm ? { prompt: "login", login: id, password: "any" } : undefined);
        isTyped ||= isForm;
        const location = response.headers.get("location");
        if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
        at = new URL(location, at);
        if (at.origin !== origin) return at;
      }
      throw new Error("the provider sends the browser around and around");
    },
    /** On the provider's own page. */
    async signOut(url: string): Promise<void> {
      const page = await (await open(url)).text();
      const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
      const [, action = ""] = /action="([^"]+)"/.exec(page) ?? [];
      const answer = await open(new URL(action, url).href, { xsrf, logout: "yes" });
      expect([xsrf !== "", answer.status]).toEqual([true, 303]);
    },
  };
}
