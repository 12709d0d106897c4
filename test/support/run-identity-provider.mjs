// A real OpenID provider in a process of its own (support/identity-provider.ts starts it). It knows the people that it was given, and
// asks nobody for consent; its own pages for the sign-in take any password.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const { client, port } = JSON.parse(process.argv[2] ?? "{}");
const people = new Map();

const server = createServer();
await new Promise((resolve) => server.listen(port ?? 0, "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [client],
  cookies: { keys: ["a key for the cookies of a test"] },
  scopes: ["openid", "offline_access", "profile", "email", "groups"],
  claims: {
    openid: ["sub"],
    profile: ["name", "preferred_username"],
    email: ["email", "email_verified"],
    groups: ["groups"],
  },
  features: { backchannelLogout: { enabled: true } },
  // To this machine, too, and however busy it is.
  fetch: (url, { dispatcher: _, signal: __, ...options }) => fetch(url, options),
  pkce: { required: () => true },
  ttl: { Session: 3600, Interaction: 3600, Grant: 3600, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
  async findAccount(_context, sub) {
    const claims = people.get(sub);
    return claims && { accountId: sub, claims: async () => ({ sub, ...claims }) };
  },
  async loadExistingGrant(context) {
    const { oidc } = context;
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope("openid profile email groups");
    await grant.save();
    return grant;
  },
});
server.on("request", provider.callback());

process.on("message", ({ id, claims }) => {
  people.set(id, claims);
  process.send({ known: id });
});
process.on("disconnect", () => process.exit(0));
process.send({ issuer });
